/* SPDX-License-Identifier: MIT */
/*
 * Rings of provided buffers, on rings of every kind, in memory of the
 * application's, the library's and the kernel's: reads take buffers in order,
 * and the status tells how many are left.
 */
#include "test.h"

#include "ring.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define NR_BUFS 8
#define BUF_SZ 256
#define GROUP 17

static char bufs[NR_BUFS][BUF_SZ];

static void add_bufs(struct io_uring_buf_ring *br, unsigned from, unsigned nr)
{
	int mask = io_uring_buf_ring_mask(NR_BUFS);
	unsigned i;

	for (i = 0; i < nr; i++)
		io_uring_buf_ring_add(br, bufs[from + i], BUF_SZ, (unsigned short)(from + i), mask,
				      (int)i);
	io_uring_buf_ring_advance(br, (int)nr);
}

/* A read into a buffer of the group's choice; *cqe tells which. */
static int read_select(struct io_uring *ring, int fd, __u64 off, struct io_uring_cqe *cqe)
{
	struct io_uring_sqe *sqe = next_sqe(ring);

	io_uring_prep_read(sqe, fd, NULL, BUF_SZ, off);
	sqe->flags |= IOSQE_BUFFER_SELECT;
	sqe->buf_group = GROUP;
	return submit_one(ring, cqe);
}

/* Takes all buffers that there are, several times around. */
static void use_buf_ring(struct io_uring *ring, struct io_uring_buf_ring *br)
{
	int fd = temp_file((size_t)NR_BUFS * BUF_SZ);
	struct io_uring_cqe cqe;
	unsigned lap, i, bid;
	uint16_t head = 0xffff;

	/* Group by group of 3, so that it starts at each place. */
	for (lap = 0; lap < 11; lap++) {
		add_bufs(br, lap % 5, 3);
		for (i = 0; i < 3; i++) {
			bid = lap % 5 + i;
			memset(bufs[bid], 0, BUF_SZ);
			assert_int_equal(read_select(ring, fd, bid * BUF_SZ, &cqe), BUF_SZ);
			assert_true(cqe.flags & IORING_CQE_F_BUFFER);
			assert_int_equal(cqe.flags >> IORING_CQE_BUFFER_SHIFT, bid);
			assert_true(pattern_same(bufs[bid], BUF_SZ, bid * BUF_SZ));
		}
		assert_int_equal(read_select(ring, fd, 0, &cqe), -ENOBUFS);
		assert_false(cqe.flags & IORING_CQE_F_BUFFER);
	}
	/* All entries at once. */
	add_bufs(br, 0, NR_BUFS);
	for (i = 0; i < NR_BUFS; i++) {
		assert_int_equal(read_select(ring, fd, 0, &cqe), BUF_SZ);
		assert_int_equal(cqe.flags >> IORING_CQE_BUFFER_SHIFT, i);
	}
	assert_int_equal(read_select(ring, fd, 0, &cqe), -ENOBUFS);
	close(fd);

	if (io_uring_buf_ring_head(ring, GROUP, &head) == -EINVAL)
		return;
	assert_int_equal(head, 11 * 3 + NR_BUFS);
}

static struct io_uring_buf_ring *setup(struct io_uring *ring, unsigned flags)
{
	struct io_uring_buf_ring *br;
	int ret = 1;

	br = io_uring_setup_buf_ring(ring, NR_BUFS, GROUP, flags, &ret);
	if (!br)
		require_ret("a buffer ring", ret);
	assert_non_null(br);
	assert_int_equal(ret, 0);
	return br;
}

static void test_setup(struct io_uring *ring)
{
	struct holdings before;
	struct io_uring_buf_ring *br;

	holdings_take(&before);
	br = setup(ring, 0);
	use_buf_ring(ring, br);
	assert_int_equal(io_uring_free_buf_ring(ring, br, NR_BUFS, GROUP), 0);
	holdings_same(&before);
}

