/* SPDX-License-Identifier: MIT */
/*
 * Registered buffers, on rings of every kind: requests read into and write from
 * them by index, and a tag says when one is free again.
 */
#include "test.h"

#include "ring.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define BUF_SZ 8192
#define NR_BUFS 3

static char bufs[NR_BUFS][BUF_SZ];

static void fill_iovecs(struct iovec iov[NR_BUFS])
{
	unsigned i;

	memset(bufs, 0, sizeof(bufs));
	for (i = 0; i < NR_BUFS; i++) {
		iov[i].iov_base = bufs[i];
		iov[i].iov_len = BUF_SZ;
	}
}

/* Reads sz bytes of a file of the pattern to an address in a buffer. */
static int read_fixed(struct io_uring *ring, void *addr, unsigned sz, int index)
{
	int fd = temp_file(BUF_SZ);
	int res;

	io_uring_prep_read_fixed(next_sqe(ring), fd, addr, sz, 0, index);
	res = submit_one(ring, NULL);
	close(fd);
	return res;
}

static void test_register(struct io_uring *ring)
{
	struct iovec iov[NR_BUFS];
	char got[100];
	int fd;

	fill_iovecs(iov);
	assert_int_equal(io_uring_unregister_buffers(ring), -ENXIO);
	assert_int_equal(read_fixed(ring, bufs[1], 100, 1), -EFAULT);
	assert_int_equal(io_uring_register_buffers(ring, iov, NR_BUFS), 0);
	assert_int_equal(io_uring_register_buffers(ring, iov, NR_BUFS), -EBUSY);

	assert_int_equal(read_fixed(ring, bufs[1] + 10, 100, 1), 100);
	assert_true(pattern_same(bufs[1] + 10, 100, 0));
	assert_true(all_bytes(bufs[1], 10, 0));
	assert_true(all_bytes(bufs[1] + 110, BUF_SZ - 110, 0));
	assert_int_equal(read_fixed(ring, bufs[2], BUF_SZ, 2), BUF_SZ);
	assert_true(pattern_same(bufs[2], BUF_SZ, 0));

	/* Not of that index, beyond its end, and no such index. */
	assert_int_equal(read_fixed(ring, bufs[1], 100, 0), -EFAULT);
	assert_int_equal(read_fixed(ring, bufs[1] + 1, BUF_SZ, 1), -EFAULT);
	assert_int_equal(read_fixed(ring, bufs[2], 100, NR_BUFS), -EFAULT);

	fd = temp_file(0);
	io_uring_prep_write_fixed(next_sqe(ring), fd, bufs[2] + 50, 100, 7, 2);
	assert_int_equal(submit_one(ring, NULL), 100);
	assert_int_equal(pread(fd, got, 100, 7), 100);
	assert_memory_equal(got, bufs[2] + 50, 100);
	close(fd);

	assert_int_equal(io_uring_unregister_buffers(ring), 0);
	assert_int_equal(read_fixed(ring, bufs[1], 100, 1), -EFAULT);
	assert_int_equal(io_uring_unregister_buffers(ring), -ENXIO);
	assert_int_equal(io_uring_register_buffers(ring, iov, 1), 0);
	assert_int_equal(read_fixed(ring, bufs[0], 100, 0), 100);
}

static void test_refused(struct io_uring *ring)
{
	struct iovec iov[NR_BUFS];

	fill_iovecs(iov);
	assert_int_equal(io_uring_register_buffers(ring, iov, 0), -EINVAL);
	assert_int_equal(io_uring_register_buffers(ring, (struct iovec *)8, 1), -EFAULT);
	iov[1].iov_base = (void *)(page_size() / 2);
	assert_int_equal(io_uring_register_buffers(ring, iov, NR_BUFS), -EFAULT);
	/* Nothing of it stays. */
	assert_int_equal(io_uring_unregister_buffers(ring), -ENXIO);
	fill_iovecs(iov);
	assert_int_equal(io_uring_register_buffers(ring, iov, NR_BUFS), 0);
}

