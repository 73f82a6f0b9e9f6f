/* From a Linux tree to its walker's shared object, by way of core/linux/build. */
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "tools/command.h"

#define PATH_BYTES 4096

extern char **environ;

/* Runs a command and waits. Returns its exit status, 127 when it can't be run. */
static int run(const char *const *argv)
{
	posix_spawn_file_actions_t actions;
	pid_t child;
	int status, ret;

	/* What it has to say is an error; standard output is for what was asked for. */
	if (posix_spawn_file_actions_init(&actions))
		return 127;
	ret = posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
	if (!ret)
		ret = posix_spawn(&child, argv[0], &actions, NULL, (char *const *)argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (ret)
		return 127;
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return 127;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 127;
}

/* The folder of the tree that @tree names. */
static void tree_folder(const char *tree, char *folder)
{
	char command[PATH_BYTES];
	FILE *pipe;
	int status;

	if (strncmp(tree, "debian", 6) || (tree[6] && tree[6] != ':')) {
		if (!realpath(tree, folder))
			fail(EXIT_USAGE,
			     "%s: %s; a Linux tree is a folder, `debian` or "
			     "`debian:VERSION`",
			     tree, strerror(errno));
		return;
	}
	for (const char *c = tree + 6; *c; c++)
		if (!strchr(":.0123456789", *c))
			fail(EXIT_USAGE, "%s: the version looks like `debian:7.3`", tree);
	snprintf(command, sizeof(command), "'%s/tools/linux-tree' '%s'", PTFUZZ_SOURCE_DIR, tree);
	pipe = popen(command, "r");
	if (!pipe || !fgets(folder, PATH_BYTES, pipe))
		folder[0] = 0;
	status = pipe ? pclose(pipe) : -1;
	folder[strcspn(folder, "\n")] = 0;
	if (status || !folder[0])
		exit(status > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_USAGE);
}

static const char *object_build(const char *tree, const char *variant)
{
	static char folder[PATH_BYTES], folder_of[PATH_BYTES]; /* resolved once for each tree */
	static char object[PATH_BYTES + 64];
	char out[PATH_BYTES + 32], compiler[PATH_BYTES], flags[PATH_BYTES];
	const char *const argv[] = {
		PTFUZZ_SOURCE_DIR "/core/linux/build", folder, out, compiler, flags, NULL};
	int status;

	if (strcmp(tree, folder_of)) {
		tree_folder(tree, folder);
		if (strpbrk(folder, ";\\\""))
			fail(EXIT_USAGE,
			     "%s: a path with ; \\ or \" can't be built in; give another name to it",
			     folder);
		snprintf(folder_of, sizeof(folder_of), "%s", tree);
	}
	mkdir(PTFUZZ_BINARY_DIR "/walkers", 0777);
	snprintf(out, sizeof(out), "%s/walkers/%016llx", PTFUZZ_BINARY_DIR,
		 (u64)XXH3_64bits(folder, strlen(folder)));
	snprintf(compiler, sizeof(compiler), "-DCMAKE_C_COMPILER=%s", PTFUZZ_COMPILER);
	snprintf(flags, sizeof(flags), "-DPTFUZZ_WALKER_FLAGS=%s", PTFUZZ_WALKER_FLAGS);
	status = run(argv);
	if (status == 127)
		fail(EXIT_USAGE, "%s cannot be run", argv[0]);
	if (status)
		exit(status);
	snprintf(object, sizeof(object), "%s/walker-%s.so", out, variant[0] ? variant : "x86");
	return object;
}

const char *tree_object(const char *tree, const char *variant)
{
	static char built[PATH_BYTES + 64], built_of[PATH_BYTES + 64]; /* many files, one walker */
	char wanted[PATH_BYTES + 64];

	snprintf(wanted, sizeof(wanted), "%s %s", variant, tree);
	if (strcmp(wanted, built_of)) {
		snprintf(built, sizeof(built), "%s", object_build(tree, variant));
		snprintf(built_of, sizeof(built_of), "%s", wanted);
	}
	return built;
}
