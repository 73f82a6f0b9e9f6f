/*
 * The simulated machine that a page-table walker runs on: physical memory for table pages, with the
 * CPU's view of it and the device's (the IOMMU's), cache lines between the two, the life of each
 * page, and a record of what happened in which order.
 *
 * A walker reaches the machine through the functions of the part "for walkers". They are in this
 * header where they run on every load and store. The oracle watches through struct host_observer and
 * reads through the part "for observers"; nothing here knows what an entry means.
 *
 * One struct host is one machine. Nothing is global; host_reset() makes it new again in time
 * proportional to what was used, without allocating.
 */
#ifndef CORE_HOST_HOST_H
#define CORE_HOST_HOST_H

#include <setjmp.h>

#include "core/base/types.h"

#define HOST_PAGE_LG2	   12
#define HOST_PAGE_BYTES	   (1u << HOST_PAGE_LG2)
#define HOST_LINE_LG2	   6
#define HOST_LINE_BYTES	   (1u << HOST_LINE_LG2)
#define HOST_ITEMS	   (HOST_PAGE_BYTES / 8)
#define HOST_PRIVATE_BYTES 128
#define HOST_EVENTS	   4096
#define HOST_STACK_BYTES   (256 << 10) /* a walker that takes more is in a runaway recursion */
#define HOST_STACK_STEPS   256	       /* between looks at the stack */

/**
 * struct host_config - what kind of machine host_reset() makes
 * @tables_pa: physical address of the first table page; a multiple of 4 KiB
 * @scatter_lg2: table pages stand 4 KiB << @scatter_lg2 apart in physical memory
 * @coherent: the device sees each store at once; otherwise only after a flush
 * @pages_nr: how many pages there are to allocate; 0 or anything above the size that host_create()
 *	was given means all of them
 * @slow: keep both views apart even when coherent and compare them after each operation, so that a
 *	store that the walker's build did not report is found
 */
struct host_config {
	u64 tables_pa;
	u8 scatter_lg2;
	bool coherent;
	bool slow;
	u32 pages_nr;
};

enum host_event_kind {
	HOST_EVENT_ALLOC,  /* page; a = bytes asked for */
	HOST_EVENT_REFUSE, /* an allocation that failed; a = bytes asked for, b = injected */
	HOST_EVENT_FREE,   /* page */
	HOST_EVENT_STORE,  /* page, item; a = old, b = new */
	HOST_EVENT_FLUSH,  /* page; a = mask of lines, b = those of them without need */
	HOST_EVENT_GATHER, /* a..b = the range now waiting for a sync */
	HOST_EVENT_SYNC,   /* a..b = the range invalidated; item = levels of leaves | tables << 8 */
	HOST_EVENT_SYNC_ALL,   /* everything invalidated */
	HOST_EVENT_CHANGE_TOP, /* a = pa of the new root, b = its level */
	HOST_EVENT_WARN,       /* an assertion of the walker's own; text */
	HOST_EVENT_FAULT, /* the walker did what no program may; item = enum host_fault, a = where */
	HOST_EVENT_BEGIN, /* an operation starts; a = its number, b = its code */
	HOST_EVENT_NR
};

/* What the machine itself sees a walker do wrong. */
enum host_fault {
	HOST_FAULT_NONE,
	HOST_FAULT_DOUBLE_FREE,	   /* freed what is free, or never was allocated */
	HOST_FAULT_LOAD_FREED,	   /* read a table page after freeing it */
	HOST_FAULT_STORE_FREED,	   /* wrote to a table page after freeing it */
	HOST_FAULT_FLUSH_FREED,	   /* flushed a line of a free page */
	HOST_FAULT_FLUSH_FOREIGN,  /* flushed memory that holds no table */
	HOST_FAULT_FLUSH_NOTHING,  /* flushed zero bytes */
	HOST_FAULT_FLUSH_COHERENT, /* flushed on a machine that snoops */
	HOST_FAULT_WILD_PA,	   /* turned a physical address without a table into a pointer */
	HOST_FAULT_DMA_API,	   /* broke the rules of the DMA API: map, sync, unmap of a page */
	HOST_FAULT_NR
};

