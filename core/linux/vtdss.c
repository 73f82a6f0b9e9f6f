/* Intel VT-d second stage, as drivers/iommu/intel opens it. */
#include "core/linux/glue.h"

static int vtdss_init(struct walker_table *table, const struct config *config,
		      const struct pt_iommu_cfg *common)
{
	struct pt_iommu_vtdss_cfg cfg = {.common = *common, .top_level = config->top_level};

	return pt_iommu_vtdss_init(&table->vtdss, &cfg, GFP_KERNEL);
}

static void vtdss_root(struct walker_table *table, struct walker_info *info)
{
	struct pt_iommu_vtdss_hw_info hw = {0};

	pt_iommu_vtdss_hw_info(&table->vtdss, &hw);
	info->root_pa = hw.ssptptr;
	info->root_mode = hw.aw;
}

const struct glue_format glue_vtdss = {
	GLUE_OPERATIONS(vtdss),
	.own = {[FEATURE_BIT_FORCE_COHERENCE] = 1 + PT_FEAT_VTDSS_FORCE_COHERENCE,
		[FEATURE_BIT_FORCE_WRITEABLE] = 1 + PT_FEAT_VTDSS_FORCE_WRITEABLE},
};