/* The kernel's own memory; its mapping goes by the real descriptor. */
static void test_setup_mmap(struct io_uring *ring)
{
	struct holdings before;
	struct io_uring_buf_ring *br;

	holdings_take(&before);
	br = setup(ring, IOU_PBUF_RING_MMAP);
	use_buf_ring(ring, br);
	assert_int_equal(io_uring_free_buf_ring(ring, br, NR_BUFS, GROUP), 0);
	holdings_same(&before);
}

static void test_own_memory(struct io_uring *ring)
{
	size_t sz = NR_BUFS * sizeof(struct io_uring_buf);
	struct io_uring_buf_ring *br = page_alloc(sz);
	struct io_uring_buf_reg reg;

	memset(&reg, 0, sizeof(reg));
	reg.ring_addr = (__u64)(uintptr_t)br;
	reg.ring_entries = NR_BUFS;
	reg.bgid = GROUP;
	require_ret("a buffer ring", io_uring_register_buf_ring(ring, &reg, 0));
	io_uring_buf_ring_init(br);
	use_buf_ring(ring, br);
	assert_int_equal(io_uring_register_buf_ring(ring, &reg, 0), -EEXIST);
	assert_int_equal(io_uring_unregister_buf_ring(ring, GROUP), 0);
	assert_true(io_uring_unregister_buf_ring(ring, GROUP) < 0);
	page_free(br, sz);
}

/* The flags of the call are added to those of the structure. */
static void test_flags_are_added(struct io_uring *ring)
{
	struct io_uring_buf_reg reg;

	memset(&reg, 0, sizeof(reg));
	reg.ring_entries = NR_BUFS;
	reg.bgid = GROUP;
	reg.flags = IOU_PBUF_RING_INC;
	require_ret("a buffer ring of the kernel's memory",
		    io_uring_register_buf_ring(ring, &reg, IOU_PBUF_RING_MMAP));
	assert_int_equal(reg.flags, IOU_PBUF_RING_INC | IOU_PBUF_RING_MMAP);
	assert_int_equal(io_uring_unregister_buf_ring(ring, GROUP), 0);
}

static void test_status(struct io_uring *ring)
{
	struct io_uring_buf_ring *br = setup(ring, 0);
	int fd = temp_file(BUF_SZ), ret;
	struct io_uring_cqe cqe;
	uint16_t head = 0x5a5a;
	unsigned i;

	ret = io_uring_buf_ring_head(ring, GROUP, &head);
	require_ret("the status of a buffer ring", ret);
	assert_int_equal(head, 0);
	assert_int_equal(io_uring_buf_ring_available(ring, br, GROUP), 0);
	add_bufs(br, 0, 5);
	assert_int_equal(io_uring_buf_ring_available(ring, br, GROUP), 5);
	for (i = 1; i <= 3; i++) {
		assert_int_equal(read_select(ring, fd, 0, &cqe), BUF_SZ);
		assert_int_equal(io_uring_buf_ring_available(ring, br, GROUP), 5 - i);
		assert_int_equal(io_uring_buf_ring_head(ring, GROUP, &head), 0);
		assert_int_equal(head, i);
	}
	head = 0x5a5a;
	assert_int_equal(io_uring_buf_ring_head(ring, GROUP + 1, &head), -ENOENT);
	assert_int_equal(head, 0x5a5a);
	assert_int_equal(io_uring_buf_ring_available(ring, br, GROUP + 1), -ENOENT);
	assert_int_equal(io_uring_free_buf_ring(ring, br, NR_BUFS, GROUP), 0);
	assert_true(io_uring_buf_ring_available(ring, br, GROUP) < 0);
	close(fd);
}

