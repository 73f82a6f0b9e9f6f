/*
 * Arithmetic on powers of two and on bit fields of a 64-bit word. Every function is defined for all
 * of the inputs that its comment names; nothing here shifts by 64 or more.
 */
#ifndef CORE_BASE_BITS_H
#define CORE_BASE_BITS_H

#include "core/base/types.h"

/* bits_low() - the lowest @nr bits set; @nr from 0 to 64 */
static inline u64 bits_low(unsigned int nr)
{
	return nr >= 64 ? ~0ull : (1ull << nr) - 1;
}

/* bits_field() - bits @low..@high set, both included; 0 <= @low <= @high <= 63 */
static inline u64 bits_field(unsigned int low, unsigned int high)
{
	return bits_low(high + 1) & ~bits_low(low);
}

/* bits_get() - the value that @mask, a run of ones, selects from @word, moved down to bit 0 */
static inline u64 bits_get(u64 word, u64 mask)
{
	return mask ? (word & mask) >> __builtin_ctzll(mask) : 0;
}

/* bits_put() - @value moved up to where @mask, a run of ones, stands; what does not fit is cut */
static inline u64 bits_put(u64 value, u64 mask)
{
	return mask ? (value << __builtin_ctzll(mask)) & mask : 0;
}

/* bits_lowest() - index of the lowest set bit, 64 when there is none */
static inline unsigned int bits_lowest(u64 word)
{
	return word ? (unsigned int)__builtin_ctzll(word) : 64;
}

/* bits_highest() - index of the highest set bit; @word must not be 0 */
static inline unsigned int bits_highest(u64 word)
{
	return 63u - (unsigned int)__builtin_clzll(word);
}

/* bits_aligned() - whether @value is a multiple of 2^@lg2; @lg2 from 0 to 64 */
static inline bool bits_aligned(u64 value, unsigned int lg2)
{
	return !(value & bits_low(lg2));
}

/* bits_align_down() - @value without its lowest @lg2 bits */
static inline u64 bits_align_down(u64 value, unsigned int lg2)
{
	return value & ~bits_low(lg2);
}

#endif
