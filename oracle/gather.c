/*
 * IOTLB ranges. What was removed and not yet synced is a set of disjoint ranges (the wants). After each
 * unmap the gather and the syncs of the operation together must cover every want; and neither may cover
 * more than the flush policy allows: with FEATURE_NO_GAPS nothing but wants and what already waited,
 * otherwise nothing outside the hull of these. Source: contract, "unmap".
 *
 * A sync drops a want only if the device could no longer read what was removed: entries that were cleared,
 * or flushed, later in the same operation are wanted again. A queued gather has no range, since a flush of
 * everything follows. Levels are levels.c's. Where a table page would be freed too early,
 * tables.c says so.
 */
#include "oracle/state.h"

#include <string.h>

/* Adds @range to the sorted, disjoint set, merging what it touches. */
static void ranges_add(struct ranges *ranges, struct range range)
{
	struct range *at = ranges->range;
	u32 from = 0, to;

	while (from < ranges->nr && at[from].last < range.first && !range_touches(at[from], range))
		from++;
	for (to = from; to < ranges->nr && range_touches(at[to], range); to++)
		range = range_hull(range, at[to]);
	if (to == from && ranges->nr == WANTS_MAX) {
		ranges->lossy = true;
		if (from == WANTS_MAX)
			from--;
		at[from] = range_hull(at[from], range);
		return;
	}
	memmove(&at[from + 1], &at[to], (ranges->nr - to) * sizeof(*at));
	ranges->nr = ranges->nr - (to - from) + 1;
	at[from] = range;
}

/* Takes what @range covers out of the set. */
static void ranges_drop(struct ranges *ranges, struct range range)
{
	struct ranges kept = {.lossy = ranges->lossy};

	for (u32 i = 0; i < ranges->nr; i++) {
		struct range at = ranges->range[i];

		if (!range_overlaps(at, range)) {
			kept.range[kept.nr++] = at;
			continue;
		}
		if (at.first < range.first && kept.nr < WANTS_MAX)
			kept.range[kept.nr++] = (struct range){at.first, range.first - 1};
		if (at.last > range.last && kept.nr < WANTS_MAX)
			kept.range[kept.nr++] = (struct range){range.last + 1, at.last};
	}
	ranges->nr = kept.nr;
	memcpy(ranges->range, kept.range, kept.nr * sizeof(kept.range[0]));
}

static bool ranges_cover(const struct ranges *ranges, struct range range)
{
	for (u32 i = 0; i < ranges->nr; i++)
		if (range_covers(ranges->range[i], range))
			return true;
	return false;
}

void gather_want(struct oracle *oracle, struct range range)
{
	ranges_add(&oracle->wants, range);
}

/* Whether the policy allows to invalidate @range, given the wants and what waited before. */
static bool range_allowed(const struct oracle *oracle, struct range range)
{
	struct ranges allowed;

	if (ranges_cover(&oracle->wants, range))
		return true;
	allowed = oracle->wants;
	for (u32 i = 0; i < oracle->excused.nr; i++)
		ranges_add(&allowed, oracle->excused.range[i]);
	if (!oracle->gather.empty)
		ranges_add(&allowed, oracle->gather.range);
	if (!allowed.nr)
		return false;
	/* the contract names no policy for what dirty queries gather: merging is allowed */
	if (oracle->config.features & FEATURE_NO_GAPS && !allowed.lossy &&
	    oracle->current.op != ORACLE_DIRTY)
		return ranges_cover(&allowed, range);
	return range_covers(range_hull(allowed.range[0], allowed.range[allowed.nr - 1]), range);
}

static void say_wide(struct oracle *oracle, const char *reason, const char *what,
		     struct range range)
{
	const struct ranges *wants = &oracle->wants;
	struct verdict *verdict = say(oracle, RULE_WIDE_GATHER, reason, "%s 0x%llx..0x%llx", what,
				      range.first, range.last);

