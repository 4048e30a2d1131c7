/* SPDX-License-Identifier: MIT */
/*
 * io_uring_peek_batch_cqe: the oldest first, only the program's, and one look
 * into the kernel where the ring is empty.
 */
#include "fake_test.h"

#define GETEVENTS IORING_ENTER_GETEVENTS

static void post_numbers(unsigned first, unsigned nr, unsigned flags)
{
	unsigned i;

	for (i = 0; i < nr; i++)
		fake_post(fake.ring, first + i, 0, flags);
}

static void the_oldest_first(void **state)
{
	struct io_uring_cqe *cqes[8];
	struct io_uring ring;
	unsigned start, i;

	for (start = 0; start < 10; start++) {
		fake.start_idx = 0U - start;
		init_ring(&ring, 4, 0);
		post_numbers(0, 8, 0);
		assert_int_equal(io_uring_peek_batch_cqe(&ring, cqes, 3), 3);
		for (i = 0; i < 3; i++)
			assert_int_equal(cqes[i]->user_data, i);
		io_uring_cq_advance(&ring, 3);
		assert_int_equal(io_uring_peek_batch_cqe(&ring, cqes, 8), 5);
		for (i = 0; i < 5; i++)
			assert_int_equal(cqes[i]->user_data, 3 + i);
		assert_int_equal(fake_nr(-1), 0);
		io_uring_queue_exit(&ring);
	}
}

static void none_asked_for(void **state)
{
	struct io_uring ring;

	init_ring(&ring, 2, 0);
	*fake.ring->sq_flags |= IORING_SQ_CQ_OVERFLOW;
	assert_int_equal(io_uring_peek_batch_cqe(&ring, NULL, 0), 0);
	assert_int_equal(nr_enters(), 0);
	io_uring_queue_exit(&ring);
}

static void an_empty_ring_is_flushed_once(void **state)
{
	struct io_uring_cqe *cqes[8];
	struct io_uring ring;

	init_ring(&ring, 2, 0);
	post_numbers(0, 7, 0);
	assert_int_equal(io_uring_peek_batch_cqe(&ring, cqes, 8), 4);
	assert_int_equal(nr_enters(), 0);
	io_uring_cq_advance(&ring, 4);
	assert_int_equal(io_uring_peek_batch_cqe(&ring, cqes, 8), 3);
	assert_int_equal(cqes[0]->user_data, 4);
	assert_int_equal(nr_enters(), 1);
	assert_enter(0, 0, 0, GETEVENTS);
	io_uring_cq_advance(&ring, 3);

	/* Said to have some, and has none: no second try. */
	*fake.ring->sq_flags |= IORING_SQ_CQ_OVERFLOW;
	assert_int_equal(io_uring_peek_batch_cqe(&ring, cqes, 8), 0);
	assert_int_equal(nr_enters(), 2);
	*fake.ring->sq_flags |= IORING_SQ_CQ_OVERFLOW;
	fake_next_enter((struct fake_step){ .err = EINTR });
	assert_int_equal(io_uring_peek_batch_cqe(&ring, cqes, 8), 0);
	assert_int_equal(nr_enters(), 3);
	io_uring_queue_exit(&ring);
}

static void task_work_and_iopoll(void **state)
{
	struct io_uring_cqe *cqes[8];
	struct io_uring ring;

	init_ring(&ring, 4, IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG);
	fake_defer(fake.ring, 1, 0);
	assert_int_equal(io_uring_peek_batch_cqe(&ring, cqes, 8), 1);
	assert_int_equal(nr_enters(), 1);
	io_uring_queue_exit(&ring);

	init_ring(&ring, 4, IORING_SETUP_IOPOLL);
	fake.due_ns = fake.now_ns + 1;
	queue_nops(&ring, 2, 7);
	assert_int_equal(io_uring_submit(&ring), 2);
	fake_forget();
	assert_int_equal(io_uring_peek_batch_cqe(&ring, cqes, 8), 0);
	fake.now_ns++;
	assert_int_equal(io_uring_peek_batch_cqe(&ring, cqes, 8), 2);
	assert_int_equal(nr_enters(), 2);
	assert_enter(1, 0, 0, GETEVENTS);
	io_uring_queue_exit(&ring);
}

