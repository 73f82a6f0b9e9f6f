/*
 * What a config makes of a format: which must open, which must be refused and which may do either
 * (docs/contract.md, "Opening a table"), page sizes, iovas, root, and what a leaf must carry.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "core/base/bits.h"
#include "oracle/format.h"

#define INCOHERENT FEATURE_INCOHERENT
#define SIGN	   FEATURE_SIGN_EXTEND
#define GROW	   FEATURE_GROWING_TOP
#define RANGE	   FEATURE_FLUSH_RANGE
#define GAPS	   FEATURE_NO_GAPS
#define DETAIL	   FEATURE_DETAILED_GATHER
#define ENCRYPT	   FEATURE_ENCRYPT_TABLES
#define COHERENT   FEATURE_FORCE_COHERENCE
#define WRITEABLE  FEATURE_FORCE_WRITEABLE
#define NAPOT	   FEATURE_SVNAPOT_64K
#define PBMT	   FEATURE_SVPBMT
#define AMD	   (GROW | ENCRYPT | COHERENT)
#define RISCV	   (SIGN | RANGE | DETAIL)
#define S4K	   (1ull << 12)
#define S64K	   (1ull << 16)
#define S2M	   (1ull << 21)
#define S1G	   (1ull << 30)
#define S512G	   (1ull << 39)
#define S256T	   (1ull << 48)

enum answer {
	REFUSE,
	EITHER,
	OPEN,
};

/* A config, what opening it must do, and the page sizes if it can open. */
struct row {
	struct config config;
	enum answer want;
	u64 pgsizes;
};

