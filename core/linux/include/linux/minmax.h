/* real: the smaller and the larger of two values, each evaluated once. */
#ifndef _LINUX_MINMAX_H
#define _LINUX_MINMAX_H

#include <linux/types.h>

#define MINMAX_PICK(a, order, b)                               \
	({                                                     \
		__auto_type minmax_a = (a);                    \
		__auto_type minmax_b = (b);                    \
		minmax_a order minmax_b ? minmax_a : minmax_b; \
	})

#define min(a, b)	    MINMAX_PICK(a, <, b)
#define max(a, b)	    MINMAX_PICK(a, >, b)
#define umin(a, b)	    MINMAX_PICK((u64)(a), <, (u64)(b))
#define umax(a, b)	    MINMAX_PICK((u64)(a), >, (u64)(b))
#define min3(a, b, c)	    min(min(a, b), c)
#define max3(a, b, c)	    max(max(a, b), c)
#define min_t(type, a, b)   MINMAX_PICK((type)(a), <, (type)(b))
#define max_t(type, a, b)   MINMAX_PICK((type)(a), >, (type)(b))
#define min_not_zero(a, b)  ((a) == 0 ? (b) : (b) == 0 ? (a) : min(a, b))
#define clamp(v, low, high) min(max(v, low), high)
#define swap(a, b)                        \
	do {                              \
		__auto_type swap_a = (a); \
		(a) = (b);                \
		(b) = swap_a;             \
	} while (0)

#endif
