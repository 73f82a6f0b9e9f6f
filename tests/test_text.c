/*
 * The text form of programs: what is accepted, what is refused with which line, and that nothing is
 * lost on the way through text and bytes.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/rng.h"
#include "fuzzers/program.h"

#define HEAD   "ptfuzz 1\nformat vtdss\n"
#define CONFIG "config vasz=48 oasz=52 top=3 features=flush-range pgsizes=all tables=0x3f000000\n"

static struct program program;
static char text[PROGRAM_TEXT_MAX];
static u8 bytes[PROGRAM_BYTES_MAX];

/* A text and what it is when printed again, or the error that it gives. */
struct row {
	const char *text;
	const char *want;
};

/* clang-format off */
static const struct row accepted[] = {
	/* what text_print() writes comes back as it is */
	{"ptfuzz 1\nwalker linux\nformat x86_64\n"
	 "config vasz=48 oasz=52 top=3 features=sign-extend,flush-range pgsizes=all tables=0x3f000000\n"
	 "map    iova=0x7fff00000000 oa=0x10000 len=0x2000 prot=rw\n"
	 "unmap  iova=0x7fff00000000 len=0x1000\n"
	 "lookup iova=0x7fff00001000\n"
	 "sync\n"
	 "map-unwind iova=0xffffffffffffffff oa=0x0 len=0x0 prot=none\n"
	 "queue  on\nqueue  off\n", NULL},
	{"ptfuzz 1\nformat amdv1\n"
	 "config vasz=1 oasz=64 top=7 features=none pgsizes=0x1 tables=0x0 scatter=8\n", NULL},
	{"ptfuzz 1\nformat amdv1\n"
	 "config vasz=64 oasz=1 top=0 features=encrypt-tables pgsizes=0xffffffffffffffff "
	 "tables=0xffc00000 encrypt-bit=32\n", NULL},
	{HEAD CONFIG "failalloc n=1\nfailalloc n=256\nwrite  iova=0x1001 len=0x8\n"
	 "dirty  iova=0x1000 len=0x2000\ndirty  iova=0x0 len=0xffffffffffffffff clear\n", NULL},
	{HEAD "dirty clear len=0x1000 iova=1\n", HEAD CONFIG "dirty  iova=0x1 len=0x1000 clear\n"},
	/* the plainest choices */
	{"ptfuzz 1\nformat vtdss\n", HEAD CONFIG},
	{"ptfuzz 1\nformat vtdss\nconfig\nsync\n", HEAD CONFIG "sync\n"},
	/* any order, tops and features that follow from other words, a config above its format */
	{"ptfuzz 1\nconfig scatter=1 vasz=57\nformat vtdss\n",
	 HEAD "config vasz=57 oasz=52 top=4 features=flush-range pgsizes=all tables=0x3f000000 "
	 "scatter=1\n"},
	{"ptfuzz 1\nformat vtdss\nconfig features=no-gaps,dma-incoherent\n"
	 "map prot=w+mmio+r len=1 iova=2 oa=3\n",
	 HEAD "config vasz=48 oasz=52 top=3 features=dma-incoherent,no-gaps pgsizes=all "
	 "tables=0x3f000000\n"
	 "map    iova=0x2 oa=0x3 len=0x1 prot=rw+mmio\n"},
	/* comments, blank lines, tabs, carriage returns, capitals in numbers */
	{"# says what happens\r\n\r\n  ptfuzz\t1 # one\r\nformat vtdss\r\n#\n \n"
	 "\tlookup\tiova=0XABCDEFabcdef#none\r\n",
	 HEAD CONFIG "lookup iova=0xabcdefabcdef\n"},
	{HEAD "map iova=0x0000000000000000000001 oa=18446744073709551615 len=010 prot=rw+cache\n",
	 HEAD CONFIG "map    iova=0x1 oa=0xffffffffffffffff len=0xa prot=rw+cache\n"},
	{HEAD "map iova=0 oa=0 len=0 prot=none\nmap iova=0 oa=0 len=0 prot=noexec+cache\n"
	 "map iova=0 oa=0 len=0 prot=r\nmap iova=0 oa=0 len=0 prot=w\n",
	 HEAD CONFIG "map    iova=0x0 oa=0x0 len=0x0 prot=none\n"
	 "map    iova=0x0 oa=0x0 len=0x0 prot=cache+noexec\n"
	 "map    iova=0x0 oa=0x0 len=0x0 prot=r\nmap    iova=0x0 oa=0x0 len=0x0 prot=w\n"},
};

