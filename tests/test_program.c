/*
 * The byte form of programs: what bytes mean must never change unnoticed (frozen examples), every byte
 * string is a program, and encoding spells what decoding gives.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/bits.h"
#include "core/base/rng.h"
#include "fuzzers/program.h"
#include "oracle/format.h"

#define ROUNDS 20000

static struct program program, again;
static char text[PROGRAM_TEXT_MAX], text_again[PROGRAM_TEXT_MAX];
static u8 bytes[PROGRAM_BYTES_MAX + 64];

/* Bytes in hexadecimal, blanks ignored, and the text that they spell. */
struct frozen {
	const char *hex;
	const char *want;
};

/* clang-format off */
static const struct frozen frozen[] = {
	{"",
	 "ptfuzz 1\n"
	 "format vtdss\n"
	 "config vasz=48 oasz=52 top=3 features=flush-range pgsizes=all tables=0x3f000000\n"},
	/* one byte of a record: a map of the first page */
	{"00000000000000000000000000000000 00000000000000000000000000000000 00",
	 "ptfuzz 1\n"
	 "format vtdss\n"
	 "config vasz=48 oasz=52 top=3 features=flush-range pgsizes=all tables=0x3f000000\n"
	 "map    iova=0x0 oa=0x0 len=0x1000 prot=rw\n"},
	{"0001",
	 "ptfuzz 1\n"
	 "format x86_64\n"
	 "config vasz=48 oasz=52 top=3 features=sign-extend,flush-range pgsizes=all tables=0x3f000000\n"},
	{"0002",
	 "ptfuzz 1\n"
	 "format amdv1\n"
	 "config vasz=64 oasz=52 top=2 features=growing-top,flush-range,encrypt-tables,force-coherence "
	 "pgsizes=all tables=0x3f000000\n"},
	{"0003",
	 "ptfuzz 1\n"
	 "format riscv_64\n"
	 "config vasz=48 oasz=56 top=3 features=sign-extend,flush-range,detailed-gather,svnapot-64k "
	 "pgsizes=all tables=0x3f000000\n"},
	{"0004",
	 "ptfuzz 1\n"
	 "format amdv1_mock\n"
	 "config vasz=56 oasz=51 top=4 features=none pgsizes=all tables=0x3f000000\n"},
	/* an alias of vtdss in an unknown version, 39 bits, 46 bits, top 4, scatter 2, incoherent */
	{"ff f5 27 2e 05 02 00 00  01000000 00000000  0010200000000000  0100000000000000",
	 "ptfuzz 1\n"
	 "format vtdss\n"
	 "config vasz=39 oasz=46 top=4 features=dma-incoherent,flush-range pgsizes=0x201000 tables=0x0 "
	 "scatter=2\n"},
	/* everything beyond its range: folded, cut, ignored */
	{"00 02 ff ff ff ff ff ff  ffffffff ffffffff  ffffffffffffffff  ffffffffffffffff",
	 "ptfuzz 1\n"
	 "format amdv1\n"
	 "config vasz=63 oasz=63 top=6 features=dma-incoherent,sign-extend,no-gaps,detailed-gather,"
	 "force-writeable,svnapot-64k,svpbmt pgsizes=0xffffffffffffffff tables=0xfffffe0000000 "
	 "scatter=7\n"},
	/* an encryption bit too low for the machine's pages goes up to where they fit */
	{"00 02 00 00 00 00 0c 00  00000000 00000000  0000000000000000  0000000000000000",
	 "ptfuzz 1\n"
	 "format amdv1\n"
	 "config vasz=64 oasz=52 top=2 features=growing-top,flush-range,encrypt-tables,force-coherence "
	 "pgsizes=all tables=0x0 encrypt-bit=22\n"},
	/* raw operands; aliases of codes; each kind of prot; both lengths that change places */
	{"0001000000000000 0000000000000000 0000000000000000 0000000000000000"
	 "0003000000000000 0010000000000000 0020000000000000 0010000000000000"
	 "0502000000000000 efcdab8967452301 0100000000000000 ffffffffffffffff"
	 "e11f000000000000 0030000000000000 ffffffffffffffff 0000000000000000"
	 "02ff000000000000 0040000000000000 ffffffffffffffff ffffffffffffffff"
	 "03ff000000000000 ffffffffffffffff ffffffffffffffff ffffffffffffffff"
	 "041f000000000000 0050000000000000 0060000000000000 0020000000000000",
	 "ptfuzz 1\n"
	 "format x86_64\n"
	 "config vasz=48 oasz=52 top=3 features=sign-extend,flush-range pgsizes=all tables=0x3f000000\n"
	 "map    iova=0x1000 oa=0x2000 len=0x0 prot=none\n"
	 "map    iova=0x123456789abcdef oa=0x1 len=0xffffffffffffffff prot=r\n"
	 "unmap  iova=0x3000 len=0x1000\n"
	 "lookup iova=0x4000\n"
	 "sync\n"
	 "map-unwind iova=0x5000 oa=0x6000 len=0x2000 prot=cache+noexec+mmio\n"},
	/* references: one past, last byte + 1 as delta, at the same offset, ends before, twice the length */
	{"0000000000000000 0000000000000000 0000000000000000 0000000000000000"
	 "0000000000000000 0000100000000000 0000300000000000 0040000000000000"
	 "0000414101000000 0000000000000000 0000000000000000 0000000000000000"
	 "03ffffffffffffff ffffffffffffffff ffffffffffffffff ffffffffffffffff"
	 "0200830000000100 0000000000000000 0000000000000000 0000000000000000"
	 "0000c28242000000 0000000000000000 0000000000000000 0000000000000000"
	 "01003f003f02ffff 0000000000000000 0000000000000000 0000000000000000"
	 "0000000081000000 0000700000000000 0000000000000000 0000000000000000",
	 "ptfuzz 1\n"
	 "format vtdss\n"
	 "config vasz=48 oasz=52 top=3 features=flush-range pgsizes=all tables=0x3f000000\n"
	 "map    iova=0x100000 oa=0x300000 len=0x4000 prot=rw\n"
	 "map    iova=0x104000 oa=0x304000 len=0x4000 prot=rw\n"
	 "sync\n"
	 "lookup iova=0x104000\n"
	 "map    iova=0xfc000 oa=0x2fc000 len=0x8000 prot=rw\n"
	 "unmap  iova=0xfffffffffff00000 len=0x4000\n"
	 "map    iova=0x700000 oa=0x0 len=0x2000 prot=rw\n"},
	/* version 1: a switch, and an alias of it */
	{"0100000000000000 0000000000000000 0000000000000000 0000000000000000"
	 "08ffffffffffffff ffffffffffffffff ffffffffffffffff fe00000000000000"
	 "1f00000000000000 0000000000000000 0000000000000000 0100000000000000",
	 "ptfuzz 1\n"
	 "format vtdss\n"
	 "config vasz=48 oasz=52 top=3 features=flush-range pgsizes=all tables=0x3f000000\n"
	 "queue  on\nqueue  off\n"},
	/* version 2: Arm; version 1 has an alias there */
	{"0205000000000000",
	 "ptfuzz 1\n"
	 "format armv8_s1\n"
	 "config vasz=48 oasz=48 top=3 features=flush-range pgsizes=all tables=0x3f000000\n"},
	{"0206270000000000",
	 "ptfuzz 1\n"
	 "format armv8_s2\n"
	 "config vasz=39 oasz=48 top=2 features=flush-range pgsizes=all tables=0x3f000000\n"},
	{"0105000000000000",
	 "ptfuzz 1\n"
	 "format vtdss\n"
	 "config vasz=48 oasz=52 top=3 features=flush-range pgsizes=all tables=0x3f000000\n"},
	/* version 0 has neither failalloc nor write nor dirty: aliases */
	{"0000000000000000 0000000000000000 0000000000000000 0000000000000000"
	 "0500000000000000 0010000000000000 0000000000000000 0000000000000000"
	 "0600000000000000 0010000000000000 0000000000000000 0000000000000000"
	 "0700000000000000 0010000000000000 0000000000000000 0000000000000000",
	 "ptfuzz 1\n"
	 "format vtdss\n"
	 "config vasz=48 oasz=52 top=3 features=flush-range pgsizes=all tables=0x3f000000\n"
	 "map    iova=0x1000 oa=0x0 len=0x1000 prot=rw\n"
	 "unmap  iova=0x1000 len=0x1000\n"
	 "lookup iova=0x1000\n"},
	/* version 1: the same bytes; n, clear, references and an alias of each */
	{"0100000000000000 0000000000000000 0000000000000000 0000000000000000"
	 "0500000000000000 0010000000000000 0000000000000000 0000000000000000"
	 "0600000000000000 0010000000000000 0000000000000000 0000000000000000"
	 "0700000000000000 0010000000000000 0000000000000000 0000000000000000"
	 "14ff000000000000 0000000000000000 0000000000000000 0000000000000000"
	 "1aff410001000000 0010000000000000 0000000000000000 0800000000000000"
	 "0cff014101000000 0010000000000000 0000000000000000 0000000000000000"
	 "04fc000000000000 0010000000000000 0000000000000000 0000000000000000",
	 "ptfuzz 1\n"
	 "format vtdss\n"
	 "config vasz=48 oasz=52 top=3 features=flush-range pgsizes=all tables=0x3f000000\n"
	 "failalloc n=1\n"
	 "write  iova=0x1000 len=0x1000\n"
	 "dirty  iova=0x1000 len=0x1000\n"
	 "failalloc n=256\n"
	 "write  iova=0x2000 len=0x1000\n"
	 "dirty  iova=0x2000 len=0x1000 clear\n"
	 "map-unwind iova=0x1000 oa=0x0 len=0x1000 prot=rw+cache+noexec+mmio\n"},
};
/* clang-format on */

