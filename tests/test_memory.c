/* The machine as a whole (core/host/memory.c): physical addresses, operations, the reset. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/machine.h"

/* Pages stand 4 KiB << scatter apart from the base on, wherever that is. */
static const struct {
	u64 tables_pa;
	u8 scatter_lg2;
	u64 third; /* physical address of slot 2 */
} places[] = {
	{0, 0, 0x2000},
	{0x1000, 0, 0x3000},
	{0x3f000000, 0, 0x3f002000},
	{0x3f000000, 1, 0x3f004000},
	{0x3f000000, 8, 0x3f200000},
	{0xffffffff000, 3, 0x10000000f000},
	{0xfffffffffe000, 0, 0x10000000000000},
	{0x7ffffffffffff000, 0, 0x8000000000001000},
	{0xfffffffff0000000, 4, 0xfffffffff0020000},
};

static struct host_config place_config(size_t i)
{
	return (struct host_config){.tables_pa = places[i].tables_pa,
				    .scatter_lg2 = places[i].scatter_lg2,
				    .coherent = i & 1};
}

static void expect_address(struct host *host, size_t i, u8 *pointer, u64 want)
{
	u64 got = host_pa(host, pointer);

	if (got != want || host_ptr(host, want) != (void *)pointer)
		fail_msg("place %zu: offset 0x%zx is at pa 0x%llx, want 0x%llx and back", i,
			 (size_t)(pointer - host->cpu), got, want);
}

static void pa_is_base_plus_slot_times_distance(void **state)
{
	struct host *host = *state;
	static const u64 offsets[] = {0, 8, 0x7f8, 0xfff};

	for (size_t i = 0; i < ARRAY_NR(places); i++) {
		struct host_config config = place_config(i);
		u64 distance = 0x1000ull << places[i].scatter_lg2;

		machine_make(host, &config);
		for (u32 slot = 0; slot < 4; slot++) {
			u8 *page = (u8 *)machine_page(host);
			u64 want = places[i].third + slot * distance - 2 * distance;

			assert_int_equal(machine_slot(host, page), slot);
			assert_int_equal(host_page_pa(host, slot), want);
			for (size_t at = 0; at < ARRAY_NR(offsets); at++)
				expect_address(host, i, page + offsets[at], want + offsets[at]);
		}
		assert_int_equal(host->faults, 0);
	}
}

static void expect_no_page(struct host *host, size_t i, u64 pa)
{
	if (host_page_of(host, pa) != -1)
		fail_msg("place %zu: pa 0x%llx is slot %lld, want none", i, pa,
			 host_page_of(host, pa));
	host_begin(host, 2, 0);
	if (!machine_leaves(host, host_ptr(host, pa)))
		fail_msg("place %zu: pa 0x%llx gives a pointer, want the operation left", i, pa);
	assert_int_equal(host->escape, HOST_ESCAPE_FAULT);
	assert_int_equal(host->faults, 1u << HOST_FAULT_WILD_PA);
	assert_int_equal(host->fault_where, pa);
	assert_non_null(host->escape_text);
}

static void ptr_of_foreign_pa_leaves_the_operation(void **state)
{
	struct host *host = *state;

	for (size_t i = 0; i < ARRAY_NR(places); i++) {
		struct host_config config = place_config(i);
		u64 distance = 0x1000ull << places[i].scatter_lg2;
		u64 base = places[i].tables_pa;

		machine_make(host, &config);
		machine_page(host);
		machine_page(host);
		expect_no_page(host, i, base - 1);
		expect_no_page(host, i, base + 2 * distance);
		expect_no_page(host, i, base + 2 * distance + 0xfff);
		expect_no_page(host, i, base ^ 1ull << 62);
		if (distance == 0x1000)
			continue;
		expect_no_page(host, i, base + 0x1000);
		expect_no_page(host, i, base + distance - 1);
		expect_no_page(host, i, base + distance + 0x1000);
	}
}

static void expect_no_pa(struct host *host, size_t i, const void *pointer)
{
	machine_make(host, &machine_coherent);
	machine_page(host);
	if (!machine_leaves(host, host_pa(host, pointer)))
		fail_msg("pointer %zu has a physical address, want the operation left", i);
	assert_int_equal(host->escape, HOST_ESCAPE_FAULT);
	assert_int_equal(host->faults, 1u << HOST_FAULT_WILD_PA);
	assert_false(host_is_table(host, pointer));
}

static void pa_of_foreign_pointer_leaves_the_operation(void **state)
{
	struct host *host = *state;
	u64 local = 0;
	const void *const pointers[] = {&local, host->cpu - 1, host->cpu + host->cpu_bytes, NULL};

	for (size_t i = 0; i < ARRAY_NR(pointers); i++)
		expect_no_pa(host, i, pointers[i]);
}

