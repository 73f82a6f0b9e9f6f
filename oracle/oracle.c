/* The entry functions: which checks follow which operation, and in which order. */
#include "oracle/state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/check.h"

struct oracle *oracle_create(u32 pages_max)
{
	struct oracle *oracle = calloc(1, sizeof(*oracle));

	if (!oracle)
		return NULL;
	oracle->table = calloc(pages_max, sizeof(*oracle->table));
	oracle->seen = calloc((size_t)pages_max * HOST_ITEMS, sizeof(*oracle->seen));
	oracle->linked = calloc(pages_max, sizeof(*oracle->linked));
	oracle->cut = calloc(pages_max, sizeof(*oracle->cut));
	oracle->dirty_want = calloc(ORACLE_DIRTY_BITS / 8, 1);
	if (!oracle->table || !oracle->seen || !oracle->linked || !oracle->cut ||
	    !oracle->dirty_want || !model_create(&oracle->model)) {
		oracle_destroy(oracle);
		return NULL;
	}
	return oracle;
}

void oracle_destroy(struct oracle *oracle)
{
	if (!oracle)
		return;
	model_destroy(&oracle->model);
	free(oracle->table);
	free(oracle->seen);
	free(oracle->linked);
	free(oracle->cut);
	free(oracle->dirty.range);
	free(oracle->dirty_want);
	free(oracle);
}

void oracle_start(struct oracle *oracle, struct host *host, const struct config *config,
		  bool paranoid)
{
	oracle->host = host;
	oracle->config = *config;
	oracle->paranoid = paranoid;
	oracle->open = oracle->removes = false;
	oracle->iotlb.active = false;
	oracle->legal = true;
	oracle->attr_valid = oracle->gather_odd = false;
	oracle->pgsizes = 0;
	oracle->root = -1;
	oracle->root_level = 0;
	oracle->leaf_bytes = 0;
	oracle->linked_nr = oracle->cut_nr = oracle->synced_nr = 0;
	oracle->wants.nr = 0;
	oracle->wants.lossy = false;
	oracle->excused.nr = 0;
	oracle->run = NULL;
	oracle->gather = (struct oracle_gather){.empty = true};
	oracle->dirty.nr = 0;
	model_reset(&oracle->model);
	if (!layout_legal(config))
		layout_init(&oracle->layout, config);
	else
		memset(&oracle->layout, 0, sizeof(oracle->layout));
	oracle->layout.iova_lg2 = oracle->iova_lg2;
	host->ignored = oracle->layout.ignored;
	host->trap = layout_legal(config) ? 0 : layout_trap(&oracle->layout);
	host->observer = (struct host_observer){tables_on_store, tables_on_event, oracle};
}

static bool unmap_is_legal(const struct oracle *oracle, const struct current *op)
{
	unsigned int smallest = bits_lowest(oracle->pgsizes);
	struct range range;

	return range_make(&range, op->iova, op->len) && layout_iova_legal(&oracle->layout, range) &&
	       bits_aligned(op->iova | op->len, smallest);
}

/*
 * With memory encryption an oa at or above the encryption bit doesn't exist, but the config may still
 * name a wider oasz; the contract is silent about mapping it.
 */
static bool map_is_doubtful(const struct oracle *oracle, const struct current *op)
{
	unsigned int oa_lg2 = layout_oa_lg2(&oracle->layout);
	struct range oas;

	return !op->refused && range_make(&oas, op->oa, op->len) && oas.last > bits_low(oa_lg2);
}

/*
 * Iovas of the upper half of a table whose walk is wider than vasz: hardware indexes the top table
 * with address bits that the contract says are copies of the sign bit, so contract and manual part.
 */
static bool iova_is_doubtful(const struct oracle *oracle, const struct current *op)
{
	const struct layout *layout = &oracle->layout;
	const struct layout_level *top = &layout->level[layout->config.top_level];

	return layout->config.features & FEATURE_SIGN_EXTEND &&
	       layout->config.vasz_lg2 < top->item_lg2 + top->items_lg2 && op->iova >> 63;
}

/* An encryption bit that no machine has: it would overlap what is not an address. */
static bool config_is_doubtful(const struct config *config)
{
	return config->features & FEATURE_ENCRYPT_TABLES &&
	       (config->encrypt_bit < 32 || config->encrypt_bit > 51);
}

/*
 * Dirty tracking and walks that don't snoop can't be combined (docs/contract.md knows no flush for a
 * cleared dirty bit); and the harness has bitmaps up to some size only.
 */
static bool query_is_doubtful(const struct oracle *oracle, const struct current *op)
{
	return !oracle->host->config.coherent ||
	       (op->len && (op->len - 1) >> bits_lowest(oracle->pgsizes) >= ORACLE_DIRTY_BITS);
}

