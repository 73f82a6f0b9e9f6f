/* Collect mode (fuzzers/collect.c), on tests/fake_walker.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>

#include "fuzzers/collect.h"
#include "fuzzers/file.h"
#include "fuzzers/shrink.h"
#include "tests/fake_walker.h"
#include "tests/files.h"

#define LOOKUP "lookup/lookup/vtdss/not-mapped"
#define WARN   "warn/lookup/vtdss/fake-warning"
#define HEAD   "ptfuzz 1\nformat vtdss\n"

static struct executor *executor;
static struct program program;
static char error[256];

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

static struct collect *make(const char *folder, const struct known *known)
{
	struct collect *collect = collect_create(executor, folder, "fake", "nowhere 1.2", known,
						 error, sizeof(error));

	if (!collect)
		fail_msg("%s", error);
	return collect;
}

static u32 run(struct collect *collect, const char *text)
{
	if (text_parse(&program, text, strlen(text), "text", error, sizeof(error)))
		fail_msg("%s", error);
	return collect_run(collect, &fake_walker, &program);
}

/* Each program, and how many findings it is the first to show. */
static const struct {
	const char *text;
	u32 new_nr;
} runs[] = {
	{HEAD "lookup iova=0x1000\nunmap iova=0x1000 len=0x1000\n", 0},
	{HEAD "unmap iova=0x600000 len=0x1000\nsync\nlookup iova=0x1000\nlookup iova=0x2000\n", 1},
	{HEAD "sync\nlookup iova=0\nsync\nlookup iova=0x1000\nsync\n", 1},
	{HEAD "unmap iova=0x200000 len=0x200000\nsync\nlookup iova=0\nsync\nlookup iova=0\n", 0},
};

static void run_all(struct collect *collect)
{
	for (size_t i = 0; i < ARRAY_NR(runs); i++) {
		u32 got = run(collect, runs[i].text);

		if (got != runs[i].new_nr)
			fail_msg("program %zu: got %u new findings, want %u", i, got,
				 runs[i].new_nr);
	}
}

static void signatures_are_counted_once_each(void **state)
{
	struct collect *collect = make(NULL, NULL);

	run_all(collect);
	assert_int_equal(collect->nr, 2);
	assert_int_equal(collect->new_nr, 2);
	assert_string_equal(collect->finding[0].signature, LOOKUP);
	assert_string_equal(collect->finding[1].signature, WARN);
	assert_int_equal(collect->finding[0].count, 2 + 2);
	assert_int_equal(collect->finding[1].count, 1 + 1);
	assert_int_equal(collect->finding[0].ops_nr, 3);
	assert_int_equal(collect->finding[1].ops_nr, 3);
	assert_int_equal(collect->programs, ARRAY_NR(runs));
	/* open, sync and close of each, and what the texts say; not what shrinking took */
	assert_int_equal(collect->operations, 4 * 3 + 2 + 4 + 5 + 5);
	assert_int_equal(collect_write(collect), 0);
	collect_destroy(collect);
}

/* A finding's file: comments first, then a program that still shows it. */
static void expect_file(const char *path, const char *signature, u32 ops_nr)
{
	char *text = files_get(path, NULL), want[256];
	struct failure failure;

	if (!text)
		fail_msg("%s is missing", path);
	snprintf(want, sizeof(want), "# %s\n# Rule: ", signature);
	if (strncmp(text, want, strlen(want)) || !strstr(text, "\n# Got:  ") ||
	    !strstr(text, "\n# Want: ") || !strstr(text, "nowhere 1.2") ||
	    !strstr(text, "\nptfuzz 1\nwalker fake\n"))
		fail_msg("%s holds\n%s", path, text);
	free(text);
	if (file_read_program(&program, path, error, sizeof(error)))
		fail_msg("%s", error);
	assert_string_equal(program.walker, "fake");
	assert_int_equal(program.ops_nr, ops_nr);
	assert_true(shrink_fails(executor, &fake_walker, &program, signature, &failure));
}

static void findings_are_files_that_replay(void **state)
{
	struct collect *collect;

	files_clear("found");
	collect = make("found", NULL);
	run_all(collect);
	assert_int_equal(files_nr("found"), 2);
	expect_file("found/lookup-lookup-vtdss-not-mapped.pt", LOOKUP, 3);
	expect_file("found/warn-lookup-vtdss-fake-warning.pt", WARN, 3);
	assert_int_equal(collect_write(collect), 0);
	assert_int_equal(files_nr("found"), 3);
	collect_destroy(collect);
}

static json_t *parsed(char *text)
{
	json_error_t where;
	json_t *json = text ? json_loads(text, 0, &where) : NULL;

	if (!json)
		fail_msg("line %d: %s in\n%s", where.line, where.text, text ? text : "nothing");
	free(text);
	return json;
}

static void expect_word(const json_t *object, const char *key, const char *want)
{
	const char *got = json_string_value(json_object_get(object, key));

	if (!got || strcmp(got, want))
		fail_msg("%s: got %s, want %s", key, got ? got : "nothing", want);
}

