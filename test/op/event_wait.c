/* SPDX-License-Identifier: MIT */
/*
 * Futexes and children: who is woken, by what, and what is reported of them.
 */
#include "test.h"

#include "op_run.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef FUTEX2_SIZE_U32
#define FUTEX2_SIZE_U32 2
#endif
#ifndef FUTEX2_PRIVATE
#define FUTEX2_PRIVATE 128
#endif
#define SHARED_U32 FUTEX2_SIZE_U32
#define PRIVATE_U32 (FUTEX2_SIZE_U32 | FUTEX2_PRIVATE)
#define ANY 0xffffffffU

static uint32_t word;

/* Cancel the request of tag 1: of these kinds the kernel counts what it found. */
static void cancel_first(struct io_uring *ring)
{
	struct op_result results[3];

	io_uring_prep_cancel64(op_sqe(ring, 2), 1, 0);
	op_submit(ring);
	op_collect(ring, 2, results);
	op_check(results[1].res, -ECANCELED);
	assert_in_range(results[2].res, 0, 1);
	io_uring_prep_cancel64(op_sqe(ring, 2), 1, 0);
	op_check(op_run(ring), -ENOENT);
}

static void test_futex(void **state)
{
	struct io_uring *ring = *state;
	struct op_result results[4];

	require_op(IORING_OP_FUTEX_WAIT);
	word = 5;
	io_uring_prep_futex_wait(op_sqe(ring, 1), &word, 4, ANY, PRIVATE_U32, 0);
	op_check(op_run(ring), -EAGAIN);
	io_uring_prep_futex_wake(op_sqe(ring, 3), &word, 1, ANY, PRIVATE_U32, 0);
	op_check(op_run(ring), 0);

	/* Two wait, one is woken at a time. */
	io_uring_prep_futex_wait(op_sqe(ring, 1), &word, 5, ANY, PRIVATE_U32, 0);
	io_uring_prep_futex_wait(op_sqe(ring, 2), &word, 5, ANY, PRIVATE_U32, 0);
	op_submit(ring);
	no_cqe(ring);
	io_uring_prep_futex_wake(op_sqe(ring, 3), &word, 1, ANY, PRIVATE_U32, 0);
	op_submit(ring);
	op_collect(ring, 2, results);
	op_check(results[3].res, 1);
	no_cqe(ring);
	io_uring_prep_futex_wake(op_sqe(ring, 3), &word, 10, ANY, PRIVATE_U32, 0);
	op_submit(ring);
	op_collect(ring, 2, results);
	op_check(results[1].res, 0);
	op_check(results[2].res, 0);
	op_check(results[3].res, 1);

	io_uring_prep_futex_wait(op_sqe(ring, 1), &word, 5, ANY, PRIVATE_U32, 1);
	op_check(op_run(ring), -EINVAL);
	io_uring_prep_futex_wait(op_sqe(ring, 1), &word, 5, 0, PRIVATE_U32, 0);
	op_check(op_run(ring), -EINVAL);
	io_uring_prep_futex_wake(op_sqe(ring, 1), &word, 1, ANY, PRIVATE_U32, 1);
	op_check(op_run(ring), -EINVAL);
	io_uring_prep_futex_wait(op_sqe(ring, 1), (uint32_t *)4, 5, ANY, PRIVATE_U32, 0);
	op_check(op_run(ring), -EFAULT);
}

/* A waiter and a waker that share no bit of their masks do not meet. */
static void test_futex_mask(void **state)
{
	struct io_uring *ring = *state;
	struct op_result results[4];

	require_op(IORING_OP_FUTEX_WAIT);
	io_uring_prep_futex_wait(op_sqe(ring, 1), &word, word, 1, PRIVATE_U32, 0);
	io_uring_prep_futex_wait(op_sqe(ring, 2), &word, word, 2, PRIVATE_U32, 0);
	op_submit(ring);
	io_uring_prep_futex_wake(op_sqe(ring, 3), &word, 10, 4, PRIVATE_U32, 0);
	op_check(op_run(ring), 0);
	io_uring_prep_futex_wake(op_sqe(ring, 3), &word, 10, 6, PRIVATE_U32, 0);
	op_submit(ring);
	op_collect(ring, 2, results);
	op_check(results[2].res, 0);
	op_check(results[3].res, 1);

	cancel_first(ring);
}

/* The plain system call: FUTEX_WAIT_BITSET or FUTEX_WAKE_BITSET, shared. */
static long futex_call(int op, uint32_t val)
{
	return syscall(SYS_futex, &word, op, val, NULL, NULL, ANY);
}

static void *wait_for_one(void *arg)
{
	while (__atomic_load_n(&word, __ATOMIC_ACQUIRE) == 0)
		futex_call(9, 0);
	return NULL;
}

/* A request wakes a thread, and a thread's call completes a request. */
static void test_futex_and_thread(void **state)
{
	struct io_uring *ring = *state;
	struct op_result result;
	pthread_t thread;

	require_op(IORING_OP_FUTEX_WAKE);
	word = 0;
	assert_int_equal(pthread_create(&thread, NULL, wait_for_one, NULL), 0);
	do {
		io_uring_prep_futex_wake(op_sqe(ring, 1), &word, 1, ANY, SHARED_U32, 0);
		op_submit(ring);
		result = op_take(ring);
		sleep_ms(1);
	} while (result.res == 0);
	op_check(result.res, 1);
	__atomic_store_n(&word, 1, __ATOMIC_RELEASE);
	futex_call(10, 1);
	assert_int_equal(pthread_join(thread, NULL), 0);

	io_uring_prep_futex_wait(op_sqe(ring, 1), &word, 1, ANY, SHARED_U32, 0);
	op_submit(ring);
	assert_int_equal(futex_call(10, 1), 1);
	op_expect(ring, 1, 0);
}

