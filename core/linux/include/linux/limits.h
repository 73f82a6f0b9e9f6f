/* real: the largest values of the kernel's types. */
#ifndef _LINUX_LIMITS_H
#define _LINUX_LIMITS_H

#include <linux/types.h>

#define U8_MAX	      ((u8)~0u)
#define U16_MAX	      ((u16)~0u)
#define U32_MAX	      ((u32)~0u)
#define U64_MAX	      ((u64)~0ull)
#define UINT_MAX      (~0u)
#define ULONG_MAX     (~0ul)
#define INT_MAX	      ((int)(~0u >> 1))
#define INT_MIN	      (-INT_MAX - 1)
#define LONG_MAX      ((long)(~0ul >> 1))
#define S32_MAX	      INT_MAX
#define S64_MAX	      ((s64)(~0ull >> 1))
#define PHYS_ADDR_MAX (~(phys_addr_t)0)

#endif
