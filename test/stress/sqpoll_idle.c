/* SPDX-License-Identifier: MIT */
/*
 * A polling thread that sleeps after a millisecond, and a program that submits at
 * about that time: no request may be left lying because nobody woke the thread.
 */
#include "stress.h"
#include "process.h"
#include "ring.h"

#include <time.h>

#define ENTRIES 8
#define IN_FLIGHT 24
#define LOST_SECONDS 20

static void sleep_us(unsigned us)
{
	struct timespec ts = { .tv_nsec = us * 1000L };

	nanosleep(&ts, NULL);
}

static bool thread_sleeps(const struct io_uring *ring)
{
	return IO_URING_READ_ONCE(*ring->sq.kflags) & IORING_SQ_NEED_WAKEUP;
}

/* How long it really takes the thread to fall asleep: it counts in the kernel's ticks. */
static unsigned get_idle_us(const struct io_uring *ring)
{
	unsigned us;

	for (us = 0; us < 100000 && !thread_sleeps(ring); us += 200)
		sleep_us(100);
	return us + 200;
}

static void reap_all(struct io_uring *ring, struct ledger *ledger)
{
	struct __kernel_timespec ts = { .tv_sec = LOST_SECONDS };
	struct io_uring_cqe *cqe;
	int ret;

	while (ledger_in_flight(ledger)) {
		ret = io_uring_wait_cqe_timeout(ring, &cqe, &ts);
		if (ret)
			fail_msg("%u requests are not done after %u seconds: %d",
				 ledger_in_flight(ledger), LOST_SECONDS, ret);
		stress_see(ring, ledger, cqe);
	}
}

/* Bursts of up to max requests, each after a pause of about the idle time. */
static void run(unsigned max, bool as_old)
{
	struct io_uring_params p = { .flags = IORING_SETUP_SQPOLL, .sq_thread_idle = 1 };
	unsigned nr_asleep = 0, idle_us = 0, i;
	struct ledger ledger;
	struct io_uring ring;

	require_ret("io_uring_queue_init_params", io_uring_queue_init_params(ENTRIES, &ring, &p));
	if (as_old)
		ring.features &= ~(unsigned)IORING_FEAT_EXT_ARG;
	ledger_open(&ledger, IN_FLIGHT);
	while (stress_goes_on()) {
		for (i = 1 + stress_random(max); i; i--)
			stress_nop(&ring, &ledger);
		assert_true(io_uring_submit(&ring) >= 0);
		reap_all(&ring, &ledger);
		if (!idle_us)
			idle_us = get_idle_us(&ring);
		sleep_us(idle_us / 2 + stress_random(idle_us));
		nr_asleep += thread_sleeps(&ring);
	}
	ledger_check(&ledger);
	io_uring_queue_exit(&ring);
	assert_true(nr_asleep > 0);
}

static void test_single(void **state)
{
	run(1, false);
}

/* More than the SQ holds, so that the program waits for room. */
static void test_bursts(void **state)
{
	run(IN_FLIGHT, false);
}

static void test_old(void **state)
{
	run(ENTRIES - 1, true);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		stress_test(test_single),
		stress_test(test_bursts),
		stress_test(test_old),
	};

	return STRESS_RUN("sqpoll_idle", tests);
}