/* Nobody can ask for it: it does not fit the walker's iovas, or memory ends before its oas do. */
static bool op_is_too_wide(const struct oracle *oracle, const struct current *op)
{
	u64 oa_last = bits_low(oracle->oa_lg2);

	if (oracle->iova_lg2 && (op->iova | op->len) & ~bits_low(oracle->iova_lg2))
		return true;
	return oracle->oa_lg2 && op->op == ORACLE_MAP &&
	       (op->oa > oa_last || (op->len && op->len - 1 > oa_last - op->oa));
}

static bool op_is_doubtful(const struct oracle *oracle, const struct current *op)
{
	if (op_is_too_wide(oracle, op))
		return true;
	switch (op->op) {
	case ORACLE_OPEN:
		return config_is_doubtful(&oracle->config);
	case ORACLE_MAP:
		return map_is_doubtful(oracle, op) || iova_is_doubtful(oracle, op);
	case ORACLE_UNMAP:
	case ORACLE_LOOKUP:
		return iova_is_doubtful(oracle, op);
	case ORACLE_WRITE:
		return query_is_doubtful(oracle, op) || !layout_tracks_dirty(&oracle->layout);
	case ORACLE_DIRTY:
		return query_is_doubtful(oracle, op);
	default:
		return false;
	}
}

bool oracle_begin(struct oracle *oracle, u32 serial, enum oracle_op op, u64 iova, u64 oa, u64 len,
		  u32 prot)
{
	struct current *current = &oracle->current;

	*current = (struct current){
		.serial = serial,
		.op = op,
		.iova = iova,
		.oa = oa,
		.len = len,
		.prot = prot,
		.legal = true,
		.pages_before = oracle->host->pages_live,
	};
	if (op == ORACLE_MAP) {
		current->refused = expect_refusal(oracle, current) != NULL;
		current->legal = !current->refused;
	} else if (op == ORACLE_UNMAP) {
		current->legal = unmap_is_legal(oracle, current);
	} else if (op == ORACLE_DIRTY) {
		current->refused = query_refusal(oracle, current) != NULL;
		current->legal = !current->refused && query_is_aligned(oracle, current);
	} else if (op == ORACLE_OPEN) {
		current->legal = !layout_legal(&oracle->config);
	}
	if (op_is_doubtful(oracle, current))
		return false;
	oracle->legal &= current->legal;
	oracle->verdicts.nr = 0;
	oracle->verdicts.stop = false;
	oracle->linked_nr = oracle->synced_nr = 0;
	oracle->synced_all = oracle->removes = oracle->root_changed = false;
	levels_reset(&oracle->levels);
	work_begin(oracle);
	host_begin(oracle->host, serial, op);
	oracle->host->steps_limit = limits_steps(oracle, current);
	oracle->host->allocs_limit = limits_allocs(oracle, current);
	if (oracle->iotlb.active)
		iotlb_begin(oracle);
	return true;
}

/* What holds after every operation, once the model has followed it. */
static void check_common(struct oracle *oracle, const struct oracle_gather *gather)
{
	struct verdicts *verdicts = &oracle->verdicts;

	if (oracle->host->warn && oracle->current.legal)
		say(oracle, RULE_WARN, oracle->host->warn, "the assertion failed: %s",
		    oracle->host->warn);
	if (oracle->host->faults)
		life_faults(oracle);
	if (verdicts->stop)
		return;
	lines_check(oracle);
	if (!verdicts->stop)
		entries_check(oracle);
	gather_check(oracle, gather);
	if (oracle->iotlb.active)
		iotlb_check(oracle);
	life_check(oracle);
	if (oracle->paranoid && !verdicts->stop)
		walk_paranoid(oracle);
	work_check(oracle);
}

const struct verdicts *oracle_open(struct oracle *oracle, int got, const struct oracle_info *info)
{
	expect_open(oracle, got, info);
	if (!oracle->verdicts.stop)
		check_common(oracle, &oracle->gather);
	return &oracle->verdicts;
}

const struct verdicts *oracle_map(struct oracle *oracle, int got, u64 mapped)
{
	expect_map(oracle, got, mapped);
	if (!oracle->verdicts.stop)
		check_common(oracle, &oracle->gather);
	return &oracle->verdicts;
}

const struct verdicts *oracle_unmap(struct oracle *oracle, u64 got,
				    const struct oracle_gather *gather)
{
	expect_unmapped(oracle, got);
	if (!oracle->verdicts.stop)
		check_common(oracle, gather);
	return &oracle->verdicts;
}

