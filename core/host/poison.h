/*
 * Memory that nobody may touch, for AddressSanitizer: the arena hides the life of its pages from the
 * sanitizer unless it is told. Without the sanitizer both functions do nothing. A build that checks the
 * walkers only, and not this code, says so with -DPOISON_WITH_ASAN.
 */
#ifndef CORE_HOST_POISON_H
#define CORE_HOST_POISON_H

#include "core/base/types.h"

#if defined(POISON_WITH_ASAN)
#elif defined(__SANITIZE_ADDRESS__)
#define POISON_WITH_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define POISON_WITH_ASAN 1
#endif
#endif

#ifdef POISON_WITH_ASAN
#include <sanitizer/asan_interface.h>

static inline void poison_lock(const void *memory, u64 bytes)
{
	__asan_poison_memory_region(memory, bytes);
}

static inline void poison_unlock(const void *memory, u64 bytes)
{
	__asan_unpoison_memory_region(memory, bytes);
}
#else
static inline void poison_lock(const void *memory, u64 bytes)
{
	(void)memory, (void)bytes;
}

static inline void poison_unlock(const void *memory, u64 bytes)
{
	(void)memory, (void)bytes;
}
#endif

#endif
