/* ptfuzz findings: the table of what one or more fuzzing processes left in a folder. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tools/command.h"
#include "tools/report.h"

struct findings_options {
	const char *folder;
	const char *json;
	struct known known;
	bool has_known;
};

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct findings_options *options = state->input;
	char error[512];

	switch (key) {
	case 'j':
		options->json = text;
		return 0;
	case 'k':
		if (known_read(&options->known, text, error, sizeof(error)))
			fail(EXIT_USAGE, "%s", error);
		options->has_known = true;
		return 0;
	case ARGP_KEY_ARG:
		if (options->folder)
			fail(EXIT_USAGE, "one folder, not `%s` as well", text);
		options->folder = text;
		return 0;
	case ARGP_KEY_NO_ARGS:
		fail(EXIT_USAGE, "which folder? `ptfuzz findings DIR`");
	}
	return ARGP_ERR_UNKNOWN;
}

/* The list given here decides, not the one that the processes had. */
static void mark_known(json_t *stats, const struct known *known)
{
	size_t i;
	json_t *finding;

	json_array_foreach(json_object_get(stats, "findings"), i, finding)
	{
		const char *why =
			known_find(known, json_string_value(json_object_get(finding, "signature")),
				   json_is_true(json_object_get(finding, "legal")));

		json_object_set_new(finding, "known", json_boolean(why));
		json_object_set_new(finding, "why", why ? json_string(why) : json_null());
	}
}

static json_t *stats_read(const struct findings_options *options)
{
	json_t *all = json_array();
	DIR *folder = opendir(options->folder);
	struct dirent *entry;
	char path[4096];

	if (!folder)
		fail(EXIT_USAGE, "%s: %s", options->folder, strerror(errno));
	while ((entry = readdir(folder))) {
		size_t length = strlen(entry->d_name);
		json_error_t error;
		json_t *stats;

		if (strncmp(entry->d_name, "stats-", 6) || length < 5 ||
		    strcmp(entry->d_name + length - 5, ".json"))
			continue;
		snprintf(path, sizeof(path), "%s/%s", options->folder, entry->d_name);
		stats = json_load_file(path, 0, &error);
		if (!stats)
			fail(EXIT_USAGE, "%s:%d: %s", path, error.line, error.text);
		if (options->has_known)
			mark_known(stats, &options->known);
		json_array_append_new(all, stats);
	}
	closedir(folder);
	if (!json_array_size(all))
		fail(EXIT_USAGE, "%s: holds no stats-*.json; did a fuzzer run with --findings %s?",
		     options->folder, options->folder);
	return all;
}

int cmd_findings(int argc, char **argv)
{
	static const struct argp_option list[] = {
		{"json", 'j', "FILE", 0, "also write the table as JSON", 0},
		{"known", 'k', "FILE", 0, "list of known findings; may be given again", 0},
		{0},
	};
	static const struct argp argp = {
		list,
		parse,
		"DIR",
		"Print the findings in DIR as a table. Exit status 1 when some are not known.",
		NULL,
		NULL,
		NULL};
	static struct findings_options options;
	json_t *stats, *merged;
	u32 new_nr;

	options_parse(&argp, argc, argv, &options);
	stats = stats_read(&options);
	merged = report_merge(stats);
	new_nr = report_print(merged, options.folder);
	if (options.json)
		report_write(merged, options.json);
	json_decref(stats);
	json_decref(merged);
	return new_nr ? EXIT_FOUND : EXIT_CLEAN;
}
