/*
 * real: the tree's own numbers (include/uapi/asm-generic). The system's <errno.h> comes by here too
 * when it is included behind this folder.
 */
#ifndef _LINUX_ERRNO_H
#define _LINUX_ERRNO_H

#include <asm-generic/errno.h>

#define ENOTSUPP 524

#endif
