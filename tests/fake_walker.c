/* See tests/fake_walker.h. What it says of itself is right, taken from the oracle. */
#include "tests/fake_walker.h"

#include <errno.h>

#include "core/base/bits.h"
#include "core/host/host.h"
#include "oracle/format.h"

struct walker_table {
	struct host *host;
	struct layout layout;
	u64 *root;
	u32 syncs;
	bool unmapped;
	bool armed;
};

static int fake_open(struct host *host, const struct config *config, void *memory,
		     struct walker_table **table)
{
	struct walker_table *t = memory;

	if (layout_legal(config))
		return -EINVAL;
	t->host = host;
	layout_init(&t->layout, config);
	t->root = host_alloc(host, HOST_PAGE_BYTES);
	if (!t->root)
		return -ENOMEM;
	if (config->features & FEATURE_INCOHERENT)
		host_flush(host, t->root, HOST_PAGE_BYTES);
	*table = t;
	return 0;
}

static void fake_close(struct walker_table *t)
{
	host_free(t->host, t->root);
}

static void fake_set_pgsizes(struct walker_table *t, u64 pgsizes)
{
}

static int fake_map(struct walker_table *t, u64 iova, u64 oa, u64 len, u32 prot, u64 *mapped)
{
	return -EINVAL;
}

static u64 fake_unmap(struct walker_table *t, u64 iova, u64 len, struct walker_gather *gather)
{
	t->unmapped |= iova >> 21 & 1;
	return 0;
}

static void fake_gather_init(struct walker_table *t, struct walker_gather *gather)
{
	gather->empty = true;
}

static void fake_sync(struct walker_table *t, struct walker_gather *gather)
{
	t->armed |= t->unmapped;
	t->syncs++;
	if (t->layout.config.features & FEATURE_INCOHERENT)
		host_flush(t->host, t->root, 8);
}

static u64 fake_iova_to_phys(struct walker_table *t, u64 iova)
{
	if (t->syncs >= 2)
		host_warn(t->host, "fake-warning");
	return t->armed ? 0x5000 : 0;
}

static void fake_info(struct walker_table *t, struct walker_info *info)
{
	const struct config *config = &t->layout.config;
	unsigned int half = config->features & FEATURE_SIGN_EXTEND ? 1 : 0;

	*info = (struct walker_info){
		.pgsizes = t->layout.pgsizes,
		.aperture = {0, bits_low(config->vasz_lg2 - half)},
		.root_pa = host_pa(t->host, t->root),
	};
	while (info->root_mode < 64 &&
	       layout_root_level(&t->layout, info->root_mode) != config->top_level)
		info->root_mode++;
}

const struct walker fake_walker = {
	.name = "fake",
	.about = "maps nothing",
	.formats = (1u << FORMAT_NR) - 1,
	.table_bytes = sizeof(struct walker_table),
	.open = fake_open,
	.close = fake_close,
	.set_pgsizes = fake_set_pgsizes,
	.map = fake_map,
	.unmap = fake_unmap,
	.gather_init = fake_gather_init,
	.sync = fake_sync,
	.iova_to_phys = fake_iova_to_phys,
	.info = fake_info,
};
