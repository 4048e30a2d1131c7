/* SPDX-License-Identifier: MIT */
/*
 * A polling thread may take the private timeout of a wait, on a kernel whose enter
 * takes no time, when the wait is over: the request then pointed to the caller's
 * time, which was gone.
 */
#include "fake_test.h"

static void init_old_polled_ring(struct io_uring *ring, unsigned flags)
{
	fake.features &= ~(IORING_FEAT_EXT_ARG | IORING_FEAT_MIN_TIMEOUT);
	init_ring(ring, 8, IORING_SETUP_SQPOLL | flags);
}

/* A wait that a signal ends before the thread has looked; its time is then no more. */
static void wait_in_vain(struct io_uring *ring, bool submits)
{
	struct __kernel_timespec ts = { .tv_sec = 1, .tv_nsec = 20 * MSEC };
	struct io_uring_cqe *cqe = POISON;
	int ret;

	fake_next_enter((struct fake_step){ .wait_err = EINTR });
	if (submits)
		ret = io_uring_submit_and_wait_timeout(ring, &cqe, 1, &ts, NULL);
	else
		ret = io_uring_wait_cqe_timeout(ring, &cqe, &ts);
	assert_int_equal(ret, -EINTR);
	assert_null(cqe);
	assert_int_equal(fake.ring->nr_taken, 0);
	memset(&ts, 0xa5, sizeof(ts));
}

static void check_late(unsigned flags, bool submits)
{
	const struct io_uring_sqe *sqe;
	struct io_uring ring;
	const char *time, *sqes;

	init_old_polled_ring(&ring, flags);
	wait_in_vain(&ring, submits);
	assert_int_equal(io_uring_sq_ready(&ring), 1);
	assert_int_equal(fake_sq_thread_run(fake.ring, FAKE_ALL), 1);
	assert_int_equal(fake.ring->nr_reqs, 1);
	assert_int_equal(fake.ring->reqs[0].due_ns, fake.now_ns + 1020 * MSEC);

	/* It lies with the SQEs, which are there as long as the ring is. */
	sqe = fake_taken(fake.ring, 0);
	time = (const char *)(uintptr_t)sqe->addr;
	sqes = (const char *)ring.sq.sqes;
	assert_true(time >= sqes && time + 16 <= sqes + 64);
	io_uring_queue_exit(&ring);
}

static void the_time_outlives_the_wait(void **state)
{
	check_late(0, false);
	check_late(0, true);
	check_late(IORING_SETUP_SQE128, false);
}

/* When it is taken its slot is the program's again, and clean. */
static void the_slot_is_clean_afterwards(void **state)
{
	static const struct io_uring_sqe zero;
	struct io_uring_sqe *sqe;
	struct io_uring ring;
	unsigned i;

	init_old_polled_ring(&ring, 0);
	wait_in_vain(&ring, false);
	assert_int_equal(fake_sq_thread_run(fake.ring, FAKE_ALL), 1);
	for (i = 0; i < 8; i++) {
		sqe = io_uring_get_sqe(&ring);
		assert_non_null(sqe);
		assert_memory_equal(sqe, &zero, sizeof(zero));
	}
	io_uring_queue_exit(&ring);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FAKE_TEST(the_time_outlives_the_wait),
		FAKE_TEST(the_slot_is_clean_afterwards),
	};

	return RUN_FAKE_TESTS(tests);
}
