/* Walkers for test_differ.c; see differ_walkers.h. */
#include "tests/differ_walkers.h"

#include <errno.h>
#include <string.h>

#include "tests/toy_walker.h"

#define LOOK_MAX 64 /* pages ahead of a map */

static bool is_aligned(const struct walker_table *table, u64 bits)
{
	return bits_aligned(bits, bits_lowest(table->pgsizes));
}

/* Whether a map of legal operands has something in its way; costs nothing, as if an index were kept. */
static bool collides(struct walker_table *table, u64 iova, u64 oa, u64 len, u32 prot)
{
	u64 page = 1ull << bits_lowest(table->pgsizes);
	u64 oa_last = bits_low(table->config.oasz_lg2);
	struct host_counts counts = table->host->op;
	bool found = false;

	if (!len || len / page > LOOK_MAX || !is_aligned(table, iova | oa | len) ||
	    prot != (MAP_PROT_READ | MAP_PROT_WRITE) || oa > oa_last || len - 1 > oa_last - oa ||
	    !toy_legal(table, iova, iova + (len - 1)))
		return false;
	for (u64 at = 0; at < len && !found; at += page)
		found = toy_iova_to_phys(table, iova + at) != 0;
	table->host->op = counts;
	return found;
}

static int other_map(struct walker_table *table, u64 iova, u64 oa, u64 len, u32 prot, u64 *mapped)
{
	int ret;

	if (!table->host->fail_alloc && collides(table, iova, oa, len, prot))
		return -EADDRINUSE;
	ret = toy_map(table, iova, oa, len, prot, mapped);
	return ret == -EINVAL || ret == -ERANGE || ret == -EOVERFLOW ? -ENXIO : ret;
}

/* @len with the whole of its last page, where @iova starts one. */
static u64 whole_pages(const struct walker_table *table, u64 iova, u64 len)
{
	u64 page = 1ull << bits_lowest(table->pgsizes);

	if (!is_aligned(table, iova) || len > LOOK_MAX * page)
		return len;
	return (len + page - 1) & ~(page - 1);
}

static u64 other_unmap(struct walker_table *table, u64 iova, u64 len, struct walker_gather *gather)
{
	return toy_unmap(table, iova, whole_pages(table, iova, len), gather);
}

static int other_dirty(struct walker_table *table, u64 iova, u64 len, u32 flags, u8 *bitmap,
		       struct walker_gather *gather)
{
	return toy_dirty(table, iova, whole_pages(table, iova, len), flags, bitmap, gather);
}

static void sync_twice(struct walker_table *table, struct walker_gather *gather)
{
	if (!gather->empty)
		host_sync(table->host, gather->range.first, gather->range.last, gather->leaf_levels,
			  gather->table_levels);
	toy_sync(table, gather);
}

static int map_middle_read_only(struct walker_table *table, u64 iova, u64 oa, u64 len, u32 prot,
				u64 *mapped)
{
	u64 page = len / 3;

	return toy_map(table, iova, oa, page, prot, mapped) ||
	       toy_map(table, iova + page, oa + page, page, MAP_PROT_READ, mapped) ||
	       toy_map(table, iova + 2 * page, oa + 2 * page, page, prot, mapped);
}

/* What a walker does that replaces one empty table after the other until it meets a leaf. */
static int map_tidies(struct walker_table *table, u64 iova, u64 oa, u64 len, u32 prot, u64 *mapped)
{
	struct walker_gather gather = {.empty = true};
	int ret = toy_map(table, iova, oa, len, prot, mapped);
	u64 large = 0x200000, done = 0;

	if (ret != -EADDRINUSE || *mapped || len <= large ||
	    toy_map(table, iova, oa, large, prot, &done))
		return ret;
	toy_unmap(table, iova, large, &gather);
	toy_sync(table, &gather);
	return ret;
}

struct walker differ_other_choices, differ_tidies, differ_syncs_twice, differ_middle_read_only;

void differ_walkers_init(void)
{
	differ_other_choices = differ_tidies = differ_syncs_twice = differ_middle_read_only =
		toy_walkers[TOY_RIGHT];
	differ_tidies.map = map_tidies;
	differ_other_choices.map = other_map;
	differ_other_choices.unmap = other_unmap;
	differ_other_choices.read_and_clear_dirty = other_dirty;
	differ_syncs_twice.sync = sync_twice;
	differ_middle_read_only.map = map_middle_read_only;
}
