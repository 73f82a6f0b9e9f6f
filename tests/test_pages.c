/* The life of table pages (core/host/pages.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/host/poison.h"
#include "tests/machine.h"

#define TRAP 0x7ffffffff003ull

/* Reads what AddressSanitizer must not let a walker read. */
static __attribute__((noinline, no_sanitize("address"))) u64 peek(const u64 *item)
{
	return *(const volatile u64 *)item;
}

static void pages_are_zeroed_new_and_reused(void **state)
{
	struct host *host = *state;
	struct host_config config = {.pages_nr = 1};

	for (int coherent = 0; coherent < 2; coherent++) {
		config.coherent = coherent;
		machine_make(host, &config);
		host->trap = TRAP;
		for (int round = 0; round < 3; round++) {
			u64 *page = machine_page(host);

			for (u32 i = 0; i < HOST_ITEMS; i++) {
				assert_int_equal(page[i], 0);
				host_store(host, &page[i], ~0ull);
			}
			assert_int_equal(host->page[0].state, HOST_PAGE_LIVE);
			assert_int_equal(host->pages_live, 1);
			host_free(host, page);
			assert_int_equal(host->page[0].state, HOST_PAGE_FREE);
			assert_int_equal(host->pages_live, 0);
		}
		assert_int_equal(host->faults, 0);
		assert_int_equal(host->op.allocs, 3);
		assert_int_equal(host->op.frees, 3);
	}
}

static void freed_pages_hold_traps_and_are_poisoned(void **state)
{
	struct host *host = *state;

	for (int kind = 0; kind < 4; kind++) {
		struct host_config config = {.coherent = kind & 1, .slow = kind & 2};
		u64 *page;

		machine_make(host, &config);
		host->trap = TRAP;
		page = machine_page(host);
		host_store(host, &page[3], 5);
		host_free(host, page);
		for (u32 i = 0; i < HOST_ITEMS; i++) {
			assert_int_equal(peek(&page[i]), TRAP);
			assert_int_equal(peek((u64 *)host->device + i), TRAP);
		}
		assert_int_equal(host->page[0].differs | host->page[0].needed, 0);
#ifdef POISON_WITH_ASAN
		assert_true(__asan_address_is_poisoned(&page[0]));
		assert_true(__asan_address_is_poisoned((u8 *)page + 4095));
		page = machine_page(host);
		assert_false(__asan_address_is_poisoned(page));
		host_reset(host, &config);
		assert_true(__asan_address_is_poisoned(page));
#endif
	}
}

/* a..h allocate into a name, A..H free it; what slots the allocations get. */
static void slots_are_fresh_first_then_oldest_freed(void **state)
{
	static const struct {
		u32 pages_nr;
		const char *calls;
		const char *slots;
	} rows[] = {
		{8, "abc", "012"},	  {8, "abABc", "012"},	       {3, "abcBACdef", "012102"},
		{2, "abBAcCde", "01101"}, {2, "abAcBdCeDf", "010101"}, {1, "aAbBcCd", "0000"},
		{2, "abc", "01-"},	  {2, "abcAdBef", "01-01-"},
	};
	struct host *host = *state;

	for (size_t i = 0; i < ARRAY_NR(rows); i++) {
		struct host_config config = {.pages_nr = rows[i].pages_nr};
		char got[16] = "";
		void *page[8];
		size_t at = 0;

		machine_make(host, &config);
		for (const char *call = rows[i].calls; *call; call++) {
			if (*call < 'a') {
				host_free(host, page[*call - 'A']);
				continue;
			}
			page[*call - 'a'] = host_alloc(host, 8);
			got[at++] = page[*call - 'a']
					    ? (char)('0' + machine_slot(host, page[*call - 'a']))
					    : '-';
		}
		if (strcmp(got, rows[i].slots))
			fail_msg("%s of %u: got %s, want %s", rows[i].calls, rows[i].pages_nr, got,
				 rows[i].slots);
		assert_int_equal(host->faults, 0);
	}
}

