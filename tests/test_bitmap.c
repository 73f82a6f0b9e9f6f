/* The guards around dirty bitmaps: every write beside a bitmap is seen, none inside it, and none twice. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "fuzzers/bitmap.h"
#include "fuzzers/trap.h"

static struct bitmap bitmap;

static int setup(void **state)
{
	return bitmap_create(&bitmap) ? 0 : -1;
}

static int teardown(void **state)
{
	bitmap_destroy(&bitmap);
	return 0;
}

static void bitmap_filled_is_inside(void **state)
{
	for (size_t bytes = 0; bytes <= BITMAP_BYTES_MAX; bytes = bytes * 2 + 1) {
		u8 *bits = bitmap_open(&bitmap, bytes);

		for (size_t i = 0; i < bytes; i++)
			assert_int_equal(bits[i], 0);
		memset(bits, 0xff, bytes);
		assert_false(bitmap_outside(&bitmap));
		bitmap_close(&bitmap);
	}
}

static void write_beside_is_seen_once(void **state)
{
	static const int at[] = {-4160, -65, -2, -1, 0, 1, 2, 63, 4096, 12287};

	for (size_t bytes = 0; bytes <= BITMAP_BYTES_MAX; bytes = bytes * 2 + 1) {
		for (size_t i = 0; i < ARRAY_NR(at); i++) {
			u8 *bits = bitmap_open(&bitmap, bytes);

			bits[at[i] < 0 ? at[i] : (int)bytes + at[i]] ^= 0x10;
			if (!bitmap_outside(&bitmap))
				fail_msg("%zu bytes: the write at %d is not seen", bytes, at[i]);
			bitmap_close(&bitmap);
			bitmap_open(&bitmap, bytes);
			assert_false(bitmap_outside(&bitmap));
			bitmap_close(&bitmap);
		}
	}
}

static void bitmap_left_open_is_forgotten(void **state)
{
	memset(bitmap_open(&bitmap, 100), 0xff, 200);
	bitmap_open(&bitmap, 10);
	assert_false(bitmap_outside(&bitmap));
	bitmap_close(&bitmap);
}

/* One far outside is a signal, which trap.c makes a finding of. */
static void write_far_away_is_a_trap(void **state)
{
	static const int at[] = {-4161, -BITMAP_FENCE, BITMAP_MEMORY, BITMAP_FENCE};
	struct host *host = host_create(4);
	const struct host_config config = {.tables_pa = 0x1000, .coherent = true};
	sigjmp_buf escape;

	assert_non_null(host);
	assert_int_equal(trap_install(), 0);
	for (size_t i = 0; i < ARRAY_NR(at); i++) {
		volatile u8 *bits = bitmap_open(&bitmap, 100);

		host_reset(host, &config);
		host->escape_to = &escape;
		if (!sigsetjmp(escape, 0)) {
			trap_arm(host);
			bits[at[i]] = 1;
		}
		trap_arm(NULL);
		assert_int_equal(host->escape, HOST_ESCAPE_SIGNAL);
		assert_string_equal(trap_word(), "segv");
		assert_false(bitmap_outside(&bitmap));
		bitmap_close(&bitmap);
	}
	host_destroy(host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bitmap_filled_is_inside),
		cmocka_unit_test(write_beside_is_seen_once),
		cmocka_unit_test(bitmap_left_open_is_forgotten),
		cmocka_unit_test(write_far_away_is_a_trap),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
