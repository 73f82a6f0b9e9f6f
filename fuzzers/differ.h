/*
 * Differential mode: a program runs on a second walker, on a machine of its own with an oracle of its
 * own, then on the first, and each step of the first is compared with that of the second. What differs
 * is a violation of the rule `differs`, got from this walker, want from the other: fuzzers/differ.def
 * lists what is compared and how closely.
 *
 * What the contract leaves to walkers is no difference: which errno refuses; how far a failed map got;
 * tables that it left behind, hence what later operations allocate, flush, sync and cost (no longer
 * compared then); unaligned operands refused or not; whether a config of layout_either() opens. Where
 * such a choice leaves the two with different things mapped or waiting, the comparison ends. So it does
 * where a walker breaks another rule, since that explains what follows. Ends are counted.
 *
 * Each oracle proves its walker's tables equal to its model, and the models follow from the operands
 * and the answers. So equal answers are equal translations, as far as the oracle is right; the walks
 * over both device views, at both ends of each range, don't rely on it.
 */
#ifndef FUZZERS_DIFFER_H
#define FUZZERS_DIFFER_H

#include "fuzzers/execute.h"

enum differ_reason {
#define DIFFER(id, word, sentence) DIFFER_##id,
#include "fuzzers/differ.def"
	DIFFER_NR
};

enum differ_end {
#define DIFFER_END(id, sentence) DIFFER_END_##id,
#include "fuzzers/differ.def"
	DIFFER_END_NR
};

#define DIFFER_RECORDS_MAX (3 * PROGRAM_OPS_MAX + 4)
#define DIFFER_FOUND_MAX   64

/* The syncs of one operation. @lost: some are no longer in the machine's record of events. */
struct differ_syncs {
	u32 nr;
	bool all;
	bool lost;
	struct range hull;
	u8 leaf_levels;
	u8 table_levels;
};

/* What hardware finds at one iova; @word is the entry without bits that don't count. */
struct differ_walk {
	bool leaf;
	u8 size_lg2;
	u64 oa;
	u64 word;
};

/**
 * struct differ_record - one step of one side
 * @step: with @gather in place of what its gather points to
 * @legal: the caller kept its part of the contract in this operation
 * @left: the operation did not return
 * @mapped_bytes: what is mapped afterwards
 * @walk: at the first and the last byte that was mapped or removed
 * @info: of an open that succeeded
 */
struct differ_record {
	struct step step;
	struct walker_gather gather;
	struct host_counts cost;
	bool legal;
	bool left;
	bool failed_alloc;
	bool starved;
	u64 mapped_bytes;
	struct differ_walk walk[2];
	struct walker_info info;
	struct differ_syncs syncs;
};

/* A violation of another rule by the other walker. */
struct differ_found {
	struct step step;
	struct verdict verdict;
};

/**
 * struct differ - the other side, and how comparisons ended
 * @despite: compare also where a side breaks another rule
 * @speaking: it is the differ that calls execute_watch's found, not the oracle of this walker
 * @steps: compared so far
 * @ended: set by who counts, from what differ_execute() returns
 */
struct differ {
	const struct walker *walker;
	struct executor *executor;
	bool despite;
	bool speaking;
	u64 steps;
	u64 ended[DIFFER_END_NR];
	/* of the program that runs */
	u32 records_nr;
	u32 found_nr;
	struct differ_record record[DIFFER_RECORDS_MAX];
	struct differ_found found[DIFFER_FOUND_MAX];
	const struct differ_record *current;
};

/* differ_create() - to compare with @other; NULL when memory is short */
struct differ *differ_create(const struct walker *other, u32 pages_max);
void differ_destroy(struct differ *differ);

/*
 * differ_execute() - execute(), and if @executor->against is set, on both walkers
 * Violations of the other walker come to @watch too, their `got` prefixed with "other: ".
 */
enum differ_end differ_execute(struct executor *executor, const struct walker *walker,
			       const struct program *program, const struct execute_watch *watch);

/* differ_other() - inside a watch's step or found: what the other walker did in this step, or NULL */
const struct differ_record *differ_other(const struct differ *differ);

/* Words of differ.def. */
const char *differ_word(unsigned int reason);
const char *differ_sentence(unsigned int reason);
const char *differ_end_sentence(unsigned int end);

/* differ_record.c: @record becomes the step that @executor has just made on @walker */
void differ_record(struct differ_record *record, const struct executor *executor,
		   const struct walker *walker, const struct step *step);

/**
 * struct differ_pair - a program on its way through both sides
 * @loose: their tables may differ by now, so that costs do
 */
struct differ_pair {
	const struct program *program;
	const struct execute_watch *watch;
	struct differ *differ;
	struct executor *executor;
	const struct walker *walker;
	enum differ_end end;
	u32 at;	     /* records of the other side that are done with */
	u32 told;    /* violations of the other side that were passed on */
	u32 unwound; /* number of the map-unwind that left prefixes of two lengths; 0: none */
	bool own;    /* this side broke another rule */
	bool loose;
	struct differ_record last;
};

/* differ_compare.c: says what differs between the two steps; returns why the comparison ends, if so */
enum differ_end differ_compare(struct differ_pair *pair, const struct differ_record *got,
			       const struct differ_record *want);

#endif