	if (!wants->nr)
		say_want(verdict, "nothing: nothing was removed");
	else if (wants->nr == 1)
		say_want(verdict, "0x%llx..0x%llx", wants->range[0].first, wants->range[0].last);
	else
		say_want(verdict, "%u ranges in 0x%llx..0x%llx", wants->nr, wants->range[0].first,
			 wants->range[wants->nr - 1].last);
}

/* Called at a sync. Where the list of syncs is full, what was known to be removed by now is dropped. */
void gather_synced(struct oracle *oracle, struct range range)
{
	if (oracle->synced_nr == SYNCS_MAX) {
		ranges_drop(&oracle->wants, range);
		return;
	}
	oracle->synced_at[oracle->synced_nr] = oracle->host->events_nr;
	oracle->synced[oracle->synced_nr++] = range;
}

static const struct host_event *event_at(const struct oracle *oracle, u64 at)
{
	return &oracle->host->events[at % HOST_EVENTS];
}

/* Where in the record the device begins to see the store at @at. */
static u64 store_visible(const struct oracle *oracle, u64 at)
{
	const struct host_event *store = event_at(oracle, at);
	u64 line = 1ull << (store->item * 8 / HOST_LINE_BYTES);

	if (oracle->host->config.coherent)
		return at;
	for (at++; at < oracle->host->events_nr; at++) {
		const struct host_event *flush = event_at(oracle, at);

		if (flush->kind == HOST_EVENT_FLUSH && flush->page == store->page &&
		    flush->a & line)
			break;
	}
	return at;
}

/* Whether @event removed a translation or a table, and of what range. */
static bool store_removes(const struct oracle *oracle, const struct host_event *event,
			  struct range *range)
{
	const struct table *table = &oracle->table[event->page];
	const struct layout_level *at = &oracle->layout.level[table->level];
	struct entry entry;

	if (event->kind != HOST_EVENT_STORE || table->state == TABLE_NONE ||
	    oracle->host->page[event->page].born ||
	    !((event->a ^ event->b) & ~oracle->layout.ignored))
		return false;
	layout_decode(&oracle->layout, table->level, event->a, &entry);
	if (entry.kind != ENTRY_LEAF && entry.kind != ENTRY_TABLE)
		return false;
	range->first =
		layout_iova_full(&oracle->layout, table->base + ((u64)event->item << at->item_lg2));
	range->last = range->first + bits_low(at->item_lg2);
	return true;
}

/* What was removed after the last sync that covers it waits for another. */
static void wants_restore(struct oracle *oracle)
{
	const struct host *host = oracle->host;
	u64 oldest = host->events_nr > HOST_EVENTS ? host->events_nr - HOST_EVENTS : 0;
	u64 at = host->events_nr;
	struct range range;

	while (at > oldest && event_at(oracle, at - 1)->kind != HOST_EVENT_BEGIN)
		at--;
	for (; at < host->events_nr; at++) {
		bool covered = false, touched = false;
		u64 visible;

		if (!store_removes(oracle, event_at(oracle, at), &range))
			continue;
		visible = store_visible(oracle, at);
		for (u32 i = 0; i < oracle->synced_nr; i++) {
			touched |= range_overlaps(oracle->synced[i], range);
			covered |= oracle->synced_at[i] > visible &&
				   range_covers(oracle->synced[i], range);
		}
		if (touched && !covered)
			gather_want(oracle, range);
	}
}

/* A queued gather is completed by a flush of everything, and only by that. Returns whether it is one. */
static bool check_queued(struct oracle *oracle, const struct oracle_gather *gather)
{
	if (!gather->queued)
		return false;
	if (!gather->empty)
		say_want(say(oracle, RULE_WIDE_GATHER, "queued-range",
			     "a queued gather has the range 0x%llx..0x%llx", gather->range.first,
			     gather->range.last),
			 "none: everything is flushed later");
	if (oracle->current.op == ORACLE_UNMAP && (oracle->synced_nr || oracle->synced_all))
		say_want(say(oracle, RULE_SYNC_ORDER, "inline-sync-queued",
			     "%llu syncs in an unmap on a queued gather", oracle->host->op.syncs),
			 "none: everything is flushed later");
	return true;
}