static const struct row rows[] = {
	/* what in-tree drivers ask for */
	{{FORMAT_vtdss, 48, 52, 3, 0, RANGE, 0}, OPEN, S4K | S2M | S1G},
	{{FORMAT_vtdss, 57, 52, 4, 0, RANGE | INCOHERENT, 0}, OPEN, S4K | S2M | S1G},
	{{FORMAT_vtdss, 39, 52, 2, 0, RANGE | COHERENT, 0}, OPEN, S4K | S2M | S1G},
	{{FORMAT_vtdss, 39, 52, 3, 0, RANGE | WRITEABLE, 0}, OPEN, S4K | S2M | S1G},
	{{FORMAT_vtdss, 30, 39, 4, 0, RANGE, 0}, OPEN, S4K | S2M},
	{{FORMAT_x86_64, 48, 52, 3, 0, SIGN | RANGE, 0}, OPEN, S4K | S2M | S1G},
	{{FORMAT_x86_64, 57, 52, 4, 0, SIGN | RANGE | INCOHERENT, 0}, OPEN, S4K | S2M | S1G},
	{{FORMAT_x86_64, 39, 52, 3, 0, SIGN | RANGE, 0}, OPEN, S4K | S2M | S1G},
	{{FORMAT_x86_64, 47, 52, 3, 47, ENCRYPT | RANGE, 0}, OPEN, S4K | S2M | S1G},
	{{FORMAT_x86_64, 57, 52, 4, 51, SIGN | ENCRYPT | GAPS, 0}, OPEN, S4K | S2M | S1G},
	{{FORMAT_amdv1, 64, 52, 2, 47, AMD | RANGE, 0}, OPEN, 0xfff7ffffff000},
	{{FORMAT_amdv1, 64, 52, 2, 51, AMD | GAPS, 0}, OPEN, 0xfff7ffffff000},
	{{FORMAT_riscv_64, 39, 56, 2, 0, RISCV | NAPOT, 0}, OPEN, S4K | S64K | S2M | S1G},
	{{FORMAT_riscv_64, 48, 56, 3, 0, RISCV | NAPOT | PBMT, 0},
	 OPEN,
	 S4K | S64K | S2M | S1G | S512G},
	{{FORMAT_riscv_64, 57, 56, 0, 0, RISCV | NAPOT, 0},
	 OPEN,
	 S4K | S64K | S2M | S1G | S512G | S256T},
	{{FORMAT_amdv1_mock, 56, 51, 4, 0, 0, 0}, OPEN, 0x7f7ffffff800},
	/* what hardware can have besides */
	{{FORMAT_vtdss, 13, 12, 2, 0, RANGE, 0}, OPEN, S4K},
	{{FORMAT_x86_64, 14, 21, 4, 0, SIGN | RANGE, 0}, OPEN, S4K},
	{{FORMAT_x86_64, 31, 30, 4, 0, SIGN | RANGE, 0}, OPEN, S4K | S2M},
	{{FORMAT_x86_64, 32, 30, 4, 0, SIGN | RANGE, 0}, OPEN, S4K | S2M | S1G},
	{{FORMAT_amdv1, 21, 52, 5, 47, AMD | RANGE, 0}, OPEN, 0x1ff000},
	{{FORMAT_riscv_64, 39, 20, 4, 0, RISCV, 0}, OPEN, S4K},
	/* where the contract leaves room */
	{{FORMAT_vtdss, 12, 52, 2, 0, RANGE, 0}, EITHER, 0},
	{{FORMAT_vtdss, 48, 11, 3, 0, RANGE, 0}, EITHER, 0},
	{{FORMAT_vtdss, 48, 53, 3, 0, RANGE, 0}, EITHER, S4K | S2M | S1G},
	{{FORMAT_vtdss, 48, 52, 3, 0, RANGE | GAPS, 0}, EITHER, S4K | S2M | S1G},
	{{FORMAT_vtdss, 48, 52, 3, 0, RANGE | DETAIL, 0}, EITHER, S4K | S2M | S1G},
	{{FORMAT_vtdss, 48, 52, 3, 0, 0, 0}, EITHER, S4K | S2M | S1G},
	{{FORMAT_x86_64, 48, 52, 3, 0, SIGN | RANGE | DETAIL, 0}, EITHER, S4K | S2M | S1G},
	{{FORMAT_x86_64, 13, 52, 3, 0, SIGN | RANGE, 0}, EITHER, 0},
	{{FORMAT_x86_64, 48, 52, 3, 52, ENCRYPT | RANGE, 0}, EITHER, S4K | S2M | S1G},
	{{FORMAT_amdv1, 64, 52, 2, 47, ENCRYPT | COHERENT | RANGE, 0}, EITHER, 0x7ffffff000},
	{{FORMAT_amdv1, 64, 52, 0, 47, AMD | RANGE, 0}, EITHER, 0xfff7ffffff000},
	{{FORMAT_amdv1, 64, 52, 2, 47, AMD | RANGE | INCOHERENT, 0}, EITHER, 0xfff7ffffff000},
	{{FORMAT_amdv1, 64, 52, 2, 47, AMD | RANGE | DETAIL, 0}, EITHER, 0xfff7ffffff000},
	{{FORMAT_amdv1, 48, 52, 3, 47, ENCRYPT | COHERENT | RANGE, 0}, EITHER, 0xff7ffffff000},
	{{FORMAT_amdv1, 64, 52, 2, 47, GROW | COHERENT | RANGE, 0}, EITHER, 0xfff7ffffff000},
	{{FORMAT_amdv1, 64, 52, 2, 47, GROW | ENCRYPT | RANGE, 0}, EITHER, 0xfff7ffffff000},
	{{FORMAT_riscv_64, 39, 56, 2, 0, RISCV | INCOHERENT, 0}, EITHER, S4K | S2M | S1G},
	{{FORMAT_riscv_64, 39, 56, 2, 0, SIGN | DETAIL | GAPS, 0}, EITHER, S4K | S2M | S1G},
	{{FORMAT_riscv_64, 39, 56, 2, 0, RANGE | DETAIL, 0}, EITHER, S4K | S2M | S1G},
	{{FORMAT_riscv_64, 39, 56, 2, 0, SIGN | RANGE, 0}, EITHER, S4K | S2M | S1G},
	{{FORMAT_amdv1_mock, 56, 51, 2, 0, 0, 0}, EITHER, 0x3ffffff800},
	{{FORMAT_amdv1_mock, 56, 51, 4, 0, GAPS, 0}, EITHER, 0x7f7ffffff800},
	/* what must be refused */
	{{FORMAT_vtdss, 0, 52, 3, 0, RANGE, 0}, REFUSE, 0},
	{{FORMAT_vtdss, 58, 52, 4, 0, RANGE, 0}, REFUSE, 0},
	{{FORMAT_vtdss, 48, 0, 3, 0, RANGE, 0}, REFUSE, 0},
	{{FORMAT_vtdss, 40, 52, 2, 0, RANGE, 0}, REFUSE, 0},
	{{FORMAT_vtdss, 20, 52, 1, 0, RANGE, 0}, REFUSE, 0},
	{{FORMAT_vtdss, 48, 52, 5, 0, RANGE, 0}, REFUSE, 0},
	{{FORMAT_vtdss, 48, 52, 3, 0, RANGE | NAPOT, 0}, REFUSE, 0},
	{{FORMAT_vtdss, 48, 52, 3, 0, RANGE | 1u << 31, 0}, REFUSE, 0},
	{{FORMAT_x86_64, 49, 52, 3, 0, SIGN | RANGE, 0}, REFUSE, 0},
	{{FORMAT_x86_64, 30, 52, 2, 0, SIGN | RANGE, 0}, REFUSE, 0},
	{{FORMAT_x86_64, 48, 52, 3, 0, SIGN | GROW | RANGE, 0}, REFUSE, 0},
	{{FORMAT_amdv1, 65, 52, 2, 47, AMD | RANGE, 0}, REFUSE, 0},
	{{FORMAT_amdv1, 64, 52, 6, 47, AMD | RANGE, 0}, REFUSE, 0},
	{{FORMAT_amdv1, 48, 52, 2, 47, AMD | SIGN | RANGE, 0}, REFUSE, 0},
	{{FORMAT_riscv_64, 40, 56, 3, 0, RISCV, 0}, REFUSE, 0},
	{{FORMAT_amdv1_mock, 57, 51, 4, 0, 0, 0}, REFUSE, 0},
	{{FORMAT_NR, 48, 52, 3, 0, 0, 0}, REFUSE, 0},
};

