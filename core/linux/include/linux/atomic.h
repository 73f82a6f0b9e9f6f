/*
 * custom: compare-and-exchange on table memory is observed, in every spelling of its memory order;
 * the order itself does not matter with one thread.
 */
#ifndef _LINUX_ATOMIC_H
#define _LINUX_ATOMIC_H

#include <linux/types.h>
#include <asm/barrier.h>

#define try_cmpxchg(at, oldp, new)                                                               \
	({                                                                                       \
		u64 cmpxchg_old = (u64) * (oldp);                                                \
		bool cmpxchg_done = access_cmpxchg(at, &cmpxchg_old, (u64)(new), sizeof(*(at))); \
		if (!cmpxchg_done)                                                               \
			*(oldp) = (__typeof__(*(oldp)))cmpxchg_old;                              \
		cmpxchg_done;                                                                    \
	})
#define cmpxchg(at, old, new)                                                 \
	({                                                                    \
		u64 cmpxchg_seen = (u64)(old);                                \
		access_cmpxchg(at, &cmpxchg_seen, (u64)(new), sizeof(*(at))); \
		(__typeof__(*(at)))cmpxchg_seen;                              \
	})
#define xchg(at, new)                                          \
	({                                                     \
		__typeof__(*(at)) xchg_old = READ_ONCE(*(at)); \
		WRITE_ONCE(*(at), new);                        \
		xchg_old;                                      \
	})

#define try_cmpxchg_relaxed   try_cmpxchg
#define try_cmpxchg_acquire   try_cmpxchg
#define try_cmpxchg_release   try_cmpxchg
#define try_cmpxchg64	      try_cmpxchg
#define try_cmpxchg64_relaxed try_cmpxchg
#define try_cmpxchg64_acquire try_cmpxchg
#define try_cmpxchg64_release try_cmpxchg
#define cmpxchg_relaxed	      cmpxchg
#define cmpxchg_acquire	      cmpxchg
#define cmpxchg_release	      cmpxchg
#define cmpxchg64	      cmpxchg
#define cmpxchg64_relaxed     cmpxchg
#define cmpxchg64_acquire     cmpxchg
#define cmpxchg64_release     cmpxchg
#define xchg_relaxed	      xchg
#define xchg_release	      xchg
#define xchg64		      xchg

#define ATOMIC_INIT(value) \
	{                  \
		value      \
	}
#define atomic_read(object)    READ_ONCE((object)->counter)
#define atomic_set(object, to) WRITE_ONCE((object)->counter, to)
#define atomic_inc(object)     ((void)(object)->counter++)
#define atomic_dec(object)     ((void)(object)->counter--)

#endif
