/* SPDX-License-Identifier: MIT */
/*
 * The loop that people port: blocks of a file read one after the other until 0.
 * How many enters it makes for 16 blocks, by the way it waits.
 */
#include "fake_test.h"

#define NR_BLOCKS 16
#define BLOCK_SZ 4096

static bool eof_waits;

/* A read within the file completes in the wait; one at its end when submitted. */
static void start_read(struct fake_ring *ring, const struct io_uring_sqe *sqe,
		       struct fake_req *req)
{
	bool at_end = sqe->off >= NR_BLOCKS * BLOCK_SZ;

	assert_int_equal(sqe->opcode, IORING_OP_READV);
	req->res = at_end ? 0 : BLOCK_SZ;
	req->due_ns = at_end && !eof_waits ? FAKE_AT_SUBMIT : FAKE_IN_WAIT;
}

enum way { SUBMIT_THEN_WAIT, SUBMIT_AND_WAIT, SUBMIT_AND_WAIT_TIMEOUT };

static int read_block(struct io_uring *ring, enum way way, const struct iovec *iov,
		      uint64_t off)
{
	struct __kernel_timespec ts = { .tv_sec = 10 };
	struct io_uring_sqe *sqe = io_uring_get_sqe(ring);
	struct io_uring_cqe *cqe = POISON;
	int res;

	io_uring_prep_readv(sqe, 3, iov, 1, off);
	switch (way) {
	case SUBMIT_THEN_WAIT:
		assert_int_equal(io_uring_submit(ring), 1);
		assert_int_equal(io_uring_wait_cqe(ring, &cqe), 0);
		break;
	case SUBMIT_AND_WAIT:
		assert_int_equal(io_uring_submit_and_wait(ring, 1), 1);
		assert_int_equal(io_uring_wait_cqe(ring, &cqe), 0);
		break;
	case SUBMIT_AND_WAIT_TIMEOUT:
		assert_int_equal(io_uring_submit_and_wait_timeout(ring, &cqe, 1, &ts, NULL), 1);
		break;
	}
	res = cqe->res;
	io_uring_cqe_seen(ring, cqe);
	return res;
}

static unsigned count_enters(enum way way, unsigned flags)
{
	static char buf[BLOCK_SZ];
	struct iovec iov = { buf, sizeof(buf) };
	struct io_uring ring;
	uint64_t off = 0;
	unsigned nr;
	int res;

	init_ring(&ring, 8, flags);
	fake.on_sqe = start_read;
	while ((res = read_block(&ring, way, &iov, off)) > 0)
		off += (unsigned)res;
	assert_int_equal(res, 0);
	assert_int_equal(off, NR_BLOCKS * BLOCK_SZ);
	nr = nr_enters();
	io_uring_queue_exit(&ring);
	return nr;
}

static const unsigned ring_flags[] = {
	0,
	IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN,
	IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG,
};

/* 16 times a submit and a wait, and the submit that finds the end. */
static void submit_then_wait_is_33_enters(void **state)
{
	unsigned i;

	eof_waits = false;
	for (i = 0; i < ARRAY_LEN(ring_flags); i++)
		assert_int_equal(count_enters(SUBMIT_THEN_WAIT, ring_flags[i]), 33);
}

static void with_a_wait_at_the_end_it_is_34(void **state)
{
	unsigned i;

	eof_waits = true;
	for (i = 0; i < ARRAY_LEN(ring_flags); i++)
		assert_int_equal(count_enters(SUBMIT_THEN_WAIT, ring_flags[i]), 34);
}

static void submit_and_wait_is_17_enters(void **state)
{
	unsigned i;

	for (i = 0; i < ARRAY_LEN(ring_flags); i++) {
		eof_waits = i & 1;
		assert_int_equal(count_enters(SUBMIT_AND_WAIT, ring_flags[i]), 17);
		assert_int_equal(count_enters(SUBMIT_AND_WAIT_TIMEOUT, ring_flags[i]), 17);
	}
}

static void without_ext_arg_it_is_17_too(void **state)
{
	fake.features &= ~IORING_FEAT_EXT_ARG;
	assert_int_equal(count_enters(SUBMIT_AND_WAIT, 0), 17);
}

/* All blocks and the end in one enter. */
static void a_batch_is_one_enter(void **state)
{
	static char buf[BLOCK_SZ];
	struct iovec iov = { buf, sizeof(buf) };
	struct io_uring_cqe *cqes[NR_BLOCKS + 1];
	struct io_uring ring;
	unsigned i;

	init_ring(&ring, 32, 0);
	fake.on_sqe = start_read;
	for (i = 0; i <= NR_BLOCKS; i++)
		io_uring_prep_readv(io_uring_get_sqe(&ring), 3, &iov, 1, i * BLOCK_SZ);
	assert_int_equal(io_uring_submit_and_wait(&ring, NR_BLOCKS + 1), NR_BLOCKS + 1);
	assert_int_equal(io_uring_peek_batch_cqe(&ring, cqes, NR_BLOCKS + 1), NR_BLOCKS + 1);
	assert_int_equal(nr_enters(), 1);
	io_uring_queue_exit(&ring);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FAKE_TEST(submit_then_wait_is_33_enters),
		FAKE_TEST(with_a_wait_at_the_end_it_is_34),
		FAKE_TEST(submit_and_wait_is_17_enters),
		FAKE_TEST(without_ext_arg_it_is_17_too),
		FAKE_TEST(a_batch_is_one_enter),
	};

	return RUN_FAKE_TESTS(tests);
}
