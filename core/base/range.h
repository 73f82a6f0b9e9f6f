/*
 * Closed ranges first..last of bytes. A closed range can end at the last byte of the address space;
 * it cannot be empty, which is why emptiness is always a separate flag or return value.
 */
#ifndef CORE_BASE_RANGE_H
#define CORE_BASE_RANGE_H

#include "core/base/types.h"

struct range {
	u64 first;
	u64 last;
};

/*
 * range_make() - the range of @bytes bytes from @first
 * Returns false, with @range untouched, when @bytes is 0 or the range would pass 2^64 - 1.
 */
static inline bool range_make(struct range *range, u64 first, u64 bytes)
{
	if (!bytes || first + (bytes - 1) < first)
		return false;
	range->first = first;
	range->last = first + (bytes - 1);
	return true;
}

static inline bool range_holds(struct range range, u64 point)
{
	return range.first <= point && point <= range.last;
}

static inline bool range_covers(struct range outer, struct range inner)
{
	return outer.first <= inner.first && inner.last <= outer.last;
}

static inline bool range_overlaps(struct range a, struct range b)
{
	return a.first <= b.last && b.first <= a.last;
}

/* range_touches() - whether the two overlap or stand side by side, so that their hull has no gap */
static inline bool range_touches(struct range a, struct range b)
{
	return range_overlaps(a, b) || (a.last != ~0ull && a.last + 1 == b.first) ||
	       (b.last != ~0ull && b.last + 1 == a.first);
}

/* range_hull() - the smallest range that covers both */
static inline struct range range_hull(struct range a, struct range b)
{
	struct range hull = {a.first < b.first ? a.first : b.first,
			     a.last > b.last ? a.last : b.last};

	return hull;
}

#endif
