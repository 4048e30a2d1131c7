/* SPDX-License-Identifier: MIT */
/*
 * Reads and writes with registered buffers, plain and vectored: which bytes
 * moved, and that nothing outside the named buffer may be used.
 */
#include "test.h"

#include "op_run.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define FILE_SZ 10000
#define BUF_SZ 4096
#define NOT_OPEN 4095

/* Registered buffers 0 and 1; 2 is an empty slot. */
static unsigned char bufs[2][BUF_SZ];

static void register_bufs(struct io_uring *ring)
{
	const struct iovec iov[3] = { { bufs[0], BUF_SZ }, { bufs[1], BUF_SZ }, { NULL, 0 } };

	assert_int_equal(io_uring_register_buffers(ring, iov, 3), 0);
	memset(bufs, 0xa5, sizeof(bufs));
}

static void test_read_fixed(void **state)
{
	struct io_uring *ring = *state;
	int fd = temp_file(FILE_SZ);

	io_uring_prep_read_fixed(op_sqe(ring, 1), fd, bufs[0], 100, 0, 0);
	op_check(op_run(ring), -EFAULT);

	register_bufs(ring);
	io_uring_prep_read_fixed(op_sqe(ring, 1), fd, bufs[1] + 10, 300, 1234, 1);
	op_check(op_run(ring), 300);
	assert_true(pattern_same(bufs[1] + 10, 300, 1234));
	assert_true(all_bytes(bufs[0], BUF_SZ, 0xa5));
	assert_true(all_bytes(bufs[1], 10, 0xa5));
	assert_true(all_bytes(bufs[1] + 310, BUF_SZ - 310, 0xa5));

	/* A buffer by the wrong number, one byte too many, an empty slot, no slot. */
	io_uring_prep_read_fixed(op_sqe(ring, 1), fd, bufs[1], 300, 0, 0);
	op_check(op_run(ring), -EFAULT);
	io_uring_prep_read_fixed(op_sqe(ring, 1), fd, bufs[1] + 1, BUF_SZ, 0, 1);
	op_check(op_run(ring), -EFAULT);
	io_uring_prep_read_fixed(op_sqe(ring, 1), fd, bufs[1], 300, 0, 2);
	op_check(op_run(ring), -EFAULT);
	io_uring_prep_read_fixed(op_sqe(ring, 1), fd, bufs[1], 300, 0, 3);
	op_check(op_run(ring), -EFAULT);
	io_uring_prep_read_fixed(op_sqe(ring, 1), NOT_OPEN, bufs[0], 100, 0, 0);
	op_check(op_run(ring), -EBADF);
	close(fd);
}

static void test_write_fixed(void **state)
{
	struct io_uring *ring = *state;
	int fd = temp_file(FILE_SZ);
	unsigned char back[300];

	register_bufs(ring);
	pattern_fill(bufs[0], BUF_SZ, 99);
	io_uring_prep_write_fixed(op_sqe(ring, 1), fd, bufs[0] + 50, 300, 5000, 0);
	op_check(op_run(ring), 300);
	assert_int_equal(pread(fd, back, 300, 5000), 300);
	assert_memory_equal(back, bufs[0] + 50, 300);
	assert_int_equal(pread(fd, back, 300, 5300), 300);
	assert_true(pattern_same(back, 300, 5300));

	io_uring_prep_write_fixed(op_sqe(ring, 1), fd, bufs[0] + 50, 300, 0, 1);
	op_check(op_run(ring), -EFAULT);
	io_uring_prep_write_fixed(op_sqe(ring, 1), NOT_OPEN, bufs[0], 100, 0, 0);
	op_check(op_run(ring), -EBADF);
	close(fd);
}

/* Both tables at once: a slot for the file, a slot for the buffer. */
static void test_fixed_file_and_buffer(void **state)
{
	struct io_uring *ring = *state;
	int fd = temp_file(FILE_SZ);
	struct io_uring_sqe *sqe;

	register_bufs(ring);
	assert_int_equal(io_uring_register_files(ring, &fd, 1), 0);
	close(fd);
	sqe = op_sqe(ring, 1);
	io_uring_prep_read_fixed(sqe, 0, bufs[0], BUF_SZ, 1, 0);
	io_uring_sqe_set_flags(sqe, IOSQE_FIXED_FILE | IOSQE_ASYNC);
	op_check(op_run(ring), BUF_SZ);
	assert_true(pattern_same(bufs[0], BUF_SZ, 1));
}

static void test_readv_fixed(void **state)
{
	struct io_uring *ring = *state;
	int fd = temp_file(FILE_SZ);
	struct iovec iov[2] = { { bufs[1] + 100, 200 }, { bufs[1] + 1000, 50 } };

	require_op(IORING_OP_READV_FIXED);
	register_bufs(ring);
	io_uring_prep_readv_fixed(op_sqe(ring, 1), fd, iov, 2, 700, 0, 1);
	op_check(op_run(ring), 250);
	assert_true(pattern_same(bufs[1] + 100, 200, 700));
	assert_true(pattern_same(bufs[1] + 1000, 50, 900));
	assert_true(all_bytes(bufs[1] + 300, 700, 0xa5));

	/* One of the pieces is in another buffer. */
	iov[1].iov_base = bufs[0];
	io_uring_prep_readv_fixed(op_sqe(ring, 1), fd, iov, 2, 700, 0, 1);
	op_check(op_run(ring), -EFAULT);
	iov[1].iov_base = bufs[1];
	io_uring_prep_readv_fixed(op_sqe(ring, 1), fd, iov, 2, 700, 1 << 30, 1);
	op_check(op_run(ring), -EOPNOTSUPP);
	io_uring_prep_readv_fixed(op_sqe(ring, 1), NOT_OPEN, iov, 2, 700, 0, 1);
	op_check(op_run(ring), -EBADF);
	close(fd);
}

static void test_writev_fixed(void **state)
{
	struct io_uring *ring = *state;
	int fd = temp_file(FILE_SZ);
	struct iovec iov[2] = { { bufs[1] + 100, 200 }, { bufs[1] + 1000, 50 } };
	unsigned char back[250];

	require_op(IORING_OP_WRITEV_FIXED);
	register_bufs(ring);
	pattern_fill(bufs[1], BUF_SZ, 5);
	io_uring_prep_writev_fixed(op_sqe(ring, 1), fd, iov, 2, 0, RWF_APPEND, 1);
	op_check(op_run(ring), 250);
	assert_int_equal(pread(fd, back, sizeof(back), FILE_SZ), sizeof(back));
	assert_memory_equal(back, bufs[1] + 100, 200);
	assert_memory_equal(back + 200, bufs[1] + 1000, 50);

	io_uring_prep_writev_fixed(op_sqe(ring, 1), fd, iov, 2, 0, 0, 0);
	op_check(op_run(ring), -EFAULT);
	io_uring_prep_writev_fixed(op_sqe(ring, 1), NOT_OPEN, iov, 2, 0, 0, 1);
	op_check(op_run(ring), -EBADF);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		op_test(test_read_fixed),
		op_test(test_write_fixed),
		op_test(test_fixed_file_and_buffer),
		op_test(test_readv_fixed),
		op_test(test_writev_fixed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
