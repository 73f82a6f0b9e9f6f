/*
 * What the shared object exports: one walker, compiled anew for each of the three builds, which
 * differ in WALKER_NAME, WALKER_ABOUT and the tree's code underneath.
 */
#include "core/linux/glue.h"
#include "origin.h" /* TREE_ORIGIN, made by CMakeLists.txt */

static const struct walker linux_walker = {
	.name = WALKER_NAME,
	.about = WALKER_ABOUT,
	.formats = 0
#define GLUE_FORMAT(name, features, forced) | 1u << FORMAT_##name
#include "core/linux/formats.def"
#undef GLUE_FORMAT
	,
	.features =
		{
#define GLUE_FORMAT(name, features, forced) [FORMAT_##name] = (features),
#include "core/linux/formats.def"
#undef GLUE_FORMAT
		},
#ifdef CONFIG_DEBUG_GENERIC_PT
	/* Only a debug build opens a table that doesn't ask for what is compiled in, and asks for more. */
	.forced =
		{
#define GLUE_FORMAT(name, features, forced) [FORMAT_##name] = (forced),
#include "core/linux/formats.def"
#undef GLUE_FORMAT
		},
	.any_feature = true,
#endif
	.iova_lg2 = BITS_PER_LONG,
	.oa_lg2 = 8 * sizeof(phys_addr_t),
	.table_bytes = sizeof(struct walker_table),
	.open = glue_open,
	.close = glue_close,
	.set_pgsizes = glue_set_pgsizes,
	.map = glue_map,
	.unmap = gather_unmap,
	.gather_init = gather_init,
	.sync = gather_sync,
	.iova_to_phys = glue_iova_to_phys,
	.read_and_clear_dirty = dirty_read_and_clear,
	.info = glue_info,
};

static const struct walker *const linux_walkers[] = {&linux_walker};

__attribute__((visibility("default"))) extern const struct walker_list walkers;

const struct walker_list walkers = {
	.abi = WALKER_ABI,
	.nr = 1,
	.walker = linux_walkers,
	.origin = TREE_ORIGIN,
};
