/*
 * Checking only what an operation can have changed misses nothing: whatever paranoid mode, which walks
 * all tables after each operation, finds in the first step that it finds anything in, fast mode finds
 * in the same step or at the latest at the program's end. For each of the toy walker's mistakes, with
 * generated programs.
 *
 * One exception: paranoid mode sees at once that a page changed without a reported store. Fast mode
 * compares all pages at the end, and does not see what is overwritten before.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/toy_run.h"

#define PROGRAMS_PER_MISTAKE 100

static bool is_unreported_store(const char *signature, size_t length)
{
	static const char reason[] = "/unreported-store";
	size_t reason_length = sizeof(reason) - 1;

	return length > reason_length &&
	       !memcmp(signature + length - reason_length, reason, reason_length);
}

/* What paranoid mode found and fast mode did not, or NULL. */
static const char *missed(const struct toy_run *fast, const struct toy_run *paranoid)
{
	const char *signature = paranoid->first_found;

	while (*signature) {
		const char *end = strstr(signature, " + ");
		size_t length = end ? (size_t)(end - signature) : strlen(signature);

		if (!toy_list_holds(fast->found, signature, length) &&
		    !is_unreported_store(signature, length))
			return signature;
		signature += length + (end ? strlen(" + ") : 0);
	}
	return NULL;
}

static u32 compare(struct toy_run *fast, struct toy_run *paranoid, const struct walker *walker,
		   enum format format, u64 seed)
{
	static struct program program;
	const char *signature;

	toy_generate(&program, format, seed);
	fast->fail_seed = paranoid->fail_seed = seed & 1 ? seed : 0;
	toy_run_once(fast, walker, &program);
	toy_run_once(paranoid, walker, &program);
	signature = missed(fast, paranoid);
	if (signature) {
		text_print(&program, fast->text);
		fprintf(stderr,
			"%s\n%s, seed %llu\nfast found: %s\nparanoid found: %s\n"
			"in step %u: %s\nmissed: %s\n",
			fast->text, walker->name, seed, fast->found, paranoid->first_found,
			paranoid->first_step, paranoid->detail, signature);
		fail();
	}
	return paranoid->first_found[0] != 0;
}

static void fast_mode_misses_nothing(void **state)
{
	struct toy_run *fast = toy_run_create(PROGRAM_MACHINE_PAGES);
	struct toy_run *paranoid = toy_run_create(PROGRAM_MACHINE_PAGES);
	u32 never = 0;

	paranoid->executor->paranoid = true;
	for (unsigned int i = TOY_RIGHT + 1; i < TOY_NR; i++) {
		enum format home = toy_home(i);
		u32 caught = 0;

		for (u64 seed = 0; seed < PROGRAMS_PER_MISTAKE; seed++)
			caught += compare(fast, paranoid, &toy_walkers[i],
					  seed % 4 ? home : (enum format)(seed / 4 % FORMAT_NR),
					  1000 * i + seed);
		if (!caught)
			print_message("%s: not shown by %u generated programs\n",
				      toy_walkers[i].name, PROGRAMS_PER_MISTAKE);
		never += !caught;
	}
	toy_run_destroy(fast);
	toy_run_destroy(paranoid);
	/* so that the comparison is not empty: most mistakes must show in generated programs */
	assert_in_range(never, 0, TOY_NR / 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fast_mode_misses_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
