/*
 * Differential mode (fuzzers/differ.h): each of its reasons is tripped by a wrong walker beside a right
 * one, and two right walkers differ in nothing that the contract doesn't leave to them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/check.h"
#include "core/native/native.h"
#include "fuzzers/collect.h"
#include "fuzzers/differ.h"
#include "fuzzers/file.h"
#include "fuzzers/shrink.h"
#include "tests/differ_walkers.h"
#include "tests/files.h"
#include "tests/toy_run.h"

#define PROGRAMS_PER_FORMAT 600
#define RIGHT		    (&toy_walkers[TOY_RIGHT])
#define LINES		    "differs/map/vtdss/lines"

static struct toy_run *run;
static struct program program;

/* From here on programs are compared with @other; NULL: no longer. */
static void against(const struct walker *other)
{
	differ_destroy(run->executor->against);
	run->executor->against = other ? differ_create(other, PROGRAM_MACHINE_PAGES) : NULL;
	assert_true(!other || run->executor->against);
}

static int group_setup(void **state)
{
	differ_walkers_init();
	run = toy_run_create(PROGRAM_MACHINE_PAGES);
	return 0;
}

static int group_teardown(void **state)
{
	against(NULL);
	toy_run_destroy(run);
	return 0;
}

static void read_text(const char *text)
{
	char error[256];

	if (text_parse(&program, text, strlen(text), "text", error, sizeof(error)))
		fail_msg("%s", error);
}

/* ---- wrong walkers ---- */

/* Which differences a walker beside the right toy shows, by reason; and the first signature of each. */
struct shown {
	u32 nr[DIFFER_NR];
	char signature[DIFFER_NR][VERDICT_SIGNATURE_MAX];
};

static bool shown_found(void *arg, const struct step *step, const struct verdict *verdict)
{
	struct shown *shown = arg;

	if (verdict->rule != RULE_DIFFERS)
		return true;
	for (u32 reason = 0; reason < DIFFER_NR; reason++)
		if (!strcmp(verdict->reason, differ_word(reason)) && !shown->nr[reason]++)
			verdict_signature(verdict, shown->signature[reason]);
	return true;
}

/* Runs the walker beside @other on @text, whatever else they break. */
static enum differ_end show(struct shown *shown, const struct walker *walker,
			    const struct walker *other, const char *text, bool despite)
{
	struct execute_watch watch = {.found = shown_found, .arg = shown};

	memset(shown, 0, sizeof(*shown));
	read_text(text);
	against(other);
	run->executor->against->despite = despite;
	return differ_execute(run->executor, walker, &program, &watch);
}

#define VTDSS "ptfuzz 1\nformat vtdss\nconfig vasz=48 oasz=52 top=3 features=flush-range\n"