static void step_limit_leaves_the_operation(void **state)
{
	struct host *host = *state;
	u64 *page, *other;

	machine_make(host, &machine_incoherent);
	page = machine_page(host);
	other = machine_page(host);
	host_begin(host, 2, 0);
	host->steps_limit = 5;
	assert_false(machine_leaves(host, host_load(host, page)));
	assert_false(machine_leaves(host, (host_store(host, page, 1), 0)));
	assert_false(machine_leaves(host, (host_flush(host, page, 8), 0)));
	assert_false(machine_leaves(host, host_alloc(host, 8)));
	assert_false(machine_leaves(host, (host_free(host, other), 0)));
	assert_int_equal(host->steps, 5);
	assert_true(machine_leaves(host, host_load(host, page)));
	assert_int_equal(host->escape, HOST_ESCAPE_STEPS);
	assert_int_equal(host->faults, 0);
	host_begin(host, 3, 0);
	assert_int_equal(host->escape, HOST_ESCAPE_NONE);
	assert_false(machine_leaves(host, host_load(host, page)));
}

/* Deeper and deeper, with one load a call, as a walker does that takes each table for a new one. */
static u64 recurse(struct host *host, const u64 *item, u8 **deepest)
{
	volatile u8 frame[64] = {0};

	*deepest = (u8 *)__builtin_frame_address(0);
	if (host_load(host, item) == 1)
		return 0;
	return recurse(host, item, deepest) + frame[0] + 1;
}

static void recursion_is_left_long_before_the_stack_ends(void **state)
{
	struct host *host = *state;
	u8 *here = __builtin_frame_address(0), *deepest = here;
	u64 *page;

	machine_make(host, &machine_incoherent);
	page = machine_page(host);
	assert_true(machine_leaves(host, recurse(host, page, &deepest)));
	assert_int_equal(host->escape, HOST_ESCAPE_STEPS);
	assert_true(here - deepest > HOST_STACK_BYTES / 2);
	assert_true(here - deepest < 1 << 20); /* an eighth of the usual stack */
}

static void allocation_limit_leaves_the_operation(void **state)
{
	struct host *host = *state;

	machine_make(host, &machine_incoherent);
	host->allocs_limit = 2;
	host->fail_alloc = 2;
	assert_non_null(host_alloc(host, 8));
	assert_null(host_alloc(host, 8)); /* one that fails counts too */
	assert_true(machine_leaves(host, host_alloc(host, 8)));
	assert_int_equal(host->escape, HOST_ESCAPE_STEPS);
	assert_int_equal(host->pages_live, 1);
	host_begin(host, 2, 0);
	assert_false(machine_leaves(host, host_alloc(host, 8)));
}

static void begin_starts_the_books_of_an_operation(void **state)
{
	struct host *host = *state;
	u64 *page;

	machine_make(host, &machine_incoherent);
	page = machine_page(host);
	host_store(host, &page[9], 5);
	host_load(host, &page[9]);
	host_load(host, &page[9]);
	host_flush(host, page, 128);
	host_flush(host, page, 64);
	host_sync_all(host);
	host_warn(host, "a");
	host_free(host, page);
	host_free(host, page);
	assert_int_equal(host->total.loads, 0);
	host_begin(host, 2, 3);
	assert_int_equal(host->op.loads | host->op.stores | host->op.flushes | host->op.allocs, 0);
	assert_int_equal(host->op.lines_flushed | host->op.lines_wasted | host->op.frees, 0);
	assert_int_equal(host->total.loads, 2);
	assert_int_equal(host->total.stores, 1);
	assert_int_equal(host->total.flushes, 2);
	assert_int_equal(host->total.lines_flushed, 3);
	assert_int_equal(host->total.lines_wasted, 1);
	assert_int_equal(host->total.allocs, 1);
	assert_int_equal(host->total.frees, 2);
	assert_int_equal(host->total.syncs, 1);
	assert_int_equal(host->steps, 0);
	assert_int_equal(host->faults, 0);
	assert_null(host->warn);
	assert_int_equal(host->touched_nr, 0);
	assert_int_equal(host->born_nr, 0);
	assert_int_equal(host->op_serial, 2);
}

static void on_store(void *arg, u32 page, u32 item, u64 old, u64 new)
{
}

