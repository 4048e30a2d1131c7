/* SPDX-License-Identifier: MIT */
/*
 * A file's attributes, its size and blocks, and what of it is on the disk.
 */
#include "test.h"

#include "op_cache.h"
#include "op_dir.h"
#include "op_run.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOT_OPEN 4095
#define NR_PAGES 8
#define FOUR_GIB (1ULL << 32)

/* A file of NR_PAGES pages that are not on the disk yet. */
static int dirty_file(void)
{
	int fd = temp_file(NR_PAGES * page_size());

	if (cache_look(fd, 0, 0).nr_dirty != NR_PAGES)
		skip_because("the effect cannot be seen: /var/tmp keeps no dirty pages");
	return fd;
}

static void test_statx(void **state)
{
	struct io_uring *ring = *state;
	struct statx got = { 0 }, wanted = { 0 };
	int fd;

	op_dir_file(AT_FDCWD, "statx", "nine byte");
	assert_int_equal(chmod("statx", 0631), 0);
	assert_int_equal(statx(AT_FDCWD, "statx", 0, STATX_ALL | STATX_BTIME, &wanted), 0);
	io_uring_prep_statx(op_sqe(ring, 1), AT_FDCWD, "statx", 0, STATX_ALL | STATX_BTIME, &got);
	op_check(op_run(ring), 0);
	assert_int_equal(got.stx_size, 9);
	assert_int_equal(got.stx_mode, S_IFREG | 0631);
	assert_int_equal(got.stx_ino, wanted.stx_ino);
	assert_int_equal(got.stx_mask, wanted.stx_mask);
	assert_int_equal(got.stx_btime.tv_sec, wanted.stx_btime.tv_sec);
	assert_int_equal(got.stx_btime.tv_nsec, wanted.stx_btime.tv_nsec);

	/* By descriptor, the name being empty. */
	fd = temp_file(1234);
	io_uring_prep_statx(op_sqe(ring, 1), fd, "", AT_EMPTY_PATH, STATX_SIZE, &got);
	op_check(op_run(ring), 0);
	assert_int_equal(got.stx_size, 1234);
	close(fd);

	assert_int_equal(symlink("statx", "statx_link"), 0);
	io_uring_prep_statx(op_sqe(ring, 1), AT_FDCWD, "statx_link", AT_SYMLINK_NOFOLLOW,
			    STATX_TYPE, &got);
	op_check(op_run(ring), 0);
	assert_int_equal(got.stx_mode & S_IFMT, S_IFLNK);

	io_uring_prep_statx(op_sqe(ring, 1), AT_FDCWD, "none", 0, STATX_ALL, &got);
	op_check(op_run(ring), -ENOENT);
	io_uring_prep_statx(op_sqe(ring, 1), NOT_OPEN, "statx", 0, STATX_ALL, &got);
	op_check(op_run(ring), -EBADF);
	io_uring_prep_statx(op_sqe(ring, 1), AT_FDCWD, "statx", 0, STATX_ALL, (struct statx *)1);
	op_check(op_run(ring), -EFAULT);
}

static void test_fsync_errors(void **state)
{
	struct io_uring *ring = *state;
	int fd = temp_file(1);
	int fds[2];

	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	io_uring_prep_fsync(op_sqe(ring, 1), NOT_OPEN, 0);
	op_check(op_run(ring), -EBADF);
	io_uring_prep_fsync(op_sqe(ring, 1), fds[0], 0);
	op_check(op_run(ring), -EINVAL);
	io_uring_prep_fsync(op_sqe(ring, 1), fd, 1U << 31);
	op_check(op_run(ring), -EINVAL);
	io_uring_prep_sync_file_range(op_sqe(ring, 1), NOT_OPEN, 0, 0, SYNC_FILE_RANGE_WRITE);
	op_check(op_run(ring), -EBADF);
	io_uring_prep_sync_file_range(op_sqe(ring, 1), fds[0], 0, 0, SYNC_FILE_RANGE_WRITE);
	op_check(op_run(ring), -ESPIPE);
	io_uring_prep_sync_file_range(op_sqe(ring, 1), fd, 0, 0, 1 << 30);
	op_check(op_run(ring), -EINVAL);
	close(fds[0]);
	close(fds[1]);
	close(fd);
}

static void test_fsync(void **state)
{
	struct io_uring *ring = *state;
	int fd = dirty_file();

	io_uring_prep_fsync(op_sqe(ring, 1), fd, 0);
	op_check(op_run(ring), 0);
	assert_int_equal(cache_look(fd, 0, 0).nr_dirty, 0);
	assert_int_equal(cache_look(fd, 0, 0).nr_writeback, 0);
	close(fd);

	fd = dirty_file();
	io_uring_prep_fsync(op_sqe(ring, 1), fd, IORING_FSYNC_DATASYNC);
	op_check(op_run(ring), 0);
	assert_int_equal(cache_look(fd, 0, 0).nr_dirty, 0);
	close(fd);
}

