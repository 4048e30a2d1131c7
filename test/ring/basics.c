/* SPDX-License-Identifier: MIT */
/*
 * The simplest requests, on rings of every kind: what they did, and that their
 * user_data comes back.
 */
#include "test.h"

#include "ring.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define BLOCK_SZ 4096
#define IOPOLL IORING_SETUP_IOPOLL

static void test_nop(struct io_uring *ring)
{
	unsigned lap, i;

	/* Several laps, so that each slot of both rings is used again. */
	for (lap = 0; lap < 5; lap++) {
		for (i = 0; i < 7; i++)
			io_uring_prep_nop(next_sqe(ring));
		submit_ok(ring, 7);
		for (i = 0; i < 7; i++)
			assert_int_equal(wait_one(ring, NULL), 0);
		no_cqe(ring);
	}
}

/* Pointers and all 64 bits come back; what was not set comes back as 0. */
static void test_user_data(struct io_uring *ring)
{
	static const __u64 values[] = { 1, 0x8000000000000000, 0xfedcba9876543210, 0 };
	struct io_uring_cqe cqe;
	struct io_uring_sqe *sqe;
	unsigned i;

	for (i = 0; i < ARRAY_LEN(values); i++) {
		sqe = next_sqe(ring);
		io_uring_prep_nop(sqe);
		io_uring_sqe_set_data64(sqe, values[i]);
		assert_int_equal(submit_one(ring, &cqe), 0);
		assert_true(io_uring_cqe_get_data64(&cqe) == values[i]);

		sqe = next_sqe(ring);
		io_uring_sqe_set_data(sqe, &cqe);
		io_uring_prep_nop(sqe);
		assert_int_equal(submit_one(ring, &cqe), 0);
		assert_ptr_equal(io_uring_cqe_get_data(&cqe), &cqe);
	}
	for (i = 0; i < 20; i++) {
		io_uring_prep_nop(next_sqe(ring));
		submit_one(ring, &cqe);
		assert_true(cqe.user_data == 0);
	}
}

static void test_read(struct io_uring *ring)
{
	int fd = temp_file(3 * BLOCK_SZ + 100);
	char buf[BLOCK_SZ];

	io_uring_prep_read(next_sqe(ring), fd, buf, sizeof(buf), BLOCK_SZ);
	assert_int_equal(submit_one(ring, NULL), BLOCK_SZ);
	assert_true(pattern_same(buf, BLOCK_SZ, BLOCK_SZ));

	memset(buf, 0xa5, sizeof(buf));
	io_uring_prep_read(next_sqe(ring), fd, buf, sizeof(buf), 3 * BLOCK_SZ);
	assert_int_equal(submit_one(ring, NULL), 100);
	assert_true(pattern_same(buf, 100, 3 * BLOCK_SZ));
	assert_true(all_bytes(buf + 100, BLOCK_SZ - 100, 0xa5));

	io_uring_prep_read(next_sqe(ring), fd, buf, sizeof(buf), 8 * BLOCK_SZ);
	assert_int_equal(submit_one(ring, NULL), 0);
	io_uring_prep_read(next_sqe(ring), -1, buf, sizeof(buf), 0);
	assert_int_equal(submit_one(ring, NULL), -EBADF);
	close(fd);
}

static void test_write(struct io_uring *ring)
{
	int fd = temp_file(0);
	char buf[BLOCK_SZ], got[BLOCK_SZ];

	pattern_fill(buf, sizeof(buf), 77);
	io_uring_prep_write(next_sqe(ring), fd, buf, sizeof(buf), 10);
	assert_int_equal(submit_one(ring, NULL), BLOCK_SZ);
	assert_int_equal(lseek(fd, 0, SEEK_END), BLOCK_SZ + 10);
	assert_int_equal(pread(fd, got, 10, 0), 10);
	assert_true(all_bytes(got, 10, 0));
	assert_int_equal(pread(fd, got, sizeof(got), 10), BLOCK_SZ);
	assert_memory_equal(got, buf, BLOCK_SZ);
	close(fd);
}

static void test_readv_writev(struct io_uring *ring)
{
	int fd = temp_file(0);
	char parts[3][500], got[3][500];
	struct iovec iov[3];
	unsigned i;

	pattern_fill(parts, sizeof(parts), 0);
	for (i = 0; i < 3; i++) {
		iov[i].iov_base = parts[i];
		iov[i].iov_len = sizeof(parts[i]);
	}
	io_uring_prep_writev(next_sqe(ring), fd, iov, 3, 1);
	assert_int_equal(submit_one(ring, NULL), sizeof(parts));

	/* The parts in another order: 0, 2, 1. */
	iov[0].iov_base = got[0];
	iov[1].iov_base = got[2];
	iov[2].iov_base = got[1];
	io_uring_prep_readv(next_sqe(ring), fd, iov, 3, 1);
	assert_int_equal(submit_one(ring, NULL), sizeof(got));
	assert_memory_equal(got[0], parts[0], sizeof(parts[0]));
	assert_memory_equal(got[2], parts[1], sizeof(parts[1]));
	assert_memory_equal(got[1], parts[2], sizeof(parts[2]));
	close(fd);
}

