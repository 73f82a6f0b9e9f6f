/*
 * AMD v1 with pages of 2 KiB, as drivers/iommu/iommufd/selftest.c opens it. It has no hw_info,
 * since no hardware walks it; root and mode are what amdv1's would be.
 */
#include "core/linux/glue.h"

static int amdv1_mock_init(struct walker_table *table, const struct config *config,
			   const struct pt_iommu_cfg *common)
{
	struct pt_iommu_amdv1_mock_cfg cfg = {.common = *common,
					      .starting_level = config->top_level};

	return pt_iommu_amdv1_mock_init(&table->amdv1, &cfg, GFP_KERNEL);
}

static void amdv1_mock_root(struct walker_table *table, struct walker_info *info)
{
	uintptr_t top = table->amdv1.amdpt.common.top_of_table;

	info->root_pa = virt_to_phys((void *)(top & ~(uintptr_t)PT_TOP_LEVEL_MASK));
	info->root_mode = (u32)(top & PT_TOP_LEVEL_MASK) + 1;
}

const struct glue_format glue_amdv1_mock = {
	GLUE_OPERATIONS(amdv1_mock),
	.own = {[FEATURE_BIT_ENCRYPT_TABLES] = 1 + PT_FEAT_AMDV1_ENCRYPT_TABLES,
		[FEATURE_BIT_FORCE_COHERENCE] = 1 + PT_FEAT_AMDV1_FORCE_COHERENCE},
};
