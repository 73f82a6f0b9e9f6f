/* real: error numbers as pointers into the last page of the address space. */
#ifndef _LINUX_ERR_H
#define _LINUX_ERR_H

#include <linux/errno.h>
#include <linux/types.h>

#define MAX_ERRNO	    4095
#define IS_ERR_VALUE(value) unlikely((unsigned long)(value) > ~0ul - MAX_ERRNO)

static inline void *ERR_PTR(long error)
{
	return (void *)error;
}

static inline long PTR_ERR(const void *pointer)
{
	return (long)pointer;
}

static inline bool IS_ERR(const void *pointer)
{
	return IS_ERR_VALUE(pointer);
}

#define IS_ERR_OR_NULL(pointer)	 (!(pointer) || IS_ERR(pointer))
#define ERR_CAST(pointer)	 ((void *)(pointer))
#define PTR_ERR_OR_ZERO(pointer) (IS_ERR(pointer) ? (int)PTR_ERR(pointer) : 0)

#endif
