/* SPDX-License-Identifier: MIT */
/*
 * An enter takes a part of the SQEs, which complete, and the one with the rest
 * fails: the part was submitted, and the CQE that is there is given along with the
 * count. (NULL was given, as though nothing had completed.)
 */
#include "fake_test.h"

static void complete_first(struct fake_ring *ring)
{
	fake_complete(ring, 1, 5);
}

static void check_part(unsigned flags, int err, bool completes)
{
	struct __kernel_timespec ts = { .tv_sec = 1 };
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_ring(&ring, 8, flags);
	fake.due_ns = FAKE_NEVER;
	queue_nops(&ring, 3, 1);
	fake_next_enter(
		(struct fake_step){ .leave = 2, .then = completes ? complete_first : NULL });
	fake_next_enter((struct fake_step){ .err = err });
	assert_int_equal(io_uring_submit_and_wait_timeout(&ring, &cqe, 2, &ts, NULL), 1);
	assert_int_equal(nr_enters(), 2);
	assert_int_equal(io_uring_sq_ready(&ring), 2);
	if (completes) {
		assert_non_null(cqe);
		assert_int_equal(cqe->user_data, 1);
		assert_int_equal(cqe->res, 5);
	} else {
		assert_null(cqe);
	}
	io_uring_queue_exit(&ring);
}

static void the_cqe_of_the_part_is_given(void **state)
{
	check_part(0, EBUSY, true);
	check_part(0, EAGAIN, true);
	check_part(IORING_SETUP_CQE32, EBADR, true);
	check_part(IORING_SETUP_SQ_REWIND, EBUSY, true);
}

static void without_one_it_is_null(void **state)
{
	check_part(0, EBUSY, false);
	check_part(IORING_SETUP_SQ_REWIND, EAGAIN, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FAKE_TEST(the_cqe_of_the_part_is_given),
		FAKE_TEST(without_one_it_is_null),
	};

	return RUN_FAKE_TESTS(tests);
}
