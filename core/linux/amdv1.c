/* AMD host page table (v1), as drivers/iommu/amd opens it. */
#include "core/linux/glue.h"

static int amdv1_init(struct walker_table *table, const struct config *config,
		      const struct pt_iommu_cfg *common)
{
	struct pt_iommu_amdv1_cfg cfg = {.common = *common, .starting_level = config->top_level};

	return pt_iommu_amdv1_init(&table->amdv1, &cfg, GFP_KERNEL);
}

static void amdv1_root(struct walker_table *table, struct walker_info *info)
{
	struct pt_iommu_amdv1_hw_info hw = {0};

	pt_iommu_amdv1_hw_info(&table->amdv1, &hw);
	info->root_pa = hw.host_pt_root;
	info->root_mode = hw.mode;
}

const struct glue_format glue_amdv1 = {
	GLUE_OPERATIONS(amdv1),
	.own = {[FEATURE_BIT_ENCRYPT_TABLES] = 1 + PT_FEAT_AMDV1_ENCRYPT_TABLES,
		[FEATURE_BIT_FORCE_COHERENCE] = 1 + PT_FEAT_AMDV1_FORCE_COHERENCE},
};
