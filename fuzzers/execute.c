/* Running a program against walker and oracle; see fuzzers/execute.h. */
#include "fuzzers/execute.h"
#include "fuzzers/run.h"
#include "fuzzers/trap.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/bits.h"
#include "core/base/check.h"

struct executor *executor_create(u32 pages_max)
{
	struct executor *executor = calloc(1, sizeof(*executor));

	if (!executor)
		return NULL;
	executor->host = host_create(pages_max);
	executor->oracle = oracle_create(pages_max);
	if (bitmap_create(&executor->bitmap) && executor->host && executor->oracle)
		return executor;
	executor_destroy(executor);
	return NULL;
}

void executor_destroy(struct executor *executor)
{
	if (!executor)
		return;
	host_destroy(executor->host);
	oracle_destroy(executor->oracle);
	bitmap_destroy(&executor->bitmap);
	free(executor->memory);
	free(executor);
}

struct host_config execute_host_config(const struct program *program, bool slow)
{
	struct host_config config = {
		.tables_pa = program->tables_pa,
		.scatter_lg2 = program->scatter_lg2,
		.coherent = !(program->config.features & FEATURE_INCOHERENT),
		.slow = slow,
	};

	return config;
}

/* The walker is about to be called: false when this call must not be made. */
bool run_begin(struct execution *run, enum oracle_op op, const struct op *operands)
{
	struct executor *executor = run->executor;
	struct step *step = &run->step;

	step->op = op;
	step->iova = operands->iova;
	step->oa = operands->oa;
	step->len = operands->len;
	step->prot = operands->prot;
	step->clear = operands->clear;
	step->error = 0;
	step->value = 0;
	step->gather = &executor->gather;
	executor->host->fail_alloc = 0;
	if (op == ORACLE_OPEN || op == ORACLE_MAP) {
		executor->host->fail_alloc = run->fail_next;
		run->fail_next = 0;
	}
	if (executor->unchecked)
		host_begin(executor->host, step->nr, op);
	else if (!oracle_begin(executor->oracle, step->nr, op, operands->iova, operands->oa,
			       operands->len, operands->prot))
		return false;
	executor->operations++;
	if (run->watch->before)
		run->watch->before(run->watch->arg, step);
	trap_arm(executor->host);
	return true;
}

static void run_judge(struct execution *run, const struct verdicts *verdicts)
{
	const struct execute_watch *watch = run->watch;

	for (u32 i = 0; i < verdicts->nr; i++)
		if (watch->found && !watch->found(watch->arg, &run->step, &verdicts->verdict[i]))
			run->stop = true;
	run->stop |= verdicts->stop;
}

/* The walker has answered, and this is what the oracle says of it. */
void run_end(struct execution *run, const struct verdicts *verdicts)
{
	run_judge(run, verdicts);
	if (run->watch->step)
		run->watch->step(run->watch->arg, &run->step, verdicts);
}

const struct verdicts run_none;

struct oracle_gather run_gather(const struct execution *run)
{
	const struct walker_gather *gather = &run->executor->gather;
	struct oracle_gather seen = {
		.empty = gather->empty,
		.range = gather->range,
		.queued = gather->queued,
		.leaf_levels = gather->leaf_levels,
		.table_levels = gather->table_levels,
	};

	return seen;
}

/* Whether this build of the walker gives a table of this config another meaning than the config has. */
static bool config_is_bent(const struct walker *walker, const struct config *config)
{
	u32 forced = walker->forced[config->format];

	return (config->features & forced) != forced ||
	       (walker->any_feature && config->features & ~layout_features(config->format));
}

