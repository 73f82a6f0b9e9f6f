/*
 * custom: how the IOMMU core cuts a range into runs of equal pages, for trees whose formats are
 * called through map_pages and unmap_pages (6.19 and a few after). Other trees leave this file
 * empty.
 */
#include "core/linux/glue.h"

#ifndef TREE_HAS_MAP_RANGE

/*
 * The largest page that fits at both addresses, and how many of them go before a still larger one
 * does. Returns 0 when none fits.
 */
static size_t chunk_next(u64 sizes, u64 iova, u64 oa, u64 len, size_t *nr)
{
	u64 both = iova | oa;
	u64 size, larger, rest;

	for (size = 1ull << 63; size; size >>= 1)
		if (sizes & size && size <= len && !(both & (size - 1)))
			break;
	if (!size)
		return 0;
	*nr = len / size;
	larger = sizes & ~(size | (size - 1));
	larger &= -larger;
	if (!larger || (iova ^ oa) & (larger - 1))
		return size;
	rest = larger - (oa & (larger - 1));
	if (rest <= len && larger <= len - rest)
		*nr = rest / size;
	return size;
}

static bool chunk_unaligned(u64 sizes, u64 addresses)
{
	return addresses & ((sizes & -sizes) - 1);
}

int chunks_map(struct walker_table *table, u64 iova, u64 oa, u64 len, int prot, size_t *mapped)
{
	struct iommu_domain *domain = &table->domain;

	if (!len || chunk_unaligned(domain->pgsize_bitmap, iova | oa | len))
		return -EINVAL;
	while (len) {
		size_t nr, done = 0;
		size_t size = chunk_next(domain->pgsize_bitmap, iova, oa, len, &nr);
		int ret =
			domain->ops->map_pages(domain, iova, oa, size, nr, prot, GFP_KERNEL, &done);

		*mapped += done;
		if (ret)
			return ret;
		host_step(table->host);
		iova += done;
		oa += done;
		len -= done;
	}
	return 0;
}

u64 chunks_unmap(struct walker_table *table, u64 iova, u64 len, struct iommu_iotlb_gather *gather)
{
	struct iommu_domain *domain = &table->domain;
	u64 removed = 0;

	if (chunk_unaligned(domain->pgsize_bitmap, iova | len))
		return 0;
	while (removed < len) {
		size_t nr;
		size_t size = chunk_next(domain->pgsize_bitmap, iova, iova, len - removed, &nr);
		size_t done = domain->ops->unmap_pages(domain, iova, size, nr, gather);

		if (!done)
			break;
		/* A format that leaves ranges to the core still has to be synced. */
		if (!gather->queued && gather->start >= gather->end)
			iommu_iotlb_gather_add_range(gather, iova, len);
		iova += done;
		removed += done;
	}
	return removed;
}

#endif
