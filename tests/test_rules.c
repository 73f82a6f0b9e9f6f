/*
 * Every rule of the oracle can fail, and does not fail without reason: the toy walker's mistakes are
 * caught under the signatures that toy_mistake.def names and no others, and the toy walker without
 * mistakes has no violation, neither in the programs that show the mistakes nor in generated ones.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/rng.h"
#include "fuzzers/execute.h"
#include "fuzzers/generate.h"
#include "tests/toy_run.h"

#define PROGRAMS_PER_FORMAT 1500

static void right_walker_passes_every_program(void **state)
{
	for (unsigned int i = 0; i < TOY_PROGRAMS_NR; i++) {
		char *found = toy_run_program(&toy_walkers[TOY_RIGHT], &toy_programs[i]);

		if (*found)
			fail_msg("%s\nprogram %s\nfound: %s\nwant none", toy_programs[i].text,
				 toy_programs[i].name, found);
	}
}

static void mistake_is_caught_under_its_signature(void **state)
{
	unsigned int wrong = 0;

	for (unsigned int i = TOY_RIGHT + 1; i < TOY_NR; i++) {
		const struct toy_case *toy = &toy_cases[i];
		char *found = toy_run_program(&toy_walkers[i], &toy_programs[toy->program]);

		if (!strcmp(found, toy->signatures))
			continue;
		fprintf(stderr, "\n%s: %s\n%sprogram %s\nfound: %s\nwant:  %s\n",
			toy_walkers[i].name, toy_walkers[i].about, toy_programs[toy->program].text,
			toy_programs[toy->program].name, found, toy->signatures);
		wrong++;
	}
	assert_int_equal(wrong, 0);
}

/* But RULE_DIFFERS, which takes two walkers: test_differ.c. */
static void every_rule_has_a_mistake_that_it_catches(void **state)
{
	for (unsigned int rule = 0; rule < RULE_NR; rule++) {
		size_t length = strlen(rule_name(rule));
		bool caught = rule == RULE_DIFFERS;

		for (unsigned int i = TOY_RIGHT + 1; i < TOY_NR && !caught; i++)
			caught = !strncmp(toy_cases[i].signatures, rule_name(rule), length) &&
				 toy_cases[i].signatures[length] == '/';
		if (!caught)
			fail_msg("no mistake in toy_mistake.def is caught by rule %s first",
				 rule_name(rule));
	}
}

static void op_add(struct program *program, enum op_code code, u64 iova, u64 oa, u64 len)
{
	struct op op = {.code = code, .iova = iova, .oa = oa, .len = len};

	if (code == OP_MAP)
		op.prot = MAP_PROT_READ | MAP_PROT_WRITE;
	program->op[program->ops_nr++] = op;
}

/*
 * More empty tables replaced by leaves, each with a sync of its own, than the oracle remembers syncs of
 * one operation. Unmapping from the middle of a table to the middle of the next leaves both there.
 */
static void right_walker_may_sync_often(void **state)
{
	static const u64 large = 2 << 20, small = 1 << 12, tables = 100;
	struct toy_run *run = toy_run_create(PROGRAM_MACHINE_PAGES);
	struct program_header header = {.format = FORMAT_vtdss};
	static struct program program;

	program_resolve(&program, &header);
	op_add(&program, OP_MAP, 0, small, tables * large);
	op_add(&program, OP_UNMAP, 0, 0, large / 2);
	for (u64 i = 0; i + 1 < tables; i++)
		op_add(&program, OP_UNMAP, i * large + large / 2, 0, large);
	op_add(&program, OP_UNMAP, tables * large - large / 2, 0, large / 2);
	op_add(&program, OP_SYNC, 0, 0, 0);
	op_add(&program, OP_MAP, 0, large, tables * large);
	toy_run_once(run, &toy_walkers[TOY_RIGHT], &program);
	assert_string_equal(run->found, "");
	toy_run_destroy(run);
}

/* Half of the programs meet allocations that fail, too. */
static void right_walker_passes_generated_programs(void **state)
{
	struct toy_run *run = toy_run_create(PROGRAM_MACHINE_PAGES);
	struct program program;

	for (unsigned int format = 0; format < FORMAT_NR; format++) {
		for (u64 seed = 0; seed < PROGRAMS_PER_FORMAT; seed++) {
			toy_generate(&program, format, seed);
			run->fail_seed = seed & 1 ? seed : 0;
			run->executor->paranoid = seed % 16 == 3;
			toy_run_once(run, &toy_walkers[TOY_RIGHT], &program);
			if (!run->found[0])
				continue;
			text_print(&program, run->text);
			fprintf(stderr, "%s\nseed %llu, step %u\nfound: %s\n%s\nwant none\n",
				run->text, seed, run->first_step, run->found, run->detail);
			fail();
		}
	}
	toy_run_destroy(run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(right_walker_passes_every_program),
		cmocka_unit_test(mistake_is_caught_under_its_signature),
		cmocka_unit_test(every_rule_has_a_mistake_that_it_catches),
		cmocka_unit_test(right_walker_may_sync_often),
		cmocka_unit_test(right_walker_passes_generated_programs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