static const struct row refused[] = {
	{"", "t:1: no program; the first line is `ptfuzz 1`"},
	{"# only\n# remarks\n", "t:2: no program; the first line is `ptfuzz 1`"},
	{"format vtdss\n", "t:1: `format` stands where a program starts; the first line is `ptfuzz 1`"},
	{"ptfuzz\n", "t:1: unknown version ``; write `ptfuzz 1`"},
	{"\nptfuzz 2\n", "t:2: unknown version `2`; write `ptfuzz 1`"},
	{"ptfuzz 1 x\n", "t:1: `x` is one word too many; remove it"},
	{"ptfuzz 1\nptfuzz 1\n", "t:2: ptfuzz is given twice; a file holds one program"},
	{"ptfuzz 1\n", "t:1: no format is told; add `format NAME` before the operations, one of: vtdss, "
	 "x86_64, amdv1, riscv_64, amdv1_mock, armv8_s1, armv8_s2"},
	{"ptfuzz 1\n\nsync\n", "t:3: no format is told; add `format NAME` before the operations, one of: "
	 "vtdss, x86_64, amdv1, riscv_64, amdv1_mock, armv8_s1, armv8_s2"},
	{"ptfuzz 1\nformat\n", "t:2: unknown format ``; allowed: vtdss, x86_64, amdv1, riscv_64, "
	 "amdv1_mock, armv8_s1, armv8_s2"},
	{"ptfuzz 1\nformat arm\n", "t:2: unknown format `arm`; allowed: vtdss, x86_64, amdv1, riscv_64, "
	 "amdv1_mock, armv8_s1, armv8_s2"},
	{HEAD "format vtdss\n", "t:3: format is given twice; remove one"},
	{HEAD "config\nconfig\n", "t:4: config is given twice; remove one"},
	{HEAD "sync\nconfig\n", "t:4: config stands after an operation; move it up"},
	{"ptfuzz 1\nwalker\n", "t:2: walker has no name; write walker NAME"},
	{"ptfuzz 1\nwalker a b\n", "t:2: `b` is one word too many; remove it"},
	{"ptfuzz 1\nwalker caf\xc3\xa9\n", "t:2: `caf??` is no walker's name; use printable ASCII "
	 "characters"},
	{"ptfuzz 1\nwalker 12345678901234567890123456789012\n",
	 "t:2: the walker's name is longer than 31 characters"},
	{HEAD "mapp iova=0\n", "t:3: unknown word `mapp`; allowed: walker, format, config, map, unmap, "
	 "lookup, sync, map-unwind, failalloc, write, dirty, queue"},
	{HEAD "0123456789012345678901234567890123456789x\n",
	 "t:3: unknown word `0123456789012345678901234567890123456789...`; allowed: walker, format, "
	 "config, map, unmap, lookup, sync, map-unwind, failalloc, write, dirty, queue"},
	{HEAD "queue\n", "t:3: queue lacks on or off"},
	{HEAD "queue up\n", "t:3: queue `up`; write on or off"},
	{HEAD "queue on off\n", "t:3: `off` is one word too many; remove it"},
	{HEAD "config size=1\n", "t:3: unknown word `size`; allowed: vasz, oasz, top, features, pgsizes, "
	 "tables, scatter, encrypt-bit"},
	{HEAD "config top\n", "t:3: top has no value; write top=VALUE"},
	{HEAD "config top=\n", "t:3: top has no value; write top=VALUE"},
	{HEAD "config top=1 vasz=2 top=1\n", "t:3: top is given twice; remove one"},
	{HEAD "config top=8\n", "t:3: top=8 is out of range; it goes from 0 to 7"},
	{HEAD "config vasz=0\n", "t:3: vasz=0 is out of range; it goes from 1 to 64"},
	{HEAD "config oasz=65\n", "t:3: oasz=65 is out of range; it goes from 1 to 64"},
	{HEAD "config vasz=-1\n", "t:3: vasz=-1 is not a number; write it in decimal, or in hexadecimal "
	 "after 0x"},
	{HEAD "config vasz=4a\n", "t:3: vasz=4a is not a number; write it in decimal, or in hexadecimal "
	 "after 0x"},
	{HEAD "config scatter=9\n", "t:3: scatter=9 is out of range; it goes from 0 to 8"},
	{HEAD "config pgsizes=0\n", "t:3: pgsizes=0 leaves no page size; write pgsizes=all"},
	{HEAD "config tables=0x800\n\n", "t:3: tables=0x800 is not a multiple of 0x1000"},
	{HEAD "config tables=0xffffffffff000\n", "t:3: tables=0xffffffffff000 leaves no room for the "
	 "machine's table pages; with this config the highest is 0xfffffffc00000"},
	{HEAD "config encrypt-bit=47\nsync\n", "t:3: encrypt-bit needs encrypt-tables among the features; "
	 "add that or remove it"},
	{"ptfuzz 1\nformat amdv1\nconfig encrypt-bit=64\n", "t:3: encrypt-bit=64 is out of range; with "
	 "scatter=0 it goes from 22 to 63"},
	{"ptfuzz 1\nformat amdv1\nconfig encrypt-bit=23 scatter=2\n", "t:3: encrypt-bit=23 is out of "
	 "range; with scatter=2 it goes from 24 to 63"},
	{HEAD "config features=fast\n", "t:3: unknown feature `fast`; allowed: dma-incoherent, "
	 "sign-extend, growing-top, flush-range, no-gaps, detailed-gather, encrypt-tables, "
	 "force-coherence, force-writeable, svnapot-64k, svpbmt, none"},
	{HEAD "config features=none,no-gaps\n", "t:3: unknown feature `none`; allowed: dma-incoherent, "
	 "sign-extend, growing-top, flush-range, no-gaps, detailed-gather, encrypt-tables, "
	 "force-coherence, force-writeable, svnapot-64k, svpbmt, none"},
	{HEAD "config features=no-gaps,no-gaps\n", "t:3: feature no-gaps is given twice; remove one"},
	{HEAD "sync now\n", "t:3: `now` is one word too many; remove it"},
	{HEAD "unmap iova=0\n", "t:3: unmap lacks len"},
	{HEAD "map\n", "t:3: map lacks iova, oa, len, prot"},
	{HEAD "unmap iova=0 len=1 oa=2\n", "t:3: unmap has no oa; it takes iova, len"},
	{HEAD "lookup iova=0 iova=1\n", "t:3: iova is given twice; remove one"},
	{HEAD "lookup 5\n", "t:3: unknown word `5`; allowed: iova, oa, len, prot, n, clear"},
	{HEAD "lookup iova=0x\n", "t:3: iova=0x is not a number; write it in decimal, or in hexadecimal "
	 "after 0x"},
	{HEAD "lookup iova=0x10000000000000000\n", "t:3: iova=0x10000000000000000 does not fit in 64 "
	 "bits; the largest is 0xffffffffffffffff"},
	{HEAD "lookup iova=18446744073709551616\n", "t:3: iova=18446744073709551616 does not fit in 64 "
	 "bits; the largest is 0xffffffffffffffff"},
	{HEAD "failalloc\n", "t:3: failalloc lacks n"},
	{HEAD "failalloc n=0\n", "t:3: n=0 is out of range; it goes from 1 to 256"},
	{HEAD "failalloc n=257\n", "t:3: n=257 is out of range; it goes from 1 to 256"},
	{HEAD "failalloc n=one\n", "t:3: n=one is not a number; write it in decimal, or in hexadecimal "
	 "after 0x"},
	{HEAD "failalloc n=1 len=1\n", "t:3: failalloc has no len; it takes n"},
	{HEAD "write iova=0\n", "t:3: write lacks len"},
	{HEAD "write iova=0 len=1 clear\n", "t:3: write has no clear; it takes iova, len"},
	{HEAD "dirty clear\n", "t:3: dirty lacks iova, len"},
	{HEAD "dirty iova=0 len=1 clear=1\n", "t:3: clear takes no value; write clear"},
	{HEAD "dirty iova=0 clear clear len=1\n", "t:3: clear is given twice; remove one"},
	{HEAD "map iova=0 oa=0 len=0 prot=x\n", "t:3: unknown prot `x`; allowed: r, w, cache, noexec, "
	 "mmio, rw, none"},
	{HEAD "map iova=0 oa=0 len=0 prot=rw+\n", "t:3: unknown prot ``; allowed: r, w, cache, noexec, "
	 "mmio, rw, none"},
	{HEAD "map iova=0 oa=0 len=0 prot=rw+w\n", "t:3: prot w is given twice; remove one"},
	{HEAD "lookup iova=0x10", "t:3: the last line has no newline: the file may be cut short; "
	 "complete it"},
};
/* clang-format on */