static void test_sync_file_range(void **state)
{
	struct io_uring *ring = *state;
	const unsigned page_sz = (unsigned)page_size();
	const int flags = SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
	int fd = dirty_file();

	/* Pages 2, 3 and 4, and then all that follow. */
	io_uring_prep_sync_file_range(op_sqe(ring, 1), fd, 3 * page_sz, 2 * page_sz, flags);
	op_check(op_run(ring), 0);
	assert_int_equal(cache_look(fd, 2 * page_sz, 3 * page_sz).nr_dirty, 0);
	assert_int_equal(cache_look(fd, 5 * page_sz, 3 * page_sz).nr_dirty, 3);
	assert_int_equal(cache_look(fd, 0, 2 * page_sz).nr_dirty, 2);
	io_uring_prep_sync_file_range(op_sqe(ring, 1), fd, 0, 2 * page_sz, flags);
	op_check(op_run(ring), 0);
	assert_int_equal(cache_look(fd, 5 * page_sz, 3 * page_sz).nr_dirty, 0);
	assert_int_equal(cache_look(fd, 0, 2 * page_sz).nr_dirty, 2);
	close(fd);
}

static void test_fallocate(void **state)
{
	struct io_uring *ring = *state;
	const off_t page_sz = (off_t)page_size();
	unsigned char *page = page_alloc((size_t)page_sz);
	int fd = temp_file((size_t)(2 * page_sz));
	struct stat before, st;

	io_uring_prep_fallocate(op_sqe(ring, 1), fd, 0, 100, (__u64)(3 * page_sz));
	if (op_run(ring) == -EOPNOTSUPP)
		skip_because("/var/tmp has no fallocate");
	assert_int_equal(fstat(fd, &before), 0);
	assert_int_equal(before.st_size, 3 * page_sz + 100);
	assert_int_equal(pread(fd, page, 100, 0), 100);
	assert_true(pattern_same(page, 100, 0));

	/* Blocks beyond the end, which stays where it is. */
	io_uring_prep_fallocate(op_sqe(ring, 1), fd, FALLOC_FL_KEEP_SIZE,
				(__u64)(10 * page_sz), (__u64)(20 * page_sz));
	op_check(op_run(ring), 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_size, before.st_size);
	assert_true(st.st_blocks > before.st_blocks);

	io_uring_prep_fallocate(op_sqe(ring, 1), fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
				(__u64)page_sz, (__u64)page_sz);
	op_check(op_run(ring), 0);
	assert_int_equal(pread(fd, page, (size_t)page_sz, page_sz), page_sz);
	assert_true(all_bytes(page, (size_t)page_sz, 0));
	assert_int_equal(pread(fd, page, (size_t)page_sz, 0), page_sz);
	assert_true(pattern_same(page, (size_t)page_sz, 0));

	io_uring_prep_fallocate(op_sqe(ring, 1), fd, 0, 0, 0);
	op_check(op_run(ring), -EINVAL);
	io_uring_prep_fallocate(op_sqe(ring, 1), NOT_OPEN, 0, 0, 1);
	op_check(op_run(ring), -EBADF);
	page_free(page, (size_t)page_sz);
	close(fd);
}

static void test_ftruncate(void **state)
{
	struct io_uring *ring = *state;
	int read_only = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	int fd = temp_file(1000);
	struct io_uring_sqe *sqe;
	unsigned char bytes[32];
	struct stat st;

	require_op(IORING_OP_FTRUNCATE);
	io_uring_prep_ftruncate(op_sqe(ring, 1), fd, 10);
	op_check(op_run(ring), 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_size, 10);

	/* Longer, beyond 32 bits, through a slot. */
	assert_int_equal(io_uring_register_files(ring, &fd, 1), 0);
	sqe = op_sqe(ring, 1);
	io_uring_prep_ftruncate(sqe, 0, FOUR_GIB + 5);
	io_uring_sqe_set_flags(sqe, IOSQE_FIXED_FILE);
	op_check(op_run(ring), 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_size, FOUR_GIB + 5);
	assert_int_equal(pread(fd, bytes, sizeof(bytes), 0), sizeof(bytes));
	assert_true(pattern_same(bytes, 10, 0));
	assert_true(all_bytes(bytes + 10, sizeof(bytes) - 10, 0));

	io_uring_prep_ftruncate(op_sqe(ring, 1), fd, -1);
	op_check(op_run(ring), -EINVAL);
	io_uring_prep_ftruncate(op_sqe(ring, 1), read_only, 0);
	op_check(op_run(ring), -EINVAL);
	io_uring_prep_ftruncate(op_sqe(ring, 1), NOT_OPEN, 0);
	op_check(op_run(ring), -EBADF);
	close(read_only);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		op_test(test_statx),
		op_test(test_fsync_errors),
		op_test(test_fsync),
		op_test(test_sync_file_range),
		op_test(test_fallocate),
		op_test(test_ftruncate),
	};

	return cmocka_run_group_tests(tests, op_dir_setup, op_dir_teardown);
}
