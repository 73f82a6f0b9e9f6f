/*
 * Opening and closing a table, and flushing. Source: docs/contract.md, "Opening a table" and "Cache
 * lines".
 */
#include "core/native/table.h"

#include <errno.h>

static const struct native_format *const formats[FORMAT_NR] = {
#define NATIVE_FORMAT(name, features) [FORMAT_##name] = &native_##name,
#include "core/native/formats.def"
#undef NATIVE_FORMAT
};

static const u32 formats_features[FORMAT_NR] = {
#define NATIVE_FORMAT(name, features) [FORMAT_##name] = (features),
#include "core/native/formats.def"
#undef NATIVE_FORMAT
};

/* The lowest level whose table reaches 2^vasz bytes. */
static unsigned int level_for(const struct native_format *format, unsigned int vasz_lg2)
{
	unsigned int level = 0;

	while (format->granule_lg2 + NATIVE_ITEMS_LG2 * (level + 1) < vasz_lg2)
		level++;
	return level;
}

/* The level of the top for @config, or -1 when there is none. */
static int top_choose(const struct native_format *format, const struct config *config)
{
	unsigned int least = level_for(format, config->vasz_lg2);
	unsigned int top = config->top_level;
	bool growing = config->features & FEATURE_GROWING_TOP;

	switch ((enum native_top)format->top) {
	case NATIVE_TOP_ASKED:
		if (top < least && !growing)
			return -1;
		break;
	case NATIVE_TOP_BY_VASZ:
		if (top != least)
			return -1;
		break;
	case NATIVE_TOP_EXACT:
		if (config->vasz_lg2 != format->granule_lg2 + NATIVE_ITEMS_LG2 * (least + 1))
			return -1;
		top = least;
		break;
	}
	return top >= format->top_first && top <= format->top_last ? (int)top : -1;
}

/* All sizes below the span of the (half) table and not above that of the oas. */
static u64 sizes_choose(const struct native_format *format, const struct config *config,
			unsigned int top)
{
	unsigned int halves = config->features & FEATURE_SIGN_EXTEND ? 1 : 0;
	unsigned int last = config->features & FEATURE_GROWING_TOP ? format->levels_nr - 1u : top;
	u64 sizes = 0;

	for (unsigned int level = 0; level <= last; level++)
		sizes |= format->sizes[level];
	if (format->sizes_of & ~config->features)
		sizes &= ~format->sizes_optional;
	return sizes & bits_low(config->vasz_lg2 - halves) & bits_low(config->oasz_lg2 + 1u);
}

static int config_check(const struct native_format *format, const struct config *config)
{
	u32 features = config->features;

	if (features & ~formats_features[config->format])
		return -EOPNOTSUPP;
	if (!config->vasz_lg2 || config->vasz_lg2 < format->vasz_min_lg2 ||
	    config->vasz_lg2 > format->vasz_max_lg2)
		return -EINVAL;
	if (!config->oasz_lg2 || config->oasz_lg2 > format->oasz_max_lg2)
		return -EINVAL;
	if (features & FEATURE_SIGN_EXTEND &&
	    (features & FEATURE_GROWING_TOP || config->vasz_lg2 == 64))
		return -EINVAL;
	if (features & FEATURE_ENCRYPT_TABLES && (config->encrypt_bit <= format->granule_lg2 ||
						  config->encrypt_bit >= format->oasz_max_lg2))
		return -EINVAL;
	return 0;
}

int native_open(struct host *host, const struct config *config, void *memory,
		struct walker_table **opened)
{
	const struct native_format *format;
	struct walker_table *table = memory;
	int top, ret;

	format = (unsigned int)config->format < FORMAT_NR ? formats[config->format] : NULL;
	if (!format)
		return -EOPNOTSUPP;
	ret = config_check(format, config);
	if (ret)
		return ret;
	top = top_choose(format, config);
	if (top < 0)
		return -EINVAL;
	*table = (struct walker_table){
		.host = host,
		.format = format,
		.config = *config,
		.top = (u8)top,
		.incoherent = config->features & FEATURE_INCOHERENT,
		.pgsizes = sizes_choose(format, config, (unsigned int)top),
	};
	if (!table->pgsizes)
		return -EINVAL;
	for (unsigned int level = 0; level < NATIVE_LEVELS; level++)
		table->item_lg2[level] = (u8)(format->granule_lg2 + NATIVE_ITEMS_LG2 * level);
	format->describe(config, &table->words);
	table->root = host_alloc(host, HOST_PAGE_BYTES);
	if (!table->root)
		return -ENOMEM;
	table_flush(table, table->root);
	*opened = table;
	return 0;
}

