/*
 * Opening and closing toy tables, the memory of their tables, and the list of toy walkers: one for each
 * deliberate mistake, all alike but for the function that opens.
 */
#include "tests/toy_walker.h"

#include <errno.h>

void toy_flush(struct walker_table *t, const void *pointer, u64 bytes)
{
	if (t->config.features & FEATURE_INCOHERENT || toy_is(t, FLUSH_COHERENT))
		host_flush(t->host, pointer, bytes);
}

void toy_put(struct walker_table *t, u64 *item, u64 word)
{
	if (t->dirty_nr && toy_table_of(t, item) == toy_table_of(t, t->dirty))
		toy_flush_run(t);
	host_store(t->host, item, word);
	toy_flush(t, item, sizeof(*item));
}

u64 *toy_alloc(struct walker_table *t)
{
	u64 bytes = toy_is(t, ALLOC_SMALL)   ? 2048
		    : toy_is(t, ALLOC_LARGE) ? 2 * HOST_PAGE_BYTES
					     : HOST_PAGE_BYTES;

	return host_alloc(t->host, bytes);
}

void toy_free(struct walker_table *t, u64 *table)
{
	host_free(t->host, table);
	t->freed = table;
	if (toy_is(t, DOUBLE_FREE))
		host_free(t->host, table);
	if (toy_is(t, STORE_FREED))
		host_store(t->host, table, 0);
	if (toy_is(t, FLUSH_FREED))
		toy_flush(t, table, 64);
}

void toy_free_tree(struct walker_table *t, unsigned int level, u64 *items)
{
	for (u32 i = 0; level && i < HOST_ITEMS; i++) {
		struct toy_entry entry = toy_load(t, level, &items[i]);

		if (entry.kind == TOY_TABLE)
			toy_free_tree(t, level - 1, host_ptr(t->host, entry.oa));
	}
	toy_free(t, items);
}

/* What the sizes of all levels come to; see docs/contract.md, "Opening a table". */
static u64 open_pgsizes(const struct walker_table *t)
{
	const struct config *config = &t->config;
	bool sign = config->features & FEATURE_SIGN_EXTEND;
	unsigned int last = t->top;
	u64 sizes = 0;

	if (config->features & FEATURE_GROWING_TOP)
		last = t->format->levels_nr - 1u;
	for (unsigned int level = 0; level <= last; level++)
		sizes |= t->format->sizes[level];
	if (config->format == FORMAT_riscv_64 && !(config->features & FEATURE_SVNAPOT_64K))
		sizes &= ~(1ull << 16);
	return sizes & bits_low(config->vasz_lg2 - sign) & bits_low(config->oasz_lg2 + 1u);
}

static int open_top(struct walker_table *t)
{
	const struct toy_format *format = t->format;
	const struct config *config = &t->config;
	unsigned int reach_lg2;

	t->top = config->top_level;
	if (format->vasz_exact)
		t->top = (config->vasz_lg2 - format->granule_lg2) / 9u - 1;
	if (t->top < format->top_first || t->top > format->top_last)
		return -EINVAL;
	reach_lg2 = toy_item_lg2(t, t->top) + 9;
	if (format->vasz_exact && reach_lg2 != config->vasz_lg2)
		return -EINVAL;
	if (format->top_by_vasz && config->vasz_lg2 <= reach_lg2 - 9 && !toy_is(t, TOP_TOO_TALL))
		return -EINVAL;
	if (toy_is(t, REFUSES_GOOD_CONFIG) && reach_lg2 > config->vasz_lg2)
		return -EINVAL;
	if (config->features & FEATURE_GROWING_TOP || toy_is(t, ACCEPTS_BAD_CONFIG))
		return 0;
	return reach_lg2 < config->vasz_lg2 ? -EINVAL : 0;
}

static int open_check(struct walker_table *t)
{
	const struct toy_format *format = t->format;
	const struct config *config = &t->config;
	int ret;

	if (config->features & ~format->features)
		return -EOPNOTSUPP;
	if (!config->vasz_lg2 || config->vasz_lg2 > format->vasz_max_lg2 || !config->oasz_lg2 ||
	    config->oasz_lg2 > format->oasz_max_lg2)
		return toy_is(t, OPEN_WRONG_ERRNO) ? -ERANGE : -EINVAL;
	if (config->features & FEATURE_SIGN_EXTEND &&
	    (config->features & FEATURE_GROWING_TOP || config->vasz_lg2 == 64))
		return -EINVAL;
	ret = open_top(t);
	if (ret)
		return ret;
	t->pgsizes = open_pgsizes(t);
	return t->pgsizes ? 0 : -EINVAL;
}

