/* One program on its way: what the files of the executor share, and nobody else. */
#ifndef FUZZERS_RUN_H
#define FUZZERS_RUN_H

#include "fuzzers/execute.h"

/**
 * struct execution - a program that runs
 * @step: the call being made
 * @fail_next: the allocation to refuse in the next call that can allocate; 0: none
 * @stop: it can't go on
 */
struct execution {
	struct executor *executor;
	const struct walker *walker;
	const struct program *program;
	const struct execute_watch *watch;
	struct step step;
	u32 fail_next;
	bool stop;
};

/* run_begin() - the walker is about to be called: false when this call must not be made */
bool run_begin(struct execution *run, enum oracle_op op, const struct op *operands);

/* run_end() - the walker has answered, and @verdicts is what the oracle says of it */
void run_end(struct execution *run, const struct verdicts *verdicts);

/* run_gather() - what the gather holds now */
struct oracle_gather run_gather(const struct execution *run);

/* No violation. */
extern const struct verdicts run_none;

/* run_dirty.c: OP_WRITE and OP_DIRTY */
void run_write(struct execution *run, const struct op *op);
void run_dirty(struct execution *run, const struct op *op);

#endif
