/* SPDX-License-Identifier: MIT */
/*
 * The memory functions of the build without libc, byte by byte.
 */
#include "test.h"

#include "../../src/nolibc.c"

#define SZ 64

static unsigned char buf[SZ];

/* Every byte its own index; and whether all but some are still so. */
static void reset(void)
{
	unsigned i;

	for (i = 0; i < SZ; i++)
		buf[i] = (unsigned char)i;
}

static void check(unsigned from, unsigned sz, int first, int step)
{
	unsigned i;

	for (i = 0; i < SZ; i++) {
		if (i >= from && i < from + sz)
			assert_int_equal(buf[i], first + (int)(i - from) * step);
		else
			assert_int_equal(buf[i], i);
	}
}

static void compares(void **state)
{
	assert_int_equal(iou_memcmp("abc", "abd", 2), 0);
	assert_int_equal(iou_memcmp("x", "y", 0), 0);
	assert_true(iou_memcmp("abc", "abd", 3) < 0);
	assert_true(iou_memcmp("\xff", "\x01", 1) > 0);
}

static void copies(void **state)
{
	reset();
	assert_ptr_equal(iou_memcpy(buf + 40, buf + 3, 10), buf + 40);
	check(40, 10, 3, 1);
	reset();
	iou_memcpy(buf + 40, buf, 0);
	check(0, 0, 0, 0);
}

static void moves(void **state)
{
	reset();
	assert_ptr_equal(iou_memmove(buf + 5, buf + 3, 10), buf + 5);
	check(5, 10, 3, 1);
	reset();
	iou_memmove(buf + 3, buf + 5, 10);
	check(3, 10, 5, 1);
	reset();
	iou_memmove(buf + 20, buf, 10);
	check(20, 10, 0, 1);
	reset();
	iou_memmove(buf + 7, buf + 7, 10);
	check(0, 0, 0, 0);
}

static void sets(void **state)
{
	reset();
	assert_ptr_equal(iou_memset(buf + 9, 0x1aa, 3), buf + 9);
	check(9, 3, 0xaa, 0);
	reset();
	iou_memset(buf + 9, 1, 0);
	check(0, 0, 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(compares),
		cmocka_unit_test(copies),
		cmocka_unit_test(moves),
		cmocka_unit_test(sets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
