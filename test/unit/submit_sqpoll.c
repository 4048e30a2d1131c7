/* SPDX-License-Identifier: MIT */
/*
 * Submitting to a polling thread: it is woken when it sleeps, and left alone when
 * it does not; and a slot is taken again only after the thread has read it.
 */
#include "fake_test.h"

#define GETEVENTS IORING_ENTER_GETEVENTS

static void awake_it_needs_no_system_call(void **state)
{
	struct io_uring ring;

	init_ring(&ring, 8, IORING_SETUP_SQPOLL);
	queue_nops(&ring, 2, 7);
	assert_int_equal(io_uring_submit(&ring), 2);
	assert_int_equal(fake_nr(-1), 0);
	assert_int_equal(fake_sq_thread_run(fake.ring, FAKE_ALL), 2);
	assert_int_equal(io_uring_submit(&ring), 0);
	assert_int_equal(fake_nr(-1), 0);
	io_uring_queue_exit(&ring);
}

/* What it has not taken yet is counted again. */
static void the_result_is_what_is_not_taken(void **state)
{
	struct io_uring ring;

	init_ring(&ring, 8, IORING_SETUP_SQPOLL);
	queue_nops(&ring, 2, 7);
	assert_int_equal(io_uring_submit(&ring), 2);
	queue_nops(&ring, 1, 9);
	assert_int_equal(io_uring_submit(&ring), 3);
	assert_int_equal(fake_sq_thread_run(fake.ring, 2), 2);
	assert_int_equal(io_uring_submit(&ring), 1);
	assert_int_equal(fake_nr(-1), 0);
	io_uring_queue_exit(&ring);
}

static void asleep_it_is_woken_once(void **state)
{
	struct io_uring ring;

	init_ring(&ring, 8, IORING_SETUP_SQPOLL);
	fake_sq_thread_sleep(fake.ring);
	queue_nops(&ring, 2, 7);
	assert_int_equal(io_uring_submit(&ring), 2);
	assert_int_equal(nr_enters(), 1);
	assert_enter(0, 2, 0, IORING_ENTER_SQ_WAKEUP);
	assert_int_equal(fake.ring->nr_taken, 2);
	queue_nops(&ring, 1, 7);
	assert_int_equal(io_uring_submit(&ring), 1);
	assert_int_equal(nr_enters(), 1);
	io_uring_queue_exit(&ring);
}

/* Nothing for it to take: let it sleep. */
static void asleep_with_nothing_to_take(void **state)
{
	struct io_uring ring;

	init_ring(&ring, 8, IORING_SETUP_SQPOLL);
	fake_sq_thread_sleep(fake.ring);
	assert_int_equal(io_uring_submit(&ring), 0);
	assert_int_equal(fake_nr(-1), 0);
	io_uring_queue_exit(&ring);
}

/* Fell asleep without taking what an earlier submit published. */
static void what_was_left_behind_wakes_it(void **state)
{
	struct io_uring ring;

	init_ring(&ring, 8, IORING_SETUP_SQPOLL);
	queue_nops(&ring, 2, 7);
	assert_int_equal(io_uring_submit(&ring), 2);
	fake_sq_thread_sleep(fake.ring);
	assert_int_equal(io_uring_submit(&ring), 2);
	assert_enter(0, 2, 0, IORING_ENTER_SQ_WAKEUP);
	assert_int_equal(fake.ring->nr_taken, 2);
	io_uring_queue_exit(&ring);
}

static void waiting_wakes_it_in_the_same_enter(void **state)
{
	struct io_uring ring;

	init_ring(&ring, 8, IORING_SETUP_SQPOLL);
	fake_sq_thread_sleep(fake.ring);
	queue_nops(&ring, 2, 7);
	assert_int_equal(io_uring_submit_and_wait(&ring, 2), 2);
	assert_int_equal(nr_enters(), 1);
	assert_enter(0, 2, 2, GETEVENTS | IORING_ENTER_SQ_WAKEUP);
	assert_int_equal(io_uring_cq_ready(&ring), 2);
	queue_nops(&ring, 1, 9);
	assert_int_equal(io_uring_submit_and_wait(&ring, 3), 1);
	assert_enter(1, 1, 3, GETEVENTS);
	io_uring_queue_exit(&ring);
}

