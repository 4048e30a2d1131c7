/* SPDX-License-Identifier: MIT */
/*
 * The flags of an SQE: chains and what breaks them, draining, silent success,
 * workers, and the credentials of a request.
 */
#include "test.h"

#include "op_dir.h"
#include "op_run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FILE_SZ 100

/* A nop, or a read of nothing that fails with -EBADF. */
static void prep_nop(struct io_uring *ring, __u64 tag, unsigned flags, bool fails)
{
	struct io_uring_sqe *sqe = op_sqe(ring, tag);

	if (fails)
		io_uring_prep_read(sqe, -1, NULL, 0, 0);
	else
		io_uring_prep_nop(sqe);
	io_uring_sqe_set_flags(sqe, flags);
}

static void test_link_order(void **state)
{
	struct io_uring *ring = *state;
	struct io_uring_sqe *sqe;
	char bytes[8], from[] = "through!";
	int fds[2];

	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	/* Read, write what was read back into the pipe, read again. */
	sqe = op_sqe(ring, 1);
	io_uring_prep_read(sqe, fds[0], bytes, sizeof(bytes), 0);
	io_uring_sqe_set_flags(sqe, IOSQE_IO_LINK);
	sqe = op_sqe(ring, 2);
	io_uring_prep_write(sqe, fds[1], bytes, sizeof(bytes), 0);
	io_uring_sqe_set_flags(sqe, IOSQE_IO_LINK);
	io_uring_prep_read(op_sqe(ring, 3), fds[0], from, sizeof(bytes), 0);
	op_submit(ring);
	no_cqe(ring);
	assert_int_equal(write(fds[1], "8 bytes.", 8), 8);
	op_expect(ring, 1, 8);
	op_expect(ring, 2, 8);
	op_expect(ring, 3, 8);
	assert_memory_equal(from, "8 bytes.", 8);
	close(fds[0]);
	close(fds[1]);
}

/* A short read breaks a chain: what follows is cancelled, what is after it not. */
static void test_link_broken(void **state)
{
	struct io_uring *ring = *state;
	struct op_result results[6];
	struct io_uring_sqe *sqe;
	int fd = temp_file(FILE_SZ), to = temp_file(0);
	char bytes[2 * FILE_SZ];

	sqe = op_sqe(ring, 1);
	io_uring_prep_read(sqe, fd, bytes, sizeof(bytes), 0);
	io_uring_sqe_set_flags(sqe, IOSQE_IO_LINK);
	sqe = op_sqe(ring, 2);
	io_uring_prep_write(sqe, to, bytes, sizeof(bytes), 0);
	io_uring_sqe_set_flags(sqe, IOSQE_IO_LINK);
	prep_nop(ring, 3, 0, false);
	prep_nop(ring, 4, 0, false);
	op_submit(ring);
	op_collect(ring, 4, results);
	op_check(results[1].res, FILE_SZ);
	op_check(results[2].res, -ECANCELED);
	op_check(results[3].res, -ECANCELED);
	op_check(results[4].res, 0);
	assert_int_equal(lseek(to, 0, SEEK_END), 0);

	/* A hard link holds: the write goes on, though of garbage. */
	sqe = op_sqe(ring, 1);
	io_uring_prep_read(sqe, fd, bytes, sizeof(bytes), 0);
	io_uring_sqe_set_flags(sqe, IOSQE_IO_HARDLINK);
	io_uring_prep_write(op_sqe(ring, 2), to, bytes, FILE_SZ, 0);
	op_submit(ring);
	op_expect(ring, 1, FILE_SZ);
	op_expect(ring, 2, FILE_SZ);
	assert_int_equal(lseek(to, 0, SEEK_END), FILE_SZ);

	prep_nop(ring, 1, IOSQE_IO_HARDLINK, true);
	prep_nop(ring, 2, IOSQE_IO_LINK, true);
	prep_nop(ring, 3, 0, false);
	op_submit(ring);
	op_expect(ring, 1, -EBADF);
	op_expect(ring, 2, -EBADF);
	op_expect(ring, 3, -ECANCELED);
	close(fd);
	close(to);
}

/* The file is looked up when its turn comes: it may be opened by the chain. */
static void test_link_opens_file(void **state)
{
	struct io_uring *ring = *state;
	struct op_result results[4];
	struct io_uring_sqe *sqe;
	char bytes[16];

	if (!(ring->features & IORING_FEAT_LINKED_FILE))
		skip_because("the kernel has no IORING_FEAT_LINKED_FILE");
	op_dir_file(AT_FDCWD, "linked", "in the chain");
	assert_int_equal(io_uring_register_files_sparse(ring, 1), 0);
	sqe = op_sqe(ring, 1);
	io_uring_prep_open_direct(sqe, "linked", O_RDONLY, 0, 0);
	io_uring_sqe_set_flags(sqe, IOSQE_IO_LINK);
	sqe = op_sqe(ring, 2);
	io_uring_prep_read(sqe, 0, bytes, 12, 0);
	io_uring_sqe_set_flags(sqe, IOSQE_IO_LINK | IOSQE_FIXED_FILE);
	io_uring_prep_close_direct(op_sqe(ring, 3), 0);
	op_submit(ring);
	op_collect(ring, 3, results);
	op_check(results[1].res, 0);
	op_check(results[2].res, 12);
	op_check(results[3].res, 0);
	assert_memory_equal(bytes, "in the chain", 12);
}

