/* SPDX-License-Identifier: MIT */
/*
 * Without IORING_FEAT_EXT_ARG the library's own timeout request may be refused (a
 * time before the epoch, more CQEs than it can count); the wait then said -EINTR
 * though no signal had come, and a program that calls again did so for ever.
 * Computing the end of such a time overflowed as well.
 */
#include "test.h"

#include <stdint.h>
#include "ring.h"

static int wait_old_way(__s64 sec, long long nsec, unsigned wait_nr)
{
	struct __kernel_timespec ts = { .tv_sec = sec, .tv_nsec = nsec };
	struct io_uring_cqe *cqe = (struct io_uring_cqe *)(uintptr_t)0x10;
	struct io_uring ring;
	int ret;

	require_ret("io_uring_queue_init", io_uring_queue_init(8, &ring, 0));
	ring.features &= ~(unsigned)IORING_FEAT_EXT_ARG;
	ret = io_uring_wait_cqes(&ring, &cqe, wait_nr, &ts, NULL);
	assert_null(cqe);
	assert_int_equal(io_uring_cq_ready(&ring), 0);
	io_uring_queue_exit(&ring);
	return ret;
}

static void test_past(void **state)
{
	assert_int_equal(wait_old_way(-1, 0, 1), -ETIME);
	assert_int_equal(wait_old_way(0, -1, 1), -ETIME);
	assert_int_equal(wait_old_way(-9300000000, 0, 1), -ETIME);
	assert_int_equal(wait_old_way(INT64_MIN, 0, 1), -ETIME);
}

static void test_more_than_it_counts(void **state)
{
	assert_int_equal(wait_old_way(0, 20000000, UINT32_MAX), -ETIME);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		timed_test(test_past),
		timed_test(test_more_than_it_counts),
	};

	return cmocka_run_group_tests_name("private_timeout_refused", tests, NULL, NULL);
}
