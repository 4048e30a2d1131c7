/* SPDX-License-Identifier: MIT */
/*
 * Waits with a time limit where the enter itself takes one (IORING_FEAT_EXT_ARG).
 */
#include "fake_test.h"

#define FLAGS (IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG)

static struct __kernel_timespec ts = { .tv_nsec = 20 * MSEC };

/* Nothing was submitted, published or consumed. */
static void check_untouched(const struct io_uring *ring, unsigned nr_queued)
{
	assert_int_equal(io_uring_sq_ready(ring), nr_queued);
	assert_int_equal(*ring->sq.ktail, *ring->sq.khead);
	assert_int_equal(ring->sq.sqe_head, *ring->sq.ktail);
	assert_int_equal(fake.ring->nr_taken, 0);
}

static void the_limit_is_in_the_argument(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	const struct fake_call *call;
	struct io_uring ring;
	sigset_t mask;

	init_ring(&ring, 8, 0);
	queue_nops(&ring, 2, 7);
	assert_int_equal(io_uring_wait_cqes(&ring, &cqe, 3, &ts, &mask), -ETIME);
	assert_null(cqe);
	assert_int_equal(nr_enters(), 1);
	assert_enter(0, 0, 3, FLAGS);
	call = fake_call(__NR_io_uring_enter, 0);
	assert_int_equal(call->args[5], sizeof(struct io_uring_getevents_arg));
	assert_int_equal(call->ext_arg.ts, uring_ptr_to_u64(&ts));
	assert_int_equal(call->ext_arg.sigmask, uring_ptr_to_u64(&mask));
	assert_int_equal(call->ext_arg.sigmask_sz, 8);
	assert_int_equal(call->ext_arg.min_wait_usec, 0);
	check_untouched(&ring, 2);
	io_uring_queue_exit(&ring);
}

static void the_time_is_up(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;
	int64_t start;

	init_ring(&ring, 8, 0);
	start = fake.now_ns;
	assert_int_equal(io_uring_wait_cqe_timeout(&ring, &cqe, &ts), -ETIME);
	assert_null(cqe);
	assert_int_equal(fake.now_ns - start, 20 * MSEC);
	assert_int_equal(nr_enters(), 1);
	io_uring_queue_exit(&ring);
}

static void it_completes_in_time(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_ring(&ring, 8, 0);
	fake.due_ns = fake.now_ns + 5 * MSEC;
	queue_nops(&ring, 1, 7);
	assert_int_equal(io_uring_submit(&ring), 1);
	assert_int_equal(io_uring_wait_cqe_timeout(&ring, &cqe, &ts), 0);
	assert_int_equal(cqe->user_data, 7);
	assert_int_equal(nr_enters(), 2);
	io_uring_queue_exit(&ring);
}

static void without_a_limit(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_ring(&ring, 8, 0);
	queue_nops(&ring, 1, 7);
	assert_int_equal(io_uring_submit(&ring), 1);
	assert_int_equal(io_uring_wait_cqe_timeout(&ring, &cqe, NULL), 0);
	assert_int_equal(cqe->user_data, 7);
	assert_enter(1, 0, 1, IORING_ENTER_GETEVENTS);
	io_uring_queue_exit(&ring);
}

/* The time runs once, however many enters the submission takes. */
static void taken_in_part_it_waits_once(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;
	int64_t start;

	init_ring(&ring, 8, 0);
	fake.due_ns = FAKE_NEVER;
	queue_nops(&ring, 3, 7);
	start = fake.now_ns;
	fake_next_enter((struct fake_step){ .leave = 2 });
	assert_int_equal(io_uring_submit_and_wait_timeout(&ring, &cqe, 1, &ts, NULL), 3);
	assert_null(cqe);
	assert_int_equal(fake.now_ns - start, 20 * MSEC);
	assert_int_equal(nr_enters(), 2);
	assert_enter(0, 3, 1, FLAGS);
	assert_enter(1, 2, 1, FLAGS);
	io_uring_queue_exit(&ring);
}

static void submitted_and_completed(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_ring(&ring, 8, 0);
	queue_nops(&ring, 2, 7);
	assert_int_equal(io_uring_submit_and_wait_timeout(&ring, &cqe, 2, &ts, NULL), 2);
	assert_int_equal(cqe->user_data, 7);
	assert_int_equal(nr_enters(), 1);
	assert_enter(0, 2, 2, FLAGS);
	io_uring_queue_exit(&ring);
}

