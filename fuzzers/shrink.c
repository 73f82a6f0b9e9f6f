/*
 * The shrinker; see fuzzers/shrink.h. Each pass proposes a smaller program and keeps it if it still
 * fails with the signature. Addresses move jointly where they can (the same bits cleared in all
 * operations), since moving one alone mostly breaks what two operations have to do with each other.
 */
#include "fuzzers/shrink.h"
#include "fuzzers/differ.h"

#include <string.h>

#include "core/base/bits.h"

struct shrinker {
	shrink_keeps *keeps;
	void *arg;
	struct program *program;
	u32 runs;
	u32 runs_max;
	bool legal;
};

struct sought {
	const char *signature;
	bool found;
	struct failure *failure;
};

static bool on_found(void *arg, const struct step *step, const struct verdict *verdict)
{
	struct sought *sought = arg;
	char text[VERDICT_SIGNATURE_MAX];

	if (!sought->found && !strcmp(verdict_signature(verdict, text), sought->signature)) {
		sought->found = true;
		sought->failure->step = step->nr;
		sought->failure->verdict = *verdict;
	}
	return !sought->found;
}

bool shrink_fails(struct executor *executor, const struct walker *walker,
		  const struct program *program, const char *signature, struct failure *failure)
{
	struct sought sought = {signature, false, failure};
	struct execute_watch watch = {.found = on_found, .arg = &sought};
	bool watchful = executor->watchful;

	executor->watchful = true; /* what a smaller program shows must not depend on its digest */
	differ_execute(executor, walker, program, &watch);
	executor->watchful = watchful;
	return sought.found;
}

static bool try(struct shrinker *shrinker, const struct program *candidate)
{
	struct failure failure;

	if (shrinker->runs >= shrinker->runs_max)
		return false;
	shrinker->runs++;
	if (!shrinker->keeps(shrinker->arg, candidate, &failure) ||
	    (shrinker->legal && !failure.verdict.legal))
		return false;
	shrinker->legal = failure.verdict.legal;
	*shrinker->program = *candidate;
	return true;
}

static void ops_remove(struct program *program, u32 first, u32 nr)
{
	memmove(&program->op[first], &program->op[first + nr],
		(program->ops_nr - first - nr) * sizeof(program->op[0]));
	program->ops_nr -= nr;
}

/* Blocks of half the program first, then smaller ones, then pairs and single operations. */
static bool pass_ops(struct shrinker *shrinker)
{
	struct program candidate;
	bool any = false;

	for (u32 block = (shrinker->program->ops_nr + 1) / 2; block; block /= 2) {
		u32 at = shrinker->program->ops_nr;

		while (at) {
			u32 nr = block < at ? block : at;

			at -= nr;
			candidate = *shrinker->program;
			ops_remove(&candidate, at, nr);
			any |= try(shrinker, &candidate);
			if (at > shrinker->program->ops_nr)
				at = shrinker->program->ops_nr;
		}
	}
	return any;
}

/* Two operations that only fail together, such as a map and its unmap, when the program is short. */
static bool pass_pairs(struct shrinker *shrinker)
{
	struct program candidate;
	bool any = false;

	if (shrinker->program->ops_nr > 24)
		return false;
	for (u32 i = 0; i + 1 < shrinker->program->ops_nr; i++) {
		for (u32 j = i + 1; j < shrinker->program->ops_nr; j++) {
			candidate = *shrinker->program;
			ops_remove(&candidate, j, 1);
			ops_remove(&candidate, i, 1);
			if (try(shrinker, &candidate)) {
				any = true;
				j = i;
			}
		}
	}
	return any;
}

/* By field: what is between the fields is anything. */
static bool config_same(const struct config *a, const struct config *b)
{
	return a->format == b->format && a->vasz_lg2 == b->vasz_lg2 && a->oasz_lg2 == b->oasz_lg2 &&
	       a->top_level == b->top_level && a->encrypt_bit == b->encrypt_bit &&
	       a->features == b->features && a->pgsizes == b->pgsizes;
}

static bool try_header(struct shrinker *shrinker, const struct program_header *header)
{
	struct program candidate = *shrinker->program;

	program_resolve(&candidate, header);
	if (config_same(&candidate.config, &shrinker->program->config) &&
	    candidate.tables_pa == shrinker->program->tables_pa &&
	    candidate.scatter_lg2 == shrinker->program->scatter_lg2)
		return false;
	return try(shrinker, &candidate);
}

/*
 * Everything plain, then each choice on its own, then each feature as it usually is. Only ever towards
 * the plain ones, so that there is an end.
 */
static bool pass_config(struct shrinker *shrinker)
{
	struct program_header header = {.format = shrinker->program->config.format};
	bool any = try_header(shrinker, &header);

#define TRY_PLAIN(field)                                    \
	do {                                                \
		program_header(&header, shrinker->program); \
		header.field = 0;                           \
		any |= try_header(shrinker, &header);       \
	} while (0)
	TRY_PLAIN(pgsizes);
	TRY_PLAIN(scatter);
	TRY_PLAIN(tables_pa);
	TRY_PLAIN(features);
	TRY_PLAIN(top);
	TRY_PLAIN(vasz);
	TRY_PLAIN(oasz);
	TRY_PLAIN(encrypt_bit);
#undef TRY_PLAIN
	for (unsigned int bit = 0; bit < FEATURE_NR; bit++) {
		program_header(&header, shrinker->program);
		if (!(header.features >> bit & 1))
			continue;
		header.features ^= 1u << bit;
		any |= try_header(shrinker, &header);
	}
	return any;
}

