/* SPDX-License-Identifier: MIT */
/*
 * Waits with a time limit on kernels whose enter takes none: a private timeout
 * request limits them, and nobody may notice it.
 */
#include "fake_test.h"

#define GETEVENTS IORING_ENTER_GETEVENTS

static struct __kernel_timespec ts = { .tv_nsec = 20 * MSEC };

static void init_old_ring(struct io_uring *ring, unsigned flags)
{
	fake.features &= ~(IORING_FEAT_EXT_ARG | IORING_FEAT_MIN_TIMEOUT);
	init_ring(ring, 8, flags);
}

static int old_begin(void **state)
{
	fake_boot();
	fake_be_old();
	return 0;
}

static void check_nothing_visible(struct io_uring *ring)
{
	struct io_uring_cqe *cqe = POISON, *cqes[4];

	assert_int_equal(io_uring_peek_batch_cqe(ring, cqes, 4), 0);
	assert_int_equal(io_uring_peek_cqe(ring, &cqe), -EAGAIN);
	assert_null(cqe);
	assert_int_equal(io_uring_cq_ready(ring), 0);
}

static void a_private_request_goes_along(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	const struct io_uring_sqe *sqe;
	struct io_uring ring;
	sigset_t mask;

	init_old_ring(&ring, 0);
	queue_nops(&ring, 2, 7);
	assert_int_equal(io_uring_submit_and_wait_timeout(&ring, &cqe, 2, &ts, &mask), 2);
	assert_int_equal(cqe->user_data, 7);
	assert_int_equal(nr_enters(), 1);
	assert_enter(0, 3, 2, GETEVENTS);
	assert_ptr_equal((void *)fake_call(__NR_io_uring_enter, 0)->args[4], &mask);
	assert_int_equal(fake_call(__NR_io_uring_enter, 0)->args[5], 8);

	sqe = fake_taken(fake.ring, 2);
	assert_int_equal(sqe->opcode, IORING_OP_TIMEOUT);
	assert_int_equal(sqe->user_data, LIBURING_UDATA_TIMEOUT);
	assert_int_equal(sqe->addr, uring_ptr_to_u64(&ts));
	assert_int_equal(sqe->len, 1);
	assert_int_equal(sqe->off, 2);
	assert_int_equal(sqe->timeout_flags, 0);
	io_uring_queue_exit(&ring);
}

static void the_time_is_up(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;
	int64_t start;

	init_old_ring(&ring, 0);
	start = fake.now_ns;
	assert_int_equal(io_uring_wait_cqe_timeout(&ring, &cqe, &ts), -ETIME);
	assert_null(cqe);
	assert_int_equal(fake.now_ns - start, 20 * MSEC);
	assert_int_equal(nr_enters(), 1);
	check_nothing_visible(&ring);

	cqe = POISON;
	assert_int_equal(io_uring_wait_cqes(&ring, &cqe, 3, &ts, NULL), -ETIME);
	assert_null(cqe);
	cqe = POISON;
	assert_int_equal(io_uring_submit_and_wait_timeout(&ring, &cqe, 1, &ts, NULL), -ETIME);
	assert_null(cqe);
	assert_int_equal(nr_enters(), 3);
	io_uring_queue_exit(&ring);
}

static void submitted_and_the_time_is_up(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_old_ring(&ring, 0);
	fake.due_ns = FAKE_NEVER;
	queue_nops(&ring, 2, 7);
	assert_int_equal(io_uring_submit_and_wait_timeout(&ring, &cqe, 1, &ts, NULL), 2);
	assert_null(cqe);
	assert_int_equal(nr_enters(), 1);
	check_nothing_visible(&ring);

	/* A wait that submits on the way says the same as one that does not. */
	queue_nops(&ring, 2, 9);
	cqe = POISON;
	assert_int_equal(io_uring_wait_cqe_timeout(&ring, &cqe, &ts), -ETIME);
	assert_null(cqe);
	assert_int_equal(fake.ring->nr_taken, 6);
	check_nothing_visible(&ring);

	queue_nops(&ring, 2, 11);
	cqe = POISON;
	fake_next_enter((struct fake_step){ .wait_err = EINTR });
	assert_int_equal(io_uring_wait_cqe_timeout(&ring, &cqe, &ts), -EINTR);
	assert_null(cqe);
	io_uring_queue_exit(&ring);
}

