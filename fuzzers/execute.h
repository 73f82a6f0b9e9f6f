/*
 * Executing a program: a machine, a walker on it, an oracle beside it. After a violation a program goes
 * on if its rule allows it and the caller wants it. A walker that runs away or traps is left, and the
 * program ends with that as its verdict.
 */
#ifndef FUZZERS_EXECUTE_H
#define FUZZERS_EXECUTE_H

#include "core/host/host.h"
#include "core/walker.h"
#include "fuzzers/bitmap.h"
#include "fuzzers/program.h"
#include "oracle/oracle.h"

struct differ;

/* What one call of the walker answered, for those who print or measure. */
struct step {
	u32 nr;		   /* 0 is open, 1.. the program's operations, ops_nr + 1 the close */
	enum oracle_op op; /* map-unwind shows as a map, an unmap and a sync of the same number */
	int error;	   /* open, map, dirty */
	u64 value; /* map: mapped; unmap: removed; lookup: oa; write: items made dirty; dirty: bits set */
	u64 iova;
	u64 oa;
	u64 len;
	u32 prot;
	bool clear;
	const struct walker_gather *gather;
};

/**
 * struct execute_watch - who is told; every function may be NULL
 * @before: about to call the walker, or the device about to write
 * @step: a call returned and was checked; @verdicts may be empty
 * @found: one violation; returning false ends the program
 */
struct execute_watch {
	void (*before)(void *arg, const struct step *step);
	void (*step)(void *arg, const struct step *step, const struct verdicts *verdicts);
	bool (*found)(void *arg, const struct step *step, const struct verdict *verdict);
	void *arg;
};

/**
 * struct executor - what is kept from program to program
 * @paranoid: check everything after each operation, and notice unreported stores
 * @watchful: the device has caches in each program, not only in some
 * @unchecked: run the walker only, for benchmarks
 * @against: the other walker of differential mode, of differ_execute(); or NULL
 */
struct executor {
	struct host *host;
	struct oracle *oracle;
	void *memory;
	size_t memory_bytes;
	bool paranoid;
	bool watchful;
	bool unchecked;
	struct differ *against;
	u64 programs;
	u64 operations;
	struct walker_table *table;
	struct walker_gather gather;
	u8 page_lg2; /* smallest allowed page of the open table */
	struct bitmap bitmap;
};

/*
 * Table pages of the machine that programs run on, in every engine and in replay, so that what one finds
 * the other shows. It bounds the work of one operation: some 65,000 leaves, a few milliseconds.
 */
#define EXECUTE_PAGES 128

/* executor_create() - a machine of @pages_max table pages; NULL when memory is short */
struct executor *executor_create(u32 pages_max);
void executor_destroy(struct executor *executor);

/* execute() - runs @program on @walker from a new machine to the closed table */
void execute(struct executor *executor, const struct walker *walker, const struct program *program,
	     const struct execute_watch *watch);

/* execute_host_config() - the machine that @program asks for */
struct host_config execute_host_config(const struct program *program, bool slow);

#endif