static void assert_printed(const char *input, const char *want)
{
	size_t nr = text_print(&program, text);

	if (strcmp(text, want))
		fail_msg("text:\n%s\ngot:\n%swant:\n%s", input, text, want);
	assert_int_equal(nr, strlen(text));
}

static void text_accepted_prints_as_expected(void **state)
{
	char error[512];

	for (u32 i = 0; i < ARRAY_NR(accepted); i++) {
		const struct row *row = &accepted[i];
		const char *want = row->want ? row->want : row->text;
		char walker[PROGRAM_WALKER_MAX];

		if (text_parse(&program, row->text, strlen(row->text), "t", error, sizeof(error)))
			fail_msg("%s\ngot: %s", row->text, error);
		assert_printed(row->text, want);
		/* and through bytes, which have no walker */
		strcpy(walker, program.walker);
		program_decode(&program, bytes, program_encode(&program, bytes));
		strcpy(program.walker, walker);
		assert_printed(row->text, want);
	}
}

static void text_refused_names_line_and_mend(void **state)
{
	char error[512];

	for (u32 i = 0; i < ARRAY_NR(refused); i++) {
		const struct row *row = &refused[i];
		int got;

		*error = 0;
		got = text_parse(&program, row->text, strlen(row->text), "t", error, sizeof(error));
		if (got != -EINVAL || strcmp(error, row->want))
			fail_msg("text:\n%s\ngot %d:\n%s\nwant %d:\n%s", row->text, got, error,
				 -EINVAL, row->want);
	}
}

