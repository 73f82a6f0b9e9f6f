/*
 * That publish-before-flush, which is checked once at the store that links a table, is as good as trying all
 * evictions: on a machine that doesn't snoop any line that was written may reach memory at any moment. Here,
 * after each store to a reachable table and at each other event, every subset of the lines that differ
 * between the views is taken for evicted, and the device walks to all addresses that the program names. A
 * walk that reads what a table page held before it was a table (the trap entry) is one that the rule must
 * report; and where none does, the rule must be silent.
 *
 * Only lines that some walk can look at are counted. Up to EXHAUSTIVE_LINES of them all subsets are tried, of
 * more a random sample. Flushes need no event of their own: memory after a flush of a line is memory before
 * it with that line evicted. Left out: tables whose lines were flushed and then written again before they
 * are linked; the rule reports them, but a device finds no more than a fault there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/rng.h"
#include "tests/toy_run.h"

#define EXHAUSTIVE_LINES 10
#define SAMPLES		 16
#define PROBES_MAX	 64
#define LINES_MAX	 256
#define PROGRAMS	 120 /* of each format */

/* A line of a table page. */
struct line {
	u32 page;
	u32 line;
};

/**
 * struct evictor - a device that walks under evictions
 * @inner: the oracle's observer, which is told first
 * @root, @level: where the device walks from; -1 before the table is open
 * @lines: those that differ and that a walk can look at
 * @evicted: by line: it was written back
 * @exhaustive_lines: of no more than these all subsets are tried
 * @trapped: a walk read a trap entry
 * @published: the rule said so
 * @exhaustive, @sampled: events at which all subsets were tried, or some; @walks: of all
 */
struct evictor {
	struct executor *executor;
	const struct walker *walker;
	struct host_observer inner;
	s64 root;
	unsigned int level;
	u64 probe[PROBES_MAX];
	u32 probes_nr;
	struct line lines[LINES_MAX];
	bool evicted[LINES_MAX];
	u32 lines_nr;
	u32 exhaustive_lines;
	bool trapped;
	bool published;
	struct rng rng;
	u64 exhaustive;
	u64 sampled;
	u64 walks;
};

static int line_find(const struct evictor *evictor, u32 page, u32 line)
{
	for (u32 i = 0; i < evictor->lines_nr; i++)
		if (evictor->lines[i].page == page && evictor->lines[i].line == line)
			return (int)i;
	return -1;
}

/* The table that @word at @level leads to, or -1. */
static s64 child_of(const struct evictor *evictor, unsigned int level, u64 word)
{
	const struct host *host = evictor->executor->host;
	struct entry entry;
	s64 page;

	layout_decode(oracle_layout(evictor->executor->oracle), level, word, &entry);
	if (entry.kind != ENTRY_TABLE || !level || word == host->trap)
		return -1;
	page = host_page_of(host, entry.oa);
	return page >= 0 && host->page[page].state == HOST_PAGE_LIVE ? page : -1;
}

/* Adds the lines that a walk of @iova can look at from @page on, whichever of them are evicted. */
static void lines_collect(struct evictor *evictor, s64 page, unsigned int level, u64 iova)
{
	const struct host *host = evictor->executor->host;
	u32 index = layout_index(oracle_layout(evictor->executor->oracle), level, iova);
	u64 cpu = host_cpu_page(host, (u32)page)[index];
	u64 device = host_device_page(host, (u32)page)[index];
	s64 child[2] = {child_of(evictor, level, device), child_of(evictor, level, cpu)};

	if (cpu != device && evictor->lines_nr < LINES_MAX &&
	    line_find(evictor, (u32)page, index / 8) < 0)
		evictor->lines[evictor->lines_nr++] = (struct line){(u32)page, index / 8};
	if (child[0] >= 0)
		lines_collect(evictor, child[0], level - 1, iova);
	if (child[1] >= 0 && child[1] != child[0])
		lines_collect(evictor, child[1], level - 1, iova);
}

/* Whether a walk of @iova reads a trap entry while @evicted lines are as the CPU sees them. */
static bool walk_traps(struct evictor *evictor, u64 iova)
{
	const struct host *host = evictor->executor->host;
	unsigned int level = evictor->level;
	s64 page = evictor->root;

	evictor->walks++;
	while (page >= 0) {
		u32 index = layout_index(oracle_layout(evictor->executor->oracle), level, iova);
		int line = line_find(evictor, (u32)page, index / 8);
		u64 word = line >= 0 && evictor->evicted[line]
				   ? host_cpu_page(host, (u32)page)[index]
				   : host_device_page(host, (u32)page)[index];

		if (word == host->trap)
			return true;
		page = child_of(evictor, level--, word);
	}
	return false;
}

