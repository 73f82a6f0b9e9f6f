/*
 * armv8_s1 and armv8_s2: hand-made words decode as DDI 0487 D8.3 says, configs open or not as TnSZ can
 * say them, leaves must carry what was asked. What holds for every format is in test_format.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "core/base/bits.h"
#include "oracle/format.h"

#define RANGE	FEATURE_FLUSH_RANGE
#define GAPS	FEATURE_NO_GAPS
#define SEVERAL (1ull << 52)

static const struct config s1 = {FORMAT_armv8_s1, 48, 44, 3, 0, RANGE, 0};
static const struct config s2 = {FORMAT_armv8_s2, 48, 44, 3, 0, RANGE, 0};

/* A word, and what hardware makes of it. */
struct word {
	const struct config *config;
	unsigned int level;
	u64 word;
	struct entry want;
};

#define LEAF(size, item, r, w, at, bits)                     \
	{                                                    \
		ENTRY_LEAF, size, item, r, w, at, bits, NULL \
	}
#define TABLE(at, bits)                                       \
	{                                                     \
		ENTRY_TABLE, 0, 0, true, true, at, bits, NULL \
	}
#define EMPTY                       \
	{                           \
		.kind = ENTRY_EMPTY \
	}
#define BAD                       \
	{                         \
		.kind = ENTRY_BAD \
	}

/* clang-format off */
static const struct word words[] = {
	{&s1, 0, 0xffffffffffffe, EMPTY},
	{&s1, 2, 0x7002, EMPTY},
	/* pages */
	{&s1, 0, 0x12345f47, LEAF(12, 12, 1, 1, 0x12345000, 0)},
	{&s1, 0, 0x12345fc7, LEAF(12, 12, 1, 0, 0x12345000, 0)},
	{&s1, 0, 0x12345f45, BAD},
	{&s1, 0, SEVERAL | 0x12340f47, LEAF(16, 12, 1, 1, 0x12340000, 0)},
	{&s1, 0, SEVERAL | 0x1234ff47, LEAF(16, 12, 1, 1, 0x1234f000, 0)},
	{&s1, 0, 1ull << 44 | 0x1f47, LEAF(12, 12, 1, 1, 1ull << 44 | 0x1000, 1ull << 44)},
	{&s1, 0, 3ull << 48 | 0x1f47, LEAF(12, 12, 1, 1, 0x1000, 3ull << 48)},
	{&s1, 0, 0xffe4000000001f67, LEAF(12, 12, 1, 1, 0x1000, 0x20)},
	/* blocks */
	{&s1, 1, 0x200f45, LEAF(21, 21, 1, 1, 0x200000, 0)},
	{&s1, 1, 0x21ff45, LEAF(21, 21, 1, 1, 0x200000, 0xf000)},
	{&s1, 1, 0x320f45, LEAF(21, 21, 1, 1, 0x200000, 0x120000)},
	{&s1, 1, SEVERAL | 0x3e00f45, LEAF(25, 21, 1, 1, 0x3e00000, 0)},
	{&s1, 2, 0x40000f45, LEAF(30, 30, 1, 1, 0x40000000, 0)},
	{&s1, 2, 0x60200fc5, LEAF(30, 30, 1, 0, 0x40000000, 0x20200000)},
	{&s1, 2, SEVERAL | 0x7c0000f45, LEAF(34, 30, 1, 1, 0x7c0000000, 0)},
	{&s1, 3, 0x40000f45, BAD},
	/* tables */
	{&s1, 1, 0x7003, TABLE(0x7000, 0)},
	{&s1, 2, 0x7fff, TABLE(0x7000, 0)},
	{&s1, 3, 0x7ff8fffffffff003, TABLE(0xfffffffff000, 0)},
	{&s1, 3, 0x800f000000007003, TABLE(0x7000, 0x8007000000000000)},
	/* stage 2 */
	{&s2, 0, 0x123454ff, LEAF(12, 12, 1, 1, 0x12345000, 0)},
	{&s2, 0, 0x1234547f, LEAF(12, 12, 1, 0, 0x12345000, 0)},
	{&s2, 0, 0x123454bf, LEAF(12, 12, 0, 1, 0x12345000, 0)},
	{&s2, 0, 0x1234543f, LEAF(12, 12, 0, 0, 0x12345000, 0)},
	{&s2, 0, 0x123454fd, BAD},
	{&s2, 0, SEVERAL | 0x1234f4ff, LEAF(16, 12, 1, 1, 0x1234f000, 0)},
	{&s2, 0, 0x80070000000014ff, LEAF(12, 12, 1, 1, 0x1000, 0x8007000000000000)},
	{&s2, 1, 0x2004fd, LEAF(21, 21, 1, 1, 0x200000, 0)},
	{&s2, 3, 0x400004fd, BAD},
	{&s2, 1, 0xf800000000007003, TABLE(0x7000, 0xf800000000000000)},
	{&s2, 1, 0x07f8000000007fff, TABLE(0x7000, 0)},
};

