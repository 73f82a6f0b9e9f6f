/* Worst-case search; see fuzzers/maximize.h. */
#include "fuzzers/maximize.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/bits.h"
#include "fuzzers/shrink.h"

#define SHRINK_RUNS 2000

static const char *const words[MAXIMIZE_NR] = {
	[MAXIMIZE_LINES_PER_LEAF] = "lines-per-leaf",
	[MAXIMIZE_LOADS_PER_LEAF] = "loads-per-leaf",
	[MAXIMIZE_ALLOCS] = "allocs",
};

const char *maximize_word(unsigned int measure)
{
	return measure < MAXIMIZE_NR ? words[measure] : NULL;
}

static bool cost_above(struct cost a, struct cost b)
{
	return (unsigned __int128)a.count * b.leaves > (unsigned __int128)b.count * a.leaves;
}

/* One program and the costliest call of each operation in it. */
struct measured {
	const struct maximize *maximize;
	struct {
		struct cost cost;
		u32 step;
	} best[ORACLE_OP_NR];
};

static void on_step(void *arg, const struct step *step, const struct verdicts *verdicts)
{
	struct measured *measured = arg;
	const struct executor *executor = measured->maximize->executor;
	u64 leaves = oracle_leaves(executor->oracle);
	struct cost cost = {0, leaves ? leaves : 1};

	if (verdicts->nr || (step->op != ORACLE_MAP && step->op != ORACLE_UNMAP))
		return;
	switch (measured->maximize->measure) {
	case MAXIMIZE_LINES_PER_LEAF:
		cost.count = executor->host->op.lines_flushed;
		break;
	case MAXIMIZE_LOADS_PER_LEAF:
		cost.count = executor->host->op.loads;
		break;
	case MAXIMIZE_ALLOCS:
		cost.count = executor->host->op.allocs;
		break;
	case MAXIMIZE_NR:
		break;
	}
	if (cost_above(cost, measured->best[step->op].cost)) {
		measured->best[step->op].cost = cost;
		measured->best[step->op].step = step->nr;
	}
}

static void measure(const struct maximize *maximize, const struct walker *walker,
		    const struct program *program, struct measured *measured)
{
	struct execute_watch watch = {.step = on_step, .arg = measured};

	measured->maximize = maximize;
	for (u32 op = 0; op < ORACLE_OP_NR; op++)
		measured->best[op].cost = (struct cost){0, 1};
	oracle_measure(maximize->executor->oracle, true);
	execute(maximize->executor, walker, program, &watch);
	oracle_measure(maximize->executor->oracle, false);
}

static void keep(struct maximize *maximize, const struct walker *walker,
		 const struct program *program, const struct measured *measured)
{
	for (u32 op = 0; op < ORACLE_OP_NR; op++) {
		struct costly *costly = maximize->kept;
		struct costly *end = costly + maximize->kept_nr;

		if (!measured->best[op].cost.count)
			continue;
		while (costly < end &&
		       (costly->op != op || costly->format != program->config.format))
			costly++;
		if (costly < end && !cost_above(measured->best[op].cost, costly->cost))
			continue;
		maximize->kept_nr += costly == end;
		costly->op = (enum oracle_op)op;
		costly->format = program->config.format;
		costly->walker = walker;
		costly->cost = measured->best[op].cost;
		costly->step = measured->best[op].step;
		costly->program = *program;
	}
}

static void mutate_op(struct rng *rng, struct op *op)
{
	u64 bit = 1ull << (11 + rng_below(rng, 46));

	switch (rng_below(rng, 5)) {
	case 0:
		op->iova ^= bit;
		break;
	case 1:
		op->oa ^= bit;
		break;
	case 2:
		op->len = op->len > bit ? op->len - bit : op->len + bit;
		break;
	case 3:
		op->len = op->len >> 1 & ~bits_low(12);
		break;
	case 4:
		op->len = bit;
		break;
	}
}

/* One to three small changes; operands may become illegal, which costs nothing and is not kept. */
static void mutate(struct rng *rng, struct program *program)
{
	for (u32 changes = 1 + rng_below(rng, 3); changes && program->ops_nr; changes--) {
		u32 at = rng_below(rng, program->ops_nr);
		u32 kind = rng_below(rng, 8);

		if (kind == 0 && program->ops_nr > 1) {
			memmove(&program->op[at], &program->op[at + 1],
				(program->ops_nr - at - 1) * sizeof(program->op[0]));
			program->ops_nr--;
		} else if (kind == 1 && program->ops_nr < PROGRAM_OPS_MAX) {
			program->op[program->ops_nr++] = program->op[at];
		} else if (kind == 2 && program->ops_nr > 1) {
			struct op op = program->op[at];
			u32 other = rng_below(rng, program->ops_nr);

			program->op[at] = program->op[other];
			program->op[other] = op;
		} else {
			mutate_op(rng, &program->op[at]);
		}
	}
}

void maximize_once(struct maximize *maximize, const struct walker *walker,
		   const struct generate_options *options)
{
	static const u32 mutants_percent = 60;
	struct program program;
	struct measured measured;

	if (maximize->kept_nr && rng_below(&maximize->rng, 100) < mutants_percent) {
		program = maximize->kept[rng_below(&maximize->rng, maximize->kept_nr)].program;
		mutate(&maximize->rng, &program);
	} else {
		generate_program(&program, rng_u64(&maximize->rng), options);
	}
	measure(maximize, walker, &program, &measured);
	keep(maximize, walker, &program, &measured);
	maximize->programs++;
}

/* What shrinking keeps: an operation that costs at least as much. */
struct at_least {
	struct maximize *maximize;
	const struct costly *costly;
};

static bool costs_as_much(void *arg, const struct program *candidate, struct failure *failure)
{
	struct at_least *at_least = arg;
	const struct costly *costly = at_least->costly;
	struct measured measured;

	measure(at_least->maximize, costly->walker, candidate, &measured);
	failure->step = measured.best[costly->op].step;
	failure->verdict.legal = true;
	return measured.best[costly->op].cost.count &&
	       !cost_above(costly->cost, measured.best[costly->op].cost);
}

static int by_cost(const void *a, const void *b)
{
	const struct costly *one = a, *other = b;

	if (cost_above(one->cost, other->cost))
		return -1;
	return cost_above(other->cost, one->cost);
}

void maximize_shrink(struct maximize *maximize)
{
	for (u32 i = 0; i < maximize->kept_nr; i++) {
		struct costly *costly = &maximize->kept[i];
		struct at_least at_least = {maximize, costly};
		struct program small = costly->program;
		struct measured measured;

		shrink_by(&small, SHRINK_RUNS, costs_as_much, &at_least);
		costly->program = small;
		measure(maximize, costly->walker, &small, &measured);
		costly->cost = measured.best[costly->op].cost;
		costly->step = measured.best[costly->op].step;
	}
	qsort(maximize->kept, maximize->kept_nr, sizeof(maximize->kept[0]), by_cost);
}
