/* ptfuzz run: the random engine. Generated programs, one after the other, in collect mode. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "core/base/rng.h"
#include "fuzzers/collect.h"
#include "fuzzers/generate.h"
#include "fuzzers/maximize.h"
#include "fuzzers/trap.h"
#include "tools/against.h"
#include "tools/command.h"
#include "tools/maximize_report.h"
#include "tools/report.h"

#define VARIANTS_MAX	 3
#define CLOCK_EVERY	 256  /* programs between looks at the clock */
#define SECONDS_OF_STATS 10.0 /* between writes of the statistics */

struct run_options {
	struct walker_options walker;
	u32 formats;
	u64 seed;
	u64 programs;
	double seconds;
	u32 ops_max;
	const char *folder;
	const char *json;
	const char *variants;
	const char *maximize;
	const char *against;
	bool paranoid;
	bool quiet;
};

/* Set by SIGINT and SIGTERM; the only thing that a signal handler here does. */
static volatile sig_atomic_t run_stopped;

static void on_stop(int signal_nr)
{
	(void)signal_nr;
	run_stopped = 1;
}

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct run_options *options = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->walker;
		return 0;
	case 'f':
		options->formats = options_formats(text);
		return 0;
	case 's':
		options->seconds = (double)options_number("--seconds", text, 1, 1u << 30);
		return 0;
	case 'n':
		options->programs = options_number("--programs", text, 1, ~0ull);
		return 0;
	case 'S':
		options->seed = options_number("--seed", text, 0, ~0ull);
		return 0;
	case 'o':
		options->ops_max = (u32)options_number("--ops", text, 1, PROGRAM_OPS_MAX);
		return 0;
	case 'F':
		options->folder = text;
		return 0;
	case 'j':
		options->json = text;
		return 0;
	case 'v':
		options->variants = text;
		return 0;
	case 'm':
		options->maximize = text;
		return 0;
	case 'a':
		options->against = text;
		return 0;
	case 'p':
		options->paranoid = true;
		return 0;
	case 'q':
		options->quiet = true;
		return 0;
	case ARGP_KEY_ARG:
		fail(EXIT_USAGE, "unexpected `%s`", text);
	}
	return ARGP_ERR_UNKNOWN;
}

static u32 walkers_load(const struct run_options *options, const struct walker **walkers,
			const char **origin)
{
	struct walker_options one = options->walker;
	const char *words = options->variants;
	char word[32];
	size_t length;
	u32 nr = 0;

	if (!words) {
		walkers[0] = tree_walker(&one, "", origin);
		return 1;
	}
	for (; *words; words += length + (words[length] == ',')) {
		length = strcspn(words, ",");
		snprintf(word, sizeof(word), "%.*s", (int)length, words);
		if (strcmp(word, "x86") && strcmp(word, "dma") && strcmp(word, "debug"))
			fail(EXIT_USAGE, "--variants %s: each is x86, dma or debug", word);
		if (nr == VARIANTS_MAX)
			fail(EXIT_USAGE, "--variants: at most %d", VARIANTS_MAX);
		one.variant = word;
		walkers[nr++] = tree_walker(&one, "", origin);
	}
	if (!nr)
		fail(EXIT_USAGE, "--variants needs at least one of x86, dma, debug");
	return nr;
}

/* "result 3, work 1": how many signatures of each rule there are. */
static void rules_count(const struct collect *collect, char *text, size_t bytes)
{
	u32 nr[RULE_NR] = {0};
	size_t length = 0;

	text[0] = 0;
	for (u32 i = 0; i < collect->nr; i++)
		nr[collect->finding[i].verdict.rule]++;
	for (u32 rule = 0; rule < RULE_NR && length < bytes; rule++)
		if (nr[rule])
			length += (size_t)snprintf(text + length, bytes - length, "%s%s %u",
						   length ? ", " : "", rule_name(rule), nr[rule]);
}

