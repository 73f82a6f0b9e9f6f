/* The record of what happened (core/host/event.c): the ring, its digest, and who is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/machine.h"

static void ring_keeps_the_last_events(void **state)
{
	struct host *host = *state;

	machine_make(host, &machine_incoherent);
	for (u64 i = 1; i < HOST_EVENTS; i++)
		host_gather(host, i, i);
	assert_int_equal(host->events_nr, HOST_EVENTS);
	assert_int_equal(host->events[0].kind, HOST_EVENT_BEGIN);
	for (u64 i = HOST_EVENTS; i < 3 * HOST_EVENTS + 7; i++)
		host_gather(host, i, i);
	assert_int_equal(host->events_nr, 3 * HOST_EVENTS + 7);
	for (u32 back = 0; back < HOST_EVENTS; back++)
		assert_int_equal(machine_last(host, back)->a, 3 * HOST_EVENTS + 6 - back);
	assert_int_equal(machine_count(host, HOST_EVENT_BEGIN), 0);
}

static void events_say_what_happened(void **state)
{
	struct host *host = *state;
	const struct host_event *event;

	machine_make(host, &machine_incoherent);
	host_begin(host, 12, 3);
	event = machine_last(host, 0);
	assert_int_equal(event->kind, HOST_EVENT_BEGIN);
	assert_int_equal(event->a, 12);
	assert_int_equal(event->b, 3);
	host_gather(host, 0x1000, ~0ull);
	event = machine_last(host, 0);
	assert_int_equal(event->kind, HOST_EVENT_GATHER);
	assert_int_equal(event->a, 0x1000);
	assert_int_equal(event->b, ~0ull);
	host_sync(host, 1, 2, 0x81, 0x42);
	event = machine_last(host, 0);
	assert_int_equal(event->kind, HOST_EVENT_SYNC);
	assert_int_equal(event->item, 0x4281);
	assert_int_equal(event->a, 1);
	assert_int_equal(event->b, 2);
	host_sync_all(host);
	assert_int_equal(machine_last(host, 0)->kind, HOST_EVENT_SYNC_ALL);
	assert_int_equal(host->op.syncs, 2);
	host_change_top(host, 0x5000, 4);
	event = machine_last(host, 0);
	assert_int_equal(event->kind, HOST_EVENT_CHANGE_TOP);
	assert_int_equal(event->a, 0x5000);
	assert_int_equal(event->b, 4);
}

static void first_warning_and_first_fault_stay(void **state)
{
	struct host *host = *state;

	machine_make(host, &machine_incoherent);
	host_warn(host, "first");
	host_warn(host, "second");
	assert_string_equal(host->warn, "first");
	assert_string_equal(machine_last(host, 0)->text, "second");
	host_fault(host, HOST_FAULT_DMA_API, 5);
	host_fault(host, HOST_FAULT_WILD_PA, 6);
	assert_int_equal(host->fault_where, 5);
	assert_int_equal(host->faults, 1u << HOST_FAULT_DMA_API | 1u << HOST_FAULT_WILD_PA);
}

static void leave_tells_why(void **state)
{
	struct host *host = *state;

	machine_make(host, &machine_incoherent);
	assert_true(machine_leaves(host, (host_leave(host, HOST_ESCAPE_SIGNAL, "ubsan"), 0)));
	assert_int_equal(host->escape, HOST_ESCAPE_SIGNAL);
	assert_string_equal(host->escape_text, "ubsan");
}

struct told {
	u32 nr;
	u8 kind[32];
};

static void on_event(void *arg, const struct host_event *event)
{
	struct told *told = arg;

	told->kind[told->nr++] = event->kind;
}

static void observer_is_told_all_but_stores_and_flushes(void **state)
{
	static const u8 want[] = {HOST_EVENT_ALLOC, HOST_EVENT_GATHER,	 HOST_EVENT_SYNC,
				  HOST_EVENT_FREE,  HOST_EVENT_SYNC_ALL, HOST_EVENT_CHANGE_TOP,
				  HOST_EVENT_WARN,  HOST_EVENT_FAULT,	 HOST_EVENT_REFUSE};
	struct host *host = *state;
	struct told told = {0};
	u64 *page;

	machine_make(host, &machine_incoherent);
	host->observer = (struct host_observer){.event = on_event, .arg = &told};
	page = machine_page(host);
	host_store(host, page, 1);
	host_flush(host, page, 8);
	host_gather(host, 0, 1);
	host_sync(host, 0, 1, 0, 0);
	host_free(host, page);
	host_sync_all(host);
	host_change_top(host, 0, 0);
	host_warn(host, "w");
	host_fault(host, HOST_FAULT_DMA_API, 0);
	host_alloc(host, ~0ull);
	assert_int_equal(told.nr, ARRAY_NR(want));
	assert_memory_equal(told.kind, want, sizeof(want));
}

/* A run of all kinds of events; @odd is the number of the step that is done otherwise, or 0. */
static u64 run_digest(struct host *host, int odd)
{
	u64 *page, *other;

	machine_make(host, &machine_incoherent);
	page = machine_page(host);
	other = host_alloc(host, odd == 1 ? 8 : 4096);
	host_store(host, &page[odd == 2 ? 4 : 5], 0x1003);
	host_store(host, odd == 3 ? &other[5] : &page[5], 0);
	host_store(host, &page[5], odd == 4 ? 2 : 3);
	if (odd == 5)
		host_load(host, page); /* loads are not recorded */
	if (odd != 6)
		host_flush(host, page, odd == 7 ? 72 : 64);
	host_gather(host, 0, odd == 8 ? 0x1fff : 0xfff);
	host_sync(host, 0, 0xfff, odd == 9, 0);
	if (odd == 10)
		host_sync_all(host);
	host_free(host, odd == 11 ? page : other);
	host_begin(host, 2, odd == 12);
	return host_digest(host);
}

