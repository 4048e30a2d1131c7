/* SPDX-License-Identifier: MIT */
/*
 * The debug build: whose a ring is, where it lies, and who gets the messages.
 */
#include "coverage.h"
#include "mistake.h"

#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Children of fork. Each call aborts in the child, whose end the parent repeats. */

static void (*in_child)(struct io_uring *ring);

static void fork_and_use(void)
{
	struct io_uring *ring = ring_flags(0);
	int status;
	pid_t pid;

	run_nop(ring);
	pid = fork();
	need(pid >= 0);
	if (!pid) {
		in_child(ring);
		_exit(0);
	}
	need(waitpid(pid, &status, 0) == pid);
	run_nop(ring);
	if (WIFSIGNALED(status))
		abort();
}

static void take_sqe(struct io_uring *ring)
{
	io_uring_get_sqe(ring);
}

static void submit_nothing(struct io_uring *ring)
{
	io_uring_submit(ring);
}

static void peek(struct io_uring *ring)
{
	struct io_uring_cqe *cqe;

	io_uring_peek_cqe(ring, &cqe);
}

static void register_nothing(struct io_uring *ring)
{
	io_uring_unregister_files(ring);
}

static void make_own(struct io_uring *ring)
{
	struct io_uring own;

	io_uring_queue_exit(ring);
	need(io_uring_queue_init(4, &own, 0) == 0);
	run_nop(&own);
	io_uring_queue_exit(&own);
}

static void test_fork(void **state)
{
	in_child = take_sqe;
	expect_abort(fork_and_use, "io_uring_get_sqe", "which shares its memory");
	in_child = submit_nothing;
	expect_abort(fork_and_use, "io_uring_submit", "uses a ring of process");
	in_child = peek;
	expect_abort(fork_and_use, "io_uring_peek_cqe", "uses a ring of process");
	in_child = register_nothing;
	expect_abort(fork_and_use, "io_uring_unregister_files", "uses a ring of process");
	in_child = make_own;
	expect_silence(fork_and_use);
}

/* As daemon(3) does it: the parent leaves the ring to its child, and is gone. */
static void leave_to_child(void)
{
	struct io_uring *ring = ring_flags(0);
	int fds[2], status = 0;
	char byte = 1;
	pid_t pid;

	need(pipe(fds) == 0);
	pid = fork();
	need(pid >= 0);
	if (!pid) {
		pid_t owner = getpid();
		/* A ring of this process, which its own child goes on with. */
		struct io_uring own;

		need(io_uring_queue_init(4, &own, 0) == 0);
		run_nop(&own);
		if (fork())
			_exit(0);
		while (kill(owner, 0) == 0)
			usleep(1000);
		run_nop(&own);
		run_nop(&own);
		byte = 0;
		need(write(fds[1], &byte, 1) == 1);
		coverage_dump();
		_exit(0);
	}
	close(fds[1]);
	need(waitpid(pid, &status, 0) == pid && status == 0);
	need(read(fds[0], &byte, 1) == 1 && byte == 0);
	run_nop(ring);
}

static void test_left_to_child(void **state)
{
	expect_silence(leave_to_child);
}

/* Threads */

static void submit_one(struct io_uring *ring)
{
	queue_nop(ring, 1);
	io_uring_submit(ring);
}

static void submit_in_thread(void)
{
	run_in_thread(submit_one, ring_flags(SINGLE));
}

static void register_in_thread(void)
{
	run_in_thread(register_nothing, ring_flags(SINGLE));
}

static void wait_one(struct io_uring *ring)
{
	struct io_uring_cqe *cqe;

	need(io_uring_wait_cqe(ring, &cqe) == 0);
	io_uring_cqe_seen(ring, cqe);
}

static void wait_deferred_in_thread(void)
{
	struct io_uring *ring = ring_flags(DEFER);

	queue_nop(ring, 1);
	need(io_uring_submit_and_wait(ring, 1) == 1);
	wait_one(ring);
	run_in_thread(wait_one, ring);
}

