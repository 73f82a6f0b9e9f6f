/*
 * What an operation may cost: budgets for loads, stores, descents, allocations, flush calls and flushed
 * lines, as closed forms of what it had to do. What is counted, from the operands and the model alone
 * unless said otherwise:
 *
 *   items     items of the leaves written or removed. Leaves of one size follow each other in
 *             segments, whose lengths are arithmetic, so that counting costs O(segments).
 *   tables    tables that hold these leaves or lead to them, each once, the root included
 *   visits    tables that hold leaves, once for each segment that touches them
 *   L         levels of the walk
 *   linked    tables that became reachable, and cut: that ceased to be (as tables.c follows them)
 *   under     tables below a leaf that a map could not write
 *
 * Derivation, for a walker that goes through each table once and forth:
 *
 *   loads     An item is read to see what it holds, once as the first of its leaf and once as one of
 *             several: 2 items. A table entry is read, is exchanged, has its software bit tested and
 *             set: 4 tables. Where the leaf size changes it may start again at the root, on a fast
 *             path and then a slow one: 2 L segments. A table that goes may be read whole, to see that
 *             it is empty and to find those below it, and so may one that is freed: 512 each.
 *   stores    Each item once: items. A table entry and its software bit: 2 linked. An entry cleared: cut.
 *   descents  A table is entered at most as often as its entry is read.
 *   allocs    linked, but no more than the tables that the leaves need. One that was not needed or
 *             could not be linked may have been taken; where a map fails, the way to its last leaf,
 *             or the tops of a growing table, up to the tallest that the format has.
 *   flush     One call for the items of a visit; one for a new table, one for the entry that leads to
 *   calls     it; one for an entry cleared.
 *   flushed   The lines that hold items (8 in each; both ends of a visit may be shared), all 64 of a new
 *   lines     table, one for each entry of a table.
 *
 * To each a slack of 2 L + 4 is added, for looking at one more leaf than there was. A map that fails is
 * given what it takes to look as far as the first collision. Whatever else is wrong with an operation
 * mostly explains what it costs, so nothing is said of its work then.
 *
 * Dirty queries (counted in work_query.c) go through their tables once, too:
 *
 *   loads     An item is read to see what it holds, once more to see whether any item of its entry is
 *             dirty and once to make it clean: 3 items. A walker may come to each table from the root: L tables.
 *   stores    The items of dirty entries, if they are to be made clean: written. No software bit changes.
 *   descents  L tables, as above.
 *   allocs    None; nor flush calls and lines, as the machine snoops (wasted-flush speaks first there).
 *
 * Left out: computation that touches no table; only the step limit ends that.
 */
#include "oracle/state.h"

/* Spans of tables that are counted already, by level: those up to @last. */
struct work_seen {
	bool any[LAYOUT_LEVELS];
	u64 last[LAYOUT_LEVELS];
};

struct work_budget {
	u64 loads;
	u64 stores;
	u64 descents;
	u64 allocs;
	u64 flushes;
	u64 lines;
};

static unsigned int work_levels(const struct oracle *oracle)
{
	return oracle->root_level + 1u;
}

static u64 span_nr(const struct layout *layout, unsigned int level, u64 iova)
{
	unsigned int lg2 = layout->level[level].item_lg2 + layout->level[level].items_lg2;

	return lg2 < 64 ? iova >> lg2 : 0;
}

/* Counts a segment: leaves of 2^size_lg2 bytes in first..last. */
static void segment_add(struct oracle *oracle, struct work_seen *seen, u64 first, u64 last,
			unsigned int size_lg2)
{
	const struct layout *layout = &oracle->layout;
	struct work *work = &oracle->work;
	unsigned int level = 0;

	while (level + 1 < layout->levels_nr && !(layout->level[level].leaf_sizes >> size_lg2 & 1))
		level++;
	work->segments++;
	work->leaves += ((last - first) >> size_lg2) + 1;
	work->items += ((last - first) >> layout->level[level].item_lg2) + 1;
	work->visits += span_nr(layout, level, last) - span_nr(layout, level, first) + 1;
	for (; level < oracle->root_level; level++) {
		u64 from = span_nr(layout, level, first);
		u64 to = span_nr(layout, level, last);

		if (seen->any[level] && from <= seen->last[level])
			from = seen->last[level] + 1;
		if (from <= to)
			work->tables += to - from + 1;
		seen->any[level] = true;
		seen->last[level] = to;
	}
}

