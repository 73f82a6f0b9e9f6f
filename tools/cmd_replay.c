/* ptfuzz replay: programs from files, told step by step. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzzers/execute.h"
#include "fuzzers/file.h"
#include "fuzzers/trap.h"
#include "tools/against.h"
#include "tools/command.h"
#include "tools/trace.h"

#define FILES_MAX 4096

struct replay_options {
	struct walker_options walker;
	bool verbose;
	bool quiet;
	bool paranoid;
	bool json;
	const char *expect;
	const char *against;
	u32 files_nr;
	const char *file[FILES_MAX];
};

struct replay {
	struct replay_options *options;
	struct executor *executor;
	struct program *program;
	json_t *rows;
	const char *path;
	const char *other; /* origin of --against's walker */
	u32 other_shown;   /* number of the step in which it was, plus 1 */
	u32 violations;	   /* of this file, not known */
	u32 expected;	   /* of this file, with the signature of --expect */
	u32 failed_files;
	bool colour;
};

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct replay_options *options = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->walker;
		return 0;
	case 'v':
		options->verbose = true;
		return 0;
	case 'q':
		options->quiet = true;
		return 0;
	case 'p':
		options->paranoid = true;
		return 0;
	case 'a':
		options->against = text;
		return 0;
	case 'j':
		options->json = options->quiet = true;
		return 0;
	case 'e':
		if (!signature_exists(text))
			fail(EXIT_USAGE,
			     "--expect %s: not RULE/OPERATION/FORMAT/REASON; `ptfuzz info` lists the names",
			     text);
		options->expect = text;
		return 0;
	case ARGP_KEY_ARG:
		if (options->files_nr == FILES_MAX)
			fail(EXIT_USAGE, "more than %d files", FILES_MAX);
		options->file[options->files_nr++] = text;
		return 0;
	case ARGP_KEY_NO_ARGS:
		fail(EXIT_USAGE, "which program? `ptfuzz replay --linux DIR FILE...`");
	}
	return ARGP_ERR_UNKNOWN;
}

static void row_add(struct replay *replay, const struct step *step, const struct verdict *verdict)
{
	char signature[VERDICT_SIGNATURE_MAX];

	json_array_append_new(replay->rows,
			      json_pack("{s:s, s:s, s:i, s:s, s:s, s:b}", "file", replay->path,
					"signature", verdict_signature(verdict, signature), "step",
					(int)step->nr, "got", verdict->got, "want", verdict->want,
					"legal", verdict->legal));
}

/* What the comparison says comes after the step that it is about. */
static void tell_other(struct replay *replay, const struct step *step,
		       const struct verdict *verdict)
{
	const struct differ *against = replay->executor->against;

	if (replay->options->quiet || !against || !against->speaking)
		return;
	if (differ_other(against) && replay->other_shown != step->nr + 1)
		trace_other(differ_other(against));
	replay->other_shown = step->nr + 1;
	trace_verdict(verdict, step, replay->colour);
}

static bool on_found(void *arg, const struct step *step, const struct verdict *verdict)
{
	struct replay *replay = arg;
	const struct replay_options *options = replay->options;
	char signature[VERDICT_SIGNATURE_MAX];
	const char *known = known_find(&options->walker.known,
				       verdict_signature(verdict, signature), verdict->legal);

	if (known) {
		if (!options->quiet)
			printf("known: %s: %s\n", signature, known);
		return true;
	}
	if (options->expect && !strcmp(options->expect, signature))
		replay->expected++;
	replay->violations++;
	row_add(replay, step, verdict);
	tell_other(replay, step, verdict);
	return true;
}

static void on_step(void *arg, const struct step *step, const struct verdicts *verdicts)
{
	struct replay *replay = arg;
	const struct replay_options *options = replay->options;
	char signature[VERDICT_SIGNATURE_MAX];

	if (options->quiet)
		return;
	trace_step(replay->executor, step, options->verbose);
	for (u32 i = 0; i < verdicts->nr; i++)
		if (!known_find(&options->walker.known,
				verdict_signature(&verdicts->verdict[i], signature),
				verdicts->verdict[i].legal))
			trace_verdict(&verdicts->verdict[i], step, replay->colour);
}

