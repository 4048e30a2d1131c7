/* SPDX-License-Identifier: MIT */
/*
 * The get-CQE loop where the kernel holds something back: overflow, task work,
 * polled I/O, a polling thread.
 */
#include "fake_test.h"

#define GETEVENTS IORING_ENTER_GETEVENTS

/* A CQ of 4 that overflowed by 2: user_data 0 to 5. */
static void init_overflown(struct io_uring *ring, unsigned flags)
{
	unsigned i;

	init_ring(ring, 2, flags);
	for (i = 0; i < 6; i++)
		fake_post(fake.ring, i, 0, 0);
	assert_true(io_uring_cq_has_overflow(ring));
	assert_int_equal(io_uring_cq_ready(ring), 4);
}

static void overflow_to_flush(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_overflown(&ring, 0);
	io_uring_cq_advance(&ring, 4);
	assert_int_equal(io_uring_peek_cqe(&ring, &cqe), 0);
	assert_int_equal(cqe->user_data, 4);
	assert_int_equal(nr_enters(), 1);
	assert_enter(0, 0, 0, GETEVENTS);
	assert_false(io_uring_cq_has_overflow(&ring));
	io_uring_queue_exit(&ring);
}

/* As long as the ring has CQEs, nobody needs the others. */
static void an_overflow_behind_cqes_can_wait(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;
	unsigned i;

	init_overflown(&ring, 0);
	for (i = 0; i < 4; i++)
		reap_one(&ring, i, 0);
	assert_int_equal(nr_enters(), 0);
	reap_one(&ring, 4, 0);
	assert_int_equal(nr_enters(), 1);
	reap_one(&ring, 5, 0);
	assert_int_equal(io_uring_peek_cqe(&ring, &cqe), -EAGAIN);
	assert_int_equal(nr_enters(), 1);
	io_uring_queue_exit(&ring);
}

static void a_wait_flushes_an_overflow(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_overflown(&ring, 0);
	io_uring_cq_advance(&ring, 4);
	assert_int_equal(io_uring_wait_cqe(&ring, &cqe), 0);
	assert_int_equal(cqe->user_data, 4);
	assert_int_equal(nr_enters(), 1);
	assert_enter(0, 0, 1, GETEVENTS);
	io_uring_queue_exit(&ring);
}

static void a_submit_flushes_an_overflow(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_overflown(&ring, 0);
	io_uring_cq_advance(&ring, 3);
	queue_nops(&ring, 1, 9);
	ring.sq.sqe_head = ring.sq.sqe_tail;
	io_uring_smp_store_release(ring.sq.ktail, ring.sq.sqe_tail);
	assert_int_equal(__io_uring_get_cqe(&ring, &cqe, 1, 0, NULL), 1);
	assert_int_equal(cqe->user_data, 3);
	assert_int_equal(nr_enters(), 1);
	assert_enter(0, 1, 0, GETEVENTS);
	assert_int_equal(io_uring_cq_ready(&ring), 3);
	io_uring_queue_exit(&ring);
}

static void task_work_to_flush(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_ring(&ring, 8, IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG);
	fake_defer(fake.ring, 5, 1);
	assert_int_equal(io_uring_peek_cqe(&ring, &cqe), 0);
	assert_int_equal(cqe->user_data, 5);
	assert_int_equal(nr_enters(), 1);
	assert_enter(0, 0, 0, GETEVENTS);
	io_uring_queue_exit(&ring);
}

/* The flag was there, and the work brought no CQE: once is enough. */
static void task_work_without_a_cqe(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_ring(&ring, 8, IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG);
	*fake.ring->sq_flags |= IORING_SQ_TASKRUN;
	assert_int_equal(io_uring_peek_cqe(&ring, &cqe), -EAGAIN);
	assert_null(cqe);
	assert_int_equal(nr_enters(), 1);
	io_uring_queue_exit(&ring);
}