/* Each reason, and the mistake that is to show it: on its own program of toy_program.def. */
static const struct {
	enum differ_reason reason;
	enum toy_mistake mistake;
	const struct walker *walker; /* in its place, on @text */
	const char *text;
	const char *signature;
} cases[] = {
	{DIFFER_RESULT, TOY_COLLISION_EINVAL, NULL, NULL, "differs/map/vtdss/result"},
	{DIFFER_RESULT, TOY_REFUSES_GOOD_CONFIG, NULL, NULL, "differs/open/vtdss/result"},
	{DIFFER_RESULT, TOY_DIRTY_FAILS, NULL, NULL, "differs/dirty/vtdss/result"},
	{DIFFER_MAPPED, TOY_MAPPED_SHORT, NULL, NULL, "differs/map/vtdss/mapped"},
	{DIFFER_REMOVED, TOY_UNMAP_SAYS_LEN, NULL, NULL, "differs/unmap/vtdss/removed"},
	{DIFFER_LOOKUP, TOY_LOOKUP_NO_OFFSET, NULL, NULL, "differs/lookup/vtdss/lookup"},
	{DIFFER_REPORTED, TOY_DIRTY_INVENTED, NULL, NULL, "differs/dirty/vtdss/reported"},
	{DIFFER_WRITTEN, 0, &differ_middle_read_only,
	 VTDSS "map iova=0x1000 oa=0x1000 len=0x3000 prot=rw\nwrite iova=0x1000 len=0x3000\n",
	 "differs/write/vtdss/written"},
	{DIFFER_PGSIZES, TOY_ADVERTISES_TOO_LITTLE, NULL, NULL, "differs/open/vtdss/pgsizes"},
	{DIFFER_APERTURE, TOY_APERTURE_TOO_LARGE, NULL, NULL, "differs/open/vtdss/aperture"},
	{DIFFER_ROOT_MODE, TOY_ROOT_MODE_WRONG, NULL, NULL, "differs/open/vtdss/root-mode"},
	{DIFFER_TRANSLATION, TOY_WRONG_OA, NULL, NULL, "differs/map/vtdss/translation"},
	{DIFFER_TRANSLATION, TOY_LAST_PAGE_LOST, NULL, NULL, "differs/map/vtdss/translation"},
	{DIFFER_TRANSLATION, TOY_LEAF_KEPT, NULL, NULL, "differs/unmap/vtdss/translation"},
	{DIFFER_SIZES, TOY_SMALL_PAGES, NULL, NULL, "differs/map/vtdss/sizes"},
	{DIFFER_ENTRY_BITS, TOY_SNOOP_LOST, NULL, NULL, "differs/map/vtdss/entry-bits"},
	{DIFFER_GATHER_RANGE, TOY_GATHER_SHORT, NULL, NULL, "differs/unmap/vtdss/gather-range"},
	{DIFFER_GATHER_LEVELS, TOY_TABLE_LEVELS_MISSING, NULL, NULL,
	 "differs/unmap/riscv_64/gather-levels"},
	{DIFFER_SYNC_RANGE, TOY_SYNC_WIDE, NULL, NULL, "differs/sync/vtdss/sync-range"},
	{DIFFER_SYNC_LEVELS, TOY_SYNC_LEAF_LEVELS_LOST, NULL, NULL,
	 "differs/sync/riscv_64/sync-levels"},
	{DIFFER_SYNCS, 0, &differ_syncs_twice,
	 VTDSS "map iova=0x1000 oa=0x1000 len=0x1000 prot=rw\nunmap iova=0x1000 len=0x1000\nsync\n",
	 "differs/sync/vtdss/syncs"},
	{DIFFER_LINES, TOY_FLUSH_TWICE, NULL, NULL, "differs/map/vtdss/lines"},
	{DIFFER_ALLOCS, TOY_ALLOCATES_SPARE, NULL, NULL, "differs/map/vtdss/allocs"},
	{DIFFER_LOADS, TOY_MAP_REWALKS, NULL, NULL, "differs/map/vtdss/loads"},
	{DIFFER_STORES, TOY_CLEARS_TABLES, NULL, NULL, "differs/unmap/vtdss/stores"},
	{DIFFER_DESCENTS, TOY_MAP_REWALKS, NULL, NULL, "differs/map/vtdss/descents"},
	{DIFFER_FLUSH_CALLS, TOY_FLUSHES_ITEMS, NULL, NULL, "differs/map/vtdss/flush-calls"},
};

static void each_reason_is_told_of_a_wrong_walker(void **state)
{
	u32 covered = 0;

	for (size_t i = 0; i < ARRAY_NR(cases); i++) {
		const struct walker *walker =
			cases[i].walker ? cases[i].walker : &toy_walkers[cases[i].mistake];
		const char *text = cases[i].text;
		struct shown shown;

		if (!text)
			text = toy_programs[toy_cases[cases[i].mistake].program].text;
		show(&shown, walker, RIGHT, text, true);
		if (strcmp(shown.signature[cases[i].reason], cases[i].signature))
			fail_msg("%s\n%s: got `%s`, want `%s`", text, walker->name,
				 shown.signature[cases[i].reason], cases[i].signature);
		covered |= 1u << cases[i].reason;
	}
	assert_int_equal(covered, (1u << DIFFER_NR) - 1);
}

