/* Options that several commands share. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/bits.h"
#include "tools/command.h"

void fail(int code, const char *format, ...)
{
	va_list arguments;

	fflush(stdout);
	fputs("ptfuzz: ", stderr);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	exit(code);
}

/* The parser around a command's own: passes the input on, and words what neither understands. */
static error_t outer_parse(int key, char *text, struct argp_state *state)
{
	int at = state->next - 1;

	(void)text;
	if (key == ARGP_KEY_INIT) {
		state->child_inputs[0] = state->input;
		return 0;
	}
	if (key != ARGP_KEY_ERROR)
		return ARGP_ERR_UNKNOWN;
	/* In a row of short options the wrong one is not passed yet. */
	if (at + 1 < state->argc && state->argv[at][0] != '-')
		at++;
	fail(EXIT_USAGE, "%s: no such option, or it lacks its value; `%s --help` lists them",
	     state->argv[at], state->name);
}

void options_parse(const struct argp *argp, int argc, char **argv, void *input)
{
	const struct argp_child children[] = {{argp, 0, NULL, 0}, {0}};
	const struct argp outer = {NULL, outer_parse, NULL, NULL, children, NULL, NULL};
	unsigned int flags = ARGP_NO_ERRS;

	/* argp's own errors take several lines, and without them it doesn't help either. */
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "--usage") ||
		    !strcmp(argv[i], "-?"))
			flags = 0;
	argp_parse(&outer, argc, argv, flags, NULL, input);
}

static const struct argp_option walker_option_list[] = {
	{"linux", 'l', "DIR", 0,
	 "the Linux tree whose walker to run: a folder, `debian` or `debian:VERSION`", 1},
	{"variant", 'V', "NAME", 0, "how the tree's walker is built: x86 (default), dma or debug",
	 1},
	{"walker", 'w', "WALKER", 0,
	 "native (the embedded walker; default without --linux), a tree as for --linux, linux, "
	 "linux-dma or linux-debug of --linux's tree, or FILE.so",
	 1},
	{"known", 'k', "FILE", 0, "list of known findings; may be given again", 1},
	{0},
};

static error_t walker_parse(int key, char *text, struct argp_state *state)
{
	struct walker_options *options = state->input;
	char error[512];

	switch (key) {
	case 'l':
		options->tree = text;
		return 0;
	case 'V':
		if (strcmp(text, "x86") && strcmp(text, "dma") && strcmp(text, "debug"))
			fail(EXIT_USAGE, "--variant %s: it is x86, dma or debug", text);
		options->variant = text;
		return 0;
	case 'w':
		options->which = text;
		return 0;
	case 'k':
		if (known_read(&options->known, text, error, sizeof(error)))
			fail(EXIT_USAGE, "%s", error);
		options->has_known = true;
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

const struct argp walker_argp = {walker_option_list, walker_parse, NULL, NULL, NULL, NULL, NULL};

u32 options_formats(const char *words)
{
	char unknown[64] = "";
	u32 formats;

	if (!words || !strcmp(words, "all"))
		return (u32)bits_low(FORMAT_NR);
	formats = format_list(words, unknown);
	if (!formats)
		fail(EXIT_USAGE, "unknown format `%s`; `ptfuzz info` lists them", unknown);
	return formats;
}

u64 options_number(const char *option, const char *text, u64 min, u64 max)
{
	char *end;
	u64 number;

	errno = 0;
	number = strtoull(text, &end, 0);
	if (errno || end == text || *end || *text == '-' || number < min || number > max)
		fail(EXIT_USAGE, "%s %s: it takes a number from %llu to %llu", option, text, min,
		     max);
	return number;
}
