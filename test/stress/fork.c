/* SPDX-License-Identifier: MIT */
/*
 * Forks while requests are queued, in flight and completed: they stay the parent's,
 * each once, whatever the child does but use the ring.
 */
#include "stress.h"
#include "process.h"
#include "ring.h"

#include <sys/wait.h>
#include <unistd.h>

#define IN_FLIGHT 32

/* A child ends at once, makes a ring of its own, or has a child itself. */
static int child_run(unsigned nth)
{
	struct io_uring ring;
	struct io_uring_cqe *cqe;
	unsigned i;
	pid_t pid;
	int status, ret;

	if (nth % 3 == 0)
		return 0;
	if (nth % 3 == 1) {
		pid = fork();
		if (pid <= 0)
			return 0;
		return waitpid(pid, &status, 0) == pid ? 0 : 1;
	}
	ret = io_uring_queue_init(4, &ring, 0);
	/* The memory of rings that were dropped comes back later. */
	if (ret == -ENOMEM || ret == -EAGAIN)
		return 0;
	if (ret)
		return 2;
	for (i = 0; i < 4; i++)
		io_uring_prep_nop(io_uring_get_sqe(&ring));
	if (io_uring_submit_and_wait(&ring, 4) != 4)
		return 3;
	for (i = 0; i < 4; i++) {
		if (io_uring_wait_cqe(&ring, &cqe) || cqe->res)
			return 4;
		io_uring_cqe_seen(&ring, cqe);
	}
	io_uring_queue_exit(&ring);
	return 0;
}

static void run(unsigned flags, bool dontfork)
{
	struct ledger ledger;
	struct io_uring ring;
	unsigned nr = 0, i;
	int status;
	pid_t pid;

	ring_open_flags(&ring, 8, flags);
	if (dontfork)
		assert_int_equal(io_uring_ring_dontfork(&ring), 0);
	ledger_open(&ledger, IN_FLIGHT);
	while (stress_goes_on()) {
		for (i = stress_random(IN_FLIGHT); i && ledger_has_room(&ledger); i--)
			stress_any(&ring, &ledger);
		if (nr % 2)
			stress_submit(&ring, &ledger);
		fflush(stdout);
		pid = fork();
		assert_true(pid >= 0);
		if (!pid)
			_exit(child_run(nr));
		stress_submit(&ring, &ledger);
		if (nr++ % 4)
			stress_reap(&ring, &ledger);
		else
			stress_drain(&ring, &ledger);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 0);
	}
	stress_drain(&ring, &ledger);
	ledger_check(&ledger);
	io_uring_queue_exit(&ring);
}

static void test_plain(void **state)
{
	run(0, false);
}

static void test_dontfork(void **state)
{
	run(0, true);
}

static void test_defer(void **state)
{
	run(IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN, false);
}

static void test_sqpoll(void **state)
{
	run(IORING_SETUP_SQPOLL, false);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		stress_test(test_plain),
		stress_test(test_dontfork),
		stress_test(test_defer),
		stress_test(test_sqpoll),
	};

	return STRESS_RUN("fork", tests);
}
