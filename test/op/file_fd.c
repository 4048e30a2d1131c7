/* SPDX-License-Identifier: MIT */
/*
 * Pipes, and descriptors of the process made from direct ones.
 */
#include "test.h"

#include "op_run.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define SLOTS 4

static bool same_file(int a, int b)
{
	struct stat st_a, st_b;

	assert_int_equal(fstat(a, &st_a), 0);
	assert_int_equal(fstat(b, &st_b), 0);
	return st_a.st_dev == st_b.st_dev && st_a.st_ino == st_b.st_ino;
}

static void test_install(void **state)
{
	struct io_uring *ring = *state;
	int files[SLOTS] = { -1, temp_file(100), -1, -1 };
	struct io_uring_sqe *sqe;
	char bytes[100];
	int plain, inherited;

	require_op(IORING_OP_FIXED_FD_INSTALL);
	assert_int_equal(io_uring_register_files(ring, files, SLOTS), 0);
	io_uring_prep_fixed_fd_install(op_sqe(ring, 1), 1, 0);
	plain = op_run(ring);
	assert_true(plain >= 0);
	assert_int_equal(fcntl(plain, F_GETFD), FD_CLOEXEC);
	assert_true(same_file(plain, files[1]));

	io_uring_prep_fixed_fd_install(op_sqe(ring, 1), 1, IORING_FIXED_FD_NO_CLOEXEC);
	inherited = op_run(ring);
	assert_true(inherited >= 0);
	assert_int_not_equal(inherited, plain);
	assert_int_equal(fcntl(inherited, F_GETFD), 0);
	assert_true(same_file(inherited, files[1]));

	/* It outlives the slot. */
	close(files[1]);
	close(inherited);
	io_uring_prep_close_direct(op_sqe(ring, 1), 1);
	op_check(op_run(ring), 0);
	assert_int_equal(pread(plain, bytes, sizeof(bytes), 0), sizeof(bytes));
	assert_true(pattern_same(bytes, sizeof(bytes), 0));

	io_uring_prep_fixed_fd_install(op_sqe(ring, 1), 1, 0);
	op_check(op_run(ring), -EBADF);
	io_uring_prep_fixed_fd_install(op_sqe(ring, 1), 0, 1U << 31);
	op_check(op_run(ring), -EINVAL);
	/* Of a plain descriptor there is nothing to install. */
	sqe = op_sqe(ring, 1);
	io_uring_prep_fixed_fd_install(sqe, plain, 0);
	sqe->flags &= (__u8)~IOSQE_FIXED_FILE;
	op_check(op_run(ring), -EBADF);
	close(plain);
}

static void test_pipe(void **state)
{
	struct io_uring *ring = *state;
	int fds[2] = { -1, -1 };
	char bytes[8];

	require_op(IORING_OP_PIPE);
	io_uring_prep_pipe(op_sqe(ring, 1), fds, O_CLOEXEC | O_NONBLOCK);
	op_check(op_run(ring), 0);
	assert_int_equal(fcntl(fds[0], F_GETFD), FD_CLOEXEC);
	assert_int_equal(fcntl(fds[1], F_GETFD), FD_CLOEXEC);
	assert_true(fcntl(fds[0], F_GETFL) & O_NONBLOCK);
	assert_int_equal(write(fds[1], "through", 7), 7);
	assert_int_equal(read(fds[0], bytes, sizeof(bytes)), 7);
	assert_memory_equal(bytes, "through", 7);
	assert_int_equal(write(fds[0], "back", 4), -1);
	close(fds[0]);
	close(fds[1]);

	io_uring_prep_pipe(op_sqe(ring, 1), fds, O_APPEND);
	op_check(op_run(ring), -EINVAL);
	io_uring_prep_pipe(op_sqe(ring, 1), (int *)1, 0);
	op_check(op_run(ring), -EFAULT);
}

/* Bytes go in at one slot and come out at the other. */
static void check_slots(struct io_uring *ring, int out, int in)
{
	struct op_result results[3];
	struct io_uring_sqe *sqe;
	char bytes[8];

	sqe = op_sqe(ring, 1);
	io_uring_prep_write(sqe, in, "through", 7, 0);
	io_uring_sqe_set_flags(sqe, IOSQE_FIXED_FILE | IOSQE_IO_LINK);
	sqe = op_sqe(ring, 2);
	io_uring_prep_read(sqe, out, bytes, sizeof(bytes), 0);
	io_uring_sqe_set_flags(sqe, IOSQE_FIXED_FILE);
	op_submit(ring);
	op_collect(ring, 2, results);
	op_check(results[1].res, 7);
	op_check(results[2].res, 7);
	assert_memory_equal(bytes, "through", 7);
}

static void test_pipe_direct(void **state)
{
	struct io_uring *ring = *state;
	struct holdings before;
	int fds[2] = { -1, -1 };

	require_op(IORING_OP_PIPE);
	assert_int_equal(io_uring_register_files_sparse(ring, SLOTS), 0);
	holdings_take(&before);
	io_uring_prep_pipe_direct(op_sqe(ring, 1), fds, 0, 1);
	op_check(op_run(ring), 0);
	check_slots(ring, 1, 2);

	/* Slots 0 and 3 are free. */
	io_uring_prep_pipe_direct(op_sqe(ring, 1), fds, 0, IORING_FILE_INDEX_ALLOC);
	op_check(op_run(ring), 0);
	assert_true((fds[0] == 0 && fds[1] == 3) || (fds[0] == 3 && fds[1] == 0));
	check_slots(ring, fds[0], fds[1]);
	holdings_same(&before);

	io_uring_prep_pipe_direct(op_sqe(ring, 1), fds, 0, IORING_FILE_INDEX_ALLOC);
	op_check(op_run(ring), -ENFILE);
	io_uring_prep_pipe_direct(op_sqe(ring, 1), fds, 0, SLOTS);
	op_check(op_run(ring), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		op_test(test_install),
		op_test(test_pipe),
		op_test(test_pipe_direct),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
