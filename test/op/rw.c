/* SPDX-License-Identifier: MIT */
/*
 * Reads and writes of one piece or of several: the bytes that moved, the file
 * position, short results, and what is refused.
 */
#include "test.h"

#include "op_buffers.h"
#include "op_run.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define FILE_SZ 10000
#define NOT_OPEN 4095

static unsigned char buf[FILE_SZ];

static void test_read(void **state)
{
	struct io_uring *ring = *state;
	int fd = temp_file(FILE_SZ);

	io_uring_prep_read(op_sqe(ring, 1), fd, buf, 1000, 3000);
	op_check(op_run(ring), 1000);
	assert_true(pattern_same(buf, 1000, 3000));
	assert_int_equal(lseek(fd, 0, SEEK_CUR), 0);

	/* Short before the end, nothing at the end. */
	memset(buf, 0xa5, sizeof(buf));
	io_uring_prep_read(op_sqe(ring, 1), fd, buf, 1000, FILE_SZ - 10);
	op_check(op_run(ring), 10);
	assert_true(pattern_same(buf, 10, FILE_SZ - 10));
	assert_int_equal(buf[10], 0xa5);
	io_uring_prep_read(op_sqe(ring, 1), fd, buf, 1000, FILE_SZ);
	op_check(op_run(ring), 0);

	/* Offset -1: from the file's position, which moves on. */
	assert_int_equal(lseek(fd, 500, SEEK_SET), 500);
	io_uring_prep_read(op_sqe(ring, 1), fd, buf, 100, (__u64)-1);
	op_check(op_run(ring), 100);
	assert_true(pattern_same(buf, 100, 500));
	assert_int_equal(lseek(fd, 0, SEEK_CUR), 600);

	io_uring_prep_read(op_sqe(ring, 1), fd, (void *)1, 100, 0);
	op_check(op_run(ring), -EFAULT);
	io_uring_prep_read(op_sqe(ring, 1), NOT_OPEN, buf, 100, 0);
	op_check(op_run(ring), -EBADF);
	close(fd);
}

static void test_write(void **state)
{
	struct io_uring *ring = *state;
	int fd = temp_file(0);
	int read_only = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	unsigned char data[100];

	pattern_fill(data, sizeof(data), 7);
	io_uring_prep_write(op_sqe(ring, 1), fd, data, sizeof(data), 1000);
	op_check(op_run(ring), sizeof(data));
	assert_int_equal(lseek(fd, 0, SEEK_END), 1100);
	assert_int_equal(pread(fd, buf, sizeof(buf), 0), 1100);
	assert_true(all_bytes(buf, 1000, 0));
	assert_memory_equal(buf + 1000, data, sizeof(data));

	assert_int_equal(lseek(fd, 10, SEEK_SET), 10);
	io_uring_prep_write(op_sqe(ring, 1), fd, data, 20, (__u64)-1);
	op_check(op_run(ring), 20);
	assert_int_equal(lseek(fd, 0, SEEK_CUR), 30);
	assert_int_equal(pread(fd, buf, 20, 10), 20);
	assert_memory_equal(buf, data, 20);

	io_uring_prep_write(op_sqe(ring, 1), fd, (void *)1, 100, 0);
	op_check(op_run(ring), -EFAULT);
	io_uring_prep_write(op_sqe(ring, 1), read_only, data, 1, 0);
	op_check(op_run(ring), -EBADF);
	io_uring_prep_write(op_sqe(ring, 1), NOT_OPEN, data, 1, 0);
	op_check(op_run(ring), -EBADF);
	close(read_only);
	close(fd);
}

/* Three pieces of buf with a gap after each. */
static unsigned pieces_of_buf(struct iovec *iov)
{
	iov[0] = (struct iovec){ buf, 100 };
	iov[1] = (struct iovec){ buf + 200, 1 };
	iov[2] = (struct iovec){ buf + 300, 500 };
	return 3;
}

