/*
 * What the commands of ptfuzz share: exit codes, and the options that choose a walker.
 */
#ifndef TOOLS_COMMAND_H
#define TOOLS_COMMAND_H

#include <argp.h>

#include "core/walker.h"
#include "fuzzers/known.h"

enum {
	EXIT_CLEAN = 0,
	EXIT_FOUND = 1,
	EXIT_USAGE = 2,
	EXIT_CANNOT_BUILD = 125,
};

#define COMMAND(id, word, about) int cmd_##id(int argc, char **argv);
#include "tools/command.def"
#undef COMMAND

/* The options that name a walker; a child parser of each command that runs one. */
struct walker_options {
	const char *tree;    /* --linux */
	const char *variant; /* --variant: x86, dma or debug; "" leaves the choice to the program */
	const char *which;   /* --walker, see which_walker() */
	struct known known;  /* --known, any number of them */
	bool has_known;
};

extern const struct argp walker_argp;

/* options_parse() - argp_parse() with @input; exits with EXIT_USAGE after one line on an error */
void options_parse(const struct argp *argp, int argc, char **argv, void *input);

/*
 * options_formats() - the mask that a comma-separated list of formats names
 * Exits with EXIT_USAGE after one line when a word is unknown.
 */
u32 options_formats(const char *words);

/* options_number() - @text as a number from @min to @max; exits with EXIT_USAGE after one line */
u64 options_number(const char *option, const char *text, u64 min, u64 max);

/* fail() - one line on standard error, then exit with @code */
void fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3), noreturn));

/*
 * tree_object() - path of the shared object of @variant of the tree's walker, built when needed
 * @tree: a folder, "debian" or "debian:VERSION"
 * Exits with one line when there is no such tree or it can't be built.
 */
const char *tree_object(const char *tree, const char *variant);

/*
 * which_walker() - the walker that @which names:
 *	native				the embedded one
 *	linux, linux-dma, linux-debug	of the tree of --linux, built for clflush, the DMA API, or with
 *					the walker's own assertions on
 *	DIR, debian, debian:VERSION	of that tree, built as --variant says
 *	FILE.so				of a shared object
 * @origin: out: where it comes from. Exits with one line when there is none.
 */
const struct walker *which_walker(const struct walker_options *options, const char *which,
				  const char **origin);

/*
 * tree_walker() - the walker to run: that of --walker, of --linux, or of the program's `walker` line,
 * which is @wanted or ""; without all of these the embedded one. Otherwise as which_walker().
 */
const struct walker *tree_walker(const struct walker_options *options, const char *wanted,
				 const char **origin);

#endif
