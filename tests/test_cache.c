/* Cache lines (core/host/cache.c and host_store()): the two views, and what a flush is good for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/machine.h"

/* A page whose lines are all clean. */
static u64 *clean_page(struct host *host)
{
	u64 *page = machine_page(host);

	host_flush(host, page, HOST_PAGE_BYTES);
	return page;
}

static u64 device_item(const struct host *host, const u64 *item)
{
	return ((const u64 *)host->device)[item - (const u64 *)host->cpu];
}

static void store_is_seen_at_once_when_coherent(void **state)
{
	struct host *host = *state;

	for (int slow = 0; slow < 2; slow++) {
		struct host_config config = machine_coherent;
		u64 *page;

		config.slow = slow;
		machine_make(host, &config);
		assert_int_equal(host->device != host->cpu, slow);
		page = machine_page(host);
		assert_int_equal(device_item(host, &page[7]), 0);
		host_store(host, &page[7], 0x1234);
		assert_int_equal(device_item(host, &page[7]), 0x1234);
		assert_int_equal(host->page[0].differs | host->page[0].needed, 0);
		assert_int_equal(host->page[0].stored, 1);
		assert_int_equal(host->page[0].touched, 1);
	}
}

static void store_is_seen_after_a_flush_when_incoherent(void **state)
{
	struct host *host = *state;
	u64 *page;

	machine_make(host, &machine_incoherent);
	page = clean_page(host);
	host_store(host, &page[7], 0x1234);
	host_store(host, &page[8], 0x5678);
	assert_int_equal(page[7], 0x1234);
	assert_int_equal(device_item(host, &page[7]), 0);
	assert_int_equal(host->page[0].differs, 3);
	host_flush(host, &page[7], 8);
	assert_int_equal(device_item(host, &page[7]), 0x1234);
	assert_int_equal(device_item(host, &page[8]), 0);
	assert_int_equal(host->page[0].differs, 2);
	assert_int_equal(host->page[0].needed, 2);
}

static void new_page_is_unknown_to_an_incoherent_device(void **state)
{
	struct host *host = *state;
	u64 *page;

	machine_make(host, &machine_incoherent);
	host->trap = 0x7003;
	page = machine_page(host);
	for (u32 i = 0; i < HOST_ITEMS; i++) {
		assert_int_equal(page[i], 0);
		assert_int_equal(device_item(host, &page[i]), 0x7003);
	}
	assert_int_equal(host->page[0].differs, ~0ull);
	assert_int_equal(host->page[0].needed, ~0ull);
	host_flush(host, page, HOST_PAGE_BYTES);
	assert_int_equal(host->op.lines_flushed, 64);
	assert_int_equal(host->op.lines_wasted, 0);
	assert_int_equal(host->page[0].differs | host->page[0].needed, 0);
	assert_memory_equal(host->device, page, HOST_PAGE_BYTES);
}

/* Items stored to, and the masks of the page after that. */
static void stores_mark_their_lines(void **state)
{
	static const struct {
		u32 item[3];
		u64 lines;
	} rows[] = {
		{{0, 0, 0}, 1},
		{{0, 7, 1}, 1},
		{{7, 8, 9}, 3},
		{{511, 504, 511}, 1ull << 63},
		{{503, 504, 256}, 3ull << 62 | 1ull << 32},
	};
	struct host *host = *state;

	for (size_t i = 0; i < ARRAY_NR(rows); i++) {
		u64 *page;

		machine_make(host, &machine_incoherent);
		page = clean_page(host);
		host_begin(host, 2, 0);
		for (size_t at = 0; at < 3; at++)
			host_store(host, &page[rows[i].item[at]], 5);
		if (host->page[0].differs != rows[i].lines ||
		    host->page[0].needed != rows[i].lines ||
		    host->page[0].stored != rows[i].lines || host->page[0].touched != rows[i].lines)
			fail_msg("row %zu: lines 0x%llx differ, 0x%llx needed, 0x%llx stored, "
				 "0x%llx touched, want 0x%llx",
				 i, host->page[0].differs, host->page[0].needed,
				 host->page[0].stored, host->page[0].touched, rows[i].lines);
		assert_int_equal(host->touched_nr, 1);
		assert_int_equal(host->touched[0], 0);
	}
}