static void check_syncs(struct oracle *oracle)
{
	bool said = oracle->gather.queued && oracle->current.op == ORACLE_UNMAP;

	for (u32 i = 0; i < oracle->synced_nr && !oracle->synced_all && !said; i++)
		if (!range_allowed(oracle, oracle->synced[i]))
			say_wide(oracle, oracle->wants.nr ? "synced" : "synced-for-nothing",
				 "a sync of", oracle->synced[i]);
	for (u32 i = 0; i < oracle->synced_nr; i++)
		ranges_drop(&oracle->wants, oracle->synced[i]);
	if (oracle->synced_nr)
		wants_restore(oracle);
}

/* What of @want isn't gathered has been said: it doesn't wait any more, the rest does. */
static void want_excuse(struct oracle *oracle, struct range want,
			const struct oracle_gather *gather)
{
	if (gather->empty || !range_overlaps(want, gather->range)) {
		ranges_drop(&oracle->wants, want);
		return;
	}
	if (want.first < gather->range.first)
		ranges_drop(&oracle->wants, (struct range){want.first, gather->range.first - 1});
	if (want.last > gather->range.last)
		ranges_drop(&oracle->wants, (struct range){gather->range.last + 1, want.last});
}

static void check_short(struct oracle *oracle, const struct oracle_gather *gather)
{
	u32 i = 0;

	while (i < oracle->wants.nr && !oracle->wants.lossy) {
		struct range want = oracle->wants.range[i];
		struct verdict *verdict;

		if (!gather->empty && range_covers(gather->range, want)) {
			i++;
			continue;
		}
		if (gather->empty)
			verdict = say(oracle, RULE_SHORT_GATHER, "nothing", "nothing is gathered");
		else
			verdict = say(oracle, RULE_SHORT_GATHER, "range",
				      "0x%llx..0x%llx is gathered", gather->range.first,
				      gather->range.last);
		say_want(verdict, "0x%llx..0x%llx, which was removed, covered", want.first,
			 want.last);
		want_excuse(oracle, want, gather);
	}
}

/* Why a gather that only an unmap can have made too wide is so. */
static const char *wide_reason(const struct oracle *oracle)
{
	if (oracle->current.op == ORACLE_DIRTY && !oracle->gather_odd)
		return oracle->wants.nr ? "gathered" : "nothing-cleared";
	if (!oracle->removes && oracle->current.op != ORACLE_DIRTY)
		return "nothing-removed";
	return oracle->gather_odd ? "after-nothing-removed" : "gathered";
}

/* After an operation: @gather is what waits now. A range that ends before it starts is none. */
void gather_check(struct oracle *oracle, const struct oracle_gather *gather)
{
	const struct oracle_gather *before = &oracle->gather;
	struct oracle_gather now = *gather;
	bool same;

	if (oracle->current.op == ORACLE_SYNC)
		oracle->gather_odd = false;
	if (!now.empty && now.range.first > now.range.last)
		now.empty = oracle->gather_odd = true;
	same = now.empty == before->empty &&
	       (now.empty ||
		(now.range.first == before->range.first && now.range.last == before->range.last));
	check_syncs(oracle);
	if (check_queued(oracle, gather))
		now.empty = true;
	levels_check(oracle, gather);
	if (!now.empty && !same && !range_allowed(oracle, now.range)) {
		say_wide(oracle, wide_reason(oracle), "gathered", now.range);
		ranges_add(&oracle->excused, now.range);
	}
	if (!now.queued || oracle->current.op == ORACLE_SYNC)
		check_short(oracle, &now);
	if (oracle->current.op == ORACLE_SYNC) {
		oracle->wants.lossy = false;
		oracle->excused = (struct ranges){0};
	}
	oracle->gather = now;
}
