/*
 * Where an operation is left because it will not end: far beyond what work.c lets a walker spend, so that
 * only runaway recursion and endless loops get there.
 */
#include "oracle/state.h"

/*
 * Steps that no sane walker needs for this operation: what it may have to read and write counted
 * generously, so that only endless work goes past it.
 */
u64 limits_steps(const struct oracle *oracle, const struct current *op)
{
	const struct host *host = oracle->host;
	u64 held = (u64)host->pages_live * HOST_ITEMS;
	u64 room = (u64)host->config.pages_nr * HOST_ITEMS;
	u64 items;

	switch (op->op) {
	case ORACLE_MAP:
		if (op->refused)
			return 4096;
		items = op->len >> oracle->layout.granule_lg2;
		return 4096 + 16 * (items < room ? items : room) + 4 * held;
	case ORACLE_UNMAP:
	case ORACLE_SYNC:
	case ORACLE_CLOSE:
		return 4096 + 8 * held;
	case ORACLE_DIRTY: /* and bytes of the bitmap */
		return 2 * ORACLE_DIRTY_BITS + 8 * held;
	default:
		return 4096;
	}
}

/* Table pages that no sane walker allocates in this operation, whatever it makes of its operands. */
u64 limits_allocs(const struct oracle *oracle, const struct current *op)
{
	struct range range;

	if (op->op != ORACLE_MAP)
		return 8;
	if (!range_make(&range, op->iova, op->len))
		return 16;
	return 8 + expect_table_need(oracle, range);
}