struct host_event {
	u8 kind;
	u16 item;
	u32 page;
	u64 a;
	u64 b;
	const char *text; /* of a warning: static, or valid as long as the walker is loaded */
};

/* Why an operation was left before it returned. */
enum host_escape {
	HOST_ESCAPE_NONE,
	HOST_ESCAPE_STEPS,  /* the step limit: runaway recursion or an endless loop */
	HOST_ESCAPE_FAULT,  /* a fault after which the walker can't go on */
	HOST_ESCAPE_SIGNAL, /* a trap of the undefined-behaviour sanitizer, or a segment violation */
};

enum host_page_state {
	HOST_PAGE_FREE,
	HOST_PAGE_LIVE,
};

/**
 * struct host_page - one table page; the masks have a bit for each of its 64 lines
 * @differs: lines stored to since their last flush: the two views may differ there
 * @needed: of these, the lines where more than ignored bits were stored: a flush has a reason
 * @touched: lines stored to or flushed in the current operation
 * @stored: lines stored to since the page was allocated
 * @birth: number of the operation in which it was allocated
 */
struct host_page {
	u64 differs;
	u64 needed;
	u64 touched;
	u64 stored;
	u32 birth;
	u16 run; /* pages of the allocation that starts here, 0 inside one */
	u8 state;
	bool born;    /* allocated in the current operation */
	bool watched; /* set by the observer: tell it of stores to this page; reset by allocation */
	bool mapped;  /* handed to the device through the DMA API; used by core/linux */
};

/* Counts of one operation, and of a whole program. */
struct host_counts {
	u64 loads;
	u64 stores;
	u64 flushes; /* calls */
	u64 lines_flushed;
	u64 lines_wasted; /* flushed without need */
	u64 allocs;
	u64 frees;
	u64 syncs;
	u64 descents; /* physical addresses turned into pointers */
};

struct host;

/**
 * struct host_observer - who is told what happens, at the moment at which it happens
 * @store: called after each 8-byte store to a page that the observer marked as watched
 * @event: called after each event other than a store and a flush
 */
struct host_observer {
	void (*store)(void *arg, u32 page, u32 item, u64 old, u64 new);
	void (*event)(void *arg, const struct host_event *event);
	void *arg;
};

/**
 * struct host - a machine
 *
 * The fields are public for the inline functions below and for reading; only core/host writes them,
 * apart from those that say so.
 */
struct host {
	u8 *cpu;    /* the CPU's view: pages_max pages in a row */
	u8 *device; /* the device's view; the same memory as @cpu when coherent and not slow */
	u64 cpu_bytes;
	struct host_page *page;
	u64 pages_max; /* what host_create() made */
	struct host_config config;
	u64 ignored;	  /* set by the observer: bits that hardware ignores in every entry */
	u64 trap;	  /* set by the observer: entry that leads to the trap address */
	u64 steps;	  /* loads, stores, allocations and flushes of the current operation */
	u64 steps_limit;  /* set by the observer: more steps than this leave the operation */
	u64 allocs_limit; /* set by the observer: more allocations than this leave it, too */
	const u8 *stack;  /* where the stack was when the operation began */
	struct host_observer observer;
	struct host_counts op;	  /* since host_begin() */
	struct host_counts total; /* of operations before the current one */
	u32 op_serial;
	u32 pages_used; /* slots ever allocated since the reset: what a reset has to clean */
	u32 pages_live;
	u32 *touched; /* pages with a nonzero @touched mask */
	u32 touched_nr;
	u32 *born; /* pages allocated in the operation, each once; some may be free again */
	u32 born_nr;
	u32 *free_queue; /* freed slots, oldest first, reused when no fresh one is left */
	u32 free_first;
	u32 free_nr;
	u32 fail_alloc;	   /* set by the executor: refuse the n-th allocation from now; 0 = none */
	bool failed_alloc; /* an injected failure happened in this operation */
	bool starved;	   /* an allocation failed since no page was left */
	u32 faults;	   /* mask of 1 << enum host_fault: what happened in the operation */
	u64 fault_where;   /* of the first of them */
	const char *warn;  /* the first assertion of the operation that failed, or NULL */
	u8 escape;	   /* enum host_escape */
	const char *escape_text;
	sigjmp_buf *escape_to;	   /* set by the executor around operations */
	struct host_event *events; /* ring of HOST_EVENTS */
	u64 events_nr;		   /* ever recorded; the ring holds the last HOST_EVENTS of them */
	u8 *private;		   /* HOST_PRIVATE_BYTES for each page, for the walker's glue */
	u8 *cpu_memory;		   /* what @cpu and @device are made of */
	u8 *device_memory;
};

