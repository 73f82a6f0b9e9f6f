/*
 * Mapping: from the top down, with leaves of the greatest size that fits, as far as there is room. Source:
 * docs/contract.md, "map" and "Cache lines".
 *
 * A table that is missing is made, filled and, on a machine that doesn't snoop, flushed as a whole before
 * an entry leads to it: it is complete when it can be seen, each of its lines is flushed once, and what
 * can't be completed is never seen. So do the tables on top of a growing top.
 */
#include "core/native/table.h"

#include <errno.h>

/**
 * struct map - a map on its way
 * @iova, @oa, @len: what is left of it
 * @leaf_lg2, @leaf: what leaf() said last
 * @gather: tables that were empty and in the way
 */
struct map {
	struct walker_table *table;
	u64 iova;
	u64 oa;
	u64 len;
	u32 prot;
	u32 leaf_lg2;
	u64 leaf;
	struct lines lines;
	struct walker_gather gather;
};

static int table_map(struct map *map, unsigned int level, u64 *items, bool fresh);

static int map_check(const struct walker_table *table, u64 iova, u64 oa, u64 len, u32 prot)
{
	u64 oa_last = bits_low(table->config.oasz_lg2);
	struct range range;

	if (!len || !(prot & (MAP_PROT_READ | MAP_PROT_WRITE)))
		return -EINVAL;
	if (table->config.features & FEATURE_FORCE_WRITEABLE && !(prot & MAP_PROT_WRITE))
		return -EOPNOTSUPP;
	if (!range_make(&range, iova, len))
		return -EOVERFLOW;
	if (!table_legal(table, range.first, range.last) || oa > oa_last || len - 1 > oa_last - oa)
		return -ERANGE;
	if (!bits_aligned(iova | oa | len, bits_lowest(table->pgsizes)))
		return -EINVAL;
	return 0;
}

/* All bits up to and with the lowest one of @word; all 64 when there is none. */
static u64 up_to_lowest(u64 word)
{
	return word ^ (word - 1);
}

/* The greatest allowed size that fits what is left. */
static unsigned int best_lg2(const struct map *map)
{
	return bits_highest(map->table->pgsizes & up_to_lowest(map->iova | map->oa) &
			    bits_low(bits_highest(map->len) + 1));
}

/* How many leaves of this, the best size follow each other in one table of @level. */
static u64 leaves_nr(const struct map *map, unsigned int level, unsigned int lg2)
{
	u64 larger = map->table->pgsizes & ~bits_low(lg2 + 1) & up_to_lowest(map->iova ^ map->oa);
	u64 span = table_span(map->table, level);
	u64 room = span - (map->iova & span); /* and one byte */
	u64 bytes = map->len - 1 < room ? map->len : room + 1;

	if (larger) {
		u64 size = larger & -larger;
		u64 distance = size - (map->iova & (size - 1));

		if (distance < map->len && map->len - distance >= size && distance < bytes)
			bytes = distance;
	}
	return bytes >> lg2;
}

/* ---- tables in the way of leaves ---- */

/* Whether no leaf is in the table @items of @level or below it. */
static bool is_unused(struct walker_table *table, unsigned int level, u64 *items)
{
	for (u32 i = 0; i < HOST_ITEMS; i++) {
		u64 word = host_load(table->host, &items[i]);

		if (entry_is_empty(table, level, word))
			continue;
		if (!entry_is_table(table, level, word) ||
		    !is_unused(table, level - 1, entry_child(table, word)))
			return false;
	}
	return true;
}

/* Removes the table @items and all below it, to which an entry of @level led. */
static void tree_remove(struct walker_table *table, unsigned int level, u64 *items,
			struct removed *removed)
{
	for (u32 i = 0; level > 1 && i < HOST_ITEMS; i++) {
		u64 word = host_load(table->host, &items[i]);

		if (!entry_is_empty(table, level - 1, word))
			tree_remove(table, level - 1, entry_child(table, word), removed);
	}
	removed_table(table, removed, level, items);
}

