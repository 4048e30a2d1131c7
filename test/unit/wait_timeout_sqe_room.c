/* SPDX-License-Identifier: MIT */
/*
 * The private timeout request of a wait on an older kernel, where the SQ has no
 * room for it or the kernel does not take it.
 */
#include "fake_test.h"

#define GETEVENTS IORING_ENTER_GETEVENTS

static struct __kernel_timespec ts = { .tv_nsec = 20 * MSEC };

static void init_old_ring(struct io_uring *ring, unsigned entries, unsigned flags)
{
	fake.features &= ~(IORING_FEAT_EXT_ARG | IORING_FEAT_MIN_TIMEOUT);
	init_ring(ring, entries, flags);
}

static void a_full_ring_is_submitted_first(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_old_ring(&ring, 4, 0);
	queue_nops(&ring, 4, 7);
	assert_int_equal(io_uring_submit_and_wait_timeout(&ring, &cqe, 1, &ts, NULL), 4);
	assert_int_equal(cqe->user_data, 7);
	assert_int_equal(nr_enters(), 2);
	assert_enter(0, 4, 0, 0);
	assert_enter(1, 1, 1, GETEVENTS);
	io_uring_cq_advance(&ring, io_uring_cq_ready(&ring));

	/* These were submitted, whatever comes after. */
	queue_nops(&ring, 4, 7);
	fake_next_enter((struct fake_step){ .leave = 0 });
	fake_next_enter((struct fake_step){ .err = EBUSY });
	assert_int_equal(io_uring_submit_and_wait_timeout(&ring, &cqe, 1, &ts, NULL), 4);
	assert_null(cqe);
	io_uring_queue_exit(&ring);
}

static void a_ring_that_stays_full(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_old_ring(&ring, 4, 0);
	queue_nops(&ring, 4, 7);
	fake_next_enter((struct fake_step){ .leave = FAKE_ALL });
	assert_int_equal(io_uring_wait_cqe_timeout(&ring, &cqe, &ts), -EAGAIN);
	assert_null(cqe);
	assert_int_equal(nr_enters(), 1);

	cqe = POISON;
	fake_next_enter((struct fake_step){ .err = EBUSY });
	assert_int_equal(io_uring_wait_cqe_timeout(&ring, &cqe, &ts), -EBUSY);
	assert_null(cqe);
	assert_int_equal(io_uring_submit(&ring), 4);
	io_uring_queue_exit(&ring);
}

/*
 * Refused together with the program's requests, it must not stay in the SQ: the
 * time that it points to is gone by then, and a submit would count it.
 */
static void a_refused_request_does_not_stay_queued(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_old_ring(&ring, 4, 0);
	queue_nops(&ring, 2, 7);
	fake_next_enter((struct fake_step){ .err = EBUSY });
	assert_int_equal(io_uring_submit_and_wait_timeout(&ring, &cqe, 1, &ts, NULL), -EBUSY);
	assert_null(cqe);
	assert_int_equal(io_uring_sq_ready(&ring), 2);
	assert_int_equal(ring.sq.sqe_head, ring.sq.sqe_tail);
	assert_int_equal(*ring.sq.ktail, ring.sq.sqe_tail);

	queue_nops(&ring, 2, 9);
	assert_null(io_uring_get_sqe(&ring));
	assert_int_equal(io_uring_submit_and_wait(&ring, 4), 4);
	reap_one(&ring, 7, 0);
	reap_one(&ring, 8, 0);
	reap_one(&ring, 9, 0);
	reap_one(&ring, 10, 0);

	/* Taken in part, the same. */
	queue_nops(&ring, 2, 7);
	fake_next_enter((struct fake_step){ .leave = 2 });
	fake_next_enter((struct fake_step){ .err = EAGAIN });
	assert_int_equal(io_uring_submit_and_wait_timeout(&ring, &cqe, 1, &ts, NULL), 1);
	assert_null(cqe);
	assert_int_equal(io_uring_sq_ready(&ring), 1);
	assert_int_equal(io_uring_submit_and_wait(&ring, 2), 1);
	reap_one(&ring, 7, 0);
	reap_one(&ring, 8, 0);
	io_uring_queue_exit(&ring);
}

/* Its slot is taken next, and is a big one where all are. */
static void the_slot_of_a_refused_request(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_old_ring(&ring, 4, IORING_SETUP_SQE128);
	queue_nops(&ring, 1, 7);
	fake_next_enter((struct fake_step){ .err = EBUSY });
	assert_int_equal(io_uring_submit_and_wait_timeout(&ring, &cqe, 1, &ts, NULL), -EBUSY);
	assert_ptr_equal(io_uring_get_sqe(&ring), &ring.sq.sqes[2]);
	io_uring_queue_exit(&ring);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FAKE_TEST(a_full_ring_is_submitted_first),
		FAKE_TEST(a_ring_that_stays_full),
		FAKE_TEST(a_refused_request_does_not_stay_queued),
		FAKE_TEST(the_slot_of_a_refused_request),
	};

	return RUN_FAKE_TESTS(tests);
}