/* The rule that is broken says it all; and costs are told of the dearer side only. */
static void what_another_rule_explains_is_no_difference(void **state)
{
	const char *text = toy_programs[toy_cases[TOY_WRONG_OA].program].text;
	struct shown shown;

	assert_int_equal(show(&shown, &toy_walkers[TOY_WRONG_OA], RIGHT, text, false),
			 DIFFER_END_OWN);
	assert_int_equal(shown.nr[DIFFER_TRANSLATION], 0);
	assert_int_equal(show(&shown, RIGHT, &toy_walkers[TOY_WRONG_OA], text, false),
			 DIFFER_END_OTHER);
	assert_int_equal(shown.nr[DIFFER_TRANSLATION], 0);
	text = toy_programs[toy_cases[TOY_FLUSH_TWICE].program].text;
	show(&shown, RIGHT, &toy_walkers[TOY_FLUSH_TWICE], text, true);
	assert_int_equal(shown.nr[DIFFER_LINES], 0);
}

static bool other_found(void *arg, const struct step *step, const struct verdict *verdict)
{
	u32 *seen = arg;

	if (verdict->rule == RULE_TRANSLATION && !strncmp(verdict->got, "other: ", 7))
		++*seen;
	return true;
}

static void violations_of_the_other_walker_are_passed_on(void **state)
{
	u32 seen = 0;
	struct execute_watch watch = {.found = other_found, .arg = &seen};

	read_text(toy_programs[toy_cases[TOY_WRONG_OA].program].text);
	against(&toy_walkers[TOY_WRONG_OA]);
	differ_execute(run->executor, RIGHT, &program, &watch);
	assert_int_equal(seen, 1);
}

/* ---- right walkers ---- */

/* Fails the test on a difference; not on those from @limit on. */
struct silence {
	enum differ_reason limit;
	u64 seed;
};

static bool silence_found(void *arg, const struct step *step, const struct verdict *verdict)
{
	const struct silence *silence = arg;
	char signature[VERDICT_SIGNATURE_MAX];
	u32 reason = 0;

	if (verdict->rule != RULE_DIFFERS)
		return true;
	while (strcmp(verdict->reason, differ_word(reason)))
		reason++;
	if (reason >= silence->limit)
		return true;
	/* The contract doesn't say what must deny execution: one sets UXN, the other PXN, too. */
	if (reason == DIFFER_ENTRY_BITS && silence->limit == DIFFER_LINES &&
	    verdict->format == FORMAT_armv8_s1)
		return true;
	text_print(&program, run->text);
	fail_msg("%s\nseed %llu, step %u: %s\ngot %s\nwant %s", run->text, silence->seed, step->nr,
		 verdict_signature(verdict, signature), verdict->got, verdict->want);
	return true;
}

/* Runs generated programs on both; @ended counts how. */
static void run_generated(const struct walker *walker, const struct walker *other,
			  enum differ_reason limit, u64 *ended)
{
	struct silence silence = {.limit = limit};
	struct execute_watch watch = {.found = silence_found, .arg = &silence};

	memset(ended, 0, DIFFER_END_NR * sizeof(*ended));
	against(other);
	for (unsigned int format = 0; format < FORMAT_NR; format++)
		for (silence.seed = 0; silence.seed < PROGRAMS_PER_FORMAT; silence.seed++) {
			toy_generate(&program, format, silence.seed);
			ended[differ_execute(run->executor, walker, &program, &watch)]++;
		}
}

static void a_walker_does_not_differ_from_itself(void **state)
{
	u64 ended[DIFFER_END_NR];

	run_generated(RIGHT, RIGHT, DIFFER_NR, ended);
	assert_int_equal(ended[DIFFER_END_NONE] + ended[DIFFER_END_EITHER] +
				 ended[DIFFER_END_MEMORY],
			 FORMAT_NR * PROGRAMS_PER_FORMAT);
	assert_true(ended[DIFFER_END_NONE] > FORMAT_NR * PROGRAMS_PER_FORMAT * 3 / 4);
	assert_true(ended[DIFFER_END_EITHER] > 0);
}

