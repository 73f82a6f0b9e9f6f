/* custom: a pinned page is a pointer to its memory; linux/mm.h. */
#ifndef _LINUX_HIGHMEM_H
#define _LINUX_HIGHMEM_H

#include <linux/mm.h>

#define kmap_local_page(page) ((void *)(page))
#define kunmap_local(pointer) ((void)(pointer))

#endif