/* Clears the entry at @item, which led to an unused table. */
static void table_retire(struct map *map, unsigned int level, u64 *item, u64 iova)
{
	struct walker_table *table = map->table;
	u64 word = host_load(table->host, item);
	struct range range = {iova, iova + bits_low(table->item_lg2[level])};
	struct removed removed = {0};

	tree_remove(table, level, entry_child(table, word), &removed);
	host_store(table->host, item, 0);
	lines_later(table, &map->lines, level, item, item);
	/* Adding to the gather may sync what is in it: that must have been flushed. */
	if (!map->gather.empty && table->config.features & FEATURE_NO_GAPS)
		lines_flush(table, &map->lines);
	gather_add(table, &map->gather, range, &removed);
}

/*
 * Makes room for a leaf at the @nr items from @item on, which may lead to tables that are not used.
 * @first: the items from there up to @item are leaves that don't wait to be flushed yet; if anything is
 * removed they do on return. Returns 0 or -EADDRINUSE, and then nothing has changed.
 */
static int items_vacate(struct map *map, unsigned int level, u64 **first, u64 *item, u32 nr)
{
	struct walker_table *table = map->table;
	u64 bytes = 1ull << table->item_lg2[level];
	u64 full[HOST_ITEMS / 64] = {0};
	bool any = false;

	for (u32 i = 0; i < nr; i++) {
		u64 word = host_load(table->host, &item[i]);

		if (likely(entry_is_empty(table, level, word)))
			continue;
		if (!entry_is_table(table, level, word) ||
		    !is_unused(table, level - 1, entry_child(table, word)))
			return -EADDRINUSE;
		full[i / 64] |= 1ull << i % 64;
		any = true;
	}
	if (any && *first != item)
		lines_later(table, &map->lines, level, *first, item - 1);
	if (any)
		*first = item;
	for (u32 i = 0; any && i < nr; i++)
		if (full[i / 64] >> i % 64 & 1)
			table_retire(map, level, &item[i], map->iova + i * bytes);
	if (any && table->format->break_first) {
		lines_flush(table, &map->lines);
		native_sync(table, &map->gather);
	}
	return 0;
}

/* ---- leaves ---- */

static bool item_is_empty(const struct map *map, unsigned int level, const u64 *item)
{
	return entry_is_empty(map->table, level, host_load(map->table->host, item));
}

static u64 leaf_word(struct map *map, unsigned int level, unsigned int lg2)
{
	const struct walker_table *table = map->table;

	if (map->leaf_lg2 != lg2) {
		map->leaf =
			table->format->leaf(&table->config, &table->words, level, lg2, map->prot);
		map->leaf_lg2 = lg2;
	}
	return map->leaf + entry_place(table, map->oa);
}

/* Maps leaves of 2^lg2 bytes at @item of a table of @level, as many as follow each other. */
static int leaves_map(struct map *map, unsigned int level, u64 *item, unsigned int lg2, bool fresh)
{
	struct walker_table *table = map->table;
	u32 items_nr = 1u << (lg2 - table->item_lg2[level]);
	u64 step =
		entry_place(table, 1ull << (table->format->own_oa ? table->item_lg2[level] : lg2));
	u64 word = leaf_word(map, level, lg2);
	u64 nr = leaves_nr(map, level, lg2);
	u64 *first = item;
	int ret = 0;

	for (; nr; nr--) {
		if (!fresh && (items_nr > 1 || !item_is_empty(map, level, item)))
			ret = items_vacate(map, level, &first, item, items_nr);
		if (ret)
			break;
		for (u32 i = 0; i < items_nr; i++) {
			host_store(table->host, item++, word);
			word += table->format->own_oa ? step : 0;
		}
		word += table->format->own_oa ? 0 : step;
		map->iova += 1ull << lg2;
		map->oa += 1ull << lg2;
		map->len -= 1ull << lg2;
	}
	if (!fresh && item != first)
		lines_later(table, &map->lines, level, first, item - 1);
	return ret;
}

/* ---- tables ---- */

