/* SPDX-License-Identifier: MIT */
/*
 * Without IORING_FEAT_EXT_ARG the library's own timeout of an earlier wait may end
 * later and stand in the ring behind CQEs of the program's. The next wait for several
 * counted it as one of them, and came back with one too few.
 */
#include "test.h"

#include "ring.h"

#define LAST_TAG 3

/* Two CQEs of the program's, with that of a timeout between them; the third comes later. */
static void open_ring(struct io_uring *ring)
{
	static struct __kernel_timespec later = { .tv_nsec = 20000000 };
	struct io_uring_sqe *sqe;

	ring_open_flags(ring, 8, 0);
	ring->features &= ~(unsigned)IORING_FEAT_EXT_ARG;
	queue_nop(ring, 1);
	queue_nop(ring, LIBURING_UDATA_TIMEOUT);
	queue_nop(ring, 2);
	sqe = next_sqe(ring);
	io_uring_prep_timeout(sqe, &later, 0, 0);
	io_uring_sqe_set_data64(sqe, LAST_TAG);
	assert_int_equal(io_uring_submit(ring), 4);
}

static void close_ring(struct io_uring *ring)
{
	struct io_uring_cqe *cqe;
	unsigned tag;

	for (tag = 1; tag <= LAST_TAG; tag++) {
		assert_int_equal(io_uring_peek_cqe(ring, &cqe), 0);
		assert_int_equal(cqe->user_data, tag);
		io_uring_cqe_seen(ring, cqe);
	}
	io_uring_queue_exit(ring);
}

static void test_without_time(void **state)
{
	struct io_uring_cqe *cqe;
	struct io_uring ring;

	open_ring(&ring);
	assert_int_equal(io_uring_wait_cqe_nr(&ring, &cqe, LAST_TAG), 0);
	assert_int_equal(cqe->user_data, 1);
	close_ring(&ring);
}

static void test_with_time(void **state)
{
	struct __kernel_timespec ts = { .tv_sec = 10 };
	struct io_uring_cqe *cqe;
	struct io_uring ring;

	open_ring(&ring);
	assert_int_equal(io_uring_wait_cqes(&ring, &cqe, LAST_TAG, &ts, NULL), 0);
	assert_int_equal(cqe->user_data, 1);
	close_ring(&ring);

	open_ring(&ring);
	assert_int_equal(io_uring_submit_and_wait_timeout(&ring, &cqe, LAST_TAG, &ts, NULL), 0);
	assert_int_equal(cqe->user_data, 1);
	close_ring(&ring);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		timed_test(test_without_time),
		timed_test(test_with_time),
	};

	return cmocka_run_group_tests_name("private_timeout_counted", tests, NULL, NULL);
}