/* A flush of bytes first..first+bytes-1 of three pages, and the lines of each that it is to clean. */
static const struct {
	u64 first, bytes;
	u64 lines[3];
} flushes[] = {
	{0, 1, {1, 0, 0}},
	{63, 1, {1, 0, 0}},
	{63, 2, {3, 0, 0}},
	{64, 64, {2, 0, 0}},
	{60, 8, {3, 0, 0}},
	{0, 4096, {~0ull, 0, 0}},
	{1, 4096, {~0ull, 1, 0}},
	{4032, 64, {1ull << 63, 0, 0}},
	{4095, 1, {1ull << 63, 0, 0}},
	{4095, 2, {1ull << 63, 1, 0}},
	{4096, 64, {0, 1, 0}},
	{4032, 4224, {1ull << 63, ~0ull, 1}},
	{0, 12288, {~0ull, ~0ull, ~0ull}},
	{12287, 1, {0, 0, 1ull << 63}},
};

static void flush_cleans_the_lines_of_its_range(void **state)
{
	struct host *host = *state;

	for (size_t i = 0; i < ARRAY_NR(flushes); i++) {
		u32 pages_hit = 0;
		u64 lines_nr = 0;
		u8 *memory;

		machine_make(host, &machine_incoherent);
		memory = host_alloc(host, 3 * HOST_PAGE_BYTES);
		for (u32 item = 0; item < 3 * HOST_ITEMS; item++)
			host_store(host, (u64 *)memory + item, item + 1);
		host_begin(host, 2, 0);
		host_flush(host, memory + flushes[i].first, flushes[i].bytes);
		for (u32 nr = 0; nr < 3; nr++) {
			u64 want = flushes[i].lines[nr];

			if (host->page[nr].differs != ~want || host->page[nr].needed != ~want)
				fail_msg(
					"flush %zu of 0x%llx+0x%llx: page %u: lines 0x%llx differ, "
					"want 0x%llx",
					i, flushes[i].first, flushes[i].bytes, nr,
					host->page[nr].differs, ~want);
			assert_int_equal(host->page[nr].touched, want);
			pages_hit += !!want;
			lines_nr += (u64)__builtin_popcountll(want);
		}
		for (u32 item = 0; item < 3 * HOST_ITEMS; item++) {
			bool clean = flushes[i].lines[item / HOST_ITEMS] >> (item / 8 % 64) & 1;

			assert_int_equal(device_item(host, (u64 *)memory + item),
					 clean ? item + 1 : 0);
		}
		assert_int_equal(host->op.flushes, 1);
		assert_int_equal(host->op.lines_flushed, lines_nr);
		assert_int_equal(host->op.lines_wasted, 0);
		assert_int_equal(machine_count(host, HOST_EVENT_FLUSH), pages_hit);
		assert_int_equal(host->touched_nr, pages_hit);
		assert_int_equal(host->faults, 0);
	}
}

