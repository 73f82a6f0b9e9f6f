/* Making failing programs small (fuzzers/shrink.c), on tests/fake_walker.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/rng.h"
#include "fuzzers/generate.h"
#include "fuzzers/shrink.h"
#include "tests/fake_walker.h"

#define LOOKUP "lookup/lookup/vtdss/not-mapped"

static struct executor *executor;
static struct program program, small, again;
static struct failure failure;
static char text[PROGRAM_TEXT_MAX];

static int group_setup(void **state)
{
	executor = executor_create(16);
	return executor ? 0 : -1;
}

static int group_teardown(void **state)
{
	executor_destroy(executor);
	return 0;
}

static void parse(struct program *into, const char *from)
{
	char error[256];

	if (text_parse(into, from, strlen(from), "text", error, sizeof(error)))
		fail_msg("%s", error);
}

static void expect_text(const struct program *got, const char *want)
{
	text_print(got, text);
	if (strcmp(text, want))
		fail_msg("got\n%s\nwant\n%s", text, want);
}

/* A text that means the same program: what a finding's file must be. */
static void expect_spellable(const struct program *got)
{
	char error[256];

	text_print(got, text);
	if (text_parse(&again, text, strlen(text), "shrunk", error, sizeof(error)))
		fail_msg("%s\n%s", error, text);
	assert_int_equal(again.config.encrypt_bit, got->config.encrypt_bit);
	assert_int_equal(again.config.features, got->config.features);
	assert_int_equal(again.config.vasz_lg2, got->config.vasz_lg2);
	assert_int_equal(again.config.oasz_lg2, got->config.oasz_lg2);
	assert_int_equal(again.config.top_level, got->config.top_level);
	assert_int_equal(again.config.pgsizes, got->config.pgsizes);
	assert_int_equal(again.tables_pa, got->tables_pa);
	assert_int_equal(again.scatter_lg2, got->scatter_lg2);
	assert_int_equal(again.ops_nr, got->ops_nr);
	for (u32 i = 0; i < got->ops_nr; i++)
		assert_memory_equal(&again.op[i], &got->op[i], sizeof(got->op[i]));
}

/* Taking any operation away makes the violation go away. */
static void expect_minimal(const struct program *got, const char *signature)
{
	for (u32 i = 0; i < got->ops_nr; i++) {
		again = *got;
		memmove(&again.op[i], &again.op[i + 1],
			(again.ops_nr - i - 1) * sizeof(again.op[0]));
		again.ops_nr--;
		if (!shrink_fails(executor, &fake_walker, &again, signature, &failure))
			continue;
		text_print(got, text);
		fail_msg("%s without operation %u: it still fails with %s", text, i + 1, signature);
	}
}

static const char long_text[] =
	"ptfuzz 1\n"
	"format vtdss\n"
	"config vasz=39 oasz=46 top=2 features=no-gaps pgsizes=0x1000 tables=0x123456000 scatter=3\n"
	"lookup iova=0x1234567\n"
	"unmap iova=0x5554121000 len=0x7000\n"
	"sync\n"
	"unmap iova=0x7fffe21000 len=0x1234000\n"
	"lookup iova=0x7fffe21000\n"
	"unmap iova=0x30000 len=0x1000\n"
	"lookup iova=0x30000\n"
	"sync\n"
	"unmap iova=0x40000 len=0x1000\n"
	"lookup iova=0x7654321\n"
	"lookup iova=0x40000\n"
	"sync\n"
	"lookup iova=0x7654321\n";

static const char short_text[] =
	"ptfuzz 1\n"
	"format vtdss\n"
	"config vasz=48 oasz=52 top=3 features=flush-range pgsizes=all tables=0x3f000000\n"
	"unmap  iova=0x200000 len=0x0\n"
	"sync\n"
	"lookup iova=0x0\n";

static void program_shrinks_to_what_the_violation_needs(void **state)
{
	parse(&program, long_text);
	assert_true(shrink_fails(executor, &fake_walker, &program, LOOKUP, &failure));
	assert_int_equal(failure.step, 10);
	assert_int_equal(failure.verdict.rule, RULE_LOOKUP);
	shrink(executor, &fake_walker, &program, LOOKUP, SHRINK_RUNS_DEFAULT);
	assert_true(shrink_fails(executor, &fake_walker, &program, LOOKUP, &failure));
	expect_minimal(&program, LOOKUP);
	assert_int_equal(program.ops_nr, 3);
	/* Lengths get round, not zero: operands of 0 are another violation for most walkers. */
	program.op[0].len = 0;
	expect_text(&program, short_text);
}

static void config_keeps_only_what_the_violation_needs(void **state)
{
	static const char signature[] = "wasted-flush/sync/vtdss/not-written";

	parse(&program, "ptfuzz 1\n"
			"format vtdss\n"
			"config vasz=39 oasz=46 top=2 features=dma-incoherent,force-writeable "
			"pgsizes=0x1000 tables=0x123456000 scatter=3\n"
			"lookup iova=0x1000\n"
			"sync\n");
	assert_true(shrink_fails(executor, &fake_walker, &program, signature, &failure));
	shrink(executor, &fake_walker, &program, signature, SHRINK_RUNS_DEFAULT);
	expect_text(&program, "ptfuzz 1\n"
			      "format vtdss\n"
			      "config vasz=48 oasz=52 top=3 features=dma-incoherent,flush-range "
			      "pgsizes=all tables=0x3f000000\n");
}