/* Widths and tops, what opening must do, and the page sizes. */
enum answer { REFUSE, EITHER, OPEN };
static const struct {
	u8 vasz;
	u8 oasz;
	u8 top;
	u32 features;
	enum answer want;
	u64 pgsizes;
} configs[] = {
	{48, 48, 3, RANGE, OPEN, 0x442211000},
	{40, 48, 3, GAPS | FEATURE_INCOHERENT, OPEN, 0x442211000},
	{39, 32, 2, RANGE, OPEN, 0x042211000},
	{31, 48, 2, RANGE, OPEN, 0x042211000},
	{30, 48, 1, RANGE, OPEN, 0x002211000},
	{25, 48, 1, RANGE, OPEN, 0x000211000},
	{24, 48, 1, RANGE, EITHER, 0x000211000},
	{22, 48, 1, RANGE, EITHER, 0x000211000},
	{48, 49, 3, RANGE, EITHER, 0x442211000},
	{48, 48, 3, RANGE | FEATURE_DETAILED_GATHER, EITHER, 0x442211000},
	{48, 48, 3, 0, EITHER, 0x442211000},
	{48, 48, 3, RANGE | GAPS, EITHER, 0x442211000},
	{21, 48, 1, RANGE, REFUSE, 0},
	{21, 48, 0, RANGE, REFUSE, 0},
	{30, 48, 2, RANGE, REFUSE, 0},
	{39, 48, 3, RANGE, REFUSE, 0},
	{40, 48, 2, RANGE, REFUSE, 0},
	{49, 48, 3, RANGE, REFUSE, 0},
	{48, 48, 4, RANGE, REFUSE, 0},
	{48, 0, 3, RANGE, REFUSE, 0},
	{48, 48, 3, RANGE | FEATURE_SIGN_EXTEND, REFUSE, 0},
	{48, 48, 3, RANGE | FEATURE_ENCRYPT_TABLES, REFUSE, 0},
	{48, 48, 3, RANGE | FEATURE_FORCE_COHERENCE, REFUSE, 0},
};

#define R  MAP_PROT_READ
#define W  MAP_PROT_WRITE
#define C  MAP_PROT_CACHE
#define NX MAP_PROT_NOEXEC
#define IO MAP_PROT_MMIO

/* Bits of a leaf that matter, and their values. */
static const struct {
	const struct config *config;
	u32 prot;
	unsigned int size_lg2;
	u64 mask;
	u64 want;
} attributes[] = {
	{&s1, R | W, 12, 0x786c000000000cdc, 0xc40},
	{&s1, R, 16, 0x786c000000000cdc, 0xcc0},
	{&s1, W | C, 12, 0x786c000000000fdc, 0xf44},
	{&s1, R | W | C, 21, 0x786c000000010fdc, 0xf44},
	{&s1, R | C | IO, 30, 0x786c000000010cdc, 0xcc8},
	{&s1, R | W | NX, 34, 0x780c000000010cdc, 0xc40},
	{&s2, R | W, 12, 0x7868000000000cfc, 0x4d4},
	{&s2, R, 12, 0x7868000000000cfc, 0x454},
	{&s2, W, 16, 0x7868000000000cfc, 0x494},
	{&s2, R | W | C, 25, 0x7868000000010ffc, 0x7fc},
	{&s2, R | IO, 21, 0x7868000000010cfc, 0x444},
	{&s2, R | C | NX, 12, 0x7828000000000ffc, 0x77c},
};
/* clang-format on */