static void run_open(struct execution *run)
{
	struct executor *executor = run->executor;
	struct walker_info info = {0};
	struct oracle_info said;
	u64 pgsizes;

	if (config_is_bent(run->walker, &run->program->config) ||
	    !run_begin(run, ORACLE_OPEN, &(struct op){0})) {
		run->stop = true;
		return;
	}
	run->step.error = run->walker->open(executor->host, &run->program->config, executor->memory,
					    &executor->table);
	if (!run->step.error)
		run->walker->info(executor->table, &info);
	trap_arm(NULL);
	said = (struct oracle_info){info.pgsizes, info.aperture, info.root_pa, info.root_mode};
	run_end(run, executor->unchecked ? &run_none
					 : oracle_open(executor->oracle, run->step.error, &said));
	if (run->step.error) {
		run->stop = true;
		return;
	}
	pgsizes = config_pgsizes(&run->program->config, info.pgsizes);
	if (pgsizes != info.pgsizes)
		run->walker->set_pgsizes(executor->table, pgsizes);
	if (!pgsizes)
		run->stop = true;
	else
		executor->page_lg2 = (u8)bits_lowest(pgsizes);
	executor->gather = (struct walker_gather){.empty = true};
	run->walker->gather_init(executor->table, &executor->gather);
}

/* The table must say of itself what it told the driver. */
static void run_check_root(struct execution *run)
{
	struct executor *executor = run->executor;
	struct walker_info info = {0};
	struct oracle_info said;

	if (executor->unchecked || run->stop || !oracle_root_changed(executor->oracle))
		return;
	trap_arm(executor->host);
	run->walker->info(executor->table, &info);
	trap_arm(NULL);
	said = (struct oracle_info){info.pgsizes, info.aperture, info.root_pa, info.root_mode};
	run_judge(run, oracle_root(executor->oracle, &said));
}

static void run_map(struct execution *run, const struct op *op)
{
	struct executor *executor = run->executor;

	if (!run_begin(run, ORACLE_MAP, op))
		return;
	run->step.error = run->walker->map(executor->table, op->iova, op->oa, op->len, op->prot,
					   &run->step.value);
	trap_arm(NULL);
	run_end(run, executor->unchecked
			     ? &run_none
			     : oracle_map(executor->oracle, run->step.error, run->step.value));
	run_check_root(run);
}

static void run_unmap(struct execution *run, const struct op *op)
{
	struct executor *executor = run->executor;
	struct oracle_gather gather;

	if (!run_begin(run, ORACLE_UNMAP, op))
		return;
	run->step.value = run->walker->unmap(executor->table, op->iova, op->len, &executor->gather);
	trap_arm(NULL);
	gather = run_gather(run);
	run_end(run, executor->unchecked
			     ? &run_none
			     : oracle_unmap(executor->oracle, run->step.value, &gather));
}

static void run_lookup(struct execution *run, const struct op *op)
{
	struct executor *executor = run->executor;

	if (!run_begin(run, ORACLE_LOOKUP, op))
		return;
	run->step.value = run->walker->iova_to_phys(executor->table, op->iova);
	trap_arm(NULL);
	run_end(run,
		executor->unchecked ? &run_none : oracle_lookup(executor->oracle, run->step.value));
}

static void run_sync(struct execution *run)
{
	struct executor *executor = run->executor;
	struct oracle_gather gather;

	if (!run_begin(run, ORACLE_SYNC, &(struct op){0}))
		return;
	run->walker->sync(executor->table, &executor->gather);
	trap_arm(NULL);
	gather = run_gather(run);
	run_end(run, executor->unchecked ? &run_none : oracle_sync(executor->oracle, &gather));
}

/* What was gathered the one way is completed before gathers go the other way. */
static void run_queue(struct execution *run, const struct op *op)
{
	struct executor *executor = run->executor;

	run_sync(run);
	if (run->stop)
		return;
	executor->gather = (struct walker_gather){.empty = true, .queued = op->len};
	run->walker->gather_init(executor->table, &executor->gather);
	if (!executor->unchecked)
		oracle_queue(executor->oracle, op->len);
}

/* What the IOMMU core's iommu_map() does around a walker's map. */
static void run_map_unwind(struct execution *run, const struct op *op)
{
	struct op unwind = {.iova = op->iova};

	run_map(run, op);
	unwind.len = run->step.value;
	if (run->stop || !run->step.error || !unwind.len)
		return;
	run_unmap(run, &unwind);
	if (!run->stop)
		run_sync(run);
}

