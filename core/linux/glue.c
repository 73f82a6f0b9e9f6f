/*
 * Opening, mapping and looking up in a table of a Linux tree, through the steps that in-tree
 * drivers and the IOMMU core take (drivers/iommu/intel, amd, riscv; drivers/iommu/iommu.c).
 */
#include "core/linux/glue.h"

/* By FEATURE_BIT_*: 1 + the PT_FEAT_* that means the same in every format. */
static const u8 common_features[FEATURE_NR] = {
	[FEATURE_BIT_INCOHERENT] = 1 + PT_FEAT_DMA_INCOHERENT,
	[FEATURE_BIT_SIGN_EXTEND] = 1 + PT_FEAT_SIGN_EXTEND,
	[FEATURE_BIT_GROWING_TOP] = 1 + PT_FEAT_DYNAMIC_TOP,
	[FEATURE_BIT_FLUSH_RANGE] = 1 + PT_FEAT_FLUSH_RANGE,
	[FEATURE_BIT_NO_GAPS] = 1 + PT_FEAT_FLUSH_RANGE_NO_GAPS,
#ifdef TREE_HAS_PT_FEAT_DETAILED_GATHER
	[FEATURE_BIT_DETAILED_GATHER] = 1 + PT_FEAT_DETAILED_GATHER,
#endif
};

/* By MAP_BIT_*. */
static const int kernel_prot[MAP_BIT_NR] = {
	[MAP_BIT_READ] = IOMMU_READ,   [MAP_BIT_WRITE] = IOMMU_WRITE,
	[MAP_BIT_CACHE] = IOMMU_CACHE, [MAP_BIT_NOEXEC] = IOMMU_NOEXEC,
	[MAP_BIT_MMIO] = IOMMU_MMIO,
};

/* The tree's spelling of @features; false when its enum has no name for one of them. */
static bool features_translate(const struct glue_format *format, u32 features, unsigned int *mask)
{
	*mask = 0;
	for (unsigned int bit = 0; bit < 32; bit++) {
		unsigned int kernel;

		if (!(features >> bit & 1))
			continue;
		if (bit >= FEATURE_NR)
			return false;
		kernel = common_features[bit] ? common_features[bit] : format->own[bit];
		if (!kernel)
			return false;
		*mask |= 1u << (kernel - 1);
	}
	return true;
}

static int prot_translate(u32 prot)
{
	int mask = 0;

	for (unsigned int bit = 0; bit < MAP_BIT_NR; bit++)
		if (prot >> bit & 1)
			mask |= kernel_prot[bit];
	return mask;
}

static void driver_change_top(struct pt_iommu *iommu, phys_addr_t top, unsigned int level)
{
	struct walker_table *table = container_of(iommu, struct walker_table, iommu);

	host_change_top(table->host, top, level);
}

static spinlock_t *driver_top_lock(struct pt_iommu *iommu)
{
	return &container_of(iommu, struct walker_table, iommu)->top_lock;
}

static const struct pt_iommu_driver_ops driver_ops = {
	.change_top = driver_change_top,
	.get_top_lock = driver_top_lock,
};

int glue_open(struct host *host, const struct config *config, void *memory,
	      struct walker_table **opened)
{
	const struct glue_format *format = glue_format(config->format);
	struct pt_iommu_cfg common = {
		.hw_max_vasz_lg2 = config->vasz_lg2,
		.hw_max_oasz_lg2 = config->oasz_lg2,
	};
	struct walker_table *table = memory;
	int ret;

	if (!format || !features_translate(format, config->features, &common.features))
		return -EOPNOTSUPP;
	memset(table, 0, sizeof(*table));
	table->host = host;
	table->format = format;
	/* Bit 0 says "present" in every format that can encrypt: a 0 is a machine that doesn't. */
	if (config->features & FEATURE_ENCRYPT_TABLES && config->encrypt_bit &&
	    config->encrypt_bit < 64)
		table->encrypt_mask = 1ull << config->encrypt_bit;
	table->detailed = config->features & FEATURE_DETAILED_GATHER;
	table->domain.ops = &format->domain_ops;
	table->iommu.driver_ops = &driver_ops;
	table->iommu.iommu_device = &table->device;
	table->iommu.nid = NUMA_NO_NODE;
	glue_enter(table);
	ret = format->init(table, config, &common);
	glue_leave();
	if (!ret)
		*opened = table;
	return ret;
}

void glue_close(struct walker_table *table)
{
	glue_enter(table);
	pt_iommu_deinit(&table->iommu);
	glue_leave();
}

void glue_set_pgsizes(struct walker_table *table, u64 pgsizes)
{
	table->domain.pgsize_bitmap &= pgsizes;
}

int glue_map(struct walker_table *table, u64 iova, u64 oa, u64 len, u32 prot, u64 *mapped)
{
	size_t total = *mapped;
	int ret;

	glue_enter(table);
#ifdef TREE_HAS_MAP_RANGE
	ret = table->iommu.ops->map_range(&table->iommu, iova, oa, len,
					  (unsigned int)prot_translate(prot), GFP_KERNEL, &total);
#else
	ret = chunks_map(table, iova, oa, len, prot_translate(prot), &total);
#endif
	glue_leave();
	*mapped = total;
	return ret;
}

u64 glue_iova_to_phys(struct walker_table *table, u64 iova)
{
	u64 oa;

	glue_enter(table);
	oa = table->domain.ops->iova_to_phys(&table->domain, iova);
	glue_leave();
	return oa;
}

void glue_info(struct walker_table *table, struct walker_info *info)
{
	struct pt_iommu_info kernel_info = {0};

	glue_enter(table);
	table->iommu.ops->get_info(&table->iommu, &kernel_info);
	info->pgsizes = kernel_info.pgsize_bitmap & ULONG_MAX; /* the width of a domain's */
	info->aperture.first = table->domain.geometry.aperture_start;
	info->aperture.last = table->domain.geometry.aperture_end;
	table->format->root(table, info);
	glue_leave();
}