static void use_in_threads(void)
{
	struct io_uring *ring = ring_flags(0);

	run_in_thread(submit_one, ring);
	wait_one(ring);
	run_in_thread(run_nop, ring);
}

/* Waiting is not submitting, where task work is not deferred. */
static void wait_in_thread(void)
{
	struct io_uring *ring = ring_flags(SINGLE);

	submit_one(ring);
	run_in_thread(wait_one, ring);
}

static void enable_and_use(struct io_uring *ring)
{
	need(io_uring_enable_rings(ring) == 0);
	run_nop(ring);
}

static void hand_over(void)
{
	run_in_thread(enable_and_use, ring_flags(DEFER | IORING_SETUP_R_DISABLED));
}

static void hand_over_and_use(void)
{
	struct io_uring *ring = ring_flags(SINGLE | IORING_SETUP_R_DISABLED);

	run_in_thread(enable_and_use, ring);
	submit_one(ring);
}

static void exit_in_thread(void)
{
	struct io_uring *ring = ring_flags(SINGLE);

	io_uring_register_ring_fd(ring);
	run_in_thread(io_uring_queue_exit, ring);
}

static void test_single_issuer(void **state)
{
	require_flags(SINGLE);
	expect_abort(submit_in_thread, "io_uring_submit",
		     "uses a ring of IORING_SETUP_SINGLE_ISSUER that belongs to thread");
	expect_abort(register_in_thread, "io_uring_unregister_files", "belongs to thread");
	expect_abort(hand_over_and_use, "io_uring_submit", "belongs to thread");
	expect_silence(use_in_threads);
	expect_silence(wait_in_thread);
	expect_silence(exit_in_thread);
}

static void test_deferred(void **state)
{
	require_flags(DEFER);
	expect_abort(wait_deferred_in_thread, "io_uring_wait_cqe",
		     "uses a ring of IORING_SETUP_DEFER_TASKRUN that belongs to thread");
	expect_silence(hand_over);
}

/* Rings that move, and such as the library did not make */

static void use_given_up(void)
{
	struct io_uring *ring = ring_flags(0);

	io_uring_queue_exit(ring);
	io_uring_get_sqe(ring);
}

static void use_many(void)
{
	struct io_uring rings[32];
	unsigned lap, i;

	for (lap = 0; lap < 20; lap++) {
		for (i = 0; i < 32; i++)
			need(io_uring_queue_init(4, &rings[i], 0) == 0);
		for (i = 0; i < 32; i++)
			run_nop(&rings[i]);
		for (i = 0; i < 32; i++)
			io_uring_queue_exit(&rings[i]);
	}
}

static void use_copy(void)
{
	struct io_uring first = *ring_flags(0), second;

	run_nop(&first);
	second = first;
	run_nop(&second);
	run_nop(&second);
	io_uring_queue_exit(&second);
}

static void use_mapped(void)
{
	struct io_uring_params p = { .flags = 0 };
	struct io_uring ring;
	int fd = io_uring_setup(4, &p);

	need(fd >= 0);
	need(io_uring_queue_mmap(fd, &p, &ring) == 0);
	run_nop(&ring);
	io_uring_queue_exit(&ring);
}

/* Memory that only looks like a ring. */
static void use_made_up(void)
{
	static unsigned khead, ktail = 2, kflags;
	static struct io_uring_cqe *cqe;
	struct io_uring ring;
	char slots[4 * 16] = { 0 };

	memset(&ring, 0, sizeof(ring));
	ring.cq.khead = &khead;
	ring.cq.ktail = &ktail;
	ring.sq.kflags = &kflags;
	ring.cq.cqes = (struct io_uring_cqe *)(void *)slots;
	ring.cq.ring_mask = 3;
	ring.cq.ring_entries = 4;
	ring.features = IORING_FEAT_EXT_ARG;
	need(io_uring_peek_cqe(&ring, &cqe) == 0);
	io_uring_cqe_seen(&ring, cqe);
	io_uring_cq_advance(&ring, 1);
	need(khead == 2);
}

