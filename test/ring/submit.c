/* SPDX-License-Identifier: MIT */
/*
 * Submitting, alone and together with waiting, on rings of every kind: how many
 * went, what came back, and what became of the SQEs that did not go.
 */
#include "test.h"

#include "ring.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define IOPOLL IORING_SETUP_IOPOLL
#define SQPOLL IORING_SETUP_SQPOLL
#define POISON ((struct io_uring_cqe *)0x5a5a5a5a)
#define BAD_OPCODE 250

static const struct __kernel_timespec an_hour = { .tv_sec = 3600 };
static const struct __kernel_timespec ten_ms = { .tv_nsec = 10000000 };

/* The polling thread releases slots a little after the completions. */
static void wait_for_slots(struct io_uring *ring)
{
	while ((ring->flags & SQPOLL) && io_uring_sq_ready(ring))
		sleep_ms(1);
	assert_int_equal(io_uring_sq_ready(ring), 0);
	assert_int_equal(io_uring_sq_space_left(ring), ring->sq.ring_entries);
}

static void test_nothing(struct io_uring *ring)
{
	assert_int_equal(io_uring_submit(ring), 0);
	assert_int_equal(io_uring_submit_and_wait(ring, 0), 0);
	assert_int_equal(io_uring_submit_and_get_events(ring), 0);
	assert_int_equal(io_uring_sq_ready(ring), 0);
	assert_int_equal(io_uring_sq_space_left(ring), ring->sq.ring_entries);
}

/* Each slot comes back zeroed, whatever the lap before left in it. */
static void test_full(struct io_uring *ring)
{
	unsigned entries = ring->sq.ring_entries, lap, i;
	size_t sqe_sz = 64U << io_uring_sqe_shift(ring);
	struct io_uring_sqe *sqe;

	assert_int_equal(entries, 8);
	for (lap = 0; lap < 3; lap++) {
		for (i = 0; i < entries; i++) {
			assert_int_equal(io_uring_sq_ready(ring), i);
			assert_int_equal(io_uring_sq_space_left(ring), entries - i);
			sqe = io_uring_get_sqe(ring);
			assert_non_null(sqe);
			assert_true(all_bytes(sqe, sqe_sz, 0));
			memset(sqe, 0xff, sqe_sz);
			memset(sqe, 0, 64);
			io_uring_prep_nop(sqe);
			io_uring_sqe_set_data64(sqe, lap * 100 + i);
		}
		assert_null(io_uring_get_sqe(ring));
		assert_int_equal(io_uring_sq_space_left(ring), 0);
		submit_ok(ring, entries);
		for (i = 0; i < entries; i++)
			assert_int_equal(wait_for_tag(ring, lap * 100 + i), 0);
		wait_for_slots(ring);
	}
}

static void test_submit_and_wait(struct io_uring *ring)
{
	unsigned i;

	for (i = 1; i <= 5; i++)
		queue_nop(ring, i);
	taken_ok(ring, io_uring_submit_and_wait(ring, 5), 5);
	assert_int_equal(io_uring_cq_ready(ring), 5);
	for (i = 1; i <= 5; i++)
		assert_int_equal(wait_for_tag(ring, i), 0);
}

/* The wait is also for what was submitted earlier. */
static void test_wait_for_earlier(struct io_uring *ring)
{
	int fd = timer_in_ms(20);
	struct io_uring_sqe *sqe = next_sqe(ring);
	__u64 count = 0;

	io_uring_prep_read(sqe, fd, &count, sizeof(count), 0);
	io_uring_sqe_set_data64(sqe, 2);
	submit_ok(ring, 1);
	queue_nop(ring, 1);
	taken_ok(ring, io_uring_submit_and_wait(ring, 2), 1);
	assert_int_equal(io_uring_cq_ready(ring), 2);
	assert_int_equal(count, 1);
	/* In either order, for the machine may be slow. */
	assert_int_equal(wait_one(ring, NULL) + wait_one(ring, NULL), sizeof(count));
	close(fd);
}

