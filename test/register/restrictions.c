/* SPDX-License-Identifier: MIT */
/*
 * Restrictions: what they allow goes on, what they do not is refused; and
 * personalities, by which a request has the rights that the process had.
 */
#include "test.h"

#include "ring.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DISABLED IORING_SETUP_R_DISABLED
#define NOBODY 65534

static void open_disabled(struct io_uring *ring)
{
	int ret = io_uring_queue_init(8, ring, DISABLED);

	if (ret && ring_ask(DISABLED))
		skip_because("the kernel refuses R_DISABLED: %s", strerror(-ret));
	assert_int_equal(ret, 0);
}

static void restrict_to(struct io_uring *ring, const unsigned (*rules)[2], unsigned nr)
{
	struct io_uring_restriction res[8];
	unsigned i;

	memset(res, 0, sizeof(res));
	for (i = 0; i < nr; i++) {
		res[i].opcode = (__u16)rules[i][0];
		res[i].sqe_op = (__u8)rules[i][1];
	}
	require_ret("restrictions", io_uring_register_restrictions(ring, res, nr));
}

static int run_op(struct io_uring *ring, int fd, bool is_write, unsigned flags)
{
	static char buf[4] = "abc";
	struct io_uring_sqe *sqe = next_sqe(ring);

	if (is_write)
		io_uring_prep_write(sqe, fd, buf, 3, 0);
	else
		io_uring_prep_read(sqe, fd, buf, 3, 0);
	sqe->flags |= (__u8)flags;
	return submit_one(ring, NULL);
}

static void test_allowed_ops(void **state)
{
	static const unsigned rules[][2] = {
		{ IORING_RESTRICTION_SQE_OP, IORING_OP_READ },
		{ IORING_RESTRICTION_REGISTER_OP, IORING_REGISTER_BUFFERS },
	};
	static char mem[100];
	struct iovec iov = { mem, sizeof(mem) };
	struct io_uring ring;
	int fd = temp_file(10);
	char got[10];

	open_disabled(&ring);
	restrict_to(&ring, rules, 2);
	assert_int_equal(io_uring_enable_rings(&ring), 0);
	assert_int_equal(run_op(&ring, fd, false, 0), 3);
	assert_int_equal(run_op(&ring, fd, true, 0), -EACCES);
	assert_int_equal(pread(fd, got, 10, 0), 10);
	assert_true(pattern_same(got, 10, 0));
	io_uring_prep_nop(next_sqe(&ring));
	assert_int_equal(submit_one(&ring, NULL), -EACCES);
	/* No flag was allowed. */
	assert_int_equal(run_op(&ring, fd, false, IOSQE_ASYNC), -EACCES);

	assert_int_equal(io_uring_register_buffers(&ring, &iov, 1), 0);
	assert_int_equal(io_uring_unregister_buffers(&ring), -EACCES);
	assert_int_equal(io_uring_register_files(&ring, &fd, 1), -EACCES);
	io_uring_queue_exit(&ring);
	close(fd);
}

static void test_flags(void **state)
{
	static const unsigned rules[][2] = {
		{ IORING_RESTRICTION_SQE_OP, IORING_OP_READ },
		{ IORING_RESTRICTION_SQE_FLAGS_ALLOWED, IOSQE_ASYNC | IOSQE_FIXED_FILE },
		{ IORING_RESTRICTION_SQE_FLAGS_REQUIRED, IOSQE_FIXED_FILE },
	};
	struct io_uring ring;
	int fd = temp_file(10);

	open_disabled(&ring);
	assert_int_equal(io_uring_register_files(&ring, &fd, 1), 0);
	restrict_to(&ring, rules, 3);
	assert_int_equal(io_uring_enable_rings(&ring), 0);
	assert_int_equal(run_op(&ring, fd, false, 0), -EACCES);
	assert_int_equal(run_op(&ring, 0, false, IOSQE_FIXED_FILE), 3);
	assert_int_equal(run_op(&ring, 0, false, IOSQE_FIXED_FILE | IOSQE_ASYNC), 3);
	assert_int_equal(run_op(&ring, 0, false, IOSQE_FIXED_FILE | IOSQE_IO_DRAIN), -EACCES);
	io_uring_queue_exit(&ring);
	close(fd);
}

