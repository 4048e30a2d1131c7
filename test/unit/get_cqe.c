/* SPDX-License-Identifier: MIT */
/*
 * The rule of the get-CQE loop: one enter carries the submit count and the wait,
 * and what happens at its edges. Each test has the name of a line of the rule.
 */
#include "fake_test.h"

#define GETEVENTS IORING_ENTER_GETEVENTS

static void post_one(struct fake_ring *ring)
{
	fake_post(ring, 100, 1, 0);
}

static void post_two(struct fake_ring *ring)
{
	fake_post(ring, 100, 1, 0);
	fake_post(ring, 101, 1, 0);
}

static void post_filler(struct fake_ring *ring)
{
	fake_post_skip(ring);
}

static void post_fillers_and_one(struct fake_ring *ring)
{
	fake_post_skip(ring);
	fake_post_skip(ring);
	fake_post(ring, 100, 1, 0);
}

/* Publishes what was queued, as the functions above __io_uring_get_cqe do. */
static unsigned publish(struct io_uring *ring)
{
	unsigned nr = io_uring_sq_ready(ring);

	ring->sq.sqe_head = ring->sq.sqe_tail;
	io_uring_smp_store_release(ring->sq.ktail, ring->sq.sqe_tail);
	return nr;
}

static void one_enter_submits_and_waits(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_ring(&ring, 8, 0);
	queue_nops(&ring, 1, 7);
	assert_int_equal(__io_uring_get_cqe(&ring, &cqe, publish(&ring), 1, NULL), 1);
	assert_int_equal(cqe->user_data, 7);
	assert_int_equal(nr_enters(), 1);
	assert_enter(0, 1, 1, GETEVENTS);
	io_uring_queue_exit(&ring);
}

static void a_plain_wait_is_one_enter(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_ring(&ring, 8, 0);
	queue_nops(&ring, 1, 7);
	assert_int_equal(io_uring_submit(&ring), 1);
	assert_int_equal(io_uring_wait_cqe(&ring, &cqe), 0);
	assert_int_equal(cqe->user_data, 7);
	assert_int_equal(nr_enters(), 2);
	assert_enter(0, 1, 0, 0);
	assert_enter(1, 0, 1, GETEVENTS);
	io_uring_queue_exit(&ring);
}

/* It is there already: no enter. */
static void what_is_there_needs_no_enter(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_ring(&ring, 8, 0);
	fake_post(fake.ring, 1, 0, 0);
	fake_post(fake.ring, 2, 0, 0);
	assert_int_equal(io_uring_wait_cqe(&ring, &cqe), 0);
	assert_int_equal(cqe->user_data, 1);
	assert_int_equal(io_uring_wait_cqe_nr(&ring, &cqe, 2), 0);
	assert_int_equal(cqe->user_data, 1);
	assert_int_equal(nr_enters(), 0);
	io_uring_queue_exit(&ring);
}

/* The enter waited for three; that it came back with two is not asked again. */
static void a_wait_is_honoured_once(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_ring(&ring, 8, 0);
	fake_next_enter((struct fake_step){ .then = post_two, .early = true });
	assert_int_equal(io_uring_wait_cqe_nr(&ring, &cqe, 3), 0);
	assert_int_equal(cqe->user_data, 100);
	assert_int_equal(nr_enters(), 1);
	assert_enter(0, 0, 3, GETEVENTS);
	io_uring_queue_exit(&ring);
}

/* A wait_nr is absolute: what is in the ring counts, and stays unless released. */
static void a_wait_for_more_than_is_there_enters(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_ring(&ring, 8, 0);
	fake_post(fake.ring, 1, 0, 0);
	queue_nops(&ring, 1, 7);
	assert_int_equal(io_uring_submit_and_wait(&ring, 2), 1);
	assert_enter(0, 1, 2, GETEVENTS);
	assert_int_equal(io_uring_wait_cqe_nr(&ring, &cqe, 2), 0);
	assert_int_equal(cqe->user_data, 1);
	assert_int_equal(nr_enters(), 1);
	io_uring_queue_exit(&ring);
}

static void taken_in_part_the_wait_still_stands(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_ring(&ring, 8, 0);
	queue_nops(&ring, 3, 7);
	fake_next_enter((struct fake_step){ .leave = 2 });
	assert_int_equal(__io_uring_get_cqe(&ring, &cqe, publish(&ring), 3, NULL), 3);
	assert_int_equal(cqe->user_data, 7);
	assert_int_equal(io_uring_cq_ready(&ring), 3);
	assert_int_equal(nr_enters(), 2);
	assert_enter(0, 3, 3, GETEVENTS);
	assert_enter(1, 2, 3, GETEVENTS);
	io_uring_queue_exit(&ring);
}