static void choices_that_the_contract_leaves_are_no_difference(void **state)
{
	u64 ended[DIFFER_END_NR];

	run_generated(&differ_other_choices, RIGHT, DIFFER_NR, ended);
	assert_int_equal(
		ended[DIFFER_END_DIFFERENT] + ended[DIFFER_END_OWN] + ended[DIFFER_END_OTHER], 0);
	assert_true(ended[DIFFER_END_NONE] > FORMAT_NR * PROGRAMS_PER_FORMAT / 2);
	assert_true(ended[DIFFER_END_PARTIAL] > 0);
	assert_true(ended[DIFFER_END_UNALIGNED] > 0);
	run_generated(RIGHT, &differ_other_choices, DIFFER_NR, ended);
	assert_int_equal(ended[DIFFER_END_DIFFERENT], 0);
}

static void toy_and_embedded_walker_differ_in_costs_alone(void **state)
{
	u64 ended[DIFFER_END_NR];

	run_generated(native_walkers.walker[0], RIGHT, DIFFER_LINES, ended);
	assert_int_equal(ended[DIFFER_END_DIFFERENT], 0);
	assert_true(ended[DIFFER_END_NONE] > FORMAT_NR * PROGRAMS_PER_FORMAT / 2);
}

/* Each legal choice that takes the two apart ends the comparison, and says why. */
static void choices_that_take_the_two_apart_end_it(void **state)
{
	static const struct {
		const char *text;
		enum differ_end end;
	} rows[] = {
		{VTDSS "map iova=0x1000 oa=0x1000 len=0x2000 prot=rw\nsync\n", DIFFER_END_NONE},
		{VTDSS
		 "map iova=0x1000 oa=0x1000 len=0x2000 prot=rw\nunmap iova=0x1000 len=0x800\n",
		 DIFFER_END_UNALIGNED},
		{VTDSS "map iova=0x1000 oa=0x1000 len=0x2000 prot=rw\nwrite iova=0x1000 len=1\n"
		       "dirty iova=0x1000 len=0x800\n",
		 DIFFER_END_UNALIGNED},
		{VTDSS "map iova=0x3000 oa=0x1000 len=0x2000 prot=rw\n"
		       "map iova=0x1000 oa=0x1000 len=0x4000 prot=rw\n",
		 DIFFER_END_PARTIAL},
		{"ptfuzz 1\nformat vtdss\nconfig vasz=48 oasz=52 top=3 features=none\nsync\n",
		 DIFFER_END_EITHER},
		{"ptfuzz 1\nformat vtdss\nconfig vasz=48 oasz=63 top=3\nsync\n", DIFFER_END_EITHER},
	};
	struct shown shown;

	for (size_t i = 0; i < ARRAY_NR(rows); i++) {
		enum differ_end end =
			show(&shown, &differ_other_choices, RIGHT, rows[i].text, false);

		if (end != rows[i].end)
			fail_msg("%s\ngot:  %s\nwant: %s", rows[i].text, differ_end_sentence(end),
				 differ_end_sentence(rows[i].end));
	}
}

/*
 * An unwinding from prefixes of two lengths ends where both began: the comparison goes on behind it. Only
 * one of the two has tables left from it, so that the other's next map costs more.
 */
