/* SPDX-License-Identifier: MIT */
/*
 * Many more completions than the CQ holds: each comes exactly once and in order,
 * by whichever function the program reaps, on rings of every kind.
 */
#include "test.h"

#include "ring.h"

#include <errno.h>

#define SQPOLL IORING_SETUP_SQPOLL
#define NR_REQUESTS 200

/* The next tag to come; requests on one ring that complete at once keep order. */
static unsigned next_tag;

/* The CQ has 16 entries. Needs a kernel that drops nothing. */
static void fill(struct io_uring *ring)
{
	struct io_uring_sqe *sqe;
	unsigned i;

	if (!(ring->features & IORING_FEAT_NODROP))
		skip_because("the kernel's features have no NODROP");
	next_tag = 0;
	for (i = 0; i < NR_REQUESTS; i++) {
		sqe = io_uring_get_sqe(ring);
		if (!sqe) {
			assert_true(io_uring_submit(ring) > 0);
			sqe = next_sqe(ring);
		}
		io_uring_prep_nop(sqe);
		io_uring_sqe_set_data64(sqe, i);
	}
	assert_true(io_uring_submit(ring) >= 0);
	while ((ring->flags & SQPOLL) && io_uring_sq_ready(ring))
		sleep_ms(1);
	assert_int_equal(io_uring_sq_ready(ring), 0);
	assert_int_equal(io_uring_cq_ready(ring), ring->cq.ring_entries);
	assert_true(io_uring_cq_has_overflow(ring));
}

static void take(const struct io_uring_cqe *cqe)
{
	assert_int_equal(cqe->res, 0);
	assert_int_equal(cqe->user_data, next_tag);
	next_tag++;
}

static void check_empty(struct io_uring *ring)
{
	assert_int_equal(next_tag, NR_REQUESTS);
	no_cqe(ring);
	assert_false(io_uring_cq_has_overflow(ring));
	/* The ring goes on as before. */
	io_uring_prep_nop(next_sqe(ring));
	assert_int_equal(submit_one(ring, NULL), 0);
}

static void test_wait(struct io_uring *ring)
{
	struct io_uring_cqe *cqe;

	fill(ring);
	while (next_tag < NR_REQUESTS) {
		assert_int_equal(io_uring_wait_cqe(ring, &cqe), 0);
		take(cqe);
		io_uring_cqe_seen(ring, cqe);
	}
	check_empty(ring);
}

static void test_peek(struct io_uring *ring)
{
	struct io_uring_cqe *cqe;

	fill(ring);
	while (!io_uring_peek_cqe(ring, &cqe)) {
		take(cqe);
		io_uring_cqe_seen(ring, cqe);
	}
	assert_null(cqe);
	check_empty(ring);
}

static void test_peek_batch(struct io_uring *ring)
{
	struct io_uring_cqe *cqes[5];
	unsigned i, nr;

	fill(ring);
	while ((nr = io_uring_peek_batch_cqe(ring, cqes, 5))) {
		for (i = 0; i < nr; i++)
			take(cqes[i]);
		io_uring_cq_advance(ring, nr);
	}
	check_empty(ring);
}

/* A walk sees only what is in the ring; get_events brings in the rest. */
static void test_walk(struct io_uring *ring)
{
	struct io_uring_cqe *cqe;
	unsigned head, nr;

	fill(ring);
	do {
		nr = 0;
		io_uring_for_each_cqe(ring, head, cqe) {
			take(cqe);
			nr++;
		}
		assert_true(nr <= ring->cq.ring_entries);
		io_uring_cq_advance(ring, nr);
		assert_int_equal(io_uring_cq_ready(ring), 0);
		assert_int_equal(io_uring_get_events(ring), 0);
	} while (io_uring_cq_ready(ring));
	check_empty(ring);
}

/* Waits for more than there can be: as many as the CQ holds come. */
static void test_wait_for_many(struct io_uring *ring)
{
	struct __kernel_timespec limit = { .tv_sec = WAIT_SECONDS };
	struct io_uring_cqe *cqe;

	fill(ring);
	io_uring_cq_advance(ring, 10);
	next_tag = 10;
	assert_int_equal(io_uring_wait_cqes(ring, &cqe, ring->cq.ring_entries, &limit, NULL), 0);
	assert_int_equal(io_uring_cq_ready(ring), ring->cq.ring_entries);
	while (next_tag < NR_REQUESTS) {
		assert_int_equal(io_uring_wait_cqe(ring, &cqe), 0);
		take(cqe);
		io_uring_cqe_seen(ring, cqe);
	}
	check_empty(ring);
}

/* A submit enters for the sake of the overflow alone, where there is room. */
static void test_submit_flushes(struct io_uring *ring)
{
	struct io_uring_cqe *cqe;
	unsigned head;

	fill(ring);
	while (next_tag < NR_REQUESTS) {
		io_uring_for_each_cqe(ring, head, cqe)
			take(cqe);
		io_uring_cq_advance(ring, io_uring_cq_ready(ring));
		assert_true(io_uring_submit(ring) >= 0);
	}
	check_empty(ring);
}

int main(void)
{
	static const struct ring_case cases[] = {
		{ "overflow and wait on", test_wait, 0, 0 },
		{ "overflow and peek on", test_peek, 0, 0 },
		{ "overflow and batch peek on", test_peek_batch, 0, 0 },
		{ "overflow and walk on", test_walk, 0, 0 },
		{ "overflow and wait for many on", test_wait_for_many, 0, 0 },
		{ "overflow and submit on", test_submit_flushes, 0, 0 },
	};

	return ring_run_cases("overflow", cases, ARRAY_LEN(cases));
}
