/* SPDX-License-Identifier: MIT */
/*
 * A timeout request that posts no CQE (IOSQE_CQE_SKIP_SUCCESS) wakes a waiter for
 * nothing. The wait went on, rightly, but with the whole time anew: as long as such
 * requests came more often than that, a wait with a limit never ended.
 */
#include "test.h"

#include "ring.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static atomic_bool is_over;

/* Wakes who waits on the ring, again and again, and adds no CQE. */
static void *wake_for_nothing(void *arg)
{
	static char no_sqe[] = "no SQE", no_submit[] = "no submit";
	static const struct timespec pause = { .tv_nsec = 5000000 };
	struct __kernel_timespec ts = { .tv_nsec = 5000000 };
	struct io_uring *ring = arg;
	struct io_uring_sqe *sqe;

	while (!atomic_load(&is_over)) {
		sqe = io_uring_get_sqe(ring);
		if (!sqe)
			return no_sqe;
		io_uring_prep_timeout(sqe, &ts, 0, IORING_TIMEOUT_ETIME_SUCCESS);
		io_uring_sqe_set_flags(sqe, IOSQE_CQE_SKIP_SUCCESS);
		if (io_uring_submit(ring) != 1)
			return no_submit;
		nanosleep(&pause, NULL);
	}
	return NULL;
}

static void check_ends(unsigned features,
		       int (*wait)(struct io_uring *ring, struct io_uring_cqe **cqe_ptr,
				   struct __kernel_timespec *ts))
{
	struct __kernel_timespec ts = { .tv_nsec = 50000000 };
	struct io_uring_cqe *cqe = (void *)1;
	unsigned long long start;
	struct io_uring ring;
	pthread_t thread;
	void *err;
	int ret;

	ring_open_flags(&ring, 64, 0);
	features |= IORING_FEAT_CQE_SKIP;
	if ((ring.features & features) != features) {
		io_uring_queue_exit(&ring);
		skip_because("features %#x are needed", features);
	}
	atomic_store(&is_over, false);
	assert_int_equal(pthread_create(&thread, NULL, wake_for_nothing, &ring), 0);
	start = now_ms();
	ret = wait(&ring, &cqe, &ts);
	atomic_store(&is_over, true);
	pthread_join(thread, &err);
	if (err)
		fail_msg("the other thread: %s", (char *)err);
	assert_int_equal(ret, -ETIME);
	assert_null(cqe);
	assert_true(now_ms() - start >= 50);
	io_uring_queue_exit(&ring);
}

static int wait_for_two(struct io_uring *ring, struct io_uring_cqe **cqe_ptr,
			struct __kernel_timespec *ts)
{
	return io_uring_wait_cqes(ring, cqe_ptr, 2, ts, NULL);
}

static int wait_after_a_minimum(struct io_uring *ring, struct io_uring_cqe **cqe_ptr,
				struct __kernel_timespec *ts)
{
	return io_uring_wait_cqes_min_timeout(ring, cqe_ptr, 2, ts, 20000, NULL);
}

static void test_one(void **state)
{
	check_ends(0, io_uring_wait_cqe_timeout);
}

static void test_two(void **state)
{
	check_ends(0, wait_for_two);
}

static void test_minimum(void **state)
{
	check_ends(IORING_FEAT_MIN_TIMEOUT, wait_after_a_minimum);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		timed_test(test_one),
		timed_test(test_two),
		timed_test(test_minimum),
	};

	return cmocka_run_group_tests_name("timed_wait_restarts", tests, NULL, NULL);
}
