/*
 * The rows of oracle/format/NAME.def and what is made of them: they describe every bit once, and
 * hand-made words of every format decode as the manuals say. Configs are in test_format_config.c,
 * Arm's words in test_format_armv8.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "oracle/layout.h"

static struct layout layout_of(const struct config *config)
{
	struct layout layout;

	layout_init(&layout, config);
	return layout;
}

static void tile(enum format format, unsigned int level, unsigned int kind)
{
	const struct layout_rows *rows = &layout_rows[format];
	u64 seen = 0;
	unsigned int i;

	for (i = 0; i < rows->fields_nr; i++) {
		u64 bits = layout_field_bits(&rows->field[i]);

		if (!layout_field_in(&rows->field[i], level, kind))
			continue;
		if (seen & bits)
			fail_msg("%s level %u kind %u: %s overlaps", format_word(format), level,
				 kind, rows->field[i].label);
		seen |= bits;
	}
	if (~seen)
		fail_msg("%s level %u kind %u: no row for 0x%llx", format_word(format), level, kind,
			 ~seen);
}

static void rows_of_every_level_tile_64_bits(void **state)
{
	unsigned int format, level;

	for (format = 0; format < FORMAT_NR; format++) {
		const struct layout_rows *rows = &layout_rows[format];

		for (level = 0; level < rows->shape->levels_nr; level++) {
			if (rows->level[level].sizes | rows->level[level].contiguous_sizes)
				tile(format, level, KIND_LEAF);
			if (level)
				tile(format, level, KIND_TABLE);
		}
	}
}

static void shapes_fit_their_rows(void **state)
{
	unsigned int format;

	for (format = 0; format < FORMAT_NR; format++) {
		const struct layout_rows *rows = &layout_rows[format];
		const struct layout_geometry *last = &rows->level[rows->shape->levels_nr - 1];
		struct config config;
		struct layout layout;

		layout_default(&config, format);
		layout = layout_of(&config);
		assert_int_equal(rows->shape->granule_lg2, rows->level[0].item_lg2);
		assert_int_equal(rows->shape->vasz_max_lg2, last->item_lg2 + last->items_lg2);
		assert_int_equal(rows->shape->top_last, rows->shape->levels_nr - 1);
		assert_int_equal(rows->shape->oasz_max_lg2 + layout.oa_right - layout.oa_left,
				 bits_highest(layout.level[0].leaf_oa | layout.encrypt) + 1);
		assert_true(rows->shape->root_level + rows->shape->root_nr ==
			    rows->shape->levels_nr);
	}
}

static void levels_stack_and_hold_their_sizes(void **state)
{
	unsigned int format, level;

	for (format = 0; format < FORMAT_NR; format++) {
		const struct layout_geometry *at = layout_rows[format].level;
		for (level = 0; level < layout_rows[format].shape->levels_nr; level++, at++) {
			unsigned int reach_lg2 = at->item_lg2 + at->items_lg2;

			if (level)
				assert_int_equal(at->item_lg2, at[-1].item_lg2 + at[-1].items_lg2);
			assert_true(!at->sizes || at->sizes == 1ull << at->item_lg2);
			assert_false(at->contiguous_sizes & bits_low(at->item_lg2 + 1));
			assert_false(at->contiguous_sizes & ~bits_low(reach_lg2));
		}
	}
}

/* A word, and what hardware makes of it under the config of its table. */
struct word {
	unsigned int level;
	u64 word;
	struct entry want;
};

#define EMPTY                       \
	{                           \
		.kind = ENTRY_EMPTY \
	}
#define LEAF(size, r, w, at, bits)                           \
	{                                                    \
		ENTRY_LEAF, size, size, r, w, at, bits, NULL \
	}
#define TABLE(r, w, at, bits)                           \
	{                                               \
		ENTRY_TABLE, 0, 0, r, w, at, bits, NULL \
	}
#define BAD                       \
	{                         \
		.kind = ENTRY_BAD \
	}

static void check_words(const struct config *config, const struct word *word, size_t nr)
{
	struct layout layout = layout_of(config);
	struct entry got;
	char text[256];

	for (; nr; nr--, word++) {
		const struct entry *want = &word->want;

		layout_decode(&layout, word->level, word->word, &got);
		if (got.kind == want->kind &&
		    (got.kind == ENTRY_BAD ||
		     (got.size_lg2 == want->size_lg2 && got.oa_lg2 == want->oa_lg2 &&
		      got.read == want->read && got.write == want->write && got.oa == want->oa &&
		      got.reserved == want->reserved)) &&
		    !got.why == (got.kind != ENTRY_BAD))
			continue;
		fail_msg("%s level %u 0x%016llx: got %u 2^%u %d%d 0x%llx reserved 0x%llx (%s)",
			 format_word(config->format), word->level, word->word, got.kind,
			 got.size_lg2, got.read, got.write, got.oa, got.reserved,
			 layout_print(&layout, word->level, word->word, text, sizeof(text)));
	}
}

