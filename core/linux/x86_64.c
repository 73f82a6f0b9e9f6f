/* Intel VT-d first stage and AMD v2, as drivers/iommu/intel and drivers/iommu/amd open them. */
#include "core/linux/glue.h"

static int x86_64_init(struct walker_table *table, const struct config *config,
		       const struct pt_iommu_cfg *common)
{
	struct pt_iommu_x86_64_cfg cfg = {.common = *common};

#ifdef TREE_HAS_X86_64_TOP_LEVEL
	cfg.top_level = config->top_level;
#endif
	return pt_iommu_x86_64_init(&table->x86_64, &cfg, GFP_KERNEL);
}

static void x86_64_root(struct walker_table *table, struct walker_info *info)
{
	struct pt_iommu_x86_64_hw_info hw = {0};

	pt_iommu_x86_64_hw_info(&table->x86_64, &hw);
	info->root_pa = hw.gcr3_pt;
	info->root_mode = hw.levels;
}

const struct glue_format glue_x86_64 = {
	GLUE_OPERATIONS(x86_64),
	.own = {[FEATURE_BIT_ENCRYPT_TABLES] = 1 + PT_FEAT_X86_64_AMD_ENCRYPT_TABLES},
};
