/* SPDX-License-Identifier: MIT */
/*
 * Timeouts: what ends them, in which order they come, and how a request or a
 * change to a running one is answered.
 */
#include "test.h"

#include "op_run.h"

#include <errno.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

/* Spans in ms: soon enough to wait for, and never within a test. */
#define SHORT_MS 20
#define LATER_MS 400
#define NEVER_MS 1000000

static struct __kernel_timespec span(unsigned ms)
{
	struct __kernel_timespec ts = { ms / 1000, (long long)(ms % 1000) * 1000000 };

	return ts;
}

static struct __kernel_timespec from_now(clockid_t clock, unsigned ms)
{
	struct timespec now;
	struct __kernel_timespec ts;

	assert_int_equal(clock_gettime(clock, &now), 0);
	ts.tv_sec = now.tv_sec + ms / 1000;
	ts.tv_nsec = now.tv_nsec + (long long)(ms % 1000) * 1000000;
	if (ts.tv_nsec >= 1000000000) {
		ts.tv_sec++;
		ts.tv_nsec -= 1000000000;
	}
	return ts;
}

static void test_order(void **state)
{
	struct io_uring *ring = *state;
	struct __kernel_timespec later = span(LATER_MS), soon = span(SHORT_MS);
	unsigned long long start = now_ms();

	io_uring_prep_timeout(op_sqe(ring, 1), &later, 0, 0);
	io_uring_prep_timeout(op_sqe(ring, 2), &soon, 0, 0);
	io_uring_prep_nop(op_sqe(ring, 3));
	op_submit(ring);
	op_expect(ring, 3, 0);
	op_expect(ring, 2, -ETIME);
	assert_true(now_ms() - start >= SHORT_MS);
	op_expect(ring, 1, -ETIME);
	assert_true(now_ms() - start >= LATER_MS);
}

static void test_count(void **state)
{
	struct io_uring *ring = *state;
	struct __kernel_timespec never = span(NEVER_MS);

	/* Over with the second completion after it. */
	io_uring_prep_timeout(op_sqe(ring, 1), &never, 2, 0);
	op_submit(ring);
	io_uring_prep_nop(op_sqe(ring, 2));
	op_check(op_run(ring), 0);
	no_cqe(ring);
	io_uring_prep_nop(op_sqe(ring, 2));
	op_submit(ring);
	op_expect(ring, 2, 0);
	op_expect(ring, 1, 0);
}

static void test_absolute(void **state)
{
	struct io_uring *ring = *state;
	struct __kernel_timespec past = { 1, 0 }, soon = from_now(CLOCK_MONOTONIC, SHORT_MS);
	struct __kernel_timespec never = from_now(CLOCK_MONOTONIC, NEVER_MS);

	io_uring_prep_timeout(op_sqe(ring, 1), &never, 0, IORING_TIMEOUT_ABS);
	io_uring_prep_timeout(op_sqe(ring, 2), &soon, 0, IORING_TIMEOUT_ABS);
	io_uring_prep_timeout(op_sqe(ring, 3), &past, 0, IORING_TIMEOUT_ABS);
	op_submit(ring);
	op_expect(ring, 3, -ETIME);
	op_expect(ring, 2, -ETIME);
	no_cqe(ring);
}

static void test_clocks(void **state)
{
	struct io_uring *ring = *state;
	struct __kernel_timespec soon, never;
	struct timespec real, boot;

	/* The clocks are apart, so that a moment of one is not the other's. */
	assert_int_equal(clock_gettime(CLOCK_REALTIME, &real), 0);
	assert_int_equal(clock_gettime(CLOCK_BOOTTIME, &boot), 0);
	if (real.tv_sec - boot.tv_sec <= NEVER_MS / 1000)
		skip_because("the clocks of this machine are the same");

	never = from_now(CLOCK_REALTIME, NEVER_MS);
	io_uring_prep_timeout(op_sqe(ring, 1), &never, 0,
			      IORING_TIMEOUT_ABS | IORING_TIMEOUT_REALTIME);
	op_submit(ring);
	soon = from_now(CLOCK_REALTIME, SHORT_MS);
	io_uring_prep_timeout(op_sqe(ring, 2), &soon, 0,
			      IORING_TIMEOUT_ABS | IORING_TIMEOUT_REALTIME);
	op_check(op_run(ring), -ETIME);
	soon = from_now(CLOCK_BOOTTIME, SHORT_MS);
	io_uring_prep_timeout(op_sqe(ring, 2), &soon, 0,
			      IORING_TIMEOUT_ABS | IORING_TIMEOUT_BOOTTIME);
	op_check(op_run(ring), -ETIME);
	no_cqe(ring);
	io_uring_prep_timeout(op_sqe(ring, 2), &soon, 0,
			      IORING_TIMEOUT_REALTIME | IORING_TIMEOUT_BOOTTIME);
	op_check(op_run(ring), -EINVAL);
}

