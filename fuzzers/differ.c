/* Running a program on two walkers; see fuzzers/differ.h. */
#include "fuzzers/differ.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *word;
	const char *sentence;
} reasons[DIFFER_NR] = {
#define DIFFER(id, word, sentence) {word, sentence},
#include "fuzzers/differ.def"
};

static const char *const ends[DIFFER_END_NR] = {
#define DIFFER_END(id, sentence) sentence,
#include "fuzzers/differ.def"
};

const char *differ_word(unsigned int reason)
{
	return reason < DIFFER_NR ? reasons[reason].word : NULL;
}

const char *differ_sentence(unsigned int reason)
{
	return reason < DIFFER_NR ? reasons[reason].sentence : NULL;
}

const char *differ_end_sentence(unsigned int end)
{
	return end < DIFFER_END_NR ? ends[end] : NULL;
}

struct differ *differ_create(const struct walker *other, u32 pages_max)
{
	struct differ *differ = calloc(1, sizeof(*differ));

	if (!differ)
		return NULL;
	differ->walker = other;
	differ->executor = executor_create(pages_max);
	if (differ->executor)
		return differ;
	free(differ);
	return NULL;
}

void differ_destroy(struct differ *differ)
{
	if (differ)
		executor_destroy(differ->executor);
	free(differ);
}

const struct differ_record *differ_other(const struct differ *differ)
{
	return differ->current;
}

/* ---- the other side, which runs first ---- */

static bool other_found(void *arg, const struct step *step, const struct verdict *verdict)
{
	struct differ *differ = arg;
	struct differ_found *found = &differ->found[differ->found_nr];

	if (differ->found_nr == DIFFER_FOUND_MAX)
		return true;
	found->step = *step;
	found->verdict = *verdict;
	snprintf(found->verdict.got, sizeof(found->verdict.got), "other: %.*s",
		 VERDICT_TEXT_MAX - 8, verdict->got);
	differ->found_nr++;
	return true;
}

static void other_step(void *arg, const struct step *step, const struct verdicts *verdicts)
{
	struct differ *differ = arg;

	if (differ->records_nr < DIFFER_RECORDS_MAX)
		differ_record(&differ->record[differ->records_nr++], differ->executor,
			      differ->walker, step);
}

/* Passes on what was found of the other side up to step @nr. */
static void other_tell(struct differ_pair *pair, u32 nr)
{
	struct differ *differ = pair->differ;

	differ->speaking = true;
	for (; pair->told < differ->found_nr && differ->found[pair->told].step.nr <= nr;
	     pair->told++) {
		const struct differ_found *found = &differ->found[pair->told];

		if (pair->watch->found)
			pair->watch->found(pair->watch->arg, &found->step, &found->verdict);
	}
	differ->speaking = false;
}

/* Whether the other side broke a rule before or in step @nr; some are found between two steps. */
static bool other_broke(const struct differ *differ, u32 nr)
{
	return differ->found_nr && differ->found[0].step.nr <= nr;
}

/* ---- this side ---- */

static void pair_before(void *arg, const struct step *step)
{
	struct differ_pair *pair = arg;

	if (pair->watch->before)
		pair->watch->before(pair->watch->arg, step);
}

static bool pair_found(void *arg, const struct step *step, const struct verdict *verdict)
{
	struct differ_pair *pair = arg;

	pair->own = true;
	return !pair->watch->found || pair->watch->found(pair->watch->arg, step, verdict);
}

/* The other side's call of the same operation in the same step; the two may differ in their number. */
static const struct differ_record *pair_find(struct differ_pair *pair, const struct step *step)
{
	struct differ *differ = pair->differ;

	while (pair->at < differ->records_nr && differ->record[pair->at].step.nr < step->nr)
		pair->at++;
	for (u32 i = pair->at; i < differ->records_nr && differ->record[i].step.nr == step->nr; i++)
		if (differ->record[i].step.op == step->op)
			return &differ->record[i];
	return NULL;
}

