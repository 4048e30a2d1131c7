/* SPDX-License-Identifier: MIT */
/*
 * Waits with a time limit that come back with nothing before the time is up: the
 * next enter of the same call gets what is left.
 */
#include "fake_test.h"

#define FLAGS (IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG)

/* The next nr enters come back after this time, and bring nothing. */
static void wake_early(unsigned nr, int64_t after_ns)
{
	while (nr--)
		fake_next_enter((struct fake_step){ .advance_ns = after_ns, .early = true });
}

static int64_t enter_timeout_ns(unsigned idx)
{
	return fake_call(__NR_io_uring_enter, idx)->timeout_ns;
}

static void the_rest_gets_shorter(void **state)
{
	struct __kernel_timespec ts = { .tv_nsec = 100 * MSEC };
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;
	int64_t start;

	init_ring(&ring, 8, 0);
	start = fake.now_ns;
	wake_early(2, 30 * MSEC);
	assert_int_equal(io_uring_wait_cqes(&ring, &cqe, 3, &ts, NULL), -ETIME);
	assert_null(cqe);
	assert_int_equal(fake.now_ns - start, 100 * MSEC);
	assert_int_equal(nr_enters(), 3);
	assert_enter(0, 0, 3, FLAGS);
	assert_enter(1, 0, 1, FLAGS);
	assert_enter(2, 0, 1, FLAGS);
	assert_int_equal(enter_timeout_ns(0), 100 * MSEC);
	assert_int_equal(enter_timeout_ns(1), 70 * MSEC);
	assert_int_equal(enter_timeout_ns(2), 40 * MSEC);
	assert_int_equal(ts.tv_nsec, 100 * MSEC);
	assert_int_equal(fake.nr_clock_reads, 3);
	io_uring_queue_exit(&ring);
}

static void nothing_is_left(void **state)
{
	struct __kernel_timespec ts = { .tv_nsec = 100 * MSEC };
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_ring(&ring, 8, 0);
	wake_early(1, 101 * MSEC);
	assert_int_equal(io_uring_wait_cqe_timeout(&ring, &cqe, &ts), -ETIME);
	assert_null(cqe);
	assert_int_equal(nr_enters(), 1);
	io_uring_queue_exit(&ring);
}

static void a_cqe_comes_in_the_rest(void **state)
{
	struct __kernel_timespec ts = { .tv_nsec = 100 * MSEC };
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_ring(&ring, 8, 0);
	fake.due_ns = fake.now_ns + 80 * MSEC;
	queue_nops(&ring, 1, 7);
	assert_int_equal(io_uring_submit(&ring), 1);
	wake_early(1, 30 * MSEC);
	assert_int_equal(io_uring_submit_and_wait_timeout(&ring, &cqe, 1, &ts, NULL), 0);
	assert_int_equal(cqe->user_data, 7);
	io_uring_queue_exit(&ring);
}

/* The clock starts at first_ns: seconds are borrowed and carried. */
static int64_t left_after(struct __kernel_timespec ts, int64_t first_ns, int64_t passed_ns)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;
	int64_t left;

	init_ring(&ring, 8, 0);
	fake.now_ns = first_ns;
	wake_early(1, passed_ns);
	assert_int_equal(io_uring_wait_cqe_timeout(&ring, &cqe, &ts), -ETIME);
	assert_null(cqe);
	left = nr_enters() == 2 ? enter_timeout_ns(1) : -1;
	io_uring_queue_exit(&ring);
	return left;
}

static void seconds_and_nanoseconds(void **state)
{
	const struct __kernel_timespec brief = { .tv_sec = 3, .tv_nsec = 5 };
	const struct __kernel_timespec almost = { .tv_sec = 3, .tv_nsec = 999999999 };
	const struct __kernel_timespec past = { .tv_sec = -1 };

	assert_int_equal(left_after(brief, 10 * SEC, 5), 3 * SEC);
	assert_int_equal(left_after(brief, 10 * SEC, 6), 3 * SEC - 1);
	assert_int_equal(left_after(brief, 11 * SEC - 1, 2 * SEC), SEC + 5);
	assert_int_equal(left_after(almost, 11 * SEC - 1, 1), 4 * SEC - 2);
	assert_int_equal(left_after(almost, 11 * SEC - 1, 3 * SEC), SEC - 1);
	assert_int_equal(left_after(brief, 10 * SEC, 3 * SEC + 4), 1);
	assert_int_equal(left_after(brief, 10 * SEC, 3 * SEC + 5), -1);
	assert_int_equal(left_after(past, 10 * SEC, 0), -1);
}

/* The kernel takes nanoseconds of more than a second, and negative ones. */
static void nanoseconds_beyond_a_second(void **state)
{
	const struct __kernel_timespec all_nsec = { .tv_nsec = 5 * SEC };
	const struct __kernel_timespec minus = { .tv_sec = 3, .tv_nsec = -2500 * MSEC };

	assert_int_equal(left_after(all_nsec, 11 * SEC - 1, 2 * SEC), 3 * SEC);
	assert_int_equal(left_after(minus, 10 * SEC, 100 * MSEC), 400 * MSEC);
	assert_int_equal(left_after(minus, 10 * SEC, 600 * MSEC), -1);
}

