/*
 * The toy walker's unmap, entry by entry from the top; the gather that remembers what was removed until
 * a sync; and the lookup. Pages that wait for a sync are chained through the memory that the machine has
 * beside each table page.
 */
#include "tests/toy_walker.h"

/* Tables that wait, by slot + 1; 0 ends a chain. */
static u32 *chain_next(struct walker_table *t, u32 slot)
{
	return (u32 *)(t->host->private + (u64)slot * HOST_PRIVATE_BYTES);
}

static void chain_push(struct walker_table *t, u64 *chain, u64 *table)
{
	u32 slot = (u32)(((u8 *)table - t->host->cpu) >> HOST_PAGE_LG2);

	*chain_next(t, slot) = (u32)*chain;
	*chain = slot + 1;
}

static void chain_free(struct walker_table *t, u64 *chain)
{
	while (*chain) {
		u32 slot = (u32)*chain - 1;

		*chain = *chain_next(t, slot);
		toy_free(t, (u64 *)(t->host->cpu + ((u64)slot << HOST_PAGE_LG2)));
	}
}

void toy_sync(struct walker_table *t, struct walker_gather *gather)
{
	struct range range = gather->range;

	if (toy_is(t, SYNC_FREES_FIRST))
		chain_free(t, &gather->walker[0]);
	if (toy_is(t, SYNC_WIDE))
		range.last += 1 << 12;
	if (toy_is(t, SYNC_SHORT))
		range.last = range.first | 0xfff;
	if (gather->queued && !toy_is(t, SYNC_FORGOTTEN))
		host_sync_all(t->host);
	else if (!gather->empty && !toy_is(t, SYNC_FORGOTTEN))
		host_sync(t->host, range.first, range.last,
			  toy_is(t, SYNC_LEAF_LEVELS_LOST) ? 0 : gather->leaf_levels,
			  gather->table_levels);
	if (gather->empty && toy_is(t, SYNC_FOR_NOTHING))
		host_sync(t->host, 0, ~0ull, 0, 0);
	chain_free(t, &gather->walker[0]);
	gather->empty = true;
	if (!toy_is(t, LEVELS_KEPT))
		gather->leaf_levels = gather->table_levels = 0;
}

/* What one unmap removed. */
struct removed {
	u64 bytes;
	u64 chain;
	u8 leaf_levels;
	u8 table_levels;
};

static void gather_range(struct walker_table *t, struct walker_gather *gather, struct range range)
{
	bool no_gaps = t->config.features & FEATURE_NO_GAPS && !toy_is(t, GAPS);

	if (toy_is(t, GATHER_NOTHING) || toy_is(t, SYNC_BEFORE_CLEAR) ||
	    toy_is(t, SYNC_BEFORE_FLUSH) || (gather->queued && !toy_is(t, QUEUED_RANGE)))
		return;
	if (toy_is(t, GATHER_SHORT) && range.last - range.first >= 1 << 12)
		range.last -= 1 << 12;
	if (toy_is(t, GATHER_END_EXCLUSIVE))
		range.last++;
	if (!gather->empty && no_gaps && !range_touches(gather->range, range))
		toy_sync(t, gather);
	if (!gather->empty)
		range = range_hull(gather->range, range);
	if (toy_is(t, GATHER_LAST_ONLY))
		range.first = bits_align_down(range.last, 12);
	gather->range = range;
	gather->empty = false;
	host_gather(t->host, range.first, range.last);
}

static void gather_add(struct walker_table *t, struct walker_gather *gather, u64 iova,
		       struct removed *removed)
{
	struct range range = {iova, iova + removed->bytes - 1};

