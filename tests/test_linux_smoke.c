/*
 * A Linux tree's walker as a shared object, without the oracle: each format opens, maps pages of
 * several sizes, finds them, reports a dirty one, unmaps, syncs, closes and leaves no page behind;
 * on a machine that snoops and, where the format can, on one that doesn't.
 *
 * usage: test_linux_smoke WALKER.so...   (exit 0 all well, 1 something is not as expected)
 */
#include <dlfcn.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/host/host.h"
#include "core/walker.h"

/* What each format is asked for; @incoherent: it can also serve a machine that doesn't snoop. */
static const struct smoke_row {
	struct config config;
	bool incoherent;
	bool grows;
	u64 ignored;   /* bits that hardware ignores in every entry and the tree uses */
	u64 dirty_bit; /* of a level 0 leaf, 0 if the format doesn't tell */
	u64 leaf;      /* address bits of the item that translates to oa 0x1000 */
} rows[] = {
	{{FORMAT_vtdss, 48, 52, 3, 0, FEATURE_FLUSH_RANGE, 0},
	 true,
	 false,
	 1ull << 10,
	 1ull << 9,
	 0x1000},
	{{FORMAT_x86_64, 48, 52, 3, 0, FEATURE_SIGN_EXTEND | FEATURE_FLUSH_RANGE, 0},
	 true,
	 false,
	 1ull << 9,
	 0,
	 0},
	{{FORMAT_amdv1, 64, 52, 2, 47,
	  FEATURE_GROWING_TOP | FEATURE_FLUSH_RANGE | FEATURE_ENCRYPT_TABLES |
		  FEATURE_FORCE_COHERENCE,
	  0},
	 false,
	 true,
	 0,
	 1ull << 6,
	 0x1000},
	{{FORMAT_riscv_64, 48, 52, 3, 0,
	  FEATURE_SIGN_EXTEND | FEATURE_FLUSH_RANGE | FEATURE_SVNAPOT_64K | FEATURE_DETAILED_GATHER,
	  0},
	 false,
	 false,
	 0,
	 0,
	 0},
	{{FORMAT_amdv1_mock, 56, 51, 4, 0, 0, 0}, false, false, 0, 1ull << 6, 0x2000},
};

/* Closed cases of one map each, at the same offset of iova and oa from their bases. */
static const struct {
	u64 iova, oa, len;
} maps[] = {
	{0x1000, 0x1000, 0x1000},
	{0x10000, 0x7ff10000, 0x10000},
	{0x200000, 0x40000000, 0x200000},
	{0x40000000, 0x80000000, 0x40000000},
	{0x7ffffd000, 0x3ffffd000, 0x406000},
};

struct smoke {
	const struct walker *walker;
	struct host *host;
	const struct smoke_row *row;
	struct walker_table *table;
	struct walker_gather gather;
	sigjmp_buf escape;
	u32 serial;
	int failures;
};

static void smoke_fail(struct smoke *smoke, const char *what, u64 got, u64 want)
{
	printf("%s %s: %s: got 0x%llx, want 0x%llx\n", smoke->walker->name,
	       format_word(smoke->row->config.format), what, got, want);
	smoke->failures++;
}

static void smoke_expect(struct smoke *smoke, const char *what, u64 got, u64 want)
{
	if (got != want)
		smoke_fail(smoke, what, got, want);
	if (smoke->host->warn) {
		printf("warning: %s\n", smoke->host->warn);
		smoke_fail(smoke, what, 1, 0);
	}
	if (smoke->host->faults)
		smoke_fail(smoke, "faults", smoke->host->faults, 0);
	host_begin(smoke->host, ++smoke->serial, 0);
}

static void smoke_unmap(struct smoke *smoke, u64 iova, u64 len)
{
	u64 removed = smoke->walker->unmap(smoke->table, iova, len, &smoke->gather);

	smoke_expect(smoke, "unmap", removed, len);
	smoke_expect(smoke, "gather empty", smoke->gather.empty, 0);
	smoke_expect(smoke, "gather first", smoke->gather.range.first, iova);
	smoke_expect(smoke, "gather last", smoke->gather.range.last, iova + len - 1);
	smoke->walker->sync(smoke->table, &smoke->gather);
	smoke_expect(smoke, "gather after sync", smoke->gather.empty, 1);
	smoke_expect(smoke, "lookup after", smoke->walker->iova_to_phys(smoke->table, iova), 0);
}

