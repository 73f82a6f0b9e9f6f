/*
 * Prints docs/rules.md: every rule of oracle/verdict.def with its sentence and source, and how its failure
 * looks, from the toy walkers' mistakes. The test rules_md compares. To make it again:
 *
 *     build/dev/tests/rules_md > docs/rules.md
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/check.h"
#include "fuzzers/differ.h"
#include "tests/toy_run.h"

/* Whether @toy is there for @rule: its first signature is the rule's. */
static bool shows(const struct toy_case *toy, unsigned int rule)
{
	size_t length = strlen(rule_name(rule));

	return !strncmp(toy->signatures, rule_name(rule), length) && toy->signatures[length] == '/';
}

static void print_program(const char *text)
{
	for (; *text; text += strcspn(text, "\n") + 1)
		printf("    %.*s\n", (int)strcspn(text, "\n"), text);
}

static void print_example(unsigned int mistake)
{
	const struct toy_program *row = &toy_programs[toy_cases[mistake].program];
	struct toy_run *run = toy_run_create(row->pages ? row->pages : PROGRAM_MACHINE_PAGES);
	struct program program;
	char error[256];

	CHECK(!text_parse(&program, row->text, strlen(row->text), row->name, error, sizeof(error)));
	run->fail_step = row->fail_step;
	run->fail_nth = row->fail_nth;
	toy_run_once(run, &toy_walkers[mistake], &program);
	printf("Example. The walker's mistake: %s.%s The program\n\n", toy_walkers[mistake].about,
	       row->fail_step ? " An allocation is made to fail." : "");
	print_program(row->text);
	printf("\nand what is said of it in step %u:\n\n    VIOLATION %.*s\n      %s\n\n",
	       run->first_step, (int)strcspn(run->found, " "), run->found, run->detail);
	toy_run_destroy(run);
}

static void print_rule(unsigned int rule)
{
	bool first = true;

	printf("## %s\n\n%s Source: %s. After a violation a program %s.\n\n", rule_name(rule),
	       rule_sentence(rule), rule_source(rule), rule_goes_on(rule) ? "goes on" : "ends");
	for (unsigned int i = TOY_RIGHT + 1; i < TOY_NR; i++) {
		if (!shows(&toy_cases[i], rule))
			continue;
		if (first)
			print_example(i);
		if (first)
			puts("Wrong walkers that it catches:\n");
		first = false;
		printf("- %s: `%.*s`\n", toy_walkers[i].about,
		       (int)strcspn(toy_cases[i].signatures, " "), toy_cases[i].signatures);
	}
	putchar('\n');
}

/* The rule that takes two walkers has no toy of its own; what it compares is a list. */
static void print_differs(void)
{
	puts("It is judged where two walkers run beside each other (`ptfuzz run --against`); how that is "
	     "done and what is no\n"
	     "difference says fuzzers/differ.h. Reasons:\n");
	for (unsigned int reason = 0; reason < DIFFER_NR; reason++)
		printf("- `%s`: %s\n", differ_word(reason), differ_sentence(reason));
	puts("\nWhy the comparison of a program ends:\n");
	for (unsigned int end = 0; end < DIFFER_END_NR; end++)
		printf("- %s\n", differ_end_sentence(end));
	putchar('\n');
}

int main(void)
{
	puts("# The rules, and how their failures look\n\n"
	     "Made by `tests/rules_md.c` from `oracle/verdict.def` and `tests/toy_mistake.def`: not to be "
	     "edited.\n"
	     "What the rules rest on is [contract.md](contract.md). A violation has a signature, "
	     "RULE/OPERATION/FORMAT/REASON,\n"
	     "by which findings are told apart. The examples come from small walkers that are wrong on "
	     "purpose.\n");
	for (unsigned int rule = 0; rule < RULE_NR; rule++) {
		print_rule(rule);
		if (rule == RULE_DIFFERS)
			print_differs();
	}
	return 0;
}
