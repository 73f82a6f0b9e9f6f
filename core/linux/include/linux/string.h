/*
 * custom: filling table memory is observed, item by item; fills and copies of anything else are the
 * compiler's.
 */
#ifndef _LINUX_STRING_H
#define _LINUX_STRING_H

#include <linux/stddef.h>
#include <linux/types.h>

static inline void *memset64(u64 *at, u64 value, size_t nr)
{
	access_fill(at, value, nr);
	return at;
}

static inline void *string_fill(void *at, int byte, size_t bytes)
{
	if (current_entry.host && host_is_table(current_entry.host, at))
		access_fill(at, 0x0101010101010101ull * (u8)byte, bytes / 8);
	else
		__builtin_memset(at, byte, bytes);
	return at;
}

static inline void *string_copy(void *to, const void *from, size_t bytes)
{
	if (!current_entry.host || !host_is_table(current_entry.host, to))
		return __builtin_memcpy(to, from, bytes);
	for (size_t i = 0; i < bytes / 8; i++)
		access_store((u64 *)to + i, access_load((const u64 *)from + i, 8), 8);
	return to;
}

#define memset(at, byte, bytes) string_fill(at, byte, bytes)
#define memcpy(to, from, bytes) string_copy(to, from, bytes)
#define memcmp(a, b, bytes)	__builtin_memcmp(a, b, bytes)
#define strcmp(a, b)		__builtin_strcmp(a, b)

/* memset_after() - everything of *@object behind @member */
#define memset_after(object, byte, member)                                        \
	memset((u8 *)(object) + offsetofend(__typeof__(*(object)), member), byte, \
	       sizeof(*(object)) - offsetofend(__typeof__(*(object)), member))

#endif
