/* SPDX-License-Identifier: MIT */
/*
 * Readiness: polls of one shot and of many, changed and removed ones, and epoll.
 */
#include "test.h"

#include "op_run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define NOT_OPEN 4095

static void write_byte(int fd)
{
	assert_int_equal(write(fd, "x", 1), 1);
}

static void test_once(void **state)
{
	struct io_uring *ring = *state;
	int fds[2];

	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	io_uring_prep_poll_add(op_sqe(ring, 1), fds[0], POLLIN);
	op_submit(ring);
	no_cqe(ring);
	write_byte(fds[1]);
	op_expect(ring, 1, POLLIN);
	write_byte(fds[1]);
	no_cqe(ring);

	/* What is there already is reported at once. */
	io_uring_prep_poll_add(op_sqe(ring, 1), fds[1], POLLIN | POLLOUT);
	op_check(op_run(ring), POLLOUT);
	close(fds[0]);
	io_uring_prep_poll_add(op_sqe(ring, 1), fds[1], POLLIN);
	op_check(op_run(ring), POLLERR);
	io_uring_prep_poll_add(op_sqe(ring, 1), NOT_OPEN, POLLIN);
	op_check(op_run(ring), -EBADF);
	close(fds[1]);
}

static void test_multishot(void **state)
{
	struct io_uring *ring = *state;
	struct op_result results[3];
	int fds[2];

	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	io_uring_prep_poll_multishot(op_sqe(ring, 1), fds[0], POLLIN);
	op_submit(ring);
	no_cqe(ring);
	write_byte(fds[1]);
	op_expect_more(ring, 1, POLLIN);
	/* An edge each time something comes, though the first byte is still there. */
	write_byte(fds[1]);
	op_expect_more(ring, 1, POLLIN);
	no_cqe(ring);

	io_uring_prep_poll_remove(op_sqe(ring, 2), 1);
	op_submit(ring);
	op_collect(ring, 2, results);
	op_check(results[1].res, -ECANCELED);
	assert_false(results[1].flags & IORING_CQE_F_MORE);
	op_check(results[2].res, 0);
	io_uring_prep_poll_remove(op_sqe(ring, 2), 1);
	op_check(op_run(ring), -ENOENT);
	close(fds[0]);
	close(fds[1]);
}

static void test_update(void **state)
{
	struct io_uring *ring = *state;
	struct op_result results[9];
	int fds[2];

	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);

	/* A poll for what cannot come becomes one for what is there. */
	io_uring_prep_poll_add(op_sqe(ring, 1), fds[1], POLLIN);
	op_submit(ring);
	io_uring_prep_poll_update(op_sqe(ring, 2), 1, 0, POLLOUT, IORING_POLL_UPDATE_EVENTS);
	op_submit(ring);
	op_collect(ring, 2, results);
	op_check(results[1].res, POLLOUT);
	op_check(results[2].res, 0);

	/* A new user_data: the old one names nothing any more. */
	io_uring_prep_poll_multishot(op_sqe(ring, 1), fds[0], POLLIN);
	op_submit(ring);
	io_uring_prep_poll_update(op_sqe(ring, 2), 1, 8, 0, IORING_POLL_UPDATE_USER_DATA);
	op_check(op_run(ring), 0);
	write_byte(fds[1]);
	op_expect_more(ring, 8, POLLIN);
	io_uring_prep_poll_update(op_sqe(ring, 2), 1, 8, 0, IORING_POLL_UPDATE_USER_DATA);
	op_check(op_run(ring), -ENOENT);
	io_uring_prep_poll_update(op_sqe(ring, 2), 8, 0, POLLPRI,
				  IORING_POLL_UPDATE_EVENTS | IORING_POLL_ADD_MULTI);
	op_check(op_run(ring), 0);
	write_byte(fds[1]);
	no_cqe(ring);
	io_uring_prep_poll_remove(op_sqe(ring, 2), 8);
	op_submit(ring);
	op_collect(ring, 2, results);
	op_check(results[8].res, -ECANCELED);
	op_check(results[2].res, 0);

	io_uring_prep_poll_update(op_sqe(ring, 2), 1, 0, POLLIN, 1U << 20);
	op_check(op_run(ring), -EINVAL);
	close(fds[0]);
	close(fds[1]);
}

