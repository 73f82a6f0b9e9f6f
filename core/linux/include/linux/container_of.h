/* real: from a member to the struct around it. */
#ifndef _LINUX_CONTAINER_OF_H
#define _LINUX_CONTAINER_OF_H

#include <linux/stddef.h>

#define container_of(pointer, type, member)	  ((type *)((u8 *)(pointer)-offsetof(type, member)))
#define container_of_const(pointer, type, member) container_of(pointer, type, member)

#endif
