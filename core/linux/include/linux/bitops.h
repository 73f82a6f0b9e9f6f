/* real: searches for set and clear bits, on the compiler's builtins. */
#ifndef _LINUX_BITOPS_H
#define _LINUX_BITOPS_H

#include <linux/bits.h>

static __always_inline unsigned long __ffs(unsigned long word)
{
	return (unsigned long)__builtin_ctzl(word);
}

static __always_inline unsigned int __ffs64(u64 word)
{
	return (unsigned int)__builtin_ctzll(word);
}

static __always_inline unsigned long __fls(unsigned long word)
{
	return BITS_PER_LONG - 1ul - (unsigned long)__builtin_clzl(word);
}

static __always_inline unsigned long ffz(unsigned long word)
{
	return __ffs(~word);
}

static __always_inline int fls64(u64 word)
{
	return word ? 64 - __builtin_clzll(word) : 0;
}

static __always_inline int fls(unsigned int word)
{
	return fls64(word);
}

#define ffs(word)	 __builtin_ffs(word)
#define hweight_long(w)	 ((unsigned long)__builtin_popcountl(w))
#define hweight64(w)	 ((unsigned long)__builtin_popcountll(w))
#define hweight32(w)	 ((unsigned int)__builtin_popcount(w))
#define test_bit(nr, at) (!!(READ_ONCE((at)[BIT_WORD(nr)]) & BIT_MASK(nr)))

#endif
