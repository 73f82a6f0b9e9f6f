/* Walkers in shared objects (fuzzers/load.c). The objects are made from tests/load_object.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fuzzers/load.h"
#include "tests/files.h"

static void walkers_are_found_by_name(void **state)
{
	char error[512] = "";
	const struct walker_list *list = load_walkers(OBJECTS "/two.so", error, sizeof(error));

	if (!list)
		fail_msg("%s", error);
	assert_string_equal(error, "");
	assert_string_equal(list->origin, "a test");
	assert_string_equal(load_find(list, "one")->name, "one");
	assert_string_equal(load_find(list, "two")->name, "two");
	assert_string_equal(load_find(list, "")->name, "one");
	assert_null(load_find(list, "three"));
	assert_null(load_find(list, "on"));
}

static void list_may_hold_no_walker(void **state)
{
	char error[512] = "";
	const struct walker_list *list = load_walkers(OBJECTS "/none.so", error, sizeof(error));

	assert_non_null(list);
	assert_null(load_find(list, ""));
}

static void file_in_this_folder_needs_no_slash(void **state)
{
	char error[512] = "";

	unlink("here.so");
	assert_int_equal(symlink(OBJECTS "/two.so", "here.so"), 0);
	if (!load_walkers("here.so", error, sizeof(error)))
		fail_msg("%s", error);
}

static void what_is_no_walker_is_an_error_in_one_line(void **state)
{
	static const struct {
		const char *path, *says;
	} rows[] = {
		{"./missing.so", "./missing.so"},
		{"missing.so", "missing.so"},
		{"./text.so", "./text.so"},
		{".", "."},
		{OBJECTS "/empty.so", "exports no `walkers`"},
		{OBJECTS "/abi.so", "was built for interface 3, this is 2"},
	};
	char error[512];

	files_put_text("text.so", "not an object\n");
	for (size_t i = 0; i < ARRAY_NR(rows); i++) {
		error[0] = 0;
		if (load_walkers(rows[i].path, error, sizeof(error)))
			fail_msg("%s was loaded", rows[i].path);
		if (!strstr(error, rows[i].says) || !files_one_line(error))
			fail_msg("%s: got `%s`, want one line with `%s`", rows[i].path, error,
				 rows[i].says);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(walkers_are_found_by_name),
		cmocka_unit_test(list_may_hold_no_walker),
		cmocka_unit_test(file_in_this_folder_needs_no_slash),
		cmocka_unit_test(what_is_no_walker_is_an_error_in_one_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
