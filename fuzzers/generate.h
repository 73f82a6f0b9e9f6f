/*
 * A seeded generator of programs. The same seed gives the same program on every machine. It, not the
 * decoder, makes collisions and edges common: addresses near level edges, the ends of the aperture
 * and of the oa space, the ends of earlier operands; swarm weights (Groce et al., "Swarm testing",
 * 2012): each program draws which operations and operand habits it uses.
 */
#ifndef FUZZERS_GENERATE_H
#define FUZZERS_GENERATE_H

#include "fuzzers/program.h"

/**
 * struct generate_options - what to draw from
 * @formats: mask of 1 << enum format; not 0
 * @features: by format, the features that may be asked for (those the walker documents)
 * @ops_max: longest program, at most PROGRAM_OPS_MAX; 0 means 64
 */
struct generate_options {
	u32 formats;
	u32 features[FORMAT_NR];
	u32 ops_max;
};

void generate_program(struct program *program, u64 seed, const struct generate_options *options);

#endif
