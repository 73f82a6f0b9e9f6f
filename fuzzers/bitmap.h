/*
 * The bitmap of a dirty query, with guards around it: a walker that sets bits before or behind its bitmap
 * is seen. A bitmap starts and ends somewhere in a page, as a user's does, and nothing but guards is in
 * the pages that it touches and in the next. Beyond those is a fence that can't be touched: who goes that far is
 * stopped by a signal.
 */
#ifndef FUZZERS_BITMAP_H
#define FUZZERS_BITMAP_H

#include "core/base/types.h"

#define BITMAP_BYTES_MAX 8192
#define BITMAP_BEFORE	 (4096 + 64)
#define BITMAP_MEMORY	 (7 * 4096)
#define BITMAP_FENCE	 (1 << 20)

/**
 * struct bitmap - room for one at a time
 * @memory: BITMAP_MEMORY bytes, aligned to a page
 * @guards: what is in it while there is no bitmap
 * @bytes: of the open bitmap and the guard behind it; 0 when there is none
 */
struct bitmap {
	u8 *memory;
	u8 *guards;
	size_t bytes;
};

/* bitmap_create() - true, or false when memory is short */
bool bitmap_create(struct bitmap *bitmap);
void bitmap_destroy(struct bitmap *bitmap);

/* bitmap_open() - @bytes zeros, at most BITMAP_BYTES_MAX. One that was not closed is forgotten. */
u8 *bitmap_open(struct bitmap *bitmap, size_t bytes);

/* bitmap_outside() - whether anything outside the bitmap was written since it was opened */
bool bitmap_outside(const struct bitmap *bitmap);
void bitmap_close(struct bitmap *bitmap);

#endif
