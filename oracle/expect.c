/*
 * What an operation must answer, from the contract alone: which maps are refused, how far a map can
 * get before it meets what is mapped already, how much an unmap removes, when a table page may lack.
 * Source: contract, "map", "unmap", "Opening a table".
 */
#include "oracle/state.h"

#include <errno.h>

/* expect_refusal() - why the contract refuses this map, as a reason for a signature; NULL if it doesn't */
const char *expect_refusal(const struct oracle *oracle, const struct current *op)
{
	unsigned int smallest = bits_lowest(oracle->pgsizes);
	struct range range, oas;
	u64 mask, want;

	if (!op->len)
		return "len-0";
	if (!(op->prot & (MAP_PROT_READ | MAP_PROT_WRITE)))
		return "prot-none";
	if (!range_make(&range, op->iova, op->len))
		return "iova-wraps";
	if (!layout_iova_legal(&oracle->layout, range))
		return "iova-range";
	if (op->oa > bits_low(oracle->layout.config.oasz_lg2))
		return "oa-start";
	if (!range_make(&oas, op->oa, op->len) ||
	    oas.last > bits_low(oracle->layout.config.oasz_lg2))
		return "oa-range";
	if (!bits_aligned(op->iova | op->oa, smallest))
		return "unaligned";
	if (!bits_aligned(op->len, smallest))
		return "unaligned-len";
	if (!layout_attributes(&oracle->layout, op->prot, smallest, &mask, &want))
		return "prot";
	return NULL;
}

/* expect_is_boundary() - whether the first @prefix bytes of @run->whole are whole leaves */
bool expect_is_boundary(const struct oracle *oracle, const struct run *run, u64 prefix)
{
	struct range leaf;

	if (!prefix || prefix - 1 == run->whole.last - run->whole.first)
		return true;
	return run_leaf(run, run->whole.first + prefix, oracle->pgsizes, &leaf) &&
	       leaf.first == run->whole.first + prefix;
}

/*
 * expect_unmap() - bytes that unmapping iova..last removes: whole leaves from @iova on, as far as
 * everything is mapped; the last may reach beyond @last
 */
u64 expect_unmap(const struct oracle *oracle, u64 iova, u64 last)
{
	u64 at = iova;

	for (;;) {
		const struct run *run = model_find(&oracle->model, at);
		struct range leaf;

		if (!run)
			return at - iova;
		CHECK(run_leaf(run, at, oracle->pgsizes, &leaf));
		if (leaf.first != at)
			return 0;
		if (last < run->range.last) {
			CHECK(run_leaf(run, last, oracle->pgsizes, &leaf));
			return leaf.last + 1 - iova;
		}
		at = run->range.last + 1;
		if (last == run->range.last || !at)
			return at - iova;
	}
}

/*
 * expect_table_need() - no map of @range needs more new tables than this: for each level below the
 * top one table a span that the range touches, plus the tables of a growing top
 */
u64 expect_table_need(const struct oracle *oracle, struct range range)
{
	const struct layout *layout = &oracle->layout;
	u64 need = 0;

	for (unsigned int level = 0; level + 1 < layout->levels_nr; level++) {
		unsigned int span_lg2 =
			layout->level[level].item_lg2 + layout->level[level].items_lg2;

		if (span_lg2 >= 64)
			need++;
		else
			need += (range.last >> span_lg2) - (range.first >> span_lg2) + 1;
	}
	return need + layout->levels_nr;
}

static bool error_is_refusal(int error)
{
	return error == -EINVAL || error == -ENXIO || error == -ERANGE || error == -EOVERFLOW ||
	       error == -EOPNOTSUPP;
}

/* Half of what a table translates and all of the oa space: sizes that a limit off by one leaves out. */
static u64 largest_sizes(const struct oracle *oracle)
{
	const struct config *config = &oracle->layout.config;
	unsigned int span_lg2 = config->vasz_lg2 - !!(config->features & FEATURE_SIGN_EXTEND);

	return (span_lg2 ? 1ull << (span_lg2 - 1) : 0) | 1ull << config->oasz_lg2;
}

