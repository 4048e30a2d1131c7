/* SPDX-License-Identifier: MIT */
/*
 * Names: making, linking, moving and removing them, from a folder's descriptor
 * and from the working directory.
 */
#include "test.h"

#include "op_dir.h"
#include "op_run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOT_OPEN 4095

static ino_t inode_of(int dfd, const char *name)
{
	struct stat st;

	assert_int_equal(fstatat(dfd, name, &st, AT_SYMLINK_NOFOLLOW), 0);
	return st.st_ino;
}

static bool is_gone(int dfd, const char *name)
{
	struct stat st;

	return fstatat(dfd, name, &st, AT_SYMLINK_NOFOLLOW) < 0 && errno == ENOENT;
}

static bool link_reads(int dfd, const char *name, const char *target)
{
	char text[64];
	ssize_t nr = readlinkat(dfd, name, text, sizeof(text));

	return nr == (ssize_t)strlen(target) && !memcmp(text, target, (size_t)nr);
}

static void test_mkdir(void **state)
{
	struct io_uring *ring = *state;
	int dfd = op_dir_sub("mkdir");
	struct stat st;

	io_uring_prep_mkdirat(op_sqe(ring, 1), dfd, "new", 0710);
	op_check(op_run(ring), 0);
	assert_int_equal(fstatat(dfd, "new", &st, 0), 0);
	assert_int_equal(st.st_mode, S_IFDIR | 0710);
	io_uring_prep_mkdir(op_sqe(ring, 1), "mkdir/other", 0701);
	op_check(op_run(ring), 0);
	assert_int_equal(fstatat(dfd, "other", &st, 0), 0);
	assert_int_equal(st.st_mode, S_IFDIR | 0701);

	io_uring_prep_mkdirat(op_sqe(ring, 1), dfd, "new", 0710);
	op_check(op_run(ring), -EEXIST);
	io_uring_prep_mkdir(op_sqe(ring, 1), "none/new", 0710);
	op_check(op_run(ring), -ENOENT);
	io_uring_prep_mkdirat(op_sqe(ring, 1), NOT_OPEN, "new", 0710);
	op_check(op_run(ring), -EBADF);
	close(dfd);
}

static void test_symlink(void **state)
{
	struct io_uring *ring = *state;
	int dfd = op_dir_sub("symlink");

	io_uring_prep_symlinkat(op_sqe(ring, 1), "no/such target", dfd, "new");
	op_check(op_run(ring), 0);
	assert_true(link_reads(dfd, "new", "no/such target"));
	io_uring_prep_symlink(op_sqe(ring, 1), "other target", "symlink/other");
	op_check(op_run(ring), 0);
	assert_true(link_reads(dfd, "other", "other target"));

	io_uring_prep_symlinkat(op_sqe(ring, 1), "target", dfd, "new");
	op_check(op_run(ring), -EEXIST);
	io_uring_prep_symlinkat(op_sqe(ring, 1), "target", NOT_OPEN, "new");
	op_check(op_run(ring), -EBADF);
	close(dfd);
}

static void test_link(void **state)
{
	struct io_uring *ring = *state;
	int from = op_dir_sub("link_from"), to = op_dir_sub("link_to");

	op_dir_file(from, "file", "linked");
	assert_int_equal(symlinkat("file", from, "symbolic"), 0);
	io_uring_prep_linkat(op_sqe(ring, 1), from, "file", to, "hard", 0);
	op_check(op_run(ring), 0);
	assert_int_equal(inode_of(to, "hard"), inode_of(from, "file"));
	io_uring_prep_link(op_sqe(ring, 1), "link_from/file", "link_to/other", 0);
	op_check(op_run(ring), 0);
	assert_int_equal(inode_of(to, "other"), inode_of(from, "file"));

	/* Of a symbolic link: itself, or what it leads to. */
	io_uring_prep_linkat(op_sqe(ring, 1), from, "symbolic", to, "same", 0);
	op_check(op_run(ring), 0);
	assert_true(op_dir_has(to, "same", S_IFLNK));
	io_uring_prep_linkat(op_sqe(ring, 1), from, "symbolic", to, "followed",
			     AT_SYMLINK_FOLLOW);
	op_check(op_run(ring), 0);
	assert_int_equal(inode_of(to, "followed"), inode_of(from, "file"));

	io_uring_prep_linkat(op_sqe(ring, 1), from, "file", to, "hard", 0);
	op_check(op_run(ring), -EEXIST);
	io_uring_prep_link(op_sqe(ring, 1), "none", "link_to/none", 0);
	op_check(op_run(ring), -ENOENT);
	io_uring_prep_linkat(op_sqe(ring, 1), from, "file", NOT_OPEN, "x", 0);
	op_check(op_run(ring), -EBADF);
	io_uring_prep_linkat(op_sqe(ring, 1), from, "file", to, "x", 1 << 30);
	op_check(op_run(ring), -EINVAL);
	close(from);
	close(to);
}

