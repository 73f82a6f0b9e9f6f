/* Comparing one step of two walkers; see fuzzers/differ.h and fuzzers/differ.def. */
#include "fuzzers/differ.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define SLACK 16

/* What an errno means: any of those that refuse is as good as any other. */
enum answer { ANSWER_DONE, ANSWER_REFUSED, ANSWER_IN_USE, ANSWER_NO_MEMORY, ANSWER_OTHER };

static enum answer answer_of(int error)
{
	switch (-error) {
	case 0:
		return ANSWER_DONE;
	case EINVAL:
	case ENXIO:
	case ERANGE:
	case EOVERFLOW:
	case EOPNOTSUPP:
		return ANSWER_REFUSED;
	case EADDRINUSE:
		return ANSWER_IN_USE;
	case ENOMEM:
		return ANSWER_NO_MEMORY;
	}
	return ANSWER_OTHER;
}

/* Tells the watch of a difference; @text has a place for the value of each side. */
static void say(struct differ_pair *pair, const struct differ_record *got,
		enum differ_reason reason, const char *got_text, const char *want_text)
{
	struct verdict verdict = {
		.rule = RULE_DIFFERS,
		.format = pair->program->config.format,
		.op = oracle_op_word(got->step.op),
		.legal = oracle_legal(pair->executor->oracle),
	};

	snprintf(verdict.reason, sizeof(verdict.reason), "%s", differ_word(reason));
	snprintf(verdict.got, sizeof(verdict.got), "%s", got_text);
	snprintf(verdict.want, sizeof(verdict.want), "%s, as the other walker", want_text);
	pair->differ->speaking = true;
	if (pair->watch->found)
		pair->watch->found(pair->watch->arg, &got->step, &verdict);
	pair->differ->speaking = false;
}

static void __attribute__((format(printf, 4, 0)))
say_number(struct differ_pair *pair, const struct differ_record *at, enum differ_reason reason,
	   const char *text, u64 got, u64 want)
{
	char texts[2][VERDICT_TEXT_MAX / 2];

	snprintf(texts[0], sizeof(texts[0]), text, got);
	snprintf(texts[1], sizeof(texts[1]), text, want);
	say(pair, at, reason, texts[0], texts[1]);
}

/* Says so when two values that are to be the same are not. Returns whether they are. */
static bool same(struct differ_pair *pair, const struct differ_record *at,
		 enum differ_reason reason, const char *text, u64 got, u64 want)
{
	if (got != want)
		say_number(pair, at, reason, text, got, want);
	return got == want;
}

static const char *errno_text(char *text, size_t bytes, const struct differ_record *record)
{
	const char *name = record->step.error ? strerrorname_np(-record->step.error) : "0";

	snprintf(text, bytes, "returns %s%s", record->step.error ? "-" : "",
		 name ? name : "unknown errno");
	return text;
}

static enum differ_end say_result(struct differ_pair *pair, const struct differ_record *got,
				  const struct differ_record *want)
{
	char texts[2][64];

	say(pair, got, DIFFER_RESULT, errno_text(texts[0], sizeof(texts[0]), got),
	    errno_text(texts[1], sizeof(texts[1]), want));
	return DIFFER_END_DIFFERENT;
}

static bool range_same(bool a_empty, struct range a, bool b_empty, struct range b)
{
	return a_empty == b_empty && (a_empty || (a.first == b.first && a.last == b.last));
}

static const char *range_text(char *text, size_t bytes, bool empty, struct range range)
{
	if (empty)
		snprintf(text, bytes, "nothing");
	else
		snprintf(text, bytes, "0x%llx..0x%llx", range.first, range.last);
	return text;
}

static enum differ_end say_ranges(struct differ_pair *pair, const struct differ_record *at,
				  enum differ_reason reason, bool got_empty, struct range got,
				  bool want_empty, struct range want)
{
	char texts[2][64];

	say(pair, at, reason, range_text(texts[0], sizeof(texts[0]), got_empty, got),
	    range_text(texts[1], sizeof(texts[1]), want_empty, want));
	return DIFFER_END_DIFFERENT;
}

/* Levels: of tables only where both have the same tables. */
static bool levels_same(struct differ_pair *pair, const struct differ_record *at,
			enum differ_reason reason, u8 got_leaf, u8 got_table, u8 want_leaf,
			u8 want_table)
{
	if (!(pair->program->config.features & FEATURE_DETAILED_GATHER))
		return true;
	return same(pair, at, reason, "levels of removed leaves 0x%llx", got_leaf, want_leaf) &&
	       (pair->loose ||
		same(pair, at, reason, "levels of removed tables 0x%llx", got_table, want_table));
}