static void vtdss_words_decode_as_9_8_says(void **state)
{
	static const struct config config = {FORMAT_vtdss, .vasz_lg2 = 57, .oasz_lg2 = 46,
					     .top_level = 4, .features = FEATURE_FLUSH_RANGE};
	static const struct word words[] = {
		{0, 0, EMPTY},
		{0, 0x80ull << 56 | 0x1234ull << 12 | 0x404, EMPTY},
		{0, 0x12345003, LEAF(12, 1, 1, 0x12345000, 0)},
		{0, 0x12345001, LEAF(12, 1, 0, 0x12345000, 0)},
		{0, 0x12345082, LEAF(12, 0, 1, 0x12345000, 0)},
		{0, 0xbff0000000000f03 | 0x1000, LEAF(12, 1, 1, 0x1000, 0)},
		{0, 1ull << 62 | 0x1003, LEAF(12, 1, 1, 0x1000, 1ull << 62)},
		{0, 1ull << 46 | 0x1003, LEAF(12, 1, 1, 1ull << 46 | 0x1000, 1ull << 46)},
		{1, 0x200083, LEAF(21, 1, 1, 0x200000, 0)},
		{1, 0x201083, LEAF(21, 1, 1, 0x200000, 0x1000)},
		{2, 0x40000883, LEAF(30, 1, 1, 0x40000000, 0)},
		{2, 0x40200083, LEAF(30, 1, 1, 0x40000000, 0x200000)},
		{1, 0x7003, TABLE(1, 1, 0x7000, 0)},
		{1, 0x7001, TABLE(1, 0, 0x7000, 0)},
		{1, 0x767b, TABLE(1, 1, 0x7000, 0)},
		{4, 0xfffff00000003, TABLE(1, 1, 0xfffff00000000, 0)},
		{2, 0x7803, TABLE(1, 1, 0x7000, 0x800)},
		{3, 0x7083, BAD},
		{4, 0x7083, BAD},
	};

	check_words(&config, words, ARRAY_NR(words));
}

static void x86_64_words_decode_as_4_5_says(void **state)
{
	static const struct config config = {
		FORMAT_x86_64,
		.vasz_lg2 = 57,
		.oasz_lg2 = 52,
		.top_level = 4,
		.encrypt_bit = 47,
		.features = FEATURE_SIGN_EXTEND | FEATURE_NO_GAPS | FEATURE_ENCRYPT_TABLES};
	static const struct word words[] = {
		{0, 0xffffffffffffe, EMPTY},
		{0, 0x12345067, LEAF(12, 1, 1, 0x12345000, 0)},
		{0, 0x12345025, LEAF(12, 1, 0, 0x12345000, 0)},
		{0, 1ull << 47 | 0x12345067, LEAF(12, 1, 1, 0x12345000, 0)},
		{0, 1ull << 51 | 0x12345067, LEAF(12, 1, 1, 1ull << 51 | 0x12345000, 0)},
		{1, 0x2000e7, LEAF(21, 1, 1, 0x200000, 0)},
		{1, 0x2010e7, LEAF(21, 1, 1, 0x200000, 0)},
		{1, 0x2020e7, LEAF(21, 1, 1, 0x200000, 0x2000)},
		{2, 0x800e7, LEAF(30, 1, 1, 0, 0x80000)},
		{2, 0x400000e7, LEAF(30, 1, 1, 0x40000000, 0)},
		{1, 0x7127, TABLE(1, 1, 0x7000, 0)},
		{2, 0x7127, TABLE(1, 1, 0x7000, 0x100)},
		{4, 1ull << 47 | 0x7a67, TABLE(1, 1, 0x7000, 0)},
		{3, 0x70a7, BAD},
		{4, 0x70a7, BAD},
	};

	check_words(&config, words, ARRAY_NR(words));
}

#define IRW  (3ull << 61)
#define NEXT 0x200ull

