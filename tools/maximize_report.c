/* The table and the files of `ptfuzz run --maximize`. */
#include "tools/maximize_report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzzers/file.h"
#include "tools/command.h"

#define ROWS_NR 10

static const char *const op_words[ORACLE_OP_NR] = {[ORACLE_MAP] = "map", [ORACLE_UNMAP] = "unmap"};

static void costly_path(const struct maximize *maximize, const struct costly *costly,
			const char *folder, char *path, size_t bytes)
{
	snprintf(path, bytes, "%s/worst-%s-%s-%s.pt", folder, maximize_word(maximize->measure),
		 op_words[costly->op], format_word(costly->format));
}

static void costly_write(const struct maximize *maximize, const struct costly *costly,
			 const char *folder, const char *origin)
{
	char *text = malloc(PROGRAM_TEXT_MAX + 4096);
	char path[4096];
	int length, ret;

	if (!text)
		fail(EXIT_USAGE, "no memory");
	length = snprintf(text, 4096,
			  "# The costliest %s found: %s %llu / %llu in step %u\n# On %s\n",
			  op_words[costly->op], maximize_word(maximize->measure),
			  costly->cost.count, costly->cost.leaves, costly->step, origin);
	if (length >= 4096)
		memcpy(text + 4094, "\n", 2);
	text_print(&costly->program, text + strlen(text));
	costly_path(maximize, costly, folder, path, sizeof(path));
	ret = file_write(path, text, strlen(text));
	if (ret)
		fail(EXIT_USAGE, "%s: %s", path, strerror(-ret));
	free(text);
}

void maximize_report(const struct maximize *maximize, const char *folder, const char *origin)
{
	u32 rows = maximize->kept_nr < ROWS_NR ? maximize->kept_nr : ROWS_NR;

	if (folder && mkdir(folder, 0777) && errno != EEXIST)
		fail(EXIT_USAGE, "%s: %s", folder, strerror(errno));
	printf("%s: %llu programs\n\n%-14s  %-5s  %-11s  %10s  %10s  ops  step\n", origin,
	       maximize->programs, maximize_word(maximize->measure), "op", "format", "count",
	       "leaves");
	for (u32 i = 0; i < rows; i++) {
		const struct costly *costly = &maximize->kept[i];

		printf("%14.2f  %-5s  %-11s  %10llu  %10llu  %3u  %4u\n",
		       (double)costly->cost.count / (double)costly->cost.leaves,
		       op_words[costly->op], format_word(costly->format), costly->cost.count,
		       costly->cost.leaves, costly->program.ops_nr, costly->step);
		if (folder)
			costly_write(maximize, costly, folder, origin);
	}
	if (folder)
		printf("\nprograms in %s\n", folder);
}
