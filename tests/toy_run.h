/*
 * Running toy walkers: a program against a walker and the oracle, and what was found as one line of
 * signatures. Shared by test_rules.c and test_paranoid.c.
 */
#ifndef TESTS_TOY_RUN_H
#define TESTS_TOY_RUN_H

#include "fuzzers/execute.h"
#include "fuzzers/program.h"
#include "tests/toy_walker.h"

/* The rows of toy_program.def, and of toy_mistake.def by enum toy_mistake. */
enum toy_program_nr {
#define PROGRAM(name, pages, fail_step, fail_nth, text) TOY_PROGRAM_##name,
#include "tests/toy_program.def"
#undef PROGRAM
	TOY_PROGRAMS_NR
};

struct toy_program {
	const char *name;
	u32 pages;
	u32 fail_step;
	u32 fail_nth;
	const char *text;
};

struct toy_case {
	enum toy_program_nr program;
	const char *signatures;
};

extern const struct toy_program toy_programs[TOY_PROGRAMS_NR];
extern const struct toy_case toy_cases[TOY_NR];

#define TOY_FOUND_MAX 2048

/**
 * struct toy_run - an executor and what its last run found
 * @fail_step, @fail_nth: the allocation that fails, as in struct toy_program
 * @fail_seed: not 0: allocations fail at random
 * @first_step, @first_op: the call that had the first violation
 * @found: distinct signatures in the order of their finding, joined by " + "
 * @detail: the first violation in words
 * @first_found: those of @found that the first violating step had
 */
struct toy_run {
	struct executor *executor;
	u32 fail_step;
	u32 fail_nth;
	u64 fail_seed;
	u32 first_step;
	enum oracle_op first_op;
	char found[TOY_FOUND_MAX];
	char first_found[TOY_FOUND_MAX];
	char detail[2 * VERDICT_TEXT_MAX + 32];
	char text[PROGRAM_TEXT_MAX];
};

/* toy_run_create() - a machine of @pages table pages; ends the test when memory is short */
struct toy_run *toy_run_create(u32 pages);
void toy_run_destroy(struct toy_run *run);

/* toy_run_once() - runs @program on @walker and fills the results */
void toy_run_once(struct toy_run *run, const struct walker *walker, const struct program *program);

/* toy_run_program() - runs a row on its machine; returns struct toy_run's found until the next call */
char *toy_run_program(const struct walker *walker, const struct toy_program *row);

/* toy_generate() - a generated program of a format, with features that toy walkers have */
void toy_generate(struct program *program, enum format format, u64 seed);

/* toy_home() - the format of the program that shows a mistake */
enum format toy_home(enum toy_mistake mistake);

/* toy_list_holds() - whether one of the signatures in @list, joined by " + ", is @length bytes of @one */
bool toy_list_holds(const char *list, const char *one, size_t length);

#endif
