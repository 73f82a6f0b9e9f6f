/* real: the basics, which the kernel's headers bring along for each other. */
#ifndef _LINUX_KERNEL_H
#define _LINUX_KERNEL_H

#include <linux/types.h>
#include <linux/stddef.h>
#include <linux/limits.h>
#include <linux/bug.h>
#include <linux/export.h>
#include <linux/build_bug.h>
#include <linux/bits.h>
#include <linux/bitops.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/overflow.h>
#include <linux/container_of.h>
#include <linux/printk.h>
#include <linux/errno.h>
#include <linux/err.h>
#include <linux/log2.h>
#include <linux/string.h>

#define ARRAY_SIZE(array)   (sizeof(array) / sizeof((array)[0]))
#define upper_32_bits(word) ((u32)((u64)(word) >> 32))
#define lower_32_bits(word) ((u32)(word))

#endif
