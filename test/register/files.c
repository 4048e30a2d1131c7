/* SPDX-License-Identifier: MIT */
/*
 * The table of registered files, on rings of every kind: requests use them by
 * index, slots are replaced, skipped, emptied and chosen by the kernel, and a
 * tag says when a file has left.
 */
#include "test.h"

#include "ring.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define NR_FILES 4

static int fds[NR_FILES];

/* Files that differ in their first byte: 'a', 'b', ... */
static void open_files(void)
{
	unsigned i;
	char byte;

	for (i = 0; i < NR_FILES; i++) {
		fds[i] = temp_file(0);
		byte = (char)('a' + i);
		assert_int_equal(pwrite(fds[i], &byte, 1, 0), 1);
	}
}

static void close_files(void)
{
	unsigned i;

	for (i = 0; i < NR_FILES; i++)
		close(fds[i]);
}

/* The first byte of the file in a slot, or what the read said. */
static int first_byte(struct io_uring *ring, int slot)
{
	struct io_uring_sqe *sqe = next_sqe(ring);
	char byte = 0;
	int res;

	io_uring_prep_read(sqe, slot, &byte, 1, 0);
	sqe->flags |= IOSQE_FIXED_FILE;
	res = submit_one(ring, NULL);
	return res == 1 ? byte : res;
}

static void test_register(struct io_uring *ring)
{
	open_files();
	assert_int_equal(io_uring_unregister_files(ring), -ENXIO);
	assert_int_equal(first_byte(ring, 0), -EBADF);
	assert_int_equal(io_uring_register_files(ring, fds, NR_FILES), 0);
	assert_int_equal(io_uring_register_files(ring, fds, NR_FILES), -EBUSY);
	/* The table has references of its own. */
	close_files();
	assert_int_equal(first_byte(ring, 0), 'a');
	assert_int_equal(first_byte(ring, 3), 'd');
	assert_int_equal(first_byte(ring, 4), -EBADF);
	assert_int_equal(first_byte(ring, -1), -EBADF);
	assert_int_equal(io_uring_unregister_files(ring), 0);
	assert_int_equal(first_byte(ring, 0), -EBADF);
	assert_int_equal(io_uring_unregister_files(ring), -ENXIO);
}

static void test_refused(struct io_uring *ring)
{
	open_files();
	assert_int_equal(io_uring_register_files(ring, fds, 0), -EINVAL);
	assert_int_equal(io_uring_register_files(ring, (int *)8, 1), -EFAULT);
	close(fds[2]);
	assert_int_equal(io_uring_register_files(ring, fds, NR_FILES), -EBADF);
	assert_int_equal(io_uring_unregister_files(ring), -ENXIO);
	fds[2] = -1;
	assert_int_equal(io_uring_register_files(ring, fds, NR_FILES), 0);
	assert_int_equal(first_byte(ring, 1), 'b');
	assert_int_equal(first_byte(ring, 2), -EBADF);
	assert_int_equal(first_byte(ring, 3), 'd');
	close(fds[0]);
	close(fds[1]);
	close(fds[3]);
}

static void test_update(struct io_uring *ring)
{
	int update[3];

	open_files();
	assert_int_equal(io_uring_register_files_update(ring, 0, fds, 1), -ENXIO);
	assert_int_equal(io_uring_register_files(ring, fds, NR_FILES), 0);
	update[0] = fds[3];
	update[1] = IORING_REGISTER_FILES_SKIP;
	update[2] = -1;
	assert_int_equal(io_uring_register_files_update(ring, 0, update, 3), 3);
	assert_int_equal(first_byte(ring, 0), 'd');
	assert_int_equal(first_byte(ring, 1), 'b');
	assert_int_equal(first_byte(ring, 2), -EBADF);
	assert_int_equal(first_byte(ring, 3), 'd');

	/* Up to the first that fails. */
	update[0] = fds[0];
	update[1] = fds[1];
	update[2] = 1 << 30;
	assert_int_equal(io_uring_register_files_update(ring, 1, update, 3), 2);
	assert_int_equal(first_byte(ring, 1), 'a');
	assert_int_equal(first_byte(ring, 2), 'b');
	assert_int_equal(io_uring_register_files_update(ring, 1, update + 2, 1), -EBADF);
	assert_int_equal(io_uring_register_files_update(ring, 3, update, 2), -EINVAL);
	assert_int_equal(io_uring_register_files_update(ring, 0, update, 0), -EINVAL);
	close_files();
}