/*
 * host_create() - a machine with room for @pages_max table pages
 * Returns NULL when memory is short. host_reset() must follow before use.
 */
struct host *host_create(u32 pages_max);
void host_destroy(struct host *host);

/* host_reset() - a new machine of @config: nothing allocated, both views unknown, no events */
void host_reset(struct host *host, const struct host_config *config);

/* host_begin() - an operation starts: its counts, faults, warnings and touched lines start at zero */
void host_begin(struct host *host, u32 serial, u32 code);

/* ---- for walkers ---- */

/*
 * host_alloc() - a zeroed table allocation of @bytes, aligned to 4 KiB
 * Returns NULL when the executor injected a failure, no page is left, or @bytes is larger than the
 * machine.
 */
void *host_alloc(struct host *host, u64 bytes);

/* host_free() - gives back the page at @table, as host_alloc() returned it, at once */
void host_free(struct host *host, void *table);

/*
 * host_pa() - physical address of any byte inside a table page
 * host_ptr() - pointer to the byte at @pa; leaves the operation when no table page is there
 */
u64 host_pa(struct host *host, const void *pointer);
void *host_ptr(struct host *host, u64 pa);

/* host_flush() - write back the cache lines that hold @pointer .. @pointer + @bytes - 1 */
void host_flush(struct host *host, const void *pointer, u64 bytes);

/* host_gather() - first..last now waits for a sync; only recorded */
void host_gather(struct host *host, u64 first, u64 last);

/* host_sync() - the IOTLB and walk caches drop first..last. Levels: masks, 0 = not told */
void host_sync(struct host *host, u64 first, u64 last, u8 leaf_levels, u8 table_levels);
void host_sync_all(struct host *host);

/* host_change_top() - the device's root becomes the table at @pa, which is of @level */
void host_change_top(struct host *host, u64 pa, unsigned int level);

/* host_warn() - an assertion of the walker's own failed. @text is kept as a pointer. */
void host_warn(struct host *host, const char *text);

/* host_fault() - the walker did something forbidden at @where; the operation goes on */
void host_fault(struct host *host, enum host_fault fault, u64 where);

/* host_leave() - the operation can't go on: back to the executor. Does not return. */
void host_leave(struct host *host, enum host_escape why, const char *text)
	__attribute__((noreturn));

/* host_yield() - a point at which another walker thread could run; single-threaded today */
static inline void host_yield(struct host *host)
{
	(void)host;
}

static inline bool host_is_table(const struct host *host, const void *pointer)
{
	return (u64)((const u8 *)pointer - host->cpu) < host->cpu_bytes;
}

/* host_look() - leaves the operation when it has run away: in steps, or down the stack */
void host_look(struct host *host);

static inline void host_step(struct host *host)
{
	if (unlikely(++host->steps > host->steps_limit || !(host->steps % HOST_STACK_STEPS)))
		host_look(host);
}

/* host_load() - counts a load of the entry at @item, which must be in table memory */
static inline u64 host_load(struct host *host, const u64 *item)
{
	struct host_page *page = &host->page[((const u8 *)item - host->cpu) >> HOST_PAGE_LG2];

	host_yield(host);
	host_step(host);
	host->op.loads++;
	if (unlikely(page->state != HOST_PAGE_LIVE)) {
		host_fault(host, HOST_FAULT_LOAD_FREED, (u64)((const u8 *)item - host->cpu));
		host_leave(host, HOST_ESCAPE_FAULT, "load from a freed page");
	}
	return *(const volatile u64 *)item;
}

/* host_stored() - the books of a store on an incoherent machine: whether its line needs a flush */
static inline void host_stored(struct host *host, struct host_page *page, u64 line, u64 old,
			       u64 new)
{
	page->differs |= line;
	if (old == new || (old ^ new) & ~host->ignored)
		page->needed |= line;
}