static void text_with_a_zero_byte_is_refused(void **state)
{
	static const char input[] = HEAD "sync\nlookup iova=1\0\n";
	char error[512];

	assert_int_equal(text_parse(&program, input, sizeof(input) - 1, "t", error, sizeof(error)),
			 -EINVAL);
	assert_string_equal(error, "t:4: a zero byte: this is not text");
}

static void text_holds_as_many_operations_as_bytes(void **state)
{
	static char input[32 * PROGRAM_OPS_MAX] = HEAD;
	char error[512];
	size_t nr = strlen(HEAD);

	for (u32 i = 0; i < PROGRAM_OPS_MAX; i++)
		nr += (size_t)sprintf(input + nr, "lookup iova=%u\n", i);
	assert_int_equal(text_parse(&program, input, nr, "t", error, sizeof(error)), 0);
	assert_int_equal(program.ops_nr, PROGRAM_OPS_MAX);
	nr += (size_t)sprintf(input + nr, "sync\n");
	assert_int_equal(text_parse(&program, input, nr, "t", error, sizeof(error)), -EINVAL);
	assert_string_equal(error, "t:259: more than 256 operations; remove some");
}

/* The longest lines fit where fuzzers/program.h says, and an error fits in any room. */
static void text_longest_fits(void **state)
{
	struct op op = {.code = OP_MAP_UNWIND,
			.prot = (1u << MAP_BIT_NR) - 1,
			.iova = ~0ull,
			.oa = ~0ull,
			.len = ~0ull};
	struct program_header header = {.format = FORMAT_amdv1,
					.vasz = 64,
					.oasz = 64,
					.features = ~program_plain_features(FORMAT_amdv1),
					.pgsizes = ~0ull,
					.scatter = 8,
					.encrypt_bit = 63,
					.tables_pa = ~0ull};
	char line[320], error[8];

	assert_true(text_print_op(&op, line) < 160);
	program_resolve(&program, &header);
	assert_true(text_print_config(&program, line) < 320);
	assert_int_equal(text_parse(&program, "x\n", 2, "name", error, sizeof(error)), -EINVAL);
	assert_string_equal(error, "name:1:");
	assert_int_equal(text_parse(&program, "x\n", 2, "name", NULL, 0), -EINVAL);
}