static void smoke_map_all(struct smoke *smoke)
{
	const struct walker *walker = smoke->walker;

	for (size_t i = 0; i < ARRAY_NR(maps); i++) {
		u64 mapped = 7;
		int ret = walker->map(smoke->table, maps[i].iova, maps[i].oa, maps[i].len,
				      MAP_PROT_READ | MAP_PROT_WRITE, &mapped);

		smoke_expect(smoke, "map", (u64)ret, 0);
		smoke_expect(smoke, "mapped", mapped, maps[i].len + 7);
		smoke_expect(smoke, "lookup first",
			     walker->iova_to_phys(smoke->table, maps[i].iova), maps[i].oa);
		smoke_expect(smoke, "lookup last",
			     walker->iova_to_phys(smoke->table, maps[i].iova + maps[i].len - 1),
			     maps[i].oa + maps[i].len - 1);
	}
	for (u32 nr = 0; nr < smoke->host->pages_used; nr++)
		if (smoke->host->page[nr].state == HOST_PAGE_LIVE)
			smoke_expect(smoke, "lines to flush", smoke->host->page[nr].needed, 0);
}

/* The leaf of maps[0] becomes dirty in memory, is reported once and is clean after that. */
static void smoke_dirty(struct smoke *smoke)
{
	u64 page_bytes = smoke->row->config.format == FORMAT_amdv1_mock ? 0x800 : 0x1000;
	u8 bitmap[2] = {0, 0xee};
	u64 *items = (u64 *)smoke->host->cpu;
	int ret;

	if (!smoke->row->dirty_bit)
		return;
	for (u64 i = 0; i < (u64)smoke->host->pages_used * HOST_ITEMS; i++)
		if (smoke->host->page[i / HOST_ITEMS].state == HOST_PAGE_LIVE &&
		    (items[i] & 0x7ffffff000) == smoke->row->leaf &&
		    i % HOST_ITEMS == 0x1000 / page_bytes)
			host_device_store(smoke->host, (u32)(i / HOST_ITEMS), (u32)(i % HOST_ITEMS),
					  items[i] | smoke->row->dirty_bit);
	ret = smoke->walker->read_and_clear_dirty(smoke->table, 0, 8 * page_bytes, 0, bitmap,
						  &smoke->gather);
	smoke_expect(smoke, "dirty", (u64)ret, 0);
	smoke_expect(smoke, "dirty bit", bitmap[0] >> (0x1000 / page_bytes) & 1, 1);
	smoke_expect(smoke, "beyond the bitmap", bitmap[1], 0xee);
	smoke_expect(smoke, "gather of dirty", smoke->gather.empty, 0);
	smoke->walker->sync(smoke->table, &smoke->gather);
	bitmap[0] = 0;
	smoke->walker->read_and_clear_dirty(smoke->table, 0, 8 * page_bytes, 0, bitmap,
					    &smoke->gather);
	smoke_expect(smoke, "dirty again", bitmap[0], 0);
}

static void smoke_grow(struct smoke *smoke)
{
	struct walker_info before, after;
	u64 iova = 1ull << 57, mapped = 0;
	int ret;

	if (!smoke->row->grows)
		return;
	smoke->walker->info(smoke->table, &before);
	ret = smoke->walker->map(smoke->table, iova, 0x5000, 0x1000, MAP_PROT_READ, &mapped);
	smoke->walker->info(smoke->table, &after);
	smoke_expect(smoke, "map beyond the top", (u64)ret, 0);
	smoke_expect(smoke, "root mode after growth", after.root_mode, 6);
	smoke_expect(smoke, "the root moved", after.root_pa != before.root_pa, 1);
	smoke_expect(smoke, "old lookup", smoke->walker->iova_to_phys(smoke->table, maps[0].iova),
		     maps[0].oa);
	smoke_unmap(smoke, iova, 0x1000);
}

