/* SPDX-License-Identifier: MIT */
/*
 * An error of the enter ends every wait at once, with the CQE pointer NULL and
 * nothing lost; -ETIME is kept for when no CQE is there.
 */
#include "fake_test.h"

/* All functions that wait, on a kernel that has everything. */
enum wait_fn {
	WAIT_CQE,
	WAIT_CQE_NR,
	WAIT_CQES_NO_TS,
	WAIT_CQES,
	WAIT_CQE_TIMEOUT,
	WAIT_CQES_MIN_TIMEOUT,
	SUBMIT_AND_WAIT_NO_TS,
	SUBMIT_AND_WAIT_TIMEOUT,
	SUBMIT_AND_WAIT_MIN_TIMEOUT,
	SUBMIT_AND_WAIT_REG,
	NR_WAIT_FNS
};

static struct __kernel_timespec ts = { .tv_sec = 2 };
static struct io_uring_reg_wait reg_args = {
	.ts = { .tv_sec = 2 },
	.flags = IORING_REG_WAIT_TS,
};

static int call_wait(enum wait_fn fn, struct io_uring *ring, struct io_uring_cqe **cqe)
{
	switch (fn) {
	case WAIT_CQE:
		return io_uring_wait_cqe(ring, cqe);
	case WAIT_CQE_NR:
		return io_uring_wait_cqe_nr(ring, cqe, 2);
	case WAIT_CQES_NO_TS:
		return io_uring_wait_cqes(ring, cqe, 2, NULL, NULL);
	case WAIT_CQES:
		return io_uring_wait_cqes(ring, cqe, 2, &ts, NULL);
	case WAIT_CQE_TIMEOUT:
		return io_uring_wait_cqe_timeout(ring, cqe, &ts);
	case WAIT_CQES_MIN_TIMEOUT:
		return io_uring_wait_cqes_min_timeout(ring, cqe, 2, &ts, 10, NULL);
	case SUBMIT_AND_WAIT_NO_TS:
		return io_uring_submit_and_wait_timeout(ring, cqe, 2, NULL, NULL);
	case SUBMIT_AND_WAIT_TIMEOUT:
		return io_uring_submit_and_wait_timeout(ring, cqe, 2, &ts, NULL);
	case SUBMIT_AND_WAIT_MIN_TIMEOUT:
		return io_uring_submit_and_wait_min_timeout(ring, cqe, 2, &ts, 10, NULL);
	case SUBMIT_AND_WAIT_REG:
		return io_uring_submit_and_wait_reg(ring, cqe, 2, 0);
	default:
		fail();
		return 0;
	}
}

static void init_wait_ring(struct io_uring *ring)
{
	init_ring(ring, 8, 0);
	fake.ring->wait_args = &reg_args;
	fake.ring->wait_args_sz = sizeof(reg_args);
}

/* The enter fails: nothing was submitted, and nothing else is tried. */
static void check_error(int err)
{
	struct io_uring_cqe *cqe;
	struct io_uring ring;
	enum wait_fn fn;

	init_wait_ring(&ring);
	fake.due_ns = FAKE_AT_SUBMIT;
	for (fn = 0; fn < NR_WAIT_FNS; fn++) {
		cqe = POISON;
		fake_forget();
		queue_nops(&ring, 3, 7);
		fake_next_enter((struct fake_step){ .err = err });
		assert_int_equal(call_wait(fn, &ring, &cqe), -err);
		assert_null(cqe);
		assert_int_equal(nr_enters(), 1);

		/* What was queued still is, and goes in order. */
		assert_int_equal(io_uring_sq_ready(&ring), 3);
		assert_int_equal(io_uring_submit(&ring), 3);
		reap_one(&ring, 7, 0);
		reap_one(&ring, 8, 0);
		reap_one(&ring, 9, 0);
	}
	io_uring_queue_exit(&ring);
}

static void eintr_ends_it_at_once(void **state)
{
	check_error(EINTR);
}

static void ebusy_ends_it_at_once(void **state)
{
	check_error(EBUSY);
}

static void eagain_ends_it_at_once(void **state)
{
	check_error(EAGAIN);
}

static void etime_ends_it_at_once(void **state)
{
	check_error(ETIME);
}

