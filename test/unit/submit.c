/* SPDX-License-Identifier: MIT */
/*
 * io_uring_submit and its kin: when they enter, with what, and what is left in
 * the SQ afterwards.
 */
#include "fake_test.h"

#define GETEVENTS IORING_ENTER_GETEVENTS

static void nothing_to_do_is_no_system_call(void **state)
{
	struct io_uring ring;

	init_ring(&ring, 8, 0);
	assert_int_equal(io_uring_submit(&ring), 0);
	assert_int_equal(io_uring_submit_and_wait(&ring, 0), 0);
	assert_int_equal(fake_nr(-1), 0);
	io_uring_queue_exit(&ring);
}

static void a_submit_hands_over_what_was_taken(void **state)
{
	struct io_uring ring;
	unsigned i;

	init_ring(&ring, 8, 0);
	queue_nops(&ring, 3, 7);
	assert_int_equal(io_uring_submit(&ring), 3);
	assert_int_equal(nr_enters(), 1);
	assert_enter(0, 3, 0, 0);
	assert_int_equal(fake_call(__NR_io_uring_enter, 0)->args[0], ring.ring_fd);
	assert_int_equal(fake_call(__NR_io_uring_enter, 0)->args[4], 0);
	for (i = 0; i < 3; i++)
		assert_int_equal(fake_taken(fake.ring, i)->user_data, 7 + i);
	assert_int_equal(io_uring_sq_ready(&ring), 0);
	assert_int_equal(*ring.sq.ktail, *ring.sq.khead);
	io_uring_queue_exit(&ring);
}

static void submitting_and_waiting_is_one_enter(void **state)
{
	struct io_uring ring;

	init_ring(&ring, 8, 0);
	queue_nops(&ring, 3, 7);
	assert_int_equal(io_uring_submit_and_wait(&ring, 2), 3);
	assert_int_equal(nr_enters(), 1);
	assert_enter(0, 3, 2, GETEVENTS);
	assert_int_equal(io_uring_cq_ready(&ring), 2);
	/* Nothing to submit is no reason not to wait. */
	assert_int_equal(io_uring_submit_and_wait(&ring, 3), 0);
	assert_enter(1, 0, 3, GETEVENTS);
	io_uring_queue_exit(&ring);
}

static void a_short_submit_leaves_exactly_the_rest(void **state)
{
	struct io_uring ring;
	unsigned i;

	init_ring(&ring, 8, 0);
	queue_nops(&ring, 5, 0);
	fake_next_enter((struct fake_step){ .leave = 3 });
	assert_int_equal(io_uring_submit(&ring), 2);
	assert_int_equal(io_uring_sq_ready(&ring), 3);
	assert_int_equal(io_uring_sq_space_left(&ring), 5);

	/* More may be queued behind, and the order stays. */
	queue_nops(&ring, 5, 5);
	assert_null(io_uring_get_sqe(&ring));
	fake_next_enter((struct fake_step){ .leave = 1 });
	assert_int_equal(io_uring_submit(&ring), 7);
	assert_int_equal(io_uring_submit(&ring), 1);
	assert_enter(0, 5, 0, 0);
	assert_enter(1, 8, 0, 0);
	assert_enter(2, 1, 0, 0);
	for (i = 0; i < 10; i++)
		assert_int_equal(fake_taken(fake.ring, i)->user_data, i);
	io_uring_queue_exit(&ring);
}

static void a_failed_submit_loses_nothing(void **state)
{
	static const int errs[] = { EAGAIN, EBUSY, EINTR, EBADR, EBADFD, EEXIST, ENXIO };
	struct io_uring ring;
	unsigned i;

	init_ring(&ring, 8, 0);
	for (i = 0; i < ARRAY_LEN(errs); i++) {
		queue_nops(&ring, 1, i);
		fake_next_enter((struct fake_step){ .err = errs[i] });
		assert_int_equal(io_uring_submit(&ring), -errs[i]);
		assert_int_equal(io_uring_sq_ready(&ring), i + 1);
	}
	assert_int_equal(nr_enters(), ARRAY_LEN(errs));
	assert_int_equal(io_uring_submit(&ring), ARRAY_LEN(errs));
	for (i = 0; i < ARRAY_LEN(errs); i++)
		assert_int_equal(fake_taken(fake.ring, i)->user_data, i);
	io_uring_queue_exit(&ring);
}