/* What drains waits for all before it, and all after it waits too. */
static void test_drain(void **state)
{
	struct io_uring *ring = *state;
	int fds[2];

	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	io_uring_prep_poll_add(op_sqe(ring, 1), fds[0], POLLIN);
	prep_nop(ring, 2, 0, false);
	prep_nop(ring, 3, IOSQE_IO_DRAIN, false);
	prep_nop(ring, 4, 0, false);
	op_submit(ring);
	op_expect(ring, 2, 0);
	no_cqe(ring);
	assert_int_equal(write(fds[1], "x", 1), 1);
	op_expect(ring, 1, POLLIN);
	op_expect(ring, 3, 0);
	op_expect(ring, 4, 0);
	close(fds[0]);
	close(fds[1]);
}

static void test_skip_success(void **state)
{
	struct io_uring *ring = *state;

	if (!(ring->features & IORING_FEAT_CQE_SKIP))
		skip_because("the kernel has no IORING_FEAT_CQE_SKIP");
	prep_nop(ring, 1, IOSQE_CQE_SKIP_SUCCESS, false);
	prep_nop(ring, 2, IOSQE_CQE_SKIP_SUCCESS, true);
	op_submit(ring);
	op_expect(ring, 2, -EBADF);
	no_cqe(ring);

	/* Of a chain that works only the last is heard; of a broken one, the break. */
	prep_nop(ring, 1, IOSQE_CQE_SKIP_SUCCESS | IOSQE_IO_LINK, false);
	prep_nop(ring, 2, IOSQE_CQE_SKIP_SUCCESS | IOSQE_IO_LINK, false);
	prep_nop(ring, 3, 0, false);
	op_submit(ring);
	op_expect(ring, 3, 0);
	no_cqe(ring);
	prep_nop(ring, 1, IOSQE_CQE_SKIP_SUCCESS | IOSQE_IO_LINK, true);
	prep_nop(ring, 2, IOSQE_CQE_SKIP_SUCCESS | IOSQE_IO_LINK, false);
	prep_nop(ring, 3, IOSQE_CQE_SKIP_SUCCESS, false);
	op_submit(ring);
	op_expect(ring, 1, -EBADF);
	no_cqe(ring);
}

static void test_async(void **state)
{
	struct io_uring *ring = *state;
	struct io_uring_sqe *sqe;
	int fd = temp_file(FILE_SZ);
	char bytes[FILE_SZ];

	sqe = op_sqe(ring, 1);
	io_uring_prep_read(sqe, fd, bytes, sizeof(bytes), 0);
	io_uring_sqe_set_flags(sqe, IOSQE_ASYNC);
	op_submit(ring);
	op_expect(ring, 1, FILE_SZ);
	assert_true(pattern_same(bytes, FILE_SZ, 0));
	close(fd);
}

static void test_bad_flags(void **state)
{
	struct io_uring *ring = *state;
	struct io_uring_sqe *sqe;

	prep_nop(ring, 1, 1U << 7, false);
	op_check(op_run(ring), -EINVAL);
	sqe = op_sqe(ring, 1);
	sqe->opcode = 255;
	op_check(op_run(ring), -EINVAL);
	sqe = op_sqe(ring, 1);
	io_uring_prep_nop(sqe);
	sqe->personality = 999;
	op_check(op_run(ring), -EINVAL);
}

static int open_secret(struct io_uring *ring, int personality)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(ring);
	struct io_uring_cqe *cqe;
	int res;

	io_uring_prep_open(sqe, "secret", O_RDONLY | O_CLOEXEC, 0);
	sqe->personality = (__u16)personality;
	if (io_uring_submit_and_wait(ring, 1) != 1 || io_uring_peek_cqe(ring, &cqe))
		return -EIO;
	res = cqe->res;
	io_uring_cqe_seen(ring, cqe);
	return res;
}

/* A file that the child's new user may not open, and its old self may. */
static int use_personality(void *arg)
{
	uid_t somebody = geteuid() + 1;
	struct io_uring ring;
	int id, fd;

	child_check_equal(io_uring_queue_init(4, &ring, 0), 0);
	id = io_uring_register_personality(&ring);
	child_check(id > 0);
	if (syscall(SYS_setresuid, somebody, somebody, somebody) < 0) {
		dprintf(STDOUT_FILENO, "not allowed to become somebody else: %s\n",
			strerror(errno));
		return CHILD_SKIP;
	}
	child_check_equal(open_secret(&ring, 0), -EACCES);
	fd = open_secret(&ring, id);
	child_check(fd >= 0);
	child_check_equal(io_uring_unregister_personality(&ring, id), 0);
	child_check_equal(open_secret(&ring, id), -EINVAL);
	io_uring_queue_exit(&ring);
	return 0;
}

static void test_personality(void **state)
{
	int fd;

	op_dir_file(AT_FDCWD, "secret", "");
	fd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(fchmod(fd, 0755), 0);
	close(fd);
	in_child(use_personality, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		op_test(test_link_order),
		op_test(test_link_broken),
		op_test(test_link_opens_file),
		op_test(test_drain),
		op_test(test_skip_success),
		op_test(test_async),
		op_test(test_bad_flags),
		op_test(test_personality),
	};

	return cmocka_run_group_tests(tests, op_dir_setup, op_dir_teardown);
}