static void test_when(void **state)
{
	static const unsigned rules[][2] = { { IORING_RESTRICTION_SQE_OP, IORING_OP_READ } };
	struct io_uring_restriction res[2];
	struct io_uring ring;
	int fd = temp_file(10);

	memset(res, 0, sizeof(res));
	res[0].opcode = IORING_RESTRICTION_SQE_OP;
	res[0].sqe_op = IORING_OP_READ;
	ring_open_flags(&ring, 8, 0);
	assert_int_equal(io_uring_register_restrictions(&ring, res, 1), -EBADFD);
	assert_int_equal(run_op(&ring, fd, true, 0), 3);
	io_uring_queue_exit(&ring);

	open_disabled(&ring);
	res[1].opcode = 200;
	assert_int_equal(io_uring_register_restrictions(&ring, res, 2), -EINVAL);
	restrict_to(&ring, rules, 1);
	assert_int_equal(io_uring_register_restrictions(&ring, res, 1), -EBUSY);
	assert_int_equal(io_uring_enable_rings(&ring), 0);
	assert_int_equal(run_op(&ring, fd, true, 0), -EACCES);
	io_uring_queue_exit(&ring);
	close(fd);
}

static int nop_as(struct io_uring *ring, int id)
{
	struct io_uring_sqe *sqe = next_sqe(ring);

	io_uring_prep_nop(sqe);
	sqe->personality = (__u16)id;
	return submit_one(ring, NULL);
}

static void test_personality(struct io_uring *ring)
{
	int first = io_uring_register_personality(ring), second;

	require_ret("a personality", first);
	assert_true(first > 0);
	second = io_uring_register_personality(ring);
	assert_true(second > 0 && second != first);
	assert_int_equal(nop_as(ring, first), 0);
	assert_int_equal(nop_as(ring, second), 0);
	assert_int_equal(io_uring_unregister_personality(ring, first), 0);
	assert_int_equal(nop_as(ring, first), -EINVAL);
	assert_int_equal(nop_as(ring, second), 0);
	assert_int_equal(io_uring_unregister_personality(ring, first), -EINVAL);
	assert_int_equal(io_uring_unregister_personality(ring, second), 0);
	assert_int_equal(nop_as(ring, second), -EINVAL);
}

static int open_as(struct io_uring *ring, const char *path, int id)
{
	struct io_uring_sqe *sqe = next_sqe(ring);
	int fd;

	io_uring_prep_openat(sqe, AT_FDCWD, path, O_RDONLY, 0);
	sqe->personality = (__u16)id;
	fd = submit_one(ring, NULL);
	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

/* Opens as root what nobody else may. */
static int keep_rights(void *arg)
{
	const char *path = arg;
	struct io_uring ring;
	int id;

	child_check_equal(io_uring_queue_init(8, &ring, 0), 0);
	id = io_uring_register_personality(&ring);
	child_check(id > 0);
	if (setresuid(NOBODY, NOBODY, NOBODY)) {
		puts("this user cannot become another");
		fflush(stdout);
		return CHILD_SKIP;
	}
	child_check_equal(open_as(&ring, path, 0), -EACCES);
	child_check_equal(open_as(&ring, path, id), 0);
	child_check_equal(io_uring_unregister_personality(&ring, id), 0);
	child_check_equal(open_as(&ring, path, id), -EINVAL);
	return 0;
}

static void test_rights(void **state)
{
	char path[] = "/var/tmp/restrictions.XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	/* In a child, for the rest of the tests to keep their rights. */
	if (geteuid()) {
		unlink(path);
		skip_because("only root can become another user");
	}
	in_child(keep_rights, path);
	unlink(path);
}

int main(void)
{
	static const struct ring_case cases[] = {
		{ "personality on", test_personality, 0, 0 },
	};
	static const struct CMUnitTest tests[] = {
		timed_test(test_allowed_ops),
		timed_test(test_flags),
		timed_test(test_when),
		timed_test(test_rights),
	};
	int nr_failed = cmocka_run_group_tests_name("restrictions", tests, NULL, NULL);

	return nr_failed + ring_run_cases("personalities", cases, ARRAY_LEN(cases));
}
