/* SPDX-License-Identifier: MIT */
/*
 * Waiting for CQEs, peeking at them and walking over them, on rings of every
 * kind: what comes back, in which order, and that nothing is lost or submitted
 * on the way.
 */
#include "test.h"

#include "ring.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define IOPOLL IORING_SETUP_IOPOLL
#define POISON ((struct io_uring_cqe *)0x5a5a5a5a)

static struct __kernel_timespec ms(unsigned n)
{
	struct __kernel_timespec ts = { n / 1000, (n % 1000) * 1000000LL };

	return ts;
}

/* nops 1 to nr have completed. */
static void complete_nops(struct io_uring *ring, unsigned nr)
{
	struct io_uring_cqe *cqe;
	unsigned i;

	for (i = 1; i <= nr; i++)
		queue_nop(ring, i);
	submit_ok(ring, nr);
	assert_int_equal(io_uring_wait_cqe_nr(ring, &cqe, nr), 0);
	assert_int_equal(io_uring_cq_ready(ring), nr);
}

/* A request that completes, with -ETIME, some time after the submit. */
static void start_timeout(struct io_uring *ring, const struct __kernel_timespec *ts, __u64 tag)
{
	struct io_uring_sqe *sqe = next_sqe(ring);

	io_uring_prep_timeout(sqe, ts, 0, 0);
	io_uring_sqe_set_data64(sqe, tag);
	submit_ok(ring, 1);
}

static void test_empty(struct io_uring *ring)
{
	struct io_uring_cqe *cqes[4];
	struct io_uring_cqe *cqe = POISON;

	assert_int_equal(io_uring_peek_cqe(ring, &cqe), -EAGAIN);
	assert_null(cqe);
	cqe = POISON;
	assert_int_equal(io_uring_wait_cqe_nr(ring, &cqe, 0), -EAGAIN);
	assert_null(cqe);
	cqe = POISON;
	assert_int_equal(__io_uring_get_cqe(ring, &cqe, 0, 0, NULL), -EAGAIN);
	assert_null(cqe);
	assert_int_equal(io_uring_peek_batch_cqe(ring, cqes, 4), 0);
	assert_int_equal(io_uring_cq_ready(ring), 0);
	assert_int_equal(io_uring_get_events(ring), 0);
	io_uring_cqe_seen(ring, NULL);
	io_uring_cq_advance(ring, 0);
	assert_int_equal(io_uring_cq_ready(ring), 0);
}

static void test_wait_cqe(struct io_uring *ring)
{
	struct io_uring_cqe *cqe = POISON, *again = POISON;

	complete_nops(ring, 2);
	assert_int_equal(io_uring_wait_cqe(ring, &cqe), 0);
	assert_true(cqe->user_data == 1);
	/* A wait consumes nothing. */
	assert_int_equal(io_uring_wait_cqe(ring, &again), 0);
	assert_ptr_equal(again, cqe);
	assert_int_equal(io_uring_peek_cqe(ring, &again), 0);
	assert_ptr_equal(again, cqe);
	io_uring_cqe_seen(ring, cqe);
	assert_int_equal(io_uring_cq_ready(ring), 1);
	assert_int_equal(io_uring_wait_cqe(ring, &cqe), 0);
	assert_true(cqe->user_data == 2);
	io_uring_cqe_seen(ring, cqe);
	no_cqe(ring);
}

/*
 * A read that ends so much later. (A timeout request would end any wait, however
 * many CQEs it is for.) The ring's cases read one timer at a time into it.
 */
static __u64 timer_count[2];

static int start_timer_read(struct io_uring *ring, unsigned ms_away, __u64 tag)
{
	struct io_uring_sqe *sqe = next_sqe(ring);
	int fd = timer_in_ms(ms_away);

	io_uring_prep_read(sqe, fd, &timer_count[tag % 2], sizeof(timer_count[0]), 0);
	io_uring_sqe_set_data64(sqe, tag);
	submit_ok(ring, 1);
	return fd;
}