static bool in_reach(const struct evictor *evictor, u64 iova)
{
	const struct layout *layout = oracle_layout(evictor->executor->oracle);
	const struct layout_level *top = &layout->level[evictor->level];

	return layout_iova_legal(layout, (struct range){iova, iova}) &&
	       !(layout_iova_bits(layout, iova) & ~bits_low(top->item_lg2 + top->items_lg2));
}

static void walk_all(struct evictor *evictor)
{
	for (u32 i = 0; i < evictor->probes_nr; i++)
		if (in_reach(evictor, evictor->probe[i]))
			evictor->trapped |= walk_traps(evictor, evictor->probe[i]);
}

/* Tries the subsets of what differs now. */
static void evict(struct evictor *evictor)
{
	u32 nr;

	if (evictor->root < 0 ||
	    evictor->executor->host->page[evictor->root].state != HOST_PAGE_LIVE)
		return;
	evictor->lines_nr = 0;
	for (u32 i = 0; i < evictor->probes_nr; i++)
		if (in_reach(evictor, evictor->probe[i]))
			lines_collect(evictor, evictor->root, evictor->level, evictor->probe[i]);
	nr = evictor->lines_nr;
	if (nr <= evictor->exhaustive_lines) {
		evictor->exhaustive++;
		for (u32 subset = 0; subset < 1u << nr; subset++) {
			for (u32 i = 0; i < nr; i++)
				evictor->evicted[i] = subset >> i & 1;
			walk_all(evictor);
		}
		return;
	}
	evictor->sampled++;
	for (u32 sample = 0; sample < SAMPLES; sample++) {
		for (u32 i = 0; i < nr; i++)
			evictor->evicted[i] =
				sample == 1 || (sample > 1 && rng_one_in(&evictor->rng, 2));
		walk_all(evictor);
	}
}

static void on_store(void *arg, u32 page, u32 item, u64 old, u64 new)
{
	struct evictor *evictor = arg;

	evictor->inner.store(evictor->inner.arg, page, item, old, new);
	evict(evictor);
}

static void on_event(void *arg, const struct host_event *event)
{
	struct evictor *evictor = arg;

	evictor->inner.event(evictor->inner.arg, event);
	if (event->kind == HOST_EVENT_CHANGE_TOP) {
		evictor->root = host_page_of(evictor->executor->host, event->a);
		evictor->level = (unsigned int)event->b;
	}
	evict(evictor);
}

static void before(void *arg, const struct step *step)
{
	struct evictor *evictor = arg;
	struct host *host = evictor->executor->host;

	if (step->op == ORACLE_OPEN) {
		evictor->inner = host->observer;
		host->observer = (struct host_observer){on_store, on_event, evictor};
		/* no leaf of the toy walker's has a software bit, so that none is like the trap */
		host->trap |= oracle_layout(evictor->executor->oracle)->ignored;
	} else if (step->op == ORACLE_CLOSE) {
		evictor->root = -1; /* the device no longer uses the table */
	}
}

static void after(void *arg, const struct step *step, const struct verdicts *verdicts)
{
	struct evictor *evictor = arg;
	struct walker_info info = {0};

	for (u32 i = 0; i < verdicts->nr; i++)
		evictor->published |= verdicts->verdict[i].rule == RULE_PUBLISH_BEFORE_FLUSH;
	if (step->op == ORACLE_OPEN && !step->error) {
		evictor->walker->info(evictor->executor->table, &info);
		evictor->root = host_page_of(evictor->executor->host, info.root_pa);
		evictor->level = (unsigned int)layout_root_level(
			oracle_layout(evictor->executor->oracle), info.root_mode);
	}
	if (step->op != ORACLE_CLOSE)
		evict(evictor);
}

static void probe_add(struct evictor *evictor, u64 iova)
{
	if (evictor->probes_nr < PROBES_MAX)
		evictor->probe[evictor->probes_nr++] = iova;
}