/* Unmapping into a queued gather keeps no range and frees the tables at the sync. */
static void smoke_queued(struct smoke *smoke)
{
	u32 live;

	smoke->gather = (struct walker_gather){.queued = true, .empty = true};
	smoke->walker->gather_init(smoke->table, &smoke->gather);
	smoke_expect(smoke, "queued unmap",
		     smoke->walker->unmap(smoke->table, maps[0].iova & ~0x1ffffull, 0x1000,
					  &smoke->gather),
		     0);
	smoke_expect(smoke, "queued unmap of an aligned 2 MiB page",
		     smoke->walker->unmap(smoke->table, maps[2].iova, maps[2].len, &smoke->gather),
		     maps[2].len);
	smoke_expect(smoke, "queued gather empty", smoke->gather.empty, 1);
	live = smoke->host->pages_live;
	smoke->walker->sync(smoke->table, &smoke->gather);
	smoke_expect(smoke, "still queued", smoke->gather.queued, 1);
	smoke_expect(smoke, "no page appeared", smoke->host->pages_live <= live, 1);
	smoke->gather = (struct walker_gather){.empty = true};
	smoke->walker->gather_init(smoke->table, &smoke->gather);
}

static void smoke_run(struct smoke *smoke, bool incoherent, void *memory)
{
	struct config config = smoke->row->config;
	struct host_config machine = {
		.tables_pa = 0x7f3f000000, .scatter_lg2 = 3, .coherent = !incoherent, .slow = true};
	struct host_counts *total = &smoke->host->total;

	if (incoherent)
		config.features |= FEATURE_INCOHERENT;
	host_reset(smoke->host, &machine);
	smoke->host->steps_limit = 10000000;
	smoke->host->ignored = smoke->row->ignored;
	smoke->host->escape_to = &smoke->escape;
	host_begin(smoke->host, smoke->serial = 0, 0);
	if (sigsetjmp(smoke->escape, 0)) {
		printf("left: %s\n", smoke->host->escape_text);
		smoke_fail(smoke, "escape", smoke->host->escape, 0);
		return;
	}
	smoke_expect(smoke, "open",
		     (u64)smoke->walker->open(smoke->host, &config, memory, &smoke->table), 0);
	if (!smoke->host->pages_live)
		return;
	smoke->gather = (struct walker_gather){.empty = true};
	smoke->walker->gather_init(smoke->table, &smoke->gather);
	smoke_map_all(smoke);
	if (!incoherent)
		smoke_dirty(smoke);
	smoke_grow(smoke);
	smoke_expect(smoke, "unreported stores", (u64)host_unreported(smoke->host), ~0ull);
	smoke_queued(smoke);
	for (size_t i = 0; i < ARRAY_NR(maps); i++)
		if (i != 2)
			smoke_unmap(smoke, maps[i].iova, maps[i].len);
	smoke->walker->close(smoke->table);
	smoke_expect(smoke, "pages left", smoke->host->pages_live, 0);
	printf("%-12s %-10s %-10s loads %llu stores %llu flushes %llu lines %llu wasted %llu "
	       "allocs %llu frees %llu syncs %llu\n",
	       smoke->walker->name, format_word(config.format),
	       incoherent ? "incoherent" : "coherent", total->loads, total->stores, total->flushes,
	       total->lines_flushed, total->lines_wasted, total->allocs, total->frees,
	       total->syncs);
}

static int smoke_walker(const struct walker *walker, struct host *host)
{
	struct smoke smoke = {.walker = walker, .host = host};
	void *memory = aligned_alloc(64, (walker->table_bytes + 63) / 64 * 64);

	for (size_t i = 0; i < ARRAY_NR(rows); i++) {
		smoke.row = &rows[i];
		if (!(walker->formats & 1u << rows[i].config.format))
			continue;
		smoke_run(&smoke, false, memory);
		if (rows[i].incoherent)
			smoke_run(&smoke, true, memory);
	}
	free(memory);
	return smoke.failures;
}

int main(int argc, char **argv)
{
	struct host *host = host_create(1024);
	int failures = argc < 2;

	for (int i = 1; i < argc; i++) {
		void *object = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
		const struct walker_list *list = object ? dlsym(object, "walkers") : NULL;

		if (!list || list->abi != WALKER_ABI) {
			printf("%s\n", object ? "wrong abi" : dlerror());
			failures++;
			continue;
		}
		printf("%s: %s\n", argv[i], list->origin);
		for (u32 nr = 0; nr < list->nr; nr++)
			failures += smoke_walker(list->walker[nr], host);
	}
	host_destroy(host);
	return failures ? 1 : 0;
}
