/* Bitmaps between guards; see fuzzers/bitmap.h. */
#include "fuzzers/bitmap.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "core/base/check.h"

/* BITMAP_MEMORY bytes in the middle of BITMAP_FENCE on either side that nobody may touch; NULL without memory */
static u8 *fenced(void)
{
	u8 *all = mmap(NULL, 2 * BITMAP_FENCE + BITMAP_MEMORY, PROT_NONE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (all == MAP_FAILED)
		return NULL;
	if (mprotect(all + BITMAP_FENCE, BITMAP_MEMORY, PROT_READ | PROT_WRITE)) {
		munmap(all, 2 * BITMAP_FENCE + BITMAP_MEMORY);
		return NULL;
	}
	return all + BITMAP_FENCE;
}

bool bitmap_create(struct bitmap *bitmap)
{
	bitmap->memory = fenced();
	bitmap->guards = malloc(BITMAP_MEMORY);
	if (!bitmap->memory || !bitmap->guards) {
		bitmap_destroy(bitmap);
		return false;
	}
	/* zeros show bits that are set, ones show bytes that are cleared */
	for (size_t i = 0; i < BITMAP_MEMORY; i++)
		bitmap->guards[i] = i & 1 ? 0xff : 0;
	memcpy(bitmap->memory, bitmap->guards, BITMAP_MEMORY);
	return true;
}

void bitmap_destroy(struct bitmap *bitmap)
{
	if (bitmap->memory)
		munmap(bitmap->memory - BITMAP_FENCE, 2 * BITMAP_FENCE + BITMAP_MEMORY);
	free(bitmap->guards);
	*bitmap = (struct bitmap){0};
}

static void restore(struct bitmap *bitmap)
{
	memcpy(bitmap->memory, bitmap->guards, BITMAP_MEMORY);
	bitmap->bytes = 0;
}

u8 *bitmap_open(struct bitmap *bitmap, size_t bytes)
{
	CHECK_OP(bytes, <=, (size_t)BITMAP_BYTES_MAX);
	if (bitmap->bytes) /* the walker was left while it had one */
		restore(bitmap);
	/* one byte more, so that the first guard behind is zeros */
	bitmap->bytes = bytes + 1;
	memset(bitmap->memory + BITMAP_BEFORE, 0, bitmap->bytes);
	return bitmap->memory + BITMAP_BEFORE;
}

bool bitmap_outside(const struct bitmap *bitmap)
{
	size_t end = BITMAP_BEFORE + bitmap->bytes;

	return memcmp(bitmap->memory, bitmap->guards, BITMAP_BEFORE) || bitmap->memory[end - 1] ||
	       memcmp(bitmap->memory + end, bitmap->guards + end, BITMAP_MEMORY - end);
}

void bitmap_close(struct bitmap *bitmap)
{
	if (bitmap_outside(bitmap))
		restore(bitmap);
	memcpy(bitmap->memory + BITMAP_BEFORE, bitmap->guards + BITMAP_BEFORE, bitmap->bytes);
	bitmap->bytes = 0;
}
