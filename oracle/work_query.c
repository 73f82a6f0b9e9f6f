/*
 * What a dirty query has to do, for its budget (work.c): counted from the tables that it passes and the
 * entries that are dirty before it, not from what the walker did.
 *
 *   tables    tables in the hardware's reach whose span the query touches, the root included
 *   items     their items for iovas of the query; of the entries that hold its first and its last byte,
 *             all items
 *   written   items of the dirty entries of the query, when it makes them clean
 */
#include "oracle/state.h"

/* Items of @table for iovas of @query, which touches its span. */
static u64 items_in(const struct oracle *oracle, const struct table *table, struct range query)
{
	struct range span = tables_span(oracle, table);
	unsigned int item_lg2 = oracle->layout.level[table->level].item_lg2;
	u64 first = query.first > span.first ? query.first : span.first;
	u64 last = query.last < span.last ? query.last : span.last;

	return (last >> item_lg2) - (first >> item_lg2) + 1;
}

/* Items of the entry that holds @iova; 0 without one. */
static u64 items_of(const struct oracle *oracle, u64 iova)
{
	struct entry entry;
	u32 page, item;

	if (!dirty_locate(oracle, iova, &page, &item, &entry))
		return 0;
	return 1ull << (entry.size_lg2 - oracle->layout.level[oracle->table[page].level].item_lg2);
}

/* The dirty entries of @query. */
static void count_dirty(struct oracle *oracle, struct range query)
{
	u64 iova = query.first;

	for (;;) {
		const struct range *dirty = dirty_next(&oracle->dirty, iova);
		struct entry entry;
		u32 page, item;

		if (!dirty || dirty->first > query.last)
			return;
		if (iova < dirty->first)
			iova = dirty->first;
		if (!dirty_locate(oracle, iova, &page, &item, &entry))
			return;
		oracle->work.written += items_of(oracle, iova);
		iova |= bits_low(entry.size_lg2);
		if (iova >= query.last)
			return;
		iova++;
	}
}

/* work_queries() - a query was answered; what it made clean is still in oracle->dirty */
void work_queries(struct oracle *oracle, bool clear)
{
	const struct current *op = &oracle->current;
	struct work *work = &oracle->work;
	struct range query;

	if (work_is_small(oracle) || !range_make(&query, op->iova, op->len))
		return;
	for (u32 page = 0; page < oracle->host->pages_used; page++) {
		const struct table *table = &oracle->table[page];

		if (table->state != TABLE_LINKED ||
		    !range_overlaps(query, tables_span(oracle, table)))
			continue;
		work->tables++;
		work->items += items_in(oracle, table, query);
	}
	work->items += items_of(oracle, query.first) + items_of(oracle, query.last);
	if (clear)
		count_dirty(oracle, query);
}
