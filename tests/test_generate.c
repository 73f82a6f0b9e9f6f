/*
 * The generator: the same seed gives the same program, configs and operands are mostly legal and reach
 * every format, level, size and prot, rule-breaking stays in a minority of programs, and work is
 * bounded.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/bits.h"
#include "fuzzers/generate.h"
#include "oracle/format.h"

#define PROGRAMS 20000

static struct program program, again;
static char text[PROGRAM_TEXT_MAX], text_again[PROGRAM_TEXT_MAX];

/* all_options() - every format, with the features that it documents */
static struct generate_options all_options(void)
{
	struct generate_options options = {.formats = (1u << FORMAT_NR) - 1};

	for (u32 format = 0; format < FORMAT_NR; format++)
		options.features[format] = layout_features(format);
	return options;
}

static void assert_between(const char *what, u64 got, u64 least, u64 most)
{
	if (got < least || got > most)
		fail_msg("%s: got %llu, want %llu to %llu", what, got, least, most);
}

/* why_refused() - why the contract refuses a map, or NULL; the oracle's rules, told once more */
static const char *why_refused(const struct layout *layout, u64 pgsizes, const struct op *op)
{
	u64 oa_last = bits_low(layout_oa_lg2(layout));
	struct range range;
	u64 mask, want;

	if (!range_make(&range, op->iova, op->len))
		return "len";
	if (!layout_iova_legal(layout, range))
		return "iova";
	if (!bits_aligned(op->iova | op->oa | op->len, bits_lowest(pgsizes)))
		return "alignment";
	if (!(op_operands(op->code) & OPERAND_OA))
		return NULL;
	if (op->oa > oa_last || op->len - 1 > oa_last - op->oa)
		return "oa";
	if (!layout_attributes(layout, op->prot, bits_lowest(pgsizes), &mask, &want))
		return "prot";
	return NULL;
}

static void program_follows_from_seed(void **state)
{
	struct generate_options options = all_options();
	u32 different = 0;

	for (u64 seed = 0; seed < 1000; seed++) {
		memset(&program, 0xaa, sizeof(program));
		memset(&again, 0x55, sizeof(again));
		generate_program(&program, seed, &options);
		generate_program(&again, seed, &options);
		text_print(&program, text);
		text_print(&again, text_again);
		if (strcmp(text, text_again))
			fail_msg("seed %llu: got\n%sand\n%s", seed, text, text_again);
		generate_program(&again, seed + 1, &options);
		text_print(&again, text_again);
		different += strcmp(text, text_again) != 0;
	}
	assert_int_equal(different, 1000);
}

static void program_survives_bytes_and_text(void **state)
{
	static u8 bytes[PROGRAM_BYTES_MAX];
	struct generate_options options = all_options();
	char error[512];

	options.ops_max = PROGRAM_OPS_MAX;
	for (u64 seed = 0; seed < PROGRAMS; seed++) {
		size_t nr;

		generate_program(&program, seed, &options);
		nr = text_print(&program, text);
		program_decode(&again, bytes, program_encode(&program, bytes));
		text_print(&again, text_again);
		if (strcmp(text, text_again))
			fail_msg("seed %llu: got\n%swant\n%s", seed, text_again, text);
		if (text_parse(&again, text, nr, "text", error, sizeof(error)))
			fail_msg("seed %llu: %s\n%s", seed, error, text);
		text_print(&again, text_again);
		if (strcmp(text, text_again))
			fail_msg("seed %llu: got\n%swant\n%s", seed, text_again, text);
	}
}

static void options_bound_format_and_length(void **state)
{
	struct generate_options options = all_options();

	options.formats = 1u << FORMAT_amdv1 | 1u << FORMAT_vtdss;
	for (u32 most = 0; most <= 300; most += most < 4 ? 1 : 37) {
		options.ops_max = most;
		for (u64 seed = 0; seed < 300; seed++) {
			u32 limit = most < PROGRAM_OPS_MAX ? most : PROGRAM_OPS_MAX;

			generate_program(&program, seed, &options);
			assert_between("operations", program.ops_nr, 1, most ? limit : 64);
			assert_true(options.formats >> program.config.format & 1);
		}
	}
}

/* A walker that documents nothing is asked for nothing, apart from illegal and plain configs. */
static void options_bound_features(void **state)
{
	struct generate_options options = {.formats = 1u << FORMAT_vtdss};
	u32 other = 0;

	options.features[FORMAT_vtdss] = FEATURE_FLUSH_RANGE;
	for (u64 seed = 0; seed < 2000; seed++) {
		generate_program(&program, seed, &options);
		other += (program.config.features & ~FEATURE_FLUSH_RANGE) != 0;
	}
	assert_between("programs of 2000 with other features", other, 1, 60);
}

static bool is_arm(u32 format)
{
	return format == FORMAT_armv8_s1 || format == FORMAT_armv8_s2;
}

