/* SPDX-License-Identifier: MIT */
/*
 * The wake-up of a polling thread that goes to sleep while SQEs are published.
 *
 * The program stores the tail and looks at NEED_WAKEUP; the thread sets NEED_WAKEUP
 * and looks at the tail. Where one of the two lacks a full barrier between its
 * store and its load, both may miss what the other did: the thread sleeps, the SQEs
 * stay, nobody is woken. In each round here the two do this once, at the same time,
 * and then compare. Nothing is waited for, so that a lost wake-up is a number.
 *
 * So that the test says something, it runs the library's own submit without the
 * barrier as well, in turns: that must lose wake-ups, on this machine and now.
 */
#include "order_kernel.h"
#include "process.h"
#include "wakeup_parts/unfenced.h"

#include <sched.h>
#include <pthread.h>

#define ENTRIES 16
#define BATCH 4			/* SQEs per round: they hold the tail's store up */
#define CHUNK 500		/* rounds of one kind, before those of the other */
#define ENOUGH_LOST 200		/* by the submit without the barrier */
#define MAX_MS 6000
#define MIN_LOST 20

/* Which round begins, who is ready for it, and which is over. */
static unsigned round_begun, round_met, round_done;
static bool thread_sleeps;

static void wait_for(unsigned *word, unsigned value)
{
	while (__atomic_load_n(word, __ATOMIC_ACQUIRE) != value && !order_stopped())
		order_pause();
}

static void idle(unsigned nr)
{
	volatile unsigned i;

	for (i = 0; i < nr; i++)
		;
}

/* Only looks: the slots and the tail are then in this CPU's cache, as in a kernel. */
static unsigned look_around(void)
{
	unsigned i, sum = __atomic_load_n(order.sq_tail, __ATOMIC_RELAXED);

	for (i = 0; i < ENTRIES; i++)
		sum += __atomic_load_n((unsigned char *)&order.sqes[i].opcode, __ATOMIC_RELAXED);
	return sum;
}

/* The polling thread, which has found nothing to do for a while. */
static void fall_asleep(void)
{
	unsigned nr;

	for (nr = 1; !order_stopped(); nr++) {
		wait_for(&round_begun, nr);
		order_check(look_around() < UINT32_MAX);
		__atomic_store_n(&round_met, nr, __ATOMIC_RELEASE);
		idle(nr % 128);

		__atomic_fetch_or(order.sq_flags, IORING_SQ_NEED_WAKEUP, __ATOMIC_SEQ_CST);
		thread_sleeps = __atomic_load_n(order.sq_tail, __ATOMIC_SEQ_CST) == *order.sq_head;
		__atomic_store_n(&round_done, nr, __ATOMIC_RELEASE);
	}
}

static struct io_uring_sqe *begin_round(struct io_uring *ring, unsigned nr)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(ring);

	__atomic_store_n(&round_begun, nr, __ATOMIC_RELEASE);
	wait_for(&round_met, nr);
	return sqe;
}

/* Returns whether the thread sleeps, though SQEs are published and no enter woke it. */
static bool play_round(struct io_uring *ring, unsigned nr, int (*submit)(struct io_uring *ring))
{
	struct io_uring_sqe *sqe = begin_round(ring, nr);
	unsigned nr_woken = order.nr_wakeups, i;
	bool lost;

	for (i = 1; i < BATCH; i++) {
		io_uring_prep_nop(sqe);
		sqe = io_uring_get_sqe(ring);
	}
	io_uring_prep_nop(sqe);
	assert_int_equal(submit(ring), BATCH);

	wait_for(&round_done, nr);
	lost = thread_sleeps && order.nr_wakeups == nr_woken;
	__atomic_store_n(order.sq_flags, 0, __ATOMIC_RELEASE);
	__atomic_store_n(order.sq_head, *order.sq_tail, __ATOMIC_RELEASE);
	return lost;
}

static unsigned play_chunk(struct io_uring *ring, unsigned *nr,
			   int (*submit)(struct io_uring *ring))
{
	unsigned i, nr_lost = 0;

	for (i = 0; i < CHUNK; i++)
		nr_lost += play_round(ring, ++*nr, submit);
	return nr_lost;
}

/* Puts the calling thread on the nth CPU that the process may use; false: there is none. */
static bool use_cpu(unsigned nth)
{
	cpu_set_t allowed, one;
	unsigned cpu;

	CPU_ZERO(&allowed);
	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return false;
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &allowed) || nth--)
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		return !pthread_setaffinity_np(pthread_self(), sizeof(one), &one);
	}
	return false;
}

static void fall_asleep_elsewhere(void)
{
	use_cpu(0);
	fall_asleep();
}

static void test_no_wakeup_is_lost(void **state)
{
	unsigned nr = 0, nr_lost = 0, nr_control = 0, nr_control_lost = 0;
	unsigned long long start = now_ms();
	cpu_set_t allowed;
	struct io_uring ring;

#ifdef ORDER_TSAN
	skip_because("the thread sanitizer knows no fences");
#endif
	assert_int_equal(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
	if (CPU_COUNT(&allowed) < 2)
		skip_because("it takes two CPUs to lose a wake-up");
	order_open(&ring, ENTRIES, 2 * ENTRIES, IORING_SETUP_SQPOLL, IORING_FEAT_EXT_ARG);
	order_start(fall_asleep_elsewhere);
	use_cpu(1);
	while (nr_control_lost < ENOUGH_LOST && now_ms() - start < MAX_MS) {
		nr_control_lost += play_chunk(&ring, &nr, unfenced_submit);
		nr_control += CHUNK;
		nr_lost += play_chunk(&ring, &nr, io_uring_submit);
	}
	order_close(&ring);
	pthread_setaffinity_np(pthread_self(), sizeof(allowed), &allowed);

	printf("summary: %u rounds each: %u wake-ups lost, %u without the barrier\n", nr_control,
	       nr_lost, nr_control_lost);
	assert_int_equal(nr_lost, 0);
	if (nr_control_lost < MIN_LOST)
		skip_because("this machine hardly lets a load pass a store: %u in %u rounds",
			     nr_control_lost, nr_control);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		order_test(test_no_wakeup_is_lost),
	};

	return cmocka_run_group_tests_name("wakeup", tests, NULL, NULL);
}