static void ebadr_ends_it_at_once(void **state)
{
	check_error(EBADR);
}

static void ebadfd_ends_it_at_once(void **state)
{
	check_error(EBADFD);
}

static void eexist_ends_it_at_once(void **state)
{
	check_error(EEXIST);
}

/* A signal in a wait that submits nothing. */
static void interrupted_in_a_wait(void **state)
{
	struct io_uring_cqe *cqe;
	struct io_uring ring;
	enum wait_fn fn;

	init_wait_ring(&ring);
	for (fn = 0; fn < NR_WAIT_FNS; fn++) {
		cqe = POISON;
		fake_forget();
		fake_next_enter((struct fake_step){ .wait_err = EINTR });
		assert_int_equal(call_wait(fn, &ring, &cqe), -EINTR);
		assert_null(cqe);
		assert_int_equal(nr_enters(), 1);
	}
	io_uring_queue_exit(&ring);
}

/* Fewer than were waited for, then a signal: they are the result. */
static void post_one(struct fake_ring *ring)
{
	fake_post(ring, 100, 1, 0);
}

static void interrupted_with_a_cqe_there(void **state)
{
	struct io_uring_cqe *cqe;
	struct io_uring ring;
	enum wait_fn fn;

	init_wait_ring(&ring);
	for (fn = 0; fn < NR_WAIT_FNS; fn++) {
		cqe = POISON;
		fake_forget();
		fake_next_enter((struct fake_step){ .then = post_one, .wait_err = EINTR });
		assert_int_equal(call_wait(fn, &ring, &cqe), 0);
		assert_non_null(cqe);
		assert_int_equal(cqe->user_data, 100);
		io_uring_cqe_seen(&ring, cqe);
		assert_int_equal(nr_enters(), 1);
	}
	io_uring_queue_exit(&ring);
}

/* Every function of the loop, with every outcome: the pointer was written. */
static void a_failed_enter_hides_what_is_there(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_ring(&ring, 8, 0);
	fake_post(fake.ring, 1, 0, 0);
	fake_next_enter((struct fake_step){ .err = EBADR });
	assert_int_equal(io_uring_wait_cqe_nr(&ring, &cqe, 2), -EBADR);
	assert_null(cqe);
	reap_one(&ring, 1, 0);
	io_uring_queue_exit(&ring);
}

/* Too few came in time, but some: no error. */
static void the_time_is_up_with_a_cqe_there(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_ring(&ring, 8, 0);
	fake_post(fake.ring, 1, 0, 0);
	fake_next_enter((struct fake_step){ .err = ETIME });
	assert_int_equal(io_uring_wait_cqes(&ring, &cqe, 2, &ts, NULL), 0);
	assert_int_equal(cqe->user_data, 1);
	io_uring_queue_exit(&ring);
}

static void a_disabled_ring(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_ring(&ring, 8, IORING_SETUP_R_DISABLED);
	queue_nops(&ring, 1, 7);
	assert_int_equal(io_uring_submit(&ring), -EBADFD);
	assert_int_equal(io_uring_wait_cqe(&ring, &cqe), -EBADFD);
	assert_null(cqe);
	assert_int_equal(io_uring_enable_rings(&ring), 0);
	assert_int_equal(io_uring_submit(&ring), 1);
	assert_int_equal(io_uring_enable_rings(&ring), -EBADFD);
	io_uring_queue_exit(&ring);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FAKE_TEST(eintr_ends_it_at_once),
		FAKE_TEST(ebusy_ends_it_at_once),
		FAKE_TEST(eagain_ends_it_at_once),
		FAKE_TEST(etime_ends_it_at_once),
		FAKE_TEST(ebadr_ends_it_at_once),
		FAKE_TEST(ebadfd_ends_it_at_once),
		FAKE_TEST(eexist_ends_it_at_once),
		FAKE_TEST(interrupted_in_a_wait),
		FAKE_TEST(interrupted_with_a_cqe_there),
		FAKE_TEST(a_failed_enter_hides_what_is_there),
		FAKE_TEST(the_time_is_up_with_a_cqe_there),
		FAKE_TEST(a_disabled_ring),
	};

	return RUN_FAKE_TESTS(tests);
}
