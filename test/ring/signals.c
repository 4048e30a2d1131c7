/* SPDX-License-Identifier: MIT */
/*
 * A signal during a wait: one ends the call, nothing is lost, and a signal mask
 * that is given holds for the wait and no longer. On rings of every kind.
 */
#include "test.h"

#include "ring.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Older C libraries have no name for it. */
#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

#define SQPOLL IORING_SETUP_SQPOLL
#define POISON ((struct io_uring_cqe *)0x5a5a5a5a)
#define PERIOD_MS 10
/* How often a signal may come between the count and the wait. */
#define MAX_TRIES 5

static const struct __kernel_timespec an_hour = { .tv_sec = 3600 };
static volatile sig_atomic_t nr_signals;
static timer_t timer;

static void count_signal(int sig)
{
	nr_signals++;
}

/* SIGUSR1 to this thread, again and again, so that a swallowed one is no hang. */
static void timer_run(unsigned period_ms)
{
	struct itimerspec when;

	memset(&when, 0, sizeof(when));
	when.it_value.tv_nsec = (long)period_ms * 1000000;
	when.it_interval = when.it_value;
	assert_int_equal(timer_settime(timer, 0, &when, NULL), 0);
}

static int make_timer(void)
{
	struct sigaction action = { .sa_handler = count_signal };
	struct sigevent event;

	memset(&event, 0, sizeof(event));
	event.sigev_notify = SIGEV_THREAD_ID;
	event.sigev_signo = SIGUSR1;
	event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
	if (sigaction(SIGUSR1, &action, NULL))
		return -1;
	return timer_create(CLOCK_MONOTONIC, &event, &timer);
}

/* A call that waits for what does not come. */
typedef int wait_call(struct io_uring *ring, struct io_uring_cqe **cqe);

/* The result of a call that exactly one signal ended. */
static int end_by_one_signal(struct io_uring *ring, wait_call *call,
			     void (*before)(struct io_uring *))
{
	struct io_uring_cqe *cqe;
	int before_call, during = 0, ret = 0, i;

	for (i = 0; i < MAX_TRIES; i++) {
		before(ring);
		cqe = POISON;
		timer_run(PERIOD_MS);
		before_call = nr_signals;
		ret = call(ring, &cqe);
		during = nr_signals - before_call;
		timer_run(0);
		assert_null(cqe);
		if (during == 1)
			return ret;
	}
	fail_msg("the call (%d) went on after the first of %d signals", ret, during);
	return ret;
}

static void queue_nothing(struct io_uring *ring)
{
}

static void queue_timeout(struct io_uring *ring)
{
	if (!io_uring_sq_space_left(ring))
		assert_true(io_uring_submit(ring) > 0);
	io_uring_prep_timeout(next_sqe(ring), &an_hour, 0, 0);
}

static int call_wait_cqe(struct io_uring *ring, struct io_uring_cqe **cqe)
{
	return io_uring_wait_cqe(ring, cqe);
}

static int call_wait_cqe_nr(struct io_uring *ring, struct io_uring_cqe **cqe)
{
	return io_uring_wait_cqe_nr(ring, cqe, 3);
}

static int call_wait_cqes(struct io_uring *ring, struct io_uring_cqe **cqe)
{
	struct __kernel_timespec ts = an_hour;

	return io_uring_wait_cqes(ring, cqe, 2, &ts, NULL);
}

static int call_wait_cqes_untimed(struct io_uring *ring, struct io_uring_cqe **cqe)
{
	return io_uring_wait_cqes(ring, cqe, 1, NULL, NULL);
}

static int call_wait_min(struct io_uring *ring, struct io_uring_cqe **cqe)
{
	struct __kernel_timespec ts = an_hour;

	return io_uring_wait_cqes_min_timeout(ring, cqe, 1, &ts, 1000000, NULL);
}

static int call_submit_and_wait(struct io_uring *ring, struct io_uring_cqe **cqe)
{
	*cqe = NULL;
	return io_uring_submit_and_wait(ring, 1);
}

static int call_submit_and_wait_timeout(struct io_uring *ring, struct io_uring_cqe **cqe)
{
	struct __kernel_timespec ts = an_hour;

	return io_uring_submit_and_wait_timeout(ring, cqe, 1, &ts, NULL);
}

static int call_submit_and_wait_untimed(struct io_uring *ring, struct io_uring_cqe **cqe)
{
	return io_uring_submit_and_wait_timeout(ring, cqe, 1, NULL, NULL);
}

static int call_submit_and_wait_min(struct io_uring *ring, struct io_uring_cqe **cqe)
{
	struct __kernel_timespec ts = an_hour;

	return io_uring_submit_and_wait_min_timeout(ring, cqe, 1, &ts, 1000000, NULL);
}

static void ring_still_works(struct io_uring *ring)
{
	struct io_uring_sqe *sqe = next_sqe(ring);

	io_uring_prep_nop(sqe);
	io_uring_sqe_set_data64(sqe, 77);
	submit_ok(ring, 1);
	assert_int_equal(wait_for_tag(ring, 77), 0);
	no_cqe(ring);
}

