/*
 * The life of table pages at the end of an operation, and the faults that the machine itself saw.
 * Source: contract, "Opening a table", "map", "unmap".
 */
#include "oracle/state.h"

/*
 * A table whose whole span was asked for and removed goes with its entries. A table that vasz cuts short
 * can be covered or not, as one takes it.
 */
static bool table_is_whole(const struct oracle *oracle, const struct table *table)
{
	const struct layout_level *at = &oracle->layout.level[table->level];

	return table->span_lg2 == at->item_lg2 + at->items_lg2;
}

static void check_kept(struct oracle *oracle)
{
	const struct host *host = oracle->host;
	struct range asked;

	if (!oracle->removes || !range_make(&asked, oracle->current.iova, oracle->current.len))
		return;
	if (asked.last > oracle->removed.last)
		asked.last = oracle->removed.last;
	for (u32 i = 0; i < host->touched_nr; i++) {
		u32 page = host->touched[i];
		const struct table *table = &oracle->table[page];

		if (table->state == TABLE_LINKED && table->parent >= 0 &&
		    table_is_whole(oracle, table) &&
		    range_covers(asked, tables_span(oracle, table)))
			say_want(say(oracle, RULE_LEAK, "kept-table",
				     "the level %u table at pa 0x%llx stays, with nothing in it",
				     table->level, host_page_pa(host, page)),
				 "removed: the range that was unmapped covers all of it");
	}
}

void life_check(struct oracle *oracle)
{
	struct host *host = oracle->host;

	check_kept(oracle);

	/* where tables are not what they should be, what leads to a page is not known */
	for (u32 i = 0; i < host->born_nr && !oracle->verdicts.stop; i++) {
		u32 page = host->born[i];

		if (host->page[page].state != HOST_PAGE_LIVE || !host->page[page].run ||
		    oracle->table[page].state != TABLE_NONE)
			continue;
		say_want(say(oracle, RULE_LEAK, "never-used",
			     "the page at pa 0x%llx was allocated and leads nowhere",
			     host_page_pa(host, page)),
			 "linked into the table or freed");
	}
	if (oracle->current.refused && host->pages_live > oracle->current.pages_before)
		say_want(say(oracle, RULE_RESULT, "refused-but-allocated",
			     "%u table pages stay allocated",
			     host->pages_live - oracle->current.pages_before),
			 "none: the operation was refused");
	if (oracle->current.refused && (host->op.lines_flushed || host->op.syncs))
		say(oracle, RULE_RESULT, "refused-but-flushed",
		    "%llu lines flushed, %llu syncs in an operation that was refused",
		    host->op.lines_flushed, host->op.syncs);
}

static const struct {
	enum host_fault fault;
	enum rule rule;
	const char *text;
} life_rules[] = {
	{HOST_FAULT_DOUBLE_FREE, RULE_DOUBLE_FREE, "freed a page that is not allocated"},
	{HOST_FAULT_LOAD_FREED, RULE_USE_AFTER_FREE, "read a freed page"},
	{HOST_FAULT_STORE_FREED, RULE_USE_AFTER_FREE, "wrote to a freed page"},
	{HOST_FAULT_FLUSH_FREED, RULE_USE_AFTER_FREE, "flushed a line of a freed page"},
	{HOST_FAULT_WILD_PA, RULE_USE_AFTER_FREE, "followed a pointer to where no table is"},
	{HOST_FAULT_DMA_API, RULE_MISSING_FLUSH, "broke the DMA API's map, sync, unmap order"},
};

void life_faults(struct oracle *oracle)
{
	for (size_t i = 0; i < ARRAY_NR(life_rules); i++)
		if (oracle->host->faults & 1u << life_rules[i].fault)
			say(oracle, life_rules[i].rule, host_fault_word(life_rules[i].fault),
			    "the walker %s (0x%llx)", life_rules[i].text,
			    oracle->host->fault_where);
}