/* One line, drawn over the last one and cut to the width of the terminal. */
static void progress(const struct collect *collect, bool terminal)
{
	double lasted = collect_now() - collect->seconds_started;
	struct winsize size = {.ws_col = 80};
	char rules[512], line[1024];

	if (!terminal)
		return;
	ioctl(STDERR_FILENO, TIOCGWINSZ, &size);
	rules_count(collect, rules, sizeof(rules));
	snprintf(line, sizeof(line),
		 "%.0f s  %.0f programs/s  %.0f operations/s  %u new, %u known: %s", lasted,
		 (double)collect->programs / lasted, (double)collect->operations / lasted,
		 collect->new_nr, collect->nr - collect->new_nr, rules);
	fprintf(stderr, "\r\033[K%.*s", size.ws_col > 1 ? size.ws_col - 1 : 79, line);
}

/* What both sides of a comparison have, so that most programs can be compared. */
static void generate_for(struct generate_options *generate, const struct run_options *options,
			 const struct walker *walker, const struct differ *against)
{
	generate->formats = options->formats & walker->formats;
	memcpy(generate->features, walker->features, sizeof(generate->features));
	if (!against)
		return;
	generate->formats &= against->walker->formats;
	for (u32 format = 0; format < FORMAT_NR; format++)
		generate->features[format] &= against->walker->features[format];
}

static void run_loop(const struct run_options *options, struct collect *collect,
		     const struct walker **walkers, u32 walkers_nr)
{
	struct generate_options generate = {.ops_max = options->ops_max};
	bool terminal = !options->quiet && isatty(STDERR_FILENO);
	struct program *program = malloc(sizeof(*program));
	struct rng seeds = rng_make(options->seed);
	double shown = 0, written = collect->seconds_started;

	if (!program)
		fail(EXIT_USAGE, "no memory");
	for (u64 i = 0; !run_stopped && (!options->programs || i < options->programs); i++) {
		const struct walker *walker = walkers[i % walkers_nr];

		generate_for(&generate, options, walker, collect->executor->against);
		generate_program(program, rng_u64(&seeds), &generate);
		collect_run(collect, walker, program);
		if (i % CLOCK_EVERY)
			continue;
		if (options->seconds &&
		    collect_now() - collect->seconds_started >= options->seconds)
			break;
		if (collect_now() - shown > 0.25)
			progress(collect, terminal), shown = collect_now();
		if (collect_now() - written > SECONDS_OF_STATS)
			collect_write(collect), written = collect_now();
	}
	progress(collect, terminal);
	if (terminal)
		fputc('\n', stderr);
	free(program);
}

/* The worst-case search of --maximize, in place of collecting findings. */
static int run_maximize(const struct run_options *options, struct executor *executor,
			const struct walker **walkers, u32 walkers_nr, const char *origin)
{
	struct generate_options generate = {.ops_max = options->ops_max};
	struct maximize *maximize = calloc(1, sizeof(*maximize));
	double start = collect_now();

	if (!maximize)
		fail(EXIT_USAGE, "no memory");
	maximize->executor = executor;
	maximize->rng = rng_make(options->seed);
	while (maximize->measure < MAXIMIZE_NR &&
	       strcmp(maximize_word(maximize->measure), options->maximize))
		maximize->measure++;
	if (maximize->measure == MAXIMIZE_NR)
		fail(EXIT_USAGE, "--maximize %s: it is lines-per-leaf, loads-per-leaf or allocs",
		     options->maximize);
	for (u64 i = 0; !run_stopped && (!options->programs || i < options->programs); i++) {
		const struct walker *walker = walkers[i % walkers_nr];

		generate_for(&generate, options, walker, NULL);
		maximize_once(maximize, walker, &generate);
		if (!(i % CLOCK_EVERY) && options->seconds &&
		    collect_now() - start >= options->seconds)
			break;
	}
	maximize_shrink(maximize);
	maximize_report(maximize, options->folder, origin);
	free(maximize);
	executor_destroy(executor);
	return EXIT_CLEAN;
}