static void unwinding_brings_both_together_again(void **state)
{
	static const char text[] = VTDSS "map iova=0x40000000 oa=0x5000 len=0x1000 prot=rw\n"
					 "map-unwind iova=0x3ffff000 oa=0x1000 len=0x2000 prot=rw\n"
					 "map iova=0x3fffe000 oa=0x8000 len=0x1000 prot=rw\n";
	static const char wrong[] =
		VTDSS "map iova=0x40000000 oa=0x5000 len=0x1000 prot=rw\n"
		      "map-unwind iova=0x3ffff000 oa=0x1000 len=0x2000 prot=rw\n"
		      "lookup iova=0x40000123\n";
	struct shown shown;

	assert_int_equal(show(&shown, &differ_other_choices, RIGHT, text, false), DIFFER_END_NONE);
	for (u32 reason = 0; reason < DIFFER_NR; reason++)
		assert_int_equal(shown.nr[reason], 0);
	show(&shown, &differ_other_choices, &toy_walkers[TOY_LOOKUP_NO_OFFSET], wrong, true);
	assert_int_equal(shown.nr[DIFFER_LOOKUP], 1);
}

/* Empty tables that a failed map met may be gone or not, and what comes after them costs accordingly. */
static void tables_that_a_failed_map_met_may_be_gone(void **state)
{
	static const char text[] = VTDSS "map iova=0x0 oa=0x1000 len=0x1000 prot=rw\n"
					 "map iova=0x200000 oa=0x1000 len=0x1000 prot=rw\n"
					 "unmap iova=0x0 len=0x1000\n"
					 "sync\n"
					 "map iova=0x0 oa=0x40000000 len=0x40000000 prot=rw\n"
					 "map iova=0x0 oa=0x1000 len=0x1000 prot=rw\n";
	struct shown shown;

	for (int side = 0; side < 2; side++) {
		const struct walker *tidies = &differ_tidies;
		enum differ_end end =
			show(&shown, side ? tidies : RIGHT, side ? RIGHT : tidies, text, false);

		assert_int_equal(end, DIFFER_END_NONE);
		for (u32 reason = 0; reason < DIFFER_NR; reason++)
			if (shown.nr[reason])
				fail_msg("got %s, want none", shown.signature[reason]);
	}
}

/* ---- findings ---- */

static void a_difference_is_shrunk_and_its_file_shows_it(void **state)
{
	static const char text[] =
		"ptfuzz 1\nformat vtdss\nconfig vasz=48 oasz=52 top=3 "
		"features=flush-range,dma-incoherent\n"
		"lookup iova=0x1000\nmap iova=0x1000 oa=0x2000 len=0x2000 prot=rw\nsync\n"
		"unmap iova=0x1000 len=0x1000\n";
	static const char path[] = "found/differs-map-vtdss-lines.pt";
	struct failure failure;
	struct collect *collect;
	char error[256];

	files_clear("found");
	read_text(text);
	against(native_walkers.walker[0]);
	collect = collect_create(run->executor, "found", "toy", "here", NULL, error, sizeof(error));
	assert_non_null(collect);
	collect_run(collect, RIGHT, &program);
	assert_int_equal(run->executor->against->ended[DIFFER_END_NONE], 1);
	for (u32 i = 0; i < collect->nr; i++)
		if (!strcmp(collect->finding[i].signature, LINES))
			assert_int_equal(collect->finding[i].ops_nr, 1);
	if (file_read_program(&program, path, error, sizeof(error)))
		fail_msg("%s", error);
	assert_true(shrink_fails(run->executor, RIGHT, &program, LINES, &failure));
	collect_destroy(collect);
	against(NULL);
	assert_false(shrink_fails(run->executor, RIGHT, &program, LINES, &failure));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_reason_is_told_of_a_wrong_walker),
		cmocka_unit_test(what_another_rule_explains_is_no_difference),
		cmocka_unit_test(violations_of_the_other_walker_are_passed_on),
		cmocka_unit_test(a_walker_does_not_differ_from_itself),
		cmocka_unit_test(choices_that_the_contract_leaves_are_no_difference),
		cmocka_unit_test(toy_and_embedded_walker_differ_in_costs_alone),
		cmocka_unit_test(choices_that_take_the_two_apart_end_it),
		cmocka_unit_test(unwinding_brings_both_together_again),
		cmocka_unit_test(tables_that_a_failed_map_met_may_be_gone),
		cmocka_unit_test(a_difference_is_shrunk_and_its_file_shows_it),
	};

	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
