/* SPDX-License-Identifier: MIT */
/*
 * One thread submits and another reaps, on one ring without a lock.
 */
#include "stress.h"
#include "ring.h"

#include <pthread.h>
#include <sched.h>

#define ENTRIES 32

struct reaper {
	struct io_uring *ring;
	struct ledger *ledger;
	bool all_issued;
	int err;
};

static int reap_some(struct reaper *reaper, unsigned turn)
{
	struct __kernel_timespec ts = { .tv_nsec = 1000000 };
	struct io_uring_cqe *cqe = NULL, *cqes[ENTRIES];
	struct io_uring *ring = reaper->ring;
	unsigned i, nr;
	int ret = 0;

	switch (turn % 3) {
	case 0:
		ret = io_uring_wait_cqe_timeout(ring, &cqe, &ts);
		break;
	case 1:
		ret = io_uring_wait_cqes(ring, &cqe, 4, &ts, NULL);
		break;
	case 2:
		nr = io_uring_peek_batch_cqe(ring, cqes, ENTRIES);
		for (i = 0; i < nr; i++)
			ledger_done(reaper->ledger, cqes[i]->user_data);
		io_uring_cq_advance(ring, nr);
		return 0;
	}
	if (ret == -ETIME || ret == -EINTR || ret == -EAGAIN)
		return 0;
	if (!ret) {
		ledger_done(reaper->ledger, cqe->user_data);
		io_uring_cqe_seen(ring, cqe);
	}
	return ret;
}

static void *reap(void *arg)
{
	struct reaper *reaper = arg;
	unsigned turn = 0;
	int err = 0;

	while (!err && (!__atomic_load_n(&reaper->all_issued, __ATOMIC_ACQUIRE) ||
			ledger_in_flight(reaper->ledger)))
		err = reap_some(reaper, turn++);
	__atomic_store_n(&reaper->err, err, __ATOMIC_RELAXED);
	return NULL;
}

static void submit(struct io_uring *ring)
{
	int ret;

	do {
		ret = io_uring_submit(ring);
	} while (ret == -EAGAIN || ret == -EBUSY);
	assert_true(ret >= 0);
}

/* As stress_any, but it reaps nothing when the SQ is full. */
static void issue(struct io_uring *ring, struct ledger *ledger)
{
	while (!io_uring_sq_space_left(ring)) {
		submit(ring);
		sched_yield();
	}
	stress_any(ring, ledger);
}

static void run(unsigned flags)
{
	struct reaper reaper = { .all_issued = false };
	struct ledger ledger;
	struct io_uring ring;
	pthread_t thread;
	unsigned i;

	ring_open_flags(&ring, ENTRIES, flags);
	if (!(ring.features & IORING_FEAT_EXT_ARG)) {
		io_uring_queue_exit(&ring);
		skip_because("a kernel whose enter takes no timeout");
	}
	ledger_open(&ledger, 2 * ENTRIES);
	reaper.ring = &ring;
	reaper.ledger = &ledger;
	assert_int_equal(pthread_create(&thread, NULL, reap, &reaper), 0);
	while (stress_goes_on()) {
		for (i = stress_random(ENTRIES); i && ledger_has_room(&ledger); i--)
			issue(&ring, &ledger);
		submit(&ring);
		if (!ledger_has_room(&ledger))
			sched_yield();
	}
	while (io_uring_sq_ready(&ring)) {
		submit(&ring);
		sched_yield();
	}
	__atomic_store_n(&reaper.all_issued, true, __ATOMIC_RELEASE);
	/* What runs in this thread's name in the kernel needs it to come by. */
	while (ledger_in_flight(&ledger) && !__atomic_load_n(&reaper.err, __ATOMIC_RELAXED))
		sched_yield();
	pthread_join(thread, NULL);
	assert_int_equal(reaper.err, 0);
	ledger_check(&ledger);
	io_uring_queue_exit(&ring);
}

static void test_plain(void **state)
{
	run(0);
}

static void test_coop(void **state)
{
	run(IORING_SETUP_COOP_TASKRUN);
}

static void test_sqpoll(void **state)
{
	run(IORING_SETUP_SQPOLL);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		stress_test(test_plain),
		stress_test(test_coop),
		stress_test(test_sqpoll),
	};

	return STRESS_RUN("two_threads", tests);
}
