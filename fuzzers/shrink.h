/*
 * Making a failing program small while it keeps failing in the same way (the same signature): fewer
 * operations, a plainer config, rounder operands. Deterministic; bounded by a number of executions.
 */
#ifndef FUZZERS_SHRINK_H
#define FUZZERS_SHRINK_H

#include "fuzzers/execute.h"

#define SHRINK_RUNS_DEFAULT 4000

/*
 * shrink() - makes @program smaller in place
 * @signature: what it fails with; it does so before and after. A program whose caller keeps the rules
 *	is not made into one whose caller doesn't.
 * @runs_max: at most this many executions
 * Returns the number of executions used.
 */
u32 shrink(struct executor *executor, const struct walker *walker, struct program *program,
	   const char *signature, u32 runs_max);

/**
 * struct failure - how a program fails with the signature that is looked for
 * @step: number of the step
 * @verdict: the violation
 */
struct failure {
	u32 step;
	struct verdict verdict;
};

/*
 * shrink_by() - the same for any property: @keeps says whether a candidate still has it, and fills the
 * step and the verdict's @legal of the failure
 */
typedef bool shrink_keeps(void *arg, const struct program *candidate, struct failure *failure);
u32 shrink_by(struct program *program, u32 runs_max, shrink_keeps *keeps, void *arg);

/* shrink_fails() - whether @program fails with @signature; @failure is the first time it does */
bool shrink_fails(struct executor *executor, const struct walker *walker,
		  const struct program *program, const char *signature, struct failure *failure);

#endif