/*
 * Makes the table to which @item of a table of @level is to lead, and maps what belongs there. @fresh:
 * nothing leads to the table of @item yet.
 */
static int child_make(struct map *map, unsigned int level, u64 *item, bool fresh)
{
	struct walker_table *table = map->table;
	u64 *child = host_alloc(table->host, HOST_PAGE_BYTES);
	u64 before = map->len;
	int ret;

	if (!child)
		return -ENOMEM;
	ret = table_map(map, level - 1, child, true);
	if (map->len == before) {
		host_free(table->host, child);
		return ret;
	}
	table_flush(table, child);
	host_store(table->host, item,
		   table->words.level[level].table_bits |
			   entry_place(table, host_pa(table->host, child)));
	if (!fresh)
		lines_later(table, &map->lines, level, item, item);
	return ret;
}

/* Maps what of the rest belongs below @item of a table of @level. */
static int child_map(struct map *map, unsigned int level, u64 *item, bool fresh)
{
	struct walker_table *table = map->table;
	u64 word = fresh ? 0 : host_load(table->host, item);

	if (entry_is_empty(table, level, word))
		return child_make(map, level, item, fresh);
	if (!entry_is_table(table, level, word))
		return -EADDRINUSE;
	return table_map(map, level - 1, entry_child(table, word), false);
}

/* Maps what of the rest belongs into the table @items of @level. @fresh: nothing leads to it yet. */
static int table_map(struct map *map, unsigned int level, u64 *items, bool fresh)
{
	struct walker_table *table = map->table;
	int ret;

	do {
		unsigned int lg2 = best_lg2(map);
		u64 *item = &items[table_index(table, level, map->iova)];

		if (lg2 >= table->item_lg2[level])
			ret = leaves_map(map, level, item, lg2, fresh);
		else
			ret = child_map(map, level, item, fresh);
	} while (!ret && map->len && map->iova & table_span(table, level));
	return ret;
}

/* ---- the growing top ---- */

/* Whether all of the rest has a place under a top of @level. */
static bool top_suffices(const struct map *map, unsigned int level)
{
	return map->iova + (map->len - 1) <= table_span(map->table, level) &&
	       best_lg2(map) <= bits_highest(table_span(map->table, level));
}

/*
 * Stacks tables on the top until the rest has a place. The device learns of them when all of them are
 * complete.
 */
static int top_grow(struct map *map)
{
	struct walker_table *table = map->table;
	u64 *stacked[NATIVE_LEVELS];
	unsigned int top = table->top, nr = 0;
	u64 *below = table->root;

	for (; !top_suffices(map, top); nr++) {
		u64 *items = host_alloc(table->host, HOST_PAGE_BYTES);

		if (!items) {
			while (nr)
				host_free(table->host, stacked[--nr]);
			return -ENOMEM;
		}
		top++;
		host_store(table->host, items,
			   table->words.level[top].table_bits |
				   entry_place(table, host_pa(table->host, below)));
		table_flush(table, items);
		stacked[nr] = below = items;
	}
	if (nr) {
		table->root = below;
		table->top = (u8)top;
		host_change_top(table->host, host_pa(table->host, below), top);
	}
	return 0;
}

int native_map(struct walker_table *table, u64 iova, u64 oa, u64 len, u32 prot, u64 *mapped)
{
	int ret = map_check(table, iova, oa, len, prot);
	struct map map;

	if (ret)
		return ret;
	map.table = table;
	map.iova = iova;
	map.oa = oa;
	map.len = len;
	map.prot = prot;
	map.leaf_lg2 = 0;
	map.gather.queued = false;
	native_gather_init(table, &map.gather);
	lines_init(table, &map.lines);
	if (table->config.features & FEATURE_GROWING_TOP)
		ret = top_grow(&map);
	if (!ret)
		ret = table_map(&map, table->top, table->root, false);
	lines_flush(table, &map.lines);
	if (!map.gather.empty)
		native_sync(table, &map.gather);
	*mapped += len - map.len;
	return ret;
}