static void configs_open_or_not_as_the_contract_says(void **state)
{
	size_t i;

	for (i = 0; i < ARRAY_NR(rows); i++) {
		const struct config *config = &rows[i].config;
		const char *illegal = layout_legal(config);
		struct layout layout = {0};
		enum answer got = REFUSE;

		if (!illegal) {
			got = layout_either(config) ? EITHER : OPEN;
			layout_init(&layout, config);
		}
		if (got != rows[i].want || layout.pgsizes != rows[i].pgsizes)
			fail_msg("row %zu (%s): got %d, want %d; pgsizes 0x%llx, want 0x%llx; %s",
				 i, format_word(config->format), got, rows[i].want, layout.pgsizes,
				 rows[i].pgsizes, illegal ? illegal : "legal");
	}
}

static void defaults_must_open_and_every_feature_is_legal(void **state)
{
	unsigned int format, bit;

	for (format = 0; format < FORMAT_NR; format++) {
		struct config config;

		layout_default(&config, format);
		assert_int_equal(config.format, format);
		assert_null(layout_legal(&config));
		assert_false(layout_either(&config));
		for (bit = 0; bit < FEATURE_NR; bit++) {
			layout_default(&config, format);
			config.features |= layout_features(format) & 1u << bit;
			assert_null(layout_legal(&config));
		}
	}
}

static void features_are_those_of_the_manuals(void **state)
{
	static const u32 want[FORMAT_NR] = {
		INCOHERENT | RANGE | COHERENT | WRITEABLE,
		INCOHERENT | SIGN | RANGE | GAPS | ENCRYPT,
		GROW | RANGE | GAPS | ENCRYPT | COHERENT,
		SIGN | RANGE | DETAIL | NAPOT | PBMT,
		RANGE | GAPS,
		INCOHERENT | RANGE | GAPS,
		INCOHERENT | RANGE | GAPS,
	};
	unsigned int format;

	for (format = 0; format < FORMAT_NR; format++)
		assert_int_equal(layout_features(format), want[format]);
}

static void init_makes_the_effective_config(void **state)
{
	static const struct config riscv = {FORMAT_riscv_64, 57, 56, 0, 0, RISCV, 0};
	static const struct config fixed = {FORMAT_amdv1, 64, 60, 1, 47, ENCRYPT | RANGE, 0};
	struct layout layout;

	layout_init(&layout, &riscv);
	assert_int_equal(layout.config.top_level, 4);
	assert_int_equal(layout_oa_lg2(&layout), 56);
	layout_init(&layout, &fixed);
	assert_int_equal(layout.config.vasz_lg2, 30);
	assert_int_equal(layout.config.oasz_lg2, 52);
	assert_int_equal(layout_oa_lg2(&layout), 47);
}

static void ignored_bits_are_those_of_the_manuals(void **state)
{
	static const u64 want[FORMAT_NR] = {
		0xbff0000000000400, 0x7ff0000000000a00, 0x800000000000019e, 0x300,
		0x800000000000019e, 0x780000000000000,	0x780000000000000};
	unsigned int format;

	for (format = 0; format < FORMAT_NR; format++) {
		struct config config;
		struct layout layout;

		layout_default(&config, format);
		layout_init(&layout, &config);
		assert_int_equal(layout.ignored, want[format]);
	}
}

