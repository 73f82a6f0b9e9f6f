/*
 * mini_run WALKER.so PROGRAMS SEED [KNOWN]: generated programs on a walker, nothing else: no collecting,
 * shrinking or JSON. For builds in which jansson is missing, such as 32 bits (tests/build_m32.sh).
 * Prints each new signature once with its program. Exit status 1 when some are not in the list KNOWN.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/rng.h"
#include "fuzzers/execute.h"
#include "fuzzers/generate.h"
#include "fuzzers/known.h"
#include "fuzzers/load.h"
#include "fuzzers/trap.h"

#define SEEN_MAX 128

struct mini {
	const struct program *program;
	struct known known;
	char seen[SEEN_MAX][VERDICT_SIGNATURE_MAX];
	u32 seen_nr;
	u32 new_nr;
};

static bool on_found(void *arg, const struct step *step, const struct verdict *verdict)
{
	static char text[PROGRAM_TEXT_MAX];
	char signature[VERDICT_SIGNATURE_MAX];
	struct mini *mini = arg;
	const char *why;

	verdict_signature(verdict, signature);
	for (u32 i = 0; i < mini->seen_nr; i++)
		if (!strcmp(mini->seen[i], signature))
			return true;
	if (mini->seen_nr < SEEN_MAX)
		strcpy(mini->seen[mini->seen_nr++], signature);
	why = known_find(&mini->known, signature, verdict->legal);
	printf("%-5s %s%s%s\n", why ? "known" : "NEW", signature, why ? ": " : "", why ? why : "");
	if (why)
		return true;
	mini->new_nr++;
	text_print(mini->program, text);
	printf("  step %u: got %s, want %s\n%s", step->nr, verdict->got, verdict->want, text);
	return true;
}

int main(int argc, char **argv)
{
	static struct program program;
	static struct mini mini = {.program = &program};
	struct execute_watch watch = {.found = on_found, .arg = &mini};
	struct executor *executor = executor_create(EXECUTE_PAGES);
	const struct walker_list *list;
	const struct walker *walker;
	struct generate_options options;
	char error[512] = "no such walker";
	struct rng seeds;

	if (argc < 4 || !executor || trap_install())
		return 2;
	list = load_walkers(argv[1], error, sizeof(error));
	walker = list ? load_find(list, "") : NULL;
	if (!walker || (argc > 4 && known_read(&mini.known, argv[4], error, sizeof(error)))) {
		fprintf(stderr, "%s\n", error);
		return 2;
	}
	options = (struct generate_options){.formats = walker->formats};
	memcpy(options.features, walker->features, sizeof(options.features));
	seeds = rng_make(strtoull(argv[3], NULL, 0));
	for (u64 left = strtoull(argv[2], NULL, 0); left; left--) {
		generate_program(&program, rng_u64(&seeds), &options);
		execute(executor, walker, &program, &watch);
	}
	printf("%u-bit %s: %llu programs, %llu operations, %u signatures, %u new\n",
	       (u32)sizeof(void *) * 8, walker->name, executor->programs, executor->operations,
	       mini.seen_nr, mini.new_nr);
	executor_destroy(executor);
	return mini.new_nr ? 1 : 0;
}