static void an_overflow_is_flushed_along(void **state)
{
	struct io_uring ring;
	unsigned i;

	init_ring(&ring, 2, 0);
	for (i = 0; i < 6; i++)
		fake_post(fake.ring, i, 0, 0);
	io_uring_cq_advance(&ring, 4);
	queue_nops(&ring, 1, 7);
	assert_int_equal(io_uring_submit(&ring), 1);
	assert_enter(0, 1, 0, GETEVENTS);
	assert_int_equal(io_uring_cq_ready(&ring), 2);
	assert_false(io_uring_cq_has_overflow(&ring));

	/* Also with nothing to submit. */
	*fake.ring->sq_flags |= IORING_SQ_CQ_OVERFLOW;
	assert_int_equal(io_uring_submit(&ring), 0);
	assert_enter(1, 0, 0, GETEVENTS);
	assert_int_equal(nr_enters(), 2);
	assert_int_equal(io_uring_submit(&ring), 0);
	assert_int_equal(nr_enters(), 2);
	io_uring_queue_exit(&ring);
}

static void task_work_is_run_along(void **state)
{
	struct io_uring ring;

	init_ring(&ring, 8, IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG);
	fake_defer(fake.ring, 5, 0);
	queue_nops(&ring, 1, 7);
	assert_int_equal(io_uring_submit(&ring), 1);
	assert_enter(0, 1, 0, GETEVENTS);
	reap_one(&ring, 5, 0);
	io_uring_queue_exit(&ring);
}

static void iopoll_always_reaps(void **state)
{
	struct io_uring ring;

	init_ring(&ring, 8, IORING_SETUP_IOPOLL);
	queue_nops(&ring, 1, 7);
	assert_int_equal(io_uring_submit(&ring), 1);
	assert_enter(0, 1, 0, GETEVENTS);
	assert_int_equal(io_uring_submit(&ring), 0);
	assert_enter(1, 0, 0, GETEVENTS);
	io_uring_queue_exit(&ring);

	/* A polling thread does both itself. */
	init_ring(&ring, 8, IORING_SETUP_IOPOLL | IORING_SETUP_SQPOLL);
	queue_nops(&ring, 1, 7);
	assert_int_equal(io_uring_submit(&ring), 1);
	assert_int_equal(nr_enters(), 0);
	io_uring_queue_exit(&ring);
}

static void getting_events_enters_in_any_case(void **state)
{
	struct io_uring ring;

	init_ring(&ring, 8, 0);
	assert_int_equal(io_uring_submit_and_get_events(&ring), 0);
	assert_enter(0, 0, 0, GETEVENTS);
	queue_nops(&ring, 2, 7);
	assert_int_equal(io_uring_submit_and_get_events(&ring), 2);
	assert_enter(1, 2, 0, GETEVENTS);
	assert_int_equal(nr_enters(), 2);
	io_uring_queue_exit(&ring);
}

static void get_events_submits_nothing(void **state)
{
	struct io_uring ring;

	init_ring(&ring, 8, IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN);
	queue_nops(&ring, 2, 7);
	fake_defer(fake.ring, 5, 0);
	assert_int_equal(io_uring_get_events(&ring), 0);
	assert_int_equal(nr_enters(), 1);
	assert_enter(0, 0, 0, GETEVENTS);
	reap_one(&ring, 5, 0);
	assert_int_equal(io_uring_sq_ready(&ring), 2);
	assert_int_equal(*ring.sq.ktail, *ring.sq.khead);
	fake_next_enter((struct fake_step){ .err = EBADR });
	assert_int_equal(io_uring_get_events(&ring), -EBADR);
	io_uring_queue_exit(&ring);
}

