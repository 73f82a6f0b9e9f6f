/*
 * What the two measurements of `ptfuzz bench` share: its options.
 */
#ifndef TOOLS_BENCH_H
#define TOOLS_BENCH_H

#include "tools/command.h"

struct bench_options {
	struct walker_options walker;
	u32 formats;
	u64 seed;
	const char *vs; /* --vs: a Linux tree, or "native" */
	const char *json;
	bool harness;
};

/* bench_harness() - what checking costs. Returns an exit status. */
int bench_harness(const struct bench_options *options);

/* bench_speed() - two walkers beside each other, without checks. Returns an exit status. */
int bench_speed(const struct bench_options *options);

#endif