/* A wait that submits nothing: -EINTR, and what is queued stays queued. */
static void test_waits(struct io_uring *ring)
{
	wait_call *const calls[] = { call_wait_cqe, call_wait_cqe_nr, call_wait_cqes,
				     call_wait_cqes_untimed, call_wait_min };
	unsigned i, nr = ring->features & IORING_FEAT_MIN_TIMEOUT ? 5 : 4;

	for (i = 0; i < nr; i++)
		assert_int_equal(end_by_one_signal(ring, calls[i], queue_nothing), -EINTR);
	queue_timeout(ring);
	for (i = 0; i < nr; i++)
		assert_int_equal(end_by_one_signal(ring, calls[i], queue_nothing), -EINTR);
	assert_int_equal(io_uring_sq_ready(ring), 1);
	submit_ok(ring, 1);
	ring_still_works(ring);
}

/* Those that the polling thread has not taken since earlier submits count too. */
static void check_result(const struct io_uring *ring, int ret, int wanted)
{
	if ((ring->flags & SQPOLL) && ret > 0)
		assert_in_range(ret, 1, ring->sq.ring_entries);
	else
		assert_int_equal(ret, wanted);
}

/* A call that has nothing to submit: -EINTR; else the number submitted. */
static void test_submits(struct io_uring *ring)
{
	wait_call *const calls[] = { call_submit_and_wait, call_submit_and_wait_timeout,
				     call_submit_and_wait_untimed, call_submit_and_wait_min };
	unsigned i, nr = ring->features & IORING_FEAT_MIN_TIMEOUT ? 4 : 3;
	int ret;

	for (i = 0; i < nr; i++) {
		ret = end_by_one_signal(ring, calls[i], queue_nothing);
		check_result(ring, ret, -EINTR);
		ret = end_by_one_signal(ring, calls[i], queue_timeout);
		check_result(ring, ret, 1);
	}
	ring_still_works(ring);
}

/* A CQE that came before the signal is the result, though more were asked for. */
static void test_fewer(struct io_uring *ring)
{
	struct io_uring_cqe *cqe = POISON;

	io_uring_prep_nop(next_sqe(ring));
	submit_ok(ring, 1);
	assert_int_equal(io_uring_wait_cqe(ring, &cqe), 0);
	timer_run(PERIOD_MS);
	cqe = POISON;
	assert_int_equal(io_uring_wait_cqe_nr(ring, &cqe, 2), 0);
	timer_run(0);
	assert_non_null(cqe);
	assert_int_equal(cqe->res, 0);
	assert_int_equal(io_uring_cq_ready(ring), 1);
	io_uring_cqe_seen(ring, cqe);
	ring_still_works(ring);
}

/* Blocked outside, let in by the wait's mask: it ends the wait whenever it came. */
static void test_mask_lets_in(struct io_uring *ring)
{
	struct __kernel_timespec ts = an_hour;
	struct io_uring_cqe *cqe = POISON;
	sigset_t usr1, old, now;
	int i, ret;

	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	assert_int_equal(pthread_sigmask(SIG_BLOCK, &usr1, &old), 0);
	for (i = 0; i < 4; i++) {
		nr_signals = 0;
		raise(SIGUSR1);
		assert_int_equal(nr_signals, 0);
		cqe = POISON;
		if (i == 0)
			ret = io_uring_wait_cqes(ring, &cqe, 1, &ts, &old);
		else if (i == 1)
			ret = io_uring_wait_cqes(ring, &cqe, 1, NULL, &old);
		else if (i == 2)
			ret = io_uring_submit_and_wait_timeout(ring, &cqe, 1, &ts, &old);
		else
			ret = __io_uring_get_cqe(ring, &cqe, 0, 1, &old);
		assert_int_equal(ret, -EINTR);
		assert_null(cqe);
		assert_int_equal(nr_signals, 1);
		pthread_sigmask(SIG_BLOCK, NULL, &now);
		assert_true(sigismember(&now, SIGUSR1));
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	ring_still_works(ring);
}

/* Kept out by the wait's mask: it does not end the wait, and comes after it. */
static void test_mask_keeps_out(struct io_uring *ring)
{
	int fd = timer_in_ms(4 * PERIOD_MS);
	struct io_uring_cqe *cqe = POISON;
	__u64 count;
	sigset_t usr1;

	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	io_uring_prep_read(next_sqe(ring), fd, &count, sizeof(count), 0);
	submit_ok(ring, 1);
	nr_signals = 0;
	timer_run(PERIOD_MS);
	assert_int_equal(io_uring_wait_cqes(ring, &cqe, 1, NULL, &usr1), 0);
	timer_run(0);
	assert_int_equal(cqe->res, sizeof(count));
	assert_true(nr_signals >= 1);
	io_uring_cqe_seen(ring, cqe);
	close(fd);
}

int main(void)
{
	static const struct ring_case cases[] = {
		{ "signal during a wait on", test_waits, IORING_SETUP_IOPOLL, 0 },
		{ "signal during submit and wait on", test_submits, IORING_SETUP_IOPOLL, 0 },
		{ "signal and too few on", test_fewer, IORING_SETUP_IOPOLL, 0 },
		{ "mask that lets in on", test_mask_lets_in, IORING_SETUP_IOPOLL, 0 },
		{ "mask that keeps out on", test_mask_keeps_out, IORING_SETUP_IOPOLL, 0 },
	};

	if (make_timer())
		return 1;
	return ring_run_cases("signals", cases, ARRAY_LEN(cases));
}
