/*
 * Every config that is worth opening: all vasz and tops, oasz at the edges that formats have, and the feature
 * sets that in-tree drivers ask for, each also with any one feature more or less. Shared by
 * test_configs.c (toy walkers) and linux_configs.c (a tree's).
 */
#ifndef TESTS_CONFIG_SWEEP_H
#define TESTS_CONFIG_SWEEP_H

#include "fuzzers/execute.h"

/**
 * struct intree - what an in-tree driver passes (docs/formats.md, "What in-tree drivers ask for")
 */
struct intree {
	enum format format;
	u32 features;
	u8 vasz;
	u8 oasz;
	u8 top;
};

extern const struct intree intree[];
extern const u32 intree_nr;

/**
 * struct sweep - a walk through all configs
 * @stride: every how many-th config; 1 is all
 * @found: told of each violation; @program is what shows it
 * @opened: how many opened
 */
struct sweep {
	struct executor *executor;
	const struct walker *walker;
	u32 stride;
	void (*found)(void *arg, const struct program *program, const struct verdict *verdict);
	void *arg;
	u64 configs;
	u64 opened;
	struct program program;
};

/* sweep_one() - opens the walker with @config, maps and removes its first page, closes it */
void sweep_one(struct sweep *sweep, const struct config *config);

/* sweep_format() - all configs of @format */
void sweep_format(struct sweep *sweep, enum format format);

#endif
