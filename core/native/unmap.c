/*
 * Unmapping: entries are removed from iova on, in order, until the range is done or something isn't
 * mapped. Source: docs/contract.md, "unmap" and "Cache lines".
 *
 * A table that the range covers whole is expected to go whole: its entries are read, to see that nothing
 * is missing, and not written; the entry that leads to it is cleared instead. Only where the expectation
 * was wrong are those that were passed cleared one by one.
 */
#include "core/native/table.h"

/**
 * struct unmap - an unmap on its way
 * @iova: how far it has come; what is before is gone, apart from what is expected to go whole
 * @request: the range asked for
 * @stopped: something isn't mapped, or starts before the range
 */
struct unmap {
	struct walker_table *table;
	u64 iova;
	struct range request;
	bool stopped;
	struct removed removed;
	struct lines lines;
};

/* Whether the last byte of the request is gone; the iova after the last of all is 0. */
static bool is_done(const struct unmap *unmap)
{
	return unmap->stopped || unmap->iova - 1 >= unmap->request.last;
}

/* Clears the items from @first up to, not including, @end. */
static void items_clear(struct unmap *unmap, unsigned int level, u64 *first, u64 *end)
{
	if (first == end)
		return;
	for (u64 *item = first; item < end; item++)
		host_store(unmap->table->host, item, 0);
	lines_later(unmap->table, &unmap->lines, level, first, end - 1);
}

static bool table_unmap(struct unmap *unmap, unsigned int level, u64 *items, bool whole);

/* Goes through the table to which the entry @word of @level leads. Returns whether that table is removed. */
static bool child_unmap(struct unmap *unmap, unsigned int level, u64 word)
{
	u64 span = table_span(unmap->table, level - 1);
	u64 *child = entry_child(unmap->table, word);
	bool whole = !(unmap->iova & span) && unmap->request.last - unmap->iova >= span;

	if (!table_unmap(unmap, level - 1, child, whole) || !whole)
		return false;
	removed_table(unmap->table, &unmap->removed, level, child);
	return true;
}

/* Goes past the leaf @word of @level. Returns how many items it has, or 0 when it must stay. */
static u32 leaf_unmap(struct unmap *unmap, unsigned int level, u64 word)
{
	unsigned int lg2 = entry_lg2(unmap->table, level, word);

	unmap->stopped = unmap->iova & bits_low(lg2);
	if (unmap->stopped)
		return 0;
	unmap->removed.leaf_levels |= (u8)(1u << level);
	unmap->iova += 1ull << lg2;
	return 1u << (lg2 - unmap->table->item_lg2[level]);
}

/* How many items from unmap->iova on are in a table of @level and in the range. */
static u32 items_left(const struct unmap *unmap, unsigned int level)
{
	unsigned int lg2 = unmap->table->item_lg2[level];
	u64 span = table_span(unmap->table, level);
	u64 in_table = (span - (unmap->iova & span)) >> lg2;
	u64 in_range = (unmap->request.last - unmap->iova) >> lg2;

	return (u32)(in_table < in_range ? in_table : in_range) + 1;
}

/*
 * Goes past the leaves of one item from @item of @level on, as most are. Returns how many there were;
 * unless they led to the end of the table or of the range, @word is the entry behind them.
 */
static u32 singles_unmap(struct unmap *unmap, unsigned int level, const u64 *item, u64 *word)
{
	const struct native_level at = unmap->table->words.level[level];
	unsigned int lg2 = unmap->table->item_lg2[level];
	bool inside = unmap->iova & bits_low(lg2);
	u32 most = inside ? 1 : items_left(unmap, level);
	struct host *host = unmap->table->host;
	u32 nr = 0;

	do {
		*word = host_load(host, &item[nr]);
		if (!(*word & at.present) || (*word & at.table_mask) == at.table_value ||
		    (*word & at.several_mask) == at.several_value)
			break;
	} while (++nr < most);
	unmap->stopped = nr && inside;
	if (!nr || inside)
		return 0;
	unmap->removed.leaf_levels |= (u8)(1u << level);
	unmap->iova += (u64)nr << lg2;
	return nr;
}

/* Whether everything up to the end of the table of @level in which unmap->iova was is gone. */
static bool is_at_end(const struct unmap *unmap, unsigned int level)
{
	return !unmap->stopped && !(unmap->iova & table_span(unmap->table, level));
}

/*
 * Removes entries of the table @items of @level, from unmap->iova on. @whole: the table is expected to
 * go. Returns whether everything up to its end is gone.
 */
static bool table_unmap(struct unmap *unmap, unsigned int level, u64 *items, bool whole)
{
	struct walker_table *table = unmap->table;
	u64 *item = &items[table_index(table, level, unmap->iova)];
	u64 *clear = item; /* the items from here up to @item are to be cleared */
	u64 word;

	do {
		u32 nr = singles_unmap(unmap, level, item, &word);

		item += nr;
		if (unmap->stopped || (nr && (is_done(unmap) || is_at_end(unmap, level))))
			break;
		if (entry_is_empty(table, level, word)) {
			unmap->stopped = true;
		} else if (!entry_is_table(table, level, word)) {
			item += leaf_unmap(unmap, level, word);
		} else if (child_unmap(unmap, level, word)) {
			item++;
		} else {
			/* It stays. If it is the last one or the first, the others still go. */
			items_clear(unmap, level, clear, item);
			clear = ++item;
		}
	} while (!is_at_end(unmap, level) && !is_done(unmap));
	if (!whole || !is_at_end(unmap, level))
		items_clear(unmap, level, clear, item);
	return is_at_end(unmap, level);
}

u64 native_unmap(struct walker_table *table, u64 iova, u64 len, struct walker_gather *gather)
{
	struct unmap unmap = {.table = table, .iova = iova};
	struct range removed;

	if (!range_make(&unmap.request, iova, len) ||
	    (iova | len) & (bits_low(bits_lowest(table->pgsizes))) ||
	    !table_legal(table, unmap.request.first, unmap.request.last) ||
	    !table_reaches(table, iova))
		return 0;
	lines_init(table, &unmap.lines);
	table_unmap(&unmap, table->top, table->root, false);
	lines_flush(table, &unmap.lines);
	if (range_make(&removed, iova, unmap.iova - iova))
		gather_add(table, gather, removed, &unmap.removed);
	return unmap.iova - iova;
}
