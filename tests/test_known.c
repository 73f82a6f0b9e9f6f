/* Lists of known findings (fuzzers/known.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fuzzers/known.h"
#include "tests/files.h"

static struct known known;

static int known_setup(void **state)
{
	known = (struct known){0};
	return 0;
}

static const char list[] = "# findings of a tree\n"
			   "\n"
			   "wasted-flush/map/vtdss/error-path | flushes what it undoes | a link\n"
			   "   \t\n"
			   "\tlookup/*/x86_64/not-mapped|tight|\n"
			   "  warn/map/*/*   |  any warning  |  file | with a bar  \r\n"
			   "   # not an entry: a/b/c/d | e | f\n"
			   "leak/close/amdv1/after-close | the last line has no end | -";

static void entries_are_read_and_trimmed(void **state)
{
	char error[256] = "";

	files_put_text("good.known", list);
	assert_int_equal(known_read(&known, "good.known", error, sizeof(error)), 0);
	assert_string_equal(error, "");
	assert_int_equal(known.nr, 4);
	assert_string_equal(known.entry[0].signature, "wasted-flush/map/vtdss/error-path");
	assert_string_equal(known.entry[0].reason, "flushes what it undoes");
	assert_string_equal(known.entry[1].signature, "lookup/*/x86_64/not-mapped");
	assert_string_equal(known.entry[1].reason, "tight");
	assert_string_equal(known.entry[2].signature, "warn/map/*/*");
	assert_string_equal(known.entry[2].reason, "any warning");
	assert_string_equal(known.entry[3].reason, "the last line has no end");
}

static void several_lists_add_up(void **state)
{
	char error[256];

	files_put_text("one.known", "a/b/c/d | 1 | -\n");
	files_put_text("two.known", "# nothing\ne/f/g/h | 2 | -\n");
	files_put_text("empty.known", "");
	assert_int_equal(known_read(&known, "one.known", error, sizeof(error)), 0);
	assert_int_equal(known_read(&known, "two.known", error, sizeof(error)), 0);
	assert_int_equal(known_read(&known, "empty.known", error, sizeof(error)), 0);
	assert_int_equal(known.nr, 2);
	assert_string_equal(known_find(&known, "a/b/c/d", true), "1");
	assert_string_equal(known_find(&known, "e/f/g/h", true), "2");
}

static void signatures_match_whole_or_by_part(void **state)
{
	static const struct {
		const char *entry, *signature;
		bool matches;
	} rows[] = {
		{"a/b/c/d", "a/b/c/d", true},
		{"a/b/c/d", "a/b/c/dd", false},
		{"a/b/c/d", "a/b/c", false},
		{"a/b/c/d", "A/b/c/d", false},
		{"*/b/c/d", "lookup/b/c/d", true},
		{"a/*/c/d", "a/map/c/d", true},
		{"a/*/c/d", "a/map/cc/d", false},
		{"a/*/d/e", "a/b/c/d/e", false},
		{"a/b/*/d", "a/b/vtdss/d", true},
		{"a/b/c/*", "a/b/c/any-thing", true},
		{"*/*/*/*", "a/b/c/d", true},
		{"*/*/*/*", "a/b/c", false},
		{"a/b/c/not-*", "a/b/c/not-mapped", true},
		{"a/b/c/not-*", "a/b/c/wrong-oa", false},
		/* a reason may hold anything */
		{"warn/map/vtdss/*", "warn/map/vtdss/*p / 2 > [3]", true},
		{"warn/map/vtdss/!item[3] / 2 != *p", "warn/map/vtdss/!item[3] / 2 != *p", true},
		{"warn/map/vtdss/item[3]", "warn/map/vtdss/item[3]", true},
		{"warn/map/vtdss/item[3]", "warn/map/vtdss/item[4]", false},
		{"warn/map/vtdss/a\\b", "warn/map/vtdss/a\\b", true},
	};
	char line[256], error[256];

	for (size_t i = 0; i < ARRAY_NR(rows); i++) {
		const char *got;

		known.nr = 0;
		snprintf(line, sizeof(line), "%s | why | -\n", rows[i].entry);
		files_put_text("row.known", line);
		if (known_read(&known, "row.known", error, sizeof(error)))
			fail_msg("row %zu: %s", i, error);
		got = known_find(&known, rows[i].signature, true);
		if (!got == rows[i].matches)
			fail_msg("entry `%s`, signature `%s`: %s", rows[i].entry, rows[i].signature,
				 got ? "found" : "not found");
	}
	known.nr = 0;
	assert_null(known_find(&known, "a/b/c/d", true));
}

