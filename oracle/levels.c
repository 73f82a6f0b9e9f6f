/*
 * The levels in a detailed gather: of the leaves that were removed, and of the entries that led to
 * removed tables, since the gather's last sync. A driver may leave in the caches of the device what a
 * sync does not tell the level of, so none may lack; and each that is too many costs time.
 *
 * Source: contract, "unmap"; which level counts for what: core/walker.h, struct walker_gather.
 *
 * Left out: formats without FEATURE_DETAILED_GATHER, whose gathers need no levels; and, where an unmap
 * syncs by itself, which of its own levels that sync has told already.
 */
#include "oracle/state.h"

void levels_reset(struct levels *levels)
{
	*levels = (struct levels){0};
}

/* Called at a sync, while it happens. */
void levels_synced(struct oracle *oracle, u32 told)
{
	oracle->levels.told_leaf |= (u8)told;
	oracle->levels.told_table |= (u8)(told >> 8);
}

static void check_mask(struct oracle *oracle, const char *what, u8 got, u8 least, u8 most)
{
	struct verdict *verdict = NULL;

	if (least & ~got)
		verdict = say(oracle, RULE_SHORT_GATHER, "levels-missing",
			      "levels of removed %s are 0x%x", what, got);
	else if (got & ~most)
		verdict = say(oracle, RULE_WIDE_GATHER, "levels-too-many",
			      "levels of removed %s are 0x%x", what, got);
	if (least == most)
		say_want(verdict, "0x%x", least);
	else
		say_want(verdict, "0x%x, and nothing beyond 0x%x", least, most);
}

/* A sync of this operation told of what waited before, and of what this operation removed. */
static void check_told(struct oracle *oracle)
{
	const struct oracle_gather *before = &oracle->gather;
	const struct levels *levels = &oracle->levels;
	u8 leaf = before->leaf_levels, table = before->table_levels;

	if (oracle->synced_all || !oracle->synced_nr)
		return;
	if (oracle->current.op == ORACLE_MAP) /* a gather of its own */
		check_mask(oracle, "tables", levels->told_table, levels->table, levels->table);
	else if (oracle->current.op == ORACLE_UNMAP)
		check_mask(oracle, "leaves", levels->told_leaf, leaf, leaf | levels->leaf);
	else
		check_mask(oracle, "leaves", levels->told_leaf, leaf, leaf);
	if (oracle->current.op == ORACLE_MAP)
		check_mask(oracle, "leaves", levels->told_leaf, 0, levels->leaf);
	else if (oracle->current.op == ORACLE_UNMAP)
		check_mask(oracle, "tables", levels->told_table, table, table | levels->table);
	else
		check_mask(oracle, "tables", levels->told_table, table, table);
}

/* After an operation, before the gather is remembered. */
void levels_check(struct oracle *oracle, const struct oracle_gather *gather)
{
	const struct oracle_gather *before = &oracle->gather;
	const struct levels *levels = &oracle->levels;
	bool synced = oracle->synced_nr || oracle->synced_all;
	u8 leaf = before->leaf_levels, table = before->table_levels;

	if (!(oracle->config.features & FEATURE_DETAILED_GATHER))
		return;
	check_told(oracle);
	if (oracle->current.op == ORACLE_SYNC) {
		check_mask(oracle, "leaves", gather->leaf_levels, 0, 0);
		check_mask(oracle, "tables", gather->table_levels, 0, 0);
	} else if (oracle->current.op == ORACLE_UNMAP) {
		check_mask(oracle, "leaves", gather->leaf_levels,
			   levels->leaf | (synced ? 0 : leaf), levels->leaf | (synced ? 0 : leaf));
		check_mask(oracle, "tables", gather->table_levels,
			   levels->table | (synced ? 0 : table),
			   levels->table | (synced ? 0 : table));
	}
}
