/*
 * ptfuzz bench: the speed of two walkers beside each other, without checks. Rounds take turns, since
 * machines are shared. In each row a neighbour stays mapped, so that the tables of the measured ranges
 * are in place, as drivers see it; a round maps ranges of their own cache lines and unmaps and syncs them.
 * Counts are those of the simulated machine and exact; its hooks are in both sides' time.
 */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/host/host.h"
#include "core/native/native.h"
#include "fuzzers/collect.h"
#include "fuzzers/load.h"
#include "oracle/format.h"
#include "tools/bench.h"
#include "tools/report.h"

#define ROUNDS_NR  400
#define PAGES_NR   256
#define IOVA_FIRST (1ull << 34)
#define OA_FIRST   (1ull << 35)

/* A row: @nr ranges of @len, @stride apart, in pages of @page; the last page of each @region stays. */
struct shape {
	const char *name;
	u64 page;
	u64 len;
	u64 stride;
	u64 region; /* of one lowest table */
	u32 nr;
};

static const struct shape shapes[] = {
	{"4K", 0x1000, 0x1000, 0x8000, 0x200000, 32},
	{"256x4K", 0x1000, 0x100000, 0x200000, 0x200000, 8},
	{"2M", 0x200000, 0x200000, 0x1000000, 0x40000000, 32},
	{"256x2M", 0x200000, 0x20000000, 0x40000000, 0x40000000, 4},
};

enum { MAP, UNMAP, OP_KINDS };

struct side {
	const struct walker *walker;
	struct host *host;
	struct walker_table *table;
	struct walker_gather gather;
	double sum_s[OP_KINDS];
	double min_s[OP_KINDS];
	struct host_counts counts[OP_KINDS]; /* of one round */
};

static bool side_open(struct side *side, const struct config *config, const struct shape *shape,
		      void *memory)
{
	struct host_config machine = {.tables_pa = 0x3f000000,
				      .coherent = !(config->features & FEATURE_INCOHERENT)};
	u64 end = IOVA_FIRST + shape->stride * shape->nr;
	struct walker_info info = {0};
	u64 mapped = 0;

	host_reset(side->host, &machine);
	side->host->steps_limit = side->host->allocs_limit = ~0ull;
	host_begin(side->host, 0, 0);
	if (side->walker->open(side->host, config, memory, &side->table))
		return false;
	side->walker->info(side->table, &info);
	if (!(info.pgsizes & shape->page)) {
		side->walker->close(side->table);
		return false;
	}
	side->walker->set_pgsizes(side->table, shape->page);
	for (u64 iova = IOVA_FIRST; iova < end; iova += shape->region)
		if (side->walker->map(side->table, iova + shape->region - shape->page, OA_FIRST,
				      shape->page, MAP_PROT_READ | MAP_PROT_WRITE, &mapped))
			fail(EXIT_USAGE, "%s: a map was refused", side->walker->name);
	side->gather = (struct walker_gather){.empty = true};
	side->walker->gather_init(side->table, &side->gather);
	for (int kind = 0; kind < OP_KINDS; kind++) {
		side->sum_s[kind] = 0;
		side->min_s[kind] = 1e9;
	}
	return true;
}

static void side_time(struct side *side, int kind, double start)
{
	double took = collect_now() - start;

	side->sum_s[kind] += took;
	if (took < side->min_s[kind])
		side->min_s[kind] = took;
	side->counts[kind] = side->host->op;
}

static void side_round(struct side *side, const struct shape *shape)
{
	double start;
	u64 done = 0;

	host_begin(side->host, 1, 0);
	start = collect_now();
	for (u64 i = 0, at = 0; i < shape->nr; i++, at += shape->stride)
		side->walker->map(side->table, IOVA_FIRST + at, OA_FIRST + at, shape->len,
				  MAP_PROT_READ | MAP_PROT_WRITE, &done);
	side_time(side, MAP, start);
	host_begin(side->host, 2, 0);
	start = collect_now();
	for (u64 i = 0, at = 0; i < shape->nr; i++, at += shape->stride) {
		done -= side->walker->unmap(side->table, IOVA_FIRST + at, shape->len,
					    &side->gather);
		side->walker->sync(side->table, &side->gather);
	}
	side_time(side, UNMAP, start);
	if (done)
		fail(EXIT_USAGE, "%s: what was mapped is not what was unmapped",
		     side->walker->name);
}

static json_t *counts_json(const struct side *side, int kind, u32 nr)
{
	const struct host_counts *counts = &side->counts[kind];

	return json_pack("{s:f, s:f, s:f, s:f, s:f, s:f}", "avg_ns",
			 side->sum_s[kind] * 1e9 / ROUNDS_NR / nr, "min_ns",
			 side->min_s[kind] * 1e9 / nr, "lines", (double)counts->lines_flushed / nr,
			 "stores", (double)counts->stores / nr, "loads", (double)counts->loads / nr,
			 "tables", (double)counts->allocs / nr);
}