static void first_entry_that_matches_gives_the_reason(void **state)
{
	char error[256];

	files_put_text("order.known", "a/b/*/d | wide | -\na/b/c/d | narrow | -\n");
	assert_int_equal(known_read(&known, "order.known", error, sizeof(error)), 0);
	assert_string_equal(known_find(&known, "a/b/c/d", true), "wide");
}

static void tilde_entries_are_for_callers_that_break_the_rules(void **state)
{
	char error[256];

	files_put_text("tilde.known", "~a/b/*/d | broken | -\na/b/c/d | legal | -\n"
				      "~e/f/g/h | broken | -\n");
	assert_int_equal(known_read(&known, "tilde.known", error, sizeof(error)), 0);
	assert_string_equal(known.entry[0].signature, "a/b/*/d");
	assert_string_equal(known_find(&known, "a/b/c/d", false), "broken");
	assert_string_equal(known_find(&known, "a/b/c/d", true), "legal");
	assert_string_equal(known_find(&known, "e/f/g/h", false), "broken");
	assert_null(known_find(&known, "e/f/g/h", true));
}

static void bad_lines_are_errors_with_file_and_line(void **state)
{
	static char much[2100], comment[2200];
	static const struct {
		const char *text, *place;
	} rows[] = {
		{"a/b/c/d\n", "bad.known:1: "},
		{"a/b/c/d | reason\n", "bad.known:1: "},
		{"# x\n\na/b/c/d | r | l\na/b/c | r | l\n", "bad.known:4: "},
		{"| reason | link\n", "bad.known:1: "},
		{"a/b | c/d/e | f\n", "bad.known:1: "},
		{much, "bad.known:2: "},
		{comment, "bad.known:3: "},
	};
	char error[512];

	/* a signature too long for any verdict; a comment longer than a line that is read at once */
	memset(much, 'y', sizeof(much) - 1);
	memcpy(much, "\na/b/c/", 7);
	memcpy(much + 1000, " | r | l", 8);
	memset(comment, 'x', sizeof(comment) - 1);
	memcpy(comment, "# ", 2);
	memcpy(comment + 2100, "\na/b/c/d | r | l\nwrong\n", 23);
	for (size_t i = 0; i < ARRAY_NR(rows); i++) {
		known.nr = 0;
		error[0] = 0;
		files_put_text("bad.known", rows[i].text);
		if (known_read(&known, "bad.known", error, sizeof(error)) >= 0)
			fail_msg("row %zu: no error", i);
		if (strncmp(error, rows[i].place, strlen(rows[i].place)) || !files_one_line(error))
			fail_msg("row %zu: got `%s`, want `%s...`", i, error, rows[i].place);
	}
}

static void too_many_entries_are_an_error(void **state)
{
	char error[256] = "";
	FILE *file = fopen("many.known", "w");

	for (int i = 0; i <= KNOWN_MAX; i++)
		fprintf(file, "a/b/c/%d | r | -\n", i);
	fclose(file);
	assert_int_equal(known_read(&known, "many.known", error, sizeof(error)), -ENOSPC);
	assert_int_equal(known.nr, KNOWN_MAX);
	if (strncmp(error, "many.known:257: ", 16))
		fail_msg("got `%s`, want `many.known:257: ...`", error);
}

static void files_that_cannot_be_read_are_errors(void **state)
{
	char error[256] = "";

	assert_int_equal(known_read(&known, "none.known", error, sizeof(error)), -ENOENT);
	assert_string_equal(error, "none.known: No such file or directory");
	files_folder("folder.known");
	assert_int_equal(known_read(&known, "folder.known", error, sizeof(error)), -EISDIR);
	assert_string_equal(error, "folder.known: Is a directory");
}

static void lists_of_this_project_can_be_read(void **state)
{
	DIR *folder = opendir(CORPUS "/known");
	char path[1024], error[1200];
	struct dirent *entry;

	assert_non_null(folder);
	while ((entry = readdir(folder))) {
		if (entry->d_name[0] == '.')
			continue;
		known.nr = 0;
		snprintf(path, sizeof(path), CORPUS "/known/%s", entry->d_name);
		if (known_read(&known, path, error, sizeof(error)))
			fail_msg("%s", error);
		assert_true(known.nr > 0);
	}
	closedir(folder);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup(function, known_setup)
	const struct CMUnitTest tests[] = {
		TEST(entries_are_read_and_trimmed),
		TEST(several_lists_add_up),
		TEST(signatures_match_whole_or_by_part),
		TEST(first_entry_that_matches_gives_the_reason),
		TEST(tilde_entries_are_for_callers_that_break_the_rules),
		TEST(bad_lines_are_errors_with_file_and_line),
		TEST(too_many_entries_are_an_error),
		TEST(files_that_cannot_be_read_are_errors),
		TEST(lists_of_this_project_can_be_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