static void expect_info(struct oracle *oracle, const struct oracle_info *info)
{
	const struct layout *layout = &oracle->layout;
	unsigned int vasz_lg2 = layout->config.vasz_lg2;
	u64 last =
		bits_low(layout->config.features & FEATURE_SIGN_EXTEND ? vasz_lg2 - 1 : vasz_lg2);
	int level = layout_root_level(layout, info->root_mode);
	u64 nameable = oracle->iova_lg2 ? bits_low(oracle->iova_lg2) : ~0ull;
	u64 pgsizes = layout->pgsizes;
	bool stop = oracle->verdicts.stop;

	if (last > nameable) { /* contract, "32-bit kernels" */
		last = nameable;
		pgsizes &= nameable;
	}
	if (info->pgsizes & ~pgsizes)
		say_want(say(oracle, RULE_PAGE_SIZE, "advertises-too-much",
			     "sizes 0x%llx advertised", info->pgsizes),
			 "0x%llx", pgsizes);
	if (!layout_either(&oracle->config) && pgsizes & ~info->pgsizes)
		say_want(say(oracle, RULE_PAGE_SIZE,
			     pgsizes & ~info->pgsizes & ~largest_sizes(oracle)
				     ? "advertises-too-little"
				     : "hides-largest",
			     "sizes 0x%llx advertised", info->pgsizes),
			 "0x%llx", pgsizes);
	if (info->aperture.first != 0 || info->aperture.last != last)
		say_want(say(oracle, RULE_RESULT, "aperture", "aperture 0x%llx..0x%llx",
			     info->aperture.first, info->aperture.last),
			 "0..0x%llx", last);
	oracle->verdicts.stop = stop; /* what is said of a table doesn't change what is in it */
	if (info->root_pa & ~layout_root_bits(layout))
		say(oracle, RULE_RESERVED_BITS, "root", "root at pa 0x%llx", info->root_pa);
	if (level < 0 || level != layout->config.top_level)
		say_want(
			say(oracle, RULE_TRANSLATION, "root-mode", "root mode %u", info->root_mode),
			"the mode for top level %u", layout->config.top_level);
	else
		tables_root(oracle, info->root_pa & layout_root_bits(layout), (unsigned int)level);
	oracle->pgsizes = config_pgsizes(&oracle->config, info->pgsizes & layout->pgsizes);
}

/*
 * An allocation was refused by injection and the operation says otherwise. A map may still say that it
 * collided, where it did: that holds whatever memory there is.
 */
static void say_swallowed(struct oracle *oracle, int got)
{
	say_want(say(oracle, RULE_RESULT, "enomem-swallowed",
		     "returns %s%s though a table page was refused to it", got ? "-" : "",
		     say_errno(got)),
		 "-ENOMEM");
}

/* After open. @info is NULL when it failed. */
void expect_open(struct oracle *oracle, int got, const struct oracle_info *info)
{
	const char *why = layout_legal(&oracle->config);
	char reason[48];

	oracle->open = !got;
	oracle->current.failed = got != 0;
	if (oracle->host->failed_alloc && got != -ENOMEM &&
	    !(got && (why || layout_either(&oracle->config)))) {
		say_swallowed(oracle, got);
		return;
	}
	if (got) {
		oracle->current.refused = true;
		if (got == -ENOMEM && (oracle->host->failed_alloc || oracle->host->starved) &&
		    !oracle->verdicts.nr)
			return;
		__builtin_snprintf(reason, sizeof(reason), "refused-%s", say_errno(got));
		if (!why && !layout_either(&oracle->config))
			say_want(say(oracle, RULE_REJECTED_CONFIG, reason, "open returns -%s",
				     say_errno(got)),
				 "0: hardware and in-tree drivers can have this config");
		else if (got != -EINVAL && got != -EOPNOTSUPP && got != -ENOMEM)
			say_want(say(oracle, RULE_RESULT, reason, "open returns -%s",
				     say_errno(got)),
				 "-EINVAL or -EOPNOTSUPP");
		return;
	}
	if (why) {
		say_want(say(oracle, RULE_REJECTED_CONFIG, "accepted", "open returns 0"),
			 "a refusal: %s", why);
		return;
	}
	expect_info(oracle, info);
	if (oracle->host->pages_live != 1)
		say_want(say(oracle, RULE_RESULT, "open-allocates", "%u table pages allocated",
			     oracle->host->pages_live),
			 "1, the top table");
}

static void map_must_be_refused(struct oracle *oracle, const char *why, int got, u64 mapped)
{
	char reason[48];

	__builtin_snprintf(reason, sizeof(reason), "not-refused-%s", why);
	if (error_is_refusal(got) && !mapped)
		return;
	if (got == -ENOMEM && !mapped && (oracle->host->failed_alloc || oracle->host->starved)) {
		/* It met the end of the memory before the reason for a refusal. */
		oracle->current.refused = false;
		return;
	}
	oracle->verdicts.nr = 0; /* whatever else happened follows from this */
	say_want(say(oracle, RULE_RESULT, reason, "map returns %s%s, 0x%llx bytes mapped",
		     got ? "-" : "", say_errno(got), mapped),
		 "a refusal (-EINVAL, -ENXIO, -ERANGE, -EOVERFLOW or -EOPNOTSUPP), 0 bytes");
}

