/*
 * custom: memory comes from the scratch of the current entry and is given back as a whole, so that
 * an operation that is left in the middle leaks nothing.
 */
#ifndef _LINUX_SLAB_H
#define _LINUX_SLAB_H

#include <linux/kernel.h>
#include <linux/gfp.h>

static inline void *kzalloc(size_t bytes, gfp_t gfp)
{
	u8 *memory = current_entry.scratch;

	bytes = ALIGN(bytes, 16);
	if (bytes > current_entry.scratch_left)
		return NULL;
	current_entry.scratch += bytes;
	current_entry.scratch_left -= bytes;
	return memset(memory, 0, bytes);
}

#define kmalloc(bytes, gfp)	 kzalloc(bytes, gfp)
#define kzalloc_obj(object, ...) ((__typeof__(object) *)kzalloc(sizeof(object), GFP_KERNEL))
#define kmalloc_obj(object, ...) kzalloc_obj(object)
#define kfree(memory)		 ((void)(memory))
#define __get_free_page(gfp)	 ((unsigned long)kzalloc(PAGE_SIZE, gfp))
#define free_page(memory)	 ((void)(memory))

#endif
