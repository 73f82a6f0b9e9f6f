/*
 * Cache lines at the end of an operation, on a machine that doesn't snoop: what hardware must see has
 * been flushed, and nothing was flushed without need. Source: contract, "Cache lines".
 */
#include "oracle/state.h"

/*
 * lines_complete() - whether the device view of these lines of @page shows what the CPU view does
 * @item: out: the first item that differs in a bit that hardware sees
 */
bool lines_complete(const struct oracle *oracle, u32 page, u64 lines, u32 *item)
{
	const u64 *cpu = host_cpu_page(oracle->host, page);
	const u64 *device = host_device_page(oracle->host, page);
	u64 visible = ~oracle->layout.ignored;

	for (; lines; lines &= lines - 1) {
		u32 first = (u32)__builtin_ctzll(lines) * 8;

		for (u32 i = first; i < first + 8; i++) {
			if ((cpu[i] ^ device[i]) & visible) {
				*item = i;
				return false;
			}
		}
	}
	return true;
}

static void check_flushed(struct oracle *oracle, u32 page, u64 lines)
{
	const struct table *table = &oracle->table[page];
	u32 item;

	if (table->state != TABLE_LINKED || lines_complete(oracle, page, lines, &item))
		return;
	say_want(say(oracle, RULE_MISSING_FLUSH, oracle->current.failed ? "error-path" : "stored",
		     "level %u item %u reads 0x%llx in the device view", table->level, item,
		     host_device_page(oracle->host, page)[item]),
		 "0x%llx as in the CPU view", host_cpu_page(oracle->host, page)[item]);
}

static void check_wasted(struct oracle *oracle)
{
	const struct host *host = oracle->host;
	u32 useless = 1u << HOST_FAULT_FLUSH_FOREIGN | 1u << HOST_FAULT_FLUSH_NOTHING |
		      1u << HOST_FAULT_FLUSH_COHERENT;

	if (host->op.lines_wasted)
		say_want(say(oracle, RULE_WASTED_FLUSH,
			     oracle->current.failed ? "error-path" : "not-written",
			     "%llu lines flushed", host->op.lines_flushed),
			 "%llu: only those written since their last flush",
			 host->op.lines_flushed - host->op.lines_wasted);
	if (host->faults & useless) {
		u32 fault = (u32)bits_lowest(host->faults & useless);
		bool failed = oracle->current.failed;

		say(oracle, RULE_WASTED_FLUSH,
		    !failed				? host_fault_word(fault)
		    : fault == HOST_FAULT_FLUSH_NOTHING ? "error-path-nothing"
							: "error-path",
		    "a call to flush %s",
		    fault == HOST_FAULT_FLUSH_NOTHING	? "zero bytes"
		    : fault == HOST_FAULT_FLUSH_FOREIGN ? "memory that holds no table"
							: "on a machine that snoops");
	}
}

void lines_check(struct oracle *oracle)
{
	struct host *host = oracle->host;

	check_wasted(oracle);
	if (host->config.coherent)
		return;
	for (u32 i = 0; i < oracle->linked_nr; i++)
		check_flushed(oracle, oracle->linked[i], host->page[oracle->linked[i]].differs);
	for (u32 i = 0; i < host->touched_nr; i++) {
		const struct host_page *page = &host->page[host->touched[i]];

		check_flushed(oracle, host->touched[i], page->differs & page->touched);
	}
}