static void the_flags_of_the_cq_enter_too(void **state)
{
	struct io_uring ring;

	init_ring(&ring, 8, IORING_SETUP_SQPOLL);
	*fake.ring->sq_flags |= IORING_SQ_CQ_OVERFLOW;
	queue_nops(&ring, 1, 7);
	assert_int_equal(io_uring_submit(&ring), 1);
	assert_int_equal(nr_enters(), 1);
	assert_enter(0, 1, 0, GETEVENTS);
	io_uring_queue_exit(&ring);
}

static void a_slot_is_free_when_the_thread_has_it(void **state)
{
	struct io_uring ring;
	unsigned i, round;

	init_ring(&ring, 4, IORING_SETUP_SQPOLL);
	for (round = 0; round < 100; round++) {
		unsigned nr = round % 5;

		/* Full but for what it takes now. */
		queue_nops(&ring, io_uring_sq_space_left(&ring), 0);
		assert_null(io_uring_get_sqe(&ring));
		assert_true(io_uring_submit(&ring) > 0);
		assert_null(io_uring_get_sqe(&ring));
		assert_int_equal(fake_sq_thread_run(fake.ring, nr), nr);
		assert_int_equal(io_uring_sq_space_left(&ring), nr);
		for (i = 0; i < nr; i++)
			queue_nops(&ring, 1, 0);
		assert_null(io_uring_get_sqe(&ring));
		assert_int_equal(io_uring_sq_ready(&ring), 4);
	}
	io_uring_queue_exit(&ring);
}

static void waiting_for_room(void **state)
{
	struct io_uring ring;

	init_ring(&ring, 4, IORING_SETUP_SQPOLL);
	queue_nops(&ring, 3, 0);
	assert_int_equal(io_uring_submit(&ring), 3);
	assert_int_equal(io_uring_sqring_wait(&ring), 0);
	assert_int_equal(nr_enters(), 0);
	queue_nops(&ring, 1, 3);
	assert_int_equal(io_uring_submit(&ring), 4);
	assert_int_equal(io_uring_sqring_wait(&ring), 0);
	assert_int_equal(nr_enters(), 1);
	assert_enter(0, 0, 0, IORING_ENTER_SQ_WAIT);
	assert_int_equal(io_uring_sq_space_left(&ring), 4);
	io_uring_queue_exit(&ring);

	/* Without a thread there is nothing to wait for, full or not. */
	init_ring(&ring, 4, 0);
	queue_nops(&ring, 4, 0);
	assert_int_equal(io_uring_sqring_wait(&ring), 0);
	assert_int_equal(nr_enters(), 0);
	io_uring_queue_exit(&ring);
}

static void waiting_for_room_fails(void **state)
{
	struct io_uring ring;

	init_ring(&ring, 4, IORING_SETUP_SQPOLL);
	queue_nops(&ring, 4, 0);
	fake_next_enter((struct fake_step){ .err = EOWNERDEAD });
	assert_int_equal(io_uring_sqring_wait(&ring), -EOWNERDEAD);
	io_uring_queue_exit(&ring);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FAKE_TEST(awake_it_needs_no_system_call),
		FAKE_TEST(the_result_is_what_is_not_taken),
		FAKE_TEST(asleep_it_is_woken_once),
		FAKE_TEST(asleep_with_nothing_to_take),
		FAKE_TEST(what_was_left_behind_wakes_it),
		FAKE_TEST(waiting_wakes_it_in_the_same_enter),
		FAKE_TEST(the_flags_of_the_cq_enter_too),
		FAKE_TEST(a_slot_is_free_when_the_thread_has_it),
		FAKE_TEST(waiting_for_room),
		FAKE_TEST(waiting_for_room_fails),
	};

	return RUN_FAKE_TESTS(tests);
}
