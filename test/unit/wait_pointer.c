/* SPDX-License-Identifier: MIT */
/*
 * Every wait and every peek function, in every situation, from a poisoned
 * pointer: it is written on each return, and goes with the return value.
 */
#include "fake_test.h"

static struct __kernel_timespec ts = { .tv_nsec = 20 * MSEC };
static struct io_uring_reg_wait reg_args = {
	.ts = { .tv_nsec = 20 * MSEC },
	.flags = IORING_REG_WAIT_TS,
};

/* Each is called with one SQE queued or none. */
static int peek_ring_only(struct io_uring *ring, struct io_uring_cqe **cqe)
{
	int ret = __io_uring_peek_cqe(ring, cqe, NULL);

	return !ret && !*cqe ? -EAGAIN : ret;
}

static int peek_cqe(struct io_uring *ring, struct io_uring_cqe **cqe)
{
	return io_uring_peek_cqe(ring, cqe);
}

static int wait_cqe(struct io_uring *ring, struct io_uring_cqe **cqe)
{
	return io_uring_wait_cqe(ring, cqe);
}

static int wait_cqe_nr_0(struct io_uring *ring, struct io_uring_cqe **cqe)
{
	return io_uring_wait_cqe_nr(ring, cqe, 0);
}

static int wait_cqe_nr_2(struct io_uring *ring, struct io_uring_cqe **cqe)
{
	return io_uring_wait_cqe_nr(ring, cqe, 2);
}

static int wait_cqes_no_ts(struct io_uring *ring, struct io_uring_cqe **cqe)
{
	return io_uring_wait_cqes(ring, cqe, 1, NULL, NULL);
}

static int wait_cqes_0(struct io_uring *ring, struct io_uring_cqe **cqe)
{
	return io_uring_wait_cqes(ring, cqe, 0, &ts, NULL);
}

static int wait_cqes_2(struct io_uring *ring, struct io_uring_cqe **cqe)
{
	return io_uring_wait_cqes(ring, cqe, 2, &ts, NULL);
}

static int wait_cqe_timeout(struct io_uring *ring, struct io_uring_cqe **cqe)
{
	return io_uring_wait_cqe_timeout(ring, cqe, &ts);
}

static int wait_cqes_min_timeout(struct io_uring *ring, struct io_uring_cqe **cqe)
{
	return io_uring_wait_cqes_min_timeout(ring, cqe, 1, &ts, 10, NULL);
}

static int submit_and_wait_0(struct io_uring *ring, struct io_uring_cqe **cqe)
{
	return io_uring_submit_and_wait_timeout(ring, cqe, 0, &ts, NULL);
}

static int submit_and_wait_no_ts(struct io_uring *ring, struct io_uring_cqe **cqe)
{
	return io_uring_submit_and_wait_timeout(ring, cqe, 1, NULL, NULL);
}

static int submit_and_wait_timeout(struct io_uring *ring, struct io_uring_cqe **cqe)
{
	return io_uring_submit_and_wait_timeout(ring, cqe, 1, &ts, NULL);
}

static int submit_and_wait_min_timeout(struct io_uring *ring, struct io_uring_cqe **cqe)
{
	return io_uring_submit_and_wait_min_timeout(ring, cqe, 1, &ts, 10, NULL);
}

static int submit_and_wait_reg(struct io_uring *ring, struct io_uring_cqe **cqe)
{
	return io_uring_submit_and_wait_reg(ring, cqe, 1, 0);
}

static const struct {
	const char *name;
	int (*fn)(struct io_uring *ring, struct io_uring_cqe **cqe);
} functions[] = {
	{ "__io_uring_peek_cqe", peek_ring_only },
	{ "io_uring_peek_cqe", peek_cqe },
	{ "io_uring_wait_cqe", wait_cqe },
	{ "io_uring_wait_cqe_nr 0", wait_cqe_nr_0 },
	{ "io_uring_wait_cqe_nr 2", wait_cqe_nr_2 },
	{ "io_uring_wait_cqes without time", wait_cqes_no_ts },
	{ "io_uring_wait_cqes 0", wait_cqes_0 },
	{ "io_uring_wait_cqes 2", wait_cqes_2 },
	{ "io_uring_wait_cqe_timeout", wait_cqe_timeout },
	{ "io_uring_wait_cqes_min_timeout", wait_cqes_min_timeout },
	{ "io_uring_submit_and_wait_timeout 0", submit_and_wait_0 },
	{ "io_uring_submit_and_wait_timeout without time", submit_and_wait_no_ts },
	{ "io_uring_submit_and_wait_timeout", submit_and_wait_timeout },
	{ "io_uring_submit_and_wait_min_timeout", submit_and_wait_min_timeout },
	{ "io_uring_submit_and_wait_reg", submit_and_wait_reg },
};

static void post_one(struct fake_ring *ring)
{
	fake_post(ring, 100, 0, 0);
}

static void post_filler(struct fake_ring *ring)
{
	fake_post_skip(ring);
}