const struct verdicts *oracle_lookup(struct oracle *oracle, u64 got)
{
	u64 iova = oracle->current.iova;
	const struct run *run = model_find(&oracle->model, iova);
	u64 want = run ? iova + run->delta : 0;
	bool legal = layout_iova_legal(&oracle->layout, (struct range){iova, iova});

	if (got != want)
		say_want(say(oracle, RULE_LOOKUP,
			     !legal ? "illegal-iova"
			     : !run ? "not-mapped"
			     : got  ? "wrong-oa"
				    : "not-found",
			     "iova_to_phys returns 0x%llx", got),
			 "0x%llx", want);
	check_common(oracle, &oracle->gather);
	return &oracle->verdicts;
}

const struct verdicts *oracle_sync(struct oracle *oracle, const struct oracle_gather *gather)
{
	check_common(oracle, gather);
	return &oracle->verdicts;
}

const struct verdicts *oracle_dirty(struct oracle *oracle, int got, bool clear,
				    const struct oracle_bitmap *bitmap,
				    const struct oracle_gather *gather)
{
	query_check(oracle, got, clear, bitmap);
	if (!oracle->verdicts.stop)
		check_common(oracle, gather);
	return &oracle->verdicts;
}

const struct verdicts *oracle_close(struct oracle *oracle)
{
	if (oracle->host->warn)
		say(oracle, RULE_WARN, oracle->host->warn, "the assertion failed: %s",
		    oracle->host->warn);
	if (oracle->host->faults)
		life_faults(oracle);
	if (oracle->host->pages_live)
		say_want(say(oracle, RULE_LEAK, "after-close", "%u table pages stay allocated",
			     oracle->host->pages_live),
			 "none");
	work_check(oracle);
	return &oracle->verdicts;
}

void oracle_width(struct oracle *oracle, unsigned int iova_lg2, unsigned int oa_lg2)
{
	oracle->iova_lg2 = iova_lg2 < 64 ? iova_lg2 : 0;
	oracle->oa_lg2 = oa_lg2 < 64 ? oa_lg2 : 0;
}

void oracle_queue(struct oracle *oracle, bool queued)
{
	oracle->gather = (struct oracle_gather){.empty = true, .queued = queued};
}

bool oracle_root_changed(const struct oracle *oracle)
{
	return oracle->root_changed;
}

const struct verdicts *oracle_root(struct oracle *oracle, const struct oracle_info *info)
{
	int level = layout_root_level(&oracle->layout, info->root_mode);
	u64 pa = host_page_pa(oracle->host, (u32)oracle->root);

	oracle->verdicts.nr = 0;
	oracle->verdicts.stop = false;
	if (info->root_pa != pa || level != oracle->root_level)
		say_want(say(oracle, RULE_TRANSLATION, "root-not-told",
			     "the table says root pa 0x%llx, mode %u", info->root_pa,
			     info->root_mode),
			 "pa 0x%llx, level %u, as the driver was told", pa, oracle->root_level);
	return &oracle->verdicts;
}

const struct verdicts *oracle_finish(struct oracle *oracle)
{
	oracle->verdicts.nr = 0;
	oracle->verdicts.stop = false;
	if (oracle->open)
		entries_check_all(oracle);
	if (oracle->open && !oracle->host->config.coherent)
		walk_unreported(oracle);
	return &oracle->verdicts;
}

const struct verdicts *oracle_escaped(struct oracle *oracle, const char *signal)
{
	const struct host *host = oracle->host;
	u32 before = oracle->verdicts.nr;

	switch ((enum host_escape)host->escape) {
	case HOST_ESCAPE_STEPS:
		say_want(say(oracle, RULE_WORK, "endless",
			     "no end after %llu loads and stores and %llu allocations",
			     host->op.loads + host->op.stores, host->op.allocs),
			 "an end");
		break;
	case HOST_ESCAPE_FAULT:
		life_faults(oracle);
		if (oracle->verdicts.nr == before)
			say(oracle, RULE_USE_AFTER_FREE, "left", "%s", host->escape_text);
		break;
	case HOST_ESCAPE_SIGNAL:
	case HOST_ESCAPE_NONE:
		say(oracle,
		    host->escape_text && !strcmp(host->escape_text, "ubsan") ? RULE_UBSAN
									     : RULE_ASAN,
		    signal ? signal : "signal", "the walker was stopped by %s",
		    signal ? signal : "a signal");
		break;
	}
	oracle->verdicts.stop = true;
	return &oracle->verdicts;
}

const struct layout *oracle_layout(const struct oracle *oracle)
{
	return &oracle->layout;
}

const struct model *oracle_model(const struct oracle *oracle)
{
	return &oracle->model;
}

u64 oracle_pgsizes(const struct oracle *oracle)
{
	return oracle->pgsizes;
}

bool oracle_op_legal(const struct oracle *oracle)
{
	return oracle->current.legal;
}

bool oracle_legal(const struct oracle *oracle)
{
	return oracle->legal;
}
