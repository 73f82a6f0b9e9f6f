/* real: a field is named by its mask; all arithmetic is in 64 bits. */
#ifndef _LINUX_BITFIELD_H
#define _LINUX_BITFIELD_H

#include <linux/bitops.h>
#include <linux/build_bug.h>

#define __bf_shf(mask)		      __builtin_ctzll(mask)
#define FIELD_MAX(mask)		      ((u64)(mask) >> __bf_shf(mask))
#define FIELD_FIT(mask, value)	      (!((u64)(value) & ~FIELD_MAX(mask)))
#define FIELD_PREP(mask, value)	      (((u64)(value) << __bf_shf(mask)) & (u64)(mask))
#define FIELD_GET(mask, word)	      (((u64)(word) & (u64)(mask)) >> __bf_shf(mask))
#define FIELD_MODIFY(mask, at, value) (*(at) = (*(at) & ~(mask)) | FIELD_PREP(mask, value))

#endif
