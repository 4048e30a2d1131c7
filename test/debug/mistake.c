/* SPDX-License-Identifier: MIT */
#include "coverage.h"
#include "mistake.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static void dump_and_abort(int signo)
{
	coverage_dump();
	signal(SIGABRT, SIG_DFL);
	abort();
}

void count_at_abort(void)
{
	signal(SIGABRT, dump_and_abort);
}

/* Returns the wait status; what the child wrote to standard error goes to output. */
static int run_child(void (*run)(void), char *output, size_t output_sz)
{
	int fds[2], status;
	size_t sz = 0;
	ssize_t nr;
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	fflush(stdout);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		dup2(fds[1], STDERR_FILENO);
		close(fds[0]);
		close(fds[1]);
		count_at_abort();
		alarm(20);
		run();
		coverage_dump();
		_exit(0);
	}
	close(fds[1]);
	while (sz < output_sz - 1 && (nr = read(fds[0], output + sz, output_sz - 1 - sz)) > 0)
		sz += (size_t)nr;
	output[sz] = '\0';
	close(fds[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

/* The one message has to be: PREFIX FUNCTION: TEXT. */
static void check_message(const char *output, const char *prefix, const char *function,
			  const char *text)
{
	char start[128];
	const char *end = strchr(output, '\n');

	snprintf(start, sizeof(start), "%s%s: ", prefix, function);
	if (strncmp(output, start, strlen(start)) || !strstr(output, text) || !end || end[1])
		fail_msg("expected \"%s...%s...\", got \"%s\"", start, text, output);
}

void expect_abort(void (*run)(void), const char *function, const char *text)
{
	char output[4096];
	int status = run_child(run, output, sizeof(output));

	if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT)
		fail_msg("status %#x instead of an abort: %s", (unsigned)status, output);
	check_message(output, "liburing: ", function, text);
}

void expect_warning(void (*run)(void), const char *function, const char *text)
{
	char output[4096];
	int status = run_child(run, output, sizeof(output));

	if (status)
		fail_msg("status %#x: %s", (unsigned)status, output);
	check_message(output, "liburing: warning: ", function, text);
}

void expect_silence(void (*run)(void))
{
	char output[4096];
	int status = run_child(run, output, sizeof(output));

	if (status || output[0])
		fail_msg("status %#x: %s", (unsigned)status, output);
}

void need_failed(const char *file, int line, const char *what)
{
	dprintf(STDERR_FILENO, "%s:%d: not so: %s\n", file, line, what);
	_exit(3);
}

void require_flags(unsigned flags)
{
	struct io_uring ring;

	if (io_uring_queue_init(2, &ring, flags))
		skip_because("the kernel has no rings with flags %#x", flags);
	io_uring_queue_exit(&ring);
}

struct io_uring *ring_flags(unsigned flags)
{
	static struct io_uring ring;

	need(io_uring_queue_init(8, &ring, flags) == 0);
	return &ring;
}

struct io_uring_sqe *queue_nop(struct io_uring *ring, __u64 user_data)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(ring);

	need(sqe);
	io_uring_prep_nop(sqe);
	io_uring_sqe_set_data64(sqe, user_data);
	return sqe;
}

void run_nop(struct io_uring *ring)
{
	struct io_uring_cqe *cqe;

	queue_nop(ring, 1);
	need(io_uring_submit_and_wait(ring, 1) == 1);
	need(io_uring_wait_cqe(ring, &cqe) == 0);
	io_uring_cqe_seen(ring, cqe);
}

struct thread_call {
	void (*run)(struct io_uring *ring);
	struct io_uring *ring;
};

static void *call_in_thread(void *arg)
{
	struct thread_call *call = arg;

	call->run(call->ring);
	return NULL;
}

void run_in_thread(void (*run)(struct io_uring *ring), struct io_uring *ring)
{
	struct thread_call call = { .run = run, .ring = ring };
	pthread_t thread;

	need(pthread_create(&thread, NULL, call_in_thread, &call) == 0);
	need(pthread_join(thread, NULL) == 0);
}

static void do_nothing(int signo)
{
}

void interrupt_soon(void)
{
	const struct itimerval timer = { .it_value.tv_usec = 50000, .it_interval.tv_usec = 50000 };
	const struct sigaction action = { .sa_handler = do_nothing };

	need(sigaction(SIGALRM, &action, NULL) == 0);
	need(setitimer(ITIMER_REAL, &timer, NULL) == 0);
}
