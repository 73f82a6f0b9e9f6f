/*
 * The toy walker's map: leaf by leaf from the top, each of the largest size that fits. Tables that are
 * missing are made on the way; empty ones in the way of a leaf are replaced by it.
 */
#include "tests/toy_walker.h"

#include <errno.h>

static int map_check(const struct walker_table *t, u64 iova, u64 oa, u64 len, u32 prot)
{
	u64 granule = t->pgsizes & -t->pgsizes;
	u64 last = iova + len - 1;
	u64 oa_last = bits_low(t->config.oasz_lg2);

	if (!len)
		return toy_is(t, ACCEPTS_LEN_0) ? 0 : -EINVAL;
	if (!(prot & (MAP_PROT_READ | MAP_PROT_WRITE)) && !toy_is(t, ACCEPTS_PROT_NONE))
		return -EINVAL;
	if (t->config.features & FEATURE_FORCE_WRITEABLE && !(prot & MAP_PROT_WRITE) &&
	    !toy_is(t, ACCEPTS_READ_ONLY))
		return -EOPNOTSUPP;
	if (last < iova)
		return toy_is(t, ACCEPTS_WRAP) ? 0 : -EOVERFLOW;
	if (!toy_legal(t, iova, last) && !toy_is(t, ACCEPTS_IOVA_RANGE))
		return -ERANGE;
	if (toy_is(t, REFUSES_LAST_PAGE) && last == bits_low(t->config.vasz_lg2))
		return -ERANGE;
	if ((oa > oa_last || len - 1 > oa_last - oa) && !toy_is(t, ACCEPTS_OA_RANGE))
		return -ERANGE;
	if ((iova | oa | len) & (granule - 1) && !toy_is(t, ACCEPTS_UNALIGNED))
		return -EINVAL;
	return 0;
}

static int map_refuse(struct walker_table *t, int error)
{
	if (toy_is(t, REFUSES_WITH_EADDRINUSE))
		return -EADDRINUSE;
	if (toy_is(t, REFUSED_KEEPS_TABLE))
		toy_alloc(t);
	if (toy_is(t, REFUSED_STILL_FLUSHES))
		toy_flush(t, t->root, HOST_PAGE_BYTES);
	return error;
}

/* Mistakes that need no more of a map than that it is called. */
static void map_misbehave(struct walker_table *t)
{
	static volatile const uintptr_t nowhere = 16;

	if (toy_is(t, WARNS))
		host_warn(t->host, "toy");
	if (toy_is(t, TRAPS))
		__builtin_trap();
	if (toy_is(t, READS_NOWHERE))
		(void)*(volatile u8 *)nowhere;
	if (toy_is(t, RECURSES))
		toy_recurse(t, 0);
	if (toy_is(t, DMA_API))
		host_fault(t->host, HOST_FAULT_DMA_API, 0);
	if (toy_is(t, FLUSH_NOTHING))
		host_flush(t->host, t->root, 0);
	if (toy_is(t, FLUSH_FOREIGN))
		host_flush(t->host, t, 8);
}

/* Stores the item of a leaf. */
static void leaf_put(struct walker_table *t, u64 *item, u64 word)
{
	if (toy_is(t, FLUSH_LEAF_MISSING))
		host_store(t->host, item, word);
	else
		toy_put_run(t, item, word);
}

bool toy_is_empty(struct walker_table *t, unsigned int level, u64 *items)
{
	for (u32 i = 0; i < HOST_ITEMS; i++) {
		struct toy_entry entry = toy_load(t, level, &items[i]);

		if (entry.kind == TOY_LEAF)
			return false;
		if (entry.kind == TOY_TABLE &&
		    !toy_is_empty(t, level - 1, host_ptr(t->host, entry.oa)))
			return false;
	}
	return true;
}

