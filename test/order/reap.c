/* SPDX-License-Identifier: MIT */
/*
 * CQEs on their way to the program, and their slots on the way back, through every
 * function that looks for CQEs. No SQE is submitted, so that the words of the CQ
 * alone put the two threads in order.
 */
#include "order_kernel.h"

#define ENTRIES 8
#define FEATURES (IORING_FEAT_EXT_ARG | IORING_FEAT_MIN_TIMEOUT)

static unsigned nr_reaped;

/* CQEs as fast as there is room; a full CQ overflows, or seems to. */
static void post_all(void)
{
	unsigned seq = 0;
	bool posted;

	while (seq < ORDER_TIMES && !order_stopped()) {
		if ((order.flags & IORING_SETUP_CQE_MIXED) && seq % 3 == 0)
			posted = order_post_big(seq, (int)(seq * 7), 0);
		else
			posted = order_post(seq, (int)(seq * 7), 0);
		seq += posted;
		order_set_flag(IORING_SQ_CQ_OVERFLOW, !posted && seq % 2);
		/* An old kernel's timeouts of the library's own lie in between. */
		if (!(order.features & IORING_FEAT_EXT_ARG) && seq % 5 == 0)
			order_post(LIBURING_UDATA_TIMEOUT, -ECANCELED, 0);
		if (!posted)
			order_pause();
	}
}

static void see(const struct io_uring *ring, const struct io_uring_cqe *cqe)
{
	assert_int_equal(cqe->user_data, nr_reaped);
	assert_int_equal(cqe->res, (int)(nr_reaped * 7));
	if ((ring->flags & IORING_SETUP_CQE32) || (cqe->flags & IORING_CQE_F_32)) {
		assert_int_equal(cqe->big_cqe[0], ~(__u64)nr_reaped);
		assert_int_equal(cqe->big_cqe[1], ~(__u64)nr_reaped);
	}
	nr_reaped++;
}

static void see_one(struct io_uring *ring, struct io_uring_cqe *cqe)
{
	see(ring, cqe);
	io_uring_cqe_seen(ring, cqe);
}

static void by_peek(struct io_uring *ring)
{
	struct io_uring_cqe *cqe;

	if (!io_uring_peek_cqe(ring, &cqe))
		see_one(ring, cqe);
}

static void by_wait(struct io_uring *ring)
{
	struct io_uring_cqe *cqe;

	assert_int_equal(io_uring_wait_cqe(ring, &cqe), 0);
	see_one(ring, cqe);
}

static void by_wait_nr(struct io_uring *ring)
{
	struct io_uring_cqe *cqe;

	assert_int_equal(io_uring_wait_cqe_nr(ring, &cqe, 2), 0);
	see_one(ring, cqe);
	assert_int_equal(io_uring_peek_cqe(ring, &cqe), 0);
	see_one(ring, cqe);
}

static void by_wait_timeout(struct io_uring *ring)
{
	struct __kernel_timespec ts = { .tv_sec = 1 };
	struct io_uring_cqe *cqe;

	assert_int_equal(io_uring_wait_cqe_timeout(ring, &cqe, &ts), 0);
	see_one(ring, cqe);
}

static void by_min_timeout(struct io_uring *ring)
{
	struct __kernel_timespec ts = { .tv_sec = 1 };
	struct io_uring_cqe *cqe;

	assert_int_equal(io_uring_wait_cqes_min_timeout(ring, &cqe, 1, &ts, 1, NULL), 0);
	see_one(ring, cqe);
}

static void by_submit_and_wait(struct io_uring *ring)
{
	struct __kernel_timespec ts = { .tv_sec = 1 };
	struct io_uring_cqe *cqe;

	assert_int_equal(io_uring_submit_and_wait_timeout(ring, &cqe, 1, &ts, NULL), 0);
	see_one(ring, cqe);
}

static void by_batch(struct io_uring *ring)
{
	struct io_uring_cqe *cqes[ENTRIES];
	unsigned i, nr = io_uring_peek_batch_cqe(ring, cqes, ENTRIES), nr_slots = 0;

	for (i = 0; i < nr; i++) {
		see(ring, cqes[i]);
		nr_slots += ring->flags & IORING_SETUP_CQE_MIXED ? io_uring_cqe_nr(cqes[i]) : 1;
	}
	io_uring_cq_advance(ring, nr_slots);
}

