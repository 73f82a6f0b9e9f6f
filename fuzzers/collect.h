/*
 * Collect mode: a run goes on after a violation. Each signature is shrunk when it is first seen and
 * written to the findings folder as a program in text form, with what it shows in comments, known ones
 * too; from then on it is counted. Several processes may share a folder: files are replaced whole, and
 * each process writes its own statistics.
 */
#ifndef FUZZERS_COLLECT_H
#define FUZZERS_COLLECT_H

#include "fuzzers/execute.h"
#include "fuzzers/known.h"

#define COLLECT_MAX 512

/* One signature that has been seen. */
struct finding {
	char signature[VERDICT_SIGNATURE_MAX];
	struct verdict verdict; /* of the shrunk program */
	const char *known;	/* reason of the list, or NULL */
	u64 count;
	u32 ops_nr;
};

/**
 * struct collect - the findings of this process
 * @folder: where files go; NULL: nowhere, findings are only kept here
 * @origin: the tree that the walkers come from
 * @fresh: seen for the first time in the program that is running, to be shrunk after it
 */
struct collect {
	const char *folder;
	const char *origin;
	const char *walker;
	const struct known *known;
	u32 nr;
	u32 new_nr; /* of them not known */
	struct finding *finding;
	u32 fresh[VERDICTS_MAX];
	u32 fresh_nr;
	u64 programs; /* without those that shrinking took */
	u64 operations;
	int write_error; /* -errno of the first reproducer that could not be written, or 0 */
	struct executor *executor;
	double seconds_started;
};

/*
 * collect_create() - @folder is made when missing; NULL with a line in @error when it can't be used
 */
struct collect *collect_create(struct executor *executor, const char *folder, const char *walker,
			       const char *origin, const struct known *known, char *error,
			       size_t error_bytes);
void collect_destroy(struct collect *collect);

/* collect_run() - executes @program and takes in what it shows. Returns how many were new. */
u32 collect_run(struct collect *collect, const struct walker *walker,
		const struct program *program);

/* collect_text() - the findings as JSON (one object: walker, tree, seconds, programs, operations, findings), to be freed by the caller; NULL without memory */
char *collect_text(const struct collect *collect);

/* collect_write() - writes stats-PID.json. Returns 0 or -errno. */
int collect_write(const struct collect *collect);

/* collect_now() - seconds of the monotonic clock; for progress only, never for a decision */
double collect_now(void);

#endif