static bool item_is_free(struct walker_table *t, unsigned int level, u64 *item)
{
	struct toy_entry entry = toy_load(t, level, item);

	switch (entry.kind) {
	case TOY_EMPTY:
		return true;
	case TOY_LEAF:
		return toy_is(t, OVERWRITES_LEAF);
	case TOY_TABLE:
		if (toy_is(t, EMPTY_TABLE_COLLIDES))
			return false;
		return toy_is(t, REPLACES_FULL_TABLE) ||
		       toy_is_empty(t, level - 1, host_ptr(t->host, entry.oa));
	}
	return false;
}

/*
 * Levels of the entries that lead to tables in the table @items and below it. The items were all loaded
 * a moment ago, to see that they are empty: this goes by what was seen then.
 */
static u8 levels_below(struct walker_table *t, unsigned int level, const u64 *items)
{
	u8 levels = 0;

	for (u32 i = 0; level && i < HOST_ITEMS; i++) {
		struct toy_entry entry = t->format->read(t, level, items[i]);

		if (entry.kind == TOY_TABLE)
			levels |= (u8)(1u << level) |
				  levels_below(t, level - 1, host_ptr(t->host, entry.oa));
	}
	return levels;
}

/* The table that @was led to is replaced: the device must forget it before it is freed. */
static void table_retire(struct walker_table *t, unsigned int level, u64 iova, struct toy_entry was)
{
	u64 first = bits_align_down(iova, toy_item_lg2(t, level));
	u64 *items = host_ptr(t->host, was.oa);
	u8 levels = (u8)(1u << level);

	if (t->config.features & FEATURE_DETAILED_GATHER && !toy_is(t, REPLACED_LEVELS_MISSING))
		levels |= levels_below(t, level - 1, items);
	if (toy_is(t, REPLACED_FREED_EARLY))
		toy_free_tree(t, level - 1, items);
	if (!toy_is(t, REPLACED_UNSYNCED))
		host_sync(t->host, first, first + bits_low(toy_item_lg2(t, level)), 0, levels);
	if (!toy_is(t, REPLACED_FREED_EARLY) && !toy_is(t, REPLACED_LEAKED))
		toy_free_tree(t, level - 1, items);
}

/* Mistakes that nothing shows once the map has returned. */
static void leaf_misbehave(struct walker_table *t, u64 *item, unsigned int size_lg2, u64 oa,
			   u32 prot)
{
	if (toy_is(t, STORES_TWICE))
		toy_put(t, item, t->format->leaf(t, size_lg2, 0, prot));
	if (toy_is(t, READ_ONLY_AT_FIRST))
		toy_put(t, item, t->format->leaf(t, size_lg2, oa, MAP_PROT_READ));
	if (toy_is(t, TRIES_AGAIN) && !host_load(t->host, item + 1)) {
		toy_put(t, item + 1, t->format->leaf(t, size_lg2, oa, prot));
		toy_put(t, item + 1, 0);
	}
}

static int leaf_write(struct walker_table *t, u64 *items, u64 iova, u64 oa, unsigned int size_lg2,
		      u32 prot)
{
	unsigned int level;
	u32 nr = toy_items(t, size_lg2, &level);
	u64 *item = &items[toy_index(t, level, iova)];

	for (u32 i = 0; i < nr; i++)
		if (!item_is_free(t, level, &item[i]))
			return -EADDRINUSE;
	for (u32 i = 0; i < nr; i++) {
		struct toy_entry was = toy_load(t, level, &item[i]);
		bool own = t->format->own_oa && !toy_is(t, ITEMS_SAME_OA);
		u64 at = own ? oa + ((u64)i << toy_item_lg2(t, level)) : oa;
		u64 word = t->format->leaf(t, size_lg2, at, prot);

		if (toy_is(t, CONTIGUOUS_ONE_ITEM) && i)
			break;
		leaf_misbehave(t, &item[i], size_lg2, at, prot);
		if (toy_is(t, REPLACED_UNFLUSHED))
			host_store(t->host, &item[i], word);
		else
			leaf_put(t, &item[i], word);
		if (was.kind == TOY_TABLE && !toy_is(t, REPLACED_UNFLUSHED))
			toy_flush_run(t);
		if (was.kind == TOY_TABLE)
			table_retire(t, level, iova + ((u64)i << toy_item_lg2(t, level)), was);
		if (toy_is(t, REPLACED_UNFLUSHED))
			toy_flush(t, &item[i], sizeof(*item));
	}
	toy_run_work(t, level, item);
	return 0;
}