static void the_rings_own_flags_go_along(void **state)
{
	struct io_uring ring;
	unsigned both = IORING_ENTER_REGISTERED_RING | IORING_ENTER_NO_IOWAIT;

	init_ring(&ring, 8, 0);
	assert_int_equal(io_uring_register_ring_fd(&ring), 1);
	queue_nops(&ring, 1, 7);
	assert_int_equal(io_uring_submit(&ring), 1);
	assert_enter(0, 1, 0, IORING_ENTER_REGISTERED_RING);
	assert_int_equal(fake_call(__NR_io_uring_enter, 0)->args[0], ring.enter_ring_fd);

	assert_int_equal(io_uring_set_iowait(&ring, false), 0);
	queue_nops(&ring, 1, 7);
	assert_int_equal(io_uring_submit_and_wait(&ring, 1), 1);
	assert_enter(1, 1, 1, both | GETEVENTS);
	assert_int_equal(io_uring_set_iowait(&ring, true), 0);
	assert_int_equal(io_uring_get_events(&ring), 0);
	assert_enter(2, 0, 0, IORING_ENTER_REGISTERED_RING | GETEVENTS);
	io_uring_queue_exit(&ring);
}

static void no_iowait_needs_the_feature(void **state)
{
	struct io_uring ring;

	fake.features &= ~IORING_FEAT_NO_IOWAIT;
	init_ring(&ring, 8, 0);
	assert_int_equal(io_uring_set_iowait(&ring, false), -EOPNOTSUPP);
	assert_int_equal(io_uring_get_events(&ring), 0);
	assert_enter(0, 0, 0, GETEVENTS);
	io_uring_queue_exit(&ring);
}

static void the_bare_calls(void **state)
{
	struct io_uring_params p = { .flags = 0 };
	struct io_uring_getevents_arg arg = { .sigmask = 0 };
	const struct fake_call *call;
	sigset_t mask;
	int fd = io_uring_setup(4, &p);

	assert_true(fd >= 0);
	assert_int_equal(p.sq_entries, 4);
	assert_int_equal(io_uring_enter((unsigned)fd, 0, 0, GETEVENTS, &mask), 0);
	call = fake_call(__NR_io_uring_enter, 0);
	assert_ptr_equal((void *)call->args[4], &mask);
	assert_int_equal(call->args[5], 8);
	assert_int_equal(io_uring_enter2((unsigned)fd, 0, 0, GETEVENTS | IORING_ENTER_EXT_ARG,
					 &arg, sizeof(arg)), 0);
	assert_int_equal(fake_call(__NR_io_uring_enter, 1)->args[5], sizeof(arg));
	assert_int_equal(io_uring_enter((unsigned)fd + 1, 0, 0, 0, NULL), -EBADF);
	assert_int_equal(io_uring_register((unsigned)fd, IORING_REGISTER_ENABLE_RINGS, NULL, 0),
			 -EBADFD);
	assert_int_equal(io_uring_setup(0, &p), -EINVAL);
	fake_boot();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FAKE_TEST(nothing_to_do_is_no_system_call),
		FAKE_TEST(a_submit_hands_over_what_was_taken),
		FAKE_TEST(submitting_and_waiting_is_one_enter),
		FAKE_TEST(a_short_submit_leaves_exactly_the_rest),
		FAKE_TEST(a_failed_submit_loses_nothing),
		FAKE_TEST(an_overflow_is_flushed_along),
		FAKE_TEST(task_work_is_run_along),
		FAKE_TEST(iopoll_always_reaps),
		FAKE_TEST(getting_events_enters_in_any_case),
		FAKE_TEST(get_events_submits_nothing),
		FAKE_TEST(the_rings_own_flags_go_along),
		FAKE_TEST(no_iowait_needs_the_feature),
		FAKE_TEST(the_bare_calls),
	};

	return RUN_FAKE_TESTS(tests);
}