static void amdv1_words_decode_as_2_2_3_says(void **state)
{
	static const struct config config = {FORMAT_amdv1,
					     .vasz_lg2 = 64,
					     .oasz_lg2 = 50,
					     .top_level = 2,
					     .encrypt_bit = 47,
					     .features = FEATURE_GROWING_TOP | FEATURE_FLUSH_RANGE |
							 FEATURE_ENCRYPT_TABLES |
							 FEATURE_FORCE_COHERENCE};
	static const struct word words[] = {
		{0, IRW | 0x1000, EMPTY},
		{0, IRW | 0x12345001, LEAF(12, 1, 1, 0x12345000, 0)},
		{0, 1ull << 61 | 0x12345001, LEAF(12, 1, 0, 0x12345000, 0)},
		{0, 1ull << 60 | 0x1001, LEAF(12, 0, 0, 0x1000, 0)},
		{0, IRW | 1ull << 52 | 1ull << 50 | 0x1001,
		 LEAF(12, 1, 1, 1ull << 50 | 0x1000, 5ull << 50)},
		{0, IRW | 0x4001 | 7 * NEXT, LEAF(13, 1, 1, 0x4000, 0)},
		{0, IRW | 0x5001 | 7 * NEXT, LEAF(14, 1, 1, 0x4000, 0)},
		{0, IRW | 0x17f001 | 7 * NEXT, LEAF(20, 1, 1, 0x100000, 0)},
		{0, IRW | 0xff001 | 7 * NEXT, BAD},
		{1, IRW | 0x17f001 | 7 * NEXT, BAD},
		{1, IRW | 0x400001, LEAF(21, 1, 1, 0x400000, 0)},
		{1, IRW | 0x401001, LEAF(21, 1, 1, 0x400000, 0x1000)},
		{1, IRW | 1ull << 47 | 0x1ff001 | 7 * NEXT, LEAF(22, 1, 1, 0, 0)},
		{3, IRW | 0x1, BAD},
		{3, IRW | 0x3ffffff001 | 7 * NEXT, BAD},
		{3, IRW | 0x7ffffff001 | 7 * NEXT, LEAF(40, 1, 1, 0, 0)},
		{4, IRW | 1ull << 48 | 1, LEAF(48, 1, 1, 1ull << 48, 0)},
		{5, IRW | 1, BAD},
		{0, IRW | 0x7001 | NEXT, BAD},
		{1, IRW | 0x71ff | NEXT, TABLE(1, 1, 0x7000, 0)},
		{1, 1ull << 61 | 0x7001 | NEXT, TABLE(1, 0, 0x7000, 0)},
		{5, IRW | 1ull << 47 | 1ull << 51 | 0x7001 | 5 * NEXT,
		 TABLE(1, 1, 0x8000000007000, 0)},
		{2, IRW | 1ull << 60 | 0x7001 | 2 * NEXT, TABLE(1, 1, 0x7000, 1ull << 60)},
		{2, IRW | 0x7001 | NEXT, BAD},
		{2, IRW | 0x7001 | 3 * NEXT, BAD},
	};

	check_words(&config, words, ARRAY_NR(words));
}

static void amdv1_mock_words_count_in_2_kib(void **state)
{
	static const struct config config = {FORMAT_amdv1_mock, .vasz_lg2 = 56, .oasz_lg2 = 40,
					     .top_level = 4};
	static const struct word words[] = {
		{0, IRW | 0x3001, LEAF(11, 1, 1, 0x1800, 0)},
		{0, IRW | 0x2001 | 7 * NEXT, LEAF(12, 1, 1, 0x1000, 0)},
		{0, IRW | 0x27f001 | 7 * NEXT, LEAF(19, 1, 1, 0x100000, 0)},
		{0, IRW | 1ull << 41 | 0x3001, LEAF(11, 1, 1, 1ull << 40 | 0x1800, 1ull << 41)},
		{1, IRW | 0x202001, LEAF(20, 1, 1, 0x100000, 0x2000)},
		{1, IRW | 0xe001 | NEXT, TABLE(1, 1, 0x7000, 0)},
		{1, IRW | 0xf001 | NEXT, TABLE(1, 1, 0x7800, 0x1000)},
	};

	check_words(&config, words, ARRAY_NR(words));
}