static void flush_without_any_use_is_a_fault(void **state)
{
	struct host *host = *state;
	u64 local = 0;
	u8 *page;
	const struct {
		bool coherent;
		const void *pointer;
		u64 bytes;
		enum host_fault fault;
	} rows[] = {
		{true, host->cpu, 8, HOST_FAULT_FLUSH_COHERENT},
		{true, host->cpu, 0, HOST_FAULT_FLUSH_COHERENT},
		{false, host->cpu, 0, HOST_FAULT_FLUSH_NOTHING},
		{false, &local, 8, HOST_FAULT_FLUSH_FOREIGN},
		{false, host->cpu - 8, 16, HOST_FAULT_FLUSH_FOREIGN},
		{false, host->cpu + 8, ~0ull, HOST_FAULT_FLUSH_FOREIGN},
		{false, host->cpu + host->cpu_bytes - 8, 16, HOST_FAULT_FLUSH_FOREIGN},
		{false, host->cpu + host->cpu_bytes, 8, HOST_FAULT_FLUSH_FOREIGN},
		{false, host->cpu + HOST_PAGE_BYTES, 8, HOST_FAULT_FLUSH_FREED},
	};

	for (size_t i = 0; i < ARRAY_NR(rows); i++) {
		machine_make(host, rows[i].coherent ? &machine_coherent : &machine_incoherent);
		page = (u8 *)machine_page(host);
		assert_ptr_equal(page, host->cpu);
		host_flush(host, rows[i].pointer, rows[i].bytes);
		if (host->faults != 1u << rows[i].fault)
			fail_msg("flush %zu: faults 0x%x, want %s", i, host->faults,
				 host_fault_word(rows[i].fault));
		assert_int_equal(machine_last(host, 0)->kind, HOST_EVENT_FAULT);
		assert_int_equal(machine_last(host, 0)->item, rows[i].fault);
		assert_int_equal(host->op.flushes, 1);
		assert_int_equal(host->op.lines_flushed, 0);
	}
}

static void lines_flushed_without_need_are_counted(void **state)
{
	struct host *host = *state;
	u64 *page;

	machine_make(host, &machine_incoherent);
	page = clean_page(host);
	host_begin(host, 2, 0);
	host_store(host, &page[8], 1);
	host_flush(host, page, 256);
	assert_int_equal(host->op.lines_flushed, 4);
	assert_int_equal(host->op.lines_wasted, 3);
	assert_int_equal(machine_last(host, 0)->a, 0xf);
	assert_int_equal(machine_last(host, 0)->b, 0xd);
	assert_int_equal(host->page[0].touched, 2);
	host_flush(host, &page[8], 8);
	assert_int_equal(host->op.lines_wasted, 4);
	host_store(host, &page[8], 2);
	host_flush(host, &page[8], 8);
	assert_int_equal(host->op.lines_wasted, 4);
	assert_int_equal(host->faults, 0);
}

/* A line needs a flush when more than ignored bits changed in it, or a store changed nothing. */
static void ignored_bits_need_no_flush(void **state)
{
	static const struct {
		u64 old, new;
		bool needed;
	} rows[] = {
		{0, 0x400, false},     {0x400, 0, false},    {0x3, 0x800000000000403, false},
		{0, 1, true},	       {0x400, 0x401, true}, {0x401, 0x400, true},
		{0x400, 0x400, true},  {0, 0, true},	     {0x1000, 0x2000, true},
		{0, 1ull << 63, true},
	};
	struct host *host = *state;

	for (size_t i = 0; i < ARRAY_NR(rows); i++) {
		u64 *page;

		machine_make(host, &machine_incoherent);
		host->ignored = 0x800000000000400;
		page = machine_page(host);
		host_store(host, page, rows[i].old);
		host_flush(host, page, HOST_PAGE_BYTES);
		host_store(host, page, rows[i].new);
		if (host->page[0].differs != 1 || host->page[0].needed != rows[i].needed)
			fail_msg("0x%llx over 0x%llx: differs 0x%llx needed 0x%llx, want 1 and %d",
				 rows[i].new, rows[i].old, host->page[0].differs,
				 host->page[0].needed, rows[i].needed);
		host_flush(host, page, 8);
		assert_int_equal(host->op.lines_wasted, !rows[i].needed);
		assert_int_equal(device_item(host, page), rows[i].new);
	}
}

