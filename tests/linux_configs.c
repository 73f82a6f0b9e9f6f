/*
 * linux_configs WALKER.so...: sweeps the configs of config_sweep.h over a Linux tree's walker. Only
 * signatures that corpus/known lists for one of the trees may show up; each is counted.
 */
#include <stdio.h>
#include <string.h>

#include "fuzzers/known.h"
#include "fuzzers/load.h"
#include "fuzzers/trap.h"
#include "tests/config_sweep.h"

#define SEEN_MAX 64

static struct known known;
static struct sweep sweep;
static struct {
	char signature[VERDICT_SIGNATURE_MAX];
	u64 nr;
} seen[SEEN_MAX];
static u32 seen_nr;
static u32 new_nr;

static void on_found(void *arg, const struct program *program, const struct verdict *verdict)
{
	static char text[PROGRAM_TEXT_MAX];
	char signature[VERDICT_SIGNATURE_MAX];
	u32 at = 0;

	verdict_signature(verdict, signature);
	while (at < seen_nr && strcmp(seen[at].signature, signature))
		at++;
	if (at == SEEN_MAX)
		return;
	seen[at].nr++;
	if (at < seen_nr)
		return;
	snprintf(seen[seen_nr++].signature, VERDICT_SIGNATURE_MAX, "%s", signature);
	if (known_find(&known, signature, verdict->legal))
		return;
	new_nr++;
	text_print(program, text);
	printf("NEW %s on %s\n%sgot  %s\nwant %s\n", signature, sweep.walker->name, text,
	       verdict->got, verdict->want);
}

static int known_load(void)
{
	static const char *const names[] = {"7.2", "7.3"};
	char path[4096], error[512];

	for (size_t i = 0; i < ARRAY_NR(names); i++) {
		snprintf(path, sizeof(path), "%s/known/linux-%s.known", CORPUS, names[i]);
		if (known_read(&known, path, error, sizeof(error))) {
			fprintf(stderr, "%s\n", error);
			return -1;
		}
	}
	return 0;
}

int main(int argc, char **argv)
{
	char error[512];

	sweep.executor = executor_create(16);
	sweep.found = on_found;
	sweep.stride = 5;
	if (argc < 2 || known_load() || !sweep.executor || trap_install())
		return 2;
	for (int i = 1; i < argc; i++) {
		const struct walker_list *list = load_walkers(argv[i], error, sizeof(error));

		sweep.walker = list ? load_find(list, "") : NULL;
		if (!sweep.walker) {
			fprintf(stderr, "%s\n", error);
			return 2;
		}
		for (u32 format = 0; format < FORMAT_NR; format++)
			if (sweep.walker->formats >> format & 1)
				sweep_format(&sweep, (enum format)format);
	}
	printf("%llu configs, %llu opened\n", sweep.configs, sweep.opened);
	for (u32 i = 0; i < seen_nr; i++)
		printf("%8llu %s\n", seen[i].nr, seen[i].signature);
	executor_destroy(sweep.executor);
	return new_nr ? 1 : 0;
}