static enum differ_end compare_gather(struct differ_pair *pair, const struct differ_record *got,
				      const struct differ_record *want)
{
	const struct walker_gather *a = &got->gather, *b = &want->gather;

	if (!range_same(a->empty, a->range, b->empty, b->range)) {
		/* docs/contract.md: one hull with what waits, "whatever the flush policy" */
		if (got->step.op == ORACLE_DIRTY &&
		    !(pair->program->config.features & FEATURE_FLUSH_RANGE))
			return DIFFER_END_HULL;
		return say_ranges(pair, got, DIFFER_GATHER_RANGE, a->empty, a->range, b->empty,
				  b->range);
	}
	if (!levels_same(pair, got, DIFFER_GATHER_LEVELS, a->leaf_levels, a->table_levels,
			 b->leaf_levels, b->table_levels))
		return DIFFER_END_DIFFERENT;
	return DIFFER_END_NONE;
}

static enum differ_end compare_syncs(struct differ_pair *pair, const struct differ_record *got,
				     const struct differ_record *want)
{
	const struct differ_syncs *a = &got->syncs, *b = &want->syncs;

	/* A map syncs for the empty tables that it replaces, if it gets there before it fails. */
	if (a->lost || b->lost || (got->step.op == ORACLE_MAP && (pair->loose || got->step.error)))
		return DIFFER_END_NONE;
	if (!same(pair, got, DIFFER_SYNC_RANGE, "%llu syncs of everything", a->all, b->all))
		return DIFFER_END_DIFFERENT;
	if (!range_same(!a->nr, a->hull, !b->nr, b->hull))
		return say_ranges(pair, got, DIFFER_SYNC_RANGE, !a->nr, a->hull, !b->nr, b->hull);
	if (!levels_same(pair, got, DIFFER_SYNC_LEVELS, a->leaf_levels, a->table_levels,
			 b->leaf_levels, b->table_levels))
		return DIFFER_END_DIFFERENT;
	if (a->nr > b->nr)
		say_number(pair, got, DIFFER_SYNCS, "%llu syncs", a->nr, b->nr);
	return DIFFER_END_NONE;
}

static void compare_costs(struct differ_pair *pair, const struct differ_record *got,
			  const struct differ_record *want)
{
	const struct host_counts *a = &got->cost, *b = &want->cost;
	const struct {
		enum differ_reason reason;
		const char *text;
		u64 got;
		u64 want;
		bool far; /* right walkers vary: only far more is told */
	} costs[] = {
		{DIFFER_LINES, "%llu lines flushed", a->lines_flushed, b->lines_flushed, false},
		{DIFFER_ALLOCS, "%llu table pages asked for", a->allocs, b->allocs, false},
		{DIFFER_LOADS, "%llu loads", a->loads, b->loads, true},
		{DIFFER_STORES, "%llu stores", a->stores, b->stores, true},
		{DIFFER_DESCENTS, "%llu table pointers followed", a->descents, b->descents, true},
		{DIFFER_FLUSH_CALLS, "%llu calls to flush", a->flushes, b->flushes, true},
	};

	if (pair->loose || got->step.error)
		return;
	for (size_t i = 0; i < ARRAY_NR(costs); i++)
		if (costs[i].got > (costs[i].far ? 2 * costs[i].want + SLACK : costs[i].want))
			say_number(pair, got, costs[i].reason, costs[i].text, costs[i].got,
				   costs[i].want);
}

static enum differ_end compare_walks(struct differ_pair *pair, const struct differ_record *got,
				     const struct differ_record *want)
{
	char texts[2][64];

	for (int i = 0; i < 2; i++) {
		const struct differ_walk *side[] = {&got->walk[i], &want->walk[i]};

		if (side[0]->leaf != side[1]->leaf || side[0]->oa != side[1]->oa) {
			for (int at = 0; at < 2; at++)
				snprintf(texts[at], sizeof(texts[at]),
					 side[at]->leaf ? "the %s byte leads to 0x%llx"
							: "the %s byte leads nowhere",
					 i ? "last" : "first", side[at]->oa);
			say(pair, got, DIFFER_TRANSLATION, texts[0], texts[1]);
			return DIFFER_END_DIFFERENT;
		}
		if (!same(pair, got, DIFFER_SIZES, "a page of 2^%llu bytes", side[0]->size_lg2,
			  side[1]->size_lg2))
			return DIFFER_END_DIFFERENT;
		if (!same(pair, got, DIFFER_ENTRY_BITS, "other bits of the leaf 0x%llx",
			  side[0]->word, side[1]->word))
			break;
	}
	return DIFFER_END_NONE;
}

