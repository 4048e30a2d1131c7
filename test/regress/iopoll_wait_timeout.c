/* SPDX-License-Identifier: MIT */
/*
 * On an IORING_SETUP_IOPOLL ring with nothing in flight a wait with a timeout
 * never came back, because the kernel looks at no clock there and the loop went
 * on until there would be a CQE. The time that the caller gave must end it.
 */
#include "test.h"

#include "ring.h"

#include <errno.h>

static const struct __kernel_timespec brief = { .tv_nsec = 10000000 };

static void test_nothing_in_flight(void **state)
{
	struct __kernel_timespec ts = brief;
	struct io_uring_cqe *cqe = (void *)1;
	unsigned long long start = now_ms();
	struct io_uring ring;

	ring_open_flags(&ring, 4, IORING_SETUP_IOPOLL);
	assert_int_equal(io_uring_wait_cqes(&ring, &cqe, 1, &ts, NULL), -ETIME);
	assert_null(cqe);
	assert_true(now_ms() - start >= 10);

	cqe = (void *)1;
	assert_int_equal(io_uring_submit_and_wait_timeout(&ring, &cqe, 1, &ts, NULL), -ETIME);
	assert_null(cqe);
	io_uring_queue_exit(&ring);
}

static void test_too_few(void **state)
{
	struct __kernel_timespec ts = brief;
	struct io_uring_cqe *cqe = NULL;
	struct io_uring ring;

	ring_open_flags(&ring, 4, IORING_SETUP_IOPOLL);
	io_uring_prep_nop(next_sqe(&ring));
	assert_int_equal(io_uring_submit_and_wait_timeout(&ring, &cqe, 2, &ts, NULL), 1);
	assert_non_null(cqe);
	assert_int_equal(io_uring_wait_cqes(&ring, &cqe, 2, &ts, NULL), 0);
	assert_non_null(cqe);
	io_uring_queue_exit(&ring);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		timed_test(test_nothing_in_flight),
		timed_test(test_too_few),
	};

	return cmocka_run_group_tests_name("iopoll_wait_timeout", tests, NULL, NULL);
}