/* host_event() - appends to the record, which keeps the last HOST_EVENTS */
static inline struct host_event *host_event(struct host *host, enum host_event_kind kind, u32 page,
					    u32 item, u64 a, u64 b)
{
	struct host_event *event = &host->events[host->events_nr++ % HOST_EVENTS];

	event->kind = (u8)kind;
	event->item = (u16)item;
	event->page = page;
	event->a = a;
	event->b = b;
	return event;
}

/* host_store() - stores an entry in table memory and keeps the books of its cache line */
static inline void host_store(struct host *host, u64 *item, u64 new)
{
	u64 offset = (u64)((u8 *)item - host->cpu);
	u32 page_nr = (u32)(offset >> HOST_PAGE_LG2);
	struct host_page *page = &host->page[page_nr];
	u64 line = 1ull << (offset >> HOST_LINE_LG2 & 63);
	u32 item_nr = (u32)(offset >> 3 & (HOST_ITEMS - 1));
	u64 old;

	host_yield(host);
	host_step(host);
	host->op.stores++;
	if (unlikely(page->state != HOST_PAGE_LIVE)) {
		host_fault(host, HOST_FAULT_STORE_FREED, offset);
		host_leave(host, HOST_ESCAPE_FAULT, "store to a freed page");
	}
	old = *item;
	*(volatile u64 *)item = new;
	host_event(host, HOST_EVENT_STORE, page_nr, item_nr, old, new);
	if (!page->touched)
		host->touched[host->touched_nr++] = page_nr;
	page->touched |= line;
	page->stored |= line;
	if (!host->config.coherent)
		host_stored(host, page, line, old, new);
	else if (unlikely(host->config.slow))
		((u64 *)host->device)[offset >> 3] = new;
	if (page->watched)
		host->observer.store(host->observer.arg, page_nr, item_nr, old, new);
}

/* host_cmpxchg() - as try_cmpxchg: on failure *old becomes what is there, and nothing is stored */
static inline bool host_cmpxchg(struct host *host, u64 *item, u64 *old, u64 new)
{
	u64 seen = host_load(host, item);

	if (seen != *old) {
		*old = seen;
		return false;
	}
	host_store(host, item, new);
	return true;
}

/* ---- for observers ---- */

/* host_page_of() - slot of the page at physical address @pa, or -1 */
static inline s64 host_page_of(const struct host *host, u64 pa)
{
	u64 offset = pa - host->config.tables_pa;
	u64 slot = offset >> (HOST_PAGE_LG2 + host->config.scatter_lg2);

	if (pa < host->config.tables_pa || slot >= host->pages_used ||
	    (offset & ((1ull << (HOST_PAGE_LG2 + host->config.scatter_lg2)) - 1)) >=
		    HOST_PAGE_BYTES)
		return -1;
	return (s64)slot;
}

/* host_page_pa() - physical address of slot @page */
static inline u64 host_page_pa(const struct host *host, u32 page)
{
	return host->config.tables_pa + ((u64)page << (HOST_PAGE_LG2 + host->config.scatter_lg2));
}

static inline const u64 *host_cpu_page(const struct host *host, u32 page)
{
	return (const u64 *)(host->cpu + ((u64)page << HOST_PAGE_LG2));
}

static inline const u64 *host_device_page(const struct host *host, u32 page)
{
	return (const u64 *)(host->device + ((u64)page << HOST_PAGE_LG2));
}

/* host_device_store() - the device itself writes an entry (accessed and dirty bits), in both views */
void host_device_store(struct host *host, u32 page, u32 item, u64 new);

/*
 * host_unreported() - in slow mode or on an incoherent machine, the number of a page whose views
 * differ without a reported store, or -1. Costs a comparison of all pages in use.
 */
s64 host_unreported(const struct host *host);

/* host_digest() - XXH3 of the events recorded since the reset that are still in the ring */
u64 host_digest(const struct host *host);

/* Words for printing; the enums' names in lower case. */
const char *host_event_word(unsigned int kind);
const char *host_fault_word(unsigned int fault);

#endif