static void root_modes_are_those_of_the_registers(void **state)
{
	static const struct {
		u32 first;
		s8 level[6];
	} want[FORMAT_NR] = {
		{1, {2, 3, 4, -1, -1, -1}}, {4, {3, 4, -1, -1, -1, -1}}, {1, {0, 1, 2, 3, 4, 5}},
		{8, {2, 3, 4, -1, -1, -1}}, {1, {0, 1, 2, 3, 4, -1}},	 {0, {1, 2, 3, -1, -1, -1}},
		{0, {1, 2, 3, -1, -1, -1}},
	};
	static const u8 last[FORMAT_NR] = {51, 51, 51, 55, 51, 47, 47};
	unsigned int format, i;

	for (format = 0; format < FORMAT_NR; format++) {
		struct config config;
		struct layout layout;

		layout_default(&config, format);
		layout_init(&layout, &config);
		assert_int_equal(layout_root_level(&layout, want[format].first - 1), -1);
		assert_int_equal(layout_root_level(&layout, ~0u), -1);
		assert_int_equal(layout_root_bits(&layout), bits_field(12, last[format]));
		for (i = 0; i < 6; i++)
			assert_int_equal(layout_root_level(&layout, want[format].first + i),
					 want[format].level[i]);
	}
}

static bool iova_legal(const struct layout *layout, u64 first, u64 last)
{
	return layout_iova_legal(layout, (struct range){first, last});
}

static void iovas_are_bounded_by_vasz_or_canonical(void **state)
{
	static const struct config half = {FORMAT_x86_64, 48, 52, 3, 0, SIGN | RANGE, 0};
	static const struct config whole = {FORMAT_amdv1, 64, 52, 2, 51, AMD | RANGE, 0};
	static const struct config plain = {FORMAT_vtdss, 40, 52, 3, 0, RANGE, 0};
	struct layout layout;

	layout_init(&layout, &half);
	assert_true(iova_legal(&layout, 0, 0x7fffffffffff));
	assert_false(iova_legal(&layout, 0, 0x800000000000));
	assert_false(iova_legal(&layout, 0x800000000000, 0x800000000fff));
	assert_true(iova_legal(&layout, 0xffff800000000000, ~0ull));
	assert_false(iova_legal(&layout, 0xffff7fffffffffff, ~0ull));
	assert_false(iova_legal(&layout, 0x7ffffffff000, 0xffff800000000fff));
	assert_int_equal(layout_iova_full(&layout, 0x800000000000), 0xffff800000000000);
	assert_int_equal(layout_iova_full(&layout, 0x7fffffffffff), 0x7fffffffffff);
	assert_int_equal(layout_index(&layout, 3, 0xffff800000000000), 256);
	assert_int_equal(layout_index(&layout, 0, 0x1ff000), 511);

	layout_init(&layout, &whole);
	assert_true(iova_legal(&layout, 0, ~0ull));
	assert_int_equal(layout_index(&layout, 5, ~0ull), 127);

	layout_init(&layout, &plain);
	assert_true(iova_legal(&layout, 0, bits_low(40)));
	assert_false(iova_legal(&layout, 0, 1ull << 40));
	assert_int_equal(layout_index(&layout, 3, 1ull << 39), 1);
	assert_int_equal(layout_iova_full(&layout, 1ull << 39), 1ull << 39);
}

#define R  MAP_PROT_READ
#define W  MAP_PROT_WRITE
#define C  MAP_PROT_CACHE
#define NX MAP_PROT_NOEXEC
#define IO MAP_PROT_MMIO

