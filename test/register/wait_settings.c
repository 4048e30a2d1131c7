/* SPDX-License-Identifier: MIT */
/*
 * Settings of how a ring waits: busy polling of the network, the clock, and
 * whether waits count as I/O. On rings of every kind.
 */
#include "test.h"

#include "ring.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#define NO_IOWAIT 0x80

static void waits_as_before(struct io_uring *ring)
{
	struct __kernel_timespec ts = { .tv_nsec = 5000000 };
	unsigned long long start = now_ms();
	struct io_uring_cqe *cqe;

	assert_int_equal(io_uring_wait_cqe_timeout(ring, &cqe, &ts), -ETIME);
	assert_true(now_ms() - start >= 5);
	io_uring_prep_nop(next_sqe(ring));
	assert_int_equal(submit_one(ring, NULL), 0);
}

static void test_napi(struct io_uring *ring)
{
	struct io_uring_napi napi;
	int ret;

	memset(&napi, 0, sizeof(napi));
	napi.busy_poll_to = 50;
	napi.prefer_busy_poll = 1;
	ret = io_uring_register_napi(ring, &napi);
	require_ret("busy polling", ret);
	/* What was set before comes back. */
	assert_int_equal(napi.busy_poll_to, 0);
	assert_int_equal(napi.prefer_busy_poll, 0);
	waits_as_before(ring);

	/* Anew: newer kernels leave more in it than may be passed. */
	memset(&napi, 0, sizeof(napi));
	napi.busy_poll_to = 20;
	assert_int_equal(io_uring_register_napi(ring, &napi), 0);
	assert_int_equal(napi.busy_poll_to, 50);
	assert_int_equal(napi.prefer_busy_poll, 1);
	memset(&napi, 0xff, sizeof(napi));
	assert_int_equal(io_uring_unregister_napi(ring, &napi), 0);
	assert_int_equal(napi.busy_poll_to, 20);
	assert_int_equal(napi.prefer_busy_poll, 0);
	assert_int_equal(io_uring_unregister_napi(ring, NULL), 0);
	waits_as_before(ring);

	memset(&napi, 0xff, sizeof(napi));
	assert_int_equal(io_uring_register_napi(ring, &napi), -EINVAL);
}

/* How a wait ends that goes on until a time of a clock. */
static int wait_until(struct io_uring *ring, clockid_t clock, long ms_from_now)
{
	struct io_uring_getevents_arg arg;
	struct __kernel_timespec ts;
	struct timespec now;

	clock_gettime(clock, &now);
	ts.tv_sec = now.tv_sec + ms_from_now / 1000;
	ts.tv_nsec = now.tv_nsec + ms_from_now % 1000 * 1000000;
	ts.tv_sec += ts.tv_nsec / 1000000000;
	ts.tv_nsec %= 1000000000;
	memset(&arg, 0, sizeof(arg));
	arg.ts = (__u64)(uintptr_t)&ts;
	return io_uring_enter2((unsigned)ring->enter_ring_fd, 0, 1,
			       IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG |
				       IORING_ENTER_ABS_TIMER |
				       (ring->int_flags & IORING_ENTER_REGISTERED_RING),
			       &arg, sizeof(arg));
}

static void test_clock(struct io_uring *ring)
{
	static const clockid_t good[] = { CLOCK_BOOTTIME, CLOCK_MONOTONIC };
	static const clockid_t bad[] = { CLOCK_REALTIME, CLOCK_PROCESS_CPUTIME_ID, 1000 };
	struct io_uring_clock_register arg;
	unsigned i;

	for (i = 0; i < ARRAY_LEN(good); i++) {
		memset(&arg, 0, sizeof(arg));
		arg.clockid = (__u32)good[i];
		require_ret("a clock", io_uring_register_clock(ring, &arg));
		waits_as_before(ring);
		if (!(ring->flags & IORING_SETUP_IOPOLL))
			assert_int_equal(wait_until(ring, good[i], 10), -ETIME);
	}
	for (i = 0; i < ARRAY_LEN(bad); i++) {
		arg.clockid = (__u32)bad[i];
		assert_int_equal(io_uring_register_clock(ring, &arg), -EINVAL);
	}
	arg.clockid = CLOCK_BOOTTIME;
	arg.__resv[1] = 1;
	assert_int_equal(io_uring_register_clock(ring, &arg), -EINVAL);
	waits_as_before(ring);
}

static void test_iowait(struct io_uring *ring)
{
	struct io_uring before;

	if (!(ring->features & IORING_FEAT_NO_IOWAIT)) {
		assert_int_equal(io_uring_set_iowait(ring, false), -EOPNOTSUPP);
		skip_because("the kernel's features have no NO_IOWAIT");
	}
	assert_false(ring->int_flags & NO_IOWAIT);
	before = *ring;
	assert_int_equal(io_uring_set_iowait(ring, false), 0);
	assert_int_equal(ring->int_flags, before.int_flags | NO_IOWAIT);
	waits_as_before(ring);
	assert_int_equal(io_uring_set_iowait(ring, false), 0);
	assert_int_equal(ring->int_flags, before.int_flags | NO_IOWAIT);
	assert_int_equal(io_uring_set_iowait(ring, true), 0);
	assert_int_equal(ring->int_flags, before.int_flags);
	waits_as_before(ring);
}

int main(void)
{
	static const struct ring_case cases[] = {
		{ "busy polling on", test_napi, IORING_SETUP_IOPOLL, 0 },
		{ "clock of", test_clock, 0, 0 },
		{ "iowait of", test_iowait, 0, 0 },
	};

	return ring_run_cases("wait_settings", cases, ARRAY_LEN(cases));
}
