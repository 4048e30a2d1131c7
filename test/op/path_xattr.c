/* SPDX-License-Identifier: MIT */
/*
 * Extended attributes, by name and by descriptor.
 */
#include "test.h"

#include "op_dir.h"
#include "op_run.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#define NOT_OPEN 4095

/* A file that can have attributes, open. */
static int open_file(const char *name)
{
	int fd;

	op_dir_file(AT_FDCWD, name, "");
	fd = open(name, O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	if (fsetxattr(fd, "user.probe", "x", 1, 0) < 0)
		skip_because("/var/tmp has no user attributes: %s", strerror(errno));
	return fd;
}

static void test_by_name(void **state)
{
	struct io_uring *ring = *state;
	char value[16] = "";

	require_op(IORING_OP_SETXATTR);
	close(open_file("named"));
	io_uring_prep_setxattr(op_sqe(ring, 1), "user.one", "first", "named", 0, 5);
	op_check(op_run(ring), 0);
	assert_int_equal(getxattr("named", "user.one", value, sizeof(value)), 5);
	assert_memory_equal(value, "first", 5);
	io_uring_prep_setxattr(op_sqe(ring, 1), "user.one", "second", "named", XATTR_CREATE, 6);
	op_check(op_run(ring), -EEXIST);
	io_uring_prep_setxattr(op_sqe(ring, 1), "user.one", "second", "named", XATTR_REPLACE, 6);
	op_check(op_run(ring), 0);

	memset(value, 0, sizeof(value));
	io_uring_prep_getxattr(op_sqe(ring, 1), "user.one", value, "named", sizeof(value));
	op_check(op_run(ring), 6);
	assert_string_equal(value, "second");

	/* Length 0 asks for the size; a length that is too small is an error. */
	io_uring_prep_getxattr(op_sqe(ring, 1), "user.one", NULL, "named", 0);
	op_check(op_run(ring), 6);
	io_uring_prep_getxattr(op_sqe(ring, 1), "user.one", value, "named", 2);
	op_check(op_run(ring), -ERANGE);
	io_uring_prep_getxattr(op_sqe(ring, 1), "user.none", value, "named", sizeof(value));
	op_check(op_run(ring), -ENODATA);
	io_uring_prep_getxattr(op_sqe(ring, 1), "user.one", value, "none", sizeof(value));
	op_check(op_run(ring), -ENOENT);
	io_uring_prep_setxattr(op_sqe(ring, 1), "user.one", "x", "none", 0, 1);
	op_check(op_run(ring), -ENOENT);
	io_uring_prep_setxattr(op_sqe(ring, 1), "nowhere.one", "x", "named", 0, 1);
	op_check(op_run(ring), -EOPNOTSUPP);
}

static void test_by_descriptor(void **state)
{
	struct io_uring *ring = *state;
	char value[16] = "";
	int fd;

	require_op(IORING_OP_FSETXATTR);
	fd = open_file("open");
	io_uring_prep_fsetxattr(op_sqe(ring, 1), fd, "user.one", "first", XATTR_CREATE, 5);
	op_check(op_run(ring), 0);
	assert_int_equal(fgetxattr(fd, "user.one", value, sizeof(value)), 5);
	assert_memory_equal(value, "first", 5);
	io_uring_prep_fsetxattr(op_sqe(ring, 1), fd, "user.two", "x", XATTR_REPLACE, 1);
	op_check(op_run(ring), -ENODATA);

	memset(value, 0, sizeof(value));
	io_uring_prep_fgetxattr(op_sqe(ring, 1), fd, "user.one", value, sizeof(value));
	op_check(op_run(ring), 5);
	assert_string_equal(value, "first");
	io_uring_prep_fgetxattr(op_sqe(ring, 1), fd, "user.two", value, sizeof(value));
	op_check(op_run(ring), -ENODATA);
	close(fd);
}

static void test_bad_descriptor(void **state)
{
	struct io_uring *ring = *state;
	char value[16];

	require_op(IORING_OP_FSETXATTR);
	io_uring_prep_fgetxattr(op_sqe(ring, 1), NOT_OPEN, "user.one", value, sizeof(value));
	op_check(op_run(ring), -EBADF);
	io_uring_prep_fsetxattr(op_sqe(ring, 1), NOT_OPEN, "user.one", "x", 0, 1);
	op_check(op_run(ring), -EBADF);
	io_uring_prep_getxattr(op_sqe(ring, 1), (const char *)1, value, ".", sizeof(value));
	op_check(op_run(ring), -EFAULT);
	io_uring_prep_setxattr(op_sqe(ring, 1), (const char *)1, "x", ".", 0, 1);
	op_check(op_run(ring), -EFAULT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		op_test(test_by_name),
		op_test(test_by_descriptor),
		op_test(test_bad_descriptor),
	};

	return cmocka_run_group_tests(tests, op_dir_setup, op_dir_teardown);
}
