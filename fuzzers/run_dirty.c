/* Running the two operations of dirty tracking: the device's writes, and the queries. */
#include "fuzzers/run.h"
#include "fuzzers/trap.h"

/* The device writes; unchecked runs have no device. */
void run_write(struct execution *run, const struct op *op)
{
	struct executor *executor = run->executor;

	if (executor->unchecked || !run_begin(run, ORACLE_WRITE, op))
		return;
	trap_arm(NULL);
	run->step.value = oracle_write(executor->oracle);
	run_end(run, &run_none);
}

static u64 bits_count(const u8 *bytes, u64 nr)
{
	u64 sum = 0;

	for (u64 i = 0; i < nr; i++)
		sum += (u64)__builtin_popcount(bytes[i]);
	return sum;
}

/* Not with a queued gather, which keeps no ranges: those who ask for dirty pages have one of their own. */
void run_dirty(struct execution *run, const struct op *op)
{
	struct executor *executor = run->executor;
	struct oracle_bitmap bitmap = {.page_lg2 = executor->page_lg2};
	struct oracle_gather gather;
	u8 *bytes;

	if (op->len)
		bitmap.nr = ((op->len - 1) >> bitmap.page_lg2) + 1;
	if (!run->walker->read_and_clear_dirty || executor->gather.queued ||
	    !executor->host->config.coherent || bitmap.nr > ORACLE_DIRTY_BITS ||
	    !run_begin(run, ORACLE_DIRTY, op))
		return;
	bytes = bitmap_open(&executor->bitmap, (bitmap.nr + 7) / 8);
	bitmap.bytes = bytes;
	run->step.error = run->walker->read_and_clear_dirty(executor->table, op->iova, op->len,
							    op->clear ? 0 : WALKER_DIRTY_NO_CLEAR,
							    bytes, &executor->gather);
	trap_arm(NULL);
	run->step.value = bits_count(bytes, (bitmap.nr + 7) / 8);
	bitmap.outside = bitmap_outside(&executor->bitmap);
	gather = run_gather(run);
	run_end(run, executor->unchecked ? &run_none
					 : oracle_dirty(executor->oracle, run->step.error,
							op->clear, &bitmap, &gather));
	bitmap_close(&executor->bitmap);
}
