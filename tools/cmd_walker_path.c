/* ptfuzz walker-path: builds a tree's walker with the flags of this build and prints its path. */
#include <stdio.h>

#include "tools/command.h"

static error_t parse(int key, char *text, struct argp_state *state)
{
	if (key == ARGP_KEY_INIT)
		state->child_inputs[0] = state->input;
	if (key == ARGP_KEY_ARG)
		fail(EXIT_USAGE, "unexpected `%s`", text);
	return key == ARGP_KEY_INIT ? 0 : ARGP_ERR_UNKNOWN;
}

int cmd_walker_path(int argc, char **argv)
{
	static const struct argp_child children[] = {{&walker_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {
		NULL,	  parse,
		NULL,	  "Build a Linux tree's walker and print the path of its shared object.",
		children, NULL,
		NULL};
	struct walker_options options = {0};

	options_parse(&argp, argc, argv, &options);
	if (!options.tree)
		fail(EXIT_USAGE, "walker-path needs --linux DIR");
	puts(tree_object(options.tree, options.variant ? options.variant : "x86"));
	return EXIT_CLEAN;
}
