/*
 * ptfuzz bench --harness: what checking costs. The same stream of operations is run by the walker
 * alone (on the simulated machine) and fully checked, in turns within one run, since machines are
 * shared and only ratios of neighbouring measurements mean something.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/rng.h"
#include "fuzzers/collect.h"
#include "fuzzers/trap.h"
#include "tools/bench.h"
#include "tools/report.h"

#define PROGRAMS_NR 200
#define ROUNDS_NR   9

struct bench_row {
	double walker_s; /* the fastest round */
	double checked_s;
	u64 operations;
};

/*
 * The operation stream: ranges of 4 KiB to 1 GiB at 16 places, mapped, looked up and unmapped at random,
 * each unmap with its sync; half of the programs on an incoherent machine where the format has it.
 */
static void stream_make(struct program *program, struct rng *rng, const struct walker *walker,
			u32 format)
{
	static const u64 lens[] = {0x1000,  0x1000,   0x1000,	0x2000,	  0x4000,    0x10000,
				   0x10000, 0x200000, 0x200000, 0x400000, 0x40000000};
	u64 mapped[16] = {0};

	memset(program, 0, sizeof(*program));
	layout_default(&program->config, (enum format)format);
	program->config.features |=
		walker->features[format] & FEATURE_INCOHERENT & (rng_u64(rng) & 1 ? ~0u : 0);
	program->tables_pa = 0x3f000000;
	while (program->ops_nr + 1 < PROGRAM_OPS_MAX) {
		u32 place = rng_below(rng, ARRAY_NR(mapped));
		struct op *op = &program->op[program->ops_nr++];

		op->iova = (u64)place << 32;
		if (!mapped[place]) {
			op->code = OP_MAP;
			op->prot = MAP_PROT_READ | MAP_PROT_WRITE;
			op->oa = (u64)(place + 1) << 32;
			op->len = mapped[place] = lens[rng_below(rng, ARRAY_NR(lens))];
		} else if (rng_one_in(rng, 3)) {
			op->code = OP_LOOKUP;
			op->iova += rng_u64(rng) & (mapped[place] - 1);
		} else {
			op->code = OP_UNMAP;
			op->len = mapped[place];
			mapped[place] = 0;
			program->op[program->ops_nr++].code = OP_SYNC;
		}
	}
}

static double run_all(struct executor *executor, const struct walker *walker,
		      const struct program *programs, u32 nr, bool unchecked)
{
	struct execute_watch watch = {0};
	double start = collect_now();

	executor->unchecked = unchecked;
	for (u32 i = 0; i < nr; i++)
		execute(executor, walker, &programs[i], &watch);
	executor->unchecked = false;
	return collect_now() - start;
}

static void bench_format(const struct bench_options *options, struct executor *executor,
			 const struct walker *walker, u32 format, struct program *programs,
			 struct bench_row *row)
{
	struct rng rng = rng_make(options->seed);
	u32 nr = PROGRAMS_NR;
	u64 before;

	for (u32 i = 0; i < nr; i++)
		stream_make(&programs[i], &rng, walker, format);
	before = executor->operations;

	*row = (struct bench_row){1e9, 1e9, 0};
	for (int round = 0; round < ROUNDS_NR; round++) {
		double walker_s = run_all(executor, walker, programs, nr, true);
		double checked_s = run_all(executor, walker, programs, nr, false);

		if (!round)
			row->operations = (executor->operations - before) / 2;
		row->walker_s = walker_s < row->walker_s ? walker_s : row->walker_s;
		row->checked_s = checked_s < row->checked_s ? checked_s : row->checked_s;
	}
}

static json_t *row_print(const char *format, const struct bench_row *row)
{
	double walker = (double)row->operations / row->walker_s;
	double checked = (double)row->operations / row->checked_s;

	printf("%-11s %12.0f %12.0f %7.2f\n", format, walker, checked, walker / checked);
	return json_pack("{s:s, s:f, s:f, s:f}", "format", format, "walker_ops_per_s", walker,
			 "checked_ops_per_s", checked, "ratio", walker / checked);
}

int bench_harness(const struct bench_options *options)
{
	struct program *programs = calloc(PROGRAMS_NR, sizeof(*programs));
	struct executor *executor = executor_create(EXECUTE_PAGES);
	json_t *rows = json_array();
	const struct walker *walker;
	struct bench_row row;
	const char *origin;

	if (!programs || !executor || trap_install())
		fail(EXIT_USAGE, "no memory");
	walker = tree_walker(&options->walker, "", &origin);
	printf("%s, seed %llu, fastest of %d rounds in turns\n\n", origin, options->seed,
	       ROUNDS_NR);
	printf("%-11s %12s %12s %7s\n", "format", "walker op/s", "checked op/s", "ratio");
	for (u32 format = 0; format < FORMAT_NR; format++) {
		if (!(options->formats & walker->formats & 1u << format))
			continue;
		bench_format(options, executor, walker, format, programs, &row);
		json_array_append_new(rows, row_print(format_word(format), &row));
	}
	if (options->json)
		report_write(rows, options->json);
	json_decref(rows);
	free(programs);
	executor_destroy(executor);
	return EXIT_CLEAN;
}