static void run_op(struct execution *run, const struct op *op)
{
	switch ((enum op_code)op->code) {
	case OP_MAP:
		run_map(run, op);
		break;
	case OP_UNMAP:
		run_unmap(run, op);
		break;
	case OP_LOOKUP:
		run_lookup(run, op);
		break;
	case OP_SYNC:
		run_sync(run);
		break;
	case OP_MAP_UNWIND:
		run_map_unwind(run, op);
		break;
	case OP_QUEUE:
		run_queue(run, op);
		break;
	case OP_FAILALLOC:
		if (run->step.nr > 1) /* the first was for the open */
			run->fail_next = op->n;
		break;
	case OP_WRITE:
		run_write(run, op);
		break;
	case OP_DIRTY:
		run_dirty(run, op);
		break;
	case OP_NR:
		break;
	}
}

static void run_close(struct execution *run)
{
	struct executor *executor = run->executor;

	run->step.nr = run->program->ops_nr + 1;
	run_sync(run);
	if (!executor->unchecked && !run->stop)
		run_judge(run, oracle_finish(executor->oracle));
	if (run->stop || !run_begin(run, ORACLE_CLOSE, &(struct op){0}))
		return;
	run->walker->close(executor->table);
	trap_arm(NULL);
	run_end(run, executor->unchecked ? &run_none : oracle_close(executor->oracle));
}

static void run_all(struct execution *run)
{
	const struct program *program = run->program;

	run->step.nr = 0;
	if (program->ops_nr && program->op[0].code == OP_FAILALLOC)
		run->fail_next = program->op[0].n;
	run_open(run);
	for (u32 i = 0; i < program->ops_nr && !run->stop; i++) {
		run->step.nr = i + 1;
		run_op(run, &program->op[i]);
	}
	if (!run->stop)
		run_close(run);
}

static void memory_reserve(struct executor *executor, size_t bytes)
{
	if (bytes <= executor->memory_bytes)
		return;
	free(executor->memory);
	executor->memory_bytes = (bytes + 63) & ~(size_t)63;
	executor->memory = aligned_alloc(64, executor->memory_bytes);
	CHECK(executor->memory);
}

/* A number that depends on all of the operations. */
static u64 program_digest(const struct program *program)
{
	u64 digest = program->ops_nr;

	for (u32 i = 0; i < program->ops_nr; i++) {
		const struct op *op = &program->op[i];

		digest = (digest ^ op->iova) * 0x9e3779b97f4a7c15ull;
		digest = (digest ^ digest >> 29 ^ op->oa) * 0xbf58476d1ce4e5b9ull;
		digest = (digest ^ digest >> 32 ^ op->len) + ((u64)op->code << 8 | op->prot);
	}
	return digest;
}

/* Where the walker's machine has no memory as far up as the program wants its tables, they stand low. */
static void tables_fit(struct host_config *config, const struct walker *walker, u64 pages)
{
	u64 bytes = pages << (HOST_PAGE_LG2 + config->scatter_lg2);

	if (!walker->oa_lg2 || walker->oa_lg2 >= 64 ||
	    (config->tables_pa + bytes) >> walker->oa_lg2 == 0)
		return;
	config->tables_pa = 1u << 24;
	config->scatter_lg2 = 0;
}

void execute(struct executor *executor, const struct walker *walker, const struct program *program,
	     const struct execute_watch *watch)
{
	struct host_config config = execute_host_config(program, executor->paranoid);
	struct execution run = {executor, walker, program, watch, {0}, 0, false};
	sigjmp_buf escape;

	memory_reserve(executor, walker->table_bytes);
	memset(executor->memory, 0, walker->table_bytes);
	executor->programs++;
	tables_fit(&config, walker, executor->host->pages_max);
	host_reset(executor->host, &config);
	if (!executor->unchecked) {
		oracle_width(executor->oracle, walker->iova_lg2, walker->oa_lg2);
		oracle_start(executor->oracle, executor->host, &program->config,
			     executor->paranoid);
		oracle_watch_iotlb(executor->oracle, program_digest(program), executor->watchful);
	}
	executor->host->escape_to = &escape;
	if (!sigsetjmp(escape, 0)) {
		run_all(&run);
	} else {
		trap_arm(NULL);
		if (!executor->unchecked)
			run_end(&run, oracle_escaped(executor->oracle, trap_word()));
	}
	executor->host->escape_to = NULL;
}
