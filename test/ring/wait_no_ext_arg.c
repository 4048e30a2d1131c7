/* SPDX-License-Identifier: MIT */
/*
 * Waits with a timeout as on a kernel whose enter takes none, the feature's bit
 * being cleared: the results are those of a kernel that does, and the private
 * timeout request shows up nowhere. On rings of every kind.
 */
#include "test.h"

#include "ring.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define IOPOLL IORING_SETUP_IOPOLL
#define SQPOLL IORING_SETUP_SQPOLL
#define DEFER IORING_SETUP_DEFER_TASKRUN
#define POISON ((struct io_uring_cqe *)0x5a5a5a5a)

static const struct __kernel_timespec brief_ts = { .tv_nsec = 10000000 };
static const struct __kernel_timespec hour_ts = { .tv_sec = 3600 };

static void test_times_out(struct io_uring *ring)
{
	struct __kernel_timespec ts = brief_ts;
	struct io_uring_cqe *cqe = POISON;
	unsigned long long start = now_ms();
	unsigned i;

	ring->features &= ~(unsigned)IORING_FEAT_EXT_ARG;
	for (i = 1; i <= 20; i++) {
		cqe = POISON;
		assert_int_equal(io_uring_wait_cqes(ring, &cqe, 1, &ts, NULL), -ETIME);
		assert_null(cqe);
		cqe = POISON;
		assert_int_equal(io_uring_submit_and_wait_timeout(ring, &cqe, 1, &ts, NULL),
				 -ETIME);
		assert_null(cqe);
		assert_true(now_ms() - start >= 20 * i);
	}
	assert_int_equal(io_uring_peek_cqe(ring, &cqe), -EAGAIN);
	assert_null(cqe);
}

/* More is asked for than comes: the first of them, and no private one. */
static void test_gets_fewer(struct io_uring *ring)
{
	struct __kernel_timespec ts = brief_ts;
	struct io_uring_cqe *cqe = POISON, *cqes[8];
	unsigned long long start = now_ms();

	ring->features &= ~(unsigned)IORING_FEAT_EXT_ARG;
	queue_nop(ring, 1);
	queue_nop(ring, 2);
	taken_ok(ring, io_uring_submit_and_wait_timeout(ring, &cqe, 3, &ts, NULL), 2);
	assert_true(cqe->user_data == 1);
	assert_true(now_ms() - start >= 10);
	/* The timeout's CQE lies behind them: a batch ends there. */
	assert_int_equal(io_uring_peek_batch_cqe(ring, cqes, 8), 2);
	assert_true(cqes[1]->user_data == 2);
	io_uring_cq_advance(ring, 2);
	assert_int_equal(io_uring_peek_batch_cqe(ring, cqes, 8), 0);
	assert_int_equal(io_uring_peek_cqe(ring, &cqe), -EAGAIN);
	assert_int_equal(io_uring_cq_ready(ring), 0);
}

/* The wait is satisfied; the timeout, which counts, ends with it. */
static void test_satisfied(struct io_uring *ring)
{
	struct __kernel_timespec hour = hour_ts;
	struct io_uring_cqe *cqe;
	unsigned i;
	int ret;

	ring->features &= ~(unsigned)IORING_FEAT_EXT_ARG;
	for (i = 1; i <= 30; i++) {
		queue_nop(ring, i);
		cqe = POISON;
		if (i % 2) {
			ret = io_uring_submit_and_wait_timeout(ring, &cqe, 1, &hour, NULL);
			taken_ok(ring, ret, 1);
		} else {
			/* Here a wait submits as well. */
			assert_int_equal(io_uring_wait_cqe_timeout(ring, &cqe, &hour), 0);
		}
		assert_true(cqe->user_data == i);
		assert_int_equal(cqe->res, 0);
		io_uring_cqe_seen(ring, cqe);
	}
	assert_int_equal(io_uring_peek_cqe(ring, &cqe), -EAGAIN);
	assert_null(cqe);
}

/* What is there already needs no timeout. */
static void test_no_wait(struct io_uring *ring)
{
	struct __kernel_timespec hour = hour_ts;
	struct io_uring_cqe *cqe = POISON;
	unsigned tail;

	ring->features &= ~(unsigned)IORING_FEAT_EXT_ARG;
	queue_nop(ring, 1);
	submit_ok(ring, 1);
	assert_int_equal(io_uring_wait_cqe(ring, &cqe), 0);
	tail = ring->sq.sqe_tail;
	cqe = POISON;
	assert_int_equal(io_uring_wait_cqes(ring, &cqe, 1, &hour, NULL), 0);
	assert_true(cqe->user_data == 1);
	assert_int_equal(ring->sq.sqe_tail, tail);
}

/* A full SQ is submitted first, to make room for the timeout. */
static void test_full(struct io_uring *ring)
{
	struct __kernel_timespec hour = hour_ts;
	struct io_uring_cqe *cqe = POISON;
	unsigned i;

	ring->features &= ~(unsigned)IORING_FEAT_EXT_ARG;
	for (i = 1; i <= 8; i++)
		queue_nop(ring, i);
	assert_null(io_uring_get_sqe(ring));
	taken_ok(ring, io_uring_submit_and_wait_timeout(ring, &cqe, 1, &hour, NULL), 8);
	for (i = 1; i <= 8; i++) {
		assert_int_equal(io_uring_wait_cqe(ring, &cqe), 0);
		assert_true(cqe->user_data == i);
		io_uring_cqe_seen(ring, cqe);
	}
	assert_int_equal(io_uring_peek_cqe(ring, &cqe), -EAGAIN);
}

/*
 * Not with SQPOLL or DEFER_TASKRUN where the time is to be up: newer kernels may
 * end the wait there before they have posted the CQE of the timeout that ended it,
 * which then ends the next wait's. Those that lack the feature post it first, and
 * have no DEFER_TASKRUN.
 */
int main(void)
{
	static const struct ring_case cases[] = {
		{ "time is up, by a request, on", test_times_out, IOPOLL | SQPOLL | DEFER, 0 },
		{ "fewer in time, by a request, on", test_gets_fewer, IOPOLL | SQPOLL | DEFER, 0 },
		{ "satisfied, with a request, on", test_satisfied, IOPOLL, 0 },
		{ "no need of a request on", test_no_wait, IOPOLL, 0 },
		{ "request and full SQ on", test_full, IOPOLL | SQPOLL, 0 },
	};

	return ring_run_cases("wait_no_ext_arg", cases, ARRAY_LEN(cases));
}