/* Each outcome that io_uring_submit_and_wait_timeout can have without a signal. */
static void test_submit_and_wait_timeout(struct io_uring *ring)
{
	struct __kernel_timespec ts = ten_ms, hour = an_hour;
	unsigned long long start = now_ms();
	struct io_uring_cqe *cqe = POISON;
	int ret;

	assert_int_equal(io_uring_submit_and_wait_timeout(ring, &cqe, 1, &ts, NULL), -ETIME);
	assert_null(cqe);
	assert_true(now_ms() - start >= 10);

	queue_nop(ring, 1);
	cqe = POISON;
	taken_ok(ring, io_uring_submit_and_wait_timeout(ring, &cqe, 1, &hour, NULL), 1);
	assert_true(cqe->user_data == 1);

	/* A CQE was there before: what counts is still what was submitted. */
	queue_nop(ring, 2);
	queue_nop(ring, 3);
	cqe = POISON;
	taken_ok(ring, io_uring_submit_and_wait_timeout(ring, &cqe, 1, &hour, NULL), 2);
	assert_true(cqe->user_data == 1);
	taken_ok(ring, io_uring_submit_and_wait_timeout(ring, &cqe, 3, NULL, NULL), 0);
	assert_true(cqe->user_data == 1);
	io_uring_cq_advance(ring, 3);

	queue_nop(ring, 4);
	cqe = POISON;
	taken_ok(ring, io_uring_submit_and_wait_timeout(ring, &cqe, 1, NULL, NULL), 1);
	assert_true(cqe->user_data == 4);
	io_uring_cq_advance(ring, 1);

	/* Fewer in time than asked for; a polling thread may take its time. */
	queue_nop(ring, 5);
	if (ring->flags & SQPOLL)
		taken_ok(ring, io_uring_submit_and_wait(ring, 1), 1);
	start = now_ms();
	ret = io_uring_submit_and_wait_timeout(ring, &cqe, 2, &ts, NULL);
	taken_ok(ring, ret, !(ring->flags & SQPOLL));
	assert_non_null(cqe);
	assert_true(cqe->user_data == 5);
	/* With a CQE there an IOPOLL ring is not polled for more. */
	assert_true((ring->flags & IOPOLL) || now_ms() - start >= 10);
}

/* Something was submitted, and nothing completed in time: the count and NULL. */
static void test_nothing_in_time(struct io_uring *ring)
{
	struct __kernel_timespec ts = ten_ms, hour = an_hour;
	struct io_uring_cqe *cqe = POISON;

	io_uring_prep_timeout(next_sqe(ring), &hour, 0, 0);
	taken_ok(ring, io_uring_submit_and_wait_timeout(ring, &cqe, 1, &ts, NULL), 1);
	assert_null(cqe);
	io_uring_prep_timeout_remove(next_sqe(ring), 0, 0);
	taken_ok(ring, io_uring_submit_and_wait(ring, 2), 1);
	assert_int_equal(io_uring_cq_ready(ring), 2);
}

static void test_min_timeout(struct io_uring *ring)
{
	struct __kernel_timespec ts = ten_ms, hour = an_hour;
	unsigned long long start;
	struct io_uring_cqe *cqe = POISON;
	int ret;

	queue_nop(ring, 1);
	start = now_ms();
	ret = io_uring_submit_and_wait_min_timeout(ring, &cqe, 2, &hour, 20000, NULL);
	if (!(ring->features & IORING_FEAT_MIN_TIMEOUT)) {
		assert_int_equal(ret, -EINVAL);
		skip_because("the kernel's features have no MIN_TIMEOUT");
	}
	taken_ok(ring, ret, 1);
	assert_true(cqe->user_data == 1);
	assert_true(now_ms() - start >= 20);
	io_uring_cqe_seen(ring, cqe);

	cqe = POISON;
	ret = io_uring_submit_and_wait_min_timeout(ring, &cqe, 1, &ts, 1000, NULL);
	assert_int_equal(ret, -ETIME);
	assert_null(cqe);
}

