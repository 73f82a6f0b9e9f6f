/*
 * The same program ten times in one process: the same violations, and the same events, each time.
 *
 * usage: replay_ten WALKER.so FILE [SIGNATURE...]
 *
 * Without a SIGNATURE the program must be clean; with some, it must show them all and no other. Exit
 * status 0, 1 when it is not so, 2 when file or walker cannot be used.
 */
#include <stdio.h>
#include <string.h>

#include "fuzzers/execute.h"
#include "fuzzers/file.h"
#include "fuzzers/load.h"
#include "fuzzers/trap.h"

#define TIMES	  10
#define FOUND_MAX 32

/* What one run showed. */
struct shown {
	u32 nr;
	char signature[FOUND_MAX][VERDICT_SIGNATURE_MAX];
	u64 digest;
};

static bool on_found(void *arg, const struct step *step, const struct verdict *verdict)
{
	struct shown *shown = arg;

	if (shown->nr < FOUND_MAX)
		verdict_signature(verdict, shown->signature[shown->nr++]);
	return true;
}

static bool holds(const struct shown *shown, const char *signature)
{
	for (u32 i = 0; i < shown->nr; i++)
		if (!strcmp(shown->signature[i], signature))
			return true;
	return false;
}

/* Whether what was shown is what was asked for, as sets; says what is not. */
static bool is_wanted(const struct shown *shown, int wanted_nr, char **wanted)
{
	bool good = true;

	for (int i = 0; i < wanted_nr; i++) {
		if (holds(shown, wanted[i]))
			continue;
		printf("want  %s\n", wanted[i]);
		good = false;
	}
	for (u32 i = 0; i < shown->nr; i++) {
		int at = 0;

		while (at < wanted_nr && strcmp(shown->signature[i], wanted[at]))
			at++;
		if (at < wanted_nr)
			continue;
		printf("got   %s\n", shown->signature[i]);
		good = false;
	}
	return good;
}

int main(int argc, char **argv)
{
	static struct program program;
	static struct shown first, shown;
	struct executor *executor = executor_create(EXECUTE_PAGES);
	struct execute_watch watch = {.found = on_found, .arg = &shown};
	const struct walker_list *list;
	const struct walker *walker;
	bool good = true;
	char error[512] = "usage: replay_ten WALKER.so FILE [SIGNATURE...]";

	if (argc < 3 || !executor || trap_install() ||
	    !(list = load_walkers(argv[1], error, sizeof(error))) ||
	    file_read_program(&program, argv[2], error, sizeof(error))) {
		fprintf(stderr, "replay_ten: %s\n", error);
		return 2;
	}
	walker = load_find(list, "");
	for (int i = 0; good && i < TIMES; i++) {
		shown = (struct shown){0};
		execute(executor, walker, &program, &watch);
		shown.digest = host_digest(executor->host);
		if (!i)
			first = shown;
		good = is_wanted(&shown, argc - 3, argv + 3);
		if (memcmp(&first, &shown, sizeof(shown))) {
			printf("run %d: %u violations, digest 0x%llx; the first: %u, 0x%llx\n",
			       i + 1, shown.nr, shown.digest, first.nr, first.digest);
			good = false;
		}
	}
	printf("%s: %s\n", argv[2], good ? "as wanted, ten times" : "not as wanted");
	executor_destroy(executor);
	return !good;
}
