/* Programs in files (fuzzers/file.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <signal.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "fuzzers/file.h"
#include "tests/files.h"

static struct program program, other;

static void text_and_bytes_are_told_apart(void **state)
{
	static const char *const texts[] = {
		"ptfuzz 1\nformat amdv1\nmap iova=0x1000 oa=0x2000 len=0x1000 prot=rw\n",
		"# said first\n\n  ptfuzz 1\nformat vtdss\nsync\n",
	};
	static const char *const names[] = {"text.pt", "text"};
	u8 bytes[PROGRAM_BYTES_MAX];
	char error[256] = "";

	for (size_t i = 0; i < 4; i++) {
		const char *text = texts[i & 1], *name = names[i >> 1];
		size_t length;

		files_put_text(name, text);
		if (file_read_program(&program, name, error, sizeof(error)))
			fail_msg("%s: %s", name, error);
		assert_int_equal(program.config.format, i & 1 ? FORMAT_vtdss : FORMAT_amdv1);
		assert_int_equal(program.ops_nr, 1);
		assert_int_equal(program.op[0].code, i & 1 ? OP_SYNC : OP_MAP);
		length = program_encode(&program, bytes);
		files_put("bytes", bytes, length);
		assert_int_equal(file_read_program(&other, "bytes", error, sizeof(error)), 0);
		assert_int_equal(program_encode(&other, bytes), length);
		assert_int_equal(other.config.format, program.config.format);
		assert_memory_equal(other.op, program.op, sizeof(program.op[0]));
	}
}

static void any_bytes_are_a_program(void **state)
{
	static u8 bytes[PROGRAM_BYTES_MAX + 1000];
	static const size_t lengths[] = {0, 1, 31, 33, PROGRAM_BYTES_MAX, sizeof(bytes)};
	char error[256] = "";

	memset(bytes, 0xa5, sizeof(bytes));
	for (size_t i = 0; i < ARRAY_NR(lengths); i++) {
		files_put("bytes", bytes, lengths[i]);
		if (file_read_program(&program, "bytes", error, sizeof(error)))
			fail_msg("%zu bytes: %s", lengths[i], error);
		assert_true(program.ops_nr <= PROGRAM_OPS_MAX);
	}
	assert_int_equal(program.ops_nr, PROGRAM_OPS_MAX);
}

static void bad_files_are_errors_with_their_place(void **state)
{
	static const struct {
		const char *name, *text, *error; /* of @error, the beginning */
		int ret;
	} rows[] = {
		{"none.pt", NULL, "none.pt: No such file or directory", -ENOENT},
		{"no/none.pt", NULL, "no/none.pt: No such file or directory", -ENOENT},
		{"folder", NULL, "folder: Is a directory", -EISDIR},
		{"bad.pt", "", "bad.pt:1: ", -EINVAL},
		{"bad.pt", "hello\n", "bad.pt:1: ", -EINVAL},
		{"bad.pt", "ptfuzz 1\nformat amdv1\nunmap iova=0\n", "bad.pt:3: ", -EINVAL},
		{"bad.pt", "ptfuzz 1\nformat amdv1\n\nmop\n", "bad.pt:4: ", -EINVAL},
		{"bad", "ptfuzz 1\nformat nothing\n", "bad:2: ", -EINVAL},
		{"bad.pt", "ptfuzz 1\nformat amdv1\nsyn", "bad.pt:3: ", -EINVAL},
	};
	char error[256];

	files_folder("folder");
	for (size_t i = 0; i < ARRAY_NR(rows); i++) {
		int ret;

		if (rows[i].text)
			files_put_text(rows[i].name, rows[i].text);
		error[0] = 0;
		ret = file_read_program(&program, rows[i].name, error, sizeof(error));
		if (ret != rows[i].ret || strncmp(error, rows[i].error, strlen(rows[i].error)) ||
		    !files_one_line(error))
			fail_msg("row %zu: got %d `%s`, want %d `%s...`", i, ret, error,
				 rows[i].ret, rows[i].error);
	}
}

