/*
 * run_leaf() of oracle/model.c against the rule as the contract words it: a walk from the start of the
 * range that takes the largest leaf that fits, again and again.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/base/bits.h"
#include "core/base/rng.h"
#include "oracle/model.h"

static const u64 page_sizes[] = {
	0x1000,
	0x1000 | 0x200000,
	0x1000 | 0x200000 | 0x40000000,
	0x1000 | 0x200000 | 0x40000000 | 0x8000000000,
	0x200000 | 0x40000000,
	0x1000 | 0x10000 | 0x200000 | 0x40000000,
	0x1000 | 0x40000000,
	0xfffffffffffff000,
	0xfffffffffffff800,
	0x5555555555555000,
	1ull << 63 | 0x1000,
	0x1000000,
};

/* Largest allowed size at @iova with @left bytes to go, 0 meaning 2^64. */
static unsigned int greedy_size(u64 iova, u64 oa, u64 left, u64 pgsizes)
{
	for (unsigned int lg2 = 63;; lg2--)
		if (pgsizes >> lg2 & 1 && bits_aligned(iova | oa, lg2) &&
		    (!left || left >= 1ull << lg2))
			return lg2;
}

static void expect_leaf(const struct run *run, u64 iova, u64 pgsizes, struct range want)
{
	struct range got = {1, 0};

	if (!run_leaf(run, iova, pgsizes, &got) || got.first != want.first || got.last != want.last)
		fail_msg("run 0x%llx..0x%llx, delta 0x%llx, sizes 0x%llx, iova 0x%llx: got leaf "
			 "0x%llx..0x%llx, want 0x%llx..0x%llx",
			 run->whole.first, run->whole.last, run->delta, pgsizes, iova, got.first,
			 got.last, want.first, want.last);
}

/* Returns how many leaves it has compared. */
static u32 compare_leaves(const struct run *run, u64 pgsizes, struct rng *rng)
{
	u64 iova = run->whole.first;
	u32 nr = 0;

	while (nr++ < 5000) {
		u64 left = run->whole.last - iova + 1;
		unsigned int lg2 = greedy_size(iova, iova + run->delta, left, pgsizes);
		struct range leaf = {iova, iova + bits_low(lg2)};

		expect_leaf(run, leaf.first, pgsizes, leaf);
		expect_leaf(run, leaf.last, pgsizes, leaf);
		expect_leaf(run, leaf.first + (rng_u64(rng) & bits_low(lg2)), pgsizes, leaf);
		if (leaf.last == run->whole.last)
			break;
		iova = leaf.last + 1;
	}
	return nr;
}

/* A multiple of 2^lg2, often of much more. */
static u64 draw_multiple(struct rng *rng, unsigned int lg2)
{
	return rng_u64(rng) << lg2 << rng_below(rng, 64 - lg2);
}

static void leaves_are_what_a_greedy_walk_takes(void **state)
{
	struct rng rng = rng_make(7);
	u64 leaves_nr = 0;

	for (u32 i = 0; i < 10000; i++) {
		u64 pgsizes = page_sizes[rng_below(&rng, ARRAY_NR(page_sizes))];
		unsigned int smallest = bits_lowest(pgsizes);
		struct run run = {.delta = draw_multiple(&rng, smallest)};
		u64 bytes = (1 + rng_below(&rng, 600)) << smallest;

		if (rng_one_in(&rng, 2)) /* a large block and ragged ends */
			bytes += 1ull << (smallest + rng_below(&rng, 50) % (64 - smallest));
		if (rng_one_in(&rng, 4))
			run.delta = 0;
		run.whole.first = draw_multiple(&rng, smallest);
		if (rng_one_in(&rng, 4)) /* its end is that of the address space */
			run.whole.first = 0 - bytes;
		run.whole.last = run.whole.first + (bytes - 1);
		if (run.whole.last < run.whole.first)
			continue;
		run.range = run.whole;
		leaves_nr += compare_leaves(&run, pgsizes, &rng);
	}
	assert_true(leaves_nr > 100000);
}

static void leaf_of_a_cut_run_is_that_of_its_map(void **state)
{
	struct run run = {{0x300000, 0x300fff}, {0x200000, 0x5fffff}, 0x40000000, 3};
	struct range leaf;

	assert_true(run_leaf(&run, 0x300000, 0x201000, &leaf));
	assert_int_equal(leaf.first, 0x200000);
	assert_int_equal(leaf.last, 0x3fffff);
}

static void whole_address_space_has_leaves(void **state)
{
	struct run run = {{0, ~0ull}, {0, ~0ull}, 0, 3};

	expect_leaf(&run, ~0ull, 1ull << 63 | 0x1000, (struct range){1ull << 63, ~0ull});
	expect_leaf(&run, 0, 1ull << 30, (struct range){0, 0x3fffffff});
	run.delta = 0x1000;
	expect_leaf(&run, ~0ull, 1ull << 63 | 0x1000, (struct range){~0xfffull, ~0ull});
}

static void no_leaf_where_no_size_fits(void **state)
{
	static const struct {
		struct run run;
		u64 iova, pgsizes;
	} rows[] = {
		{{{0}, {0x1000, 0x1ffe}, 0, 3}, 0x1000, 0x1000},     /* too short */
		{{{0}, {0x1800, 0x27ff}, 0, 3}, 0x1800, 0x1000},     /* iova not aligned */
		{{{0}, {0x1000, 0x1fff}, 0x800, 3}, 0x1000, 0x1000}, /* oa not aligned */
		{{{0}, {0x200000, 0x2fffff}, 0, 3}, 0x200000, 0x200000},
		{{{0}, {0x1000, 0x1fff}, 0, 3}, 0x1000, 0},
		{{{0}, {~0xffeull, ~0ull}, 0, 3}, ~0ull, 0x1000},
	};
	struct range leaf;

	for (size_t i = 0; i < ARRAY_NR(rows); i++)
		if (run_leaf(&rows[i].run, rows[i].iova, rows[i].pgsizes, &leaf))
			fail_msg("row %zu: got leaf 0x%llx..0x%llx, want none", i, leaf.first,
				 leaf.last);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(leaves_are_what_a_greedy_walk_takes),
		cmocka_unit_test(leaf_of_a_cut_run_is_that_of_its_map),
		cmocka_unit_test(whole_address_space_has_leaves),
		cmocka_unit_test(no_leaf_where_no_size_fits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
