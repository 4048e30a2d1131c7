/* SPDX-License-Identifier: MIT */
/*
 * Opening and closing by name, as plain descriptors and as direct ones.
 */
#include "test.h"

#include "op_dir.h"
#include "op_run.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOT_OPEN 4095
#define SLOTS 4

static mode_t mode_of(int dfd, const char *name)
{
	struct stat st;

	assert_int_equal(fstatat(dfd, name, &st, AT_SYMLINK_NOFOLLOW), 0);
	return st.st_mode & 07777;
}

/* What a read through the slot finds: its result, and the bytes in content. */
static int read_slot(struct io_uring *ring, int slot, char *content, unsigned sz)
{
	struct io_uring_sqe *sqe = op_sqe(ring, 200);

	io_uring_prep_read(sqe, slot, content, sz, 0);
	io_uring_sqe_set_flags(sqe, IOSQE_FIXED_FILE);
	return op_run(ring);
}

static void assert_slot_holds(struct io_uring *ring, int slot, const char *content)
{
	char bytes[64];

	op_check(read_slot(ring, slot, bytes, sizeof(bytes)), (int)strlen(content));
	assert_memory_equal(bytes, content, strlen(content));
}

static void test_openat(void **state)
{
	struct io_uring *ring = *state;
	int dfd = op_dir_sub("openat");
	int fd;

	io_uring_prep_openat(op_sqe(ring, 1), dfd, "new", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
			     0640);
	fd = op_run(ring);
	assert_true(fd >= 0);
	assert_int_equal(mode_of(dfd, "new"), 0640);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	assert_int_equal(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDWR);
	assert_int_equal(write(fd, "text", 4), 4);
	assert_true(op_dir_holds(dfd, "new", "text"));
	close(fd);

	io_uring_prep_openat(op_sqe(ring, 1), dfd, "new", O_WRONLY | O_TRUNC, 0);
	fd = op_run(ring);
	assert_true(fd >= 0);
	assert_int_equal(fcntl(fd, F_GETFD), 0);
	assert_true(op_dir_holds(dfd, "new", ""));
	close(fd);

	io_uring_prep_openat(op_sqe(ring, 1), dfd, "new", O_CREAT | O_EXCL, 0640);
	op_check(op_run(ring), -EEXIST);
	io_uring_prep_openat(op_sqe(ring, 1), dfd, "none", O_RDONLY, 0);
	op_check(op_run(ring), -ENOENT);
	io_uring_prep_openat(op_sqe(ring, 1), NOT_OPEN, "new", O_RDONLY, 0);
	op_check(op_run(ring), -EBADF);
	io_uring_prep_openat(op_sqe(ring, 1), dfd, (const char *)1, O_RDONLY, 0);
	op_check(op_run(ring), -EFAULT);
	close(dfd);
}

static void test_open(void **state)
{
	struct io_uring *ring = *state;
	int fd;

	io_uring_prep_open(op_sqe(ring, 1), "open", O_WRONLY | O_CREAT, 0604);
	fd = op_run(ring);
	assert_true(fd >= 0);
	assert_int_equal(mode_of(AT_FDCWD, "open"), 0604);
	close(fd);
	io_uring_prep_open(op_sqe(ring, 1), "open/below", O_RDONLY, 0);
	op_check(op_run(ring), -ENOTDIR);
}

static void test_openat2(void **state)
{
	struct io_uring *ring = *state;
	int dfd = op_dir_sub("openat2");
	struct open_how how = { .flags = O_CREAT | O_WRONLY | O_CLOEXEC, .mode = 0622 };
	int fd;

	io_uring_prep_openat2(op_sqe(ring, 1), dfd, "new", &how);
	fd = op_run(ring);
	assert_true(fd >= 0);
	assert_int_equal(mode_of(dfd, "new"), 0622);
	close(fd);
	assert_int_equal(symlinkat("new", dfd, "link"), 0);

	/* The link is followed unless the program forbids it. */
	how = (struct open_how){ .flags = O_RDONLY };
	io_uring_prep_openat2(op_sqe(ring, 1), dfd, "link", &how);
	fd = op_run(ring);
	assert_true(fd >= 0);
	close(fd);
	how.resolve = RESOLVE_NO_SYMLINKS;
	io_uring_prep_openat2(op_sqe(ring, 1), dfd, "link", &how);
	op_check(op_run(ring), -ELOOP);
	how.resolve = RESOLVE_BENEATH;
	io_uring_prep_openat2(op_sqe(ring, 1), dfd, "../openat2/new", &how);
	op_check(op_run(ring), -EXDEV);

	how.resolve = 1ULL << 40;
	io_uring_prep_openat2(op_sqe(ring, 1), dfd, "new", &how);
	op_check(op_run(ring), -EINVAL);
	how.resolve = 0;
	io_uring_prep_openat2(op_sqe(ring, 1), NOT_OPEN, "new", &how);
	op_check(op_run(ring), -EBADF);
	close(dfd);
}

