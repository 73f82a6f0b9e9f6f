/* Tests of fuzzers/trap.c: a walker that never returns is left. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/time.h>

#include <cmocka.h>

#include "fuzzers/trap.h"

static void loop_without_steps_is_left(void **state)
{
	struct host *host = host_create(4);
	const struct host_config config = {.tables_pa = 0x1000, .coherent = true};
	static volatile bool forever = true;
	sigjmp_buf escape;

	(void)state;
	assert_non_null(host);
	host_reset(host, &config);
	assert_int_equal(trap_install(), 0);
	host->escape_to = &escape;
	if (!sigsetjmp(escape, 0)) {
		trap_arm(host);
		while (forever)
			;
	}
	trap_arm(NULL);
	assert_int_equal(host->escape, HOST_ESCAPE_STEPS);
	host_destroy(host);
}

static void harness_may_compute(void **state)
{
	struct itimerval left;

	(void)state;
	assert_int_equal(trap_install(), 0);
	trap_arm(NULL);
	raise(SIGVTALRM);
	raise(SIGVTALRM);
	assert_int_equal(getitimer(ITIMER_VIRTUAL, &left), 0);
	assert_int_equal(left.it_interval.tv_sec, TRAP_TICK_SECONDS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loop_without_steps_is_left),
		cmocka_unit_test(harness_may_compute),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
