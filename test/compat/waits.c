/* SPDX-License-Identifier: MIT */
/* Waiting: for a number, for a time, with the submission. */
#include "compat.h"

static void queue_nop(struct io_uring *ring, uint64_t user_data)
{
	struct io_uring_sqe *sqe = take_sqe(ring);

	io_uring_prep_nop(sqe);
	io_uring_sqe_set_data64(sqe, user_data);
}

static void submit_and_wait(struct io_uring *ring)
{
	struct io_uring_cqe *cqe;
	unsigned round;

	for (round = 0; round < 3 * NR_ENTRIES; round++) {
		queue_nop(ring, 1);
		queue_nop(ring, 2);
		CHECK(io_uring_submit_and_wait(ring, 2) >= 0);
		CHECK_INT(io_uring_peek_cqe(ring, &cqe), 0);
		CHECK_INT(reap(ring, 1), 0);
		CHECK_INT(reap(ring, 2), 0);
	}
	queue_nop(ring, 3);
	CHECK(io_uring_submit_and_get_events(ring) >= 0);
	CHECK_INT(reap(ring, 3), 0);
	CHECK(io_uring_get_events(ring) >= 0);
	CHECK_INT(io_uring_peek_cqe(ring, &cqe), -EAGAIN);
}

static void wait_with_timeout(struct io_uring *ring)
{
	struct __kernel_timespec ts = { 0, 1000 * 1000 };
	struct io_uring_cqe *cqe = NULL;
	sigset_t none;

	sigemptyset(&none);
	CHECK_INT(io_uring_wait_cqe_timeout(ring, &cqe, &ts), -ETIME);
	CHECK_INT(io_uring_wait_cqes(ring, &cqe, 2, &ts, &none), -ETIME);
	CHECK_INT(io_uring_submit_and_wait_timeout(ring, &cqe, 1, &ts, NULL), -ETIME);

	ts.tv_sec = 30;
	queue_nop(ring, 5);
	CHECK(io_uring_submit_and_wait_timeout(ring, &cqe, 1, &ts, NULL) >= 0);
	CHECK(cqe != NULL);
	CHECK_INT(cqe->user_data, 5);
	io_uring_cqe_seen(ring, cqe);

	queue_nop(ring, 6);
	submit_all(ring);
	CHECK_INT(io_uring_wait_cqe_timeout(ring, &cqe, &ts), 0);
	CHECK_INT(cqe->user_data, 6);
	io_uring_cqe_seen(ring, cqe);
	CHECK_INT(io_uring_cq_ready(ring), 0);
}

static void timeout_requests(struct io_uring *ring)
{
	struct __kernel_timespec brief = { 0, 1000 * 1000 }, long_time = { 1000, 0 };
	struct io_uring_sqe *sqe;
	struct io_uring_cqe *cqe;
	int i, pipefd[2];
	uint64_t sum = 0;
	char byte;

	sqe = take_sqe(ring);
	io_uring_prep_timeout(sqe, &brief, 0, 0);
	CHECK_INT(run_one(ring, sqe), -ETIME);

	sqe = take_sqe(ring);
	io_uring_prep_timeout(sqe, &long_time, 0, 0);
	io_uring_sqe_set_data64(sqe, 7);
	submit_all(ring);
	sqe = take_sqe(ring);
	io_uring_prep_timeout_update(sqe, &brief, 7, 0);
	io_uring_sqe_set_data64(sqe, 8);
	submit_all(ring);
	CHECK_INT(reap(ring, 8), 0);
	CHECK_INT(reap(ring, 7), -ETIME);

	CHECK_INT(pipe(pipefd), 0);
	sqe = take_sqe(ring);
	io_uring_prep_read(sqe, pipefd[0], &byte, 1, 0);
	io_uring_sqe_set_flags(sqe, IOSQE_IO_LINK);
	io_uring_sqe_set_data64(sqe, 9);
	sqe = take_sqe(ring);
	io_uring_prep_link_timeout(sqe, &brief, 0);
	io_uring_sqe_set_data64(sqe, 10);
	submit_all(ring);
	/* The read and its timeout answer in either order. */
	for (i = 0; i < 2; i++) {
		CHECK_INT(io_uring_wait_cqe_nr(ring, &cqe, 2 - i), 0);
		CHECK(cqe->user_data == 9 || cqe->user_data == 10);
		CHECK_INT(cqe->res, cqe->user_data == 9 ? -ECANCELED : -ETIME);
		sum += cqe->user_data;
		io_uring_cqe_seen(ring, cqe);
	}
	CHECK_INT(sum, 19);
	close(pipefd[0]);
	close(pipefd[1]);
}

const struct compat_case wait_cases[] = {
	{ "submit and wait", submit_and_wait, 0 },
	{ "waits with a timeout", wait_with_timeout, 0 },
	{ "timeout requests", timeout_requests, 0 },
	{ NULL, NULL, 0 },
};