/* Runs @program on @walker, with the ends of all its operations as probes. */
static void evictor_run(struct evictor *evictor, const struct walker *walker,
			const struct program *program)
{
	struct execute_watch watch = {.before = before, .step = after, .arg = evictor};

	evictor->walker = walker;
	evictor->root = -1;
	evictor->probes_nr = 0;
	evictor->trapped = evictor->published = false;
	evictor->rng = rng_make(1);
	for (u32 i = 0; i < program->ops_nr; i++) {
		const struct op *op = &program->op[i];

		probe_add(evictor, op->iova);
		if (op->len)
			probe_add(evictor, op->iova + op->len - 1);
	}
	execute(evictor->executor, walker, program, &watch);
}

/* The rule and the device agree on @walker. Returns whether both report it. */
static bool agree(struct evictor *evictor, const struct walker *walker,
		  const struct program *program)
{
	static char text[PROGRAM_TEXT_MAX];

	evictor_run(evictor, walker, program);
	if (evictor->trapped != evictor->published) {
		text_print(program, text);
		fail_msg("%s\n%s: publish-before-flush %s, but the device %s", text, walker->name,
			 evictor->published ? "is reported" : "is silent",
			 evictor->trapped ? "can read a page before it is a table"
					  : "reads no page before it is a table");
	}
	return evictor->trapped;
}

static void evictor_make(struct evictor *evictor, struct toy_run *run)
{
	*evictor = (struct evictor){
		.executor = run->executor,
		.exhaustive_lines = EXHAUSTIVE_LINES,
	};
}

static void small_programs_agree_under_all_evictions(void **state)
{
	struct toy_run *run = toy_run_create(PROGRAM_MACHINE_PAGES);
	static struct program program;
	struct evictor evictor;
	u32 unflushed = 0, grown = 0;
	char error[256];

	evictor_make(&evictor, run);
	for (u32 i = 0; i < TOY_PROGRAMS_NR; i++) {
		const char *text = toy_programs[i].text;

		assert_int_equal(
			text_parse(&program, text, strlen(text), "row", error, sizeof(error)), 0);
		if (program.ops_nr > 8)
			continue;
		program.config.features |= FEATURE_INCOHERENT;
		assert_false(agree(&evictor, &toy_walkers[TOY_RIGHT], &program));
		unflushed += agree(&evictor, &toy_walkers[TOY_PUBLISH_UNFLUSHED], &program);
		grown += agree(&evictor, &toy_walkers[TOY_GROW_UNFLUSHED], &program);
	}
	print_message("%llu events with all subsets, %llu sampled, %llu walks\n",
		      evictor.exhaustive, evictor.sampled, evictor.walks);
	assert_true(unflushed > 20);
	assert_true(grown >= 1);
	assert_int_equal(evictor.sampled, 0); /* small enough: nothing was left to chance */
	toy_run_destroy(run);
}

/* Half of them as if there were too many lines to try all subsets. */
static void generated_programs_agree_under_sampled_evictions(void **state)
{
	struct toy_run *run = toy_run_create(EXECUTE_PAGES);
	static struct program program;
	struct evictor evictor;
	u32 unflushed = 0, grown = 0;

	evictor_make(&evictor, run);
	for (unsigned int format = 0; format < FORMAT_NR; format++) {
		for (u64 seed = 0; seed < PROGRAMS; seed++) {
			evictor.exhaustive_lines = seed & 1 ? EXHAUSTIVE_LINES : 0;
			toy_generate(&program, format, 77000 + seed);
			if (program.ops_nr > 16)
				program.ops_nr = 16;
			for (u32 i = 0; i < program.ops_nr; i++)
				if (program.op[i].len >> 21)
					program.op[i].len &= bits_low(21);
			program.config.features |= FEATURE_INCOHERENT;
			assert_false(agree(&evictor, &toy_walkers[TOY_RIGHT], &program));
			unflushed += agree(&evictor, &toy_walkers[TOY_PUBLISH_UNFLUSHED], &program);
			grown += agree(&evictor, &toy_walkers[TOY_GROW_UNFLUSHED], &program);
		}
	}
	print_message("%llu events with all subsets, %llu sampled, %llu walks; caught %u and %u\n",
		      evictor.exhaustive, evictor.sampled, evictor.walks, unflushed, grown);
	assert_true(evictor.exhaustive && evictor.sampled);
	assert_true(unflushed > PROGRAMS);
	assert_true(grown > 10);
	toy_run_destroy(run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_programs_agree_under_all_evictions),
		cmocka_unit_test(generated_programs_agree_under_sampled_evictions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