static void slots_of_32_bytes(void **state)
{
	struct io_uring_cqe *cqes[8];
	struct io_uring ring;
	unsigned i;

	fake.start_idx = 5;
	init_ring(&ring, 4, IORING_SETUP_CQE32);
	post_numbers(0, 8, 0);
	assert_int_equal(io_uring_peek_batch_cqe(&ring, cqes, 8), 8);
	for (i = 0; i < 8; i++) {
		assert_int_equal(cqes[i]->user_data, i);
		assert_int_equal(cqes[i]->big_cqe[0], ~(uint64_t)i);
	}
	io_uring_queue_exit(&ring);
}

static void a_big_one_counts_as_one(void **state)
{
	struct io_uring_cqe *cqes[8];
	struct io_uring ring;
	unsigned i, n = 0;

	init_ring(&ring, 4, IORING_SETUP_CQE_MIXED);
	fake_post(fake.ring, 0, 0, IORING_CQE_F_32);
	fake_post(fake.ring, 1, 0, 0);
	fake_post(fake.ring, 2, 0, IORING_CQE_F_32);
	fake_post(fake.ring, 3, 0, IORING_CQE_F_32);
	assert_int_equal(io_uring_peek_batch_cqe(&ring, cqes, 3), 3);
	assert_int_equal(io_uring_peek_batch_cqe(&ring, cqes, 8), 4);
	for (i = 0; i < 4; i++) {
		assert_int_equal(cqes[i]->user_data, i);
		n += io_uring_cqe_nr(cqes[i]);
	}
	assert_int_equal(n, 7);
	io_uring_cq_advance(&ring, n);
	assert_int_equal(io_uring_cq_ready(&ring), 0);
	io_uring_queue_exit(&ring);
}

/* At the head it is consumed, further on it ends the batch. */
static void a_filler_is_never_returned(void **state)
{
	struct io_uring_cqe *cqes[8];
	struct io_uring ring;

	init_ring(&ring, 8, IORING_SETUP_CQE_MIXED);
	fake_post_skip(fake.ring);
	fake_post_skip(fake.ring);
	post_numbers(0, 2, 0);
	fake_post_skip(fake.ring);
	post_numbers(2, 1, 0);
	assert_int_equal(io_uring_peek_batch_cqe(&ring, cqes, 8), 2);
	assert_int_equal(cqes[0]->user_data, 0);
	assert_int_equal(cqes[1]->user_data, 1);
	assert_int_equal(io_uring_cq_ready(&ring), 4);
	io_uring_cq_advance(&ring, 2);
	assert_int_equal(io_uring_peek_batch_cqe(&ring, cqes, 8), 1);
	assert_int_equal(cqes[0]->user_data, 2);
	io_uring_cq_advance(&ring, 1);

	fake_post_skip(fake.ring);
	assert_int_equal(io_uring_peek_batch_cqe(&ring, cqes, 8), 0);
	assert_int_equal(io_uring_cq_ready(&ring), 0);
	assert_int_equal(nr_enters(), 0);
	io_uring_queue_exit(&ring);
}

/* Only a filler there, and the kernel holds more back. */
static void behind_a_filler_is_an_overflow(void **state)
{
	struct io_uring_cqe *cqes[8];
	struct io_uring ring;

	init_ring(&ring, 2, IORING_SETUP_CQE_MIXED);
	post_numbers(0, 3, 0);
	fake_post_skip(fake.ring);
	post_numbers(4, 1, 0);
	assert_int_equal(io_uring_peek_batch_cqe(&ring, cqes, 8), 3);
	io_uring_cq_advance(&ring, 3);
	assert_int_equal(io_uring_peek_batch_cqe(&ring, cqes, 8), 1);
	assert_int_equal(cqes[0]->user_data, 4);
	assert_int_equal(nr_enters(), 1);
	io_uring_queue_exit(&ring);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FAKE_TEST(the_oldest_first),
		FAKE_TEST(none_asked_for),
		FAKE_TEST(an_empty_ring_is_flushed_once),
		FAKE_TEST(task_work_and_iopoll),
		FAKE_TEST(slots_of_32_bytes),
		FAKE_TEST(a_big_one_counts_as_one),
		FAKE_TEST(a_filler_is_never_returned),
		FAKE_TEST(behind_a_filler_is_an_overflow),
	};

	return RUN_FAKE_TESTS(tests);
}