static int run_report(const struct run_options *options, const struct collect *collect)
{
	char *text = collect_text(collect);
	json_t *stats = json_array(), *merged;
	u32 new_nr = collect->new_nr;

	json_array_append_new(stats, text ? json_loads(text, 0, NULL) : json_null());
	free(text);
	merged = report_merge(stats);
	if (!options->quiet)
		report_print(merged, options->folder);
	if (!options->quiet && collect->executor->against)
		against_print(collect->executor->against);
	if (collect->executor->against)
		json_object_set_new(merged, "comparisons",
				    against_json(collect->executor->against));
	if (options->json)
		report_write(merged, options->json);
	json_decref(stats);
	json_decref(merged);
	return new_nr ? EXIT_FOUND : EXIT_CLEAN;
}

static const struct argp_option option_list[] = {
	{"format", 'f', "F,...", 0, "formats to use; all by default", 0},
	{"seconds", 's', "N", 0, "stop after N seconds", 0},
	{"programs", 'n', "N", 0, "stop after N programs", 0},
	{"seed", 'S', "N", 0, "first seed; the time by default, and shown", 0},
	{"ops", 'o', "N", 0, "operations of the longest program; 64 by default", 0},
	{"findings", 'F', "DIR", 0, "write a reproducer for each finding, and statistics", 0},
	{"json", 'j', "FILE", 0, "also write the table as JSON", 0},
	{"variants", 'v', "V,...", 0, "builds of the tree's walker to take turns: x86, dma, debug",
	 0},
	{"maximize", 'm', "MEASURE", 0,
	 "search for the costliest operations instead: lines-per-leaf, loads-per-leaf or allocs",
	 0},
	AGAINST_OPTION,
	{"paranoid", 'p', NULL, 0, "check everything after each operation (slow)", 0},
	{"quiet", 'q', NULL, 0, "no progress and no table", 0},
	{0},
};

int cmd_run(int argc, char **argv)
{
	static const struct argp_child children[] = {{&walker_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {
		option_list,
		parse,
		NULL,
		"Fuzz a walker with generated programs, or with --maximize look for the costliest ones. Goes on until --seconds, --programs or "
		"Ctrl-C, then prints the findings. Exit status 1 when some are not known.",
		children,
		NULL,
		NULL};
	static struct run_options options;
	const struct walker *walkers[VARIANTS_MAX];
	struct executor *executor;
	struct collect *collect;
	const char *origin, *other;
	char error[512], both[8192];
	u32 walkers_nr;
	int written, ret;

	options.formats = options_formats("all");
	options.seed = (u64)time(NULL);
	options_parse(&argp, argc, argv, &options);
	walkers_nr = walkers_load(&options, walkers, &origin);
	if (!(options.formats & walkers[0]->formats))
		fail(EXIT_CANNOT_BUILD, "%s has none of these formats; `ptfuzz info` lists its own",
		     origin);
	executor = executor_create(EXECUTE_PAGES);
	if (!executor || trap_install())
		fail(EXIT_USAGE, "no memory");
	executor->paranoid = options.paranoid;
	signal(SIGINT, on_stop);
	signal(SIGTERM, on_stop);
	signal(SIGHUP, on_stop);
	if (options.against) {
		if (options.maximize)
			fail(EXIT_USAGE, "--maximize looks at one walker; leave --against out");
		against_open(executor, &options.walker, options.against, &other);
		if (!(options.formats & walkers[0]->formats & executor->against->walker->formats))
			fail(EXIT_USAGE, "%s and %s have none of these formats in common", origin,
			     other);
		snprintf(both, sizeof(both), "%s against %s", origin, other);
		origin = both;
	}
	if (options.maximize)
		return run_maximize(&options, executor, walkers, walkers_nr, origin);
	collect = collect_create(executor, options.folder, walkers[0]->name, origin,
				 &options.walker.known, error, sizeof(error));
	if (!collect)
		fail(EXIT_USAGE, "%s", error);
	if (!options.quiet)
		fprintf(stderr, "%s, seed %llu\n", origin, options.seed);
	run_loop(&options, collect, walkers, walkers_nr);
	written = collect_write(collect);
	written = collect->write_error ? collect->write_error : written;
	ret = run_report(&options, collect);
	if (written)
		fail(EXIT_USAGE, "%s: findings or statistics could not be written: %s",
		     options.folder, strerror(-written));
	collect_destroy(collect);
	against_close(executor);
	executor_destroy(executor);
	return ret;
}