static void submitted_with_a_cqe_there_before(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_ring(&ring, 8, 0);
	fake_post(fake.ring, 1, 0, 0);
	queue_nops(&ring, 2, 7);
	assert_int_equal(io_uring_submit_and_wait_timeout(&ring, &cqe, 1, &ts, NULL), 2);
	assert_int_equal(cqe->user_data, 1);
	assert_int_equal(nr_enters(), 1);
	assert_int_equal(io_uring_submit_and_wait_timeout(&ring, &cqe, 1, &ts, NULL), 0);
	assert_int_equal(cqe->user_data, 1);
	assert_int_equal(nr_enters(), 1);
	io_uring_queue_exit(&ring);
}

static void submitted_and_the_time_is_up(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_ring(&ring, 8, 0);
	fake.due_ns = FAKE_NEVER;
	queue_nops(&ring, 2, 7);
	assert_int_equal(io_uring_submit_and_wait_timeout(&ring, &cqe, 1, &ts, NULL), 2);
	assert_null(cqe);
	assert_int_equal(nr_enters(), 1);
	io_uring_queue_exit(&ring);
}

static void nothing_submitted_and_the_time_is_up(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_ring(&ring, 8, 0);
	assert_int_equal(io_uring_submit_and_wait_timeout(&ring, &cqe, 1, &ts, NULL), -ETIME);
	assert_null(cqe);
	assert_int_equal(nr_enters(), 1);
	io_uring_queue_exit(&ring);
}

/* One of the two that were waited for came in time. */
static void fewer_than_asked_in_time(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_ring(&ring, 8, 0);
	queue_nops(&ring, 1, 7);
	assert_int_equal(io_uring_submit(&ring), 1);
	assert_int_equal(io_uring_submit_and_wait_timeout(&ring, &cqe, 2, &ts, NULL), 0);
	assert_int_equal(cqe->user_data, 7);
	assert_int_equal(nr_enters(), 2);
	io_uring_queue_exit(&ring);
}

static void a_minimum_wait(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	const struct fake_call *call;
	struct io_uring ring;
	int64_t start;

	init_ring(&ring, 8, 0);
	fake.due_ns = fake.now_ns + 1 * MSEC;
	queue_nops(&ring, 1, 7);
	start = fake.now_ns;
	assert_int_equal(io_uring_submit_and_wait_min_timeout(&ring, &cqe, 4, &ts, 5000, NULL), 1);
	assert_int_equal(cqe->user_data, 7);
	assert_int_equal(fake.now_ns - start, 5 * MSEC);
	assert_enter(0, 1, 4, FLAGS);
	call = fake_call(__NR_io_uring_enter, 0);
	assert_int_equal(call->ext_arg.min_wait_usec, 5000);
	assert_int_equal(call->ext_arg.ts, uring_ptr_to_u64(&ts));

	fake_forget();
	assert_int_equal(io_uring_wait_cqes_min_timeout(&ring, &cqe, 4, &ts, 5000, NULL), 0);
	assert_int_equal(cqe->user_data, 7);
	assert_enter(0, 0, 4, FLAGS);
	assert_int_equal(nr_enters(), 1);
	io_uring_queue_exit(&ring);
}

static void a_minimum_wait_without_the_feature(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	fake.features &= ~IORING_FEAT_MIN_TIMEOUT;
	init_ring(&ring, 8, 0);
	queue_nops(&ring, 2, 7);
	fake_post(fake.ring, 1, 0, 0);
	assert_int_equal(io_uring_submit_and_wait_min_timeout(&ring, &cqe, 1, &ts, 5, NULL),
			 -EINVAL);
	assert_null(cqe);
	cqe = POISON;
	assert_int_equal(io_uring_wait_cqes_min_timeout(&ring, &cqe, 1, &ts, 5, NULL), -EINVAL);
	assert_null(cqe);
	assert_int_equal(fake_nr(-1), 0);
	check_untouched(&ring, 2);
	reap_one(&ring, 1, 0);
	io_uring_queue_exit(&ring);
}