/* The time in the SQE itself, in nanoseconds. */
static void test_immediate(void **state)
{
	struct io_uring *ring = *state;
	unsigned long long start = now_ms();
	struct io_uring_sqe *sqe = op_sqe(ring, 1);
	int res;

	io_uring_prep_timeout(sqe, NULL, 0, IORING_TIMEOUT_IMMEDIATE_ARG);
	sqe->addr = SHORT_MS * 1000000;
	res = op_run(ring);
	if (res == -EINVAL)
		skip_because("the kernel has no IORING_TIMEOUT_IMMEDIATE_ARG");
	op_check(res, -ETIME);
	assert_true(now_ms() - start >= SHORT_MS);
}

static void test_multishot(void **state)
{
	struct io_uring *ring = *state;
	struct __kernel_timespec soon = span(SHORT_MS / 4);
	struct op_result results[3];
	unsigned long long start = now_ms();
	int i;

	io_uring_prep_timeout(op_sqe(ring, 1), &soon, 3, IORING_TIMEOUT_MULTISHOT);
	op_submit(ring);
	op_expect_more(ring, 1, -ETIME);
	op_expect_more(ring, 1, -ETIME);
	op_expect(ring, 1, -ETIME);
	assert_true(now_ms() - start >= 3 * (SHORT_MS / 4));

	/* Without a count it goes on until it is removed. */
	io_uring_prep_timeout(op_sqe(ring, 1), &soon, 0, IORING_TIMEOUT_MULTISHOT);
	op_submit(ring);
	for (i = 0; i < 5; i++)
		op_expect_more(ring, 1, -ETIME);
	io_uring_prep_timeout_remove(op_sqe(ring, 2), 1, 0);
	op_submit(ring);
	do {
		results[0] = op_take(ring);
		results[results[0].tag] = results[0];
	} while (results[0].flags & IORING_CQE_F_MORE);
	results[0] = op_take(ring);
	results[results[0].tag] = results[0];
	op_check(results[1].res, -ECANCELED);
	op_check(results[2].res, 0);
}

static void test_update(void **state)
{
	struct io_uring *ring = *state;
	struct __kernel_timespec never = span(NEVER_MS), soon = span(SHORT_MS), moment;
	struct op_result results[3];
	int i;

	/* By a span and by a moment: what would never come, comes. */
	for (i = 0; i < 2; i++) {
		io_uring_prep_timeout(op_sqe(ring, 1), &never, 0, 0);
		op_submit(ring);
		moment = from_now(CLOCK_MONOTONIC, SHORT_MS);
		if (i)
			io_uring_prep_timeout_update(op_sqe(ring, 2), &moment, 1,
						     IORING_TIMEOUT_ABS);
		else
			io_uring_prep_timeout_update(op_sqe(ring, 2), &soon, 1, 0);
		op_submit(ring);
		op_collect(ring, 2, results);
		op_check(results[1].res, -ETIME);
		op_check(results[2].res, 0);
	}
	io_uring_prep_timeout_update(op_sqe(ring, 2), &soon, 1, 0);
	op_check(op_run(ring), -ENOENT);
}

static void test_remove(void **state)
{
	struct io_uring *ring = *state;
	struct __kernel_timespec never = span(NEVER_MS);
	struct op_result results[3];

	io_uring_prep_timeout(op_sqe(ring, 1), &never, 0, 0);
	op_submit(ring);
	io_uring_prep_timeout_remove(op_sqe(ring, 2), 1, 0);
	op_submit(ring);
	op_collect(ring, 2, results);
	op_check(results[1].res, -ECANCELED);
	op_check(results[2].res, 0);
	io_uring_prep_timeout_remove(op_sqe(ring, 2), 1, 0);
	op_check(op_run(ring), -ENOENT);
	io_uring_prep_timeout_remove(op_sqe(ring, 2), 1, 1U << 30);
	op_check(op_run(ring), -EINVAL);
}

