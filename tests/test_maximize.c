/*
 * The worst-case search: the same seed finds the same, a walker that does more is found to cost more, and
 * shrinking keeps the cost.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "fuzzers/maximize.h"
#include "fuzzers/trap.h"
#include "tests/toy_run.h"

static struct maximize one, two;

static void search(struct maximize *maximize, enum toy_mistake mistake,
		   enum maximize_measure measure, u64 seed)
{
	struct generate_options options = {.formats = 1u << FORMAT_vtdss};

	options.features[FORMAT_vtdss] = toy_formats[FORMAT_vtdss]->features;
	memset(maximize, 0, sizeof(*maximize));
	maximize->executor = executor_create(EXECUTE_PAGES);
	assert_non_null(maximize->executor);
	assert_false(trap_install());
	maximize->rng = rng_make(seed);
	maximize->measure = measure;
	for (u32 i = 0; i < 300; i++)
		maximize_once(maximize, &toy_walkers[mistake], &options);
}

/* cost_of() - of @op per 1000 leaves */
static u64 cost_of(const struct maximize *maximize, enum oracle_op op)
{
	for (u32 i = 0; i < maximize->kept_nr; i++)
		if (maximize->kept[i].op == op)
			return maximize->kept[i].cost.count * 1000 / maximize->kept[i].cost.leaves;
	return 0;
}

static void same_seed_finds_the_same(void **state)
{
	search(&one, TOY_RIGHT, MAXIMIZE_LOADS_PER_LEAF, 5);
	search(&two, TOY_RIGHT, MAXIMIZE_LOADS_PER_LEAF, 5);
	assert_true(one.kept_nr > 0);
	assert_int_equal(one.kept_nr, two.kept_nr);
	for (u32 i = 0; i < one.kept_nr; i++) {
		assert_int_equal(one.kept[i].cost.count, two.kept[i].cost.count);
		assert_int_equal(one.kept[i].program.ops_nr, two.kept[i].program.ops_nr);
	}
	executor_destroy(one.executor);
	executor_destroy(two.executor);
}

static void every_measure_finds_something(void **state)
{
	for (u32 measure = 0; measure < MAXIMIZE_NR; measure++) {
		assert_non_null(maximize_word(measure));
		search(&one, TOY_RIGHT, (enum maximize_measure)measure, 6);
		assert_true(cost_of(&one, ORACLE_MAP) > 1000);
		executor_destroy(one.executor);
	}
	assert_null(maximize_word(MAXIMIZE_NR));
}

static void shrinking_keeps_the_cost(void **state)
{
	u64 before;

	search(&one, TOY_RIGHT, MAXIMIZE_LINES_PER_LEAF, 7);
	before = cost_of(&one, ORACLE_MAP);
	maximize_shrink(&one);
	assert_true(cost_of(&one, ORACLE_MAP) >= before);
	for (u32 i = 0; i < one.kept_nr; i++)
		assert_true(one.kept[i].program.ops_nr <= 4);
	executor_destroy(one.executor);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_seed_finds_the_same),
		cmocka_unit_test(every_measure_finds_something),
		cmocka_unit_test(shrinking_keeps_the_cost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