static void test_tags(struct io_uring *ring)
{
	static const __u64 tags[NR_FILES] = { 0xaaaaaaaaaaaaaaaa, 0, 22, 23 };
	static const __u64 new_tags[] = { 31 };
	struct io_uring_cqe first, second;
	int none = -1;

	open_files();
	require_ret("tagged files", io_uring_register_files_tags(ring, fds, tags, NR_FILES));
	assert_int_equal(first_byte(ring, 2), 'c');
	no_cqe(ring);
	assert_int_equal(io_uring_register_files_update_tag(ring, 0, &fds[3], new_tags, 1), 1);
	assert_int_equal(wait_for_tag(ring, tags[0]), 0);
	assert_int_equal(first_byte(ring, 0), 'd');
	assert_int_equal(io_uring_register_files_update_tag(ring, 1, &none, NULL, 1), 1);
	no_cqe(ring);
	assert_int_equal(io_uring_register_files_update(ring, 2, &none, 1), 1);
	assert_int_equal(wait_for_tag(ring, 22), 0);
	no_cqe(ring);
	assert_int_equal(io_uring_unregister_files(ring), 0);
	/* The two that were left, in either order. */
	assert_int_equal(wait_one(ring, &first), 0);
	assert_int_equal(wait_one(ring, &second), 0);
	assert_int_equal(first.user_data + second.user_data, 31 + 23);
	assert_true(first.user_data == 31 || first.user_data == 23);
	no_cqe(ring);
	close_files();
}

/* A file that is in use leaves when the request that uses it has ended. */
static void test_tag_of_used(struct io_uring *ring)
{
	static const __u64 tags[] = { 41 };
	struct io_uring_sqe *sqe;
	int none = -1, fds_of_pipe[2];
	char byte = 0;

	assert_int_equal(pipe(fds_of_pipe), 0);
	require_ret("tagged files", io_uring_register_files_tags(ring, fds_of_pipe, tags, 1));
	sqe = next_sqe(ring);
	io_uring_prep_read(sqe, 0, &byte, 1, 0);
	sqe->flags |= IOSQE_FIXED_FILE;
	io_uring_sqe_set_data64(sqe, 42);
	submit_ok(ring, 1);
	while ((ring->flags & IORING_SETUP_SQPOLL) && io_uring_sq_ready(ring))
		sleep_ms(1);
	assert_int_equal(io_uring_register_files_update(ring, 0, &none, 1), 1);
	assert_int_equal(first_byte(ring, 0), -EBADF);
	no_cqe(ring);
	assert_int_equal(write(fds_of_pipe[1], "z", 1), 1);
	assert_int_equal(wait_for_tag(ring, 42), 1);
	assert_int_equal(byte, 'z');
	assert_int_equal(wait_for_tag(ring, 41), 0);
	close(fds_of_pipe[0]);
	close(fds_of_pipe[1]);
}

static void test_sparse(struct io_uring *ring)
{
	require_ret("a sparse file table", io_uring_register_files_sparse(ring, 10));
	open_files();
	assert_int_equal(io_uring_register_files_sparse(ring, 10), -EBUSY);
	assert_int_equal(first_byte(ring, 9), -EBADF);
	assert_int_equal(io_uring_register_files_update(ring, 7, fds, 3), 3);
	assert_int_equal(first_byte(ring, 7), 'a');
	assert_int_equal(first_byte(ring, 9), 'c');
	assert_int_equal(first_byte(ring, 6), -EBADF);
	close_files();
}

/* Opens into a slot of the kernel's choice. */
static int open_anywhere(struct io_uring *ring)
{
	io_uring_prep_openat_direct(next_sqe(ring), AT_FDCWD, "/dev/null", O_RDONLY, 0,
				    IORING_FILE_INDEX_ALLOC);
	return submit_one(ring, NULL);
}

/* Slots outside the range are not chosen, inside it each once. */
static void test_alloc_range(struct io_uring *ring)
{
	unsigned taken = 0, i;
	int none = -1, slot;

	require_ret("a sparse file table", io_uring_register_files_sparse(ring, 10));
	require_ret("an allocation range", io_uring_register_file_alloc_range(ring, 4, 3));
	for (i = 0; i < 3; i++) {
		slot = open_anywhere(ring);
		assert_in_range(slot, 4, 6);
		taken |= 1U << slot;
	}
	assert_int_equal(taken, 1 << 4 | 1 << 5 | 1 << 6);
	assert_int_equal(open_anywhere(ring), -ENFILE);

	/* One that is free again is found again; another range has more. */
	assert_int_equal(io_uring_register_files_update(ring, 5, &none, 1), 1);
	assert_int_equal(open_anywhere(ring), 5);
	assert_int_equal(io_uring_register_file_alloc_range(ring, 9, 1), 0);
	assert_int_equal(open_anywhere(ring), 9);
	assert_int_equal(io_uring_register_file_alloc_range(ring, 9, 2), -EINVAL);
	assert_int_equal(io_uring_register_file_alloc_range(ring, 0xffffffff, 2), -EOVERFLOW);
}

int main(void)
{
	static const struct ring_case cases[] = {
		{ "files of", test_register, IORING_SETUP_IOPOLL, 0 },
		{ "refused files on", test_refused, IORING_SETUP_IOPOLL, 0 },
		{ "file update on", test_update, IORING_SETUP_IOPOLL, 0 },
		{ "file tags on", test_tags, IORING_SETUP_IOPOLL, 0 },
		{ "file in use on", test_tag_of_used, IORING_SETUP_IOPOLL, 0 },
		{ "sparse file table of", test_sparse, IORING_SETUP_IOPOLL, 0 },
		{ "allocation range of", test_alloc_range, IORING_SETUP_IOPOLL, 0 },
	};

	return ring_run_cases("files", cases, ARRAY_LEN(cases));
}
