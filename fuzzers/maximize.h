/*
 * Worst-case search: programs in which an operation costs the most, by hill climbing. Fresh programs of
 * the generator and mutants of the best so far are run; for each operation and format the costliest is
 * kept. What is kept at the end shows what a performance regression would look like: compare two trees.
 *
 * Deterministic: the same walkers, seed and number of programs give the same result.
 */
#ifndef FUZZERS_MAXIMIZE_H
#define FUZZERS_MAXIMIZE_H

#include "core/base/rng.h"
#include "fuzzers/execute.h"
#include "fuzzers/generate.h"

enum maximize_measure {
	MAXIMIZE_LINES_PER_LEAF,
	MAXIMIZE_LOADS_PER_LEAF,
	MAXIMIZE_ALLOCS,
	MAXIMIZE_NR
};

/* Cost as a fraction, so that comparing it is exact. */
struct cost {
	u64 count;
	u64 leaves; /* 1 where none was touched */
};

/* The costliest program of an operation and a format. */
struct costly {
	enum oracle_op op;
	enum format format;
	const struct walker *walker;
	struct cost cost;
	u32 step;
	struct program program;
};

#define MAXIMIZE_KEPT (FORMAT_NR * ORACLE_OP_NR)

struct maximize {
	struct executor *executor;
	enum maximize_measure measure;
	struct rng rng;
	u32 kept_nr;
	struct costly kept[MAXIMIZE_KEPT];
	u64 programs;
};

/* maximize_word() - the measure as an option's value, NULL beyond the last */
const char *maximize_word(unsigned int measure);

/* maximize_once() - runs one more program on @walker: new or a mutant */
void maximize_once(struct maximize *maximize, const struct walker *walker,
		   const struct generate_options *options);

/* maximize_shrink() - makes all kept programs small without making them cheaper, and sorts them */
void maximize_shrink(struct maximize *maximize);

#endif