	if (toy_is(t, QUEUED_SYNCS) && gather->queued && removed->bytes)
		host_sync(t->host, range.first, range.last, 0, 0);
	if (toy_is(t, TABLE_FREED_EARLY) || (toy_is(t, QUEUED_FREES) && gather->queued))
		chain_free(t, &removed->chain);
	if (removed->bytes || toy_is(t, GATHER_ODD))
		gather_range(t, gather, range);
	if (!removed->bytes && toy_is(t, GATHER_FOR_NOTHING))
		gather_range(t, gather, (struct range){iova, iova | 0xfff});
	if (!toy_is(t, LEAF_LEVELS_MISSING))
		gather->leaf_levels |= removed->leaf_levels;
	if (!toy_is(t, TABLE_LEVELS_MISSING))
		gather->table_levels |= removed->table_levels;
	if (toy_is(t, LEVELS_OF_TABLES))
		gather->table_levels |= removed->table_levels >> 1;
	while (removed->chain) {
		u32 slot = (u32)removed->chain - 1;

		removed->chain = *chain_next(t, slot);
		chain_push(t, &gather->walker[0], (u64 *)(t->host->cpu + ((u64)slot << 12)));
	}
}

/* The way from the top to an entry: on each level the item that was passed. */
struct path {
	u64 *item[TOY_LEVELS];
	unsigned int level;
	struct toy_entry entry;
};

static void path_find(struct walker_table *t, u64 iova, struct path *path)
{
	u64 *items = t->root;

	path->entry = (struct toy_entry){TOY_EMPTY, 0, 0};
	if (!toy_in_reach(t, iova))
		return;
	for (path->level = t->top;; path->level--) {
		path->item[path->level] = &items[toy_index(t, path->level, iova)];
		path->entry = toy_load(t, path->level, path->item[path->level]);
		if (path->entry.kind != TOY_TABLE)
			return;
		items = host_ptr(t->host, path->entry.oa);
	}
}

/* Clears an item of a leaf. */
static void item_clear(struct walker_table *t, u64 *item, u64 iova)
{
	if (toy_is(t, SYNC_BEFORE_FLUSH)) {
		host_store(t->host, item, 0);
		host_sync(t->host, iova, iova | 0xfff, 0, 0);
		toy_flush(t, item, sizeof(*item));
	} else if (toy_is(t, FLUSH_CLEAR_MISSING))
		host_store(t->host, item, 0);
	else
		toy_put_run(t, item, 0);
	if (toy_is(t, FLUSH_WHOLE_TABLE))
		toy_flush(t, (u8 *)item - ((uintptr_t)item & (HOST_PAGE_BYTES - 1)),
			  HOST_PAGE_BYTES);
}

static void leaf_clear(struct walker_table *t, struct path *path, u64 iova)
{
	unsigned int level;
	u32 nr = toy_items(t, path->entry.size_lg2, &level);
	u64 *item = path->item[level];

	for (u32 i = 0; i < nr; i++) {
		if (toy_is(t, CONTIGUOUS_CLEARS_ONE) && i)
			return;
		item_clear(t, item + i, iova);
	}
	if (toy_is(t, CLEARS_NEIGHBOUR) && toy_index(t, level, iova) + 1 < HOST_ITEMS)
		item_clear(t, item + 1, iova);
}

/* Tables below which nothing is left go with their last leaf, if all they span is unmapped. */
static void tables_remove(struct walker_table *t, struct path *path, struct range request, u64 last,
			  struct removed *removed)
{
	for (unsigned int level = path->level + 1; level <= t->top; level++) {
		u64 span = bits_low(toy_item_lg2(t, level));
		struct toy_entry entry;

		bool covered = (last & span) == span && (last & ~span) >= request.first &&
			       last <= request.last;

		if (!covered && !toy_is(t, TABLE_REMOVED_EARLY))
			return;
		entry = toy_load(t, level, path->item[level]);
		if (toy_is(t, TABLE_REMOVED_EARLY))
			covered = toy_is_empty(t, level - 1, host_ptr(t->host, entry.oa));
		if (!covered || toy_is(t, TABLE_KEPT))
			return;
		if (toy_is(t, FLUSH_CLEAR_MISSING))
			host_store(t->host, path->item[level], 0);
		else if (!toy_is(t, FREED_WHILE_REACHABLE))
			toy_put(t, path->item[level], 0);
		if (!toy_is(t, TABLE_FORGOTTEN))
			chain_push(t, &removed->chain, host_ptr(t->host, entry.oa));
		removed->table_levels |= (u8)(1u << level);
	}
}

