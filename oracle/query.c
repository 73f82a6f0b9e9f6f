/*
 * Dirty queries: what was reported and what was made clean, against what the device has written (dirty.c).
 * Source: contract, "read_and_clear_dirty". What it leaves open: bits of queries that aren't made of whole
 * pages count pieces of a page's size from the query's first byte on, as the kernel's iova_bitmap does,
 * and a piece is dirty when any page in it is; such a query may be refused, too.
 */
#include "oracle/state.h"

#include <errno.h>
#include <string.h>

bool query_is_aligned(const struct oracle *oracle, const struct current *op)
{
	return bits_aligned(op->iova | op->len, bits_lowest(oracle->pgsizes));
}

/* query_refusal() - why the contract refuses this query, as a reason for a signature; NULL if it doesn't */
const char *query_refusal(const struct oracle *oracle, const struct current *op)
{
	struct range range;

	if (!layout_tracks_dirty(&oracle->layout))
		return "no-dirty-bits";
	if (!op->len)
		return "len-0";
	if (!range_make(&range, op->iova, op->len))
		return "iova-wraps";
	if (!layout_iova_legal(&oracle->layout, range))
		return "iova-range";
	return NULL;
}

static bool error_is_refusal(int error)
{
	return error == -EINVAL || error == -ENXIO || error == -ERANGE || error == -EOVERFLOW ||
	       error == -EOPNOTSUPP;
}

/* Says what is wrong with the errno. Returns whether the query should have been answered, and was. */
static bool check_result(struct oracle *oracle, int got)
{
	const struct current *op = &oracle->current;
	const char *why = query_refusal(oracle, op);
	char reason[48];

	if (why) {
		__builtin_snprintf(reason, sizeof(reason), "not-refused-%s", why);
		if (!error_is_refusal(got))
			say_want(say(oracle, RULE_RESULT, reason,
				     "read_and_clear_dirty returns %s%s", got ? "-" : "",
				     say_errno(got)),
				 "a refusal");
		return false;
	}
	if (got && !query_is_aligned(oracle, op) && error_is_refusal(got)) {
		oracle->current.refused = true;
		return false;
	}
	if (got)
		say_want(say(oracle, RULE_RESULT, say_errno(got),
			     "read_and_clear_dirty returns -%s", say_errno(got)),
			 "0");
	return !got;
}

static struct range leaf_range(const struct oracle *oracle, u32 page, u32 item,
			       const struct entry *entry)
{
	const struct table *table = &oracle->table[page];
	u64 offset = (u64)item << oracle->layout.level[table->level].item_lg2;
	u64 first = bits_align_down(layout_iova_full(&oracle->layout, table->base + offset),
				    entry->size_lg2);

	return (struct range){first, first + bits_low(entry->size_lg2)};
}

/* Whether any item of the entry that has @item is dirty in memory. */
static bool entry_is_dirty(const struct oracle *oracle, u32 page, u32 item,
			   const struct entry *entry)
{
	const struct layout_level *at = &oracle->layout.level[oracle->table[page].level];
	const u64 *device = host_device_page(oracle->host, page);
	u32 nr = 1u << (entry->size_lg2 - at->item_lg2);

	item &= ~(nr - 1);
	for (u32 i = item; i < item + nr; i++)
		if (device[i] & at->dirty)
			return true;
	return false;
}

/* One item that the query changed: only a dirty bit may go, of an entry in the query, to clear it. */
static void check_changed(struct oracle *oracle, u32 page, u32 item, bool clear)
{
	const struct layout_level *at = &oracle->layout.level[oracle->table[page].level];
	u64 old = oracle->seen[(u64)page * HOST_ITEMS + item];
	u64 new = host_device_page(oracle->host, page)[item];
	struct range query, leaf;
	struct entry entry;

	layout_decode(&oracle->layout, oracle->table[page].level, old, &entry);
	if (entry.kind != ENTRY_LEAF || !(old & at->dirty) ||
	    (old ^ new) & ~(oracle->layout.ignored | at->dirty)) {
		say_want(say(oracle, RULE_RESULT, "changed-entry",
			     "level %u item %u was 0x%llx and is 0x%llx", oracle->table[page].level,
			     item, old, new),
			 "no change but of dirty bits that are set");
		return;
	}
	leaf = leaf_range(oracle, page, item, &entry);
	if (!clear) {
		say_want(say(oracle, RULE_LOST_DIRTY, "cleared-unasked",
			     "the entry at iova 0x%llx is made clean", leaf.first),
			 "no change: the query was told not to clear");
		return;
	}
	gather_want(oracle, leaf);
	if (!range_make(&query, oracle->current.iova, oracle->current.len) ||
	    !range_overlaps(leaf, query))
		say_want(say(oracle, RULE_LOST_DIRTY, "cleared-unreported",
			     "the entry at iova 0x%llx is made clean", leaf.first),
			 "no change outside the query");
}

/* The model follows memory, so that what was said of an entry once isn't said again. */
static void follow_changed(struct oracle *oracle, u32 page, u32 item, bool clear)
{
	u64 old = oracle->seen[(u64)page * HOST_ITEMS + item];
	struct entry entry;

	layout_decode(&oracle->layout, oracle->table[page].level, old, &entry);
	if (!entry_is_dirty(oracle, page, item, &entry))
		dirty_drop(&oracle->dirty, leaf_range(oracle, page, item, &entry));
}