static void shrinking_twice_changes_nothing_more(void **state)
{
	parse(&program, long_text);
	shrink(executor, &fake_walker, &program, LOOKUP, SHRINK_RUNS_DEFAULT);
	small = program;
	shrink(executor, &fake_walker, &program, LOOKUP, SHRINK_RUNS_DEFAULT);
	assert_memory_equal(&small, &program, sizeof(program));
}

static void shrinking_is_deterministic(void **state)
{
	struct executor *other = executor_create(64);

	parse(&program, long_text);
	small = program;
	assert_int_equal(shrink(executor, &fake_walker, &program, LOOKUP, SHRINK_RUNS_DEFAULT),
			 shrink(other, &fake_walker, &small, LOOKUP, SHRINK_RUNS_DEFAULT));
	assert_memory_equal(&small, &program, sizeof(program));
	executor_destroy(other);
}

static void runs_stay_within_their_bound(void **state)
{
	static const u32 bounds[] = {0, 1, 2, 3, 5, 10, 20, 50, 100, 1000};

	for (size_t i = 0; i < ARRAY_NR(bounds); i++) {
		u64 before = executor->programs;
		u32 runs;

		parse(&program, long_text);
		runs = shrink(executor, &fake_walker, &program, LOOKUP, bounds[i]);
		if (runs > bounds[i] || runs != executor->programs - before)
			fail_msg("bound %u: it says %u, %llu were executed", bounds[i], runs,
				 executor->programs - before);
		assert_true(shrink_fails(executor, &fake_walker, &program, LOOKUP, &failure));
		expect_spellable(&program);
	}
}

static void program_that_does_not_fail_stays(void **state)
{
	static const char *const signatures[] = {
		"lookup/lookup/vtdss/wrong-oa",
		"lookup/lookup/amdv1/not-mapped",
		"lookup/lookup/vtdss/not",
		"",
	};

	parse(&program, long_text);
	small = program;
	for (size_t i = 0; i < ARRAY_NR(signatures); i++) {
		assert_int_equal(shrink(executor, &fake_walker, &program, signatures[i], 100), 1);
		assert_memory_equal(&small, &program, sizeof(program));
	}
}

/* The first violation of a program. */
static bool on_found(void *arg, const struct step *step, const struct verdict *verdict)
{
	verdict_signature(verdict, arg);
	return false;
}

static void generated_programs_shrink_to_spellable_ones(void **state)
{
	struct generate_options options = {.formats = (1u << FORMAT_NR) - 1, .ops_max = 40};
	struct execute_watch watch = {.found = on_found};
	u32 failing_nr = 0;

	for (u32 format = 0; format < FORMAT_NR; format++)
		options.features[format] = layout_features(format);
	for (u64 seed = 1; seed <= 150; seed++) {
		char signature[VERDICT_SIGNATURE_MAX] = "";

		generate_program(&program, seed, &options);
		watch.arg = signature;
		execute(executor, &fake_walker, &program, &watch);
		if (!signature[0])
			continue;
		failing_nr++;
		shrink(executor, &fake_walker, &program, signature, SHRINK_RUNS_DEFAULT);
		if (!shrink_fails(executor, &fake_walker, &program, signature, &failure))
			fail_msg("seed %llu: no longer %s", seed, signature);
		expect_minimal(&program, signature);
		expect_spellable(&program);
	}
	assert_true(failing_nr > 50);
}

/* The byte form can't spell every config; what it can't is not to come out of shrinking. */
static void encryption_bit_goes_with_its_feature(void **state)
{
	static const char encrypted[] =
		"ptfuzz 1\n"
		"format amdv1\n"
		"config vasz=48 oasz=48 top=3 features=encrypt-tables tables=0x7f000000 scatter=8 "
		"encrypt-bit=40\n"
		"map iova=0x1000 oa=0x1000 len=0x1000 prot=r\n";
	char signature[VERDICT_SIGNATURE_MAX] = "";
	struct execute_watch watch = {.found = on_found, .arg = signature};

	parse(&program, encrypted);
	execute(executor, &fake_walker, &program, &watch);
	assert_true(signature[0]);
	shrink(executor, &fake_walker, &program, signature, SHRINK_RUNS_DEFAULT);
	expect_spellable(&program);
	assert_int_equal(program.op[0].iova | program.op[0].oa, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(program_shrinks_to_what_the_violation_needs),
		cmocka_unit_test(config_keeps_only_what_the_violation_needs),
		cmocka_unit_test(shrinking_twice_changes_nothing_more),
		cmocka_unit_test(shrinking_is_deterministic),
		cmocka_unit_test(runs_stay_within_their_bound),
		cmocka_unit_test(program_that_does_not_fail_stays),
		cmocka_unit_test(generated_programs_shrink_to_spellable_ones),
		cmocka_unit_test(encryption_bit_goes_with_its_feature),
	};

	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