/* A tag of 0 says nothing; every other one comes back once. */
static void test_tags(struct io_uring *ring)
{
	static const __u64 tags[NR_BUFS] = { 0x1111111111111111, 0, 0xffff000000000003 };
	struct io_uring_cqe cqe;
	struct iovec iov[NR_BUFS];
	unsigned i;
	__u64 seen = 0;

	fill_iovecs(iov);
	require_ret("tagged buffers", io_uring_register_buffers_tags(ring, iov, tags, NR_BUFS));
	assert_int_equal(read_fixed(ring, bufs[2], 100, 2), 100);
	assert_true(pattern_same(bufs[2], 100, 0));
	no_cqe(ring);
	assert_int_equal(io_uring_unregister_buffers(ring), 0);
	for (i = 0; i < 2; i++) {
		assert_int_equal(wait_one(ring, &cqe), 0);
		assert_true(cqe.user_data == tags[0] || cqe.user_data == tags[2]);
		seen ^= cqe.user_data;
	}
	assert_true(seen == (tags[0] ^ tags[2]));
	no_cqe(ring);
}

/* Empty slots, filled and replaced one by one. */
static void test_sparse(struct io_uring *ring)
{
	static const __u64 first_tags[] = { 71, 72 }, second_tags[] = { 73 };
	struct iovec iov[NR_BUFS];
	struct iovec none = { NULL, 0 };

	fill_iovecs(iov);
	require_ret("a sparse buffer table", io_uring_register_buffers_sparse(ring, 8));
	assert_int_equal(io_uring_register_buffers_sparse(ring, 8), -EBUSY);
	assert_int_equal(read_fixed(ring, bufs[0], 100, 5), -EFAULT);

	assert_int_equal(io_uring_register_buffers_update_tag(ring, 5, iov, first_tags, 2), 2);
	assert_int_equal(read_fixed(ring, bufs[0], 100, 5), 100);
	assert_true(pattern_same(bufs[0], 100, 0));
	assert_int_equal(read_fixed(ring, bufs[1], 200, 6), 200);
	assert_true(pattern_same(bufs[1], 200, 0));
	assert_int_equal(read_fixed(ring, bufs[0], 100, 4), -EFAULT);
	assert_int_equal(read_fixed(ring, bufs[0], 100, 7), -EFAULT);

	/* Another in place of one: the old one is free. */
	assert_int_equal(io_uring_register_buffers_update_tag(ring, 5, &iov[2], second_tags, 1), 1);
	assert_int_equal(wait_for_tag(ring, 71), 0);
	assert_int_equal(read_fixed(ring, bufs[0], 100, 5), -EFAULT);
	assert_int_equal(read_fixed(ring, bufs[2], 100, 5), 100);
	assert_int_equal(read_fixed(ring, bufs[1], 200, 6), 200);

	/* Nothing in place of one. */
	assert_int_equal(io_uring_register_buffers_update_tag(ring, 6, &none, NULL, 1), 1);
	assert_int_equal(wait_for_tag(ring, 72), 0);
	assert_int_equal(read_fixed(ring, bufs[1], 200, 6), -EFAULT);

	assert_int_equal(io_uring_register_buffers_update_tag(ring, 7, iov, NULL, 2), -EINVAL);
	assert_int_equal(io_uring_register_buffers_update_tag(ring, 8, iov, NULL, 1), -EINVAL);
	no_cqe(ring);
	assert_int_equal(io_uring_unregister_buffers(ring), 0);
	assert_int_equal(wait_for_tag(ring, 73), 0);
	no_cqe(ring);
	assert_int_equal(io_uring_register_buffers_update_tag(ring, 0, iov, NULL, 1), -ENXIO);
}

int main(void)
{
	static const struct ring_case cases[] = {
		{ "buffers of", test_register, IORING_SETUP_IOPOLL, 0 },
		{ "refused buffers on", test_refused, 0, 0 },
		{ "buffer tags on", test_tags, IORING_SETUP_IOPOLL, 0 },
		{ "sparse buffer table of", test_sparse, IORING_SETUP_IOPOLL, 0 },
	};

	return ring_run_cases("buffers", cases, ARRAY_LEN(cases));
}