static size_t from_hex(const char *hex, u8 *into)
{
	unsigned int byte;
	size_t nr = 0;

	for (; *hex; hex += *hex == ' ' ? 1 : 2) {
		if (*hex == ' ')
			continue;
		assert_int_equal(sscanf(hex, "%2x", &byte), 1);
		into[nr++] = (u8)byte;
	}
	return nr;
}

static void bytes_frozen_mean_what_they_meant(void **state)
{
	for (u32 i = 0; i < ARRAY_NR(frozen); i++) {
		program_decode(&program, bytes, from_hex(frozen[i].hex, bytes));
		text_print(&program, text);
		if (strcmp(text, frozen[i].want))
			fail_msg("bytes: %s\ngot:\n%swant:\n%s", frozen[i].hex, text,
				 frozen[i].want);
	}
}

static void bytes_zero_open_a_legal_default_for_each_format(void **state)
{
	for (u8 format = 0; format < FORMAT_NR; format++) {
		struct config want;
		const char *why;

		program_decode(&program, (u8[]){2, format}, 2);
		layout_default(&want, format);
		why = layout_legal(&program.config);
		if (why || layout_either(&program.config))
			fail_msg("%s: %s", format_word(format), why ? why : "may be refused");
		want.encrypt_bit = program.config.encrypt_bit;
		assert_int_equal(program.config.format, want.format);
		assert_int_equal(program.config.vasz_lg2, want.vasz_lg2);
		assert_int_equal(program.config.oasz_lg2, want.oasz_lg2);
		assert_int_equal(program.config.top_level, want.top_level);
		assert_int_equal(program.config.features, want.features);
		assert_int_equal(program.config.pgsizes, want.pgsizes);
	}
}

