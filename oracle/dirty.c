/*
 * The device that writes. A write through an entry sets the dirty bit of the item that the iova indexes,
 * whatever else belongs to that entry, and the accessed bits on the way to it; only where every entry
 * lets writes pass. Which entries have been written through since they were made or last made clean is
 * remembered as a set of iova ranges, made of whole entries, against which queries are judged.
 *
 * Source: VT-d 3.7.2 (Accessed, Extended Accessed, and Dirty Flags); AMD IOMMU 2.2.3 and 2.2.7
 * (host dirty support); contract, "read_and_clear_dirty".
 */
#include "oracle/state.h"

#include <stdlib.h>
#include <string.h>

/* Number of the first range that ends at or after @iova. */
static u32 set_find(const struct dirty_set *set, u64 iova)
{
	u32 low = 0, high = set->nr;

	while (low < high) {
		u32 middle = (low + high) / 2;

		if (set->range[middle].last < iova)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Makes room for @more ranges at @at, or takes -@more of them out. */
static void set_move(struct dirty_set *set, u32 at, int more)
{
	u32 from = more < 0 ? at + (u32)-more : at;

	while (set->nr + (u32)more > set->max && more > 0) {
		set->max = set->max ? 2 * set->max : 64;
		set->range = realloc(set->range, set->max * sizeof(*set->range));
		CHECK(set->range);
	}
	memmove(&set->range[more > 0 ? at + (u32)more : at], &set->range[from],
		(set->nr - from) * sizeof(*set->range));
	set->nr += (u32)more;
}

static void dirty_add(struct dirty_set *set, struct range range)
{
	u32 from = set_find(set, range.first ? range.first - 1 : 0);
	u32 to = from;

	for (; to < set->nr && range_touches(set->range[to], range); to++)
		range = range_hull(range, set->range[to]);
	if (to == from)
		set_move(set, from, 1);
	else if (to > from + 1)
		set_move(set, from, (int)(from + 1) - (int)to);
	set->range[from] = range;
}

void dirty_drop(struct dirty_set *set, struct range range)
{
	u32 at = set_find(set, range.first);

	while (at < set->nr && set->range[at].first <= range.last) {
		struct range was = set->range[at];

		if (was.first < range.first && was.last > range.last) {
			set_move(set, at, 1);
			set->range[at].last = range.first - 1;
			set->range[at + 1] = (struct range){range.last + 1, was.last};
			return;
		}
		if (was.first < range.first)
			set->range[at++].last = range.first - 1;
		else if (was.last > range.last)
			set->range[at++].first = range.last + 1;
		else
			set_move(set, at, -1);
	}
}

/* dirty_next() - the first dirty range that ends at or after @iova, or NULL */
const struct range *dirty_next(const struct dirty_set *set, u64 iova)
{
	u32 at = set_find(set, iova);

	return at < set->nr ? &set->range[at] : NULL;
}

/* The way of one access through the tables, from the top down. */
struct way {
	u32 nr;
	u32 page[LAYOUT_LEVELS];
	u32 item[LAYOUT_LEVELS];
	unsigned int level; /* of the last */
	bool write;
	struct entry entry;
};

/* Follows @iova to a leaf. False where the device would fault. */
static bool way_find(const struct oracle *oracle, u64 iova, struct way *way)
{
	const struct layout *layout = &oracle->layout;
	s64 page = oracle->root;

	*way = (struct way){.level = oracle->root_level, .write = true};
	if (layout_iova_bits(layout, iova) &
	    ~bits_low(layout->level[way->level].item_lg2 + layout->level[way->level].items_lg2))
		return false;
	for (;; way->level--) {
		u32 item = layout_index(layout, way->level, iova);

		if (page < 0 || oracle->table[page].state != TABLE_LINKED)
			return false;
		way->page[way->nr] = (u32)page;
		way->item[way->nr++] = item;
		layout_decode(layout, way->level, host_device_page(oracle->host, (u32)page)[item],
			      &way->entry);
		way->write &= way->entry.write;
		if (way->entry.kind == ENTRY_LEAF)
			return true;
		if (way->entry.kind != ENTRY_TABLE || !way->level)
			return false;
		page = host_page_of(oracle->host, way->entry.oa);
	}
}

/* dirty_locate() - the leaf that translates @iova and its item; false when there is none */
bool dirty_locate(const struct oracle *oracle, u64 iova, u32 *page, u32 *item, struct entry *entry)
{
	struct way way;

	if (!way_find(oracle, iova, &way))
		return false;
	*page = way.page[way.nr - 1];
	*item = way.item[way.nr - 1];
	*entry = way.entry;
	return true;
}

static void item_set(struct oracle *oracle, u32 page, u32 item, u64 bits)
{
	u64 word = host_device_page(oracle->host, page)[item] | bits;

	host_device_store(oracle->host, page, item, word);
	oracle->seen[(u64)page * HOST_ITEMS + item] = word;
}

static void access(struct oracle *oracle, const struct way *way, u64 iova)
{
	const struct layout_level *at = &oracle->layout.level[way->level];
	u64 first = bits_align_down(iova, way->entry.size_lg2);

	for (u32 i = 0; i + 1 < way->nr; i++)
		item_set(oracle, way->page[i], way->item[i],
			 oracle->layout.level[way->level + way->nr - 1 - i].table_accessed);
	item_set(oracle, way->page[way->nr - 1], way->item[way->nr - 1],
		 at->dirty | at->leaf_accessed);
	dirty_add(&oracle->dirty, (struct range){first, first + bits_low(way->entry.size_lg2)});
}

u64 oracle_write(struct oracle *oracle)
{
	const struct current *op = &oracle->current;
	struct range range;
	u64 iova, items = 0;

	if (!range_make(&range, op->iova, op->len))
		return 0;
	for (iova = range.first;; iova++) {
		const struct run *run = model_next(&oracle->model, iova);
		struct way way;

		if (!run || run->range.first > range.last)
			return items;
		if (iova < run->range.first)
			iova = run->range.first;
		if (way_find(oracle, iova, &way) && way.write) {
			access(oracle, &way, iova);
			items++;
		}
		iova |= bits_low(oracle->layout.level[way.level].item_lg2);
		if (iova >= range.last)
			return items;
	}
}