/* The mask and value of a leaf's attributes; a mask of 0 means that the map must be refused. */
static const struct {
	struct config config;
	u32 prot;
	unsigned int size_lg2;
	u64 mask;
	u64 want;
} attributes[] = {
	{{FORMAT_vtdss, 48, 52, 3, 0, RANGE, 0}, R | C, 12, 0x87f, 0x1},
	{{FORMAT_vtdss, 48, 52, 3, 0, RANGE, 0}, W, 21, 0x87f, 0x2},
	{{FORMAT_vtdss, 48, 52, 3, 0, RANGE | COHERENT, 0}, R | W, 30, 0x87f, 0x803},
	{{FORMAT_vtdss, 48, 52, 3, 0, RANGE | WRITEABLE, 0}, R, 12, 0, 0},
	{{FORMAT_vtdss, 48, 52, 3, 0, RANGE | WRITEABLE, 0}, W, 12, 0x87f, 0x2},
	{{FORMAT_vtdss, 48, 52, 3, 0, RANGE, 0}, C | NX | IO, 12, 0, 0},
	{{FORMAT_x86_64, 48, 52, 3, 0, SIGN | RANGE, 0}, R, 12, 0x800000000000019e, 0x4},
	{{FORMAT_x86_64, 48, 52, 3, 0, SIGN | RANGE, 0}, W | NX, 12, 0x19e, 0x6},
	{{FORMAT_x86_64, 48, 52, 3, 0, SIGN | RANGE, 0}, W | NX, 21, 0x111e, 0x6},
	{{FORMAT_x86_64, 48, 52, 3, 47, ENCRYPT | RANGE, 0},
	 W | NX,
	 12,
	 0x80000000019e,
	 0x800000000006},
	{{FORMAT_x86_64, 48, 52, 3, 47, ENCRYPT | RANGE, 0}, W | NX | IO, 12, 0x80000000019e, 0x6},
	{{FORMAT_amdv1, 64, 52, 2, 51, AMD | RANGE, 0},
	 R,
	 13,
	 0x7808000000000000,
	 0x3008000000000000},
	{{FORMAT_amdv1, 64, 52, 2, 51, AMD | RANGE, 0},
	 W | IO,
	 51,
	 0x7808000000000000,
	 0x5000000000000000},
	{{FORMAT_amdv1_mock, 56, 51, 4, 0, 0, 0},
	 R | W,
	 11,
	 0x7800000000000000,
	 0x6000000000000000},
	{{FORMAT_riscv_64, 39, 56, 2, 0, RISCV, 0}, R, 12, 0x7e, 0x5a},
	{{FORMAT_riscv_64, 39, 56, 2, 0, RISCV, 0}, W | NX, 16, 0xfe, 0xd6},
	{{FORMAT_riscv_64, 39, 56, 2, 0, RISCV | PBMT, 0},
	 R | NX | C,
	 21,
	 0x600000000000007e,
	 0x52},
	{{FORMAT_riscv_64, 39, 56, 2, 0, RISCV | PBMT, 0},
	 R | NX,
	 21,
	 0x600000000000007e,
	 0x2000000000000052},
	{{FORMAT_riscv_64, 39, 56, 2, 0, RISCV | PBMT, 0},
	 R | NX | IO | C,
	 21,
	 0x600000000000007e,
	 0x4000000000000052},
};

static void leaves_must_carry_what_the_prot_asks(void **state)
{
	size_t i;

	for (i = 0; i < ARRAY_NR(attributes); i++) {
		struct layout layout;
		u64 mask = 0, want = 0;
		bool allowed;

		layout_init(&layout, &attributes[i].config);
		allowed = layout_attributes(&layout, attributes[i].prot, attributes[i].size_lg2,
					    &mask, &want);
		if (allowed != !!attributes[i].mask || mask != attributes[i].mask ||
		    want != attributes[i].want)
			fail_msg("row %zu: got 0x%llx in 0x%llx, want 0x%llx in 0x%llx", i, want,
				 mask, attributes[i].want, attributes[i].mask);
	}
}

static void tables_take_nothing_from_their_leaves(void **state)
{
	static const struct {
		u64 mask;
		u64 want;
	} want[FORMAT_NR] = {
		{0x7, 0x3},
		{0x800000000000001f, 0x7},
		{0x6008000000000001, 0x6008000000000001}, /* C-bit 51 */
		{0x21, 0x1},
		{0x6000000000000001, 0x6000000000000001},
		{0x7800000000000001, 0x1},
		{0x1, 0x1},
	};
	unsigned int format;

	for (format = 0; format < FORMAT_NR; format++) {
		struct config config;
		struct layout layout;

		layout_default(&config, format);
		layout_init(&layout, &config);
		assert_int_equal(layout.table_mask, want[format].mask);
		assert_int_equal(layout.table_want, want[format].want);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(configs_open_or_not_as_the_contract_says),
		cmocka_unit_test(defaults_must_open_and_every_feature_is_legal),
		cmocka_unit_test(features_are_those_of_the_manuals),
		cmocka_unit_test(init_makes_the_effective_config),
		cmocka_unit_test(ignored_bits_are_those_of_the_manuals),
		cmocka_unit_test(root_modes_are_those_of_the_registers),
		cmocka_unit_test(iovas_are_bounded_by_vasz_or_canonical),
		cmocka_unit_test(leaves_must_carry_what_the_prot_asks),
		cmocka_unit_test(tables_take_nothing_from_their_leaves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
