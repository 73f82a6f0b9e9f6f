/* ptfuzz info: what programs can name, what the oracle checks, and what the walkers offer. */
#include <jansson.h>
#include <stdio.h>

#include "fuzzers/program.h"
#include "oracle/oracle.h"
#include "tools/command.h"

struct info_options {
	struct walker_options walker;
	bool json;
};

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct info_options *options = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->walker;
		return 0;
	case 'j':
		options->json = true;
		return 0;
	case ARGP_KEY_ARG:
		fail(EXIT_USAGE, "unexpected `%s`", text);
	}
	return ARGP_ERR_UNKNOWN;
}

static void print_features(u32 features)
{
	for (u32 bit = 0; bit < FEATURE_NR; bit++)
		if (features >> bit & 1)
			printf(" %s", feature_word(bit));
	putchar('\n');
}

static void print_walker(const struct walker *walker, const char *origin)
{
	printf("\nWalker %s: %s\n  from %s\n", walker->name, walker->about, origin);
	for (u32 format = 0; format < FORMAT_NR; format++) {
		if (!(walker->formats >> format & 1))
			continue;
		printf("  %-11s", format_word(format));
		print_features(walker->features[format]);
	}
}

static void print_lists(void)
{
	puts("Formats");
	for (u32 i = 0; i < FORMAT_NR; i++)
		printf("  %-11s %s\n", format_word(i), format_about(i));
	puts("\nFeatures");
	for (u32 i = 0; i < FEATURE_NR; i++)
		printf("  %-16s %s\n", feature_word(i), feature_about(i));
	puts("\nOperations");
	for (u32 i = 0; i < OP_NR; i++)
		printf("  %-11s %s\n", op_word(i), op_about(i));
	puts("\nRules");
	for (u32 i = 0; i < RULE_NR; i++)
		printf("  %-21s %s\n  %-21s (%s)\n", rule_name(i), rule_sentence(i), "",
		       rule_source(i));
}

static json_t *json_rows(u32 nr, const char *(*word)(unsigned int),
			 const char *(*about)(unsigned int))
{
	json_t *rows = json_array();

	for (u32 i = 0; i < nr; i++)
		json_array_append_new(rows,
				      json_pack("{s:s, s:s}", "name", word(i), "about", about(i)));
	return rows;
}

static void print_json(const struct walker *walker, const char *origin)
{
	json_t *root = json_pack("{s:o, s:o, s:o, s:o, s:s, s:s}", "formats",
				 json_rows(FORMAT_NR, format_word, format_about), "features",
				 json_rows(FEATURE_NR, feature_word, feature_about), "operations",
				 json_rows(OP_NR, op_word, op_about), "rules",
				 json_rows(RULE_NR, rule_name, rule_sentence), "walker",
				 walker->name, "tree", origin);

	json_dumpf(root, stdout, JSON_INDENT(1));
	putchar('\n');
	json_decref(root);
}

int cmd_info(int argc, char **argv)
{
	static const struct argp_option list[] = {
		{"json", 'j', NULL, 0, "print JSON", 0},
		{0},
	};
	static const struct argp_child children[] = {{&walker_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {
		list,	  parse,
		NULL,	  "List formats, features, operations and rules, and what a walker offers.",
		children, NULL,
		NULL};
	struct info_options options = {0};
	const struct walker *walker;
	const char *origin;

	options_parse(&argp, argc, argv, &options);
	walker = tree_walker(&options.walker, "", &origin);
	if (options.json) {
		print_json(walker, origin);
		return EXIT_CLEAN;
	}
	print_lists();
	print_walker(walker, origin);
	return EXIT_CLEAN;
}