static void file_replay(void *arg, const char *path)
{
	struct replay *replay = arg;
	struct execute_watch watch = {.step = on_step, .found = on_found, .arg = replay};
	const struct walker *walker;
	const char *origin;
	enum differ_end end;
	char line[512];
	bool failed;

	if (file_read_program(replay->program, path, line, sizeof(line)))
		fail(EXIT_USAGE, "%s", line);
	walker = tree_walker(&replay->options->walker, replay->program->walker, &origin);
	if (!(walker->formats & 1u << replay->program->config.format))
		fail(EXIT_CANNOT_BUILD, "%s: %s has no format %s", path, origin,
		     format_word(replay->program->config.format));
	replay->path = path;
	replay->violations = replay->expected = replay->other_shown = 0;
	if (!replay->options->quiet) {
		text_print_config(replay->program, line);
		printf("%s\n  %s on %s\n", path, walker->name, origin);
		if (replay->other)
			printf("  against %s on %s\n", replay->executor->against->walker->name,
			       replay->other);
		printf("  format %s\n  %s\n", format_word(replay->program->config.format), line);
	}
	end = differ_execute(replay->executor, walker, replay->program, &watch);
	if (replay->other && !replay->options->quiet)
		printf("comparison: %s\n", differ_end_sentence(end));
	failed = replay->options->expect ? replay->expected != 0 : replay->violations != 0;
	replay->failed_files += failed;
	if (!replay->options->json)
		printf("%s: %s\n", path, failed ? "VIOLATION" : "clean");
}

static const struct argp_option option_list[] = {
	{"verbose", 'v', NULL, 0, "every event of the machine", 0},
	{"quiet", 'q', NULL, 0, "one line a file", 0},
	AGAINST_OPTION,
	{"paranoid", 'p', NULL, 0, "check everything after each operation", 0},
	{"json", 'j', NULL, 0, "print the violations as JSON", 0},
	{"expect", 'e', "SIGNATURE", 0, "only this signature counts as a violation", 0},
	{0},
};

int cmd_replay(int argc, char **argv)
{
	static const struct argp_child children[] = {{&walker_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {
		option_list,
		parse,
		"FILE...",
		"Run programs (text or bytes; folders are walked) and tell what happens. Exit status 0 "
		"clean, 1 a violation, 2 a bad file, 125 the walker can't be built or lacks the format.",
		children,
		NULL,
		NULL};
	static struct replay_options options;
	struct replay replay = {.options = &options, .rows = json_array()};

	options_parse(&argp, argc, argv, &options);
	replay.colour = isatty(STDOUT_FILENO);
	replay.executor = executor_create(EXECUTE_PAGES);
	replay.program = malloc(sizeof(*replay.program));
	if (!replay.executor || !replay.program || trap_install())
		fail(EXIT_USAGE, "no memory");
	replay.executor->paranoid = options.paranoid;
	replay.executor->watchful = true;
	if (options.against)
		against_open(replay.executor, &options.walker, options.against, &replay.other);
	for (u32 i = 0; i < options.files_nr; i++) {
		int ret = file_each(options.file[i], file_replay, &replay);

		if (ret <= 0)
			fail(EXIT_USAGE, "%s: %s", options.file[i],
			     ret ? strerror(-ret) : "holds no program");
	}
	if (options.json) {
		json_dumpf(replay.rows, stdout, JSON_INDENT(1));
		putchar('\n');
	}
	json_decref(replay.rows);
	free(replay.program);
	against_close(replay.executor);
	executor_destroy(replay.executor);
	return replay.failed_files ? EXIT_FOUND : EXIT_CLEAN;
}