/* One call hands buffers over and releases CQEs. */
static void test_cq_advance(struct io_uring *ring)
{
	struct io_uring_buf_ring *br = setup(ring, 0);
	int fd = temp_file(BUF_SZ), mask = io_uring_buf_ring_mask(NR_BUFS);
	struct io_uring_cqe *cqe;
	struct io_uring_sqe *sqe;
	unsigned i;

	add_bufs(br, 0, 2);
	for (i = 0; i < 6; i++) {
		sqe = next_sqe(ring);
		io_uring_prep_read(sqe, fd, NULL, BUF_SZ, 0);
		sqe->flags |= IOSQE_BUFFER_SELECT;
		sqe->buf_group = GROUP;
		submit_ok(ring, 1);
		assert_int_equal(io_uring_wait_cqe(ring, &cqe), 0);
		assert_int_equal(cqe->res, BUF_SZ);
		assert_int_equal(cqe->flags >> IORING_CQE_BUFFER_SHIFT, i % 2);
		io_uring_buf_ring_add(br, bufs[i % 2], BUF_SZ, (unsigned short)(i % 2), mask, 0);
		io_uring_buf_ring_cq_advance(ring, br, 1);
		assert_int_equal(io_uring_cq_ready(ring), 0);
	}
	/* A CQE that took no buffer. */
	io_uring_prep_nop(next_sqe(ring));
	submit_ok(ring, 1);
	assert_int_equal(io_uring_wait_cqe(ring, &cqe), 0);
	__io_uring_buf_ring_cq_advance(ring, br, 1, 0);
	assert_int_equal(io_uring_cq_ready(ring), 0);
	assert_int_equal(br->tail, 8);
	assert_int_equal(io_uring_free_buf_ring(ring, br, NR_BUFS, GROUP), 0);
	close(fd);
}

static void test_refused(struct io_uring *ring)
{
	static const unsigned bad_entries[] = { 3, 65536, 0x80000000 };
	struct io_uring_buf_ring *br = setup(ring, 0);
	struct holdings before;
	unsigned i;
	int ret;

	holdings_take(&before);
	ret = 0;
	assert_null(io_uring_setup_buf_ring(ring, NR_BUFS, GROUP, 0, &ret));
	assert_int_equal(ret, -EEXIST);
	holdings_same(&before);
	for (i = 0; i < ARRAY_LEN(bad_entries); i++) {
		ret = 0;
		assert_null(io_uring_setup_buf_ring(ring, bad_entries[i], GROUP + 1, 0, &ret));
		assert_true(ret == -EINVAL || ret == -ENOMEM);
		holdings_same(&before);
	}
	ret = 0;
	assert_null(io_uring_setup_buf_ring(ring, 0, GROUP + 1, 0, &ret));
	assert_true(ret < 0);
	ret = 0;
	assert_null(io_uring_setup_buf_ring(ring, NR_BUFS, GROUP + 1, 0x8000, &ret));
	assert_int_equal(ret, -EINVAL);
	holdings_same(&before);
	assert_true(io_uring_unregister_buf_ring(ring, GROUP + 1) < 0);

	/* An error leaves the memory, and the group as it was. */
	assert_true(io_uring_free_buf_ring(ring, br, NR_BUFS, GROUP + 1) < 0);
	holdings_same(&before);
	use_buf_ring(ring, br);
	assert_int_equal(io_uring_free_buf_ring(ring, br, NR_BUFS, GROUP), 0);
}

int main(void)
{
	static const struct ring_case cases[] = {
		{ "buffer ring of", test_setup, IORING_SETUP_IOPOLL, 0 },
		{ "buffer ring of the kernel on", test_setup_mmap,
		  IORING_SETUP_IOPOLL | IORING_SETUP_REGISTERED_FD_ONLY, 0 },
		{ "buffer ring of the program on", test_own_memory, IORING_SETUP_IOPOLL, 0 },
		{ "buffer ring flags on", test_flags_are_added, IORING_SETUP_IOPOLL, 0 },
		{ "buffer ring status on", test_status, IORING_SETUP_IOPOLL, 0 },
		{ "buffers and CQEs on", test_cq_advance, IORING_SETUP_IOPOLL, 0 },
		{ "refused buffer ring on", test_refused, IORING_SETUP_IOPOLL, 0 },
	};

	return ring_run_cases("buf_ring", cases, ARRAY_LEN(cases));
}
