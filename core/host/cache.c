/*
 * Cache lines between the CPU and a device that doesn't snoop. A store makes a line differ; a flush
 * copies it to the device's view. Whether a flush has a reason is judged by what was stored: a line in
 * which only bits changed that hardware ignores differs, but needs no flush.
 *
 * Left out: eviction. A dirty line may be written back at any moment on a real machine; the oracle
 * accounts for that where order matters, at each store (publish-before-flush).
 */
#include "core/host/host.h"

#include <string.h>

static void lines_copy(struct host *host, u32 page_nr, u64 lines)
{
	u8 *device = host->device + ((u64)page_nr << HOST_PAGE_LG2);
	const u8 *cpu = host->cpu + ((u64)page_nr << HOST_PAGE_LG2);

	if (lines == ~0ull) {
		memcpy(device, cpu, HOST_PAGE_BYTES);
		return;
	}
	for (; lines; lines &= lines - 1) {
		u64 at = (u64)__builtin_ctzll(lines) << HOST_LINE_LG2;

		memcpy(device + at, cpu + at, HOST_LINE_BYTES);
	}
}

static void page_flush(struct host *host, u32 page_nr, u64 lines)
{
	struct host_page *page = &host->page[page_nr];
	u64 wasted = lines & ~page->needed;
	u64 copied = lines & page->differs;

	if (page->state != HOST_PAGE_LIVE) {
		host_fault(host, HOST_FAULT_FLUSH_FREED, (u64)page_nr << HOST_PAGE_LG2);
		return;
	}
	lines_copy(host, page_nr, copied);
	host->op.lines_flushed += (u64)__builtin_popcountll(lines);
	host->op.lines_wasted += (u64)__builtin_popcountll(wasted);
	if (copied && !page->touched)
		host->touched[host->touched_nr++] = page_nr;
	page->touched |= copied;
	page->differs &= ~lines;
	page->needed &= ~lines;
	host_event(host, HOST_EVENT_FLUSH, page_nr, 0, lines, wasted);
}

void host_flush(struct host *host, const void *pointer, u64 bytes)
{
	u64 first = (u64)((const u8 *)pointer - host->cpu);
	u64 last = first + bytes - 1;

	host_yield(host);
	host_step(host);
	host->op.flushes++;
	if (host->config.coherent) {
		host_fault(host, HOST_FAULT_FLUSH_COHERENT, first);
		return;
	}
	if (!bytes) {
		host_fault(host, HOST_FAULT_FLUSH_NOTHING, first);
		return;
	}
	if (first >= host->cpu_bytes || last >= host->cpu_bytes || last < first) {
		host_fault(host, HOST_FAULT_FLUSH_FOREIGN, first);
		return;
	}
	first >>= HOST_LINE_LG2;
	last >>= HOST_LINE_LG2;
	while (first <= last) {
		u64 end = first | 63; /* the last line of this page */
		u64 stop = end < last ? end : last;
		u64 mask = (~0ull >> (63 - (stop - first))) << (first & 63);

		page_flush(host, (u32)(first >> 6), mask);
		first = stop + 1;
	}
}

void host_device_store(struct host *host, u32 page_nr, u32 item, u64 new)
{
	((u64 *)host->cpu)[(u64)page_nr * HOST_ITEMS + item] = new;
	((u64 *)host->device)[(u64)page_nr * HOST_ITEMS + item] = new;
}

s64 host_unreported(const struct host *host)
{
	for (u32 nr = 0; nr < host->pages_used; nr++) {
		const struct host_page *page = &host->page[nr];
		const u8 *cpu = host->cpu + ((u64)nr << HOST_PAGE_LG2);
		const u8 *device = host->device + ((u64)nr << HOST_PAGE_LG2);

		if (page->state != HOST_PAGE_LIVE || !memcmp(cpu, device, HOST_PAGE_BYTES))
			continue;
		for (u32 line = 0; line < 64; line++)
			if (!(page->differs >> line & 1) &&
			    memcmp(cpu + line * HOST_LINE_BYTES, device + line * HOST_LINE_BYTES,
				   HOST_LINE_BYTES))
				return nr;
	}
	return -1;
}