/* By then there is enough: the rest is submitted, and nothing waited for. */
static void taken_in_part_the_rest_is_passed_too(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_ring(&ring, 8, 0);
	fake.due_ns = FAKE_NEVER;
	queue_nops(&ring, 3, 7);
	fake_next_enter((struct fake_step){ .leave = 1, .then = post_one });
	assert_int_equal(__io_uring_get_cqe(&ring, &cqe, publish(&ring), 1, NULL), 3);
	assert_int_equal(cqe->user_data, 100);
	assert_int_equal(nr_enters(), 2);
	assert_enter(0, 3, 1, GETEVENTS);
	assert_enter(1, 1, 1, 0);
	io_uring_queue_exit(&ring);
}

/* The enter found nothing published: the wait it did not make is made up for. */
static void with_none_taken_the_wait_still_stands(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_ring(&ring, 8, 0);
	queue_nops(&ring, 1, 7);
	assert_int_equal(io_uring_submit(&ring), 1);
	fake_forget();
	assert_int_equal(__io_uring_get_cqe(&ring, &cqe, 2, 1, NULL), 0);
	assert_int_equal(cqe->user_data, 7);
	assert_int_equal(nr_enters(), 2);
	assert_enter(0, 2, 1, GETEVENTS);
	assert_enter(1, 0, 1, GETEVENTS);
	io_uring_queue_exit(&ring);
}

static void an_error_after_a_part_was_taken_ends_it(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_ring(&ring, 8, 0);
	queue_nops(&ring, 3, 7);
	fake_next_enter((struct fake_step){ .leave = 2 });
	fake_next_enter((struct fake_step){ .err = EAGAIN });
	assert_int_equal(__io_uring_get_cqe(&ring, &cqe, publish(&ring), 1, NULL), 1);
	assert_null(cqe);
	assert_int_equal(nr_enters(), 2);
	assert_int_equal(io_uring_sq_ready(&ring), 2);
	io_uring_queue_exit(&ring);
}

/* One signal ends it: the count, and no CQE. */
static void interrupted_after_a_submission(void **state)
{
	struct __kernel_timespec ts = { .tv_sec = 1 };
	struct io_uring_reg_wait args = { .flags = 0 };
	struct io_uring_cqe *cqe;
	struct io_uring ring;
	unsigned way;
	int ret = 0;

	init_ring(&ring, 8, 0);
	fake.due_ns = FAKE_NEVER;
	fake.ring->wait_args = &args;
	fake.ring->wait_args_sz = sizeof(args);
	for (way = 0; way < 6; way++) {
		cqe = POISON;
		fake_forget();
		queue_nops(&ring, 2, 7);
		fake_next_enter((struct fake_step){ .wait_err = EINTR });
		if (way == 0)
			ret = __io_uring_get_cqe(&ring, &cqe, publish(&ring), 1, NULL);
		if (way == 1)
			ret = io_uring_submit_and_wait_timeout(&ring, &cqe, 1, NULL, NULL);
		if (way == 2)
			ret = io_uring_submit_and_wait_timeout(&ring, &cqe, 1, &ts, NULL);
		if (way == 3)
			ret = io_uring_submit_and_wait_min_timeout(&ring, &cqe, 1, &ts, 1, NULL);
		if (way == 4)
			ret = io_uring_submit_and_wait_min_timeout(&ring, &cqe, 1, NULL, 1, NULL);
		if (way == 5)
			ret = io_uring_submit_and_wait_reg(&ring, &cqe, 1, 0);
		assert_int_equal(ret, 2);
		assert_null(cqe);
		assert_int_equal(nr_enters(), 1);
	}
	io_uring_queue_exit(&ring);
}

static void interrupted_with_the_rest(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_ring(&ring, 8, 0);
	fake.due_ns = FAKE_NEVER;
	queue_nops(&ring, 3, 7);
	fake_next_enter((struct fake_step){ .leave = 1 });
	fake_next_enter((struct fake_step){ .wait_err = EINTR });
	assert_int_equal(__io_uring_get_cqe(&ring, &cqe, publish(&ring), 1, NULL), 3);
	assert_null(cqe);
	assert_int_equal(nr_enters(), 2);
	io_uring_queue_exit(&ring);
}