static void configs_are_mostly_legal_and_reach_everything(void **state)
{
	struct generate_options options = all_options();
	u32 legal = 0, either = 0, formats[FORMAT_NR] = {0};
	u64 vasz[FORMAT_NR] = {0}, oasz[FORMAT_NR] = {0};
	u32 features[FORMAT_NR] = {0}, tops[FORMAT_NR] = {0};
	u32 tall = 0, fewer = 0, scattered = 0;

	for (u64 seed = 0; seed < PROGRAMS; seed++) {
		const struct config *config = &program.config;

		generate_program(&program, seed, &options);
		if (layout_legal(config))
			continue;
		legal++;
		either += layout_either(config);
		formats[config->format]++;
		vasz[config->format] |= 1ull << (config->vasz_lg2 - 1);
		oasz[config->format] |= 1ull << (config->oasz_lg2 - 1);
		features[config->format] |= config->features;
		tops[config->format] |= 1u << config->top_level;
		tall += config->format == FORMAT_vtdss && config->top_level == 4 &&
			config->vasz_lg2 <= 39;
		fewer += config->pgsizes != 0;
		scattered += program.scatter_lg2 != 0;
	}
	assert_between("legal of 20000", legal, PROGRAMS * 97 / 100, PROGRAMS - PROGRAMS / 200);
	assert_between("that may be refused, of 20000", either, 20, PROGRAMS * 5 / 100);
	assert_between("39 bits or less under a 5-level top", tall, PROGRAMS / 300, PROGRAMS);
	assert_between("with fewer page sizes", fewer, PROGRAMS / 10, PROGRAMS / 3);
	assert_between("with scatter", scattered, PROGRAMS / 10, PROGRAMS / 2);
	for (u32 format = 0; format < FORMAT_NR; format++) {
		struct config config;

		layout_default(&config, format);
		assert_between(format_word(format), formats[format], PROGRAMS / 10, PROGRAMS / 3);
		assert_int_equal(features[format] & layout_features(format),
				 layout_features(format));
		/*
		 * every width from 13 bits (Arm: the narrowest that all hardware has, 25) up to the
		 * usual one, which is the format's largest or 48
		 */
		if (format != FORMAT_riscv_64)
			assert_int_equal(bits_field(is_arm(format) ? 24 : 12, config.vasz_lg2 - 1) &
						 ~vasz[format],
					 0);
		assert_int_equal(bits_field(12, config.oasz_lg2 - 1) & ~oasz[format], 0);
	}
	assert_int_equal(vasz[FORMAT_riscv_64], 1ull << 38 | 1ull << 47 | 1ull << 56);
	assert_int_equal(tops[FORMAT_vtdss] & 0x1c, 0x1c);
	assert_int_equal(tops[FORMAT_x86_64] & 0x18, 0x18);
	assert_int_equal(tops[FORMAT_amdv1] & 0x3e, 0x3e);
	assert_int_equal(tops[FORMAT_riscv_64] & 0x1c, 0x1c);
	assert_int_equal(tops[FORMAT_armv8_s1], 0xe);
	assert_int_equal(tops[FORMAT_armv8_s2], 0xe);
}

/* What the operands of all programs together come to. */
struct tally {
	u64 ops, maps, refused, programs_refused, collisions, huge;
	u64 code[OP_NR];
	u64 clears, first_fails;
	u32 prots;
	u64 edges;	      /* by level: maps that cross a multiple of its tables' span */
	u64 sizes[FORMAT_NR]; /* lengths that are one page of that size, aligned to it */
	u64 last_page, upper_half, oa_last;
};

static void tally_map(struct tally *tally, const struct layout *layout, const struct op *op)
{
	u64 last = op->iova + (op->len - 1);

	tally->maps++;
	tally->prots |= 1u << op->prot;
	tally->last_page += last == ~0ull;
	tally->upper_half += op->iova >> 63;
	tally->oa_last += op->oa + (op->len - 1) == bits_low(layout_oa_lg2(layout));
	tally->huge += op->len >> 12 > 1ull << 18;
	for (u32 level = 0; level < layout->levels_nr; level++) {
		u32 lg2 = layout->level[level].item_lg2 + layout->level[level].items_lg2;

		if (lg2 < 64 && op->iova >> lg2 != last >> lg2)
			tally->edges |= 1ull << level;
	}
	if ((op->len & (op->len - 1)) == 0 && !((op->iova | op->oa) & (op->len - 1)))
		tally->sizes[layout->config.format] |= op->len;
}

