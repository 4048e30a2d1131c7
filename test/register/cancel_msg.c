/* SPDX-License-Identifier: MIT */
/*
 * Registrations that act at once: cancelling requests and waiting until they are
 * gone, and a message to a ring from a program that needs none. On rings of
 * every kind.
 */
#include "test.h"

#include "ring.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static char byte;

/* A read of a pipe in which nothing comes. */
static void start_read(struct io_uring *ring, int fd, __u64 tag)
{
	struct io_uring_sqe *sqe = next_sqe(ring);

	io_uring_prep_read(sqe, fd, &byte, 1, 0);
	io_uring_sqe_set_data64(sqe, tag);
	submit_ok(ring, 1);
	while ((ring->flags & IORING_SETUP_SQPOLL) && io_uring_sq_ready(ring))
		sleep_ms(1);
}

static int cancel(struct io_uring *ring, __u64 tag, int fd, unsigned flags)
{
	struct io_uring_sync_cancel_reg reg;

	memset(&reg, 0, sizeof(reg));
	reg.addr = tag;
	reg.fd = fd;
	reg.flags = flags;
	reg.timeout.tv_sec = -1;
	reg.timeout.tv_nsec = -1;
	return io_uring_register_sync_cancel(ring, &reg);
}

static void test_cancel_by_tag(struct io_uring *ring)
{
	int fds[2], ret;

	assert_int_equal(pipe(fds), 0);
	start_read(ring, fds[0], 7);
	start_read(ring, fds[0], 8);
	ret = cancel(ring, 8, -1, 0);
	require_ret("a synchronous cancel", ret);
	assert_int_equal(ret, 0);
	assert_int_equal(wait_for_tag(ring, 8), -ECANCELED);
	assert_int_equal(cancel(ring, 8, -1, 0), -ENOENT);
	assert_int_equal(cancel(ring, 9, -1, 0), -ENOENT);
	no_cqe(ring);
	/* The other one is as it was. */
	assert_int_equal(write(fds[1], "x", 1), 1);
	assert_int_equal(wait_for_tag(ring, 7), 1);
	assert_int_equal(byte, 'x');
	close(fds[0]);
	close(fds[1]);
}

static void test_cancel_by_fd(struct io_uring *ring)
{
	int fds[2], others[2], ret, i;

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(pipe(others), 0);
	start_read(ring, fds[0], 1);
	start_read(ring, others[0], 2);
	start_read(ring, fds[0], 1);
	start_read(ring, fds[0], 1);
	ret = cancel(ring, 0, fds[0], IORING_ASYNC_CANCEL_FD | IORING_ASYNC_CANCEL_ALL);
	require_ret("a synchronous cancel by descriptor", ret);
	assert_int_equal(ret, 3);
	for (i = 0; i < 3; i++)
		assert_int_equal(wait_for_tag(ring, 1), -ECANCELED);
	no_cqe(ring);
	ret = cancel(ring, 0, -1, IORING_ASYNC_CANCEL_ANY);
	assert_true(ret >= 0);
	assert_int_equal(wait_for_tag(ring, 2), -ECANCELED);
	assert_int_equal(cancel(ring, 0, fds[0], 1U << 30), -EINVAL);
	close(fds[0]);
	close(fds[1]);
	close(others[0]);
	close(others[1]);
}

static int send_message(int fd, unsigned len, __u64 data)
{
	struct io_uring_sqe sqe;

	memset(&sqe, 0, sizeof(sqe));
	io_uring_prep_msg_ring(&sqe, fd, len, data, 0);
	return io_uring_register_sync_msg(&sqe);
}

static void test_message(struct io_uring *ring)
{
	int ret = send_message(ring->ring_fd, 0x1234, 0xfedcba9876543210);

	require_ret("a message without a ring", ret);
	assert_int_equal(ret, 0);
	assert_int_equal(wait_for_tag(ring, 0xfedcba9876543210), 0x1234);
	no_cqe(ring);
	assert_int_equal(send_message(ring->ring_fd, 1, 2), 0);
	assert_int_equal(send_message(ring->ring_fd, 3, 4), 0);
	assert_int_equal(wait_for_tag(ring, 2), 1);
	assert_int_equal(wait_for_tag(ring, 4), 3);
}

static void test_message_refused(void **state)
{
	struct io_uring_sqe sqe;
	struct io_uring ring;
	int ret, fd = temp_file(0);

	ring_open_flags(&ring, 8, 0);
	ret = send_message(ring.ring_fd, 0, 1);
	require_ret("a message without a ring", ret);
	assert_int_equal(wait_for_tag(&ring, 1), 0);
	assert_int_equal(send_message(-1, 0, 1), -EBADF);
	assert_int_equal(send_message(fd, 0, 1), -EBADFD);
	/* Only data can be sent so. */
	memset(&sqe, 0, sizeof(sqe));
	io_uring_prep_nop(&sqe);
	assert_int_equal(io_uring_register_sync_msg(&sqe), -EINVAL);
	io_uring_prep_msg_ring_fd(&sqe, ring.ring_fd, 0, 0, 0, 0);
	assert_int_equal(io_uring_register_sync_msg(&sqe), -EINVAL);
	no_cqe(&ring);
	io_uring_queue_exit(&ring);
	close(fd);
}

int main(void)
{
	static const struct ring_case cases[] = {
		{ "cancel by tag on", test_cancel_by_tag, IORING_SETUP_IOPOLL, 0 },
		{ "cancel by descriptor on", test_cancel_by_fd, IORING_SETUP_IOPOLL, 0 },
		{ "message to", test_message, IORING_SETUP_REGISTERED_FD_ONLY, 0 },
	};
	static const struct CMUnitTest tests[] = { timed_test(test_message_refused) };
	int nr_failed = cmocka_run_group_tests_name("cancel_msg", tests, NULL, NULL);

	return nr_failed + ring_run_cases("cancel and message", cases, ARRAY_LEN(cases));
}