static void test_rename(void **state)
{
	struct io_uring *ring = *state;
	int from = op_dir_sub("rename_from"), to = op_dir_sub("rename_to");

	op_dir_file(from, "a", "file a");
	op_dir_file(to, "b", "file b");
	io_uring_prep_renameat(op_sqe(ring, 1), from, "a", to, "moved", 0);
	op_check(op_run(ring), 0);
	assert_true(is_gone(from, "a"));
	assert_true(op_dir_holds(to, "moved", "file a"));
	/* What has the name already is replaced, unless the flags say otherwise. */
	io_uring_prep_renameat(op_sqe(ring, 1), to, "moved", to, "b", RENAME_NOREPLACE);
	op_check(op_run(ring), -EEXIST);
	assert_true(op_dir_holds(to, "b", "file b"));
	io_uring_prep_rename(op_sqe(ring, 1), "rename_to/moved", "rename_to/b");
	op_check(op_run(ring), 0);
	assert_true(is_gone(to, "moved"));
	assert_true(op_dir_holds(to, "b", "file a"));

	op_dir_file(from, "c", "file c");
	io_uring_prep_renameat(op_sqe(ring, 1), from, "c", to, "b", RENAME_EXCHANGE);
	op_check(op_run(ring), 0);
	assert_true(op_dir_holds(from, "c", "file a"));
	assert_true(op_dir_holds(to, "b", "file c"));

	io_uring_prep_rename(op_sqe(ring, 1), "none", "other");
	op_check(op_run(ring), -ENOENT);
	io_uring_prep_renameat(op_sqe(ring, 1), NOT_OPEN, "c", to, "b", 0);
	op_check(op_run(ring), -EBADF);
	io_uring_prep_renameat(op_sqe(ring, 1), from, "c", to, "b", 1U << 30);
	op_check(op_run(ring), -EINVAL);
	close(from);
	close(to);
}

static void test_unlink(void **state)
{
	struct io_uring *ring = *state;
	int dfd = op_dir_sub("unlink");

	op_dir_file(dfd, "a", "");
	op_dir_file(dfd, "b", "");
	assert_int_equal(mkdirat(dfd, "folder", 0700), 0);
	assert_int_equal(symlinkat("b", dfd, "symbolic"), 0);
	io_uring_prep_unlinkat(op_sqe(ring, 1), dfd, "a", 0);
	op_check(op_run(ring), 0);
	assert_true(is_gone(dfd, "a"));
	io_uring_prep_unlink(op_sqe(ring, 1), "unlink/symbolic", 0);
	op_check(op_run(ring), 0);
	assert_true(is_gone(dfd, "symbolic"));
	assert_true(op_dir_has(dfd, "b", S_IFREG));

	/* A folder needs the flag, and nothing else takes it. */
	io_uring_prep_unlinkat(op_sqe(ring, 1), dfd, "folder", 0);
	op_check(op_run(ring), -EISDIR);
	io_uring_prep_unlinkat(op_sqe(ring, 1), dfd, "folder", AT_REMOVEDIR);
	op_check(op_run(ring), 0);
	assert_true(is_gone(dfd, "folder"));
	io_uring_prep_unlink(op_sqe(ring, 1), "unlink/b", AT_REMOVEDIR);
	op_check(op_run(ring), -ENOTDIR);
	io_uring_prep_unlink(op_sqe(ring, 1), "unlink", AT_REMOVEDIR);
	op_check(op_run(ring), -ENOTEMPTY);

	io_uring_prep_unlinkat(op_sqe(ring, 1), dfd, "a", 0);
	op_check(op_run(ring), -ENOENT);
	io_uring_prep_unlinkat(op_sqe(ring, 1), NOT_OPEN, "b", 0);
	op_check(op_run(ring), -EBADF);
	io_uring_prep_unlinkat(op_sqe(ring, 1), dfd, "b", 1 << 30);
	op_check(op_run(ring), -EINVAL);
	close(dfd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		op_test(test_mkdir),
		op_test(test_symlink),
		op_test(test_link),
		op_test(test_rename),
		op_test(test_unlink),
	};

	return cmocka_run_group_tests(tests, op_dir_setup, op_dir_teardown);
}
