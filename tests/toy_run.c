/* Running toy walkers and collecting signatures; see toy_run.h. */
#include "tests/toy_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/check.h"
#include "core/base/rng.h"
#include "fuzzers/generate.h"
#include "fuzzers/trap.h"

const struct toy_program toy_programs[TOY_PROGRAMS_NR] = {
#define PROGRAM(name, pages, fail_step, fail_nth, text) {#name, pages, fail_step, fail_nth, text},
#include "tests/toy_program.def"
#undef PROGRAM
};

const struct toy_case toy_cases[TOY_NR] = {
#define MISTAKE(id, about, program, signatures) [TOY_##id] = {TOY_PROGRAM_##program, signatures},
#include "tests/toy_mistake.def"
#undef MISTAKE
};

#define JOIN " + "

bool toy_list_holds(const char *list, const char *one, size_t length)
{
	while (*list) {
		const char *end = strstr(list, JOIN);
		size_t bytes = end ? (size_t)(end - list) : strlen(list);

		if (bytes == length && !memcmp(list, one, length))
			return true;
		list += bytes + (end ? strlen(JOIN) : 0);
	}
	return false;
}

static void list_add(char *list, const char *signature)
{
	size_t length = strlen(list);

	if (toy_list_holds(list, signature, strlen(signature)))
		return;
	snprintf(list + length, TOY_FOUND_MAX - length, "%s%s", length ? JOIN : "", signature);
}

static void before(void *arg, const struct step *step)
{
	struct toy_run *run = arg;
	struct rng rng = rng_make(run->fail_seed * 1000 + step->nr);

	if (run->fail_seed && step->nr && rng_one_in(&rng, 4))
		run->executor->host->fail_alloc = 1 + rng_below(&rng, 6);
	if (run->fail_step && step->nr == run->fail_step)
		run->executor->host->fail_alloc = run->fail_nth;
}

static bool found(void *arg, const struct step *step, const struct verdict *verdict)
{
	char signature[VERDICT_SIGNATURE_MAX];
	struct toy_run *run = arg;

	verdict_signature(verdict, signature);
	if (!run->found[0]) {
		run->first_step = step->nr;
		run->first_op = step->op;
		snprintf(run->detail, sizeof(run->detail), "got %s%s%s", verdict->got,
			 verdict->want[0] ? ", want " : "", verdict->want);
	}
	if (step->nr == run->first_step && step->op == run->first_op)
		list_add(run->first_found, signature);
	list_add(run->found, signature);
	return true;
}

struct toy_run *toy_run_create(u32 pages)
{
	struct toy_run *run = calloc(1, sizeof(*run));

	CHECK(run);
	run->executor = executor_create(pages);
	CHECK(run->executor);
	run->executor->watchful = true;
	CHECK(!trap_install()); /* for each test, since cmocka takes the signals, too */
	return run;
}

void toy_run_destroy(struct toy_run *run)
{
	executor_destroy(run->executor);
	free(run);
}

void toy_run_once(struct toy_run *run, const struct walker *walker, const struct program *program)
{
	struct execute_watch watch = {.before = before, .found = found, .arg = run};

	run->found[0] = run->first_found[0] = run->detail[0] = 0;
	run->first_step = 0;
	execute(run->executor, walker, program, &watch);
}

static void program_read(struct program *program, const struct toy_program *row)
{
	char error[256];

	if (text_parse(program, row->text, strlen(row->text), row->name, error, sizeof(error))) {
		fprintf(stderr, "%s\n", error);
		CHECK(!"a program of toy_program.def can be read");
	}
}

char *toy_run_program(const struct walker *walker, const struct toy_program *row)
{
	static char result[TOY_FOUND_MAX];
	struct toy_run *run = toy_run_create(row->pages ? row->pages : PROGRAM_MACHINE_PAGES);
	struct program program;

	program_read(&program, row);
	run->fail_step = row->fail_step;
	run->fail_nth = row->fail_nth;
	toy_run_once(run, walker, &program);
	memcpy(result, run->found, sizeof(result));
	toy_run_destroy(run);
	return result;
}

enum format toy_home(enum toy_mistake mistake)
{
	struct program program;

	program_read(&program, &toy_programs[toy_cases[mistake].program]);
	return program.config.format;
}

void toy_generate(struct program *program, enum format format, u64 seed)
{
	struct generate_options options = {.formats = 1u << format};

	options.features[format] = toy_formats[format]->features;
	generate_program(program, seed, &options);
}