/* Linked requests run in order, and one that comes up short cancels the rest. */
static void test_link(struct io_uring *ring)
{
	int fd = temp_file(100);
	struct io_uring_sqe *sqe;
	char buf[200];

	sqe = next_sqe(ring);
	io_uring_prep_write(sqe, fd, "linked", 6, 0);
	sqe->flags |= IOSQE_IO_LINK;
	io_uring_sqe_set_data64(sqe, 1);
	sqe = next_sqe(ring);
	io_uring_prep_read(sqe, fd, buf, sizeof(buf), 0);
	sqe->flags |= IOSQE_IO_LINK;
	io_uring_sqe_set_data64(sqe, 2);
	sqe = next_sqe(ring);
	io_uring_prep_nop(sqe);
	io_uring_sqe_set_data64(sqe, 3);
	submit_ok(ring, 3);
	assert_int_equal(wait_for_tag(ring, 1), 6);
	assert_int_equal(wait_for_tag(ring, 2), 100);
	assert_int_equal(wait_for_tag(ring, 3), -ECANCELED);
	assert_memory_equal(buf, "linked", 6);
	close(fd);
}

/* A shorter timeout ends before a longer one that was queued first. */
static void test_timeout(struct io_uring *ring)
{
	struct __kernel_timespec lengthy = { .tv_nsec = 60 * 1000000 };
	struct __kernel_timespec brief = { .tv_nsec = 1000000 };
	unsigned long long start = now_ms();
	struct io_uring_sqe *sqe;

	sqe = next_sqe(ring);
	io_uring_prep_timeout(sqe, &lengthy, 0, 0);
	io_uring_sqe_set_data64(sqe, 1);
	sqe = next_sqe(ring);
	io_uring_prep_timeout(sqe, &brief, 0, 0);
	io_uring_sqe_set_data64(sqe, 2);
	submit_ok(ring, 2);
	assert_int_equal(wait_for_tag(ring, 2), -ETIME);
	assert_int_equal(wait_for_tag(ring, 1), -ETIME);
	assert_true(now_ms() - start >= 60);
}

/* A timeout that counts completions ends with the last of them, result 0. */
static void test_timeout_count(struct io_uring *ring)
{
	struct __kernel_timespec hour = { .tv_sec = 3600 };
	struct io_uring_sqe *sqe;

	sqe = next_sqe(ring);
	io_uring_prep_timeout(sqe, &hour, 2, 0);
	io_uring_sqe_set_data64(sqe, 9);
	submit_ok(ring, 1);
	no_cqe(ring);
	io_uring_prep_nop(next_sqe(ring));
	io_uring_prep_nop(next_sqe(ring));
	submit_ok(ring, 2);
	assert_int_equal(wait_for_tag(ring, 0), 0);
	assert_int_equal(wait_for_tag(ring, 0), 0);
	assert_int_equal(wait_for_tag(ring, 9), 0);
}

/* On an IOPOLL ring reads are polled for; the file system may not offer it. */
static void test_read_direct(struct io_uring *ring)
{
	int fd = temp_file(4 * BLOCK_SZ);
	char *buf = page_alloc(BLOCK_SZ);
	int ret;

	assert_int_equal(fsync(fd), 0);
	if (fcntl(fd, F_SETFL, O_RDWR | O_DIRECT)) {
		close(fd);
		page_free(buf, BLOCK_SZ);
		skip_because("no O_DIRECT on this file system: %s", strerror(errno));
	}
	io_uring_prep_read(next_sqe(ring), fd, buf, BLOCK_SZ, 2 * BLOCK_SZ);
	ret = submit_one(ring, NULL);
	close(fd);
	if (ret == -EOPNOTSUPP) {
		page_free(buf, BLOCK_SZ);
		skip_because("the device cannot be polled: %s", strerror(-ret));
	}
	assert_int_equal(ret, BLOCK_SZ);
	assert_true(pattern_same(buf, BLOCK_SZ, 2 * BLOCK_SZ));
	page_free(buf, BLOCK_SZ);
}

int main(void)
{
	static const struct ring_case cases[] = {
		{ "nop on", test_nop, 0, 0 },
		{ "user_data on", test_user_data, 0, 0 },
		{ "read on", test_read, IOPOLL, 0 },
		{ "write on", test_write, IOPOLL, 0 },
		{ "readv and writev on", test_readv_writev, IOPOLL, 0 },
		{ "link on", test_link, IOPOLL, 0 },
		{ "timeout on", test_timeout, IOPOLL, 0 },
		{ "counting timeout on", test_timeout_count, IOPOLL, 0 },
		{ "direct read on", test_read_direct, 0, IOPOLL },
	};

	return ring_run_cases("basics", cases, ARRAY_LEN(cases));
}
