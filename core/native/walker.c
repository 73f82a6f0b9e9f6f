/* What the rest of the project sees of the embedded walker. */
#include "core/native/native.h"
#include "core/native/table.h"

static const struct walker native_walker = {
	.name = "native",
	.about = "the embedded walker",
	.formats = 0
#define NATIVE_FORMAT(name, features) | 1u << FORMAT_##name
#include "core/native/formats.def"
#undef NATIVE_FORMAT
	,
	.features =
		{
#define NATIVE_FORMAT(name, features) [FORMAT_##name] = (features),
#include "core/native/formats.def"
#undef NATIVE_FORMAT
		},
	.table_bytes = sizeof(struct walker_table),
	.open = native_open,
	.close = native_close,
	.set_pgsizes = native_set_pgsizes,
	.map = native_map,
	.unmap = native_unmap,
	.gather_init = native_gather_init,
	.sync = native_sync,
	.iova_to_phys = native_iova_to_phys,
	.read_and_clear_dirty = native_read_and_clear_dirty,
	.info = native_info,
};

static const struct walker *const native_list[] = {&native_walker};

const struct walker_list native_walkers = {
	.abi = WALKER_ABI,
	.nr = ARRAY_NR(native_list),
	.walker = native_list,
	.origin = "",
};
