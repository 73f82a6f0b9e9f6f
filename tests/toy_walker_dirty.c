/*
 * The toy walker's dirty queries: entry by entry over the query, each item of an entry read and, if asked
 * for, made clean. Its own gather code, since what it adds may always be merged.
 */
#include "tests/toy_walker.h"

#include <errno.h>

/* A leaf on the way of a query. */
struct dirty_leaf {
	u64 *item; /* the first of its items */
	u32 nr;
	u32 own; /* which of them the iova indexes */
	u64 first;
	u64 last;
};

/* The table where the last leaf or hole was: the next one is mostly there, too. */
struct dirty_place {
	u64 *items;
	unsigned int level;
	u64 iova;
};

static void place_enter(struct walker_table *t, struct dirty_place *place, u64 iova)
{
	if (place->items && !toy_is(t, DIRTY_REWALKS) &&
	    (place->iova ^ iova) <= bits_low(toy_span_lg2(t, place->level)))
		return;
	*place = (struct dirty_place){.items = t->root, .level = t->top, .iova = iova};
}

/* Finds the leaf that holds @iova; without one, how many bytes as a power of two are sure to hold none. */
static bool leaf_find(struct walker_table *t, u64 iova, struct dirty_place *place,
		      struct dirty_leaf *leaf, unsigned int *hole_lg2)
{
	struct toy_entry entry;
	unsigned int level;

	*hole_lg2 = toy_item_lg2(t, t->top);
	if (!toy_in_reach(t, iova))
		return false;
	for (place_enter(t, place, iova);; place->level--) {
		*hole_lg2 = toy_item_lg2(t, place->level);
		leaf->item = &place->items[toy_index(t, place->level, iova)];
		entry = toy_load(t, place->level, leaf->item);
		if (entry.kind != TOY_TABLE)
			break;
		place->items = host_ptr(t->host, entry.oa);
		place->iova = iova;
	}
	level = place->level;
	if (entry.kind == TOY_EMPTY)
		return false;
	leaf->nr = toy_items(t, entry.size_lg2, &level);
	leaf->own = toy_index(t, level, iova) & (leaf->nr - 1);
	leaf->item -= leaf->own;
	leaf->first = bits_align_down(iova, entry.size_lg2);
	leaf->last = leaf->first + bits_low(entry.size_lg2);
	return true;
}

static bool leaf_is_dirty(struct walker_table *t, const struct dirty_leaf *leaf)
{
	for (u32 i = 0; i < leaf->nr; i++) {
		if (toy_is(t, DIRTY_READS_ONE) && i != 0)
			break;
		if (host_load(t->host, &leaf->item[i]) & t->format->dirty)
			return true;
	}
	return toy_is(t, DIRTY_INVENTED);
}

static void leaf_clean(struct walker_table *t, const struct dirty_leaf *leaf)
{
	u32 nr = leaf->nr + toy_is(t, DIRTY_CLEARS_NEIGHBOUR);

	for (u32 i = 0; i < nr; i++) {
		u64 word = host_load(t->host, &leaf->item[i]);

		if (toy_is(t, DIRTY_CLEARS_ONE) && i)
			break;
		if (toy_is(t, DIRTY_CLEARS_MORE))
			word &= ~2ull;
		if (word & t->format->dirty && !toy_is(t, DIRTY_KEPT))
			host_store(t->host, &leaf->item[i], word & ~t->format->dirty);
		if (toy_is(t, DIRTY_STORES_OFTEN))
			host_store(t->host, &leaf->item[i], word & ~t->format->dirty);
		if (toy_is(t, DIRTY_FLUSHES))
			host_flush(t->host, &leaf->item[i], sizeof(word));
	}
}

static void leaf_gather(struct walker_table *t, const struct dirty_leaf *leaf, u64 iova,
			struct walker_gather *gather)
{
	struct range range = {leaf->first, leaf->last};

	if (gather->queued || toy_is(t, DIRTY_NOT_GATHERED))
		return;
	if (toy_is(t, DIRTY_GATHER_FROM_IOVA)) { /* with the whole length, as Linux 7.2 */
		range.first = iova;
		range.last = iova + (leaf->last - leaf->first);
	}
	if (!gather->empty)
		range = range_hull(gather->range, range);
	gather->range = range;
	gather->empty = false;
	host_gather(t->host, range.first, range.last);
}

static void bits_set(u8 *bitmap, u64 first, u64 last)
{
	for (; first <= last; first++)
		bitmap[first / 8] |= (u8)(1 << first % 8);
}

/* Sets the bits of the part of @leaf that is in the query. */
static void leaf_report(struct walker_table *t, const struct dirty_leaf *leaf, struct range query,
			u8 *bitmap)
{
	unsigned int page_lg2 = bits_lowest(t->pgsizes);
	u64 first = leaf->first < query.first ? query.first : leaf->first;
	u64 last = leaf->last > query.last ? query.last : leaf->last;

	if (toy_is(t, DIRTY_START_LOST) && leaf->first < query.first)
		return;
	if (toy_is(t, DIRTY_END_LOST) && leaf->last > query.last)
		return;
	if (toy_is(t, DIRTY_WHOLE_LEAF))
		last = leaf->last;
	first = (first - query.first) >> page_lg2;
	last = (last - query.first) >> page_lg2;
	bits_set(bitmap, first, last + toy_is(t, DIRTY_ONE_MORE));
}

static void leaf_visit(struct walker_table *t, const struct dirty_leaf *leaf, struct range query,
		       u64 iova, bool clear, u8 *bitmap, struct walker_gather *gather)
{
	if (!leaf_is_dirty(t, leaf))
		return;
	leaf_report(t, leaf, query, bitmap);
	if (toy_is(t, DIRTY_REPORTS_NOTHING))
		bitmap[0] = 0;
	if (!clear && !toy_is(t, DIRTY_ALWAYS_CLEARS))
		return;
	leaf_clean(t, leaf);
	leaf_gather(t, leaf, iova, gather);
}

static int dirty_check(const struct walker_table *t, u64 iova, u64 len)
{
	u64 page = t->pgsizes & -t->pgsizes;

	if (!t->format->dirty)
		return toy_is(t, DIRTY_WITHOUT_BITS) ? 0 : -EOPNOTSUPP;
	if (!len)
		return toy_is(t, DIRTY_ACCEPTS_LEN_0) ? 0 : -EINVAL;
	if (toy_is(t, DIRTY_FAILS) || (iova | len) & (page - 1))
		return -EINVAL;
	return toy_legal(t, iova, iova + (len - 1)) ? 0 : -ERANGE;
}

int toy_dirty(struct walker_table *t, u64 iova, u64 len, u32 flags, u8 *bitmap,
	      struct walker_gather *gather)
{
	struct range query = {iova, iova + len - 1};
	int ret = dirty_check(t, iova, len);

	if (toy_is(t, DIRTY_REFUSED_SETS) && ret)
		bitmap[0] |= 1;
	if (ret || !t->format->dirty || !len)
		return ret;
	for (struct dirty_place place = {0};;) {
		struct dirty_leaf leaf;
		unsigned int hole_lg2;
		u64 last;

		if (leaf_find(t, iova, &place, &leaf, &hole_lg2)) {
			leaf_visit(t, &leaf, query, iova, !(flags & WALKER_DIRTY_NO_CLEAR), bitmap,
				   gather);
			last = leaf.last;
		} else {
			last = iova | bits_low(hole_lg2);
		}
		if (last >= query.last)
			return 0;
		iova = last + 1;
	}
}
