/*
 * custom: bits are set byte by byte, which comes to the same on a little-endian machine, so that a
 * bit beyond a caller's bitmap is an access beyond it and nothing else is.
 */
#ifndef _LINUX_BITMAP_H
#define _LINUX_BITMAP_H

#include <linux/bitops.h>

static inline void bitmap_set(unsigned long *map, unsigned int start, unsigned int nr)
{
	u8 *bytes = (u8 *)map;

	host_step(current_entry.host); /* for nr 0, too */
	for (u64 bit = start; bit < (u64)start + nr; bit++) {
		host_step(current_entry.host);
		if (bit % 8 == 0 && bit + 8 <= (u64)start + nr) {
			bytes[bit / 8] = 0xff;
			bit += 7;
			continue;
		}
		bytes[bit / 8] |= (u8)(1u << bit % 8);
	}
}

#endif