static void expect_finding(const json_t *stats, size_t i, const char *const words[5], int count,
			   bool known)
{
	static const char *const keys[] = {"signature", "rule", "op", "format", "reason"};
	const json_t *finding = json_array_get(json_object_get(stats, "findings"), i);

	for (size_t at = 0; at < ARRAY_NR(keys); at++)
		expect_word(finding, keys[at], words[at]);
	assert_int_equal(json_integer_value(json_object_get(finding, "count")), count);
	assert_int_equal(json_integer_value(json_object_get(finding, "ops")), 3);
	assert_int_equal(json_is_true(json_object_get(finding, "known")), known);
	assert_true(json_is_true(json_object_get(finding, "legal")));
}

static const char *const lookup_words[] = {LOOKUP, "lookup", "lookup", "vtdss", "not-mapped"};
static const char *const warn_words[] = {WARN, "warn", "lookup", "vtdss", "fake-warning"};

static void expect_stats(const json_t *stats, bool known)
{
	expect_word(stats, "walker", "fake");
	expect_word(stats, "tree", "nowhere 1.2");
	assert_true(json_is_real(json_object_get(stats, "seconds")));
	assert_int_equal(json_integer_value(json_object_get(stats, "programs")), ARRAY_NR(runs));
	assert_true(json_integer_value(json_object_get(stats, "operations")) > 10);
	assert_int_equal(json_array_size(json_object_get(stats, "findings")), 2);
	expect_finding(stats, 0, lookup_words, 4, known);
	expect_finding(stats, 1, warn_words, 2, false);
}

static void statistics_are_json_whole_in_their_file(void **state)
{
	struct collect *collect;
	char path[64];
	json_t *stats;

	files_clear("stats");
	snprintf(path, sizeof(path), "stats/stats-%d.json", (int)getpid());
	collect = make("stats", NULL);
	assert_int_equal(collect_write(collect), 0);
	stats = parsed(files_get(path, NULL));
	assert_int_equal(json_array_size(json_object_get(stats, "findings")), 0);
	json_decref(stats);
	run_all(collect);
	for (int i = 0; i < 2; i++) { /* the file is replaced */
		assert_int_equal(collect_write(collect), 0);
		stats = parsed(files_get(path, NULL));
		expect_stats(stats, false);
		expect_word(json_array_get(json_object_get(stats, "findings"), 0), "file",
			    "stats/lookup-lookup-vtdss-not-mapped.pt");
		json_decref(stats);
	}
	assert_int_equal(files_nr("stats"), 3);
	stats = parsed(collect_text(collect));
	expect_stats(stats, false);
	json_decref(stats);
	collect_destroy(collect);
}

static void known_findings_are_marked_and_not_new(void **state)
{
	static struct known known;
	struct collect *collect;
	json_t *stats, *finding;

	files_put_text("list.known", "lookup/lookup/*/not-mapped | it is how it is | -\n");
	assert_int_equal(known_read(&known, "list.known", error, sizeof(error)), 0);
	collect = make(NULL, &known);
	assert_int_equal(run(collect, runs[0].text), 0);
	assert_int_equal(run(collect, runs[1].text), 0);
	assert_int_equal(collect->nr, 1);
	assert_int_equal(collect->new_nr, 0);
	assert_int_equal(run(collect, runs[2].text), 1);
	assert_int_equal(run(collect, runs[3].text), 0);
	assert_int_equal(collect->new_nr, 1);
	stats = parsed(collect_text(collect));
	expect_stats(stats, true);
	finding = json_array_get(json_object_get(stats, "findings"), 0);
	expect_word(finding, "why", "it is how it is");
	finding = json_array_get(json_object_get(stats, "findings"), 1);
	assert_true(json_is_null(json_object_get(finding, "why")));
	json_decref(stats);
	collect_destroy(collect);
}

static void long_origins_do_not_break_files(void **state)
{
	static char origin[4200];
	struct collect *collect;

	memset(origin, 'x', sizeof(origin) - 1);
	files_clear("long");
	collect = collect_create(executor, "long", "fake", origin, NULL, error, sizeof(error));
	assert_int_equal(run(collect, runs[1].text), 1);
	if (file_read_program(&program, "long/lookup-lookup-vtdss-not-mapped.pt", error,
			      sizeof(error)))
		fail_msg("%s", error);
	collect_destroy(collect);
}

static void unusable_folders_are_an_error(void **state)
{
	static const struct {
		const char *folder, *error;
	} rows[] = {
		{"a-file", "a-file: Not a directory"},
		{"a-file/below", "a-file/below: Not a directory"},
		{"none/below", "none/below: No such file or directory"},
	};

	files_put_text("a-file", "");
	for (size_t i = 0; i < ARRAY_NR(rows); i++) {
		struct collect *collect = collect_create(executor, rows[i].folder, "fake", "", NULL,
							 error, sizeof(error));

		if (collect)
			fail_msg("%s was taken", rows[i].folder);
		assert_string_equal(error, rows[i].error);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(signatures_are_counted_once_each),
		cmocka_unit_test(findings_are_files_that_replay),
		cmocka_unit_test(statistics_are_json_whole_in_their_file),
		cmocka_unit_test(known_findings_are_marked_and_not_new),
		cmocka_unit_test(long_origins_do_not_break_files),
		cmocka_unit_test(unusable_folders_are_an_error),
	};

	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
