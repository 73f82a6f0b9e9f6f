/* ptfuzz seeds: text programs as the bytes that fuzzing engines start from. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "fuzzers/file.h"
#include "tools/command.h"

struct seeds {
	const char *folder;
	const char *source[64];
	u32 sources_nr;
	u32 formats; /* mask */
	struct program program;
	u32 nr;
};

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct seeds *seeds = state->input;

	if (key == 'f') {
		seeds->formats = options_formats(text);
		return 0;
	}
	if (key == ARGP_KEY_NO_ARGS)
		fail(EXIT_USAGE, "where to and from what? `ptfuzz seeds OUTDIR FILE|DIR...`");
	if (key != ARGP_KEY_ARG)
		return ARGP_ERR_UNKNOWN;
	if (!seeds->folder)
		seeds->folder = text;
	else if (seeds->sources_nr < ARRAY_NR(seeds->source))
		seeds->source[seeds->sources_nr++] = text;
	else
		fail(EXIT_USAGE, "more than %zu sources", ARRAY_NR(seeds->source));
	return 0;
}

static void seed_write(struct seeds *seeds)
{
	u8 bytes[PROGRAM_BYTES_MAX];
	char out[4096];
	size_t length;
	int ret;

	length = program_encode(&seeds->program, bytes);
	snprintf(out, sizeof(out), "%s/%016llx", seeds->folder, (u64)XXH3_64bits(bytes, length));
	ret = file_write(out, bytes, length);
	if (ret)
		fail(EXIT_USAGE, "%s: %s", out, strerror(-ret));
	seeds->nr++;
}

/* A program of a format that isn't wanted says the same, as far as it can, in those that are. */
static void seed_visit(void *arg, const char *path)
{
	struct seeds *seeds = arg;
	struct program_header header;
	char error[512];

	if (file_read_program(&seeds->program, path, error, sizeof(error)))
		fail(EXIT_USAGE, "%s", error);
	if (seeds->formats >> seeds->program.config.format & 1) {
		seed_write(seeds);
		return;
	}
	program_header(&header, &seeds->program);
	for (u32 format = 0; format < FORMAT_NR; format++) {
		if (!(seeds->formats >> format & 1))
			continue;
		header.format = (u8)format;
		program_resolve(&seeds->program, &header);
		seed_write(seeds);
	}
}

static const struct argp_option option_list[] = {
	{"format", 'f', "F,...", 0,
	 "programs of these formats; those of others are turned into each of them", 0},
	{0},
};

int cmd_seeds(int argc, char **argv)
{
	static const struct argp argp = {
		option_list,
		parse,
		"OUTDIR FILE|DIR...",
		"Turn programs in text form into bytes, one file each, named by their hash.",
		NULL,
		NULL,
		NULL};
	static struct seeds seeds = {.formats = (1u << FORMAT_NR) - 1};

	options_parse(&argp, argc, argv, &seeds);
	if (mkdir(seeds.folder, 0777) && errno != EEXIST)
		fail(EXIT_USAGE, "%s: %s", seeds.folder, strerror(errno));
	for (u32 i = 0; i < seeds.sources_nr; i++) {
		int ret = file_each(seeds.source[i], seed_visit, &seeds);

		if (ret <= 0)
			fail(EXIT_USAGE, "%s: %s", seeds.source[i],
			     ret ? strerror(-ret) : "holds no program");
	}
	printf("%u seeds\n", seeds.nr);
	return EXIT_CLEAN;
}