/* To the end of the clock and no further. */
static void more_than_the_clock_has(void **state)
{
	struct __kernel_timespec ts = { .tv_sec = 1, .tv_nsec = INT64_MAX };
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_ring(&ring, 8, 0);
	fake.now_ns = 10 * SEC;
	wake_early(1, 2 * SEC);
	fake_next_enter((struct fake_step){ .wait_err = EINTR });
	assert_int_equal(io_uring_wait_cqe_timeout(&ring, &cqe, &ts), -EINTR);
	assert_null(cqe);
	assert_int_equal(nr_enters(), 2);
	assert_true(enter_timeout_ns(1) == INT64_MAX - 12 * SEC);
	io_uring_queue_exit(&ring);
}

/* The clock runs from the enter that waits, not from one that took a part. */
static void after_a_submission(void **state)
{
	struct __kernel_timespec ts = { .tv_nsec = 100 * MSEC };
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_ring(&ring, 8, 0);
	fake.due_ns = FAKE_NEVER;
	queue_nops(&ring, 2, 7);
	fake_next_enter((struct fake_step){ .leave = FAKE_ALL, .advance_ns = 50 * MSEC });
	wake_early(1, 30 * MSEC);
	assert_int_equal(io_uring_submit_and_wait_timeout(&ring, &cqe, 1, &ts, NULL), -ETIME);
	assert_null(cqe);
	assert_int_equal(nr_enters(), 3);
	assert_int_equal(enter_timeout_ns(2), 70 * MSEC);
	io_uring_queue_exit(&ring);
}

static void a_minimum_counts_once(void **state)
{
	struct __kernel_timespec ts = { .tv_nsec = 100 * MSEC };
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_ring(&ring, 8, 0);
	wake_early(1, 30 * MSEC);
	assert_int_equal(io_uring_wait_cqes_min_timeout(&ring, &cqe, 4, &ts, 50000, NULL), -ETIME);
	assert_null(cqe);
	assert_int_equal(nr_enters(), 2);
	assert_int_equal(fake_call(__NR_io_uring_enter, 0)->ext_arg.min_wait_usec, 50000);
	assert_int_equal(fake_call(__NR_io_uring_enter, 1)->ext_arg.min_wait_usec, 0);
	assert_int_equal(enter_timeout_ns(1), 70 * MSEC);
	io_uring_queue_exit(&ring);
}

/* Of a registered time the library knows nothing: what to do next the program decides. */
static void a_registered_wait_ends(void **state)
{
	struct io_uring_reg_wait args = {
		.ts = { .tv_nsec = 100 * MSEC }, .flags = IORING_REG_WAIT_TS,
	};
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_ring(&ring, 8, 0);
	register_wait_args(&ring, &args, 1);
	wake_early(1, 30 * MSEC);
	assert_int_equal(io_uring_submit_and_wait_reg(&ring, &cqe, 1, 0), -EINTR);
	assert_null(cqe);
	assert_int_equal(nr_enters(), 1);
	io_uring_queue_exit(&ring);
}

/* Waits without a limit ask no clock, and go on. */
static void without_a_limit(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_ring(&ring, 8, 0);
	queue_nops(&ring, 1, 7);
	assert_int_equal(io_uring_submit(&ring), 1);
	wake_early(3, 30 * MSEC);
	assert_int_equal(io_uring_wait_cqe_timeout(&ring, &cqe, NULL), 0);
	assert_int_equal(cqe->user_data, 7);
	assert_int_equal(fake.nr_clock_reads, 0);
	io_uring_queue_exit(&ring);
}

/* A program that submits with each wait pays for no look at the clock. */
static void submitting_along_asks_no_clock(void **state)
{
	struct __kernel_timespec ts = { .tv_nsec = 100 * MSEC };
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_ring(&ring, 8, 0);
	queue_nops(&ring, 1, 7);
	assert_int_equal(io_uring_submit_and_wait_timeout(&ring, &cqe, 1, &ts, NULL), 1);
	assert_int_equal(cqe->user_data, 7);
	assert_int_equal(nr_enters(), 1);
	assert_int_equal(fake.nr_clock_reads, 0);
	io_uring_queue_exit(&ring);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FAKE_TEST(the_rest_gets_shorter),
		FAKE_TEST(nothing_is_left),
		FAKE_TEST(a_cqe_comes_in_the_rest),
		FAKE_TEST(seconds_and_nanoseconds),
		FAKE_TEST(nanoseconds_beyond_a_second),
		FAKE_TEST(more_than_the_clock_has),
		FAKE_TEST(after_a_submission),
		FAKE_TEST(a_minimum_counts_once),
		FAKE_TEST(a_registered_wait_ends),
		FAKE_TEST(without_a_limit),
		FAKE_TEST(submitting_along_asks_no_clock),
	};

	return RUN_FAKE_TESTS(tests);
}