/* Uses everything that a machine has. */
static void wear(struct host *host, u64 word)
{
	u64 *pages[MACHINE_PAGES];

	host->trap = 0x7000 | word;
	host->ignored = 0x400;
	host->observer.store = on_store;
	host->steps_limit = host->allocs_limit = 1000000;
	for (u32 i = 0; i < MACHINE_PAGES; i++)
		pages[i] = machine_page(host);
	host_alloc(host, 8);
	for (u32 i = 0; i < MACHINE_PAGES; i++) {
		host->page[machine_slot(host, pages[i])].watched = true;
		host->page[machine_slot(host, pages[i])].mapped = true;
		host_store(host, &pages[i][i * 60], word + i);
		memset(host->private + i * HOST_PRIVATE_BYTES, 0x5a, HOST_PRIVATE_BYTES);
	}
	host_flush(host, pages[0], 4096);
	for (u32 i = 0; i < MACHINE_PAGES; i += 2)
		host_free(host, pages[i]);
	host_free(host, pages[0]);
	host_warn(host, "worn");
	host_begin(host, 77, 1);
	host_alloc(host, 8);
	host->fail_alloc = 1;
	host_alloc(host, 8);
	host->fail_alloc = 9;
	assert_true(machine_leaves(host, host_ptr(host, 3)));
}

static void expect_new(const struct host *host, const struct host *fresh)
{
	assert_memory_equal(&host->config, &fresh->config, sizeof(host->config));
	assert_memory_equal(&host->op, &fresh->op, sizeof(host->op));
	assert_memory_equal(&host->total, &fresh->total, sizeof(host->total));
	assert_int_equal(host->pages_used | host->pages_live | host->touched_nr | host->born_nr, 0);
	assert_int_equal(host->free_nr | host->fail_alloc | host->faults | host->escape, 0);
	assert_int_equal(host->ignored | host->trap | host->steps | host->events_nr, 0);
	assert_int_equal(host->steps_limit & host->allocs_limit, ~0ull);
	assert_false(host->failed_alloc || host->starved || host->warn || host->escape_text);
	assert_true(!host->escape_to && !host->observer.store && !host->observer.event);
	assert_int_equal(host->op_serial, fresh->op_serial);
	assert_int_equal(host_digest(host), host_digest(fresh));
	for (u32 i = 0; i < MACHINE_PAGES; i++)
		assert_memory_equal(&host->page[i], &fresh->page[i], sizeof(host->page[i]));
	assert_memory_equal(host->private, fresh->private, MACHINE_PAGES * HOST_PRIVATE_BYTES);
}

static void reset_makes_everything_new(void **state)
{
	const struct host_config *const configs[] = {&machine_coherent, &machine_incoherent};
	struct host *host = *state;

	for (u32 i = 0; i < 4; i++) {
		struct host *fresh = host_create(MACHINE_PAGES);

		host_reset(fresh, configs[i & 1]);
		machine_make(host, configs[i >> 1]);
		wear(host, 0x1230);
		host_reset(host, configs[i & 1]);
		expect_new(host, fresh);
		host_begin(host, 1, 0);
		host_begin(fresh, 1, 0);
		wear(host, 0x4560);
		wear(fresh, 0x4560);
		assert_int_equal(host->events_nr, fresh->events_nr);
		assert_int_equal(host_digest(host), host_digest(fresh));
		assert_memory_equal(host->page, fresh->page, MACHINE_PAGES * sizeof(*host->page));
		host_destroy(fresh);
	}
}

static void reset_bounds_the_pages_there_are(void **state)
{
	static const struct {
		u32 asked, want;
	} rows[] = {{0, 8}, {1, 1}, {7, 7}, {8, 8}, {9, 8}, {~0u, 8}};
	struct host *host = *state;

	for (size_t i = 0; i < ARRAY_NR(rows); i++) {
		struct host_config config = machine_coherent;
		u32 got = 0;

		config.pages_nr = rows[i].asked;
		machine_make(host, &config);
		while (host_alloc(host, HOST_PAGE_BYTES))
			got++;
		if (got != rows[i].want)
			fail_msg("pages_nr %u: got %u pages, want %u", rows[i].asked, got,
				 rows[i].want);
	}
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, machine_setup, machine_teardown)
	const struct CMUnitTest tests[] = {
		TEST(pa_is_base_plus_slot_times_distance),
		TEST(ptr_of_foreign_pa_leaves_the_operation),
		TEST(pa_of_foreign_pointer_leaves_the_operation),
		TEST(step_limit_leaves_the_operation),
		TEST(recursion_is_left_long_before_the_stack_ends),
		TEST(allocation_limit_leaves_the_operation),
		TEST(begin_starts_the_books_of_an_operation),
		TEST(reset_makes_everything_new),
		TEST(reset_bounds_the_pages_there_are),
	};

	host_destroy(NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