static void test_wait_blocks(struct io_uring *ring)
{
	struct io_uring_cqe *cqe = POISON, copy;
	unsigned long long start = now_ms();
	unsigned i, sum_tags = 0;
	int fds[2], res;

	fds[0] = start_timer_read(ring, 20, 1);
	assert_int_equal(io_uring_wait_cqe(ring, &cqe), 0);
	assert_true(cqe->user_data == 1);
	assert_int_equal(cqe->res, sizeof(timer_count[0]));
	assert_true(now_ms() - start >= 20);
	io_uring_cqe_seen(ring, cqe);
	close(fds[0]);

	start = now_ms();
	fds[0] = start_timer_read(ring, 40, 3);
	fds[1] = start_timer_read(ring, 20, 2);
	queue_nop(ring, 1);
	submit_ok(ring, 1);
	assert_int_equal(io_uring_wait_cqe_nr(ring, &cqe, 3), 0);
	assert_int_equal(io_uring_cq_ready(ring), 3);
	assert_true(now_ms() - start >= 40);
	for (i = 0; i < 3; i++) {
		res = wait_one(ring, &copy);
		assert_int_equal(res, copy.user_data == 1 ? 0 : sizeof(timer_count[0]));
		sum_tags += copy.user_data;
	}
	assert_int_equal(sum_tags, 1 + 2 + 3);
	close(fds[0]);
	close(fds[1]);
}

/* The time is up: nothing comes back, and what is queued stays so. */
static void test_wait_times_out(struct io_uring *ring)
{
	struct __kernel_timespec brief = ms(10);
	unsigned long long start = now_ms();
	struct io_uring_cqe *cqe = POISON;

	queue_nop(ring, 7);
	assert_int_equal(io_uring_wait_cqes(ring, &cqe, 1, &brief, NULL), -ETIME);
	assert_null(cqe);
	assert_true(now_ms() - start >= 10);
	cqe = POISON;
	assert_int_equal(io_uring_wait_cqe_timeout(ring, &cqe, &brief), -ETIME);
	assert_null(cqe);
	assert_true(now_ms() - start >= 20);
	assert_int_equal(io_uring_sq_ready(ring), 1);
	submit_ok(ring, 1);
	assert_int_equal(wait_for_tag(ring, 7), 0);
	no_cqe(ring);
}

/* Fewer than asked for when the time is up: the first of them. */
static void test_wait_gets_fewer(struct io_uring *ring)
{
	struct __kernel_timespec brief = ms(10);
	unsigned long long start = now_ms();
	struct io_uring_cqe *cqe = POISON;

	complete_nops(ring, 2);
	assert_int_equal(io_uring_wait_cqes(ring, &cqe, 3, &brief, NULL), 0);
	assert_true(cqe->user_data == 1);
	/* With a CQE there an IOPOLL ring is not polled for more. */
	assert_true((ring->flags & IOPOLL) || now_ms() - start >= 10);
	assert_int_equal(io_uring_cq_ready(ring), 2);
}

/* The CQE comes long before the time is up: the time limit of the test sees it. */
static void test_wait_satisfied(struct io_uring *ring)
{
	struct __kernel_timespec hour = { .tv_sec = 3600 };
	struct io_uring_cqe *cqe = POISON;
	int fds[2];

	fds[0] = start_timer_read(ring, 5, 4);
	assert_int_equal(io_uring_wait_cqe_timeout(ring, &cqe, &hour), 0);
	assert_true(cqe->user_data == 4);
	io_uring_cqe_seen(ring, cqe);
	close(fds[0]);
	fds[0] = start_timer_read(ring, 5, 5);
	fds[1] = start_timer_read(ring, 10, 6);
	assert_int_equal(io_uring_wait_cqes(ring, &cqe, 2, &hour, NULL), 0);
	assert_int_equal(wait_one(ring, NULL), sizeof(timer_count[0]));
	assert_int_equal(wait_one(ring, NULL), sizeof(timer_count[0]));
	close(fds[0]);
	close(fds[1]);
}

/* After the minimum one CQE is enough; before, all that were asked for. */
static void test_min_timeout(struct io_uring *ring)
{
	struct __kernel_timespec hour = { .tv_sec = 3600 }, brief = ms(10);
	unsigned long long start = now_ms();
	struct io_uring_cqe *cqe = POISON;
	int ret;

	ret = io_uring_wait_cqes_min_timeout(ring, &cqe, 1, &brief, 5000, NULL);
	assert_null(cqe);
	if (!(ring->features & IORING_FEAT_MIN_TIMEOUT)) {
		assert_int_equal(ret, -EINVAL);
		skip_because("the kernel's features have no MIN_TIMEOUT");
	}
	assert_int_equal(ret, -ETIME);
	assert_true(now_ms() - start >= 10);

	complete_nops(ring, 1);
	start = now_ms();
	cqe = POISON;
	assert_int_equal(io_uring_wait_cqes_min_timeout(ring, &cqe, 2, &hour, 20000, NULL), 0);
	assert_true(cqe->user_data == 1);
	assert_true(now_ms() - start >= 20);
	assert_int_equal(io_uring_cq_ready(ring), 1);
}

