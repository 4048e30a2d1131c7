/* SPDX-License-Identifier: MIT */
/*
 * Buffers of one ring taken over by another: all or some, to their own place or
 * another, from a ring named by descriptor or by index.
 */
#include "test.h"

#include "ring.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define BUF_SZ 4096
#define NR_BUFS 4

static char bufs[NR_BUFS][BUF_SZ];
static struct io_uring src, dst;
static struct holdings before;

static int open_rings(void **state)
{
	struct iovec iov[NR_BUFS];
	unsigned i;

	time_limit_start(state);
	holdings_take(&before);
	ring_open_flags(&src, 8, 0);
	ring_open_flags(&dst, 8, 0);
	memset(bufs, 0, sizeof(bufs));
	for (i = 0; i < NR_BUFS; i++) {
		iov[i].iov_base = bufs[i];
		iov[i].iov_len = BUF_SZ;
	}
	return io_uring_register_buffers(&src, iov, NR_BUFS);
}

static int close_rings(void **state)
{
	io_uring_queue_exit(&src);
	io_uring_queue_exit(&dst);
	holdings_same(&before);
	return time_limit_stop(state);
}

/* Whether buffer buf is at index of the ring. */
static bool has_buffer(struct io_uring *ring, unsigned buf, int index)
{
	int fd = temp_file(BUF_SZ);
	int res;

	memset(bufs[buf], 0, BUF_SZ);
	io_uring_prep_read_fixed(next_sqe(ring), fd, bufs[buf], BUF_SZ, 0, index);
	res = submit_one(ring, NULL);
	close(fd);
	if (res == -EFAULT)
		return false;
	assert_int_equal(res, BUF_SZ);
	assert_true(pattern_same(bufs[buf], BUF_SZ, 0));
	return true;
}

static void test_all(void **state)
{
	unsigned i;

	require_ret("cloned buffers", io_uring_clone_buffers(&dst, &src));
	for (i = 0; i < NR_BUFS; i++)
		assert_true(has_buffer(&dst, i, (int)i));
	assert_false(has_buffer(&dst, 0, NR_BUFS));
	assert_int_equal(io_uring_clone_buffers(&dst, &src), -EBUSY);

	/* They are the other ring's own now. */
	assert_int_equal(io_uring_unregister_buffers(&src), 0);
	assert_true(has_buffer(&dst, 2, 2));
	assert_int_equal(io_uring_clone_buffers(&src, &dst), 0);
	assert_int_equal(io_uring_unregister_buffers(&dst), 0);
	assert_true(has_buffer(&src, 3, 3));
	assert_int_equal(io_uring_unregister_buffers(&src), 0);
	assert_int_equal(io_uring_clone_buffers(&src, &dst), -ENXIO);
}

static void test_offset(void **state)
{
	int ret = io_uring_clone_buffers_offset(&dst, &src, 3, 1, 2, 0);

	require_ret("clone with an offset", ret);
	assert_true(has_buffer(&dst, 1, 3));
	assert_true(has_buffer(&dst, 2, 4));
	assert_false(has_buffer(&dst, 0, 0));
	assert_false(has_buffer(&dst, 3, 5));

	/* Over those that are there, only when asked. */
	assert_int_equal(io_uring_clone_buffers_offset(&dst, &src, 4, 3, 1, 0), -EBUSY);
	assert_true(has_buffer(&dst, 2, 4));
	assert_int_equal(io_uring_clone_buffers_offset(&dst, &src, 4, 3, 1,
						       IORING_REGISTER_DST_REPLACE), 0);
	assert_true(has_buffer(&dst, 3, 4));
	assert_true(has_buffer(&dst, 1, 3));
	assert_int_equal(__io_uring_clone_buffers_offset(&dst, &src, 0, 0, 2,
							 IORING_REGISTER_DST_REPLACE), 0);
	assert_true(has_buffer(&dst, 0, 0));
	assert_true(has_buffer(&dst, 1, 1));

	assert_true(io_uring_clone_buffers_offset(&dst, &src, 0, NR_BUFS, 1,
						  IORING_REGISTER_DST_REPLACE) < 0);
	assert_true(io_uring_clone_buffers_offset(&dst, &src, 0, 1, NR_BUFS,
						  IORING_REGISTER_DST_REPLACE) < 0);
	assert_true(has_buffer(&dst, 0, 0));
}

/* A source without a descriptor is named by its index. */
static void test_registered_source(void **state)
{
	require_ret("a registered ring", io_uring_register_ring_fd(&src));
	require_ret("cloned buffers", io_uring_clone_buffers(&dst, &src));
	assert_true(has_buffer(&dst, 1, 1));
	assert_int_equal(io_uring_unregister_buffers(&dst), 0);

	/* With a descriptor there are both ways. */
	assert_int_equal(__io_uring_clone_buffers(&dst, &src, 0), 0);
	assert_true(has_buffer(&dst, 2, 2));
	assert_int_equal(io_uring_unregister_buffers(&dst), 0);

	require_ret("close_ring_fd", io_uring_close_ring_fd(&src));
	assert_int_equal(__io_uring_clone_buffers(&dst, &src, 0), -EBADF);
	assert_int_equal(io_uring_clone_buffers(&dst, &src), 0);
	assert_true(has_buffer(&dst, 3, 3));
	assert_int_equal(io_uring_clone_buffers_offset(&dst, &src, 7, 0, 1,
						       IORING_REGISTER_DST_REPLACE), 0);
	assert_true(has_buffer(&dst, 0, 7));
	assert_true(has_buffer(&dst, 3, 3));

	/* The same of the destination. */
	assert_int_equal(io_uring_unregister_buffers(&dst), 0);
	require_ret("a registered ring", io_uring_register_ring_fd(&dst));
	require_ret("close_ring_fd", io_uring_close_ring_fd(&dst));
	assert_int_equal(io_uring_clone_buffers(&dst, &src), 0);
	assert_true(has_buffer(&dst, 1, 1));
}

/* The flag may be set where the source has no index: its descriptor is used. */
static void test_flag_without_index(void **state)
{
	require_ret("cloned buffers",
		    __io_uring_clone_buffers(&dst, &src, IORING_REGISTER_SRC_REGISTERED));
	assert_true(has_buffer(&dst, 0, 0));
	assert_int_equal(__io_uring_clone_buffers(&dst, &src, 1U << 20), -EINVAL);
}

#define clone_test(f) cmocka_unit_test_setup_teardown(f, open_rings, close_rings)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		clone_test(test_all),
		clone_test(test_offset),
		clone_test(test_registered_source),
		clone_test(test_flag_without_index),
	};

	return cmocka_run_group_tests_name("clone", tests, NULL, NULL);
}