/* The same bit of all iovas, or of all oas, cleared at once; from the highest down. */
static bool pass_addresses(struct shrinker *shrinker)
{
	struct program candidate;
	bool any = false;

	for (int bit = 63; bit >= 0; bit--) {
		for (int which = 0; which < 3; which++) {
			bool changes = false;

			candidate = *shrinker->program;
			for (u32 i = 0; i < candidate.ops_nr; i++) {
				struct op *op = &candidate.op[i];
				u64 mask = ~(1ull << bit);

				changes |= (which != 1 && op->iova & ~mask) ||
					   (which != 0 && op->oa & ~mask);
				op->iova &= which != 1 ? mask : ~0ull;
				op->oa &= which != 0 ? mask : ~0ull;
			}
			if (changes)
				any |= try(shrinker, &candidate);
		}
	}
	return any;
}

static bool op_same(const struct op *a, const struct op *b)
{
	return a->code == b->code && a->prot == b->prot && a->iova == b->iova && a->oa == b->oa &&
	       a->len == b->len && a->n == b->n && a->clear == b->clear;
}

static bool try_op(struct shrinker *shrinker, u32 i, struct op op)
{
	struct program candidate = *shrinker->program;

	if (op_same(&candidate.op[i], &op))
		return false;
	candidate.op[i] = op;
	return try(shrinker, &candidate);
}

/* The first allocation that will do. */
static bool shorten_n(struct shrinker *shrinker, u32 i)
{
	struct op op = shrinker->program->op[i];

	for (op.n = 1; op.n < shrinker->program->op[i].n; op.n++)
		if (try_op(shrinker, i, op))
			return true;
	return false;
}

/* Each operand alone: shorter, rounder, plainer. */
static bool pass_operands(struct shrinker *shrinker)
{
	bool any = false;

	for (u32 i = 0; i < shrinker->program->ops_nr; i++) {
		struct op op = shrinker->program->op[i];
		u64 len = op.len;

		op.prot = MAP_PROT_READ | MAP_PROT_WRITE;
		if (shrinker->program->op[i].prot)
			any |= try_op(shrinker, i, op);
		op = shrinker->program->op[i];
		op.code = op.code == OP_MAP_UNWIND ? OP_MAP : op.code;
		any |= try_op(shrinker, i, op);
		any |= shorten_n(shrinker, i);
		op = shrinker->program->op[i];
		op.clear = false;
		any |= try_op(shrinker, i, op);
		for (unsigned int lg2 = 11; len && lg2 < bits_highest(len); lg2++) {
			op = shrinker->program->op[i];
			op.len = 1ull << lg2;
			if (op.len < shrinker->program->op[i].len && try_op(shrinker, i, op)) {
				any = true;
				break;
			}
		}
		for (int bit = 63; bit >= 0; bit--) {
			op = shrinker->program->op[i];
			op.iova &= ~(1ull << bit);
			any |= try_op(shrinker, i, op);
			op = shrinker->program->op[i];
			op.oa &= ~(1ull << bit);
			any |= try_op(shrinker, i, op);
			op = shrinker->program->op[i];
			if (op.len & (op.len - 1))
				op.len &= ~(1ull << bit);
			any |= try_op(shrinker, i, op);
		}
	}
	return any;
}

/* What shrink() keeps: a signature. */
struct same_failure {
	struct executor *executor;
	const struct walker *walker;
	const char *signature;
};

static bool fails_the_same(void *arg, const struct program *candidate, struct failure *failure)
{
	const struct same_failure *same = arg;

	return shrink_fails(same->executor, same->walker, candidate, same->signature, failure);
}

u32 shrink(struct executor *executor, const struct walker *walker, struct program *program,
	   const char *signature, u32 runs_max)
{
	struct same_failure same = {executor, walker, signature};

	return shrink_by(program, runs_max, fails_the_same, &same);
}

u32 shrink_by(struct program *program, u32 runs_max, shrink_keeps *keeps, void *arg)
{
	struct shrinker shrinker = {keeps, arg, program, 1, runs_max, false};
	struct failure failure;

	if (!runs_max)
		return 0;
	if (!keeps(arg, program, &failure))
		return 1;
	shrinker.legal = failure.verdict.legal;
	if (failure.step && failure.step < program->ops_nr) {
		struct program candidate = *program;

		candidate.ops_nr = failure.step;
		try(&shrinker, &candidate);
	}
	for (int round = 0; round < 4 && shrinker.runs < runs_max; round++) {
		bool any = pass_ops(&shrinker);

		any |= pass_pairs(&shrinker);
		any |= pass_config(&shrinker);
		any |= pass_addresses(&shrinker);
		any |= pass_operands(&shrinker);
		if (!any)
			break;
	}
	return shrinker.runs;
}
