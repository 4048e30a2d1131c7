/* SPDX-License-Identifier: MIT */
/*
 * A wait on an older kernel submits on its way to the private timeout, and then
 * the kernel refuses something: the wait said -EINTR, whatever the error was, and
 * a count of submitted requests came with no CQE though one was there.
 */
#include "fake_test.h"

static struct __kernel_timespec ts = { .tv_nsec = 20 * MSEC };

static void init_old_ring(struct io_uring *ring)
{
	fake.features &= ~(IORING_FEAT_EXT_ARG | IORING_FEAT_MIN_TIMEOUT);
	init_ring(ring, 4, 0);
}

/* The SQ is full, so that there are two enters; the second is refused. */
static void refuse_second(struct io_uring *ring, unsigned first, int err)
{
	queue_nops(ring, 4, first);
	fake_next_enter((struct fake_step){ .leave = 0 });
	fake_next_enter((struct fake_step){ .err = err });
}

static void the_error_of_a_full_ring(void **state)
{
	static const int errs[] = { EBUSY, EAGAIN, EBADR, EINTR };
	struct io_uring_cqe *cqe;
	struct io_uring ring;
	unsigned i;

	for (i = 0; i < ARRAY_LEN(errs); i++) {
		init_old_ring(&ring);
		fake.due_ns = FAKE_NEVER;
		refuse_second(&ring, 7, errs[i]);
		cqe = POISON;
		assert_int_equal(io_uring_wait_cqes(&ring, &cqe, 1, &ts, NULL), -errs[i]);
		assert_null(cqe);
		assert_int_equal(io_uring_sq_ready(&ring), 0);
		io_uring_queue_exit(&ring);
	}
}

/* The first enter took some, and what came after was refused. */
static void the_error_after_a_part(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_old_ring(&ring);
	fake.due_ns = FAKE_NEVER;
	queue_nops(&ring, 2, 7);
	fake_next_enter((struct fake_step){ .leave = 2 });
	fake_next_enter((struct fake_step){ .err = EBUSY });
	assert_int_equal(io_uring_wait_cqes(&ring, &cqe, 1, &ts, NULL), -EBUSY);
	assert_null(cqe);
	assert_int_equal(io_uring_sq_ready(&ring), 1);
	io_uring_queue_exit(&ring);
}

static void a_cqe_that_is_there_is_shown(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_old_ring(&ring);
	fake.due_ns = FAKE_AT_SUBMIT;
	refuse_second(&ring, 7, EBUSY);
	assert_int_equal(io_uring_submit_and_wait_timeout(&ring, &cqe, 8, &ts, NULL), 4);
	assert_non_null(cqe);
	assert_int_equal(cqe->user_data, 7);
	io_uring_cq_advance(&ring, 4);

	refuse_second(&ring, 11, EBUSY);
	cqe = POISON;
	assert_int_equal(io_uring_wait_cqes(&ring, &cqe, 8, &ts, NULL), 0);
	assert_non_null(cqe);
	assert_int_equal(cqe->user_data, 11);
	io_uring_queue_exit(&ring);
}

/* A count without a CQE stays one. */
static void a_count_hides_the_error(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_old_ring(&ring);
	fake.due_ns = FAKE_NEVER;
	refuse_second(&ring, 7, EBUSY);
	assert_int_equal(io_uring_submit_and_wait_timeout(&ring, &cqe, 1, &ts, NULL), 4);
	assert_null(cqe);
	io_uring_queue_exit(&ring);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FAKE_TEST(the_error_of_a_full_ring),
		FAKE_TEST(the_error_after_a_part),
		FAKE_TEST(a_cqe_that_is_there_is_shown),
		FAKE_TEST(a_count_hides_the_error),
	};

	return RUN_FAKE_TESTS(tests);
}
