/*
 * Unmapping, and the driver's part of syncing: what is in the kernel's gather is reported as it
 * stands there, odd ranges included, and pages that it loses are lost.
 */
#include "core/linux/glue.h"

#include "iommu-pages.h"

static void gather_levels(struct walker_table *table, const struct iommu_iotlb_gather *kernel,
			  u8 *leaf_levels, u8 *table_levels)
{
	*leaf_levels = 0;
	*table_levels = 0;
#ifdef TREE_HAS_GATHER_LEVELS
	if (table->detailed) {
		*leaf_levels = kernel->pt.leaf_levels_bitmap;
		*table_levels = kernel->pt.table_levels_bitmap;
	}
#endif
}

void gather_tell(struct walker_table *table, struct walker_gather *gather)
{
	const struct iommu_iotlb_gather *kernel = gather_kernel(gather);

	gather->empty = kernel->start == ULONG_MAX && kernel->end == 0;
	gather->range.first = kernel->start;
	gather->range.last = kernel->end;
	gather_levels(table, kernel, &gather->leaf_levels, &gather->table_levels);
}

void gather_init(struct walker_table *table, struct walker_gather *gather)
{
	struct iommu_iotlb_gather *kernel = gather_kernel(gather);

	iommu_iotlb_gather_init(kernel);
	kernel->queued = gather->queued;
	gather_tell(table, gather);
}

u64 gather_unmap(struct walker_table *table, u64 iova, u64 len, struct walker_gather *gather)
{
	u64 removed;

	glue_enter(table);
#ifdef TREE_HAS_MAP_RANGE
	removed = table->iommu.ops->unmap_range(&table->iommu, iova, len, gather_kernel(gather));
#else
	removed = chunks_unmap(table, iova, len, gather_kernel(gather));
#endif
	glue_leave();
	gather_tell(table, gather);
	if (!gather->empty)
		host_gather(table->host, gather->range.first, gather->range.last);
	return removed;
}

void gather_driver_sync(struct iommu_domain *domain, struct iommu_iotlb_gather *kernel)
{
	struct walker_table *table = container_of(domain, struct walker_table, domain);
	u8 leaf_levels, table_levels;

	gather_levels(table, kernel, &leaf_levels, &table_levels);
	host_sync(table->host, kernel->start, kernel->end, leaf_levels, table_levels);
	iommu_put_pages_list(&kernel->freelist);
}

/*
 * As the flush queue of the DMA layer does it: everything is invalidated, then the pages are free.
 */
static void gather_sync_queued(struct walker_table *table, struct iommu_iotlb_gather *kernel)
{
	host_sync_all(table->host);
	iommu_put_pages_list(&kernel->freelist);
}

void gather_sync(struct walker_table *table, struct walker_gather *gather)
{
	struct iommu_iotlb_gather *kernel = gather_kernel(gather);

	glue_enter(table);
	if (gather->queued)
		gather_sync_queued(table, kernel);
	else
		iommu_iotlb_sync(&table->domain, kernel);
	glue_leave();
	gather_init(table, gather);
}