/* Whether -ENOMEM has a reason: a failure that was injected, or a need above what was left. */
static bool enomem_excused(const struct oracle *oracle, struct range range)
{
	const struct host *host = oracle->host;
	u64 left = host->config.pages_nr - oracle->current.pages_before;

	if (host->failed_alloc)
		return true;
	return host->starved && expect_table_need(oracle, range) > left;
}

static void map_result(struct oracle *oracle, int got, u64 mapped, const struct run *run,
		       const struct run *collision)
{
	u64 free_bytes = collision ? (collision->range.first <= run->whole.first
					      ? 0
					      : collision->range.first - run->whole.first)
				   : oracle->current.len;
	int want = collision ? -EADDRINUSE : 0;
	char reason[48];

	if (oracle->host->failed_alloc && got != -ENOMEM && !(collision && got == want))
		say_swallowed(oracle, got);
	else if (got != want && !(got == -ENOMEM && enomem_excused(oracle, run->whole))) {
		__builtin_snprintf(reason, sizeof(reason), "%s%s", collision ? "collision-" : "",
				   got ? say_errno(got) : "accepted");
		say_want(say(oracle, RULE_RESULT, reason, "map returns %s%s", got ? "-" : "",
			     say_errno(got)),
			 "%s%s", want ? "-" : "", say_errno(want));
	}
	if (!got && mapped != oracle->current.len)
		say_want(say(oracle, RULE_RESULT, "mapped", "mapped grows by 0x%llx", mapped),
			 "0x%llx, the whole length", oracle->current.len);
	if (got && (mapped > free_bytes || !expect_is_boundary(oracle, run, mapped)))
		say_want(say(oracle, RULE_PARTIAL, mapped > free_bytes ? "too-far" : "inside-leaf",
			     "map fails with 0x%llx bytes mapped", mapped),
			 "whole leaves, at most 0x%llx bytes", free_bytes);
}

/* After map: judges the result and, where it can be, makes the model follow. */
void expect_map(struct oracle *oracle, int got, u64 mapped)
{
	const struct current *op = &oracle->current;
	const char *why = expect_refusal(oracle, op);
	struct run run = {.prot = op->prot, .delta = op->oa - op->iova};
	const struct run *collision;

	oracle->current.failed = got != 0;
	if (why) {
		map_must_be_refused(oracle, why, got, mapped);
		return;
	}
	range_make(&run.whole, op->iova, op->len);
	collision = model_next(&oracle->model, op->iova);
	if (collision && collision->range.first > run.whole.last)
		collision = NULL;
	map_result(oracle, got, mapped, &run, collision);
	oracle->work.mapped = mapped;
	if (!mapped || oracle->verdicts.stop)
		return;
	run.range = (struct range){op->iova, op->iova + (mapped - 1)};
	model_insert(&oracle->model, &run);
	oracle->run = NULL;
}

/* Whether @iova is past what a growing top reaches by now. */
static bool beyond_top(const struct oracle *oracle, u64 iova)
{
	const struct layout_level *top = &oracle->layout.level[oracle->root_level];

	return oracle->layout.config.features & FEATURE_GROWING_TOP &&
	       layout_iova_bits(&oracle->layout, iova) > bits_low(top->item_lg2 + top->items_lg2);
}

/* After unmap: judges the bytes removed and makes the model follow. */
void expect_unmapped(struct oracle *oracle, u64 got)
{
	const struct current *op = &oracle->current;
	struct range range;
	bool is_range = range_make(&range, op->iova, op->len);
	u64 want = is_range ? expect_unmap(oracle, range.first, range.last) : 0;
	bool may_refuse = !oracle->current.legal;
	bool beyond = is_range && beyond_top(oracle, range.last);

	oracle->current.failed = !got;
	if (got != want && !(may_refuse && !got))
		say_want(say(oracle, RULE_RESULT,
			     !got ? (beyond ? "removed-nothing-beyond-top" : "removed-nothing")
			     : got < want ? "removed-less"
					  : "removed-more",
			     "unmap returns 0x%llx", got),
			 "0x%llx", want);
	oracle->removes = got != 0;
	if (!got)
		return;
	oracle->removed = (struct range){op->iova, op->iova + (got - 1)};
	if (oracle->verdicts.stop || oracle->removed.last < op->iova)
		return;
	work_removes(oracle, oracle->removed);
	model_remove(&oracle->model, oracle->removed);
	dirty_drop(&oracle->dirty, oracle->removed);
	oracle->run = NULL;
	gather_want(oracle, oracle->removed);
}
