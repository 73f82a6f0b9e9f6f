/* Signals while a walker runs; see fuzzers/trap.h. */
#include "fuzzers/trap.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>

#include "core/base/types.h"

static _Thread_local struct host *trap_host;
static _Thread_local const char *trap_last;
static _Thread_local char trap_stack[1 << 16];
static u64 trap_calls;	    /* of trap_arm() */
static u64 trap_calls_seen; /* at the last tick */

/*
 * clang's -fsanitize-trap compiles a failed check to `ud1` with the number of the check in its
 * displacement byte (LLVM, SanitizerHandler, in the order of its list of checks). gcc compiles it to a
 * plain `ud2`.
 */
static const char *const check_words[] = {
	[0] = "add-overflow",	     [1] = "unreachable",	   [3] = "division",
	[7] = "implicit-conversion", [8] = "invalid-builtin",	   [10] = "invalid-value",
	[11] = "missing-return",     [12] = "mul-overflow",	   [13] = "negate-overflow",
	[16] = "nonnull-argument",   [17] = "nonnull-return",	   [18] = "index-out-of-bounds",
	[19] = "pointer-overflow",   [20] = "shift-out-of-bounds", [21] = "sub-overflow",
	[22] = "type-mismatch",	     [23] = "alignment",	   [24] = "array-bound",
};

static const char *check_word(const u8 *instruction)
{
#if defined(__x86_64__) || defined(__i386__)
	u32 at = instruction[0] == 0x67;

	if (instruction[at] == 0x0f && instruction[at + 1] == 0xb9) {
		u8 check = instruction[at + 3];

		if (check < ARRAY_NR(check_words) && check_words[check])
			return check_words[check];
	}
#endif
	return "undefined-behaviour";
}

static void on_signal(int signal_nr, siginfo_t *info, void *context)
{
	struct host *host = trap_host;

	(void)context;
	if (!host) {
		signal(signal_nr, SIG_DFL);
		raise(signal_nr);
		return;
	}
	trap_host = NULL;
	if (signal_nr == SIGILL) {
		trap_last = check_word(info->si_addr);
		host_leave(host, HOST_ESCAPE_SIGNAL, "ubsan");
	}
	trap_last = signal_nr == SIGFPE ? "division" : signal_nr == SIGBUS ? "bus-error" : "segv";
	host_leave(host, HOST_ESCAPE_SIGNAL, "signal");
}

/*
 * A tick, now and then while the process computes. A call that was running at the tick before runs for
 * thousands of times as long as any should, without a step that the machine would have counted.
 */
static void on_tick(int signal_nr)
{
	struct host *host = trap_host;
	bool same = trap_calls == trap_calls_seen;

	(void)signal_nr;
	trap_calls_seen = trap_calls;
	if (!host || !same)
		return;
	trap_host = NULL;
	host_leave(host, HOST_ESCAPE_STEPS, "computes without end");
}

int trap_install(void)
{
	const struct itimerval ticks = {{TRAP_TICK_SECONDS, 0}, {TRAP_TICK_SECONDS, 0}};
	struct sigaction tick = {.sa_handler = on_tick,
				 .sa_flags = SA_RESTART | SA_ONSTACK | SA_NODEFER};
	static const int signals[] = {SIGILL, SIGSEGV, SIGBUS, SIGFPE, SIGTRAP};
	struct sigaction action = {.sa_sigaction = on_signal,
				   .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
	stack_t stack = {.ss_sp = trap_stack, .ss_size = sizeof(trap_stack)};

	if (sigaltstack(&stack, NULL))
		return -errno;
	for (size_t i = 0; i < ARRAY_NR(signals); i++)
		if (sigaction(signals[i], &action, NULL))
			return -errno;
	if (sigaction(SIGVTALRM, &tick, NULL) || setitimer(ITIMER_VIRTUAL, &ticks, NULL))
		return -errno;
	return 0;
}

void trap_arm(struct host *host)
{
	trap_host = host;
	trap_calls++;
}

const char *trap_word(void)
{
	return trap_last;
}
