/* SPDX-License-Identifier: MIT */
/*
 * The words that carry no data along: the kernel's flags, which the program looks
 * at while the kernel changes them, and the program's, the other way round.
 */
#include "order_kernel.h"

static bool seen[2];	/* off and on, by the kernel's thread */

static void change_flags(void)
{
	unsigned nr = 0;

	while (!order_stopped()) {
		order_set_flag(IORING_SQ_CQ_OVERFLOW, ++nr & 1);
		order_set_flag(IORING_SQ_TASKRUN, nr & 2);
		order_set_flag(IORING_SQ_NEED_WAKEUP, nr & 4);
		order_pause();
	}
}

static void read_flags(void)
{
	unsigned flags;

	while (!order_stopped()) {
		flags = __atomic_load_n(order.cq_flags, __ATOMIC_RELAXED);
		order_check(!(flags & ~IORING_CQ_EVENTFD_DISABLED));
		__atomic_store_n(&seen[flags != 0], true, __ATOMIC_RELAXED);
		order_pause();
	}
}

static void test_kernels(void **state)
{
	struct io_uring_cqe *cqe, *cqes[4];
	unsigned i, nr_set = 0, nr_clear = 0;
	struct io_uring ring;

	order_open(&ring, 8, 16, IORING_SETUP_SQPOLL, IORING_FEAT_EXT_ARG);
	order_start(change_flags);
	for (i = 0; i < ORDER_TIMES || !nr_set || !nr_clear; i++) {
		if (io_uring_cq_has_overflow(&ring))
			nr_set++;
		else
			nr_clear++;
		assert_int_equal(io_uring_peek_cqe(&ring, &cqe), -EAGAIN);
		assert_int_equal(io_uring_peek_batch_cqe(&ring, cqes, 4), 0);
		assert_int_equal(io_uring_submit(&ring), 0);
		if (i % 64 == 0)
			order_pause();
	}
	order_close(&ring);
}

static void test_programs(void **state)
{
	struct io_uring ring;
	unsigned i;

	order_open(&ring, 8, 16, 0, IORING_FEAT_EXT_ARG);
	order_start(read_flags);
	for (i = 0; i < ORDER_TIMES || !__atomic_load_n(&seen[0], __ATOMIC_RELAXED) ||
		    !__atomic_load_n(&seen[1], __ATOMIC_RELAXED); i++) {
		assert_int_equal(io_uring_cq_eventfd_toggle(&ring, i & 1), 0);
		assert_int_equal(io_uring_cq_eventfd_enabled(&ring), i & 1);
		if (i % 64 == 0)
			order_pause();
	}
	order_close(&ring);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		order_test(test_kernels),
		order_test(test_programs),
	};

	return cmocka_run_group_tests_name("flags", tests, NULL, NULL);
}
