/* What the rest of the project sees of the embedded walker. */
#include "core/native/native.h"

#include <errno.h>

static int native_open(struct host *host, const struct config *config, void *memory,
		       struct walker_table **table)
{
	return -EOPNOTSUPP;
}

static const struct walker native_walker = {
	.name = "native",
	.about = "the embedded walker",
	.table_bytes = 64,
	.open = native_open,
};

static const struct walker *const native_list[] = {&native_walker};

const struct walker_list native_walkers = {
	.abi = WALKER_ABI,
	.nr = ARRAY_NR(native_list),
	.walker = native_list,
	.origin = "",
};