static double row_print(struct side *sides, const char *format, bool incoherent, int kind,
			const struct shape *shape, json_t *rows)
{
	double ratio = sides[0].min_s[kind] / sides[1].min_s[kind];
	const char *op = kind == MAP ? "map" : "unmap";
	double nr = shape->nr;

	printf("%-10s %-4s %-7s %-5s", format, incoherent ? "inc" : "coh", shape->name, op);
	for (int i = 0; i < 2; i++) {
		const struct host_counts *counts = &sides[i].counts[kind];

		printf(" | %7.0f %7.0f %4.0f %5.0f %5.0f %3.0f",
		       sides[i].sum_s[kind] * 1e9 / ROUNDS_NR / nr, sides[i].min_s[kind] * 1e9 / nr,
		       (double)counts->lines_flushed / nr, (double)counts->stores / nr,
		       (double)counts->loads / nr, (double)counts->allocs / nr);
	}
	printf(" | %5.2f\n", ratio);
	json_array_append_new(rows,
			      json_pack("{s:s, s:b, s:s, s:s, s:o, s:o, s:f}", "format", format,
					"incoherent", incoherent, "row", shape->name, "op", op,
					"new", counts_json(&sides[0], kind, shape->nr), "old",
					counts_json(&sides[1], kind, shape->nr), "ratio", ratio));
	return ratio;
}

static void *side_memory(const struct walker *walker)
{
	void *memory = aligned_alloc(64, (walker->table_bytes + 63) & ~63ull);

	return memory ? memory : (fail(EXIT_USAGE, "no memory"), NULL);
}

struct total {
	double worst;
	double log_sum;
	u32 nr;
};

static void bench_shape(struct side *sides, void **memory, const struct config *config,
			const struct shape *shape, struct total *total, json_t *rows)
{
	if (!side_open(&sides[0], config, shape, memory[0]))
		return;
	if (!side_open(&sides[1], config, shape, memory[1])) {
		sides[0].walker->close(sides[0].table);
		return;
	}
	for (int round = 0; round < ROUNDS_NR; round++) {
		side_round(&sides[0], shape);
		side_round(&sides[1], shape);
	}
	for (int kind = 0; kind < OP_KINDS; kind++) {
		double ratio = row_print(sides, format_word(config->format),
					 config->features & FEATURE_INCOHERENT, kind, shape, rows);

		total->worst = ratio > total->worst ? ratio : total->worst;
		total->log_sum += log(ratio);
		total->nr++;
	}
	sides[0].walker->close(sides[0].table);
	sides[1].walker->close(sides[1].table);
}

static const struct walker *walker_vs(const char *vs, const char **origin)
{
	struct walker_options options = {.tree = vs};

	if (strcmp(vs, "native"))
		return tree_walker(&options, "", origin);
	*origin = "native";
	return load_find(&native_walkers, "");
}

/* New is native, or the tree of --linux beside another tree; old is what it is compared with. */
static void sides_choose(const struct bench_options *options, struct side *sides)
{
	const char *origin[2];
	bool native = !strcmp(options->vs, "native");

	sides[native].walker = tree_walker(&options->walker, "", &origin[native]);
	sides[!native].walker = walker_vs(options->vs, &origin[!native]);
	printf("new: %s\nold: %s\n%d rounds in turns; ns of one operation, the simulated machine's "
	       "hooks included\n\n%28s",
	       origin[0], origin[1], ROUNDS_NR, "");
	for (int i = 0; i < 2; i++)
		printf(" | %3s avg %7s %4s %5s %5s %3s", i ? "old" : "new", "min", "line", "store",
		       "load", "tbl");
	printf(" | ratio\n");
}

int bench_speed(const struct bench_options *options)
{
	struct side sides[2] = {0};
	struct total total = {0};
	json_t *rows = json_array();
	void *memory[2];

	sides_choose(options, sides);
	for (int i = 0; i < 2; i++) {
		memory[i] = side_memory(sides[i].walker);
		sides[i].host = host_create(PAGES_NR);
		if (!sides[i].host)
			fail(EXIT_USAGE, "no memory");
	}
	for (u32 format = 0; format < FORMAT_NR; format++) {
		u32 incoherent = sides[0].walker->features[format] &
				 sides[1].walker->features[format] & FEATURE_INCOHERENT;
		struct config config;

		if (!(options->formats & sides[0].walker->formats & sides[1].walker->formats &
		      1u << format))
			continue;
		for (int way = 0; way < (incoherent ? 2 : 1); way++) {
			layout_default(&config, (enum format)format);
			config.features |= way ? incoherent : 0;
			for (size_t i = 0; i < ARRAY_NR(shapes); i++)
				bench_shape(sides, memory, &config, &shapes[i], &total, rows);
		}
	}
	if (total.nr)
		printf("\nratio: worst %.2f, geometric mean %.2f of %u rows\n", total.worst,
		       exp(total.log_sum / total.nr), total.nr);
	if (options->json)
		report_write(rows, options->json);
	json_decref(rows);
	for (int i = 0; i < 2; i++) {
		host_destroy(sides[i].host);
		free(memory[i]);
	}
	return EXIT_CLEAN;
}