static void cmpxchg_stores_what_it_exchanged_only(void **state)
{
	struct host *host = *state;
	u64 *page, old = 5;

	machine_make(host, &machine_incoherent);
	page = clean_page(host);
	host_begin(host, 2, 0);
	assert_false(host_cmpxchg(host, page, &old, 7));
	assert_int_equal(old, 0);
	assert_int_equal(page[0], 0);
	assert_int_equal(host->op.stores, 0);
	assert_int_equal(host->page[0].differs, 0);
	assert_true(host_cmpxchg(host, page, &old, 7));
	assert_int_equal(old, 0);
	assert_int_equal(page[0], 7);
	assert_int_equal(host->op.loads, 2);
	assert_int_equal(host->op.stores, 1);
	assert_int_equal(machine_last(host, 0)->kind, HOST_EVENT_STORE);
	assert_int_equal(machine_last(host, 0)->a, 0);
	assert_int_equal(machine_last(host, 0)->b, 7);
}

static void device_store_is_in_both_views_and_dirties_no_line(void **state)
{
	const struct host_config *const configs[] = {&machine_coherent, &machine_incoherent};
	struct host *host = *state;

	for (size_t i = 0; i < ARRAY_NR(configs); i++) {
		u64 *page;

		machine_make(host, configs[i]);
		machine_page(host);
		page = machine_page(host);
		if (!configs[i]->coherent)
			host_flush(host, page, HOST_PAGE_BYTES);
		host_device_store(host, 1, 511, 0x40);
		assert_int_equal(page[511], 0x40);
		assert_int_equal(device_item(host, &page[511]), 0x40);
		assert_int_equal(host->page[1].differs | host->page[1].stored, 0);
		assert_int_equal(host_unreported(host), -1);
	}
}

static void unreported_stores_are_found_in_slow_mode(void **state)
{
	struct host *host = *state;

	for (int coherent = 0; coherent < 2; coherent++) {
		struct host_config config = {.coherent = coherent, .slow = true};
		u64 *freed, *page;

		machine_make(host, &config);
		freed = machine_page(host);
		page = machine_page(host);
		if (!coherent)
			host_flush(host, page, HOST_PAGE_BYTES);
		host_store(host, &page[100], 3);
		host_free(host, freed);
		assert_int_equal(host_unreported(host), -1);
		page[300] = 1;
		assert_int_equal(host_unreported(host), 1);
		page[300] = 0;
		assert_int_equal(host_unreported(host), -1);
		page[511] = 1ull << 63;
		assert_int_equal(host_unreported(host), 1);
	}
}

struct seen {
	u32 nr, page, item;
	u64 old, new;
};

static void on_store(void *arg, u32 page, u32 item, u64 old, u64 new)
{
	struct seen *seen = arg;

	*seen = (struct seen){seen->nr + 1, page, item, old, new};
}

static void observer_sees_stores_to_watched_pages_only(void **state)
{
	struct host *host = *state;
	struct seen seen = {0};
	u64 *first, *second;

	machine_make(host, &machine_coherent);
	host->observer = (struct host_observer){.store = on_store, .arg = &seen};
	first = machine_page(host);
	second = machine_page(host);
	host->page[1].watched = true;
	host_store(host, first, 1);
	assert_int_equal(seen.nr, 0);
	host_store(host, &second[17], 1);
	host_store(host, &second[17], 2);
	assert_int_equal(seen.nr, 2);
	assert_int_equal(seen.page, 1);
	assert_int_equal(seen.item, 17);
	assert_int_equal(seen.old, 1);
	assert_int_equal(seen.new, 2);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, machine_setup, machine_teardown)
	const struct CMUnitTest tests[] = {
		TEST(store_is_seen_at_once_when_coherent),
		TEST(store_is_seen_after_a_flush_when_incoherent),
		TEST(new_page_is_unknown_to_an_incoherent_device),
		TEST(stores_mark_their_lines),
		TEST(flush_cleans_the_lines_of_its_range),
		TEST(flush_without_any_use_is_a_fault),
		TEST(lines_flushed_without_need_are_counted),
		TEST(ignored_bits_need_no_flush),
		TEST(cmpxchg_stores_what_it_exchanged_only),
		TEST(device_store_is_in_both_views_and_dirties_no_line),
		TEST(unreported_stores_are_found_in_slow_mode),
		TEST(observer_sees_stores_to_watched_pages_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
