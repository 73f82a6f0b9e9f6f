/*
 * A small deterministic random number generator: splitmix64 (Steele, Lea and Flood, "Fast splittable
 * pseudorandom number generators", 2014). The same seed gives the same programs on every machine.
 */
#ifndef CORE_BASE_RNG_H
#define CORE_BASE_RNG_H

#include "core/base/types.h"

struct rng {
	u64 state;
};

static inline struct rng rng_make(u64 seed)
{
	struct rng rng = {seed};

	return rng;
}

static inline u64 rng_u64(struct rng *rng)
{
	u64 z = rng->state += 0x9e3779b97f4a7c15ull;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

/* rng_below() - a number from 0 to @limit - 1; @limit must not be 0. Biased by less than 2^-32. */
static inline u32 rng_below(struct rng *rng, u32 limit)
{
	return (u32)(((rng_u64(rng) >> 32) * limit) >> 32);
}

/* rng_one_in() - true once in @n calls on average */
static inline bool rng_one_in(struct rng *rng, u32 n)
{
	return rng_below(rng, n) == 0;
}

#endif