static void granule_is_the_layouts(void **state)
{
	for (u8 format = 0; format < FORMAT_NR; format++) {
		struct layout layout;
		struct config config;

		layout_default(&config, format);
		layout_init(&layout, &config);
		assert_int_equal(program_granule_lg2(format), layout.granule_lg2);
	}
}

/* A top of 0 must be tall enough for any vasz that is legal under some top, and no taller. */
static void top_zero_is_the_lowest_legal(void **state)
{
	for (u8 format = 0; format < FORMAT_NR; format++) {
		for (u8 vasz = 13; vasz <= 64; vasz++) {
			struct program_header header = {.format = format, .vasz = vasz};
			struct config config;

			header.features = program_plain_features(format) & FEATURE_GROWING_TOP;
			program_resolve(&program, &header);
			config = program.config;
			for (config.top_level = 0; config.top_level < LAYOUT_LEVELS;
			     config.top_level++)
				if (!layout_legal(&config) && !layout_either(&config))
					break;
			/* riscv_64 ignores the top; what has to start elsewhere may be refused */
			if (format == FORMAT_riscv_64 || format == FORMAT_amdv1 ||
			    config.top_level == LAYOUT_LEVELS)
				continue;
			if (config.top_level != program.config.top_level)
				fail_msg("%s vasz=%u: got top %u, want %u", format_word(format),
					 vasz, program.config.top_level, config.top_level);
		}
	}
}

static void assert_same_program(const struct program *got, const struct program *want,
				const char *how)
{
	text_print(got, text_again);
	text_print(want, text);
	if (strcmp(text, text_again))
		fail_msg("%s: got:\n%swant:\n%s", how, text_again, text);
	assert_int_equal(got->tables_pa, want->tables_pa);
	assert_int_equal(got->scatter_lg2, want->scatter_lg2);
	assert_int_equal(got->config.encrypt_bit, want->config.encrypt_bit);
	assert_int_equal(got->ops_nr, want->ops_nr);
	assert_memory_equal(got->op, want->op, sizeof(want->op[0]) * want->ops_nr);
}

/* random_bytes() - of any length; half of them sparse, so that references and zeros are common */
static size_t random_bytes(struct rng *rng)
{
	size_t nr = rng_one_in(rng, 50) ? sizeof(bytes) : rng_below(rng, 32 * 20);
	bool sparse = rng_one_in(rng, 2);

	for (size_t i = 0; i < nr; i++)
		bytes[i] = sparse && !rng_one_in(rng, 4) ? 0 : (u8)rng_u64(rng);
	bytes[0] = (u8)rng_below(rng, 3);
	return nr;
}