/* Where the kernel stops at a bad SQE, the next submit passes exactly the rest. */
static void test_short_submit(struct io_uring *ring)
{
	bool goes_on = ring->flags & IORING_SETUP_SUBMIT_ALL;
	struct io_uring_sqe *sqe;

	queue_nop(ring, 1);
	sqe = next_sqe(ring);
	sqe->opcode = BAD_OPCODE;
	io_uring_sqe_set_data64(sqe, 2);
	queue_nop(ring, 3);
	queue_nop(ring, 4);

	assert_int_equal(io_uring_submit(ring), goes_on ? 4 : 2);
	assert_int_equal(io_uring_sq_ready(ring), goes_on ? 0 : 2);
	assert_int_equal(wait_for_tag(ring, 1), 0);
	assert_int_equal(wait_for_tag(ring, 2), -EINVAL);
	if (!goes_on) {
		no_cqe(ring);
		queue_nop(ring, 5);
		assert_int_equal(io_uring_submit(ring), 3);
	}
	assert_int_equal(wait_for_tag(ring, 3), 0);
	assert_int_equal(wait_for_tag(ring, 4), 0);
	if (!goes_on)
		assert_int_equal(wait_for_tag(ring, 5), 0);
	no_cqe(ring);
}

/* A wait does not submit; get_events does not either. */
static void test_waits_do_not_submit(struct io_uring *ring)
{
	struct __kernel_timespec ts = ten_ms;
	struct io_uring_cqe *cqe;

	queue_nop(ring, 1);
	assert_int_equal(io_uring_peek_cqe(ring, &cqe), -EAGAIN);
	assert_int_equal(io_uring_wait_cqe_timeout(ring, &cqe, &ts), -ETIME);
	no_cqe(ring);
	assert_int_equal(io_uring_sq_ready(ring), 1);
	taken_ok(ring, io_uring_submit_and_get_events(ring), 1);
	assert_int_equal(wait_for_tag(ring, 1), 0);
}

/* Deferred task work comes in by a submit that has nothing to submit. */
static void test_submit_and_get_events(struct io_uring *ring)
{
	struct __kernel_timespec ts = ten_ms;

	io_uring_prep_timeout(next_sqe(ring), &ts, 0, 0);
	submit_ok(ring, 1);
	while (!io_uring_cq_ready(ring)) {
		sleep_ms(1);
		taken_ok(ring, io_uring_submit_and_get_events(ring), 0);
	}
	assert_int_equal(wait_one(ring, NULL), -ETIME);
}

/* With SQPOLL there is room after the wait; without, it returns at once. */
static void test_sqring_wait(struct io_uring *ring)
{
	unsigned lap, nr;

	assert_int_equal(io_uring_sqring_wait(ring), 0);
	for (lap = 0; lap < 20; lap++) {
		for (nr = 0; io_uring_sq_space_left(ring); nr++)
			queue_nop(ring, nr);
		if (!(ring->flags & SQPOLL)) {
			assert_int_equal(io_uring_sqring_wait(ring), 0);
			assert_int_equal(io_uring_sq_space_left(ring), 0);
			return;
		}
		assert_true(io_uring_submit(ring) > 0);
		/* Task work of the kernel's can end it early; it does not go on for ever. */
		do {
			assert_true(io_uring_sqring_wait(ring) >= 0);
		} while (!io_uring_sq_space_left(ring));
		while (nr--)
			assert_int_equal(wait_one(ring, NULL), 0);
	}
}

int main(void)
{
	static const struct ring_case cases[] = {
		{ "nothing to submit on", test_nothing, 0, 0 },
		{ "full ring of", test_full, 0, 0 },
		{ "submit_and_wait on", test_submit_and_wait, 0, 0 },
		{ "submit_and_wait for earlier ones on", test_wait_for_earlier, IOPOLL, 0 },
		{ "submit_and_wait_timeout on", test_submit_and_wait_timeout, 0, 0 },
		{ "nothing in time on", test_nothing_in_time, IOPOLL, 0 },
		{ "submit_and_wait_min_timeout on", test_min_timeout, IOPOLL, 0 },
		{ "short submit on", test_short_submit, SQPOLL, 0 },
		{ "waits do not submit on", test_waits_do_not_submit, 0, 0 },
		{ "submit_and_get_events on", test_submit_and_get_events, IOPOLL, 0 },
		{ "sqring_wait on", test_sqring_wait, 0, 0 },
	};

	return ring_run_cases("submit", cases, ARRAY_LEN(cases));
}
