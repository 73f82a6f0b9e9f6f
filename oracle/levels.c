/*
 * What a detailed gather tells besides its range: the levels on which leaves, and entries that led to
 * tables, were removed. A driver picks its invalidation commands by them, so that a level too few leaves
 * something cached, and one too many costs time. Source: contract, "unmap"; core/walker.h.
 *
 * What an operation removed is seen in its stores: of entries above level 0 the oracle is told each, and
 * an unmap stores to a level 0 table only to remove leaves. A map has a gather of its own, which it must
 * have synced when it returns; syncs inside an operation are judged together.
 */
#include "oracle/state.h"

static struct levels either(struct levels a, struct levels b)
{
	return (struct levels){a.leaf | b.leaf, a.table | b.table};
}

static void check_mask(struct oracle *oracle, const char *reason, u32 got, u32 want)
{
	if (want & ~got)
		say_want(say(oracle, RULE_SHORT_GATHER, reason,
			     "mask 0x%x of the levels of %s is gathered", got, reason),
			 "0x%x", want);
	if (got & ~want)
		say_want(say(oracle, RULE_WIDE_GATHER, reason,
			     "mask 0x%x of the levels of %s is gathered", got, reason),
			 "0x%x", want);
}

static struct levels removed(const struct oracle *oracle)
{
	struct levels levels = oracle->levels_removed;
	const struct host *host = oracle->host;

	for (u32 i = 0; oracle->current.op == ORACLE_UNMAP && i < host->touched_nr; i++) {
		const struct table *table = &oracle->table[host->touched[i]];

		if (table->state != TABLE_NONE && !table->level)
			levels.leaf |= 1;
	}
	return levels;
}

/* After an operation: @gather is what waits now. */
void levels_check(struct oracle *oracle, const struct oracle_gather *gather)
{
	enum oracle_op op = oracle->current.op;
	struct levels waits = {gather->leaf_levels, gather->table_levels};
	struct levels got = oracle->levels_synced, want;

	if (!(oracle->config.features & FEATURE_DETAILED_GATHER) || oracle->verdicts.stop)
		return;
	want = removed(oracle);
	if (op == ORACLE_UNMAP || op == ORACLE_SYNC) {
		want = either(want, oracle->levels_due);
		got = either(got, waits);
		oracle->levels_due = waits;
	}
	if (oracle->synced_all)
		return;
	check_mask(oracle, "leaves", got.leaf, want.leaf);
	check_mask(oracle, "tables", got.table, want.table);
}