static void allocations_take_whole_pages_in_a_row(void **state)
{
	static const struct {
		u64 bytes;
		u32 pages;
	} rows[] = {{1, 1},	   {4096, 1},	  {4097, 2},	    {8192, 2},
		    {3 * 4096, 3}, {8 * 4096, 8}, {8 * 4096 + 1, 0}};
	struct host *host = *state;

	for (size_t i = 0; i < ARRAY_NR(rows); i++) {
		u8 *memory;

		machine_make(host, &machine_incoherent);
		memory = host_alloc(host, rows[i].bytes);
		if (!!memory != !!rows[i].pages || host->pages_live != rows[i].pages)
			fail_msg("0x%llx bytes: got %u pages, want %u", rows[i].bytes,
				 host->pages_live, rows[i].pages);
		if (!memory)
			continue;
		assert_int_equal(host->page[0].run, rows[i].pages);
		for (u32 nr = 1; nr < rows[i].pages; nr++)
			assert_int_equal(host->page[nr].run, 0);
		for (u32 at = 0; at < rows[i].pages * 4096u; at++)
			assert_int_equal(memory[at], 0);
		assert_int_equal(host_pa(host, memory + rows[i].pages * 4096u - 1),
				 host->config.tables_pa + rows[i].pages * 4096u - 1);
		host_free(host, memory);
		assert_int_equal(host->pages_live, 0);
		assert_int_equal(machine_last(host, 0)->a, rows[i].pages);
		assert_int_equal(host->faults, 0);
	}
}

static void freed_slots_make_no_run(void **state)
{
	struct host_config config = {.pages_nr = 3};
	struct host *host = *state;
	void *pair;

	machine_make(host, &config);
	pair = host_alloc(host, 8192);
	host_free(host, pair);
	assert_null(host_alloc(host, 8192));
	assert_true(host->starved);
	assert_int_equal(machine_slot(host, host_alloc(host, 8)), 2);
	assert_int_equal(machine_slot(host, host_alloc(host, 8)), 0);
	assert_int_equal(machine_slot(host, host_alloc(host, 8)), 1);
	assert_null(host_alloc(host, 8));
}

static void wrong_frees_are_faults_that_change_nothing(void **state)
{
	struct host *host = *state;
	u64 local = 0;

	for (int i = 0; i < 7; i++) {
		u8 *page, *pair, *freed;

		machine_make(host, &machine_incoherent);
		page = (u8 *)machine_page(host);
		pair = host_alloc(host, 8192);
		freed = (u8 *)machine_page(host);
		host_free(host, freed);
		void *const wrong[] = {freed,
				       page + 8,
				       pair + 4096,
				       &local,
				       host->cpu - 4096,
				       freed + 4096,
				       host->cpu + host->cpu_bytes};

		host_free(host, wrong[i]);
		if (host->faults != 1u << HOST_FAULT_DOUBLE_FREE)
			fail_msg("free %d: faults 0x%x, want double-free", i, host->faults);
		assert_int_equal(host->pages_live, 3);
		assert_int_equal(host->free_nr, 1);
		assert_int_equal(machine_count(host, HOST_EVENT_FREE), 1);
		assert_int_equal(machine_last(host, 0)->kind, HOST_EVENT_FAULT);
	}
}

static void access_after_free_leaves_the_operation(void **state)
{
	struct host *host = *state;
	u64 *page;

	machine_make(host, &machine_incoherent);
	host->trap = TRAP;
	page = machine_page(host);
	host_free(host, page);
	assert_true(machine_leaves(host, host_load(host, &page[5])));
	assert_int_equal(host->faults, 1u << HOST_FAULT_LOAD_FREED);
	assert_int_equal(host->fault_where, 40);
	assert_int_equal(host->escape, HOST_ESCAPE_FAULT);
	host_begin(host, 2, 0);
	assert_true(machine_leaves(host, (host_store(host, &page[6], 1), 0)));
	assert_int_equal(host->faults, 1u << HOST_FAULT_STORE_FREED);
	assert_int_equal(host->fault_where, 48);
	assert_int_equal(peek(&page[6]), TRAP);
	host_begin(host, 3, 0);
	host_flush(host, page, 8);
	assert_int_equal(host->faults, 1u << HOST_FAULT_FLUSH_FREED);
	host_begin(host, 4, 0);
	assert_true(machine_leaves(host, host_load(host, page + HOST_ITEMS)));
	assert_int_equal(host->faults, 1u << HOST_FAULT_LOAD_FREED);
}

