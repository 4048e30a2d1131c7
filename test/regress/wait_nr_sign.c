/* SPDX-License-Identifier: MIT */
/*
 * The kernel keeps the number to wait for as an int. io_uring_submit_and_wait passed
 * 0x80000000 as it was, and slept on a full CQ, where nothing can come any more.
 */
#include "test.h"

#include "ring.h"

#include <stdint.h>

static void check_returns(unsigned flags, unsigned wait_nr)
{
	struct io_uring ring;
	unsigned i;

	ring_open_flags(&ring, 4, flags);
	for (i = 0; i < 8; i++) {
		io_uring_prep_nop(next_sqe(&ring));
		if (i == 3)
			assert_int_equal(io_uring_submit(&ring), 4);
	}
	assert_int_equal(io_uring_submit_and_wait(&ring, wait_nr), 4);
	assert_int_equal(io_uring_cq_ready(&ring), 8);
	io_uring_queue_exit(&ring);
}

static void check_all(unsigned flags)
{
	check_returns(flags, INT32_MAX);
	check_returns(flags, (unsigned)INT32_MAX + 1);
	check_returns(flags, (unsigned)INT32_MAX + 9);
	check_returns(flags, UINT32_MAX);
}

static void test_plain(void **state)
{
	check_all(0);
}

static void test_sqe128(void **state)
{
	check_all(IORING_SETUP_SQE128);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		timed_test(test_plain),
		timed_test(test_sqe128),
	};

	return cmocka_run_group_tests_name("wait_nr_sign", tests, NULL, NULL);
}
