/* real: arithmetic that tells when it wraps, on the compiler's builtins. */
#ifndef _LINUX_OVERFLOW_H
#define _LINUX_OVERFLOW_H

#define check_add_overflow(a, b, sum)	  __builtin_add_overflow(a, b, sum)
#define check_sub_overflow(a, b, rest)	  __builtin_sub_overflow(a, b, rest)
#define check_mul_overflow(a, b, product) __builtin_mul_overflow(a, b, product)

#endif