static void test_readv(void **state)
{
	struct io_uring *ring = *state;
	int fd = temp_file(FILE_SZ);
	struct iovec iov[3];
	unsigned nr = pieces_of_buf(iov);

	memset(buf, 0xa5, sizeof(buf));
	io_uring_prep_readv(op_sqe(ring, 1), fd, iov, nr, 50);
	op_check(op_run(ring), 601);
	assert_true(pattern_same(buf, 100, 50));
	assert_true(pattern_same(buf + 200, 1, 150));
	assert_true(pattern_same(buf + 300, 500, 151));
	assert_true(all_bytes(buf + 100, 100, 0xa5));
	assert_true(all_bytes(buf + 201, 99, 0xa5));

	/* The pages are in memory: a read that must not wait finds them. */
	memset(buf, 0, sizeof(buf));
	io_uring_prep_readv2(op_sqe(ring, 1), fd, iov, nr, 60, RWF_NOWAIT);
	op_check(op_run(ring), 601);
	assert_true(pattern_same(buf + 300, 500, 161));

	io_uring_prep_readv2(op_sqe(ring, 1), fd, iov, nr, 60, 1 << 30);
	op_check(op_run(ring), -EOPNOTSUPP);
	io_uring_prep_readv(op_sqe(ring, 1), fd, iov, IOV_MAX + 1, 0);
	op_check(op_run(ring), -EINVAL);
	io_uring_prep_readv(op_sqe(ring, 1), NOT_OPEN, iov, nr, 0);
	op_check(op_run(ring), -EBADF);
	close(fd);
}

static void test_writev(void **state)
{
	struct io_uring *ring = *state;
	int fd = temp_file(FILE_SZ);
	unsigned char back[601];
	struct iovec iov[3];
	unsigned nr = pieces_of_buf(iov);

	pattern_fill(buf, sizeof(buf), 77);
	io_uring_prep_writev(op_sqe(ring, 1), fd, iov, nr, 2000);
	op_check(op_run(ring), 601);
	assert_int_equal(pread(fd, back, sizeof(back), 2000), sizeof(back));
	assert_memory_equal(back, buf, 100);
	assert_memory_equal(back + 100, buf + 200, 1);
	assert_memory_equal(back + 101, buf + 300, 500);

	/* Appended, whatever the offset says. */
	io_uring_prep_writev2(op_sqe(ring, 1), fd, iov, nr, 0, RWF_APPEND);
	op_check(op_run(ring), 601);
	assert_int_equal(lseek(fd, 0, SEEK_END), FILE_SZ + 601);
	assert_int_equal(pread(fd, back, sizeof(back), FILE_SZ), sizeof(back));
	assert_memory_equal(back + 101, buf + 300, 500);
	assert_int_equal(pread(fd, back, 100, 0), 100);
	assert_true(pattern_same(back, 100, 0));

	io_uring_prep_writev2(op_sqe(ring, 1), fd, iov, nr, 0, 1 << 30);
	op_check(op_run(ring), -EOPNOTSUPP);
	io_uring_prep_writev(op_sqe(ring, 1), NOT_OPEN, iov, nr, 0);
	op_check(op_run(ring), -EBADF);
	close(fd);
}

static void test_provided_buffer(void **state)
{
	struct io_uring *ring = *state;
	int fd = temp_file(FILE_SZ);
	struct op_buffers buffers;
	struct iovec iov = { NULL, 64 };
	struct io_uring_sqe *sqe;
	struct op_result result;
	int i;

	op_buffers_open(ring, &buffers, 2, 64, 3, 0);
	for (i = 0; i < 2; i++) {
		sqe = op_sqe(ring, 1);
		if (i)
			io_uring_prep_readv(sqe, fd, &iov, 1, 640);
		else
			io_uring_prep_read(sqe, fd, NULL, 64, 0);
		io_uring_sqe_set_flags(sqe, IOSQE_BUFFER_SELECT);
		io_uring_sqe_set_buf_group(sqe, 3);
		op_submit(ring);
		result = op_take(ring);
		op_check(result.res, 64);
		assert_int_equal(op_bid(result.flags), i);
		assert_true(pattern_same(op_buffer(&buffers, i), 64, i ? 640 : 0));
	}

	/* Both are lent: there is none until one is given back. */
	for (i = 0; i < 2; i++) {
		sqe = op_sqe(ring, 1);
		io_uring_prep_read(sqe, fd, NULL, 64, 128);
		io_uring_sqe_set_flags(sqe, IOSQE_BUFFER_SELECT);
		io_uring_sqe_set_buf_group(sqe, 3);
		op_check(op_run(ring), i ? 64 : -ENOBUFS);
		op_buffers_give(&buffers, 1);
	}
	assert_true(pattern_same(op_buffer(&buffers, 1), 64, 128));
	op_buffers_close(ring, &buffers);
	close(fd);
}

