/*
 * Configs, legal or not: the right toy walker opens all that must open and refuses all that must be
 * refused, each wrong one of those that mistake configs is caught somewhere, and the configs of
 * in-tree drivers are among those that must open.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "fuzzers/trap.h"
#include "oracle/format.h"
#include "tests/config_sweep.h"
#include "tests/toy_run.h"

struct wanted {
	const char *signature; /* NULL: none */
	u64 seen;
	bool other;
};

static void on_found(void *arg, const struct program *program, const struct verdict *verdict)
{
	static char text[PROGRAM_TEXT_MAX];
	char signature[VERDICT_SIGNATURE_MAX];
	struct wanted *wanted = arg;

	verdict_signature(verdict, signature);
	if (wanted->signature && !strcmp(wanted->signature, signature))
		wanted->seen++;
	if (wanted->signature || wanted->other)
		return;
	text_print(program, text);
	fprintf(stderr, "%sfound: %s\ngot  %s\nwant %s\n", text, signature, verdict->got,
		verdict->want);
	wanted->other = true;
}

static void sweep_start(struct sweep *sweep, const struct walker *walker, struct wanted *wanted)
{
	memset(sweep, 0, sizeof(*sweep));
	sweep->executor = executor_create(16);
	assert_non_null(sweep->executor);
	assert_false(trap_install());
	sweep->walker = walker;
	sweep->found = on_found;
	sweep->arg = wanted;
	sweep->stride = 1;
}

static struct sweep sweep;

static void in_tree_configs_must_open(void **state)
{
	struct wanted wanted = {0};

	sweep_start(&sweep, &toy_walkers[TOY_RIGHT], &wanted);
	for (u32 i = 0; i < intree_nr; i++) {
		struct config config = {
			.format = intree[i].format,
			.vasz_lg2 = intree[i].vasz,
			.oasz_lg2 = intree[i].oasz,
			.top_level = intree[i].top,
			.encrypt_bit = PROGRAM_ENCRYPT_BIT,
			.features = intree[i].features,
		};

		if (layout_legal(&config) || layout_either(&config))
			fail_msg("in-tree config %u: %s", i,
				 layout_legal(&config) ? layout_legal(&config) : "may be refused");
		sweep_one(&sweep, &config);
		assert_int_equal(sweep.opened, i + 1);
	}
	assert_false(wanted.other);
	executor_destroy(sweep.executor);
}

static void right_walker_passes_every_config(void **state)
{
	struct wanted wanted = {0};

	sweep_start(&sweep, &toy_walkers[TOY_RIGHT], &wanted);
	sweep.stride =
		5; /* prime to the numbers of oasz, tops and vasz, so that all pairs are met */
	for (unsigned int format = 0; format < FORMAT_NR; format++) {
		u64 opened = sweep.opened;

		sweep_format(&sweep, (enum format)format);
		assert_true(sweep.opened > opened);
	}
	assert_false(wanted.other);
	executor_destroy(sweep.executor);
}

static void mistakes_about_configs_are_caught(void **state)
{
	static const enum toy_mistake mistakes[] = {
		TOY_ACCEPTS_BAD_CONFIG, TOY_REFUSES_GOOD_CONFIG,   TOY_OPEN_WRONG_ERRNO,
		TOY_OPEN_TWO_TABLES,	TOY_OPEN_KEEPS_TABLE,	   TOY_ADVERTISES_TOO_MUCH,
		TOY_APERTURE_TOO_LARGE, TOY_ALLOC_LARGE,	   TOY_ALLOC_SMALL,
		TOY_ROOT_MODE_WRONG,	TOY_ADVERTISES_TOO_LITTLE,
	};

	for (u32 i = 0; i < ARRAY_NR(mistakes); i++) {
		const char *list = toy_cases[mistakes[i]].signatures;
		char first[VERDICT_SIGNATURE_MAX];
		struct wanted wanted = {.signature = first};

		snprintf(first, sizeof(first), "%.*s", (int)strcspn(list, " "), list);
		sweep_start(&sweep, &toy_walkers[mistakes[i]], &wanted);
		sweep.stride = 19;
		sweep_format(&sweep, FORMAT_vtdss);
		if (!wanted.seen)
			fail_msg("%s: no config shows %s", toy_walkers[mistakes[i]].name, first);
		executor_destroy(sweep.executor);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_tree_configs_must_open),
		cmocka_unit_test(right_walker_passes_every_config),
		cmocka_unit_test(mistakes_about_configs_are_caught),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