/* Cut anywhere but at the end of a line, a program is refused; damaged anyhow, it is safely read. */
static void text_cut_or_damaged_is_safe(void **state)
{
	const char *whole = accepted[0].text;
	struct rng rng = rng_make(1);
	char damaged[512], error[512];
	size_t nr = strlen(whole);

	assert_true(nr < sizeof(damaged));
	for (size_t cut = 1; cut < nr; cut++) {
		if (whole[cut - 1] == '\n')
			continue;
		if (!text_parse(&program, whole, cut, "t", error, sizeof(error)))
			fail_msg("accepted:\n%.*s", (int)cut, whole);
	}
	for (u32 round = 0; round < 20000; round++) {
		memcpy(damaged, whole, nr);
		for (u32 times = rng_below(&rng, 4); times < 4; times++)
			damaged[rng_below(&rng, (u32)nr)] = (char)rng_u64(&rng);
		*error = 0;
		if (text_parse(&program, damaged, nr, "t", error, sizeof(error)))
			assert_true(strlen(error) > 5 && !strchr(error, '\n'));
		else
			text_print(&program, text);
	}
}

static void text_is_told_from_bytes(void **state)
{
	static const struct {
		const char *bytes;
		size_t nr;
		bool want;
	} rows[] = {
		{"", 0, false},
		{"ptfuzz 1\n", 9, true},
		{"ptfuzz", 6, true},
		{"ptfuzzy\n", 8, false},
		{"\r\n # a\n\n\tptfuzz 2", 17, true},
		{"# a\nformat vtdss\nptfuzz 1\n", 26, false},
		{"\0ptfuzz 1\n", 10, false},
		{"#\0\n\0ptfuzz 1\n", 13, false},
	};

	for (u32 i = 0; i < ARRAY_NR(rows); i++) {
		bool got = text_is_program((const u8 *)rows[i].bytes, rows[i].nr);

		if (got != rows[i].want)
			fail_msg("row %u `%s`: got %d, want %d", i, rows[i].bytes, got,
				 rows[i].want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_accepted_prints_as_expected),
		cmocka_unit_test(text_refused_names_line_and_mend),
		cmocka_unit_test(text_with_a_zero_byte_is_refused),
		cmocka_unit_test(text_holds_as_many_operations_as_bytes),
		cmocka_unit_test(text_longest_fits),
		cmocka_unit_test(text_cut_or_damaged_is_safe),
		cmocka_unit_test(text_is_told_from_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
