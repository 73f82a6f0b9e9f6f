/*
 * Asking for dirty pages as iommufd does it: a bitmap over the range, one bit for each of the
 * table's smallest pages, filled through the tree's own iova_bitmap.c.
 */
#include "core/linux/glue.h"

int dirty_read_and_clear(struct walker_table *table, u64 iova, u64 len, u32 flags, u8 *bitmap,
			 struct walker_gather *gather)
{
	u64 sizes = table->domain.pgsize_bitmap;
	struct iommu_dirty_bitmap dirty = {.gather = gather_kernel(gather)};
	int ret;

	if (!len)
		return -EINVAL;
	glue_enter(table);
	if (bitmap) {
		dirty.bitmap = iova_bitmap_alloc(iova, len, sizes & -sizes, (u64 *)bitmap);
		if (IS_ERR(dirty.bitmap)) {
			glue_leave();
			return (int)PTR_ERR(dirty.bitmap);
		}
	}
	ret = table->format->dirty.read_and_clear_dirty(
		&table->domain, iova, len, flags & WALKER_DIRTY_NO_CLEAR ? IOMMU_DIRTY_NO_CLEAR : 0,
		&dirty);
	if (bitmap)
		iova_bitmap_free(dirty.bitmap);
	glue_leave();
	gather_tell(table, gather);
	if (!gather->empty)
		host_gather(table->host, gather->range.first, gather->range.last);
	return ret;
}