static void by_walk(struct io_uring *ring)
{
	struct io_uring_cqe *cqe;
	unsigned head, nr_slots = 0;

	io_uring_for_each_cqe(ring, head, cqe) {
		if (!(cqe->flags & IORING_CQE_F_SKIP))
			see(ring, cqe);
		nr_slots += ring->flags & IORING_SETUP_CQE_MIXED ? io_uring_cqe_nr(cqe) : 1;
	}
	io_uring_cq_advance(ring, nr_slots);
}

/* A program that takes its slots by number, from what io_uring_cq_ready says. */
static void by_number(struct io_uring *ring)
{
	unsigned nr = io_uring_cq_ready(ring), first = nr_reaped, i;

	for (i = 0; i < nr; i++)
		see(ring, &ring->cq.cqes[(size_t)((first + i) & ring->cq.ring_mask)
					 << io_uring_cqe_shift(ring)]);
	io_uring_cq_advance(ring, nr);
}

static void run(void (*reap)(struct io_uring *ring), unsigned flags, unsigned features)
{
	struct io_uring ring;
	unsigned nr_before, nr_idle = 0, nr_overflows = 0;

	nr_reaped = 0;
	order_open(&ring, ENTRIES, 2 * ENTRIES, flags, features);
	order_start(post_all);
	while (nr_reaped < ORDER_TIMES) {
		nr_before = nr_reaped;
		/* A pair is waited for that never comes. */
		if (reap == by_wait_nr && ORDER_TIMES - nr_reaped < 2)
			reap = by_wait;
		reap(&ring);
		nr_overflows += io_uring_cq_has_overflow(&ring);
		if (nr_reaped == nr_before && ++nr_idle)
			order_pause();
	}
	order_close(&ring);
}

#define REAP_TEST(name, flags, features)		\
	static void test_##name(void **state)		\
	{						\
		run(by_##name, flags, features);	\
	}						\
	static void test_##name##_big(void **state)	\
	{						\
		run(by_##name, (flags) | IORING_SETUP_CQE32, features); \
	}

REAP_TEST(peek, 0, FEATURES)
REAP_TEST(wait, 0, FEATURES)
REAP_TEST(wait_nr, 0, FEATURES)
REAP_TEST(wait_timeout, 0, FEATURES)
REAP_TEST(min_timeout, 0, FEATURES)
REAP_TEST(submit_and_wait, 0, FEATURES)
REAP_TEST(batch, 0, FEATURES)
REAP_TEST(walk, 0, FEATURES)
REAP_TEST(number, 0, FEATURES)

static void test_mixed_peek(void **state)
{
	run(by_peek, IORING_SETUP_CQE_MIXED, FEATURES);
}

static void test_mixed_batch(void **state)
{
	run(by_batch, IORING_SETUP_CQE_MIXED, FEATURES);
}

static void test_mixed_walk(void **state)
{
	run(by_walk, IORING_SETUP_CQE_MIXED, FEATURES);
}

static void test_old_peek(void **state)
{
	run(by_peek, 0, 0);
}

static void test_old_batch(void **state)
{
	run(by_batch, 0, 0);
}

static void test_old_wait(void **state)
{
	run(by_wait, 0, 0);
}

#define BOTH(name) order_test(test_##name), order_test(test_##name##_big)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		BOTH(peek),
		BOTH(wait),
		BOTH(wait_nr),
		BOTH(wait_timeout),
		BOTH(min_timeout),
		BOTH(submit_and_wait),
		BOTH(batch),
		BOTH(walk),
		BOTH(number),
		order_test(test_mixed_peek),
		order_test(test_mixed_batch),
		order_test(test_mixed_walk),
		order_test(test_old_peek),
		order_test(test_old_batch),
		order_test(test_old_wait),
	};

	return cmocka_run_group_tests_name("reap", tests, NULL, NULL);
}
