/* SPDX-License-Identifier: MIT */
/*
 * A resize of a ring whose set-up had failed read through a null pointer. A second
 * exit of a ring closed whatever had got its descriptor's number since, and the exit of
 * a struct of zeros closed descriptor 0.
 */
#include "test.h"

#include <fcntl.h>
#include <unistd.h>
#include "ring.h"

static void test_resize_of_none(void **state)
{
	struct io_uring_params p = { .sq_entries = 8 };
	struct io_uring ring;

	assert_int_equal(io_uring_queue_init(0, &ring, 0), -EINVAL);
	assert_int_equal(io_uring_resize_rings(&ring, &p), -EBADF);
}

static void test_second_exit(void **state)
{
	struct io_uring ring;
	int ring_fd, fd;

	require_ret("io_uring_queue_init", io_uring_queue_init(8, &ring, 0));
	ring_fd = ring.ring_fd;
	io_uring_queue_exit(&ring);
	fd = open("/dev/null", O_RDONLY);
	assert_int_equal(fd, ring_fd);
	io_uring_queue_exit(&ring);
	assert_int_not_equal(fcntl(fd, F_GETFD), -1);
	close(fd);
}

static void test_exit_of_zeros(void **state)
{
	struct io_uring ring;
	int saved = dup(0);

	/* Whatever 0 is here, it stays open. */
	if (saved < 0)
		assert_int_equal(open("/dev/null", O_RDONLY), 0);
	memset(&ring, 0, sizeof(ring));
	io_uring_queue_exit(&ring);
	assert_int_not_equal(fcntl(0, F_GETFD), -1);
	if (saved >= 0)
		close(saved);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		timed_test(test_resize_of_none),
		timed_test(test_second_exit),
		timed_test(test_exit_of_zeros),
	};

	return cmocka_run_group_tests_name("ring_that_is_none", tests, NULL, NULL);
}