/* Blocking must not turn into -EAGAIN: it waits on, for one. */
static void only_internal_cqes_there(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_ring(&ring, 8, IORING_SETUP_CQE_MIXED);
	queue_nops(&ring, 1, 7);
	assert_int_equal(io_uring_submit(&ring), 1);
	fake_forget();
	fake_next_enter((struct fake_step){ .then = post_filler, .early = true });
	fake_next_enter((struct fake_step){ .then = post_filler, .early = true });
	assert_int_equal(io_uring_wait_cqe_nr(&ring, &cqe, 3), 0);
	assert_int_equal(cqe->user_data, 7);
	assert_int_equal(nr_enters(), 3);
	assert_enter(0, 0, 3, GETEVENTS);
	assert_enter(1, 0, 1, GETEVENTS);
	assert_enter(2, 0, 1, GETEVENTS);
	io_uring_queue_exit(&ring);
}

static void internal_cqes_before_the_programs(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_ring(&ring, 8, IORING_SETUP_CQE_MIXED);
	fake_next_enter((struct fake_step){ .then = post_fillers_and_one });
	assert_int_equal(io_uring_wait_cqe(&ring, &cqe), 0);
	assert_int_equal(cqe->user_data, 100);
	assert_int_equal(nr_enters(), 1);
	assert_int_equal(io_uring_cq_ready(&ring), 1);
	io_uring_queue_exit(&ring);
}

static void nothing_to_wait_for(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_ring(&ring, 8, 0);
	assert_int_equal(__io_uring_get_cqe(&ring, &cqe, 0, 0, NULL), -EAGAIN);
	assert_null(cqe);
	cqe = POISON;
	assert_int_equal(io_uring_peek_cqe(&ring, &cqe), -EAGAIN);
	assert_null(cqe);
	assert_int_equal(nr_enters(), 0);
	io_uring_queue_exit(&ring);
}

static void submitting_without_a_wait(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_ring(&ring, 8, 0);
	queue_nops(&ring, 2, 7);
	assert_int_equal(__io_uring_get_cqe(&ring, &cqe, publish(&ring), 0, NULL), 2);
	assert_null(cqe);
	assert_int_equal(nr_enters(), 1);
	assert_enter(0, 2, 0, 0);
	io_uring_queue_exit(&ring);
}

/* The mask goes along as it is, with the size that the kernel has for it. */
static void a_signal_mask_goes_along(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	const struct fake_call *call;
	struct io_uring ring;
	sigset_t mask;

	init_ring(&ring, 8, 0);
	fake_next_enter((struct fake_step){ .then = post_one });
	assert_int_equal(__io_uring_get_cqe(&ring, &cqe, 0, 1, &mask), 0);
	call = fake_call(__NR_io_uring_enter, 0);
	assert_ptr_equal((void *)call->args[4], &mask);
	assert_int_equal(call->args[5], 8);
	io_uring_queue_exit(&ring);
}

static void the_rings_own_flags_go_along(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;
	unsigned flags = GETEVENTS | IORING_ENTER_REGISTERED_RING | IORING_ENTER_NO_IOWAIT;

	init_ring(&ring, 8, 0);
	assert_int_equal(io_uring_register_ring_fd(&ring), 1);
	assert_int_equal(io_uring_set_iowait(&ring, false), 0);
	fake_next_enter((struct fake_step){ .then = post_one });
	assert_int_equal(io_uring_wait_cqe(&ring, &cqe), 0);
	assert_enter(0, 0, 1, flags);
	assert_int_equal(fake_call(__NR_io_uring_enter, 0)->args[0], ring.enter_ring_fd);
	io_uring_queue_exit(&ring);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FAKE_TEST(one_enter_submits_and_waits),
		FAKE_TEST(a_plain_wait_is_one_enter),
		FAKE_TEST(what_is_there_needs_no_enter),
		FAKE_TEST(a_wait_is_honoured_once),
		FAKE_TEST(a_wait_for_more_than_is_there_enters),
		FAKE_TEST(taken_in_part_the_wait_still_stands),
		FAKE_TEST(taken_in_part_the_rest_is_passed_too),
		FAKE_TEST(with_none_taken_the_wait_still_stands),
		FAKE_TEST(an_error_after_a_part_was_taken_ends_it),
		FAKE_TEST(interrupted_after_a_submission),
		FAKE_TEST(interrupted_with_the_rest),
		FAKE_TEST(only_internal_cqes_there),
		FAKE_TEST(internal_cqes_before_the_programs),
		FAKE_TEST(nothing_to_wait_for),
		FAKE_TEST(submitting_without_a_wait),
		FAKE_TEST(a_signal_mask_goes_along),
		FAKE_TEST(the_rings_own_flags_go_along),
	};

	return RUN_FAKE_TESTS(tests);
}
