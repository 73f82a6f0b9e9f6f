/*
 * IOTLB ranges. What was removed and not yet synced is a list of disjoint ranges (the wants). After
 * each unmap the gather and the syncs of the operation together must cover every want; and neither may
 * cover more than the flush policy allows: with FEATURE_NO_GAPS nothing but wants, otherwise nothing
 * outside the hull of the wants. Source: contract, "unmap".
 *
 * The order of a sync against the stores of its own operation is judged for tables only, where a page
 * would be freed too early (tables.c).
 */
#include "oracle/state.h"

#include <string.h>

/* Adds @range to the sorted, disjoint list, merging what it touches. */
void gather_want(struct oracle *oracle, struct range range)
{
	struct range *want = oracle->want;
	u32 from = 0, to;

	while (from < oracle->wants_nr && want[from].last < range.first &&
	       !range_touches(want[from], range))
		from++;
	for (to = from; to < oracle->wants_nr && range_touches(want[to], range); to++)
		range = range_hull(range, want[to]);
	if (to == from && oracle->wants_nr == WANTS_MAX) {
		oracle->lossy = true;
		if (from == WANTS_MAX)
			from--;
		want[from] = range_hull(want[from], range);
		return;
	}
	memmove(&want[from + 1], &want[to], (oracle->wants_nr - to) * sizeof(*want));
	oracle->wants_nr = oracle->wants_nr - (to - from) + 1;
	want[from] = range;
}

/* Takes what @range covers out of the list. */
static void want_drop(struct oracle *oracle, struct range range)
{
	struct range kept[WANTS_MAX + 1];
	u32 nr = 0;

	for (u32 i = 0; i < oracle->wants_nr; i++) {
		struct range want = oracle->want[i];

		if (!range_overlaps(want, range)) {
			kept[nr++] = want;
			continue;
		}
		if (want.first < range.first && nr < WANTS_MAX)
			kept[nr++] = (struct range){want.first, range.first - 1};
		if (want.last > range.last && nr < WANTS_MAX)
			kept[nr++] = (struct range){range.last + 1, want.last};
	}
	memcpy(oracle->want, kept, nr * sizeof(*kept));
	oracle->wants_nr = nr;
}

/* Whether the policy allows to invalidate @range while @want waits. */
static bool range_allowed(const struct oracle *oracle, struct range range)
{
	const struct range *want = oracle->want;

	if (!oracle->wants_nr)
		return false;
	if (!(oracle->config.features & FEATURE_NO_GAPS) || oracle->lossy)
		return range_covers(range_hull(want[0], want[oracle->wants_nr - 1]), range);
	for (u32 i = 0; i < oracle->wants_nr; i++)
		if (range_covers(want[i], range))
			return true;
	return false;
}

static void say_wide(struct oracle *oracle, const char *reason, const char *what,
		     struct range range)
{
	struct verdict *verdict = say(oracle, RULE_WIDE_GATHER, reason, "%s 0x%llx..0x%llx", what,
				      range.first, range.last);

	if (!oracle->wants_nr)
		say_want(verdict, "nothing: nothing was removed");
	else if (oracle->wants_nr == 1)
		say_want(verdict, "0x%llx..0x%llx", oracle->want[0].first, oracle->want[0].last);
	else
		say_want(verdict, "%u ranges in 0x%llx..0x%llx", oracle->wants_nr,
			 oracle->want[0].first, oracle->want[oracle->wants_nr - 1].last);
}

static void check_syncs(struct oracle *oracle)
{
	for (u32 i = 0; i < oracle->synced_nr; i++) {
		struct range range = oracle->synced[i];

		if (oracle->synced_all)
			continue;
		if (!range_allowed(oracle, range))
			say_wide(oracle, oracle->wants_nr ? "synced" : "synced-for-nothing",
				 "a sync of", range);
	}
	for (u32 i = 0; i < oracle->synced_nr; i++)
		want_drop(oracle, oracle->synced[i]);
}

static void check_short(struct oracle *oracle, const struct oracle_gather *gather)
{
	for (u32 i = 0; i < oracle->wants_nr && !oracle->lossy; i++) {
		struct verdict *verdict;

		if (!gather->empty && range_covers(gather->range, oracle->want[i]))
			continue;
		if (gather->empty)
			verdict = say(oracle, RULE_SHORT_GATHER, "nothing", "nothing is gathered");
		else
			verdict = say(oracle, RULE_SHORT_GATHER, "range",
				      "0x%llx..0x%llx is gathered", gather->range.first,
				      gather->range.last);
		say_want(verdict, "0x%llx..0x%llx, which was removed, covered",
			 oracle->want[i].first, oracle->want[i].last);
		want_drop(oracle, oracle->want[i]);
		i--;
	}
}

/* After an operation: @gather is what waits now. A range that ends before it starts is none. */
void gather_check(struct oracle *oracle, const struct oracle_gather *gather)
{
	struct oracle_gather now = *gather;
	bool same;

	if (!now.empty && now.range.first > now.range.last)
		now.empty = oracle->gather_odd = true;
	same = now.empty == oracle->gather.empty &&
	       (now.empty || (now.range.first == oracle->gather.range.first &&
			      now.range.last == oracle->gather.range.last));
	check_syncs(oracle);
	if (!now.empty && !same && !range_allowed(oracle, now.range)) {
		say_wide(oracle,
			 !oracle->removes     ? "nothing-removed"
			 : oracle->gather_odd ? "after-nothing-removed"
					      : "gathered",
			 "gathered", now.range);
		gather_want(oracle, now.range); /* said once; what follows from it is not news */
	}
	check_short(oracle, &now);
	if (gather->empty)
		oracle->lossy = oracle->gather_odd = false;
	oracle->gather = now;
}