static void resize_and_use(void)
{
	struct io_uring_params p = { .sq_entries = 32 };
	struct io_uring *ring = ring_flags(DEFER);

	run_nop(ring);
	queue_nop(ring, 1);
	if (io_uring_resize_rings(ring, &p))
		return;
	need(io_uring_submit_and_wait(ring, 1) == 1);
	wait_one(ring);
	run_nop(ring);
}

static void resize_and_use_in_thread(void)
{
	struct io_uring_params p = { .sq_entries = 32 };
	struct io_uring *ring = ring_flags(DEFER);

	/* Where there is no resize, the mistake is the same without. */
	io_uring_resize_rings(ring, &p);
	run_in_thread(submit_one, ring);
}

static void test_where_rings_lie(void **state)
{
	expect_abort(use_given_up, "io_uring_get_sqe", "has been given up");
	expect_silence(use_many);
	expect_silence(use_copy);
	expect_silence(use_mapped);
	expect_silence(use_made_up);
}

static void test_resize(void **state)
{
	require_flags(DEFER);
	expect_silence(resize_and_use);
	expect_abort(resize_and_use_in_thread, "io_uring_submit", "belongs to thread");
}

/* Messages */

static void report_shortly(const char *function, const char *message, int is_fatal)
{
	dprintf(STDERR_FILENO, "mine: %s%s: %d\n", is_fatal ? "fatal " : "", function,
		strstr(message, "released") || strstr(message, "releases") || strstr(message, "link"));
}

static void report_and_leave(const char *function, const char *message, int is_fatal)
{
	_exit(is_fatal ? 0 : 1);
}

static void advance_by_one(struct io_uring *ring)
{
	io_uring_cq_advance(ring, 1);
}

static void report_mine(void)
{
	need(liburing_debug_report(report_shortly) != NULL);
	advance_by_one(ring_flags(0));
}

static void report_the_usual_way_again(void)
{
	liburing_debug_report_fn *usual = liburing_debug_report(report_shortly);

	need(usual != report_shortly);
	need(liburing_debug_report(NULL) == report_shortly);
	need(liburing_debug_report(report_and_leave) == usual);
	advance_by_one(ring_flags(0));
}

static void warn_mine(void)
{
	struct io_uring *ring = ring_flags(0);

	liburing_debug_report(report_shortly);
	io_uring_sqe_set_flags(queue_nop(ring, 1), IOSQE_IO_LINK);
	errno = 5;
	need(io_uring_submit(ring) == 1);
	need(errno == 5);
}

static void check_mine(void (*run)(void), const char *text, int aborts)
{
	/* The helpers know the usual messages only. */
	int fds[2], status;
	char output[256] = "";
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		dup2(fds[1], STDERR_FILENO);
		close(fds[1]);
		count_at_abort();
		run();
		coverage_dump();
		_exit(0);
	}
	close(fds[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(read(fds[0], output, sizeof(output) - 1) > 0);
	close(fds[0]);
	assert_string_equal(output, text);
	assert_int_equal(WIFSIGNALED(status), aborts);
}

static void test_report(void **state)
{
	check_mine(report_mine, "mine: fatal io_uring_cq_advance: 1\n", 1);
	check_mine(warn_mine, "mine: io_uring_submit: 1\n", 0);
	expect_silence(report_the_usual_way_again);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fork),
		cmocka_unit_test(test_left_to_child),
		cmocka_unit_test(test_single_issuer),
		cmocka_unit_test(test_deferred),
		cmocka_unit_test(test_where_rings_lie),
		cmocka_unit_test(test_resize),
		cmocka_unit_test(test_report),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