static void it_completes_in_time(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_old_ring(&ring, 0);
	fake.due_ns = fake.now_ns + 5 * MSEC;
	queue_nops(&ring, 1, 7);
	assert_int_equal(io_uring_wait_cqe_timeout(&ring, &cqe, &ts), 0);
	assert_int_equal(cqe->user_data, 7);
	assert_int_equal(nr_enters(), 1);
	io_uring_cqe_seen(&ring, cqe);
	/* Its count made the private request end, too. */
	check_nothing_visible(&ring);
	io_uring_queue_exit(&ring);
}

/* One of three in time: it is the result, and what ended the wait is hidden. */
static void fewer_than_asked_in_time(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_old_ring(&ring, 0);
	queue_nops(&ring, 1, 7);
	fake.due_ns = FAKE_AT_SUBMIT;
	assert_int_equal(io_uring_wait_cqes(&ring, &cqe, 2, &ts, NULL), 0);
	assert_int_equal(cqe->user_data, 7);
	reap_one(&ring, 7, 0);
	check_nothing_visible(&ring);
	io_uring_queue_exit(&ring);
}

static void what_is_there_queues_nothing(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_old_ring(&ring, 0);
	fake_post(fake.ring, 1, 0, 0);
	assert_int_equal(io_uring_wait_cqe_timeout(&ring, &cqe, &ts), 0);
	assert_int_equal(cqe->user_data, 1);
	assert_int_equal(nr_enters(), 0);

	/* The number submitted, also with a CQE there before. */
	queue_nops(&ring, 2, 7);
	assert_int_equal(io_uring_submit_and_wait_timeout(&ring, &cqe, 1, &ts, NULL), 2);
	assert_int_equal(cqe->user_data, 1);
	assert_int_equal(fake.ring->nr_taken, 2);
	io_uring_queue_exit(&ring);
}

static void nothing_asked_for(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_old_ring(&ring, 0);
	assert_int_equal(io_uring_wait_cqes(&ring, &cqe, 0, &ts, NULL), -EAGAIN);
	assert_null(cqe);
	assert_int_equal(nr_enters(), 0);
	queue_nops(&ring, 2, 7);
	cqe = POISON;
	assert_int_equal(io_uring_submit_and_wait_timeout(&ring, &cqe, 0, &ts, NULL), 2);
	assert_null(cqe);
	assert_int_equal(fake.ring->nr_taken, 2);
	io_uring_queue_exit(&ring);
}

/* A signal ended it; its request expires in a later wait, and does not end that. */
static void a_stale_timeout_ends_no_later_wait(void **state)
{
	struct __kernel_timespec longer = { .tv_nsec = 100 * MSEC };
	struct io_uring_cqe *cqe;
	struct io_uring ring;
	unsigned way;

	init_old_ring(&ring, 0);
	for (way = 0; way < 3; way++) {
		cqe = POISON;
		fake_next_enter((struct fake_step){ .wait_err = EINTR });
		assert_int_equal(io_uring_wait_cqe_timeout(&ring, &cqe, &ts), -EINTR);
		assert_null(cqe);

		fake.due_ns = fake.now_ns + 50 * MSEC;
		queue_nops(&ring, 1, 7);
		assert_int_equal(io_uring_submit(&ring), 1);
		cqe = POISON;
		fake_forget();
		if (way == 0)
			assert_int_equal(io_uring_wait_cqe(&ring, &cqe), 0);
		if (way == 1)
			assert_int_equal(io_uring_wait_cqe_timeout(&ring, &cqe, &longer), 0);
		if (way == 2)
			assert_int_equal(io_uring_submit_and_wait_timeout(&ring, &cqe, 1, &longer,
									  NULL), 0);
		assert_non_null(cqe);
		assert_int_equal(nr_enters(), 2);
		reap_one(&ring, 7, 0);
		check_nothing_visible(&ring);
	}
	io_uring_queue_exit(&ring);
}

