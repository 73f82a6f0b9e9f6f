/*
 * custom: a struct page for each table page of the machine, in the memory that it keeps for the
 * glue.
 */
#ifndef _LINUX_MM_TYPES_H
#define _LINUX_MM_TYPES_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <asm/page.h>

/**
 * struct page - the members whose places the tree asserts, and two of our own
 * @order: log2 of the pages of the allocation that starts here
 * @dma_bytes: how much of it was mapped for the device; core/linux/dma.c
 */
struct page {
	unsigned long flags;
	struct list_head lru;
	void *mapping;
	unsigned long index;
	unsigned long private;
	unsigned int page_type;
	atomic_t _refcount;
	unsigned int order;
	u32 dma_bytes;
};

struct folio {
	struct page page;
};

_Static_assert(sizeof(struct page) <= HOST_PRIVATE_BYTES,
	       "the machine keeps less than a struct page");

struct mm_struct;

#endif
