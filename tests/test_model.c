/* The model (oracle/model.c) against an array with a slot for each unit of a small address space. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/bits.h"
#include "core/base/rng.h"
#include "oracle/model.h"

#define UNITS 8192u

/**
 * struct naive - the same as a model, slowly
 * @id: by unit, number of the map that it belongs to, 0 when not mapped
 * @made: by number, what the map asked for
 */
struct naive {
	u64 base;
	u64 unit_bytes;
	u32 units_nr;
	u32 id[UNITS];
	u32 maps_nr;
	struct run made[200000];
};

static struct range naive_range(const struct naive *naive, u32 first, u32 nr)
{
	u64 start = naive->base + first * naive->unit_bytes;

	return (struct range){start, start + (nr * naive->unit_bytes - 1)};
}

/* The piece of a map that covers unit @at, which is mapped. */
static struct run naive_run(const struct naive *naive, u32 at)
{
	struct run run = naive->made[naive->id[at]];
	u32 first = at, last = at;

	while (first && naive->id[first - 1] == naive->id[at])
		first--;
	while (last + 1 < UNITS && naive->id[last + 1] == naive->id[at])
		last++;
	run.range = naive_range(naive, first, last - first + 1);
	return run;
}

static void expect_run(u32 step, u64 iova, const struct run *got, const struct run *want)
{
	if (!got != !want)
		fail_msg("step %u, iova 0x%llx: got %s, want %s", step, iova,
			 got ? "a run" : "none", want ? "a run" : "none");
	if (!got)
		return;
	if (got->range.first != want->range.first || got->range.last != want->range.last)
		fail_msg("step %u, iova 0x%llx: got run 0x%llx..0x%llx, want 0x%llx..0x%llx", step,
			 iova, got->range.first, got->range.last, want->range.first,
			 want->range.last);
	if (got->whole.first != want->whole.first || got->whole.last != want->whole.last ||
	    got->delta != want->delta || got->prot != want->prot)
		fail_msg("step %u, iova 0x%llx: run of 0x%llx..0x%llx, delta 0x%llx, prot %u; "
			 "want 0x%llx..0x%llx, 0x%llx, %u",
			 step, iova, got->whole.first, got->whole.last, got->delta, got->prot,
			 want->whole.first, want->whole.last, want->delta, want->prot);
}

/* What is at unit @at and above it must be the same in both. */
static void expect_same(const struct model *model, const struct naive *naive, u32 step, u32 at,
			u64 offset)
{
	u64 iova = naive->base + at * naive->unit_bytes + offset;
	struct run run;
	u32 next = at;

	while (next < UNITS && !naive->id[next])
		next++;
	if (next < UNITS)
		run = naive_run(naive, next);
	expect_run(step, iova, model_next(model, iova), next < UNITS ? &run : NULL);
	expect_run(step, iova, model_find(model, iova), next == at ? &run : NULL);
}

static void do_insert(struct model *model, struct naive *naive, struct rng *rng, u32 at, u32 nr)
{
	struct run run = {.delta = rng_u64(rng), .prot = rng_below(rng, 32)};

	for (u32 i = at; i < at + nr; i++)
		if (naive->id[i])
			nr = i - at;
	if (!nr)
		return;
	run.range = run.whole = naive_range(naive, at, nr);
	/* A run can be put in that is only part of what its map asked for. */
	if (rng_one_in(rng, 8))
		run.whole.first -= naive->unit_bytes;
	naive->made[++naive->maps_nr] = run;
	for (u32 i = at; i < at + nr; i++)
		naive->id[i] = naive->maps_nr;
	naive->units_nr += nr;
	model_insert(model, &run);
}

static void do_remove(struct model *model, struct naive *naive, u32 at, u32 nr)
{
	for (u32 i = at; i < at + nr; i++) {
		naive->units_nr -= !!naive->id[i];
		naive->id[i] = 0;
	}
	model_remove(model, naive_range(naive, at, nr));
}

static void compare_steps(u64 seed, u64 base, u64 unit_bytes, u32 steps_nr)
{
	struct naive *naive = calloc(1, sizeof(*naive));
	struct rng rng = rng_make(seed);
	struct model model;

	assert_true(model_create(&model));
	assert_non_null(naive);
	naive->base = base;
	naive->unit_bytes = unit_bytes;
	for (u32 step = 0; step < steps_nr; step++) {
		u32 at = rng_below(&rng, UNITS);
		u32 nr = 1 + (u32)(rng_u64(&rng) & bits_low(rng_below(&rng, 8)));
		bool grows = step / 10000 % 2 == 0; /* phases of more and of fewer runs */

		nr = nr < UNITS - at ? nr : UNITS - at;
		if (rng_one_in(&rng, grows ? 6 : 2))
			do_remove(&model, naive, at, nr);
		else if (rng_one_in(&rng, 3))
			do_insert(&model, naive, &rng, at, nr);
		else
			do_insert(&model, naive, &rng, at, 1);
		if (model.bytes != naive->units_nr * unit_bytes)
			fail_msg("seed %llu, step %u: 0x%llx bytes, want 0x%llx", seed, step,
				 model.bytes, naive->units_nr * unit_bytes);
		at = rng_below(&rng, UNITS);
		expect_same(&model, naive, step, at, rng_u64(&rng) % unit_bytes);
		if (step % 5000 == 4999)
			for (at = 0; at < UNITS; at++)
				expect_same(&model, naive, step, at, 0);
	}
	do_remove(&model, naive, 0, UNITS);
	assert_int_equal(model.bytes, 0);
	assert_null(model_next(&model, 0));
	model_destroy(&model);
	free(naive);
}