/* A new table below @item of @level, complete before it can be reached. NULL: no memory. */
static u64 *table_make(struct walker_table *t, unsigned int level, u64 *item)
{
	u64 *items = toy_alloc(t);
	u64 pa;

	for (int i = 0; toy_is(t, EATS_TABLES) && i < 4; i++)
		toy_alloc(t);
	if (toy_is(t, ALLOCATES_SPARE))
		toy_free(t, toy_alloc(t));
	if (!items && toy_is(t, MAP_RETRIES))
		items = toy_alloc(t);
	if (!items && !toy_is(t, USES_NO_TABLE))
		return NULL;
	if (!toy_is(t, PUBLISH_UNFLUSHED))
		toy_flush(t, items, HOST_PAGE_BYTES);
	pa = host_pa(t->host, items);
	if (toy_is(t, LINKS_FREED) && t->freed)
		pa = host_pa(t->host, t->freed);
	if (toy_is(t, LINKS_WILD))
		pa += 1ull << 32;
	toy_put(t, item, t->format->table(t, level, pa));
	if (toy_is(t, LINKS_TWICE))
		toy_put(t, item + 1, t->format->table(t, level, pa));
	if (toy_is(t, PUBLISH_UNFLUSHED))
		toy_flush(t, items, HOST_PAGE_BYTES);
	return items;
}

static int leaf_map(struct walker_table *t, u64 iova, u64 oa, unsigned int size_lg2, u32 prot)
{
	unsigned int level = t->top, target;
	u64 *items = t->root;

	toy_items(t, size_lg2, &target);
	if (toy_run_find(t, target, iova))
		return leaf_write(t, t->run, iova, oa, size_lg2, prot);
	for (; level > target; level--) {
		u64 *item = &items[toy_index(t, level, iova)];
		struct toy_entry entry = toy_load(t, level, item);

		if (entry.kind == TOY_LEAF)
			return -EADDRINUSE;
		if (entry.kind == TOY_TABLE)
			items = host_ptr(t->host, entry.oa);
		else
			items = table_make(t, level, item);
		if (!items)
			return -ENOMEM;
	}
	t->run = items;
	t->run_level = target;
	t->run_iova = iova;
	return leaf_write(t, items, iova, oa, size_lg2, prot);
}

/* One more level on top of the root, which it leads to before the device is told of it. */
static int top_grow(struct walker_table *t)
{
	unsigned int level = t->top + 1;
	u64 *items = toy_alloc(t);

	if (!items)
		return -ENOMEM;
	if (!toy_is(t, GROW_LOSES_ROOT))
		host_store(t->host, items, t->format->table(t, level, host_pa(t->host, t->root)));
	if (!toy_is(t, GROW_UNFLUSHED))
		toy_flush(t, items, HOST_PAGE_BYTES);
	t->root = items;
	t->top = level;
	if (!toy_is(t, GROW_FORGETS_DRIVER))
		host_change_top(t->host, host_pa(t->host, items),
				level + toy_is(t, GROW_WRONG_LEVEL));
	if (toy_is(t, GROW_UNFLUSHED))
		toy_flush(t, items, HOST_PAGE_BYTES);
	return 0;
}

/* Whether a leaf at @iova has a place under the root. */
static bool top_is_enough(const struct walker_table *t, u64 iova, unsigned int size_lg2)
{
	unsigned int level;

	if (!(t->config.features & FEATURE_GROWING_TOP))
		return true;
	toy_items(t, size_lg2, &level);
	return toy_in_reach(t, iova) && level <= t->top;
}

