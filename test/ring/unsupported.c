/* SPDX-License-Identifier: MIT */
/*
 * Calls that need a feature which the kernel lacks, here for want of its bit in
 * the ring's features: an error, and not a byte of the ring has changed.
 */
#include "test.h"

#include "ring.h"

#include <errno.h>
#include <string.h>

#define POISON ((struct io_uring_cqe *)0x5a5a5a5a)
#define EXT_ARG IORING_FEAT_EXT_ARG
#define MIN_TIMEOUT IORING_FEAT_MIN_TIMEOUT
#define REG_REG_RING IORING_FEAT_REG_REG_RING
#define NO_IOWAIT IORING_FEAT_NO_IOWAIT

/* The structure, the words that it shares with the kernel, and the SQEs. */
struct ring_state {
	struct io_uring ring;
	unsigned sq_head, sq_tail, sq_flags, sq_dropped;
	unsigned cq_head, cq_tail, cq_flags, cq_overflow;
	char sqes[8 * 128];
};

static void state_take(struct ring_state *now, const struct io_uring *ring)
{
	memset(now, 0, sizeof(*now));
	memcpy(&now->ring, ring, sizeof(*ring));
	now->sq_head = *ring->sq.khead;
	now->sq_tail = *ring->sq.ktail;
	now->sq_flags = *ring->sq.kflags & ~IORING_SQ_NEED_WAKEUP;
	now->sq_dropped = *ring->sq.kdropped;
	now->cq_head = *ring->cq.khead;
	now->cq_tail = *ring->cq.ktail;
	now->cq_flags = ring->cq.kflags ? *ring->cq.kflags : 0;
	now->cq_overflow = *ring->cq.koverflow;
	memcpy(now->sqes, ring->sq.sqes, (size_t)ring->sq.ring_entries * 64
					 << io_uring_sqe_shift(ring));
}

/* The SQ has two SQEs that were not submitted, and the CQ a CQE. */
static void prepare(struct io_uring *ring, struct ring_state *before, unsigned feature)
{
	struct io_uring_cqe *cqe;

	io_uring_prep_nop(next_sqe(ring));
	submit_ok(ring, 1);
	assert_int_equal(io_uring_wait_cqe(ring, &cqe), 0);
	while ((ring->flags & IORING_SETUP_SQPOLL) && io_uring_sq_ready(ring))
		sleep_ms(1);
	io_uring_prep_nop(next_sqe(ring));
	io_uring_prep_nop(next_sqe(ring));
	ring->features &= ~feature;
	state_take(before, ring);
}

/* And the ring goes on where it was. */
static void check_unchanged(struct io_uring *ring, const struct ring_state *before,
			    unsigned feature)
{
	struct ring_state now;
	unsigned i;

	state_take(&now, ring);
	assert_memory_equal(&now, before, sizeof(now));
	ring->features |= feature;
	submit_ok(ring, 2);
	for (i = 0; i < 3; i++)
		assert_int_equal(wait_one(ring, NULL), 0);
	no_cqe(ring);
}

static void test_min_timeout(struct io_uring *ring)
{
	struct __kernel_timespec ts = { .tv_nsec = 1000000 };
	unsigned feature = ring->features & MIN_TIMEOUT;
	struct io_uring_cqe *cqe = POISON;
	struct ring_state before;

	prepare(ring, &before, feature);
	assert_int_equal(io_uring_wait_cqes_min_timeout(ring, &cqe, 2, &ts, 10, NULL), -EINVAL);
	assert_null(cqe);
	cqe = POISON;
	assert_int_equal(io_uring_submit_and_wait_min_timeout(ring, &cqe, 2, &ts, 10, NULL),
			 -EINVAL);
	assert_null(cqe);
	check_unchanged(ring, &before, feature);
}

static void test_registered_wait(struct io_uring *ring)
{
	unsigned feature = ring->features & EXT_ARG;
	struct io_uring_cqe *cqe = POISON;
	struct ring_state before;

	prepare(ring, &before, feature);
	assert_int_equal(io_uring_submit_and_wait_reg(ring, &cqe, 1, 0), -EINVAL);
	assert_null(cqe);
	check_unchanged(ring, &before, feature);
}

