/*
 * The libFuzzer target: bytes are a program, the walker is the embedded one or comes from a shared object.
 *
 * Alone (a debugger, a fuzzing service) a violation prints its verdict, `DEDUP_TOKEN: SIGNATURE`, and
 * aborts in a function named after its rule. With PTFUZZ_FINDINGS set it runs in collect mode instead:
 * findings go to that folder and the process goes on.
 *
 * Environment: PTFUZZ_LINUX_SO (a walker; `ptfuzz walker-path` prints one), PTFUZZ_FORMATS (comma-separated),
 * PTFUZZ_KNOWN (list of known findings), PTFUZZ_FINDINGS (folder), PTFUZZ_PARANOID (check everything each time).
 * Variables that are empty count as unset.
 */
#include "core/native/native.h"
#include "fuzzers/collect.h"
#include "fuzzers/load.h"
#include "core/base/bits.h"
#include "fuzzers/trap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const u8 *bytes, size_t bytes_nr);

/* libFuzzer gives no argument to its callbacks: one target is one process. */
static struct target {
	struct executor *executor;
	const struct walker *walker;
	struct collect *collect;
	struct known known;
	u32 formats;
	struct program program;
	u64 runs;
	double written; /* statistics, in seconds of the monotonic clock */
} target;

#define RULE(id, name, goes_on, sentence, source)                             \
	static __attribute__((noinline, noreturn)) void rule_fails_##id(void) \
	{                                                                     \
		abort();                                                      \
	}
#include "oracle/verdict.def"
#undef RULE

static void (*const rule_fails[RULE_NR])(void) = {
#define RULE(id, name, goes_on, sentence, source) rule_fails_##id,
#include "oracle/verdict.def"
#undef RULE
};

static void target_fail(const char *text)
{
	fprintf(stderr, "fuzz_walker: %s\n", text);
	exit(2);
}

static u32 formats_read(const char *words)
{
	char unknown[64];
	u32 formats;

	if (!words)
		return bits_low(FORMAT_NR);
	formats = format_list(words, unknown);
	if (!formats)
		target_fail("PTFUZZ_FORMATS: unknown format");
	return formats;
}

/* An environment variable; NULL when it is unset or empty. */
static const char *variable(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

static void at_end(void)
{
	if (target.collect)
		collect_write(target.collect);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *object = variable("PTFUZZ_LINUX_SO");
	const char *known = variable("PTFUZZ_KNOWN");
	const char *folder = variable("PTFUZZ_FINDINGS");
	const struct walker_list *list = &native_walkers;
	char error[512];

	(void)argc, (void)argv;
	if (object)
		list = load_walkers(object, error, sizeof(error));
	if (!list)
		target_fail(error);
	target.walker = load_find(list, "");
	target.formats = formats_read(variable("PTFUZZ_FORMATS"));
	if (known && known_read(&target.known, known, error, sizeof(error)))
		target_fail(error);
	target.executor = executor_create(EXECUTE_PAGES);
	if (!target.executor || trap_install())
		target_fail("no memory");
	target.executor->paranoid = variable("PTFUZZ_PARANOID") != NULL;
	if (!folder)
		return 0;
	target.collect = collect_create(target.executor, folder, target.walker->name,
					list->origin[0] ? list->origin : "the embedded walker",
					&target.known, error, sizeof(error));
	if (!target.collect)
		target_fail(error);
	atexit(at_end);
	return 0;
}

static bool on_found(void *arg, const struct step *step, const struct verdict *verdict)
{
	char signature[VERDICT_SIGNATURE_MAX];
	char *text;

	(void)arg;
	verdict_signature(verdict, signature);
	if (known_find(&target.known, signature, verdict->legal))
		return true;
	fprintf(stderr, "%s: step %u\n  got:  %s\n  want: %s\nDEDUP_TOKEN: %s\n",
		rule_name(verdict->rule), step->nr, verdict->got, verdict->want, signature);
	fprintf(stderr, "%s:%d: %s: Assertion '%s' failed.\n", __FILE__, __LINE__,
		rule_name(verdict->rule), signature);
	text = malloc(PROGRAM_TEXT_MAX);
	if (text) {
		text_print(&target.program, text);
		fputs(text, stderr);
	}
	rule_fails[verdict->rule]();
	return false;
}

int LLVMFuzzerTestOneInput(const u8 *bytes, size_t bytes_nr)
{
	struct execute_watch watch = {.found = on_found};

	program_decode(&target.program, bytes, bytes_nr);
	if (!(target.formats & target.walker->formats & 1u << target.program.config.format))
		return -1;
	if (!target.collect) {
		execute(target.executor, target.walker, &target.program, &watch);
		return 0;
	}
	collect_run(target.collect, target.walker, &target.program);
	if (++target.runs % 4096 == 0 && collect_now() - target.written > 5) {
		target.written = collect_now();

		collect_write(target.collect);
	}
	return 0;
}
