/*
 * The life of table pages: allocated zeroed, live, freed. Fresh slots are used before freed ones, and
 * freed ones in the order in which they were freed, so that a stale pointer meets a free page for as
 * long as possible. A freed page holds entries that lead to the trap address in both views, and
 * AddressSanitizer is told not to let anybody near it.
 */
#include "core/host/host.h"
#include "core/host/poison.h"

#include <string.h>

static void page_fill(u8 *memory, u64 word)
{
	u64 *item = (u64 *)memory;

	for (u32 i = 0; i < HOST_ITEMS; i++)
		item[i] = word;
}

static void page_open(struct host *host, u32 nr)
{
	struct host_page *page = &host->page[nr];
	u8 *cpu = host->cpu + ((u64)nr << HOST_PAGE_LG2);
	u8 *device = host->device + ((u64)nr << HOST_PAGE_LG2);

	poison_unlock(cpu, HOST_PAGE_BYTES);
	memset(cpu, 0, HOST_PAGE_BYTES);
	if (!host->config.coherent)
		page_fill(device, host->trap);
	else if (device != cpu)
		memset(device, 0, HOST_PAGE_BYTES);
	if (!page->born) {
		page->born = true;
		host->born[host->born_nr++] = nr;
	}
	page->state = HOST_PAGE_LIVE;
	page->differs = page->needed = host->config.coherent ? 0 : ~0ull;
	page->stored = 0;
	page->mapped = page->watched = false;
	page->birth = host->op_serial;
	page->run = 0;
	host->pages_live++;
}

/* The first slot of @run slots in a row, or -1. Only fresh slots are certain to stand in a row. */
static s64 slots_take(struct host *host, u32 run)
{
	u32 slot = host->pages_used;

	if (slot + run <= host->config.pages_nr) {
		host->pages_used += run;
		return slot;
	}
	if (run != 1 || !host->free_nr)
		return -1;
	slot = host->free_queue[host->free_first];
	host->free_first = (host->free_first + 1) % (u32)host->pages_max;
	host->free_nr--;
	return slot;
}

static void event_tell(struct host *host, const struct host_event *event)
{
	if (host->observer.event)
		host->observer.event(host->observer.arg, event);
}

static void *alloc_refuse(struct host *host, u64 bytes, bool injected)
{
	host->failed_alloc |= injected;
	host->starved |= !injected;
	event_tell(host, host_event(host, HOST_EVENT_REFUSE, 0, 0, bytes, injected));
	return NULL;
}

void *host_alloc(struct host *host, u64 bytes)
{
	u64 run = (bytes + HOST_PAGE_BYTES - 1) >> HOST_PAGE_LG2;
	s64 slot;

	host_yield(host);
	host_step(host);
	if (++host->op.allocs > host->allocs_limit)
		host_leave(host, HOST_ESCAPE_STEPS, "allocation limit");
	if (host->fail_alloc && !--host->fail_alloc)
		return alloc_refuse(host, bytes, true);
	if (!run || bytes > host->cpu_bytes)
		return alloc_refuse(host, bytes, false);
	slot = slots_take(host, (u32)run);
	if (slot < 0)
		return alloc_refuse(host, bytes, false);
	for (u32 i = 0; i < run; i++)
		page_open(host, (u32)slot + i);
	host->page[slot].run = (u16)run;
	event_tell(host, host_event(host, HOST_EVENT_ALLOC, (u32)slot, 0, bytes, 0));
	return host->cpu + ((u64)slot << HOST_PAGE_LG2);
}

static void page_shut(struct host *host, u32 nr)
{
	u8 *cpu = host->cpu + ((u64)nr << HOST_PAGE_LG2);
	u8 *device = host->device + ((u64)nr << HOST_PAGE_LG2);

	page_fill(cpu, host->trap);
	if (device != cpu)
		page_fill(device, host->trap);
	poison_lock(cpu, HOST_PAGE_BYTES);
	host->page[nr].state = HOST_PAGE_FREE;
	host->page[nr].differs = host->page[nr].needed = 0;
	host->free_queue[(host->free_first + host->free_nr) % host->pages_max] = nr;
	host->free_nr++;
	host->pages_live--;
}

void host_free(struct host *host, void *table)
{
	u64 offset = (u64)((u8 *)table - host->cpu);
	u32 nr = (u32)(offset >> HOST_PAGE_LG2);
	u32 run;

	host_yield(host);
	host_step(host);
	host->op.frees++;
	if (offset >= host->cpu_bytes || offset & (HOST_PAGE_BYTES - 1) || !host->page[nr].run ||
	    host->page[nr].state != HOST_PAGE_LIVE) {
		host_fault(host, HOST_FAULT_DOUBLE_FREE, offset);
		return;
	}
	run = host->page[nr].run;
	host->page[nr].run = 0;
	event_tell(host, host_event(host, HOST_EVENT_FREE, nr, 0, run, 0));
	for (u32 i = 0; i < run; i++)
		page_shut(host, nr + i);
}