static enum differ_end compare_open(struct differ_pair *pair, const struct differ_record *got,
				    const struct differ_record *want)
{
	const struct walker_info *a = &got->info, *b = &want->info;

	if (layout_either(&pair->program->config))
		return DIFFER_END_EITHER;
	if (!got->step.error != !want->step.error)
		return got->failed_alloc || want->failed_alloc ? DIFFER_END_MEMORY
							       : say_result(pair, got, want);
	if (got->step.error)
		return DIFFER_END_NONE;
	if (!same(pair, got, DIFFER_PGSIZES, "page sizes 0x%llx", a->pgsizes, b->pgsizes))
		return DIFFER_END_DIFFERENT;
	if (!range_same(false, a->aperture, false, b->aperture))
		say_ranges(pair, got, DIFFER_APERTURE, false, a->aperture, false, b->aperture);
	same(pair, got, DIFFER_ROOT_MODE, "root mode %llu", a->root_mode, b->root_mode);
	return DIFFER_END_NONE;
}

static enum differ_end compare_map(struct differ_pair *pair, const struct differ_record *got,
				   const struct differ_record *want)
{
	bool refused_alloc = got->failed_alloc || want->failed_alloc;
	enum answer a = answer_of(got->step.error), b = answer_of(want->step.error);

	if (got->starved || want->starved)
		return DIFFER_END_MEMORY;
	/* Tables that a failed map took may stay or go, and so may empty ones on its way. */
	pair->loose |=
		refused_alloc || (got->step.error && (got->cost.allocs || want->cost.allocs ||
						      got->cost.frees || want->cost.frees));
	if (a != b && (!a || !b || !refused_alloc))
		return refused_alloc ? DIFFER_END_MEMORY : say_result(pair, got, want);
	if (got->step.value == want->step.value)
		return DIFFER_END_NONE;
	if (!a) {
		same(pair, got, DIFFER_MAPPED, "0x%llx bytes mapped", got->step.value,
		     want->step.value);
		return DIFFER_END_DIFFERENT;
	}
	pair->loose = true;
	if (got->step.nr - 1 < pair->program->ops_nr &&
	    pair->program->op[got->step.nr - 1].code == OP_MAP_UNWIND) {
		pair->unwound = got->step.nr;
		return DIFFER_END_NONE;
	}
	return DIFFER_END_PARTIAL;
}

static enum differ_end compare_unmap(struct differ_pair *pair, const struct differ_record *got,
				     const struct differ_record *want)
{
	u64 a = got->step.value, b = want->step.value;

	if (!got->legal && a != b && (!a || !b))
		return DIFFER_END_UNALIGNED;
	return same(pair, got, DIFFER_REMOVED, "0x%llx bytes removed", a, b) ? DIFFER_END_NONE
									     : DIFFER_END_DIFFERENT;
}

static enum differ_end compare_dirty(struct differ_pair *pair, const struct differ_record *got,
				     const struct differ_record *want)
{
	if (answer_of(got->step.error) != answer_of(want->step.error))
		return !got->legal && (!got->step.error || !want->step.error)
			       ? DIFFER_END_UNALIGNED
			       : say_result(pair, got, want);
	return got->step.error || same(pair, got, DIFFER_REPORTED, "%llu pages reported",
				       got->step.value, want->step.value)
		       ? DIFFER_END_NONE
		       : DIFFER_END_DIFFERENT;
}

/* The answer alone. */
static enum differ_end compare_answer(struct differ_pair *pair, const struct differ_record *got,
				      const struct differ_record *want)
{
	switch (got->step.op) {
	case ORACLE_OPEN:
		return compare_open(pair, got, want);
	case ORACLE_MAP:
		return compare_map(pair, got, want);
	case ORACLE_UNMAP:
		return compare_unmap(pair, got, want);
	case ORACLE_LOOKUP:
		same(pair, got, DIFFER_LOOKUP, "iova_to_phys returns 0x%llx", got->step.value,
		     want->step.value);
		return DIFFER_END_NONE;
	case ORACLE_DIRTY:
		return compare_dirty(pair, got, want);
	case ORACLE_WRITE:
		return same(pair, got, DIFFER_WRITTEN, "%llu items made dirty", got->step.value,
			    want->step.value)
			       ? DIFFER_END_NONE
			       : DIFFER_END_DIFFERENT;
	case ORACLE_SYNC:
	case ORACLE_CLOSE:
	case ORACLE_OP_NR:
		break;
	}
	return DIFFER_END_NONE;
}

enum differ_end differ_compare(struct differ_pair *pair, const struct differ_record *got,
			       const struct differ_record *want)
{
	enum differ_end end = compare_answer(pair, got, want);
	enum oracle_op op = got->step.op;

	pair->differ->steps++;
	if (end || pair->unwound == got->step.nr)
		return end;
	end = compare_walks(pair, got, want);
	if (!end && (op == ORACLE_UNMAP || op == ORACLE_SYNC || op == ORACLE_DIRTY))
		end = compare_gather(pair, got, want);
	if (!end)
		end = compare_syncs(pair, got, want);
	if (!end)
		compare_costs(pair, got, want);
	return end;
}
