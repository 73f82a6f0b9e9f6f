/*
 * Which pages a device has written. An entry is dirty as a whole if any of its items is; it is reported for
 * the part of it that is asked for, and made clean and gathered as a whole. Source: docs/contract.md,
 * "read_and_clear_dirty".
 */
#include "core/native/table.h"

#include <errno.h>

/* A query on its way: @iova is how far it has come. */
struct query {
	struct walker_table *table;
	struct range range;
	u64 iova;
	bool clear;
	u8 *bitmap;
	struct walker_gather *gather;
};

static int query_check(const struct walker_table *table, u64 iova, u64 len, struct range *range)
{
	if (!table->format->dirty || table->incoherent)
		return -EOPNOTSUPP;
	if (!range_make(range, iova, len) || !bits_aligned(iova | len, bits_lowest(table->pgsizes)))
		return -EINVAL;
	return table_legal(table, range->first, range->last) ? 0 : -ERANGE;
}

/* Sets the bits of the part of @leaf that is asked for. */
static void leaf_report(const struct query *query, struct range leaf)
{
	unsigned int lg2 = bits_lowest(query->table->pgsizes);
	u64 first = leaf.first > query->range.first ? leaf.first : query->range.first;
	u64 last = leaf.last < query->range.last ? leaf.last : query->range.last;
	u64 bit = (first - query->range.first) >> lg2;

	for (last = (last - query->range.first) >> lg2; bit <= last; bit++)
		query->bitmap[bit / 8] |= (u8)(1u << bit % 8);
}

static void leaf_clean(const struct query *query, u64 *item, u32 nr, struct range leaf)
{
	const struct removed nothing = {0};
	struct walker_table *table = query->table;
	u64 dirty = table->format->dirty;

	for (u32 i = 0; i < nr; i++) {
		u64 word = host_load(table->host, &item[i]);

		if (word & dirty)
			host_store(table->host, &item[i], word & ~dirty);
	}
	gather_add(table, query->gather, leaf, &nothing);
}

/* Looks at the leaf @word at @item of @level, and goes past it. */
static void leaf_query(struct query *query, unsigned int level, u64 *item, u64 word)
{
	struct walker_table *table = query->table;
	unsigned int lg2 = entry_lg2(table, level, word);
	u32 nr = 1u << (lg2 - table->item_lg2[level]);
	struct range leaf = {bits_align_down(query->iova, lg2), query->iova | bits_low(lg2)};
	bool dirty = word & table->format->dirty;

	item -= table_index(table, level, query->iova) & (nr - 1);
	for (u32 i = 0; nr > 1 && !dirty && i < nr; i++)
		dirty = host_load(table->host, &item[i]) & table->format->dirty;
	if (dirty) {
		leaf_report(query, leaf);
		if (query->clear)
			leaf_clean(query, item, nr, leaf);
	}
	query->iova = leaf.last + 1;
}

/* Goes through what of the rest is in the table @items of @level. */
static void table_query(struct query *query, unsigned int level, u64 *items)
{
	struct walker_table *table = query->table;

	do {
		u64 *item = &items[table_index(table, level, query->iova)];
		u64 word = host_load(table->host, item);

		if (entry_is_empty(table, level, word))
			query->iova = (query->iova | bits_low(table->item_lg2[level])) + 1;
		else if (entry_is_table(table, level, word))
			table_query(query, level - 1, entry_child(table, word));
		else
			leaf_query(query, level, item, word);
	} while (query->iova - 1 < query->range.last && query->iova & table_span(table, level));
}

int native_read_and_clear_dirty(struct walker_table *table, u64 iova, u64 len, u32 flags,
				u8 *bitmap, struct walker_gather *gather)
{
	struct query query = {
		.table = table,
		.iova = iova,
		.clear = !(flags & WALKER_DIRTY_NO_CLEAR),
		.bitmap = bitmap,
		.gather = gather,
	};
	int ret = query_check(table, iova, len, &query.range);

	if (!ret && table_reaches(table, iova))
		table_query(&query, table->top, table->root);
	return ret;
}
