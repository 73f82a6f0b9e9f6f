/*
 * What the device has yet to forget. Pages of removed tables are chained through the memory that the
 * machine has beside each table page, and freed once a sync has covered them. Source: docs/contract.md,
 * "unmap".
 */
#include "core/native/table.h"

/* struct walker_gather's own part: the chain's first page. */
#define CHAIN 0

static u32 *chain_next(const struct walker_table *table, u32 slot)
{
	return (u32 *)(table->host->private + (u64)(slot - 1) * HOST_PRIVATE_BYTES);
}

static u64 *chain_items(const struct walker_table *table, u32 slot)
{
	return (u64 *)(table->host->cpu + ((u64)(slot - 1) << HOST_PAGE_LG2));
}

void removed_table(struct walker_table *table, struct removed *removed, unsigned int level,
		   u64 *items)
{
	u32 slot = (u32)(((u8 *)items - table->host->cpu) >> HOST_PAGE_LG2) + 1;

	*chain_next(table, slot) = removed->first;
	if (!removed->first)
		removed->last = slot;
	removed->first = slot;
	removed->table_levels |= (u8)(1u << level);
}

void native_gather_init(struct walker_table *table, struct walker_gather *gather)
{
	gather->empty = true;
	gather->leaf_levels = gather->table_levels = 0;
	gather->walker[CHAIN] = 0;
}

void native_sync(struct walker_table *table, struct walker_gather *gather)
{
	u32 slot = (u32)gather->walker[CHAIN];

	if (gather->queued)
		host_sync_all(table->host);
	else if (!gather->empty)
		host_sync(table->host, gather->range.first, gather->range.last, gather->leaf_levels,
			  gather->table_levels);
	while (slot) {
		u64 *items = chain_items(table, slot);

		slot = *chain_next(table, slot);
		host_free(table->host, items);
	}
	native_gather_init(table, gather);
}

/* What dirty queries and unmaps add; unmaps have seen to it that no gap comes in. */
static void range_add(struct walker_table *table, struct walker_gather *gather, struct range range)
{
	if (!gather->empty)
		range = range_hull(gather->range, range);
	gather->range = range;
	gather->empty = false;
	host_gather(table->host, range.first, range.last);
}

void gather_add(struct walker_table *table, struct walker_gather *gather, struct range range,
		const struct removed *removed)
{
	bool gaps = !(table->config.features & FEATURE_NO_GAPS);

	if (!gather->queued) {
		if (!gather->empty && !gaps && !range_touches(gather->range, range))
			native_sync(table, gather);
		range_add(table, gather, range);
	}
	if (table->config.features & FEATURE_DETAILED_GATHER) {
		gather->leaf_levels |= removed->leaf_levels;
		gather->table_levels |= removed->table_levels;
	}
	if (removed->first) {
		*chain_next(table, removed->last) = (u32)gather->walker[CHAIN];
		gather->walker[CHAIN] = removed->first;
	}
}
