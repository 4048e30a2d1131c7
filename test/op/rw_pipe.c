/* SPDX-License-Identifier: MIT */
/*
 * Pipes: one read request for many chunks, and bytes that move between two
 * descriptors without passing through the program.
 */
#include "test.h"

#include "op_buffers.h"
#include "op_run.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define FILE_SZ 10000
#define NOT_OPEN 4095
#define GROUP 5

static void open_pipe(int fds[2])
{
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
}

static void close_pipe(int fds[2])
{
	close(fds[0]);
	close(fds[1]);
}

static void send_text(int fd, const char *text)
{
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
}

/* The next CQE of a multishot read: text, in a buffer that it names. */
static void expect_text(struct io_uring *ring, struct op_buffers *buffers, const char *text)
{
	unsigned flags = op_expect_more(ring, 1, (int)strlen(text));
	unsigned bid = op_bid(flags);

	assert_memory_equal(op_buffer(buffers, bid), text, strlen(text));
	op_buffers_give(buffers, bid);
}

static void test_multishot(void **state)
{
	struct io_uring *ring = *state;
	struct op_buffers buffers;
	int fds[2];

	require_op(IORING_OP_READ_MULTISHOT);
	op_buffers_open(ring, &buffers, 2, 16, GROUP, 0);
	open_pipe(fds);
	io_uring_prep_read_multishot(op_sqe(ring, 1), fds[0], 0, (__u64)-1, GROUP);
	op_submit(ring);
	no_cqe(ring);
	send_text(fds[1], "one");
	expect_text(ring, &buffers, "one");
	send_text(fds[1], "two");
	expect_text(ring, &buffers, "two");
	send_text(fds[1], "more than sixteen bytes");
	expect_text(ring, &buffers, "more than sixtee");
	expect_text(ring, &buffers, "n bytes");

	/* The end of the pipe is the end of the request. */
	close(fds[1]);
	op_expect(ring, 1, 0);
	close(fds[0]);
	op_buffers_close(ring, &buffers);
}

static void test_multishot_cancelled(void **state)
{
	struct io_uring *ring = *state;
	struct op_buffers buffers;
	struct op_result results[3];
	int fds[2];

	require_op(IORING_OP_READ_MULTISHOT);
	op_buffers_open(ring, &buffers, 4, 16, GROUP, 0);
	open_pipe(fds);
	io_uring_prep_read_multishot(op_sqe(ring, 1), fds[0], 0, 0, GROUP);
	op_submit(ring);
	send_text(fds[1], "abcdef");
	expect_text(ring, &buffers, "abcdef");

	io_uring_prep_cancel64(op_sqe(ring, 2), 1, 0);
	op_submit(ring);
	op_collect(ring, 2, results);
	op_check(results[1].res, -ECANCELED);
	assert_false(results[1].flags & IORING_CQE_F_MORE);
	op_check(results[2].res, 0);
	close_pipe(fds);
	op_buffers_close(ring, &buffers);
}

static void test_multishot_errors(void **state)
{
	struct io_uring *ring = *state;
	struct op_buffers buffers;
	int fd = temp_file(FILE_SZ);
	int fds[2];

	require_op(IORING_OP_READ_MULTISHOT);
	op_buffers_open(ring, &buffers, 1, 16, GROUP, 0);
	open_pipe(fds);
	send_text(fds[1], "sixteen bytes are more than one buffer");

	/* The buffers run out: the last CQE says so. */
	io_uring_prep_read_multishot(op_sqe(ring, 1), fds[0], 0, 0, GROUP);
	op_submit(ring);
	op_bid(op_expect_more(ring, 1, 16));
	op_expect(ring, 1, -ENOBUFS);

	io_uring_prep_read_multishot(op_sqe(ring, 1), fds[0], 0, 0, GROUP + 1);
	op_check(op_run(ring), -ENOBUFS);
	/* The length is the buffer's. */
	io_uring_prep_read_multishot(op_sqe(ring, 1), fds[0], 4, 0, GROUP);
	op_check(op_run(ring), -EINVAL);
	io_uring_prep_read_multishot(op_sqe(ring, 1), NOT_OPEN, 0, 0, GROUP);
	op_check(op_run(ring), -EBADF);
	/* A file that cannot be polled. */
	io_uring_prep_read_multishot(op_sqe(ring, 1), fd, 0, 0, GROUP);
	op_check(op_run(ring), -EBADFD);
	close_pipe(fds);
	close(fd);
	op_buffers_close(ring, &buffers);
}