static void test_close_ring_fd(struct io_uring *ring)
{
	unsigned feature = ring->features & REG_REG_RING;
	struct ring_state before;
	struct holdings held;

	require_ret("a registered ring", io_uring_register_ring_fd(ring));
	prepare(ring, &before, feature);
	holdings_take(&held);
	assert_int_equal(io_uring_close_ring_fd(ring), -EOPNOTSUPP);
	holdings_same(&held);
	check_unchanged(ring, &before, feature);
}

static void test_iowait(struct io_uring *ring)
{
	unsigned feature = ring->features & NO_IOWAIT;
	struct ring_state before;

	prepare(ring, &before, feature);
	assert_int_equal(io_uring_set_iowait(ring, false), -EOPNOTSUPP);
	assert_int_equal(io_uring_set_iowait(ring, true), -EOPNOTSUPP);
	check_unchanged(ring, &before, feature);
}

/* What a kernel without CQ flags has in the structure. */
static void test_eventfd_toggle(struct io_uring *ring)
{
	unsigned *kflags = ring->cq.kflags;
	struct ring_state before;

	ring->cq.kflags = NULL;
	prepare(ring, &before, 0);
	assert_true(io_uring_cq_eventfd_enabled(ring));
	assert_int_equal(io_uring_cq_eventfd_toggle(ring, true), 0);
	assert_int_equal(io_uring_cq_eventfd_toggle(ring, false), -EOPNOTSUPP);
	assert_true(io_uring_cq_eventfd_enabled(ring));
	check_unchanged(ring, &before, 0);
	ring->cq.kflags = kflags;
}

/* Without the feature, register calls keep to the real descriptor. */
static void test_register_by_descriptor(struct io_uring *ring)
{
	unsigned feature = ring->features & REG_REG_RING;

	ring->features &= ~feature;
	require_ret("a registered ring", io_uring_register_ring_fd(ring));
	assert_int_equal(ring->int_flags & (IORING_ENTER_REGISTERED_RING | 1),
			 IORING_ENTER_REGISTERED_RING);
	assert_int_equal(io_uring_unregister_buffers(ring), -ENXIO);
	io_uring_prep_nop(next_sqe(ring));
	assert_int_equal(submit_one(ring, NULL), 0);
	assert_int_equal(io_uring_close_ring_fd(ring), -EOPNOTSUPP);
	assert_int_equal(io_uring_unregister_ring_fd(ring), 1);
	assert_int_equal(ring->int_flags & (IORING_ENTER_REGISTERED_RING | 1), 0);
	ring->features |= feature;
	io_uring_prep_nop(next_sqe(ring));
	assert_int_equal(submit_one(ring, NULL), 0);
}

static void test_resize(struct io_uring *ring)
{
	struct io_uring_params p = { .sq_entries = 16 };
	struct ring_state before;

	prepare(ring, &before, 0);
	assert_true(io_uring_resize_rings(ring, &p) < 0);
	check_unchanged(ring, &before, 0);
}

int main(void)
{
	const unsigned by_index = IORING_SETUP_REGISTERED_FD_ONLY;
	const struct ring_case cases[] = {
		{ "no MIN_TIMEOUT on", test_min_timeout, 0, 0 },
		{ "no EXT_ARG for registered waits on", test_registered_wait, 0, 0 },
		{ "no REG_REG_RING on", test_close_ring_fd, by_index, 0 },
		{ "no REG_REG_RING to register with on", test_register_by_descriptor, by_index, 0 },
		{ "no NO_IOWAIT on", test_iowait, 0, 0 },
		{ "no CQ flags on", test_eventfd_toggle, 0, 0 },
		{ "no resize on", test_resize, IORING_SETUP_DEFER_TASKRUN, 0 },
	};

	return ring_run_cases("unsupported", cases, ARRAY_LEN(cases));
}