static void test_peek_batch(struct io_uring *ring)
{
	struct io_uring_cqe *cqes[8];
	unsigned lap, i;

	for (lap = 0; lap < 5; lap++) {
		complete_nops(ring, 7);
		assert_int_equal(io_uring_peek_batch_cqe(ring, cqes, 0), 0);
		memset(cqes, 0, sizeof(cqes));
		assert_int_equal(io_uring_peek_batch_cqe(ring, cqes, 3), 3);
		assert_null(cqes[3]);
		for (i = 0; i < 3; i++)
			assert_true(cqes[i]->user_data == i + 1);
		assert_int_equal(io_uring_cq_ready(ring), 7);
		io_uring_cq_advance(ring, 3);

		memset(cqes, 0, sizeof(cqes));
		assert_int_equal(io_uring_peek_batch_cqe(ring, cqes, 8), 4);
		assert_null(cqes[4]);
		for (i = 0; i < 4; i++)
			assert_true(cqes[i]->user_data == i + 4);
		io_uring_cq_advance(ring, 4);
		assert_int_equal(io_uring_peek_batch_cqe(ring, cqes, 8), 0);
	}
}

static void test_for_each(struct io_uring *ring)
{
	struct io_uring_cqe *cqe, *inner;
	unsigned lap, head, inner_head, nr, nr_inner;

	for (lap = 0; lap < 5; lap++) {
		complete_nops(ring, 7);
		nr = nr_inner = 0;
		io_uring_for_each_cqe(ring, head, cqe) {
			assert_int_equal(head, *ring->cq.khead + nr);
			nr++;
			assert_true(cqe->user_data == nr);
			io_uring_for_each_cqe(ring, inner_head, inner)
				nr_inner += inner->user_data == inner_head - *ring->cq.khead + 1;
		}
		assert_int_equal(nr, 7);
		assert_int_equal(nr_inner, 49);
		assert_int_equal(io_uring_cq_ready(ring), 7);

		/* Left early, what was walked over can be released. */
		nr = 0;
		io_uring_for_each_cqe(ring, head, cqe) {
			if (cqe->user_data == 5)
				break;
			nr++;
		}
		assert_int_equal(nr, 4);
		io_uring_cq_advance(ring, nr);
		assert_int_equal(wait_for_tag(ring, 5), 0);
		io_uring_cq_advance(ring, 2);
		io_uring_for_each_cqe(ring, head, cqe)
			fail_msg("an empty ring has a CQE");
		no_cqe(ring);
	}
}

/* Peeking alone finds what completes later, where the kernel says that it did. */
static void test_peek_finds(struct io_uring *ring)
{
	const unsigned deferred = IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_TASKRUN_FLAG;
	struct __kernel_timespec soon = ms(5);
	struct io_uring_cqe *cqe = POISON;
	int ret;

	start_timeout(ring, &soon, 8);
	/* Without the flag nothing in the ring's memory tells; then an enter has to. */
	while ((ret = io_uring_peek_cqe(ring, &cqe)) == -EAGAIN) {
		assert_null(cqe);
		sleep_ms(1);
		if ((ring->flags & deferred) == IORING_SETUP_DEFER_TASKRUN)
			assert_int_equal(io_uring_get_events(ring), 0);
	}
	assert_int_equal(ret, 0);
	assert_true(cqe->user_data == 8);
	assert_int_equal(cqe->res, -ETIME);
	io_uring_cqe_seen(ring, cqe);

	start_timeout(ring, &soon, 9);
	while (!io_uring_peek_batch_cqe(ring, &cqe, 1)) {
		sleep_ms(1);
		if ((ring->flags & deferred) == IORING_SETUP_DEFER_TASKRUN)
			assert_int_equal(io_uring_get_events(ring), 0);
	}
	assert_true(cqe->user_data == 9);
}

int main(void)
{
	static const struct ring_case cases[] = {
		{ "empty ring:", test_empty, 0, 0 },
		{ "wait on", test_wait_cqe, 0, 0 },
		{ "blocking wait on", test_wait_blocks, IOPOLL, 0 },
		{ "wait that times out on", test_wait_times_out, 0, 0 },
		{ "wait that gets fewer on", test_wait_gets_fewer, 0, 0 },
		{ "satisfied wait on", test_wait_satisfied, IOPOLL, 0 },
		{ "minimum wait on", test_min_timeout, IOPOLL, 0 },
		{ "batch peek on", test_peek_batch, 0, 0 },
		{ "walk on", test_for_each, 0, 0 },
		{ "peek that flushes on", test_peek_finds, IOPOLL, 0 },
	};

	return ring_run_cases("wait", cases, ARRAY_LEN(cases));
}