static void tally_program(struct tally *tally)
{
	u64 refused = tally->refused;
	struct layout layout;
	u64 pgsizes;

	layout_init(&layout, &program.config);
	pgsizes = config_pgsizes(&program.config, layout.pgsizes);
	for (u32 i = 0; i < program.ops_nr; i++) {
		const struct op *op = &program.op[i];

		tally->ops++;
		tally->code[op->code]++;
		tally->clears += op->clear;
		tally->first_fails += !i && op->code == OP_FAILALLOC;
		/* devices write where they want */
		if (!(op_operands(op->code) & OPERAND_LEN) || op->code == OP_WRITE)
			continue;
		if (why_refused(&layout, pgsizes, op))
			tally->refused++;
		else if (op_operands(op->code) & OPERAND_OA)
			tally_map(tally, &layout, op);
	}
	tally->programs_refused += tally->refused != refused;
}

static void operands_are_mostly_legal_and_reach_everything(void **state)
{
	struct generate_options options = all_options();
	struct tally tally = {0};
	u64 programs = 0;

	for (u64 seed = 0; seed < PROGRAMS; seed++) {
		generate_program(&program, seed, &options);
		if (layout_legal(&program.config) || layout_either(&program.config))
			continue;
		programs++;
		tally_program(&tally);
	}
	assert_between("operations a program", tally.ops / programs, 10, 24);
	assert_between("programs that break rules, of 1000",
		       tally.programs_refused * 1000 / programs, 50, 130);
	assert_between("maps of 100", (tally.code[OP_MAP]) * 100 / tally.ops, 30, 60);
	for (u32 code = 0; code < OP_NR; code++)
		assert_between(op_word(code), tally.code[code] * 100 / tally.ops,
			       code == OP_QUEUE ? 1 : 2, 60);
	assert_between("dirty queries of 100 that clear", tally.clears * 100 / tally.code[OP_DIRTY],
		       40, 80);
	assert_between("programs of 1000 whose open fails", tally.first_fails * 1000 / programs, 5,
		       30);
	assert_int_equal(tally.edges & 0xf, 0xf);
	assert_between("maps that end at the last byte", tally.last_page * 1000 / tally.maps, 2,
		       100);
	assert_between("maps of the upper half", tally.upper_half * 100 / tally.maps, 3, 40);
	assert_between("maps up to the last oa", tally.oa_last * 1000 / tally.maps, 10, 200);
	for (u32 prot = 1; prot < 1u << MAP_BIT_NR; prot++)
		if (prot & (MAP_PROT_READ | MAP_PROT_WRITE) && !(tally.prots >> prot & 1))
			fail_msg("no map has prot 0x%x", prot);
	for (u32 format = 0; format < FORMAT_NR; format++) {
		struct config config;
		struct layout layout;

		layout_default(&config, format);
		layout_init(&layout, &config);
		if (layout.pgsizes & ~tally.sizes[format])
			fail_msg("%s: no map of one page of size 0x%llx", format_word(format),
				 layout.pgsizes & ~tally.sizes[format]);
	}
}

/* Items that a map writes: one by one, each the largest page that fits. */
static u64 items_written(const struct layout *layout, u64 pgsizes, const struct op *op, u64 limit)
{
	u64 at = 0, sum = 0;

	while (at < op->len && sum < limit) {
		u64 fit = pgsizes & bits_low(bits_lowest((op->iova + at) | (op->oa + at)) + 1);
		u32 lg2, level = 0;

		while (fit && 1ull << bits_highest(fit) > op->len - at)
			fit &= ~(1ull << bits_highest(fit));
		lg2 = bits_highest(fit);
		while (level + 1 < layout->levels_nr && layout->level[level + 1].item_lg2 <= lg2)
			level++;
		sum += 1ull << (lg2 - layout->level[level].item_lg2);
		at += 1ull << lg2;
	}
	return sum;
}

static void work_is_bounded(void **state)
{
	struct generate_options options = all_options();
	u64 maps = 0, items = 0, large = 0;

	for (u64 seed = 0; seed < PROGRAMS / 2; seed++) {
		struct layout layout;
		u64 pgsizes;

		generate_program(&program, seed, &options);
		if (layout_legal(&program.config) || layout_either(&program.config))
			continue;
		layout_init(&layout, &program.config);
		pgsizes = config_pgsizes(&program.config, layout.pgsizes);
		for (u32 i = 0; i < program.ops_nr; i++) {
			const struct op *op = &program.op[i];
			u64 nr;

			if (!(op_operands(op->code) & OPERAND_OA) ||
			    why_refused(&layout, pgsizes, op))
				continue;
			nr = items_written(&layout, pgsizes, op, 1 << 16);
			maps++;
			large += nr > 4096;
			items += nr;
		}
	}
	assert_between("maps of 100000 that write more than 4096 items", large * 100000 / maps, 0,
		       50);
	assert_between("items a map", items / maps, 2, 120);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(program_follows_from_seed),
		cmocka_unit_test(program_survives_bytes_and_text),
		cmocka_unit_test(options_bound_format_and_length),
		cmocka_unit_test(options_bound_features),
		cmocka_unit_test(configs_are_mostly_legal_and_reach_everything),
		cmocka_unit_test(operands_are_mostly_legal_and_reach_everything),
		cmocka_unit_test(work_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