/* What the first enter does, and what the second, if there is one. */
static const struct {
	const char *name;
	struct fake_step steps[2];
} situations[] = {
	{ "a CQE comes", { { .then = post_one, .early = true } } },
	{ "a signal, nothing there", { { .wait_err = EINTR }, { .wait_err = EINTR } } },
	{ "a signal with a CQE", { { .then = post_one, .wait_err = EINTR } } },
	{ "the time is up", { { .wait_err = ETIME }, { .wait_err = ETIME } } },
	{ "the enter fails with EINTR", { { .err = EINTR }, { .err = EINTR } } },
	{ "the enter fails with EAGAIN", { { .err = EAGAIN }, { .err = EAGAIN } } },
	{ "the enter fails with EBUSY", { { .err = EBUSY }, { .err = EBUSY } } },
	{ "the enter fails with ETIME", { { .err = ETIME }, { .err = ETIME } } },
	{ "the enter fails with EBADR", { { .err = EBADR }, { .err = EBADR } } },
	{ "none taken, then a failure", {
		{ .leave = FAKE_ALL, .early = true }, { .err = EBUSY } } },
	{ "none taken, then a CQE", {
		{ .leave = FAKE_ALL, .early = true }, { .then = post_one, .early = true } } },
	{ "only a filler, then a failure", {
		{ .then = post_filler, .early = true }, { .err = EBADR } } },
	{ "only a filler, then a CQE", {
		{ .then = post_filler, .early = true }, { .then = post_one } } },
};

/* What makes the ring one or the other. */
enum {
	QUEUED = 1,		/* one SQE of the program's waits in the SQ */
	READY = 2,		/* one CQE is there */
	STALE = 4,		/* before it, a CQE that is none of the program's */
	OVERFLOWN = 8,		/* the kernel says that it holds CQEs back */
	FULL = 16,		/* the SQ is full */
	NR_SHAPES = 32
};

static void shape_ring(struct io_uring *ring, unsigned shape)
{
	bool hidden = !(ring->features & IORING_FEAT_EXT_ARG);

	if (shape & QUEUED)
		queue_nops(ring, 1, 7);
	if (shape & FULL)
		queue_nops(ring, io_uring_sq_space_left(ring), 8);
	if ((shape & STALE) && hidden)
		fake_post(fake.ring, LIBURING_UDATA_TIMEOUT, -ETIME, 0);
	if ((shape & STALE) && !hidden)
		fake_post_skip(fake.ring);
	if (shape & READY)
		fake_post(fake.ring, 99, 0, 0);
	if (shape & OVERFLOWN)
		*fake.ring->sq_flags |= IORING_SQ_CQ_OVERFLOW;
}

static void check_call(unsigned fn, unsigned situation, unsigned shape, unsigned features)
{
	struct io_uring_cqe *cqe = POISON, *oldest;
	struct io_uring ring;
	bool ok;
	int ret;

	fake_boot();
	fake.due_ns = FAKE_NEVER;
	fake.features = features;
	assert_int_equal(io_uring_queue_init(4, &ring, IORING_SETUP_CQE_MIXED), 0);
	fake.ring->wait_args = &reg_args;
	fake.ring->wait_args_sz = sizeof(reg_args);
	shape_ring(&ring, shape);
	fake_next_enter(situations[situation].steps[0]);
	fake_next_enter(situations[situation].steps[1]);
	/* Whatever else it does, it is over some time. */
	fake_next_enter((struct fake_step){ .err = ECANCELED });
	fake_next_enter((struct fake_step){ .err = ECANCELED });

	ret = functions[fn].fn(&ring, &cqe);

	ok = cqe != POISON;
	if (ok && cqe) {
		__io_uring_peek_cqe(&ring, &oldest, NULL);
		ok = ret >= 0 && cqe == oldest &&
		     (cqe->user_data == 99 || cqe->user_data == 100);
	} else if (ok) {
		/* Without a CQE: an error, or the number that was submitted. */
		ok = ret < 0 || (ret > 0 && (unsigned)ret <= fake.ring->nr_taken);
	}
	io_uring_queue_exit(&ring);
	if (!ok || fake.nr_wrong)
		fail_msg("%s, %s, shape %#x, features %#x: returned %d and %p",
			 functions[fn].name, situations[situation].name, shape, features, ret,
			 (void *)cqe);
}

static void the_pointer_is_always_written(void **state)
{
	unsigned all, fn, situation, shape;

	fake_boot();
	all = fake.features;
	for (fn = 0; fn < ARRAY_LEN(functions); fn++) {
		for (situation = 0; situation < ARRAY_LEN(situations); situation++) {
			for (shape = 0; shape < NR_SHAPES; shape++) {
				check_call(fn, situation, shape, all);
				check_call(fn, situation, shape, all & ~IORING_FEAT_EXT_ARG);
			}
		}
	}
	fake_boot();
}

/* The batch writes as many pointers as it says, and no more. */
static void a_batch_writes_what_it_returns(void **state)
{
	struct io_uring_cqe *cqes[6];
	struct io_uring ring;
	unsigned i, nr_there, count, n;

	for (nr_there = 0; nr_there <= 4; nr_there++) {
		init_ring(&ring, 2, 0);
		for (i = 0; i < nr_there; i++)
			fake_post(fake.ring, i, 0, 0);
		for (count = 0; count <= 6; count++) {
			for (i = 0; i < 6; i++)
				cqes[i] = POISON;
			n = io_uring_peek_batch_cqe(&ring, cqes, count);
			assert_int_equal(n, count < nr_there ? count : nr_there);
			for (i = 0; i < n; i++)
				assert_int_equal(cqes[i]->user_data, i);
			for (; i < 6; i++)
				assert_ptr_equal(cqes[i], POISON);
		}
		assert_int_equal(nr_enters(), 0);
		io_uring_queue_exit(&ring);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FAKE_TEST(the_pointer_is_always_written),
		FAKE_TEST(a_batch_writes_what_it_returns),
	};

	return RUN_FAKE_TESTS(tests);
}
