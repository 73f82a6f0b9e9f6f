/* real: logarithms to base 2, rounded down, and powers of two. */
#ifndef _LINUX_LOG2_H
#define _LINUX_LOG2_H

#include <linux/bitops.h>

#define ilog2(n)		(63 - __builtin_clzll(n))
#define is_power_of_2(n)	((n) != 0 && !((n) & ((n)-1)))
#define order_base_2(n)		((n) > 1 ? ilog2((n)-1) + 1 : 0)
#define roundup_pow_of_two(n)	(1ul << order_base_2(n))
#define rounddown_pow_of_two(n) (1ul << ilog2(n))

#endif