static void bytes_random_survive_encoding_and_text(void **state)
{
	struct rng rng = rng_make(1);
	char error[256];

	for (u32 round = 0; round < ROUNDS; round++) {
		static u8 encoded[PROGRAM_BYTES_MAX], encoded_again[PROGRAM_BYTES_MAX];
		size_t encoded_nr, nr;

		program_decode(&program, bytes, random_bytes(&rng));
		encoded_nr = program_encode(&program, encoded);
		program_decode(&again, encoded, encoded_nr);
		assert_same_program(&again, &program, "bytes");
		nr = text_print(&program, text);
		if (text_parse(&again, text, nr, "text", error, sizeof(error)))
			fail_msg("%s:\n%s", error, text);
		assert_same_program(&again, &program, "text");
		assert_int_equal(program_encode(&again, encoded_again), encoded_nr);
		assert_memory_equal(encoded_again, encoded, encoded_nr);
	}
}

static void tables_random_fit_below_what_bounds_them(void **state)
{
	struct rng rng = rng_make(2);

	for (u32 round = 0; round < ROUNDS; round++) {
		u64 first, last;
		unsigned int lg2;

		program_decode(&program, bytes, random_bytes(&rng));
		first = program.tables_pa;
		last = first + ((u64)(PROGRAM_MACHINE_PAGES - 1) << (12 + program.scatter_lg2)) +
		       0xfff;
		lg2 = program.config.format == FORMAT_amdv1_mock ? 51
		      : program.config.format == FORMAT_armv8_s1 ||
				      program.config.format == FORMAT_armv8_s2
			      ? 48
			      : 52;
		if (program.config.features & FEATURE_ENCRYPT_TABLES &&
		    program.config.encrypt_bit < lg2)
			lg2 = program.config.encrypt_bit;
		assert_true(bits_aligned(first, 12));
		if (last < first || last > bits_low(lg2))
			fail_msg("pages from 0x%llx to 0x%llx must be below 2^%u", first, last,
				 lg2);
	}
}

static void tail_missing_equals_zeros(void **state)
{
	struct rng rng = rng_make(3);

	for (size_t nr = 0; nr <= 32 * 4; nr++) {
		size_t whole = nr <= 32 ? 32 : (nr + 31) / 32 * 32;

		memset(bytes, 0, whole);
		for (size_t i = 0; i < nr; i++)
			bytes[i] = (u8)rng_u64(&rng);
		program_decode(&program, bytes, whole);
		program_decode(&again, bytes, nr);
		assert_same_program(&again, &program, "shorter");
	}
}

static void operations_past_the_limit_are_cut(void **state)
{
	memset(bytes, 0, sizeof(bytes));
	program_decode(&program, bytes, sizeof(bytes));
	assert_int_equal(program.ops_nr, PROGRAM_OPS_MAX);
}

/* Each byte of a head is reserved, or has a bit that says something; 10 and 11 wait for features. */
static void bytes_reserved_are_ignored(void **state)
{
	static const u8 reserved[] = {0, 7, 10, 11, 12, 13, 14, 15};
	const u8 plain[64] = {0};

	program_decode(&program, plain, sizeof(plain));
	for (u32 i = 0; i < 32; i++) {
		memcpy(bytes, plain, sizeof(plain));
		bytes[i] = 2;
		bytes[1] = 2; /* amdv1, so that the encryption bit counts */
		program_decode(&again, bytes, sizeof(plain));
		text_print(&again, text);
		bytes[i] = i == 1 ? 3 : 0;
		program_decode(&again, bytes, sizeof(plain));
		text_print(&again, text_again);
		if (memchr(reserved, (int)i, sizeof(reserved)) ? strcmp(text, text_again) != 0
							       : !strcmp(text, text_again))
			fail_msg("byte %u of the head, got:\n%sand\n%s", i, text, text_again);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_frozen_mean_what_they_meant),
		cmocka_unit_test(bytes_zero_open_a_legal_default_for_each_format),
		cmocka_unit_test(granule_is_the_layouts),
		cmocka_unit_test(top_zero_is_the_lowest_legal),
		cmocka_unit_test(bytes_random_survive_encoding_and_text),
		cmocka_unit_test(tables_random_fit_below_what_bounds_them),
		cmocka_unit_test(tail_missing_equals_zeros),
		cmocka_unit_test(operations_past_the_limit_are_cut),
		cmocka_unit_test(bytes_reserved_are_ignored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