static void test_splice(void **state)
{
	struct io_uring *ring = *state;
	int from = temp_file(FILE_SZ), to = temp_file(0);
	unsigned char bytes[4096];
	int fds[2];

	/* With offsets, which leave the file positions alone. */
	open_pipe(fds);
	io_uring_prep_splice(op_sqe(ring, 1), from, 4000, fds[1], -1, 3000, 0);
	op_check(op_run(ring), 3000);
	assert_int_equal(lseek(from, 0, SEEK_CUR), 0);
	io_uring_prep_splice(op_sqe(ring, 1), fds[0], -1, to, 50, 1000, SPLICE_F_MOVE);
	op_check(op_run(ring), 1000);
	assert_int_equal(lseek(to, 0, SEEK_CUR), 0);
	assert_int_equal(pread(to, bytes, sizeof(bytes), 50), 1000);
	assert_true(pattern_same(bytes, 1000, 4000));
	assert_int_equal(read(fds[0], bytes, sizeof(bytes)), 2000);
	assert_true(pattern_same(bytes, 2000, 5000));

	/* With -1, which uses the position. */
	assert_int_equal(lseek(from, 9000, SEEK_SET), 9000);
	io_uring_prep_splice(op_sqe(ring, 1), from, -1, fds[1], -1, 4000, 0);
	op_check(op_run(ring), 1000);
	assert_int_equal(lseek(from, 0, SEEK_CUR), FILE_SZ);
	assert_int_equal(read(fds[0], bytes, sizeof(bytes)), 1000);
	assert_true(pattern_same(bytes, 1000, 9000));

	/* Neither is a pipe; either is not open. */
	io_uring_prep_splice(op_sqe(ring, 1), from, 0, to, 0, 10, 0);
	op_check(op_run(ring), -EINVAL);
	io_uring_prep_splice(op_sqe(ring, 1), NOT_OPEN, -1, fds[1], -1, 10, 0);
	op_check(op_run(ring), -EBADF);
	io_uring_prep_splice(op_sqe(ring, 1), from, 0, NOT_OPEN, -1, 10, 0);
	op_check(op_run(ring), -EBADF);
	close_pipe(fds);
	close(from);
	close(to);
}

static void test_splice_slots(void **state)
{
	struct io_uring *ring = *state;
	int fd = temp_file(FILE_SZ);
	unsigned char bytes[100];
	struct io_uring_sqe *sqe;
	int files[2], fds[2];

	open_pipe(fds);
	files[0] = fds[1];
	files[1] = fd;
	assert_int_equal(io_uring_register_files(ring, files, 2), 0);

	/* In from slot 1, out to slot 0. */
	sqe = op_sqe(ring, 1);
	io_uring_prep_splice(sqe, 1, 123, 0, -1, 100, SPLICE_F_FD_IN_FIXED);
	io_uring_sqe_set_flags(sqe, IOSQE_FIXED_FILE);
	op_check(op_run(ring), 100);
	assert_int_equal(read(fds[0], bytes, sizeof(bytes)), 100);
	assert_true(pattern_same(bytes, 100, 123));

	/* In from a slot, out to a plain descriptor. */
	io_uring_prep_splice(op_sqe(ring, 1), 1, 200, fds[1], -1, 100, SPLICE_F_FD_IN_FIXED);
	op_check(op_run(ring), 100);
	assert_int_equal(read(fds[0], bytes, sizeof(bytes)), 100);
	assert_true(pattern_same(bytes, 100, 200));

	io_uring_prep_splice(op_sqe(ring, 1), 2, 0, fds[1], -1, 100, SPLICE_F_FD_IN_FIXED);
	op_check(op_run(ring), -EBADF);
	close_pipe(fds);
	close(fd);
}

static void test_tee(void **state)
{
	struct io_uring *ring = *state;
	int fd = temp_file(FILE_SZ);
	char bytes[16];
	int from[2], to[2];

	open_pipe(from);
	open_pipe(to);
	send_text(from[1], "to both");
	io_uring_prep_tee(op_sqe(ring, 1), from[0], to[1], 100, 0);
	op_check(op_run(ring), 7);
	assert_int_equal(read(to[0], bytes, sizeof(bytes)), 7);
	assert_memory_equal(bytes, "to both", 7);
	assert_int_equal(read(from[0], bytes, sizeof(bytes)), 7);
	assert_memory_equal(bytes, "to both", 7);

	assert_int_equal(io_uring_register_files(ring, &from[0], 1), 0);
	send_text(from[1], "again");
	io_uring_prep_tee(op_sqe(ring, 1), 0, to[1], 3, SPLICE_F_FD_IN_FIXED);
	op_check(op_run(ring), 3);
	assert_int_equal(read(to[0], bytes, sizeof(bytes)), 3);
	assert_memory_equal(bytes, "aga", 3);

	io_uring_prep_tee(op_sqe(ring, 1), fd, to[1], 100, 0);
	op_check(op_run(ring), -EINVAL);
	io_uring_prep_tee(op_sqe(ring, 1), NOT_OPEN, to[1], 100, 0);
	op_check(op_run(ring), -EBADF);
	close_pipe(from);
	close_pipe(to);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		op_test(test_multishot),
		op_test(test_multishot_cancelled),
		op_test(test_multishot_errors),
		op_test(test_splice),
		op_test(test_splice_slots),
		op_test(test_tee),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