static void digest_is_equal_for_equal_runs_only(void **state)
{
	struct host *host = *state;
	struct host *other = host_create(4 * MACHINE_PAGES);
	u64 plain = run_digest(host, 0);

	assert_int_equal(run_digest(host, 0), plain);
	assert_int_equal(run_digest(other, 0), plain);
	for (int odd = 1; odd <= 12; odd++)
		if ((run_digest(host, odd) == plain) != (odd == 5))
			fail_msg("step %d: the digest is wrong", odd);
	host_destroy(other);
}

/* HOST_EVENTS gathers; two of them the other way round, one more event, or all of them twice. */
static void digest_tells_order_and_number(void **state)
{
	struct host *host = *state;
	u64 digest[4];

	for (u32 i = 0; i < 4; i++) {
		machine_make(host, &machine_incoherent);
		for (u32 turn = 0; turn < (i == 3 ? 2 : 1) * HOST_EVENTS; turn++)
			host_gather(host, (turn % HOST_EVENTS) ^ (i == 1 && turn >> 1 == 9), 0);
		if (i == 2)
			host_sync_all(host);
		digest[i] = host_digest(host);
	}
	for (u32 i = 0; i < 4; i++)
		for (u32 j = 0; j < i; j++)
			assert_int_not_equal(digest[i], digest[j]);
}

static void words_name_every_kind_and_fault_once(void **state)
{
	for (u32 i = 0; i < HOST_EVENT_NR; i++)
		for (u32 j = 0; j < i; j++)
			assert_string_not_equal(host_event_word(i), host_event_word(j));
	for (u32 i = 0; i < HOST_FAULT_NR; i++)
		for (u32 j = 0; j < i; j++)
			assert_string_not_equal(host_fault_word(i), host_fault_word(j));
	assert_string_equal(host_event_word(HOST_EVENT_CHANGE_TOP), "change-top");
	assert_string_equal(host_fault_word(HOST_FAULT_FLUSH_FOREIGN), "flush-foreign");
	assert_string_equal(host_event_word(HOST_EVENT_NR), "?");
	assert_string_equal(host_fault_word(HOST_FAULT_NR), "?");
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, machine_setup, machine_teardown)
	const struct CMUnitTest tests[] = {
		TEST(ring_keeps_the_last_events),
		TEST(events_say_what_happened),
		TEST(first_warning_and_first_fault_stay),
		TEST(leave_tells_why),
		TEST(observer_is_told_all_but_stores_and_flushes),
		TEST(digest_is_equal_for_equal_runs_only),
		TEST(digest_tells_order_and_number),
		TEST(words_name_every_kind_and_fault_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