static void set_overflow_for_good(struct fake_ring *ring)
{
	*ring->sq_flags |= IORING_SQ_CQ_OVERFLOW;
}

static void clear_cq_flags(struct fake_ring *ring)
{
	*ring->sq_flags &= ~IORING_SQ_CQ_OVERFLOW;
}

/* A peek looks once, and says what the failed enter said. */
static void a_flush_that_fails(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_ring(&ring, 8, 0);
	set_overflow_for_good(fake.ring);
	fake_next_enter((struct fake_step){ .err = EBADR });
	assert_int_equal(io_uring_peek_cqe(&ring, &cqe), -EBADR);
	assert_null(cqe);
	assert_int_equal(nr_enters(), 1);
	clear_cq_flags(fake.ring);
	io_uring_queue_exit(&ring);
}

static void with_iopoll_a_peek_enters(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_ring(&ring, 8, IORING_SETUP_IOPOLL);
	assert_int_equal(io_uring_peek_cqe(&ring, &cqe), -EAGAIN);
	assert_null(cqe);
	assert_int_equal(nr_enters(), 1);
	assert_enter(0, 0, 0, GETEVENTS);

	queue_nops(&ring, 1, 7);
	assert_int_equal(io_uring_submit(&ring), 1);
	assert_enter(1, 1, 0, GETEVENTS);
	assert_int_equal(io_uring_peek_cqe(&ring, &cqe), 0);
	assert_int_equal(cqe->user_data, 7);
	io_uring_queue_exit(&ring);
}

static void with_iopoll_and_sqpoll_a_peek_does_not(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_ring(&ring, 8, IORING_SETUP_IOPOLL | IORING_SETUP_SQPOLL);
	assert_int_equal(io_uring_peek_cqe(&ring, &cqe), -EAGAIN);
	assert_null(cqe);
	assert_int_equal(nr_enters(), 0);
	io_uring_queue_exit(&ring);
}

static void iopoll_comes_back_early(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_ring(&ring, 8, IORING_SETUP_IOPOLL);
	fake.due_ns = fake.now_ns + 1000;
	queue_nops(&ring, 1, 7);
	fake_next_enter((struct fake_step){ .early = true });
	fake_next_enter((struct fake_step){ .early = true });
	assert_int_equal(io_uring_submit_and_wait_timeout(&ring, &cqe, 1, NULL, NULL), 1);
	assert_int_equal(cqe->user_data, 7);
	assert_int_equal(nr_enters(), 3);
	assert_enter(0, 1, 1, GETEVENTS);
	assert_enter(1, 0, 1, GETEVENTS);
	assert_enter(2, 0, 1, GETEVENTS);
	io_uring_queue_exit(&ring);
}

/* Came back with one of three, and with two more when asked again. */
static void with_iopoll_the_wait_stands_until_satisfied(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_ring(&ring, 8, IORING_SETUP_IOPOLL);
	fake.due_ns = fake.now_ns + 1000;
	queue_nops(&ring, 3, 7);
	assert_int_equal(io_uring_submit(&ring), 3);
	fake_forget();
	fake_next_enter((struct fake_step){ .early = true });
	assert_int_equal(io_uring_wait_cqe_nr(&ring, &cqe, 3), 0);
	assert_int_equal(cqe->user_data, 7);
	assert_int_equal(nr_enters(), 2);
	assert_enter(0, 0, 3, GETEVENTS);
	assert_enter(1, 0, 3, GETEVENTS);
	assert_int_equal(io_uring_cq_ready(&ring), 3);
	io_uring_queue_exit(&ring);
}

/*
 * Where CQEs are there the kernel does not poll for more: asking again and again
 * would never end.
 */
