/* The guards around dirty bitmaps: every write beside a bitmap is seen, none inside it, and none twice. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "fuzzers/bitmap.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bitmap_filled_is_inside),
		cmocka_unit_test(write_beside_is_seen_once),
		cmocka_unit_test(bitmap_left_open_is_forgotten),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