static void test_errors(void **state)
{
	struct io_uring *ring = *state;
	struct __kernel_timespec negative = { -1, 0 };

	io_uring_prep_timeout(op_sqe(ring, 1), (struct __kernel_timespec *)8, 0, 0);
	op_check(op_run(ring), -EFAULT);
	io_uring_prep_timeout(op_sqe(ring, 1), &negative, 0, 0);
	op_check(op_run(ring), -EINVAL);
	io_uring_prep_timeout(op_sqe(ring, 1), &negative, 0, 1U << 30);
	op_check(op_run(ring), -EINVAL);
}

/* A timeout in a chain: it delays the rest, or breaks it, as its flags say. */
static void test_in_chain(void **state)
{
	struct io_uring *ring = *state;
	struct __kernel_timespec soon = span(SHORT_MS);
	struct io_uring_sqe *sqe;
	int i;

	for (i = 0; i < 2; i++) {
		sqe = op_sqe(ring, 1);
		io_uring_prep_timeout(sqe, &soon, 0, i ? IORING_TIMEOUT_ETIME_SUCCESS : 0);
		io_uring_sqe_set_flags(sqe, IOSQE_IO_LINK);
		io_uring_prep_nop(op_sqe(ring, 2));
		op_submit(ring);
		op_expect(ring, 1, -ETIME);
		op_expect(ring, 2, i ? 0 : -ECANCELED);
	}
}

static void test_link_timeout(void **state)
{
	struct io_uring *ring = *state;
	struct __kernel_timespec soon = span(SHORT_MS), never = span(NEVER_MS);
	struct op_result results[4];
	struct io_uring_sqe *sqe;
	char bytes[8];
	int fds[2];

	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	/* The read takes too long. */
	sqe = op_sqe(ring, 1);
	io_uring_prep_read(sqe, fds[0], bytes, sizeof(bytes), 0);
	io_uring_sqe_set_flags(sqe, IOSQE_IO_LINK);
	io_uring_prep_link_timeout(op_sqe(ring, 2), &soon, 0);
	op_submit(ring);
	op_collect(ring, 2, results);
	op_check(results[1].res, -ECANCELED);
	op_check(results[2].res, -ETIME);

	/* The read is in time, and ends the timeout. */
	sqe = op_sqe(ring, 1);
	io_uring_prep_read(sqe, fds[0], bytes, sizeof(bytes), 0);
	io_uring_sqe_set_flags(sqe, IOSQE_IO_LINK);
	io_uring_prep_link_timeout(op_sqe(ring, 2), &never, 0);
	op_submit(ring);
	no_cqe(ring);
	assert_int_equal(write(fds[1], "in time", 7), 7);
	op_collect(ring, 2, results);
	op_check(results[1].res, 7);
	op_check(results[2].res, -ECANCELED);

	/* Never becomes soon. */
	sqe = op_sqe(ring, 1);
	io_uring_prep_read(sqe, fds[0], bytes, sizeof(bytes), 0);
	io_uring_sqe_set_flags(sqe, IOSQE_IO_LINK);
	io_uring_prep_link_timeout(op_sqe(ring, 2), &never, 0);
	op_submit(ring);
	io_uring_prep_timeout_update(op_sqe(ring, 3), &soon, 2, IORING_LINK_TIMEOUT_UPDATE);
	op_submit(ring);
	op_collect(ring, 3, results);
	op_check(results[1].res, -ECANCELED);
	op_check(results[2].res, -ETIME);
	op_check(results[3].res, 0);

	/* With nothing before it that it could be linked to. */
	io_uring_prep_link_timeout(op_sqe(ring, 2), &soon, 0);
	op_check(op_run(ring), -EINVAL);
	close(fds[0]);
	close(fds[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		op_test(test_order),
		op_test(test_count),
		op_test(test_absolute),
		op_test(test_clocks),
		op_test(test_immediate),
		op_test(test_multishot),
		op_test(test_update),
		op_test(test_remove),
		op_test(test_errors),
		op_test(test_in_chain),
		op_test(test_link_timeout),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
