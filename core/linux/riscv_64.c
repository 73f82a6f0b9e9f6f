/*
 * RISC-V Sv39, Sv48 and Sv57, as drivers/iommu/riscv opens them. The tree takes the top level from
 * the width of an iova; the config's has no place to go.
 */
#include "core/linux/glue.h"

static int riscv_64_init(struct walker_table *table, const struct config *config,
			 const struct pt_iommu_cfg *common)
{
	struct pt_iommu_riscv_64_cfg cfg = {.common = *common};

	return pt_iommu_riscv_64_init(&table->riscv_64, &cfg, GFP_KERNEL);
}

static void riscv_64_root(struct walker_table *table, struct walker_info *info)
{
	struct pt_iommu_riscv_64_hw_info hw = {0};

	pt_iommu_riscv_64_hw_info(&table->riscv_64, &hw);
	info->root_pa = hw.ppn << PAGE_SHIFT;
	info->root_mode = hw.fsc_iosatp_mode;
}

const struct glue_format glue_riscv_64 = {
	GLUE_OPERATIONS(riscv_64),
	.own =
		{
			[FEATURE_BIT_SVNAPOT_64K] = 1 + PT_FEAT_RISCV_SVNAPOT_64K,
#ifdef TREE_HAS_PT_FEAT_RISCV_SVPBMT
			[FEATURE_BIT_SVPBMT] = 1 + PT_FEAT_RISCV_SVPBMT,
#endif
		},
};
