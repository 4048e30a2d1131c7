/* SPDX-License-Identifier: MIT */
/*
 * A ring of two threads of the program's, without a lock: one submits and one
 * reaps, and what the first wrote before its submit the second reads after the
 * CQE. Neither may touch what is the other's.
 */
#include "order_kernel.h"

#include <pthread.h>

#define ENTRIES 8
#define FEATURES IORING_FEAT_EXT_ARG

struct reaper {
	struct io_uring *ring;
	unsigned nr_wrong;
	void (*wait)(struct io_uring *ring, struct io_uring_cqe **cqe);
};

/* What the submitting thread writes and the reaping one reads, by user_data. */
static unsigned messages[ENTRIES * 4];
static unsigned nr_reaped;

static __u64 taken[ENTRIES];
static unsigned nr_taken;

static void see(const struct io_uring_sqe *sqe)
{
	taken[nr_taken++] = sqe->user_data;
}

/* Each SQE becomes a CQE as soon as there is room. */
static void complete_all(void)
{
	unsigned nr, i;

	while (!order_stopped()) {
		nr_taken = 0;
		nr = order_take(ENTRIES, see);
		for (i = 0; i < nr; i++)
			while (!order_post(taken[i], 1, 0) && !order_stopped())
				order_pause();
		order_pause();
	}
}

static void wait_one(struct io_uring *ring, struct io_uring_cqe **cqe)
{
	while (io_uring_wait_cqe(ring, cqe))
		order_pause();
}

static void wait_with_time(struct io_uring *ring, struct io_uring_cqe **cqe)
{
	struct __kernel_timespec ts = { .tv_sec = 1 };

	while (io_uring_wait_cqe_timeout(ring, cqe, &ts))
		order_pause();
}

static void wait_by_peeking(struct io_uring *ring, struct io_uring_cqe **cqe)
{
	while (io_uring_peek_cqe(ring, cqe))
		order_pause();
}

static void *reap(void *arg)
{
	struct reaper *reaper = arg;
	struct io_uring_cqe *cqe;
	unsigned i;

	for (i = 0; i < ORDER_TIMES; i++) {
		reaper->wait(reaper->ring, &cqe);
		reaper->nr_wrong += cqe->user_data != i || messages[i % ARRAY_LEN(messages)] != i;
		io_uring_cqe_seen(reaper->ring, cqe);
		__atomic_store_n(&nr_reaped, i + 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

static void run(unsigned flags, void (*wait)(struct io_uring *ring, struct io_uring_cqe **cqe))
{
	struct io_uring ring;
	struct reaper reaper = { .ring = &ring, .wait = wait };
	struct io_uring_sqe *sqe;
	pthread_t thread;
	unsigned i;

	nr_reaped = 0;
	order_open(&ring, ENTRIES, 2 * ENTRIES, flags, FEATURES);
	order_start(complete_all);
	assert_int_equal(pthread_create(&thread, NULL, reap, &reaper), 0);
	for (i = 0; i < ORDER_TIMES; i++) {
		/* A message is written again when it has been read. */
		while (i - __atomic_load_n(&nr_reaped, __ATOMIC_ACQUIRE) >= ARRAY_LEN(messages))
			order_pause();
		while (!(sqe = io_uring_get_sqe(&ring)))
			order_pause();
		messages[i % ARRAY_LEN(messages)] = i;
		io_uring_prep_nop(sqe);
		sqe->user_data = i;
		io_uring_submit(&ring);
	}
	pthread_join(thread, NULL);
	order_close(&ring);
	assert_int_equal(reaper.nr_wrong, 0);
}

static void test_polled(void **state)
{
	run(IORING_SETUP_SQPOLL, wait_one);
}

static void test_polled_with_time(void **state)
{
	run(IORING_SETUP_SQPOLL, wait_with_time);
}

static void test_polled_by_peeking(void **state)
{
	run(IORING_SETUP_SQPOLL, wait_by_peeking);
}

static void test_plain(void **state)
{
	run(0, wait_one);
}

static void test_plain_with_time(void **state)
{
	run(0, wait_with_time);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		order_test(test_polled),
		order_test(test_polled_with_time),
		order_test(test_polled_by_peeking),
		order_test(test_plain),
		order_test(test_plain_with_time),
	};

	return cmocka_run_group_tests_name("two_threads", tests, NULL, NULL);
}
