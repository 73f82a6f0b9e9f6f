/* stub: the tree's headers name these types; nothing maps by scatter list. */
#ifndef _LINUX_SCATTERLIST_H
#define _LINUX_SCATTERLIST_H

#include <linux/mm.h>

struct scatterlist;

struct sg_table {
	struct scatterlist *sgl;
	unsigned int orig_nents;
};

#endif
