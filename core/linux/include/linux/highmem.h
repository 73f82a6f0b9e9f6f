/*
 * custom: a pinned page is a pointer to its memory; linux/mm.h. Only iova_bitmap.c includes this: there a
 * test for the unlikely counts as a step, since up to Linux 7.2 a dirty range of no bytes turns it in
 * circles in which it touches no memory.
 */
#ifndef _LINUX_HIGHMEM_H
#define _LINUX_HIGHMEM_H

#include <linux/mm.h>

#define kmap_local_page(page) ((void *)(page))
#define kunmap_local(pointer) ((void)(pointer))

#undef unlikely
#define unlikely(condition) (host_step(current_entry.host), __builtin_expect(!!(condition), 0))

#endif
