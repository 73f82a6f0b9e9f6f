/* Which walker to run: the words of --walker, and what is taken without them. */
#include <string.h>
#include <sys/stat.h>

#include "core/native/native.h"
#include "fuzzers/load.h"
#include "tools/command.h"

/* The builds of a tree's walker by name; the first is the usual one. */
static const char *const builds[][2] = {
	{"linux", "x86"}, {"linux-dma", "dma"}, {"linux-debug", "debug"}};

/* The variant of the build called @name, or NULL. */
static const char *build_variant(const char *name)
{
	for (size_t i = 0; i < ARRAY_NR(builds); i++)
		if (!strcmp(name, builds[i][0]))
			return builds[i][1];
	return NULL;
}

static const struct walker *native_walker(const char **origin)
{
	*origin = native_walkers.origin[0] ? native_walkers.origin : "the embedded walker";
	return load_find(&native_walkers, "native");
}

static const struct walker *object_walker(const char *object, const char **origin)
{
	const struct walker_list *list;
	const struct walker *walker;
	char error[512];

	list = load_walkers(object, error, sizeof(error));
	if (!list)
		fail(EXIT_CANNOT_BUILD, "%s", error);
	walker = load_find(list, "");
	if (!walker)
		fail(EXIT_CANNOT_BUILD, "%s: holds no walker", object);
	*origin = list->origin;
	return walker;
}

static bool is_folder(const char *path)
{
	struct stat found;

	return !stat(path, &found) && S_ISDIR(found.st_mode);
}

const struct walker *which_walker(const struct walker_options *options, const char *which,
				  const char **origin)
{
	const char *variant = build_variant(which);

	if (!strcmp(which, "native"))
		return native_walker(origin);
	if (variant) {
		if (!options->tree)
			fail(EXIT_USAGE,
			     "which tree's walker `%s`? give --linux DIR or --linux debian, or "
			     "--walker native for the embedded one",
			     which);
		variant = options->variant ? options->variant : variant;
		return object_walker(tree_object(options->tree, variant), origin);
	}
	variant = options->variant ? options->variant : builds[0][1];
	if (!strcmp(which, "debian") || !strncmp(which, "debian:", 7) || is_folder(which))
		return object_walker(tree_object(which, variant), origin);
	if (!strchr(which, '/') && !strstr(which, ".so"))
		fail(EXIT_USAGE,
		     "unknown walker `%s`; it is native, a Linux tree (DIR, debian, debian:VERSION), "
		     "linux, linux-dma or linux-debug of the tree of --linux, or FILE.so",
		     which);
	return object_walker(which, origin);
}

const struct walker *tree_walker(const struct walker_options *options, const char *wanted,
				 const char **origin)
{
	if (options->which)
		return which_walker(options, options->which, origin);
	if (options->tree) {
		/* What a program that was found on another walker does on this tree is a fair question. */
		bool other = !wanted[0] || !strcmp(wanted, "native");

		return which_walker(options, other ? builds[0][0] : wanted, origin);
	}
	return which_walker(options, wanted[0] ? wanted : "native", origin);
}