static void nth_allocation_fails_when_injected(void **state)
{
	struct host *host = *state;

	for (u32 n = 0; n < 5; n++) {
		machine_make(host, &machine_incoherent);
		host->fail_alloc = n;
		for (u32 i = 1; i <= 4; i++)
			if (!host_alloc(host, 8) != (i == n))
				fail_msg("fail_alloc %u: allocation %u is wrong", n, i);
		assert_int_equal(host->failed_alloc, n > 0);
		assert_false(host->starved);
		assert_int_equal(host->op.allocs, 4);
		assert_int_equal(host->pages_live, n ? 3 : 4);
		assert_int_equal(machine_count(host, HOST_EVENT_REFUSE), n > 0);
	}
}

static void allocations_starve_when_no_page_is_left(void **state)
{
	static const u64 bytes[] = {8, 0, 8193, ~0ull, 1ull << 63, 0x100000000000ull};
	struct host_config config = {.pages_nr = 2};
	struct host *host = *state;

	for (size_t i = 0; i < ARRAY_NR(bytes); i++) {
		machine_make(host, &config);
		if (!i)
			host_alloc(host, 8192);
		assert_false(host->starved);
		if (host_alloc(host, bytes[i]))
			fail_msg("0x%llx bytes were allocated, want NULL", bytes[i]);
		assert_true(host->starved);
		assert_false(host->failed_alloc);
		assert_int_equal(machine_last(host, 0)->kind, HOST_EVENT_REFUSE);
		assert_int_equal(machine_last(host, 0)->a, bytes[i]);
		assert_int_equal(machine_last(host, 0)->b, 0);
		host_begin(host, 2, 0);
		assert_false(host->starved);
	}
}

static void pages_born_in_an_operation_are_listed_once(void **state)
{
	struct host_config config = {.pages_nr = 2};
	struct host *host = *state;
	u64 *page;

	machine_make(host, &config);
	machine_page(host);
	host_begin(host, 7, 0);
	page = machine_page(host);
	assert_int_equal(host->page[1].birth, 7);
	host_store(host, page, 1);
	host->page[1].watched = host->page[1].mapped = true;
	host_free(host, page);
	page = machine_page(host);
	assert_int_equal(host->born_nr, 1);
	assert_int_equal(host->born[0], 1);
	assert_true(host->page[1].born);
	assert_false(host->page[0].born);
	assert_false(host->page[1].watched || host->page[1].mapped);
	assert_int_equal(host->page[1].stored, 0);
	host_store(host, page, 1);
	assert_int_equal(host->touched_nr, 1);
	host_begin(host, 8, 0);
	assert_false(host->page[1].born);
	assert_int_equal(host->page[1].birth, 7);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, machine_setup, machine_teardown)
	const struct CMUnitTest tests[] = {
		TEST(pages_are_zeroed_new_and_reused),
		TEST(freed_pages_hold_traps_and_are_poisoned),
		TEST(slots_are_fresh_first_then_oldest_freed),
		TEST(allocations_take_whole_pages_in_a_row),
		TEST(freed_slots_make_no_run),
		TEST(wrong_frees_are_faults_that_change_nothing),
		TEST(access_after_free_leaves_the_operation),
		TEST(nth_allocation_fails_when_injected),
		TEST(allocations_starve_when_no_page_is_left),
		TEST(pages_born_in_an_operation_are_listed_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
