/*
 * custom: allocations of table pages come from the machine; core/linux/pages.c. Flags mean
 * nothing.
 */
#ifndef _LINUX_GFP_H
#define _LINUX_GFP_H

#include <linux/types.h>
#include <asm/page.h>

#define __GFP_ZERO	   (1u << 0)
#define __GFP_HIGHMEM	   (1u << 1)
#define __GFP_NOWARN	   (1u << 2)
#define __GFP_ACCOUNT	   (1u << 3)
#define __GFP_COMP	   (1u << 4)
#define GFP_KERNEL	   (1u << 5)
#define GFP_ATOMIC	   (1u << 6)
#define GFP_NOWAIT	   (1u << 7)
#define GFP_KERNEL_ACCOUNT (GFP_KERNEL | __GFP_ACCOUNT)

#define NUMA_NO_NODE  (-1)
#define numa_mem_id() 0

struct folio;

struct folio *__folio_alloc_node(gfp_t gfp, unsigned int order, int nid);

#endif
