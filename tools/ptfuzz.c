/* ptfuzz: the command that developers type. It finds the command and leaves the rest to it. */
#include <jansson.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/command.h"

static const struct {
	const char *word;
	const char *about;
	int (*run)(int argc, char **argv);
} commands[] = {
#define COMMAND(id, word, about) {word, about, cmd_##id},
#include "tools/command.def"
#undef COMMAND
};

static void help(FILE *file)
{
	fprintf(file, "usage: ptfuzz COMMAND [OPTION...]\n\n");
	for (size_t i = 0; i < ARRAY_NR(commands); i++)
		fprintf(file, "  %-12s %s\n", commands[i].word, commands[i].about);
	fprintf(file,
		"\n`ptfuzz COMMAND --help` tells more. Exit status: 0 clean, 1 something found, "
		"2 wrong use or set-up,\n125 the walker can't be built.\n");
}

#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#define MEMORY_SANITIZER
#endif
#endif

#ifdef MEMORY_SANITIZER
/* jansson isn't instrumented: what it writes stays unknown to MemorySanitizer, so it is given known memory. */
static void *known_malloc(size_t bytes)
{
	return calloc(1, bytes);
}
#endif

/* What was printed must have arrived: others read it. */
static int finish(int code)
{
	if (fflush(stdout) || ferror(stdout))
		fail(EXIT_USAGE, "standard output cannot be written: %s", strerror(errno));
	return code;
}

int main(int argc, char **argv)
{
#ifdef MEMORY_SANITIZER
	json_set_alloc_funcs(known_malloc, free);
#endif
	char name[64];

	if (argc < 2) {
		help(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		help(stdout);
		return EXIT_CLEAN;
	}
	argp_err_exit_status = EXIT_USAGE;
	for (size_t i = 0; i < ARRAY_NR(commands); i++) {
		if (strcmp(argv[1], commands[i].word))
			continue;
		snprintf(name, sizeof(name), "ptfuzz %s", argv[1]);
		argv[1] = name;
		return finish(commands[i].run(argc - 1, argv + 1));
	}
	fail(EXIT_USAGE, "unknown command `%s`; `ptfuzz --help` lists them", argv[1]);
}