static void test_epoll_ctl(void **state)
{
	struct io_uring *ring = *state;
	struct epoll_event event = { .events = EPOLLIN, .data.u64 = 0x1122334455667788ULL };
	struct epoll_event got;
	int epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	int fd = eventfd(1, EFD_CLOEXEC);

	require_op(IORING_OP_EPOLL_CTL);
	assert_true(epoll_fd >= 0 && fd >= 0);
	io_uring_prep_epoll_ctl(op_sqe(ring, 1), epoll_fd, fd, EPOLL_CTL_ADD, &event);
	op_check(op_run(ring), 0);
	assert_int_equal(epoll_wait(epoll_fd, &got, 1, 0), 1);
	assert_int_equal(got.events, EPOLLIN);
	assert_true(got.data.u64 == event.data.u64);
	io_uring_prep_epoll_ctl(op_sqe(ring, 1), epoll_fd, fd, EPOLL_CTL_ADD, &event);
	op_check(op_run(ring), -EEXIST);

	event.events = EPOLLOUT;
	event.data.u64 = 7;
	io_uring_prep_epoll_ctl(op_sqe(ring, 1), epoll_fd, fd, EPOLL_CTL_MOD, &event);
	op_check(op_run(ring), 0);
	assert_int_equal(epoll_wait(epoll_fd, &got, 1, 0), 1);
	assert_int_equal(got.events, EPOLLOUT);
	assert_true(got.data.u64 == 7);

	io_uring_prep_epoll_ctl(op_sqe(ring, 1), epoll_fd, fd, EPOLL_CTL_DEL, NULL);
	op_check(op_run(ring), 0);
	assert_int_equal(epoll_wait(epoll_fd, &got, 1, 0), 0);
	io_uring_prep_epoll_ctl(op_sqe(ring, 1), epoll_fd, fd, EPOLL_CTL_DEL, NULL);
	op_check(op_run(ring), -ENOENT);
	io_uring_prep_epoll_ctl(op_sqe(ring, 1), NOT_OPEN, fd, EPOLL_CTL_ADD, &event);
	op_check(op_run(ring), -EBADF);
	io_uring_prep_epoll_ctl(op_sqe(ring, 1), epoll_fd, NOT_OPEN, EPOLL_CTL_ADD, &event);
	op_check(op_run(ring), -EBADF);
	close(epoll_fd);
	close(fd);
}

static void test_epoll_wait(void **state)
{
	struct io_uring *ring = *state;
	struct epoll_event event = { .events = EPOLLIN, .data.u64 = 5 }, got[4];
	struct op_result results[3];
	int epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	int fds[2] = { eventfd(0, EFD_CLOEXEC), eventfd(0, EFD_CLOEXEC) };
	int i;

	require_op(IORING_OP_EPOLL_WAIT);
	assert_true(epoll_fd >= 0 && fds[0] >= 0 && fds[1] >= 0);
	for (i = 0; i < 2; i++) {
		event.data.u64 = (__u64)fds[i];
		assert_int_equal(epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fds[i], &event), 0);
	}
	io_uring_prep_epoll_wait(op_sqe(ring, 1), epoll_fd, got, 4, 0);
	op_submit(ring);
	no_cqe(ring);
	assert_int_equal(eventfd_write(fds[1], 1), 0);
	op_expect(ring, 1, 1);
	assert_int_equal(got[0].events, EPOLLIN);
	assert_true(got[0].data.u64 == (__u64)fds[1]);

	/* Two are ready, no more than maxevents are told. */
	assert_int_equal(eventfd_write(fds[0], 1), 0);
	io_uring_prep_epoll_wait(op_sqe(ring, 1), epoll_fd, got, 4, 0);
	op_check(op_run(ring), 2);
	io_uring_prep_epoll_wait(op_sqe(ring, 1), epoll_fd, got, 1, 0);
	op_check(op_run(ring), 1);

	/* None is ready: it waits until it is cancelled. */
	for (i = 0; i < 2; i++)
		assert_int_equal(epoll_ctl(epoll_fd, EPOLL_CTL_DEL, fds[i], NULL), 0);
	io_uring_prep_epoll_wait(op_sqe(ring, 1), epoll_fd, got, 4, 0);
	io_uring_prep_cancel64(op_sqe(ring, 2), 1, 0);
	op_submit(ring);
	op_collect(ring, 2, results);
	op_check(results[1].res, -ECANCELED);
	op_check(results[2].res, 0);

	io_uring_prep_epoll_wait(op_sqe(ring, 1), NOT_OPEN, got, 4, 0);
	op_check(op_run(ring), -EBADF);
	io_uring_prep_epoll_wait(op_sqe(ring, 1), fds[0], got, 4, 0);
	op_check(op_run(ring), -EINVAL);
	io_uring_prep_epoll_wait(op_sqe(ring, 1), epoll_fd, got, 4, 1);
	op_check(op_run(ring), -EINVAL);
	close(epoll_fd);
	close(fds[0]);
	close(fds[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		op_test(test_once),
		op_test(test_multishot),
		op_test(test_update),
		op_test(test_epoll_ctl),
		op_test(test_epoll_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