static void riscv_64_words_decode_as_the_manual_says(void **state)
{
	struct config config = {FORMAT_riscv_64, .vasz_lg2 = 57, .oasz_lg2 = 50, .top_level = 4,
				.features = FEATURE_SIGN_EXTEND | FEATURE_FLUSH_RANGE |
					    FEATURE_DETAILED_GATHER | FEATURE_SVNAPOT_64K};
	static const struct word napot[] = {
		{0, 0x1ffe, EMPTY},
		{0, 0x48d14df, LEAF(12, 1, 1, 0x12345000, 0)},
		{0, 0x48d1453, LEAF(12, 1, 0, 0x12345000, 0)},
		{0, 0x48d1459, LEAF(12, 0, 0, 0x12345000, 0)},
		{0, 0x48d1455, BAD},
		{0, 0x48d1401, BAD},
		{0, 1ull << 63 | 0x48d20d7, LEAF(16, 1, 1, 0x12340000, 0)},
		{0, 1ull << 63 | 0x48d10d7, BAD},
		{0, 1ull << 63 | 0x48d14d7, BAD},
		{0, 1ull << 61 | 0x48d14d7, LEAF(12, 1, 1, 0x12345000, 1ull << 61)},
		{0, 1ull << 60 | 0x4d7, LEAF(12, 1, 1, 0x1000, 1ull << 60)},
		{0, 1ull << 48 | 0x4d7, LEAF(12, 1, 1, 1ull << 50 | 0x1000, 1ull << 48)},
		{1, 0x800d7, LEAF(21, 1, 1, 0x200000, 0)},
		{1, 0x804d7, BAD},
		{1, 1ull << 63 | 0x800d7, LEAF(21, 1, 1, 0x200000, 1ull << 63)},
		{4, 1ull << 46 | 0xd7, LEAF(48, 1, 1, 1ull << 48, 0)},
		{1, 0x1c01, TABLE(1, 1, 0x7000, 0)},
		{4, 1ull << 53 | 0x1d01, TABLE(1, 1, 1ull << 55 | 0x7000, 0)},
		{2, 1ull << 63 | 1ull << 61 | 0x1cd1, TABLE(1, 1, 0x7000, 0xa0000000000000d0)},
	};
	static const struct word svpbmt[] = {
		{0, 1ull << 61 | 0x48d14d7, LEAF(12, 1, 1, 0x12345000, 0)},
		{0, 3ull << 61 | 0x48d14d7, BAD},
		{0, 1ull << 63 | 0x48d20d7, LEAF(12, 1, 1, 0x12348000, 1ull << 63)},
	};

	check_words(&config, napot, ARRAY_NR(napot));
	config.features ^= FEATURE_SVNAPOT_64K | FEATURE_SVPBMT;
	check_words(&config, svpbmt, ARRAY_NR(svpbmt));
}

static void printed_words_name_the_fields(void **state)
{
	struct config config;
	struct layout layout;
	char text[128];

	layout_default(&config, FORMAT_vtdss);
	layout = layout_of(&config);
	assert_string_equal(layout_print(&layout, 1, 0x200083, text, sizeof(text)),
			    "R W PS oa=0x200000");
	assert_string_equal(layout_print(&layout, 2, 0x7803, text, sizeof(text)),
			    "R W Reserved pa=0x7000 reserved=0x800");
	assert_string_equal(layout_print(&layout, 0, 0x400, text, sizeof(text)), "empty (0x400)");
	assert_string_equal(layout_print(&layout, 0, 0, text, sizeof(text)), "empty");
	assert_string_equal(layout_print(&layout, 1, 0x200083, text, 5), "R W");
	assert_string_equal(layout_bit_name(&layout, 0, true, 0x1800), "SNP (VT-d 9.8)");

	layout_default(&config, FORMAT_amdv1);
	layout = layout_of(&config);
	assert_string_equal(layout_print(&layout, 0, 3ull << 61 | 0x5e01, text, sizeof(text)),
			    "PR NextLevel=0x7 oa=0x4000 IR IW size=0x4000");
	assert_string_equal(layout_bit_name(&layout, 0, true, 1ull << 51),
			    "C-bit (AMD64 APM 2 7.10, inside the address)");
}

static void trap_is_a_leaf_wherever_a_leaf_can_be(void **state)
{
	/* levels, as a mask, on which the trap must translate reads and writes */
	static const u8 want[FORMAT_NR] = {0x07, 0x07, 0x17, 0x1f, 0x0f, 0x06, 0x06};
	unsigned int format, level, got;

	for (format = 0; format < FORMAT_NR; format++) {
		struct config config;
		struct layout layout;
		struct entry entry;

		layout_default(&config, format);
		layout = layout_of(&config);
		for (got = 0, level = 0; level < layout.levels_nr; level++) {
			layout_decode(&layout, level, layout_trap(&layout), &entry);
			if (entry.kind == ENTRY_LEAF && entry.read && entry.write &&
			    !entry.reserved)
				got |= 1u << level;
		}
		assert_int_equal(got, want[format]);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_of_every_level_tile_64_bits),
		cmocka_unit_test(shapes_fit_their_rows),
		cmocka_unit_test(levels_stack_and_hold_their_sizes),
		cmocka_unit_test(vtdss_words_decode_as_9_8_says),
		cmocka_unit_test(x86_64_words_decode_as_4_5_says),
		cmocka_unit_test(amdv1_words_decode_as_2_2_3_says),
		cmocka_unit_test(amdv1_mock_words_count_in_2_kib),
		cmocka_unit_test(riscv_64_words_decode_as_the_manual_says),
		cmocka_unit_test(printed_words_name_the_fields),
		cmocka_unit_test(trap_is_a_leaf_wherever_a_leaf_can_be),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
