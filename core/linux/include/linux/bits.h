/* real: single bits and runs of them, as constant expressions. */
#ifndef _LINUX_BITS_H
#define _LINUX_BITS_H

#include <linux/types.h>

#define BITS_PER_BYTE	       8
#define BITS_PER_LONG	       (8 * __SIZEOF_LONG__)
#define BITS_PER_TYPE(type)    (8 * sizeof(type))
#define BITS_TO_LONGS(nr)      (((nr) + BITS_PER_LONG - 1ul) / BITS_PER_LONG)
#define BIT(nr)		       (1ul << (nr))
#define BIT_ULL(nr)	       (1ull << (nr))
#define BIT_MASK(nr)	       BIT((nr) % BITS_PER_LONG)
#define BIT_WORD(nr)	       ((nr) / BITS_PER_LONG)
#define GENMASK(high, low)     ((~0ul >> (BITS_PER_LONG - 1 - (high))) & ~((1ul << (low)) - 1))
#define GENMASK_ULL(high, low) ((~0ull >> (63 - (high))) & ~((1ull << (low)) - 1))
#define GENMASK_U32(high, low) ((u32)GENMASK(high, low))
#define GENMASK_U64(high, low) GENMASK_ULL(high, low)
#define BIT_U32(nr)	       ((u32)BIT(nr))
#define BIT_U64(nr)	       BIT_ULL(nr)

#endif
