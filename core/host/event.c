/*
 * The record of what happened, in order, and the events that are nothing but a record: gathers, syncs,
 * changes of the root, warnings, faults. The record is a ring: the last HOST_EVENTS stay.
 */
#include "core/host/host.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/base/check.h"

static void event_tell(struct host *host, const struct host_event *event)
{
	if (host->observer.event)
		host->observer.event(host->observer.arg, event);
}

void host_gather(struct host *host, u64 first, u64 last)
{
	event_tell(host, host_event(host, HOST_EVENT_GATHER, 0, 0, first, last));
}

void host_sync(struct host *host, u64 first, u64 last, u8 leaf_levels, u8 table_levels)
{
	u32 levels = leaf_levels | (u32)table_levels << 8;

	host_yield(host);
	host->op.syncs++;
	event_tell(host, host_event(host, HOST_EVENT_SYNC, 0, levels, first, last));
}

void host_sync_all(struct host *host)
{
	host_yield(host);
	host->op.syncs++;
	event_tell(host, host_event(host, HOST_EVENT_SYNC_ALL, 0, 0, 0, ~0ull));
}

void host_change_top(struct host *host, u64 pa, unsigned int level)
{
	host_yield(host);
	event_tell(host, host_event(host, HOST_EVENT_CHANGE_TOP, 0, 0, pa, level));
}

void host_warn(struct host *host, const char *text)
{
	struct host_event *event = host_event(host, HOST_EVENT_WARN, 0, 0, 0, 0);

	event->text = text;
	if (!host->warn)
		host->warn = text;
	event_tell(host, event);
}

void host_fault(struct host *host, enum host_fault fault, u64 where)
{
	if (!host->faults)
		host->fault_where = where;
	host->faults |= 1u << fault;
	event_tell(host, host_event(host, HOST_EVENT_FAULT, 0, fault, where, 0));
}

void host_leave(struct host *host, enum host_escape why, const char *text)
{
	host->escape = (u8)why;
	host->escape_text = text;
	CHECK(host->escape_to);
	siglongjmp(*host->escape_to, 1);
}

u64 host_digest(const struct host *host)
{
	u64 first = host->events_nr > HOST_EVENTS ? host->events_nr - HOST_EVENTS : 0;
	u64 hash = host->events_nr;

	for (u64 i = first; i < host->events_nr; i++) {
		const struct host_event *event = &host->events[i % HOST_EVENTS];
		u64 words[4] = {event->kind | (u64)event->item << 16 | (u64)event->page << 32,
				event->a, event->b, hash};

		hash = XXH3_64bits(words, sizeof(words));
	}
	return hash;
}

static const char *const event_words[HOST_EVENT_NR] = {
	[HOST_EVENT_ALLOC] = "alloc",
	[HOST_EVENT_REFUSE] = "refuse",
	[HOST_EVENT_FREE] = "free",
	[HOST_EVENT_STORE] = "store",
	[HOST_EVENT_FLUSH] = "flush",
	[HOST_EVENT_GATHER] = "gather",
	[HOST_EVENT_SYNC] = "sync",
	[HOST_EVENT_SYNC_ALL] = "sync-all",
	[HOST_EVENT_CHANGE_TOP] = "change-top",
	[HOST_EVENT_WARN] = "warn",
	[HOST_EVENT_FAULT] = "fault",
	[HOST_EVENT_BEGIN] = "begin",
};

static const char *const fault_words[HOST_FAULT_NR] = {
	[HOST_FAULT_NONE] = "none",
	[HOST_FAULT_DOUBLE_FREE] = "double-free",
	[HOST_FAULT_LOAD_FREED] = "load-freed",
	[HOST_FAULT_STORE_FREED] = "store-freed",
	[HOST_FAULT_FLUSH_FREED] = "flush-freed",
	[HOST_FAULT_FLUSH_FOREIGN] = "flush-foreign",
	[HOST_FAULT_FLUSH_NOTHING] = "flush-nothing",
	[HOST_FAULT_FLUSH_COHERENT] = "flush-coherent",
	[HOST_FAULT_WILD_PA] = "wild-pa",
	[HOST_FAULT_DMA_API] = "dma-api",
};

const char *host_event_word(unsigned int kind)
{
	return kind < HOST_EVENT_NR ? event_words[kind] : "?";
}

const char *host_fault_word(unsigned int fault)
{
	return fault < HOST_FAULT_NR ? fault_words[fault] : "?";
}
