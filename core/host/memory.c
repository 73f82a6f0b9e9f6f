/*
 * The machine as a whole: its two images of physical memory, where table pages live in it, and the
 * reset between programs. Physical addresses are arithmetic on the page's slot, so that a walker's
 * descent costs no lookup; memory other than table pages does not exist.
 */
#include "core/host/host.h"
#include "core/host/poison.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/check.h"

static void *lines_calloc(size_t nr, size_t bytes)
{
	size_t total = (nr * bytes + HOST_PAGE_BYTES - 1) & ~(size_t)(HOST_PAGE_BYTES - 1);
	void *memory = aligned_alloc(HOST_PAGE_BYTES, total);

	if (memory)
		memset(memory, 0, total);
	return memory;
}

struct host *host_create(u32 pages_max)
{
	struct host *host = calloc(1, sizeof(*host));

	if (!host)
		return NULL;
	host->pages_max = pages_max;
	host->cpu_bytes = (u64)pages_max << HOST_PAGE_LG2;
	host->cpu_memory = lines_calloc(pages_max, HOST_PAGE_BYTES);
	host->device_memory = lines_calloc(pages_max, HOST_PAGE_BYTES);
	host->page = lines_calloc(pages_max, sizeof(*host->page));
	host->touched = calloc(pages_max, sizeof(*host->touched));
	host->born = calloc(pages_max, sizeof(*host->born));
	host->free_queue = calloc(pages_max, sizeof(*host->free_queue));
	host->events = calloc(HOST_EVENTS, sizeof(*host->events));
	host->private = lines_calloc(pages_max, HOST_PRIVATE_BYTES);
	if (!host->cpu_memory || !host->device_memory || !host->page || !host->touched ||
	    !host->born || !host->free_queue || !host->events || !host->private) {
		host_destroy(host);
		return NULL;
	}
	poison_lock(host->cpu_memory, host->cpu_bytes);
	return host;
}

void host_destroy(struct host *host)
{
	if (!host)
		return;
	if (host->cpu_memory)
		poison_unlock(host->cpu_memory, host->cpu_bytes);
	free(host->cpu_memory);
	free(host->device_memory);
	free(host->page);
	free(host->touched);
	free(host->born);
	free(host->free_queue);
	free(host->events);
	free(host->private);
	free(host);
}

void host_reset(struct host *host, const struct host_config *config)
{
	u32 used = host->pages_used;

	CHECK_OP(config->tables_pa & (HOST_PAGE_BYTES - 1), ==, 0u);
	poison_lock(host->cpu_memory, (u64)used << HOST_PAGE_LG2);
	memset(host->page, 0, used * sizeof(*host->page));
	memset(host->private, 0, (size_t)used * HOST_PRIVATE_BYTES);
	host->config = *config;
	if (!config->pages_nr || config->pages_nr > host->pages_max)
		host->config.pages_nr = (u32)host->pages_max;
	host->cpu = host->cpu_memory;
	host->device = config->coherent && !config->slow ? host->cpu_memory : host->device_memory;
	host->ignored = 0;
	host->trap = 0;
	host->steps = 0;
	host->steps_limit = host->allocs_limit = ~0ull;
	host->observer = (struct host_observer){0};
	host->op = host->total = (struct host_counts){0};
	host->op_serial = 0;
	host->pages_used = host->pages_live = 0;
	host->touched_nr = host->born_nr = 0;
	host->free_first = host->free_nr = 0;
	host->fail_alloc = 0;
	host->failed_alloc = host->starved = false;
	host->faults = 0;
	host->warn = NULL;
	host->escape = HOST_ESCAPE_NONE;
	host->escape_text = NULL;
	host->escape_to = NULL;
	host->events_nr = 0;
}

static void counts_add(struct host_counts *total, const struct host_counts *op)
{
	total->loads += op->loads;
	total->stores += op->stores;
	total->flushes += op->flushes;
	total->lines_flushed += op->lines_flushed;
	total->lines_wasted += op->lines_wasted;
	total->allocs += op->allocs;
	total->frees += op->frees;
	total->syncs += op->syncs;
	total->descents += op->descents;
}

void host_begin(struct host *host, u32 serial, u32 code)
{
	for (u32 i = 0; i < host->touched_nr; i++)
		host->page[host->touched[i]].touched = 0;
	for (u32 i = 0; i < host->born_nr; i++)
		host->page[host->born[i]].born = false;
	host->touched_nr = host->born_nr = 0;
	counts_add(&host->total, &host->op);
	host->op = (struct host_counts){0};
	host->steps = 0;
	host->stack = __builtin_frame_address(0);
	host->faults = 0;
	host->fault_where = 0;
	host->warn = NULL;
	host->failed_alloc = host->starved = false;
	host->escape = HOST_ESCAPE_NONE;
	host->op_serial = serial;
	host_event(host, HOST_EVENT_BEGIN, 0, 0, serial, code);
}

void host_look(struct host *host)
{
	const u8 *here = __builtin_frame_address(0);
	uintptr_t depth = here < host->stack ? (uintptr_t)host->stack - (uintptr_t)here : 0;

	if (host->steps > host->steps_limit)
		host_leave(host, HOST_ESCAPE_STEPS, "step limit");
	if (host->stack && depth > HOST_STACK_BYTES)
		host_leave(host, HOST_ESCAPE_STEPS, "stack limit");
}

u64 host_pa(struct host *host, const void *pointer)
{
	u64 offset = (u64)((const u8 *)pointer - host->cpu);

	if (unlikely(offset >= host->cpu_bytes)) {
		host_fault(host, HOST_FAULT_WILD_PA, 0);
		host_leave(host, HOST_ESCAPE_FAULT, "physical address of memory that is no table");
	}
	return host_page_pa(host, (u32)(offset >> HOST_PAGE_LG2)) +
	       (offset & (HOST_PAGE_BYTES - 1));
}

void *host_ptr(struct host *host, u64 pa)
{
	s64 page = host_page_of(host, pa);

	host->op.descents++;
	if (unlikely(page < 0)) {
		host_fault(host, HOST_FAULT_WILD_PA, pa);
		host_leave(host, HOST_ESCAPE_FAULT, "physical address where no table page is");
	}
	return host->cpu + ((u64)page << HOST_PAGE_LG2) + (pa & (HOST_PAGE_BYTES - 1));
}
