/* SPDX-License-Identifier: MIT */
/*
 * Registering more files than the soft limit allows: it is raised within the
 * hard one, and where the files cannot fit nothing changes.
 */
#include "test.h"

#include "ring.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define SOFT 64
#define HARD 96
#define FITS 80
#define TOO_MANY 200

typedef int register_call(struct io_uring *ring, unsigned nr);

static int call_files(struct io_uring *ring, unsigned nr)
{
	int fds[TOO_MANY];
	unsigned i;

	for (i = 0; i < nr; i++)
		fds[i] = STDERR_FILENO;
	return io_uring_register_files(ring, fds, nr);
}

static int call_files_tags(struct io_uring *ring, unsigned nr)
{
	__u64 tags[TOO_MANY] = { 0 };
	int fds[TOO_MANY];
	unsigned i;

	for (i = 0; i < nr; i++)
		fds[i] = STDERR_FILENO;
	return io_uring_register_files_tags(ring, fds, tags, nr);
}

static int call_files_sparse(struct io_uring *ring, unsigned nr)
{
	return io_uring_register_files_sparse(ring, nr);
}

static void set_limits(rlim_t soft, rlim_t hard)
{
	const struct rlimit limit = { soft, hard };

	child_check_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

static rlim_t soft_limit(void)
{
	struct rlimit limit;

	child_check_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	child_check_equal(limit.rlim_max, HARD);
	return limit.rlim_cur;
}

static int register_within_limits(void *arg)
{
	register_call *call = *(register_call **)arg;
	struct io_uring ring;
	int ret;

	child_check_equal(io_uring_queue_init(4, &ring, 0), 0);
	ret = call(&ring, 1);
	if (ret == -EINVAL) {
		puts("the kernel has no such registration");
		fflush(stdout);
		return CHILD_SKIP;
	}
	child_check_equal(ret, 0);
	child_check_equal(io_uring_unregister_files(&ring), 0);
	set_limits(SOFT, HARD);

	/* What fits the soft limit leaves it. */
	child_check_equal(call(&ring, SOFT), 0);
	child_check_equal(soft_limit(), SOFT);
	child_check_equal(io_uring_unregister_files(&ring), 0);

	child_check_equal(call(&ring, TOO_MANY), -EMFILE);
	child_check_equal(soft_limit(), SOFT);
	child_check_equal(call(&ring, HARD + 1), -EMFILE);
	child_check_equal(soft_limit(), SOFT);
	child_check_equal(io_uring_unregister_files(&ring), -ENXIO);

	child_check_equal(call(&ring, FITS), 0);
	child_check(soft_limit() >= FITS && soft_limit() <= HARD);
	child_check_equal(io_uring_unregister_files(&ring), 0);

	set_limits(SOFT, HARD);
	child_check_equal(call(&ring, HARD), 0);
	child_check_equal(soft_limit(), HARD);
	child_check_equal(io_uring_unregister_files(&ring), 0);

	/* The retry goes wrong for another reason: the limit is as it was. */
	set_limits(SOFT, HARD);
	child_check_equal(call(&ring, 10), 0);
	child_check(call(&ring, FITS) < 0);
	child_check_equal(soft_limit(), SOFT);

	/* Nothing to raise. */
	child_check_equal(io_uring_unregister_files(&ring), 0);
	set_limits(HARD, HARD);
	child_check_equal(call(&ring, TOO_MANY), -EMFILE);
	child_check_equal(call(&ring, HARD), 0);
	child_check_equal(soft_limit(), HARD);
	return 0;
}

static void run(register_call *call)
{
	in_child(register_within_limits, &call);
}

static void test_files(void **state)
{
	run(call_files);
}

static void test_files_tags(void **state)
{
	run(call_files_tags);
}

static void test_files_sparse(void **state)
{
	run(call_files_sparse);
}

/* An error that is not of the limit's leaves it alone too. */
static int fail_otherwise(void *arg)
{
	int fds[FITS];
	struct io_uring ring;
	unsigned i;

	for (i = 0; i < FITS; i++)
		fds[i] = 1 << 20;
	child_check_equal(io_uring_queue_init(4, &ring, 0), 0);
	set_limits(SOFT, HARD);
	child_check_equal(io_uring_register_files(&ring, fds, SOFT), -EBADF);
	child_check_equal(soft_limit(), SOFT);
	child_check_equal(io_uring_register_files(&ring, fds, FITS), -EBADF);
	child_check_equal(soft_limit(), SOFT);
	child_check_equal(io_uring_register_files(&ring, NULL, FITS), -EFAULT);
	child_check_equal(soft_limit(), SOFT);
	return 0;
}

static void test_other_errors(void **state)
{
	in_child(fail_otherwise, NULL);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		timed_test(test_files),
		timed_test(test_files_tags),
		timed_test(test_files_sparse),
		timed_test(test_other_errors),
	};

	return cmocka_run_group_tests_name("file_limits", tests, NULL, NULL);
}