/* The last byte of the leaves of @leaf's size that start with @leaf, at most @last's leaf. */
static u64 segment_end(const struct oracle *oracle, const struct run *run, struct range leaf,
		       u64 last)
{
	unsigned int size_lg2 = bits_highest(leaf.last - leaf.first + 1);
	u64 larger = oracle->pgsizes & ~bits_low(size_lg2 + 1);
	u64 end = run->whole.last;

	/* Where leaves that are larger start: at the next multiple of their size, if there is room. */
	if (run->delta)
		larger &= bits_low(bits_lowest(run->delta) + 1);
	if (larger) {
		unsigned int larger_lg2 = bits_lowest(larger);
		u64 next = bits_align_down(leaf.first - 1, larger_lg2) + (1ull << larger_lg2);

		if (leaf.first && next > leaf.first && next - 1 < end &&
		    end - next >= bits_low(larger_lg2))
			end = next - 1;
	}
	/* Leaves that are smaller: where the rest is too short. */
	end = leaf.first + (bits_align_down(end - leaf.first + 1, size_lg2) - 1);
	if (end > last)
		end = last | bits_low(size_lg2);
	return end;
}

/* In paranoid mode: the arithmetic of segments against leaf after leaf, if these are not too many. */
static void segment_recount(const struct oracle *oracle, const struct run *run, u64 first, u64 end)
{
	struct range leaf, segment;

	CHECK(run_leaf(run, first, oracle->pgsizes, &segment));
	for (int i = 0; i < 2000 && first && first - 1 != end; i++) {
		CHECK(run_leaf(run, first, oracle->pgsizes, &leaf));
		CHECK_OP(leaf.first, ==, first);
		CHECK_OP(leaf.last - leaf.first, ==, segment.last - segment.first);
		first = leaf.last + 1;
	}
	if (end < run->whole.last && first && first - 1 == end)
		CHECK(run_leaf(run, first, oracle->pgsizes, &leaf));
}

/* Counts the leaves of @run that hold first..last. */
static void run_add(struct oracle *oracle, struct work_seen *seen, const struct run *run, u64 first,
		    u64 last)
{
	struct range leaf;

	while (run_leaf(run, first, oracle->pgsizes, &leaf)) {
		u64 end = segment_end(oracle, run, leaf, last);

		if (oracle->paranoid)
			segment_recount(oracle, run, leaf.first, end);
		segment_add(oracle, seen, leaf.first, end,
			    bits_highest(leaf.last - leaf.first + 1));
		if (end >= last)
			return;
		first = end + 1;
	}
}

/* work_is_small() - whether it is within every budget, whatever there was to do */
bool work_is_small(const struct oracle *oracle)
{
	const struct host_counts *op = &oracle->host->op;
	unsigned int slack = 2 * work_levels(oracle) + 4;

	return !oracle->measure && op->loads <= slack && op->stores <= slack &&
	       op->descents <= slack && !op->allocs && op->flushes <= slack &&
	       op->lines_flushed <= slack;
}

void work_begin(struct oracle *oracle)
{
	oracle->work = (struct work){0};
}

/* work_removes() - an unmap removed @range, which is still in the model */
void work_removes(struct oracle *oracle, struct range range)
{
	struct work_seen seen = {0};
	u64 at = range.first;

	if (work_is_small(oracle))
		return;
	oracle->work.tables = 1;
	for (;;) {
		const struct run *run = model_find(&oracle->model, at);

		if (!run)
			return;
		if (run->range.last >= range.last) {
			run_add(oracle, &seen, run, at, range.last);
			return;
		}
		run_add(oracle, &seen, run, at, run->range.last);
		at = run->range.last + 1;
	}
}

/* Tables inside @leaf, which could not be written: the walker may have looked through them. */
static u64 tables_under(const struct oracle *oracle, struct range leaf)
{
	u64 nr = 0;

	for (u32 page = 0; page < oracle->host->pages_used; page++)
		if (oracle->table[page].state == TABLE_LINKED &&
		    range_covers(leaf, tables_span(oracle, &oracle->table[page])))
			nr++;
	return nr;
}