static void test_fixed_file(void **state)
{
	struct io_uring *ring = *state;
	int fd = temp_file(FILE_SZ);
	int files[2] = { -1, fd };
	struct io_uring_sqe *sqe;

	assert_int_equal(io_uring_register_files(ring, files, 2), 0);
	close(fd);
	sqe = op_sqe(ring, 1);
	io_uring_prep_read(sqe, 1, buf, 100, 300);
	io_uring_sqe_set_flags(sqe, IOSQE_FIXED_FILE);
	op_check(op_run(ring), 100);
	assert_true(pattern_same(buf, 100, 300));

	sqe = op_sqe(ring, 1);
	io_uring_prep_write(sqe, 1, buf, 100, 0);
	io_uring_sqe_set_flags(sqe, IOSQE_FIXED_FILE);
	op_check(op_run(ring), 100);
	sqe = op_sqe(ring, 1);
	io_uring_prep_read(sqe, 1, buf + 100, 100, 0);
	io_uring_sqe_set_flags(sqe, IOSQE_FIXED_FILE);
	op_check(op_run(ring), 100);
	assert_memory_equal(buf, buf + 100, 100);

	/* An empty slot, and one behind the table. */
	sqe = op_sqe(ring, 1);
	io_uring_prep_read(sqe, 0, buf, 100, 0);
	io_uring_sqe_set_flags(sqe, IOSQE_FIXED_FILE);
	op_check(op_run(ring), -EBADF);
	sqe = op_sqe(ring, 1);
	io_uring_prep_read(sqe, 2, buf, 100, 0);
	io_uring_sqe_set_flags(sqe, IOSQE_FIXED_FILE);
	op_check(op_run(ring), -EBADF);
}

/* A read of an empty pipe: it waits for bytes, or until it is cancelled. */
static void test_waiting_read(void **state)
{
	struct io_uring *ring = *state;
	struct op_result results[4];
	struct io_uring_sqe *sqe;
	int fds[2];

	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	io_uring_prep_read(op_sqe(ring, 1), fds[0], buf, 100, 0);
	op_submit(ring);
	no_cqe(ring);
	assert_int_equal(write(fds[1], "eleven bytes", 11), 11);
	op_expect(ring, 1, 11);
	assert_memory_equal(buf, "eleven byte", 11);

	/* On a worker thread, by request. */
	sqe = op_sqe(ring, 1);
	io_uring_prep_read(sqe, fds[0], buf, 100, 0);
	io_uring_sqe_set_flags(sqe, IOSQE_ASYNC);
	op_submit(ring);
	no_cqe(ring);
	assert_int_equal(write(fds[1], "x", 1), 1);
	op_expect(ring, 1, 1);

	io_uring_prep_read(op_sqe(ring, 1), fds[0], buf, 100, 0);
	io_uring_prep_cancel64(op_sqe(ring, 2), 1, 0);
	op_submit(ring);
	op_collect(ring, 2, results);
	op_check(results[1].res, -ECANCELED);
	op_check(results[2].res, 0);

	close(fds[1]);
	io_uring_prep_read(op_sqe(ring, 1), fds[0], buf, 100, 0);
	op_check(op_run(ring), 0);
	close(fds[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		op_test(test_read),
		op_test(test_write),
		op_test(test_readv),
		op_test(test_writev),
		op_test(test_provided_buffer),
		op_test(test_fixed_file),
		op_test(test_waiting_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
