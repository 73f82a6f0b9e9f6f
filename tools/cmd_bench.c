/* ptfuzz bench: two walkers beside each other, or with --harness what checking costs. */
#include "tools/bench.h"

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct bench_options *options = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->walker;
		return 0;
	case 'H':
		options->harness = true;
		return 0;
	case 'f':
		options->formats = options_formats(text);
		return 0;
	case 'v':
		options->vs = text;
		return 0;
	case 'S':
		options->seed = options_number("--seed", text, 0, ~0ull);
		return 0;
	case 'j':
		options->json = text;
		return 0;
	case ARGP_KEY_ARG:
		fail(EXIT_USAGE, "unexpected `%s`", text);
	}
	return ARGP_ERR_UNKNOWN;
}

int cmd_bench(int argc, char **argv)
{
	static const struct argp_option list[] = {
		{"harness", 'H', NULL, 0, "operations per second of the walker alone and checked",
		 0},
		{"vs", 'v', "DIR|native", 0, "the walker to compare with; native by default", 0},
		{"format", 'f', "F,...", 0, "formats to measure; all by default", 0},
		{"seed", 'S', "N", 0, "seed of --harness's operation stream; 1 by default", 0},
		{"json", 'j', "FILE", 0, "also write the figures as JSON", 0},
		{0},
	};
	static const struct argp_child children[] = {{&walker_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {
		list,
		parse,
		NULL,
		"Measure two walkers beside each other, without checks. The hooks of the simulated "
		"machine are in the time of both. With --harness: the cost of checking.",
		children,
		NULL,
		NULL};
	static struct bench_options options = {.seed = 1, .vs = "native"};

	options.formats = options_formats("all");
	options_parse(&argp, argc, argv, &options);
	return options.harness ? bench_harness(&options) : bench_speed(&options);
}