static void work_maps(struct oracle *oracle)
{
	const struct current *op = &oracle->current;
	struct run run = {.prot = op->prot, .delta = op->oa - op->iova};
	struct work *work = &oracle->work;
	const struct run *collision = NULL;
	struct work_seen seen = {0};
	struct range leaf;
	u64 last;

	if (!op->legal || !range_make(&run.whole, op->iova, op->len))
		return;
	last = run.whole.last;
	work->tables = 1;
	if (op->failed)
		collision = model_next(&oracle->model, op->iova + work->mapped);
	if (collision && collision->range.first <= last)
		last = collision->range.first > op->iova ? collision->range.first : op->iova;
	run_add(oracle, &seen, &run, op->iova, last);
	if (op->failed && run_leaf(&run, last, oracle->pgsizes, &leaf))
		work->under = tables_under(oracle, leaf);
}

static void work_budget(const struct oracle *oracle, struct work_budget *budget)
{
	const struct work *work = &oracle->work;
	const struct host_counts *op = &oracle->host->op;
	u64 levels = work_levels(oracle);
	u64 slack = 2 * levels + 4;
	u64 linked = oracle->linked_nr;
	u64 scanned = work->cut + work->under + op->frees;
	u64 need = work->tables;
	bool growing =
		oracle->config.features & FEATURE_GROWING_TOP && oracle->current.op == ORACLE_MAP;
	u64 tops = growing ? oracle->layout.levels_nr : levels;

	if (growing)
		need += levels;
	budget->loads = 2 * (work->items + 2 * work->tables + levels * work->segments) +
			HOST_ITEMS * scanned + slack;
	budget->stores = work->items + 2 * linked + work->cut + slack;
	budget->descents =
		2 * (2 * work->tables + levels * work->segments + scanned) + op->flushes + slack;
	budget->allocs = 1 + (linked < need || oracle->current.op == ORACLE_OPEN ? linked : need) +
			 (oracle->current.failed ? tops : 0);
	budget->flushes = work->visits + 2 * linked + work->cut + slack;
	budget->lines =
		work->items / 8 + 2 * work->visits + 64 * op->allocs + linked + work->cut + slack;
}

/* Of a query that was refused, nothing is counted. */
static void work_budget_query(const struct oracle *oracle, struct work_budget *budget)
{
	const struct work *work = &oracle->work;
	u64 levels = work_levels(oracle);
	u64 slack = 2 * levels + 4;

	*budget = (struct work_budget){0};
	budget->loads = 3 * work->items + levels * work->tables + slack;
	budget->stores = work->written + slack;
	budget->descents = levels * work->tables + slack;
}

static void judge(struct oracle *oracle, const char *reason, const char *what, u64 got, u64 budget)
{
	const struct work *work = &oracle->work;

	if (got <= budget)
		return;
	say_want(say(oracle, RULE_WORK, reason, "%llu %s", got, what),
		 "at most %llu for %llu items in %llu tables, %llu sizes, %u new tables, %llu cut",
		 budget, work->items, work->tables, work->segments, oracle->linked_nr, work->cut);
}

void oracle_measure(struct oracle *oracle, bool on)
{
	oracle->measure = on;
}

u64 oracle_leaves(const struct oracle *oracle)
{
	return oracle->work.leaves;
}

/* At the end of an operation of which nothing else was said. */
void work_check(struct oracle *oracle)
{
	const struct host_counts *op = &oracle->host->op;
	const struct current *current = &oracle->current;
	struct work_budget budget;

	if (oracle->verdicts.nr || work_is_small(oracle))
		return;
	/* It met the end of the memory before the reason for a refusal: what it was after can't be said. */
	if (current->op == ORACLE_MAP && !current->legal && !current->refused)
		return;
	if (oracle->current.op == ORACLE_MAP)
		work_maps(oracle);
	if (current->op == ORACLE_DIRTY)
		work_budget_query(oracle, &budget);
	else
		work_budget(oracle, &budget);
	judge(oracle, "loads", "loads", op->loads, budget.loads);
	judge(oracle, "stores", "stores", op->stores, budget.stores);
	judge(oracle, "descents", "table pointers followed", op->descents, budget.descents);
	judge(oracle, "allocs", "table pages asked for", op->allocs, budget.allocs);
	judge(oracle, "flush-calls", "calls to flush", op->flushes, budget.flushes);
	judge(oracle, "flush-lines", "lines flushed", op->lines_flushed, budget.lines);
}