static void huge_files_are_an_error(void **state)
{
	size_t nr = 4 * PROGRAM_TEXT_MAX;
	char *bytes = calloc(1, nr), error[256] = "";

	files_put("huge", bytes, nr);
	free(bytes);
	assert_int_equal(file_read_program(&program, "huge", error, sizeof(error)), -EFBIG);
	assert_string_equal(error, "huge: too large for a program");
}

static void visit(void *arg, const char *path)
{
	strcat(arg, path);
	strcat(arg, " ");
}

static void folders_are_walked_in_name_order(void **state)
{
	char got[1024] = "";

	files_folder("tree");
	files_folder("tree/b");
	files_folder("tree/b/empty");
	files_put_text("tree/c.pt", "");
	files_put_text("tree/a", "");
	files_put_text("tree/b/2.pt", "");
	files_put_text("tree/b/10.pt", "");
	files_put_text("tree/.hidden", "");
	files_put_text("tree/.hidden.pt", "");
	files_put_text("tree/notes.txt", "");
	files_put_text("tree/stats-1.json", "");
	files_put_text("tree/c.pt.123.tmp", "");
	assert_int_equal(file_each("tree", visit, got), 4);
	assert_string_equal(got, "tree/a tree/b/10.pt tree/b/2.pt tree/c.pt ");
	got[0] = 0;
	assert_int_equal(file_each("tree/notes.txt", visit, got), 1);
	assert_string_equal(got, "tree/notes.txt ");
	assert_int_equal(file_each("tree/b/empty", visit, got), 0);
	assert_int_equal(file_each("tree/none", visit, got), -ENOENT);
	assert_string_equal(got, "tree/notes.txt ");
}

static void link_to_nothing_in_a_folder_is_an_error(void **state)
{
	char got[1024] = "";

	files_folder("links");
	unlink("links/lost.pt");
	assert_int_equal(symlink("nowhere", "links/lost.pt"), 0);
	files_put_text("links/a.pt", "");
	assert_int_equal(file_each("links", visit, got), -ENOENT);
}

static void files_are_written_whole(void **state)
{
	static const char old[] = "old and longer";
	size_t bytes_nr;
	char *got;

	files_clear("out");
	files_put_text("out/file", old);
	assert_int_equal(file_write("out/file", "new\0x", 5), 0);
	got = files_get("out/file", &bytes_nr);
	assert_int_equal(bytes_nr, 5);
	assert_memory_equal(got, "new\0x", 5);
	free(got);
	assert_int_equal(file_write("out/empty", "", 0), 0);
	assert_int_equal(files_nr("out"), 2);
}

static void nothing_half_written_stays(void **state)
{
	static const char bytes[1 << 16];
	static const struct rlimit small = {1000, RLIM_INFINITY};
	struct rlimit before;
	char *got;
	int ret;

	files_clear("full");
	files_put_text("full/file", "old");
	files_clear("full/.folder");
	files_put_text("full/.folder/x", "");
	assert_int_equal(file_write("full/.folder", "new", 3), -EISDIR);
	assert_int_equal(file_write("full/none/file", "new", 3), -ENOENT);
	assert_int_equal(file_write("full/.folder/x/y", "new", 3), -ENOTDIR);

	/* A disk that is full after 1000 bytes. */
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	ret = file_write("full/file", bytes, sizeof(bytes));
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(ret, -EFBIG);
	got = files_get("full/file", NULL);
	assert_string_equal(got, "old");
	free(got);
	assert_int_equal(files_nr("full"), 2);
	assert_int_equal(files_nr("full/.folder"), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_and_bytes_are_told_apart),
		cmocka_unit_test(any_bytes_are_a_program),
		cmocka_unit_test(bad_files_are_errors_with_their_place),
		cmocka_unit_test(huge_files_are_an_error),
		cmocka_unit_test(folders_are_walked_in_name_order),
		cmocka_unit_test(link_to_nothing_in_a_folder_is_an_error),
		cmocka_unit_test(files_are_written_whole),
		cmocka_unit_test(nothing_half_written_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