static void random_steps_agree_with_an_array(void **state)
{
	compare_steps(1, 0, 1, 100000);
	compare_steps(2, 0xffff800000000000, 0x1000, 100000);
	compare_steps(3, 0 - (u64)UNITS, 1, 100000);
	compare_steps(4, 0 - UNITS * 0x200000ull, 0x200000, 100000);
}

#define MANY 5000u

/* Inserts MANY runs of one page with gaps between them, the i-th at place order(i). */
static void insert_many(struct model *model, u32 (*order)(u32))
{
	for (u32 i = 0; i < MANY; i++) {
		u64 first = (u64)order(i) * 0x2000;
		struct run run = {{first, first + 0xfff}, {first, first + 0xfff}, order(i), 3};

		model_insert(model, &run);
		assert_int_equal(model->bytes, (i + 1) * 0x1000ull);
	}
}

static u32 order_up(u32 i)
{
	return i;
}

static u32 order_down(u32 i)
{
	return MANY - 1 - i;
}

static u32 order_mixed(u32 i)
{
	return i * 1237 % MANY; /* 1237 is prime, MANY no multiple of it */
}

static void thousands_of_runs_split_chunks_in_any_order(void **state)
{
	u32 (*const orders[])(u32) = {order_up, order_down, order_mixed};
	struct model model;

	assert_true(model_create(&model));
	for (size_t which = 0; which < 2 * ARRAY_NR(orders); which++) {
		model_reset(&model);
		assert_int_equal(model.bytes, 0);
		assert_null(model_next(&model, 0));
		insert_many(&model, orders[which % ARRAY_NR(orders)]);
		for (u32 i = 0; i < MANY; i++) {
			assert_int_equal(model_find(&model, i * 0x2000ull)->delta, i);
			assert_int_equal(model_find(&model, i * 0x2000ull + 0xfff)->delta, i);
			assert_null(model_find(&model, i * 0x2000ull + 0x1000));
			if (i)
				assert_int_equal(model_next(&model, i * 0x2000ull - 1)->delta, i);
		}
		model_remove(&model, (struct range){0x1800, (MANY - 1) * 0x2000ull + 0x7ff});
		assert_int_equal(model.bytes, 0x1000 + 0x800);
		assert_int_equal(model_next(&model, 0x1000)->range.first,
				 (MANY - 1) * 0x2000ull + 0x800);
	}
	model_destroy(&model);
}

static void cut_runs_keep_what_their_map_asked_for(void **state)
{
	static const struct run run = {{0x10000, 0x1ffff}, {0x8000, 0x1ffff}, 0x123000, 5};
	static const struct range cuts[] = {{0x14000, 0x14fff}, {0x10000, 0x10fff},
					    {0x1f000, 0x2ffff}, {0x13fff, 0x13fff},
					    {0, 0xffff},	{0x20000, ~0ull}};
	static const struct range left[] = {{0x11000, 0x13ffe}, {0x15000, 0x1efff}};
	struct model model;

	assert_true(model_create(&model));
	model_insert(&model, &run);
	for (size_t i = 0; i < ARRAY_NR(cuts); i++)
		model_remove(&model, cuts[i]);
	assert_int_equal(model.bytes, 0x2fff + 0xa000);
	for (size_t i = 0; i < ARRAY_NR(left); i++) {
		struct run want = run;

		want.range = left[i];
		expect_run(0, left[i].first, model_find(&model, left[i].first), &want);
		expect_run(0, left[i].last, model_find(&model, left[i].last), &want);
	}
	model_remove(&model, (struct range){0, ~0ull});
	assert_int_equal(model.bytes, 0);
	assert_null(model_next(&model, 0));
	model_destroy(&model);
}

static void whole_address_space_is_one_run(void **state)
{
	static const struct run run = {{0, ~0ull}, {0, ~0ull}, 0, 3};
	struct model model;

	assert_true(model_create(&model));
	model_insert(&model, &run);
	assert_int_equal(model.bytes, 0); /* modulo 2^64 */
	assert_ptr_equal(model_find(&model, 0), model_find(&model, ~0ull));
	model_remove(&model, (struct range){~0ull, ~0ull});
	assert_int_equal(model.bytes, ~0ull);
	assert_null(model_find(&model, ~0ull));
	assert_null(model_next(&model, ~0ull));
	model_remove(&model, (struct range){0, 0});
	assert_int_equal(model_next(&model, 0)->range.first, 1);
	assert_int_equal(model_next(&model, 0)->range.last, ~0ull - 1);
	model_destroy(&model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_steps_agree_with_an_array),
		cmocka_unit_test(thousands_of_runs_split_chunks_in_any_order),
		cmocka_unit_test(cut_runs_keep_what_their_map_asked_for),
		cmocka_unit_test(whole_address_space_is_one_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