static void test_direct(void **state)
{
	struct io_uring *ring = *state;
	struct open_how how = { .flags = O_RDONLY };
	int dfd = op_dir_sub("direct");
	struct holdings before;
	char byte;

	op_dir_file(dfd, "a", "file a");
	op_dir_file(dfd, "b", "file b");
	assert_int_equal(io_uring_register_files_sparse(ring, SLOTS), 0);
	holdings_take(&before);

	io_uring_prep_openat_direct(op_sqe(ring, 1), dfd, "a", O_RDONLY, 0, 2);
	op_check(op_run(ring), 0);
	assert_slot_holds(ring, 2, "file a");
	op_check(read_slot(ring, 1, &byte, 1), -EBADF);
	op_check(read_slot(ring, 3, &byte, 1), -EBADF);
	/* An open into a slot in use replaces what is there. */
	io_uring_prep_openat2_direct(op_sqe(ring, 1), dfd, "b", &how, 2);
	op_check(op_run(ring), 0);
	assert_slot_holds(ring, 2, "file b");
	io_uring_prep_open_direct(op_sqe(ring, 1), "direct/a", O_RDONLY, 0, 0);
	op_check(op_run(ring), 0);
	assert_slot_holds(ring, 0, "file a");
	/* No descriptor of the process came of it. */
	holdings_same(&before);

	io_uring_prep_openat_direct(op_sqe(ring, 1), dfd, "a", O_RDONLY, 0, SLOTS);
	op_check(op_run(ring), -EINVAL);
	io_uring_prep_openat_direct(op_sqe(ring, 1), dfd, "a", O_RDONLY | O_CLOEXEC, 0, 1);
	op_check(op_run(ring), -EINVAL);
	io_uring_prep_openat_direct(op_sqe(ring, 1), dfd, "none", O_RDONLY, 0, 1);
	op_check(op_run(ring), -ENOENT);
	close(dfd);
}

static void test_direct_alloc(void **state)
{
	struct io_uring *ring = *state;
	struct open_how how = { .flags = O_RDONLY };
	int slot;

	op_dir_file(AT_FDCWD, "alloc", "file c");
	/* Without a table there is nothing to allocate from. */
	io_uring_prep_open_direct(op_sqe(ring, 1), "alloc", O_RDONLY, 0, IORING_FILE_INDEX_ALLOC);
	op_check(op_run(ring), -ENFILE);

	assert_int_equal(io_uring_register_files_sparse(ring, 3), 0);
	io_uring_prep_open_direct(op_sqe(ring, 1), "alloc", O_RDONLY, 0, 1);
	op_check(op_run(ring), 0);
	io_uring_prep_open_direct(op_sqe(ring, 1), "alloc", O_RDONLY, 0, IORING_FILE_INDEX_ALLOC);
	/* Of slots 0 and 2 either first. */
	slot = op_run(ring);
	assert_true(slot == 0 || slot == 2);
	assert_slot_holds(ring, slot, "file c");
	io_uring_prep_openat2_direct(op_sqe(ring, 1), AT_FDCWD, "alloc", &how,
				     IORING_FILE_INDEX_ALLOC);
	op_check(op_run(ring), 2 - slot);
	assert_slot_holds(ring, 2 - slot, "file c");
	io_uring_prep_openat_direct(op_sqe(ring, 1), AT_FDCWD, "alloc", O_RDONLY, 0,
				    IORING_FILE_INDEX_ALLOC);
	op_check(op_run(ring), -ENFILE);
}

static void test_close(void **state)
{
	struct io_uring *ring = *state;
	int fd = temp_file(1);

	io_uring_prep_close(op_sqe(ring, 1), fd);
	op_check(op_run(ring), 0);
	assert_int_equal(fcntl(fd, F_GETFD), -1);
	assert_int_equal(errno, EBADF);
	io_uring_prep_close(op_sqe(ring, 1), fd);
	op_check(op_run(ring), -EBADF);
	/* A ring does not close itself. */
	io_uring_prep_close(op_sqe(ring, 1), ring->ring_fd);
	op_check(op_run(ring), -EBADF);
}

static void test_close_direct(void **state)
{
	struct io_uring *ring = *state;
	int files[2] = { temp_file(100), temp_file(100) };
	struct io_uring_sqe *sqe;
	char byte;
	int pipe_fds[2];

	assert_int_equal(pipe2(pipe_fds, O_CLOEXEC), 0);
	assert_int_equal(io_uring_register_files(ring, files, 2), 0);
	io_uring_prep_close_direct(op_sqe(ring, 1), 1);
	op_check(op_run(ring), 0);
	op_check(read_slot(ring, 1, &byte, 1), -EBADF);
	op_check(read_slot(ring, 0, &byte, 1), 1);
	assert_int_equal(pread(files[1], &byte, 1, 0), 1);

	io_uring_prep_close_direct(op_sqe(ring, 1), 1);
	op_check(op_run(ring), -EBADF);
	io_uring_prep_close_direct(op_sqe(ring, 1), 2);
	op_check(op_run(ring), -EINVAL);
	/* The slot goes into file_index: as fd of a fixed file it is refused. */
	sqe = op_sqe(ring, 1);
	io_uring_prep_close(sqe, 0);
	io_uring_sqe_set_flags(sqe, IOSQE_FIXED_FILE);
	op_check(op_run(ring), -EBADF);

	/* The last reference to a pipe's writing end: its reader sees the end. */
	assert_int_equal(io_uring_register_files_update(ring, 1, &pipe_fds[1], 1), 1);
	close(pipe_fds[1]);
	io_uring_prep_read(op_sqe(ring, 1), pipe_fds[0], &byte, 1, 0);
	op_submit(ring);
	no_cqe(ring);
	io_uring_prep_close_direct(op_sqe(ring, 2), 1);
	op_submit(ring);
	op_expect(ring, 2, 0);
	op_expect(ring, 1, 0);
	close(pipe_fds[0]);
	close(files[0]);
	close(files[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		op_test(test_openat),
		op_test(test_open),
		op_test(test_openat2),
		op_test(test_direct),
		op_test(test_direct_alloc),
		op_test(test_close),
		op_test(test_close_direct),
	};

	return cmocka_run_group_tests(tests, op_dir_setup, op_dir_teardown);
}