static void words_decode_as_d8_3_says(void **state)
{
	for (size_t i = 0; i < ARRAY_NR(words); i++) {
		const struct word *row = &words[i];
		const struct entry *want = &row->want;
		struct layout layout;
		struct entry got;
		char text[256];

		layout_init(&layout, row->config);
		layout_decode(&layout, row->level, row->word, &got);
		if (got.kind == want->kind && !got.why == (got.kind != ENTRY_BAD) &&
		    (got.kind == ENTRY_BAD ||
		     (got.size_lg2 == want->size_lg2 && got.oa_lg2 == want->oa_lg2 &&
		      got.read == want->read && got.write == want->write && got.oa == want->oa &&
		      got.reserved == want->reserved)))
			continue;
		fail_msg("row %zu, level %u 0x%016llx: got %u 2^%u 2^%u %d%d 0x%llx reserved "
			 "0x%llx (%s)",
			 i, row->level, row->word, got.kind, got.size_lg2, got.oa_lg2, got.read,
			 got.write, got.oa, got.reserved,
			 layout_print(&layout, row->level, row->word, text, sizeof(text)));
	}
}

static void items_have_oas_of_their_own(void **state)
{
	struct layout layout;
	struct entry entry;

	layout_init(&layout, &s1);
	layout_decode(&layout, 0, SEVERAL | 0x12343f47, &entry);
	assert_int_equal(entry_oa(&entry, 0x53123), 0x12343123);
	assert_int_equal(entry_oa(&entry, 0x5f123), 0x12343123);
	assert_int_equal(entry_cached_oa(&entry, 0x5f123), 0x1234f123);
	layout_decode(&layout, 1, 0x200f45, &entry);
	assert_int_equal(entry_oa(&entry, 0xa54321), 0x254321);
	assert_int_equal(entry_cached_oa(&entry, 0xa54321), 0x254321);
}

static void configs_open_with_the_top_that_tnsz_needs(void **state)
{
	for (size_t i = 0; i < 2 * ARRAY_NR(configs); i++) {
		struct config config = {
			.format = i & 1 ? FORMAT_armv8_s2 : FORMAT_armv8_s1,
			.vasz_lg2 = configs[i / 2].vasz,
			.oasz_lg2 = configs[i / 2].oasz,
			.top_level = configs[i / 2].top,
			.features = configs[i / 2].features,
		};
		const char *illegal = layout_legal(&config);
		struct layout layout = {0};
		enum answer got = REFUSE;

		if (!illegal) {
			got = layout_either(&config) ? EITHER : OPEN;
			layout_init(&layout, &config);
		}
		if (got != configs[i / 2].want || layout.pgsizes != configs[i / 2].pgsizes)
			fail_msg("row %zu: got %d, pgsizes 0x%llx; want %d, pgsizes 0x%llx; %s",
				 i / 2, got, layout.pgsizes, configs[i / 2].want,
				 configs[i / 2].pgsizes, illegal ? illegal : "legal");
	}
}

static void leaves_must_carry_what_the_prot_asks(void **state)
{
	for (size_t i = 0; i < ARRAY_NR(attributes); i++) {
		struct layout layout;
		u64 mask = 0, want = 0;

		layout_init(&layout, attributes[i].config);
		assert_true(layout_attributes(&layout, attributes[i].prot, attributes[i].size_lg2,
					      &mask, &want));
		if (mask != attributes[i].mask || want != attributes[i].want)
			fail_msg("row %zu: got 0x%llx in 0x%llx, want 0x%llx in 0x%llx", i, want,
				 mask, attributes[i].want, attributes[i].mask);
	}
}

static void printed_words_name_the_fields(void **state)
{
	struct layout layout;
	char text[256];

	layout_init(&layout, &s1);
	assert_string_equal(
		layout_print(&layout, 0, SEVERAL | 0x12343fc7, text, sizeof(text)),
		"Valid Type AttrIndx=0x1 AP[1] AP[2] SH=0x3 AF nG oa=0x12343000 Contiguous "
		"size=0x10000");
	assert_string_equal(layout_print(&layout, 1, 0x7003, text, sizeof(text)),
			    "Valid Type pa=0x7000");
	layout_init(&layout, &s2);
	assert_string_equal(layout_print(&layout, 1, 0x2004fd, text, sizeof(text)),
			    "Valid MemAttr=0xf S2AP[0] S2AP[1] AF oa=0x200000");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_decode_as_d8_3_says),
		cmocka_unit_test(items_have_oas_of_their_own),
		cmocka_unit_test(configs_open_with_the_top_that_tnsz_needs),
		cmocka_unit_test(leaves_must_carry_what_the_prot_asks),
		cmocka_unit_test(printed_words_name_the_fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