/* First iova of item @i of a table of @level whose first iova is @base. */
static u64 item_iova(const struct walker_table *table, unsigned int level, u64 base, u32 i)
{
	u64 iova = base + ((u64)i << table->item_lg2[level]);

	/* The upper half's iovas have all those bits set that index no table. */
	if (level == table->top && table->config.features & FEATURE_SIGN_EXTEND &&
	    i >= HOST_ITEMS / 2)
		iova |= ~table_span(table, level);
	return iova;
}

/* Whether a legal iova leads through item @i, which translates from @iova on: tables may be wider than vasz. */
static bool item_is_used(const struct walker_table *table, unsigned int level, u64 iova, u32 i)
{
	return table_index(table, level, iova) == i &&
	       (table_legal(table, iova, iova) ||
		table_legal(table, iova | bits_low(table->item_lg2[level]),
			    iova | bits_low(table->item_lg2[level])));
}

static void free_below(struct walker_table *table, unsigned int level, u64 *items, u64 base)
{
	for (u32 i = 0; level && i < HOST_ITEMS; i++) {
		u64 iova = item_iova(table, level, base, i);
		u64 word;

		if (!item_is_used(table, level, iova, i))
			continue;
		word = host_load(table->host, &items[i]);
		if (entry_is_empty(table, level, word))
			continue;
		if (entry_is_table(table, level, word))
			free_below(table, level - 1, entry_child(table, word), iova);
		else
			i += (1u << (entry_lg2(table, level, word) - table->item_lg2[level])) - 1;
	}
	host_free(table->host, items);
}

void native_close(struct walker_table *table)
{
	free_below(table, table->top, table->root, 0);
}

void native_set_pgsizes(struct walker_table *table, u64 pgsizes)
{
	table->pgsizes &= pgsizes;
}

void native_info(struct walker_table *table, struct walker_info *info)
{
	bool halves = table->config.features & FEATURE_SIGN_EXTEND;

	info->pgsizes = table->pgsizes;
	info->aperture.first = 0;
	info->aperture.last = bits_low(table->config.vasz_lg2 - halves);
	info->root_pa = host_pa(table->host, table->root);
	info->root_mode = (u32)(table->format->root_mode + table->top);
}

/* ---- cache lines ---- */

void table_flush(struct walker_table *table, u64 *items)
{
	if (table->incoherent)
		host_flush(table->host, items, HOST_PAGE_BYTES);
}

static void level_flush(struct walker_table *table, struct lines *lines, unsigned int level)
{
	u8 *first = (u8 *)lines->first[level];

	if (!first)
		return;
	host_flush(table->host, first, (u64)((u8 *)(lines->last[level] + 1) - first));
	lines->first[level] = NULL;
}

static uintptr_t line_of(const u64 *item)
{
	return (uintptr_t)item >> HOST_LINE_LG2;
}

/* Whether the line of @item is among those that wait on @level, or follows them in the same table. */
static bool lines_hold(const struct lines *lines, unsigned int level, const u64 *item)
{
	const u64 *last = lines->last[level];

	return !(((uintptr_t)last ^ (uintptr_t)item) >> HOST_PAGE_LG2) &&
	       line_of(item) >= line_of(lines->first[level]) && line_of(item) <= line_of(last) + 1;
}

void lines_later(struct walker_table *table, struct lines *lines, unsigned int level, u64 *first,
		 u64 *last)
{
	if (!table->incoherent)
		return;
	/* what waits is inside: entries of tables that made room for these leaves */
	if (lines->first[level] && first <= lines->first[level] && lines->last[level] <= last)
		lines->first[level] = NULL;
	if (lines->first[level] && !lines_hold(lines, level, first))
		level_flush(table, lines, level);
	if (!lines->first[level])
		lines->first[level] = lines->last[level] = first;
	if (lines->last[level] < last)
		lines->last[level] = last;
}

void lines_flush(struct walker_table *table, struct lines *lines)
{
	for (unsigned int level = 0; table->incoherent && level <= table->top; level++)
		level_flush(table, lines, level);
}