static void registered_arguments(void **state)
{
	struct io_uring_reg_wait args[4] = {
		[3] = { .ts = { .tv_nsec = 7 * MSEC }, .flags = IORING_REG_WAIT_TS },
	};
	struct io_uring_cqe *cqe = POISON;
	const struct fake_call *call;
	struct io_uring ring;
	int64_t start;

	init_ring(&ring, 8, 0);
	register_wait_args(&ring, args, ARRAY_LEN(args));
	start = fake.now_ns;
	assert_int_equal(io_uring_submit_and_wait_reg(&ring, &cqe, 2, 3), -ETIME);
	assert_null(cqe);
	assert_int_equal(fake.now_ns - start, 7 * MSEC);
	assert_int_equal(nr_enters(), 1);
	assert_enter(0, 0, 2, FLAGS | IORING_ENTER_EXT_ARG_REG);
	call = fake_call(__NR_io_uring_enter, 0);
	assert_int_equal(call->args[4], 3 * sizeof(struct io_uring_reg_wait));
	assert_int_equal(call->args[5], sizeof(struct io_uring_reg_wait));

	/* An index that is not there is the kernel's to refuse. */
	cqe = POISON;
	assert_int_equal(io_uring_submit_and_wait_reg(&ring, &cqe, 2, 4), -EFAULT);
	assert_null(cqe);
	queue_nops(&ring, 2, 7);
	assert_int_equal(io_uring_submit_and_wait_reg(&ring, &cqe, 2, 0), 2);
	assert_int_equal(cqe->user_data, 7);
	io_uring_queue_exit(&ring);
}

static void registered_arguments_without_the_feature(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	fake.features &= ~IORING_FEAT_EXT_ARG;
	init_ring(&ring, 8, 0);
	queue_nops(&ring, 2, 7);
	fake_post(fake.ring, 1, 0, 0);
	assert_int_equal(io_uring_submit_and_wait_reg(&ring, &cqe, 1, 0), -EINVAL);
	assert_null(cqe);
	assert_int_equal(fake_nr(-1), 0);
	check_untouched(&ring, 2);
	io_uring_queue_exit(&ring);
}

static void register_wait_reg_is_obsolete(void **state)
{
	struct io_uring_reg_wait args = { .flags = 0 };
	struct io_uring ring;

	init_ring(&ring, 8, 0);
	assert_int_equal(io_uring_register_wait_reg(&ring, &args, 1), -EINVAL);
	assert_int_equal(fake_nr(-1), 0);
	io_uring_queue_exit(&ring);
}

/* A kernel that polls looks at no clock: the loop has to. */
static void with_iopoll_the_time_is_up_too(void **state)
{
	struct __kernel_timespec longer = { .tv_nsec = 100 * MSEC };
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;
	int64_t start;

	init_ring(&ring, 8, IORING_SETUP_IOPOLL);
	start = fake.now_ns;
	assert_int_equal(io_uring_wait_cqe_timeout(&ring, &cqe, &longer), -ETIME);
	assert_null(cqe);
	assert_true(fake.now_ns - start >= 100 * MSEC && fake.now_ns - start < 200 * MSEC);
	io_uring_queue_exit(&ring);
}

static void a_limit_beyond_all_clocks(void **state)
{
	struct __kernel_timespec forever = { .tv_sec = INT64_MAX, .tv_nsec = 999999999 };
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_ring(&ring, 8, 0);
	queue_nops(&ring, 1, 7);
	assert_int_equal(io_uring_submit_and_wait_timeout(&ring, &cqe, 1, &forever, NULL), 1);
	assert_int_equal(cqe->user_data, 7);
	io_uring_queue_exit(&ring);

	init_ring(&ring, 8, IORING_SETUP_IOPOLL);
	fake.due_ns = fake.now_ns + 1;
	queue_nops(&ring, 1, 7);
	fake_next_enter((struct fake_step){ .early = true });
	assert_int_equal(io_uring_submit_and_wait_timeout(&ring, &cqe, 1, &forever, NULL), 1);
	assert_int_equal(cqe->user_data, 7);
	io_uring_queue_exit(&ring);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FAKE_TEST(the_limit_is_in_the_argument),
		FAKE_TEST(the_time_is_up),
		FAKE_TEST(it_completes_in_time),
		FAKE_TEST(without_a_limit),
		FAKE_TEST(taken_in_part_it_waits_once),
		FAKE_TEST(submitted_and_completed),
		FAKE_TEST(submitted_with_a_cqe_there_before),
		FAKE_TEST(submitted_and_the_time_is_up),
		FAKE_TEST(nothing_submitted_and_the_time_is_up),
		FAKE_TEST(fewer_than_asked_in_time),
		FAKE_TEST(a_minimum_wait),
		FAKE_TEST(a_minimum_wait_without_the_feature),
		FAKE_TEST(registered_arguments),
		FAKE_TEST(registered_arguments_without_the_feature),
		FAKE_TEST(register_wait_reg_is_obsolete),
		FAKE_TEST(with_iopoll_the_time_is_up_too),
		FAKE_TEST(a_limit_beyond_all_clocks),
	};

	return RUN_FAKE_TESTS(tests);
}
