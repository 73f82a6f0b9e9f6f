/*
 * What the tree's loads and stores become: an access of 8 bytes to table memory goes through the
 * machine, which counts it and keeps its books; any other is a plain volatile access that counts
 * as a step, so that no loop of the walker is endless. Barriers order nothing here, since a
 * machine has one thread, but each is a point at which another could run.
 */
#ifndef CORE_LINUX_ACCESS_H
#define CORE_LINUX_ACCESS_H

#include "core/linux/current.h"

#define ACCESS_INLINE static inline __attribute__((always_inline, unused))

ACCESS_INLINE bool access_is_item(struct host *host, const volatile void *at, size_t bytes)
{
	return bytes == 8 && host_is_table(host, (const void *)at);
}

/* access_load() - the @bytes (1, 2, 4 or 8) at @at, zero extended */
ACCESS_INLINE u64 access_load(const volatile void *at, size_t bytes)
{
	struct host *host = current_entry.host;

	if (access_is_item(host, at, bytes))
		return host_load(host, (const u64 *)at);
	host_step(host);
	switch (bytes) {
	case 1:
		return *(const volatile u8 *)at;
	case 2:
		return *(const volatile u16 *)at;
	case 4:
		return *(const volatile u32 *)at;
	default:
		return *(const volatile u64 *)at;
	}
}

/* access_store() - the lowest @bytes (1, 2, 4 or 8) of @value go to @at */
ACCESS_INLINE void access_store(volatile void *at, u64 value, size_t bytes)
{
	struct host *host = current_entry.host;

	if (access_is_item(host, at, bytes)) {
		host_store(host, (u64 *)at, value);
		return;
	}
	host_step(host);
	switch (bytes) {
	case 1:
		*(volatile u8 *)at = (u8)value;
		break;
	case 2:
		*(volatile u16 *)at = (u16)value;
		break;
	case 4:
		*(volatile u32 *)at = (u32)value;
		break;
	default:
		*(volatile u64 *)at = value;
	}
}

/* access_cmpxchg() - stores @new when *@old is at @at; otherwise *@old becomes what is there */
ACCESS_INLINE bool access_cmpxchg(volatile void *at, u64 *old, u64 new, size_t bytes)
{
	struct host *host = current_entry.host;
	u64 seen;

	if (access_is_item(host, at, bytes))
		return host_cmpxchg(host, (u64 *)at, old, new);
	seen = access_load(at, bytes);
	if (seen != (*old & (~0ull >> (64 - 8 * bytes)))) {
		*old = seen;
		return false;
	}
	access_store(at, new, bytes);
	return true;
}

/* access_fill() - @nr items from @at on become @value */
ACCESS_INLINE void access_fill(u64 *at, u64 value, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		access_store(at + i, value, 8);
}

ACCESS_INLINE void access_barrier(void)
{
	host_yield(current_entry.host);
	__asm__ __volatile__("" ::: "memory");
}

/*
 * access_warn() - an assertion of the tree failed
 * @text: static memory of @bytes bytes, which always gets the same content: "function: condition"
 */
void access_warn(char *text, size_t bytes, const char *function, const char *condition);

/* access_bug() - as access_warn(), and the operation can't go on */
void access_bug(char *text, size_t bytes, const char *function, const char *condition)
	__attribute__((noreturn));

#endif