static void test_futex_waitv(void **state)
{
	struct io_uring *ring = *state;
	struct op_result results[3];
	uint32_t words[3] = { 1, 2, 3 };
	struct futex_waitv waits[3];
	int i;

	require_op(IORING_OP_FUTEX_WAITV);
	for (i = 0; i < 3; i++)
		waits[i] = (struct futex_waitv){ .val = words[i],
						 .uaddr = (uintptr_t)&words[i],
						 .flags = PRIVATE_U32 };
	io_uring_prep_futex_waitv(op_sqe(ring, 1), waits, 3, 0);
	op_submit(ring);
	no_cqe(ring);
	io_uring_prep_futex_wake(op_sqe(ring, 2), &words[1], 1, ANY, PRIVATE_U32, 0);
	op_submit(ring);
	op_collect(ring, 2, results);
	op_check(results[1].res, 1);
	op_check(results[2].res, 1);

	io_uring_prep_futex_waitv(op_sqe(ring, 1), waits, 3, 0);
	cancel_first(ring);

	words[2] = 33;
	io_uring_prep_futex_waitv(op_sqe(ring, 1), waits, 3, 0);
	op_check(op_run(ring), -EAGAIN);
	io_uring_prep_futex_waitv(op_sqe(ring, 1), waits, 0, 0);
	op_check(op_run(ring), -EINVAL);
	io_uring_prep_futex_waitv(op_sqe(ring, 1), waits, FUTEX_WAITV_MAX + 1, 0);
	op_check(op_run(ring), -EINVAL);
	io_uring_prep_futex_waitv(op_sqe(ring, 1), waits, 3, 1);
	op_check(op_run(ring), -EINVAL);
}

/* A child that lives until a byte, or the end, can be read from the pipe. */
static pid_t start_child(int fds[2], int status)
{
	pid_t pid;
	char byte;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		close(fds[1]);
		if (read(fds[0], &byte, 1) < 0)
			_exit(127);
		_exit(status);
	}
	close(fds[0]);
	return pid;
}

static void test_waitid(void **state)
{
	struct io_uring *ring = *state;
	siginfo_t info = { 0 };
	int fds[2];
	pid_t pid;

	require_op(IORING_OP_WAITID);
	pid = start_child(fds, 42);
	io_uring_prep_waitid(op_sqe(ring, 1), P_PID, (id_t)pid, &info, WEXITED | WNOWAIT, 0);
	op_submit(ring);
	no_cqe(ring);
	close(fds[1]);
	op_expect(ring, 1, 0);
	assert_int_equal(info.si_signo, SIGCHLD);
	assert_int_equal(info.si_code, CLD_EXITED);
	assert_int_equal(info.si_pid, pid);
	assert_int_equal(info.si_status, 42);

	/* It was left to be waited for: once more, and then it is gone. */
	io_uring_prep_waitid(op_sqe(ring, 1), P_PID, (id_t)pid, NULL, WEXITED, 0);
	op_check(op_run(ring), 0);
	assert_int_equal(waitpid(pid, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	io_uring_prep_waitid(op_sqe(ring, 1), P_PID, (id_t)pid, &info, WEXITED, 0);
	op_check(op_run(ring), -ECHILD);
}

static void test_waitid_signals(void **state)
{
	struct io_uring *ring = *state;
	siginfo_t info = { 0 };
	int fds[2];
	pid_t pid;

	require_op(IORING_OP_WAITID);
	pid = start_child(fds, 0);
	io_uring_prep_waitid(op_sqe(ring, 1), P_PID, (id_t)pid, &info, WSTOPPED, 0);
	op_submit(ring);
	assert_int_equal(kill(pid, SIGSTOP), 0);
	op_expect(ring, 1, 0);
	assert_int_equal(info.si_code, CLD_STOPPED);
	assert_int_equal(info.si_status, SIGSTOP);

	io_uring_prep_waitid(op_sqe(ring, 1), P_PID, (id_t)pid, &info, WEXITED, 0);
	cancel_first(ring);

	assert_int_equal(kill(pid, SIGKILL), 0);
	io_uring_prep_waitid(op_sqe(ring, 1), P_ALL, 0, &info, WEXITED, 0);
	op_check(op_run(ring), 0);
	assert_int_equal(info.si_pid, pid);
	assert_int_equal(info.si_code, CLD_KILLED);
	assert_int_equal(info.si_status, SIGKILL);
	close(fds[1]);

	io_uring_prep_waitid(op_sqe(ring, 1), P_PID, (id_t)pid, &info, 0, 0);
	op_check(op_run(ring), -EINVAL);
	io_uring_prep_waitid(op_sqe(ring, 1), P_PID, (id_t)pid, &info, WEXITED, 1);
	op_check(op_run(ring), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		op_test(test_futex),
		op_test(test_futex_mask),
		op_test(test_futex_and_thread),
		op_test(test_futex_waitv),
		op_test(test_waitid),
		op_test(test_waitid_signals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