static void with_iopoll_what_is_there_ends_the_wait(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_ring(&ring, 8, IORING_SETUP_IOPOLL);
	fake_post(fake.ring, 1, 0, 0);
	queue_nops(&ring, 1, 7);
	assert_int_equal(io_uring_submit(&ring), 1);
	fake_forget();
	assert_int_equal(io_uring_wait_cqe_nr(&ring, &cqe, 2), 0);
	assert_int_equal(cqe->user_data, 1);
	assert_int_equal(nr_enters(), 1);

	io_uring_cqe_seen(&ring, cqe);
	assert_int_equal(io_uring_wait_cqe(&ring, &cqe), 0);
	assert_int_equal(cqe->user_data, 7);
	io_uring_queue_exit(&ring);
}

static void with_iopoll_a_signal_ends_the_wait(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_ring(&ring, 8, IORING_SETUP_IOPOLL);
	fake_next_enter((struct fake_step){ .wait_err = EINTR });
	assert_int_equal(io_uring_wait_cqe(&ring, &cqe), -EINTR);
	assert_null(cqe);
	assert_int_equal(nr_enters(), 1);
	io_uring_queue_exit(&ring);
}

static void the_thread_takes_it(struct fake_ring *ring)
{
	fake_sq_thread_run(ring, FAKE_ALL);
}

static void sqpoll_asleep_is_woken(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_ring(&ring, 8, IORING_SETUP_SQPOLL);
	fake_sq_thread_sleep(fake.ring);
	queue_nops(&ring, 2, 7);
	assert_int_equal(io_uring_submit_and_wait_timeout(&ring, &cqe, 1, NULL, NULL), 2);
	assert_int_equal(cqe->user_data, 7);
	assert_int_equal(nr_enters(), 1);
	assert_enter(0, 2, 1, GETEVENTS | IORING_ENTER_SQ_WAKEUP);
	assert_int_equal(fake.ring->nr_taken, 2);
	io_uring_queue_exit(&ring);
}

static void sqpoll_awake_is_only_waited_for(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_ring(&ring, 8, IORING_SETUP_SQPOLL);
	queue_nops(&ring, 2, 7);
	fake_next_enter((struct fake_step){ .then = the_thread_takes_it });
	assert_int_equal(io_uring_submit_and_wait_timeout(&ring, &cqe, 2, NULL, NULL), 2);
	assert_int_equal(cqe->user_data, 7);
	assert_int_equal(nr_enters(), 1);
	assert_enter(0, 2, 2, GETEVENTS);
	io_uring_queue_exit(&ring);
}

static void sqpoll_awake_needs_no_enter(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_ring(&ring, 8, IORING_SETUP_SQPOLL);
	queue_nops(&ring, 2, 7);
	assert_int_equal(io_uring_submit_and_wait_timeout(&ring, &cqe, 0, NULL, NULL), 2);
	assert_null(cqe);
	assert_int_equal(nr_enters(), 0);
	assert_int_equal(fake_sq_thread_run(fake.ring, FAKE_ALL), 2);
	io_uring_queue_exit(&ring);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FAKE_TEST(overflow_to_flush),
		FAKE_TEST(an_overflow_behind_cqes_can_wait),
		FAKE_TEST(a_wait_flushes_an_overflow),
		FAKE_TEST(a_submit_flushes_an_overflow),
		FAKE_TEST(task_work_to_flush),
		FAKE_TEST(task_work_without_a_cqe),
		FAKE_TEST(a_flush_that_fails),
		FAKE_TEST(with_iopoll_a_peek_enters),
		FAKE_TEST(with_iopoll_and_sqpoll_a_peek_does_not),
		FAKE_TEST(iopoll_comes_back_early),
		FAKE_TEST(with_iopoll_the_wait_stands_until_satisfied),
		FAKE_TEST(with_iopoll_what_is_there_ends_the_wait),
		FAKE_TEST(with_iopoll_a_signal_ends_the_wait),
		FAKE_TEST(sqpoll_asleep_is_woken),
		FAKE_TEST(sqpoll_awake_is_only_waited_for),
		FAKE_TEST(sqpoll_awake_needs_no_enter),
	};

	return RUN_FAKE_TESTS(tests);
}