/* The way to what follows the entry to which @path leads: mostly its neighbour. */
static void path_next(struct walker_table *t, u64 iova, struct path *path)
{
	u32 index = toy_index(t, path->level, iova);

	if (path->entry.kind == TOY_LEAF && index && !toy_is(t, UNMAP_REWALKS)) {
		path->item[path->level] = toy_table_of(t, path->item[path->level]) + index;
		path->entry = toy_load(t, path->level, path->item[path->level]);
		if (path->entry.kind == TOY_LEAF)
			return;
	}
	path_find(t, iova, path);
}

/* Removes the entry that starts at @iova. Returns its bytes, or 0. */
static u64 entry_remove(struct walker_table *t, u64 iova, struct range request, struct path *way,
			struct removed *removed)
{
	struct path path;
	u64 bytes;

	path_next(t, iova, way);
	path = *way;
	if (path.entry.kind != TOY_LEAF)
		return 0;
	bytes = 1ull << path.entry.size_lg2;
	if (iova & (bytes - 1)) {
		if (!toy_is(t, UNMAP_FROM_INSIDE))
			return 0;
		iova &= ~(bytes - 1);
	}
	if (toy_is(t, UNMAP_STOPS_AT_LARGE) && iova + bytes - 1 > request.last)
		return 0;
	if (!toy_is(t, LEAF_KEPT) || iova + bytes <= request.last)
		leaf_clear(t, &path, iova);
	toy_run_work(t, path.level, path.item[path.level]);
	removed->leaf_levels |= (u8)(1u << path.level);
	tables_remove(t, &path, request, iova + (bytes - 1), removed);
	return bytes;
}

u64 toy_unmap(struct walker_table *t, u64 iova, u64 len, struct walker_gather *gather)
{
	u64 granule = t->pgsizes & -t->pgsizes;
	struct range request = {iova, iova + len - 1};
	struct removed removed = {0};
	struct path way = {.entry = {TOY_EMPTY, 0, 0}};

	if (!len || (iova | len) & (granule - 1))
		return 0;
	if (!toy_legal(t, request.first, request.last) && !toy_is(t, UNMAP_BEYOND))
		return 0;
	if (toy_is(t, UNMAP_REFUSES))
		return 0;
	if (toy_is(t, SYNC_BEFORE_CLEAR))
		host_sync(t->host, request.first, request.last, 0, 0);
	while (removed.bytes < len) {
		u64 bytes = entry_remove(t, iova + removed.bytes, request, &way, &removed);

		removed.bytes += bytes;
		if (!bytes || !(iova + removed.bytes))
			break;
	}
	toy_flush_run(t);
	gather_add(t, gather, iova, &removed);
	if (toy_is(t, UNMAP_SAYS_LEN) && removed.bytes)
		return len;
	return removed.bytes;
}

/* Mistakes of a lookup that found a leaf. */
static void lookup_misbehave(struct walker_table *t, struct path *path)
{
	if (toy_is(t, UNREPORTED_STORE) || toy_is(t, UNREPORTED_UNSNOOPED))
		*path->item[path->level] |= 1ull << 9;
	t->last_table = path->item[path->level];
}

u64 toy_iova_to_phys(struct walker_table *t, u64 iova)
{
	struct path path;
	u64 offset;

	while (toy_is(t, ENDLESS))
		host_load(t->host, t->root);
	if (toy_is(t, LOOKUP_READS_TABLE))
		toy_read_table(t, t->root);
	if (toy_is(t, LOAD_FREED) && t->last_table)
		host_load(t->host, t->last_table);
	if (toy_is(t, FOLLOWS_WILD))
		host_ptr(t->host, iova);
	if (!toy_legal(t, iova, iova) && !toy_is(t, LOOKUP_BEYOND))
		return 0;
	path_find(t, iova, &path);
	if (path.entry.kind != TOY_LEAF)
		return toy_is(t, LOOKUP_GARBAGE) ? iova : 0;
	lookup_misbehave(t, &path);
	if (toy_is(t, LOOKUP_LARGE_LOST) && path.level)
		return 0;
	offset = iova & bits_low(path.entry.size_lg2);
	return path.entry.oa + (toy_is(t, LOOKUP_NO_OFFSET) ? 0 : offset);
}