static int toy_open(struct host *host, const struct config *config, void *memory,
		    struct walker_table **table, enum toy_mistake mistake)
{
	struct walker_table *t = memory;
	int ret;

	if ((unsigned int)config->format >= FORMAT_NR)
		return -EOPNOTSUPP;
	*t = (struct walker_table){
		.host = host,
		.format = toy_formats[config->format],
		.config = *config,
		.mistake = mistake,
	};
	if (toy_is(t, OPEN_KEEPS_TABLE))
		toy_alloc(t);
	ret = open_check(t);
	if (ret)
		return ret;
	t->root = toy_alloc(t);
	if (!t->root && toy_is(t, OPEN_RETRIES))
		t->root = toy_alloc(t);
	if (!t->root)
		return -ENOMEM;
	if (toy_is(t, LEAF_OUTSIDE))
		host_store(host, &t->root[HOST_ITEMS - 1], t->format->leaf(t, 30, 0, 3));
	if (toy_is(t, OPEN_TWO_TABLES))
		toy_put(t, &t->root[0], t->format->table(t, t->top, host_pa(host, toy_alloc(t))));
	toy_flush(t, t->root, HOST_PAGE_BYTES);
	*table = t;
	return 0;
}

static void toy_close(struct walker_table *t)
{
	if (toy_is(t, LEAK_AT_CLOSE))
		toy_free(t, t->root);
	else
		toy_free_tree(t, t->top, t->root);
}

static void toy_set_pgsizes(struct walker_table *t, u64 pgsizes)
{
	t->pgsizes &= pgsizes;
}

static void toy_gather_init(struct walker_table *t, struct walker_gather *gather)
{
}

static void toy_info(struct walker_table *t, struct walker_info *info)
{
	bool sign = t->config.features & FEATURE_SIGN_EXTEND;

	info->pgsizes = t->pgsizes;
	if (toy_is(t, ADVERTISES_TOO_MUCH))
		info->pgsizes |= 1ull << 39;
	if (toy_is(t, ADVERTISES_TOO_LITTLE))
		info->pgsizes &= ~(1ull << 21);
	info->aperture.first = 0;
	info->aperture.last = bits_low(t->config.vasz_lg2 - sign);
	if (toy_is(t, APERTURE_TOO_LARGE))
		info->aperture.last++;
	info->root_pa = host_pa(t->host, t->root);
	if (toy_is(t, ROOT_ELSEWHERE))
		info->root_pa += 1ull << 32;
	if (toy_is(t, ROOT_WITH_HIGH_BIT))
		info->root_pa |= 1ull << 52;
	info->root_mode = (u8)(t->format->root_mode + t->top + toy_is(t, ROOT_MODE_WRONG));
	if (toy_is(t, GROW_OLD_MODE) && t->top > t->config.top_level)
		info->root_mode--;
}

#define OPEN(id)                                                                           \
	static int open_##id(struct host *host, const struct config *config, void *memory, \
			     struct walker_table **table)                                  \
	{                                                                                  \
		return toy_open(host, config, memory, table, TOY_##id);                    \
	}
OPEN(RIGHT)
#define MISTAKE(id, about, program, signatures) OPEN(id)
#include "tests/toy_mistake.def"
#undef MISTAKE

#define ALL_FEATURES ((1u << FEATURE_NR) - 1)
#define WALKER(id, says)                                                                           \
	{                                                                                          \
		.name = #id, .about = says, .formats = (1u << FORMAT_NR) - 1,                      \
		.features = {ALL_FEATURES, ALL_FEATURES, ALL_FEATURES, ALL_FEATURES,               \
			     ALL_FEATURES, ALL_FEATURES, ALL_FEATURES},                            \
		.table_bytes = sizeof(struct walker_table), .open = open_##id, .close = toy_close, \
		.set_pgsizes = toy_set_pgsizes, .map = toy_map, .unmap = toy_unmap,                \
		.gather_init = toy_gather_init, .sync = toy_sync,                                  \
		.iova_to_phys = toy_iova_to_phys, .read_and_clear_dirty = toy_dirty,               \
		.info = toy_info,                                                                  \
	}

const struct walker toy_walkers[TOY_NR] = {
	WALKER(RIGHT, "keeps every rule"),
#define MISTAKE(id, about, program, signatures) WALKER(id, about),
#include "tests/toy_mistake.def"
#undef MISTAKE
};
