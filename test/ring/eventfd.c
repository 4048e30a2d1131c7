/* SPDX-License-Identifier: MIT */
/*
 * Completions that signal an eventfd: when its counter changes, and when it does
 * not, on rings of every kind.
 */
#include "test.h"

#include "ring.h"

#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int open_eventfd(void)
{
	int fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

/* Whether completions have signalled since the last time. */
static bool was_signalled(int fd)
{
	eventfd_t count;

	return eventfd_read(fd, &count) == 0;
}

/* The signal comes a moment after the CQE, where a thread completes the request. */
static bool is_signalled_soon(int fd)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };

	assert_int_equal(poll(&poll_fd, 1, WAIT_SECONDS * 1000), 1);
	return was_signalled(fd);
}

static void complete_nop(struct io_uring *ring)
{
	io_uring_prep_nop(next_sqe(ring));
	assert_int_equal(submit_one(ring, NULL), 0);
}

static void complete_nop_async(struct io_uring *ring)
{
	struct io_uring_sqe *sqe = next_sqe(ring);

	io_uring_prep_nop(sqe);
	sqe->flags |= IOSQE_ASYNC;
	assert_int_equal(submit_one(ring, NULL), 0);
}

static void test_register(struct io_uring *ring)
{
	int fd = open_eventfd();

	assert_int_equal(io_uring_register_eventfd(ring, fd), 0);
	assert_false(was_signalled(fd));
	complete_nop(ring);
	assert_true(is_signalled_soon(fd));
	complete_nop_async(ring);
	assert_true(is_signalled_soon(fd));

	assert_int_equal(io_uring_register_eventfd(ring, fd), -EBUSY);
	complete_nop(ring);
	assert_true(is_signalled_soon(fd));

	assert_int_equal(io_uring_unregister_eventfd(ring), 0);
	complete_nop(ring);
	sleep_ms(5);
	assert_false(was_signalled(fd));
	assert_int_equal(io_uring_unregister_eventfd(ring), -ENXIO);

	/* Again, and the descriptor need not stay open. */
	assert_int_equal(io_uring_register_eventfd(ring, fd), 0);
	close(fd);
	complete_nop(ring);
	assert_int_equal(io_uring_unregister_eventfd(ring), 0);
}

static void test_toggle(struct io_uring *ring)
{
	int fd = open_eventfd();

	if (!ring->cq.kflags)
		skip_because("the kernel has no CQ flags");
	assert_true(io_uring_cq_eventfd_enabled(ring));
	assert_int_equal(io_uring_register_eventfd(ring, fd), 0);
	assert_int_equal(io_uring_cq_eventfd_toggle(ring, true), 0);
	complete_nop(ring);
	assert_true(is_signalled_soon(fd));

	assert_int_equal(io_uring_cq_eventfd_toggle(ring, false), 0);
	assert_false(io_uring_cq_eventfd_enabled(ring));
	assert_int_equal(io_uring_cq_eventfd_toggle(ring, false), 0);
	assert_false(io_uring_cq_eventfd_enabled(ring));
	complete_nop(ring);
	complete_nop_async(ring);
	sleep_ms(5);
	assert_false(was_signalled(fd));

	assert_int_equal(io_uring_cq_eventfd_toggle(ring, true), 0);
	assert_true(io_uring_cq_eventfd_enabled(ring));
	complete_nop(ring);
	assert_true(is_signalled_soon(fd));
	close(fd);
}

/* Only what a worker thread completed signals. */
static void test_async(struct io_uring *ring)
{
	int fd = open_eventfd();

	assert_int_equal(io_uring_register_eventfd_async(ring, fd), 0);
	complete_nop(ring);
	sleep_ms(5);
	assert_false(was_signalled(fd));
	complete_nop_async(ring);
	assert_true(is_signalled_soon(fd));
	assert_int_equal(io_uring_register_eventfd_async(ring, fd), -EBUSY);
	assert_int_equal(io_uring_unregister_eventfd(ring), 0);
	complete_nop_async(ring);
	sleep_ms(5);
	assert_false(was_signalled(fd));
	close(fd);
}

static void test_bad_descriptor(struct io_uring *ring)
{
	int fd = temp_file(0);

	assert_int_equal(io_uring_register_eventfd(ring, -1), -EBADF);
	assert_int_equal(io_uring_register_eventfd_async(ring, -1), -EBADF);
	assert_int_equal(io_uring_register_eventfd(ring, fd), -EINVAL);
	assert_int_equal(io_uring_unregister_eventfd(ring), -ENXIO);
	close(fd);
}

int main(void)
{
	static const struct ring_case cases[] = {
		{ "eventfd on", test_register, IORING_SETUP_IOPOLL, 0 },
		{ "eventfd toggled on", test_toggle, IORING_SETUP_IOPOLL, 0 },
		{ "eventfd for workers on", test_async, IORING_SETUP_IOPOLL, 0 },
		{ "bad eventfd on", test_bad_descriptor, 0, 0 },
	};

	return ring_run_cases("eventfd", cases, ARRAY_LEN(cases));
}