static void post_stale_timeout(struct fake_ring *ring)
{
	fake_post(ring, LIBURING_UDATA_TIMEOUT, -ETIME, 0);
}

static void a_stale_timeout_is_no_result_of_a_peek(void **state)
{
	struct io_uring_cqe *cqe = POISON, *cqes[4];
	struct io_uring ring;

	init_old_ring(&ring, 0);
	fake_post(fake.ring, LIBURING_UDATA_TIMEOUT, -ETIME, 0);
	fake_post(fake.ring, LIBURING_UDATA_TIMEOUT, 0, 0);
	assert_int_equal(io_uring_peek_cqe(&ring, &cqe), -EAGAIN);
	assert_null(cqe);
	assert_int_equal(io_uring_cq_ready(&ring), 0);

	/* Nor where it comes only with a flush. */
	*fake.ring->sq_flags |= IORING_SQ_CQ_OVERFLOW;
	fake_next_enter((struct fake_step){ .then = post_stale_timeout });
	assert_int_equal(io_uring_peek_cqe(&ring, &cqe), -EAGAIN);
	assert_null(cqe);
	assert_int_equal(io_uring_cq_ready(&ring), 0);

	post_stale_timeout(fake.ring);
	fake_post(fake.ring, 1, 0, 0);
	fake_post(fake.ring, 2, 0, 0);
	fake_post(fake.ring, LIBURING_UDATA_TIMEOUT, -ETIME, 0);
	fake_post(fake.ring, 3, 0, 0);
	assert_int_equal(io_uring_peek_batch_cqe(&ring, cqes, 4), 2);
	assert_int_equal(cqes[0]->user_data, 1);
	assert_int_equal(cqes[1]->user_data, 2);
	io_uring_cq_advance(&ring, 2);
	assert_int_equal(io_uring_peek_batch_cqe(&ring, cqes, 4), 1);
	assert_int_equal(cqes[0]->user_data, 3);
	io_uring_cq_advance(&ring, 1);
	check_nothing_visible(&ring);
	io_uring_queue_exit(&ring);
}

static void with_iopoll_the_time_is_up_too(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_old_ring(&ring, IORING_SETUP_IOPOLL);
	assert_int_equal(io_uring_wait_cqe_timeout(&ring, &cqe, &ts), -ETIME);
	assert_null(cqe);
	check_nothing_visible(&ring);
	io_uring_queue_exit(&ring);
}

static void with_sqpoll_the_thread_takes_it(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_old_ring(&ring, IORING_SETUP_SQPOLL);
	fake_sq_thread_sleep(fake.ring);
	queue_nops(&ring, 2, 7);
	assert_int_equal(io_uring_submit_and_wait_timeout(&ring, &cqe, 3, &ts, NULL), 2);
	assert_int_equal(cqe->user_data, 7);
	assert_enter(0, 3, 3, GETEVENTS | IORING_ENTER_SQ_WAKEUP);
	io_uring_cq_advance(&ring, 2);
	check_nothing_visible(&ring);
	io_uring_queue_exit(&ring);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FAKE_TEST(a_private_request_goes_along),
		FAKE_TEST(the_time_is_up),
		FAKE_TEST(submitted_and_the_time_is_up),
		FAKE_TEST(it_completes_in_time),
		FAKE_TEST(fewer_than_asked_in_time),
		FAKE_TEST(what_is_there_queues_nothing),
		FAKE_TEST(nothing_asked_for),
		FAKE_TEST(a_stale_timeout_ends_no_later_wait),
		FAKE_TEST(a_stale_timeout_is_no_result_of_a_peek),
		FAKE_TEST(with_iopoll_the_time_is_up_too),
		FAKE_TEST(with_sqpoll_the_thread_takes_it),
		cmocka_unit_test_setup_teardown(the_time_is_up, old_begin, fake_test_end),
		cmocka_unit_test_setup_teardown(it_completes_in_time, old_begin, fake_test_end),
	};

	return RUN_FAKE_TESTS(tests);
}
