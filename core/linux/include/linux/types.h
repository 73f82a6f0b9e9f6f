/*
 * real: the kernel's scalar types on a 64-bit machine, and the small structs that its headers
 * expect to find with them.
 */
#ifndef _LINUX_TYPES_H
#define _LINUX_TYPES_H

#include <linux/compiler.h>
#include "core/base/types.h"

typedef u8 __u8;
typedef u16 __u16;
typedef u32 __u32;
typedef u64 __u64;
typedef s8 __s8;
typedef s16 __s16;
typedef s32 __s32;
typedef s64 __s64;
typedef u16 __le16, __be16;
typedef u32 __le32, __be32;
typedef u64 __le64, __be64;

#define __aligned_u64  u64 __attribute__((aligned(8)))
#define __aligned_s64  s64 __attribute__((aligned(8)))
#define __aligned_le64 u64 __attribute__((aligned(8)))
#define __aligned_be64 u64 __attribute__((aligned(8)))

#ifdef SHIM_PHYS_32BIT /* a 32-bit kernel without large physical addresses */
typedef u32 dma_addr_t;
typedef u32 phys_addr_t;
#else
typedef u64 dma_addr_t;
typedef u64 phys_addr_t;
#endif
typedef phys_addr_t resource_size_t;
typedef unsigned long pgoff_t;
typedef unsigned int gfp_t;
typedef long ssize_t;
typedef long long loff_t;

struct atomic_int {
	int counter;
};

struct atomic_word {
	s64 counter;
};

typedef struct atomic_int atomic_t;
typedef struct atomic_word atomic64_t;
typedef struct atomic_int refcount_t;

struct list_head {
	struct list_head *next;
	struct list_head *prev;
};

struct rcu_head {
	struct rcu_head *next;
	void (*func)(struct rcu_head *head);
};

#endif
