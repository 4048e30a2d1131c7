/* SPDX-License-Identifier: MIT */
/*
 * IORING_SETUP_SQ_REWIND: the kernel keeps no position, each submit takes
 * everything from slot 0, and the tail starts there again.
 */
#include "fake_test.h"

static void init_rewind_ring(struct io_uring *ring, unsigned entries, unsigned flags)
{
	init_ring(ring, entries, IORING_SETUP_SQ_REWIND | IORING_SETUP_NO_SQARRAY | flags);
}

static void each_submit_starts_at_slot_0(void **state)
{
	struct io_uring_sqe *sqe;
	struct io_uring ring;
	unsigned round, i;

	init_rewind_ring(&ring, 4, 0);
	for (round = 0; round < 5; round++) {
		for (i = 0; i < 3; i++) {
			sqe = io_uring_get_sqe(&ring);
			assert_ptr_equal(sqe, &ring.sq.sqes[i]);
			io_uring_prep_nop(sqe);
			io_uring_sqe_set_data64(sqe, 3 * round + i);
		}
		assert_int_equal(io_uring_sq_ready(&ring), 3);
		assert_int_equal(io_uring_submit_and_wait(&ring, 3), 3);
		assert_int_equal(io_uring_sq_ready(&ring), 0);
		assert_int_equal(io_uring_sq_space_left(&ring), 4);
		for (i = 0; i < 3; i++)
			reap_one(&ring, 3 * round + i, 0);
	}
	io_uring_queue_exit(&ring);
}

static void nothing_to_do_is_no_system_call(void **state)
{
	struct io_uring ring;

	init_rewind_ring(&ring, 4, 0);
	assert_int_equal(io_uring_submit(&ring), 0);
	queue_nops(&ring, 2, 0);
	assert_int_equal(io_uring_submit(&ring), 2);
	assert_int_equal(io_uring_submit(&ring), 0);
	assert_int_equal(nr_enters(), 1);
	io_uring_queue_exit(&ring);
}

static void a_full_ring(void **state)
{
	struct io_uring ring;

	init_rewind_ring(&ring, 4, 0);
	queue_nops(&ring, 4, 0);
	assert_null(io_uring_get_sqe(&ring));
	assert_int_equal(io_uring_submit(&ring), 4);
	queue_nops(&ring, 4, 4);
	assert_null(io_uring_get_sqe(&ring));
	assert_int_equal(io_uring_submit(&ring), 4);
	assert_int_equal(fake.ring->nr_taken, 8);
	io_uring_queue_exit(&ring);
}

/* What the kernel did not take is at slot 0 for the next submit. */
static void check_short_submit(unsigned flags)
{
	struct io_uring_sqe *sqe;
	struct io_uring ring;
	unsigned i, shift;

	init_rewind_ring(&ring, 4, flags);
	shift = io_uring_sqe_shift(&ring);
	for (i = 0; i < 4; i++) {
		sqe = io_uring_get_sqe(&ring);
		io_uring_prep_nop(sqe);
		io_uring_sqe_set_data64(sqe, i);
		if (shift)
			memset(sqe + 1, (int)(0xa0 + i), sizeof(*sqe));
	}
	fake_next_enter((struct fake_step){ .leave = 3 });
	assert_int_equal(io_uring_submit(&ring), 1);
	assert_int_equal(io_uring_sq_ready(&ring), 3);
	assert_int_equal(io_uring_sq_space_left(&ring), 1);
	sqe = io_uring_get_sqe(&ring);
	assert_ptr_equal(sqe, &ring.sq.sqes[3 << shift]);
	io_uring_prep_nop(sqe);
	io_uring_sqe_set_data64(sqe, 4);
	assert_null(io_uring_get_sqe(&ring));

	fake_next_enter((struct fake_step){ .err = EAGAIN });
	assert_int_equal(io_uring_submit(&ring), -EAGAIN);
	assert_int_equal(io_uring_sq_ready(&ring), 4);
	fake_next_enter((struct fake_step){ .leave = FAKE_ALL });
	assert_int_equal(io_uring_submit(&ring), 0);
	assert_int_equal(io_uring_sq_ready(&ring), 4);
	assert_int_equal(io_uring_submit(&ring), 4);
	for (i = 0; i < 5; i++)
		assert_int_equal(fake_taken(fake.ring, i)->user_data, i);
	for (i = 0; shift && i < 4; i++)
		assert_int_equal(*(const unsigned char *)(fake_taken(fake.ring, i) + 1),
				 0xa0 + i);
	assert_ptr_equal(io_uring_get_sqe(&ring), ring.sq.sqes);
	io_uring_queue_exit(&ring);
}

static void a_short_submit_keeps_the_rest(void **state)
{
	check_short_submit(0);
}

static void a_short_submit_of_128_byte_sqes(void **state)
{
	check_short_submit(IORING_SETUP_SQE128);
}

static void the_get_cqe_loop_rewinds_too(void **state)
{
	struct __kernel_timespec ts = { .tv_sec = 1 };
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;
	unsigned i;

	init_rewind_ring(&ring, 4, 0);
	queue_nops(&ring, 3, 0);
	fake_next_enter((struct fake_step){ .leave = 2 });
	assert_int_equal(io_uring_submit_and_wait_timeout(&ring, &cqe, 3, &ts, NULL), 3);
	assert_int_equal(cqe->user_data, 0);
	for (i = 0; i < 3; i++)
		reap_one(&ring, i, 0);
	assert_int_equal(io_uring_sq_ready(&ring), 0);
	assert_ptr_equal(io_uring_get_sqe(&ring), ring.sq.sqes);
	io_uring_queue_exit(&ring);
}

/* A wait of a program that has SQEs queued must not take them for submitted. */
static void a_plain_wait_rewinds_nothing(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_rewind_ring(&ring, 4, 0);
	queue_nops(&ring, 1, 0);
	assert_int_equal(io_uring_submit(&ring), 1);
	queue_nops(&ring, 2, 1);
	assert_int_equal(io_uring_wait_cqe(&ring, &cqe), 0);
	assert_int_equal(cqe->user_data, 0);
	assert_int_equal(io_uring_get_events(&ring), 0);
	assert_int_equal(io_uring_sq_ready(&ring), 2);
	assert_int_equal(io_uring_submit(&ring), 2);
	assert_int_equal(fake_taken(fake.ring, 2)->user_data, 2);
	io_uring_queue_exit(&ring);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FAKE_TEST(each_submit_starts_at_slot_0),
		FAKE_TEST(nothing_to_do_is_no_system_call),
		FAKE_TEST(a_full_ring),
		FAKE_TEST(a_short_submit_keeps_the_rest),
		FAKE_TEST(a_short_submit_of_128_byte_sqes),
		FAKE_TEST(the_get_cqe_loop_rewinds_too),
		FAKE_TEST(a_plain_wait_rewinds_nothing),
	};

	return RUN_FAKE_TESTS(tests);
}