static void each_changed(struct oracle *oracle, bool clear,
			 void (*visit)(struct oracle *oracle, u32 page, u32 item, bool clear))
{
	const struct host *host = oracle->host;

	for (u32 i = 0; i < host->touched_nr; i++) {
		u32 page = host->touched[i];
		const u64 *device = host_device_page(host, page);
		const u64 *seen = oracle->seen + (u64)page * HOST_ITEMS;

		if (oracle->table[page].state != TABLE_LINKED)
			continue;
		for (u64 lines = host->page[page].touched; lines; lines &= lines - 1) {
			u32 first = (u32)__builtin_ctzll(lines) * 8;

			for (u32 item = first; item < first + 8; item++)
				if ((seen[item] ^ device[item]) & ~oracle->layout.ignored)
					visit(oracle, page, item, clear);
		}
	}
}

static void bits_set(u8 *bytes, u64 first, u64 last)
{
	while (first <= last && first & 7)
		bytes[first / 8] |= (u8)(1 << first % 8), first++;
	for (; first + 7 <= last; first += 8)
		bytes[first / 8] = 0xff;
	for (; first <= last; first++)
		bytes[first / 8] |= (u8)(1 << first % 8);
}

/* The bitmap that is right, into oracle->dirty_want. */
static void want_make(struct oracle *oracle, struct range query, const struct oracle_bitmap *bitmap)
{
	const struct range *dirty = dirty_next(&oracle->dirty, query.first);

	memset(oracle->dirty_want, 0, (bitmap->nr + 7) / 8);
	for (u32 left = oracle->dirty.nr; left && dirty && dirty->first <= query.last;) {
		u64 first = dirty->first < query.first ? query.first : dirty->first;
		u64 last = dirty->last > query.last ? query.last : dirty->last;

		bits_set(oracle->dirty_want, (first - query.first) >> bitmap->page_lg2,
			 (last - query.first) >> bitmap->page_lg2);
		if (dirty->last >= query.last)
			break;
		dirty++;
		if (dirty == oracle->dirty.range + oracle->dirty.nr)
			break;
	}
}

static void say_lost(struct oracle *oracle, struct range query, u64 iova)
{
	struct range leaf = {iova, iova};
	struct entry entry = {0};
	const char *reason = "not-reported";
	u32 page, item;

	if (dirty_locate(oracle, iova, &page, &item, &entry))
		leaf = leaf_range(oracle, page, item, &entry);
	if (!query_is_aligned(oracle, &oracle->current))
		reason = "unaligned";
	else if (leaf.first < query.first)
		reason = "starts-inside-entry";
	else if (leaf.last > query.last)
		reason = "ends-inside-entry";
	say_want(say(oracle, RULE_LOST_DIRTY, reason, "iova 0x%llx is not reported", iova),
		 "dirty, as its entry 0x%llx..0x%llx is", leaf.first, leaf.last);
}

static void check_bitmap(struct oracle *oracle, const struct oracle_bitmap *bitmap)
{
	struct range query = {oracle->current.iova,
			      oracle->current.iova + (oracle->current.len - 1)};
	u64 bytes = (bitmap->nr + 7) / 8;

	want_make(oracle, query, bitmap);
	for (u64 i = 0; i < bytes; i++) {
		u8 want = oracle->dirty_want[i], got = bitmap->bytes[i];
		u64 bit;

		if (likely(want == got))
			continue;
		if (want & ~got) {
			bit = 8 * i + bits_lowest(want & ~got);
			say_lost(oracle, query, query.first + (bit << bitmap->page_lg2));
		}
		if (got & ~want) {
			bit = 8 * i + bits_lowest(got & ~want);
			say_want(say(oracle, RULE_WIDE_DIRTY,
				     bit < bitmap->nr ? "clean-page" : "outside-query",
				     "bit %llu of the bitmap is set, for iova 0x%llx", bit,
				     query.first + (bit << bitmap->page_lg2)),
				 "clear: %s",
				 bit < bitmap->nr ? "the device has not written there"
						  : "the query ends before");
		}
	}
}

/* Every entry of the query that is dirty must be clean in memory now, in all of its items. */
static void check_cleared(struct oracle *oracle)
{
	u64 iova = oracle->current.iova, last = iova + (oracle->current.len - 1);

	for (;;) {
		const struct range *dirty = dirty_next(&oracle->dirty, iova);
		struct entry entry;
		u32 page, item;

		if (!dirty || dirty->first > last)
			return;
		if (iova < dirty->first)
			iova = dirty->first;
		if (!dirty_locate(oracle, iova, &page, &item, &entry))
			return;
		if (entry_is_dirty(oracle, page, item, &entry)) {
			say_want(say(oracle, RULE_WIDE_DIRTY, "not-cleared",
				     "an item of the entry at iova 0x%llx is still dirty",
				     leaf_range(oracle, page, item, &entry).first),
				 "every item clean");
			return;
		}
		iova |= bits_low(entry.size_lg2);
		if (iova >= last)
			return;
		iova++;
	}
}

/* query_check() - after a dirty query: judges it, and makes the model follow what it cleared */
void query_check(struct oracle *oracle, int got, bool clear, const struct oracle_bitmap *bitmap)
{
	bool answered = check_result(oracle, got);

	oracle->current.failed = got != 0;
	if (bitmap->outside)
		say_want(say(oracle, RULE_WIDE_DIRTY, "outside-bitmap",
			     "memory beside the bitmap was written"),
			 "nothing written outside its %llu bits", bitmap->nr);
	each_changed(oracle, clear && answered, check_changed);
	if (answered)
		check_bitmap(oracle, bitmap);
	else
		for (u64 i = 0; i < (bitmap->nr + 7) / 8; i++)
			if (bitmap->bytes[i])
				say(oracle, RULE_WIDE_DIRTY, "refused",
				    "a query that fails sets bits of the bitmap");
	if (answered && clear)
		check_cleared(oracle);
	if (answered)
		work_queries(oracle, clear);
	each_changed(oracle, clear, follow_changed);
}