/* The largest allowed size to which both addresses are aligned and that is not longer than @len. */
static unsigned int best_size(const struct walker_table *t, u64 iova, u64 oa, u64 len)
{
	u64 align = iova | oa;
	u64 sizes = t->pgsizes;

	if (toy_is(t, SMALL_PAGES))
		sizes &= -sizes;
	if (toy_is(t, PGSIZES_IGNORED))
		sizes = bits_field(12, 12) | bits_field(21, 21) | bits_field(30, 30);
	if (toy_is(t, OA_ALIGNMENT_IGNORED))
		align = iova;
	if (toy_is(t, TOO_LARGE_LEAF) && len > 1 << 20)
		len += 1 << 20;
	if (align)
		sizes &= bits_low(bits_lowest(align) + 1);
	sizes &= bits_low(bits_highest(len) + 1);
	return sizes ? bits_highest(sizes) : bits_lowest(t->pgsizes);
}

/* Mistakes of a map that is about to return. */
static int map_end(struct walker_table *t, int ret, u64 iova, u64 oa, u64 len, u64 *mapped)
{
	if (!ret || !toy_is(t, FLUSH_ERROR_MISSING))
		toy_flush_run(t);
	t->dirty_nr = 0;
	if (ret == -ENOMEM && toy_is(t, ENOMEM_SWALLOWED))
		return 0;
	if (ret == -ENOMEM && toy_is(t, ENOMEM_IS_EINVAL))
		return -EINVAL;
	if (!ret) {
		*mapped -= toy_is(t, MAPPED_SHORT) ? 1 << 12 : 0;
		return toy_is(t, FAILS_WITH_ENOMEM) ? -ENOMEM : 0;
	}
	if (toy_is(t, FLUSH_ERROR_NOTHING) && !*mapped)
		host_flush(t->host, t->root, 0);
	if (toy_is(t, FLUSH_ERROR_WASTED))
		toy_flush(t, t->root, 64);
	if (toy_is(t, LEAK_ON_ERROR))
		toy_alloc(t);
	if (toy_is(t, MAPPED_TOO_FAR))
		*mapped += 1ull << best_size(t, iova, oa, len);
	if (toy_is(t, MAPPED_INSIDE_LEAF))
		*mapped += 1 << 12;
	if (toy_is(t, MAPPED_NOTHING))
		*mapped = 0;
	if (toy_is(t, COLLISION_EINVAL))
		return -EINVAL;
	if (toy_is(t, COLLISION_SUCCESS))
		*mapped += len;
	return toy_is(t, COLLISION_SUCCESS) || toy_is(t, OVERWRITES_LEAF) ? 0 : ret;
}

int toy_map(struct walker_table *t, u64 iova, u64 oa, u64 len, u32 prot, u64 *mapped)
{
	int ret = map_check(t, iova, oa, len, prot);

	if (ret)
		return map_refuse(t, ret);
	map_misbehave(t);
	t->run = NULL;
	while (!ret && len) {
		unsigned int size_lg2 = best_size(t, iova, oa, len);
		u64 bytes = 1ull << size_lg2;

		if (toy_is(t, LAST_PAGE_LOST) && bytes >= len && *mapped) {
			*mapped += len;
			break;
		}
		while (!ret && !top_is_enough(t, iova, size_lg2))
			ret = top_grow(t);
		if (ret)
			break;
		ret = leaf_map(t, iova, toy_is(t, WRONG_OA) ? oa ^ bytes : oa, size_lg2, prot);
		if (ret)
			break;
		bytes = bytes < len ? bytes : len;
		*mapped += bytes;
		iova += bytes;
		oa += bytes;
		len -= bytes;
	}
	return map_end(t, ret, iova, oa, len, mapped);
}
