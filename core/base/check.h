/*
 * CHECK: a condition that only a mistake in this project can break. Always on, also in release
 * builds: a harness that goes on with broken books would report its own mistakes as findings.
 */
#ifndef CORE_BASE_CHECK_H
#define CORE_BASE_CHECK_H

#include <stdio.h>
#include <stdlib.h>

#include "core/base/types.h"

static void __attribute__((noreturn, cold, unused))
check_failed(const char *file, int line, const char *function, const char *condition, u64 a, u64 b)
{
	fprintf(stderr, "%s:%d: %s: Assertion '%s' failed. (0x%llx, 0x%llx)\n", file, line,
		function, condition, a, b);
	abort();
}

#define CHECK(condition)                                                              \
	do {                                                                          \
		if (unlikely(!(condition)))                                           \
			check_failed(__FILE__, __LINE__, __func__, #condition, 0, 0); \
	} while (0)

/* CHECK_OP() - compares two integers and prints both when the comparison does not hold */
#define CHECK_OP(a, op, b)                                                            \
	do {                                                                          \
		__typeof__(a) check_a = (a);                                          \
		__typeof__(b) check_b = (b);                                          \
		if (unlikely(!(check_a op check_b)))                                  \
			check_failed(__FILE__, __LINE__, __func__, #a " " #op " " #b, \
				     (u64)check_a, (u64)check_b);                     \
	} while (0)

#endif