/* After an unwinding from prefixes of two lengths: whether both are again where they were. */
static bool pair_rejoins(const struct differ_pair *pair)
{
	const struct differ_record *a = &pair->last, *b;

	if (!pair->at)
		return false;
	b = &pair->differ->record[pair->at - 1];
	return a->mapped_bytes == b->mapped_bytes && a->gather.empty == b->gather.empty &&
	       (a->gather.empty || (a->gather.range.first == b->gather.range.first &&
				    a->gather.range.last == b->gather.range.last));
}

static enum differ_end pair_compare(struct differ_pair *pair, const struct differ_record *got,
				    const struct differ_record *want)
{
	bool despite = pair->differ->despite;

	if (got->left || (pair->own && !despite))
		return DIFFER_END_OWN;
	if ((want && want->left) || (other_broke(pair->differ, got->step.nr) && !despite))
		return DIFFER_END_OTHER;
	if (pair->unwound && got->step.nr > pair->unwound) {
		pair->unwound = 0;
		if (!pair_rejoins(pair))
			return DIFFER_END_PARTIAL;
	}
	if (pair->unwound) /* here only one may have something to undo */
		return DIFFER_END_NONE;
	return want ? differ_compare(pair, got, want) : DIFFER_END_UNJUDGED;
}

static void pair_step(void *arg, const struct step *step, const struct verdicts *verdicts)
{
	struct differ_pair *pair = arg;
	struct differ_record got;

	pair->differ->current = pair_find(pair, step);
	if (pair->watch->step)
		pair->watch->step(pair->watch->arg, step, verdicts);
	if (!pair->end) {
		differ_record(&got, pair->executor, pair->walker, step);
		pair->end = pair_compare(pair, &got, pair->differ->current);
		pair->last = got;
	}
	other_tell(pair, step->nr);
	pair->differ->current = NULL;
}

/* Whether both walkers have what @program needs. */
static bool both_can(const struct walker *a, const struct walker *b, const struct program *program)
{
	bool same = !a->read_and_clear_dirty == !b->read_and_clear_dirty;

	if (!(a->formats & b->formats & 1u << program->config.format) ||
	    (a->iova_lg2 & 63) != (b->iova_lg2 & 63) || (a->oa_lg2 & 63) != (b->oa_lg2 & 63))
		return false;
	for (u32 i = 0; i < program->ops_nr && !same; i++)
		if (program->op[i].code == OP_DIRTY)
			return false;
	return true;
}

enum differ_end differ_execute(struct executor *executor, const struct walker *walker,
			       const struct program *program, const struct execute_watch *watch)
{
	struct differ *differ = executor->against;
	struct execute_watch other = {.step = other_step, .found = other_found, .arg = differ};
	struct differ_pair pair = {
		.program = program,
		.watch = watch,
		.differ = differ,
		.executor = executor,
		.walker = walker,
	};
	struct execute_watch both = {pair_before, pair_step, pair_found, &pair};

	if (!differ) {
		execute(executor, walker, program, watch);
		return DIFFER_END_NONE;
	}
	differ->records_nr = differ->found_nr = 0;
	differ->executor->paranoid = executor->paranoid;
	differ->executor->watchful = executor->watchful;
	if (both_can(walker, differ->walker, program))
		execute(differ->executor, differ->walker, program, &other);
	if (!differ->records_nr)
		pair.end = DIFFER_END_UNJUDGED;
	execute(executor, walker, program, &both);
	other_tell(&pair, ~0u);
	if (!pair.end && !pair.last.step.gather)
		pair.end = DIFFER_END_UNJUDGED;
	if (!pair.end && !differ->despite && (pair.own || differ->found_nr))
		pair.end = pair.own ? DIFFER_END_OWN : DIFFER_END_OTHER;
	return pair.end;
}
