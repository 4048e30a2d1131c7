/* SPDX-License-Identifier: MIT */
/*
 * The worker threads of a ring: how many there may be, and on which CPUs they
 * run. Their number and affinity are read from /proc.
 */
#include "test.h"

#include "ring.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NR_OPENS 6

/* The CPUs of the worker threads, in all; returns how many threads there are. */
static unsigned find_workers(cpu_set_t *cpus)
{
	DIR *dir = opendir("/proc/self/task");
	char path[300], name[32];
	struct dirent *entry;
	unsigned nr = 0;
	cpu_set_t own;
	FILE *file;

	child_check(dir);
	CPU_ZERO(cpus);
	while ((entry = readdir(dir))) {
		snprintf(path, sizeof(path), "/proc/self/task/%s/comm", entry->d_name);
		file = fopen(path, "re");
		if (!file)
			continue;
		if (fgets(name, sizeof(name), file) && !strncmp(name, "iou-wrk-", 8) &&
		    !sched_getaffinity(atoi(entry->d_name), sizeof(own), &own)) {
			CPU_OR(cpus, cpus, &own);
			nr++;
		}
		fclose(file);
	}
	closedir(dir);
	return nr;
}

/* Opens of a pipe that block worker threads until somebody opens its other end. */
static void block_workers(struct io_uring *ring, const char *path)
{
	struct io_uring_sqe *sqe;
	unsigned i;

	for (i = 0; i < NR_OPENS; i++) {
		sqe = next_sqe(ring);
		io_uring_prep_openat(sqe, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
		sqe->flags |= IOSQE_ASYNC;
	}
	submit_ok(ring, NR_OPENS);
}

static void free_workers(struct io_uring *ring, const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	unsigned i;

	for (i = 0; i < NR_OPENS; i++)
		close(wait_one(ring, NULL));
	close(fd);
}

static void test_max_workers(struct io_uring *ring)
{
	unsigned values[2] = { 0, 0 }, first[2];

	require_ret("the limit of worker threads",
		    io_uring_register_iowq_max_workers(ring, values));
	assert_true(values[IO_WQ_BOUND] > 0 && values[IO_WQ_UNBOUND] > 0);
	first[0] = values[0];
	first[1] = values[1];

	/* The old values come back; 0 changes nothing. */
	values[IO_WQ_BOUND] = 3;
	values[IO_WQ_UNBOUND] = 5;
	assert_int_equal(io_uring_register_iowq_max_workers(ring, values), 0);
	assert_int_equal(values[0], first[0]);
	assert_int_equal(values[1], first[1]);
	values[IO_WQ_BOUND] = 0;
	values[IO_WQ_UNBOUND] = 2;
	assert_int_equal(io_uring_register_iowq_max_workers(ring, values), 0);
	assert_int_equal(values[IO_WQ_BOUND], 3);
	assert_int_equal(values[IO_WQ_UNBOUND], 5);
	values[0] = values[1] = 0;
	assert_int_equal(io_uring_register_iowq_max_workers(ring, values), 0);
	assert_int_equal(values[IO_WQ_BOUND], 3);
	assert_int_equal(values[IO_WQ_UNBOUND], 2);
	memcpy(values, first, sizeof(values));
	assert_int_equal(io_uring_register_iowq_max_workers(ring, values), 0);
}

/* In a child: workers belong to the task, and idle ones stay for a while. */
static int count_workers(void *arg)
{
	unsigned values[2] = { 2, 2 };
	struct io_uring ring;
	cpu_set_t cpus;
	const char *path = arg;
	unsigned i;
	int ret;

	child_check_equal(io_uring_queue_init(8, &ring, 0), 0);
	ret = io_uring_register_iowq_max_workers(&ring, values);
	if (ret == -EINVAL) {
		puts("the kernel knows no limit of worker threads");
		fflush(stdout);
		return CHILD_SKIP;
	}
	child_check_equal(ret, 0);
	block_workers(&ring, path);
	while (find_workers(&cpus) < 2)
		sleep_ms(1);
	for (i = 0; i < 20; i++) {
		sleep_ms(1);
		child_check(find_workers(&cpus) <= 2);
	}
	free_workers(&ring, path);

	values[0] = values[1] = NR_OPENS;
	child_check_equal(io_uring_register_iowq_max_workers(&ring, values), 0);
	child_check_equal(values[0], 2);
	block_workers(&ring, path);
	while (find_workers(&cpus) < 3)
		sleep_ms(1);
	free_workers(&ring, path);
	return 0;
}

/* in_child, with the path of a named pipe. */
static void with_pipe(int (*run)(void *arg))
{
	char dir[] = "/var/tmp/iowq.XXXXXX", path[64];

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/pipe", dir);
	assert_int_equal(mkfifo(path, 0600), 0);
	in_child(run, path);
	unlink(path);
	rmdir(dir);
}

static void test_limit_holds(void **state)
{
	struct io_uring ring;

	ring_open_flags(&ring, 8, 0);
	io_uring_queue_exit(&ring);
	with_pipe(count_workers);
}

/* One CPU of those that the process may use, and whether it has another. */
static bool choose_cpu(cpu_set_t *all, cpu_set_t *one)
{
	int cpu;

	assert_int_equal(sched_getaffinity(0, sizeof(*all), all), 0);
	CPU_ZERO(one);
	for (cpu = 0; !CPU_ISSET(cpu, all); cpu++)
		;
	CPU_SET(cpu, one);
	return CPU_COUNT(all) > 1;
}

static int bind_workers(void *arg)
{
	cpu_set_t all, one, found;
	const char *path = arg;
	struct io_uring ring;

	choose_cpu(&all, &one);
	child_check_equal(io_uring_queue_init(8, &ring, 0), 0);
	child_check_equal(io_uring_register_iowq_aff(&ring, sizeof(one), &one), 0);
	block_workers(&ring, path);
	while (!find_workers(&found))
		sleep_ms(1);
	child_check(CPU_EQUAL(&found, &one));
	free_workers(&ring, path);
	return 0;
}

/* Threads that are there keep theirs: only those made afterwards run anywhere. */
static int unbind_workers(void *arg)
{
	cpu_set_t all, one, found;
	const char *path = arg;
	struct io_uring ring;

	choose_cpu(&all, &one);
	child_check_equal(io_uring_queue_init(8, &ring, 0), 0);
	child_check_equal(io_uring_register_iowq_aff(&ring, sizeof(one), &one), 0);
	child_check_equal(io_uring_unregister_iowq_aff(&ring), 0);
	block_workers(&ring, path);
	while (!find_workers(&found))
		sleep_ms(1);
	child_check(!CPU_EQUAL(&found, &one));
	free_workers(&ring, path);
	return 0;
}

static void test_affinity(void **state)
{
	struct io_uring ring;
	cpu_set_t all, one;
	int ret;

	if (!choose_cpu(&all, &one))
		skip_because("there is one CPU only");
	ring_open_flags(&ring, 8, 0);
	ret = io_uring_register_iowq_aff(&ring, sizeof(one), &one);
	io_uring_queue_exit(&ring);
	require_ret("the affinity of worker threads", ret);
	with_pipe(bind_workers);
	with_pipe(unbind_workers);
}

static void test_affinity_refused(struct io_uring *ring)
{
	cpu_set_t all, one;

	choose_cpu(&all, &one);
	/* The kernel would see the size cut off: it is not asked. */
	assert_int_equal(io_uring_register_iowq_aff(ring, 1UL << 31, &one), -EINVAL);
	assert_int_equal(io_uring_register_iowq_aff(ring, SIZE_MAX, &one), -EINVAL);
#if SIZE_MAX > UINT32_MAX
	assert_int_equal(io_uring_register_iowq_aff(ring, (1UL << 32) + sizeof(one), &one),
			 -EINVAL);
#endif
	assert_true(io_uring_register_iowq_aff(ring, sizeof(one), NULL) < 0);
	assert_true(io_uring_register_iowq_aff(ring, sizeof(one), (cpu_set_t *)8) < 0);
}

int main(void)
{
	static const struct ring_case cases[] = {
		{ "limits of workers of", test_max_workers, 0, 0 },
		{ "refused affinity of", test_affinity_refused, 0, 0 },
	};
	static const struct CMUnitTest tests[] = {
		timed_test(test_limit_holds),
		timed_test(test_affinity),
	};
	int nr_failed = cmocka_run_group_tests_name("iowq", tests, NULL, NULL);

	return nr_failed + ring_run_cases("iowq of every kind", cases, ARRAY_LEN(cases));
}
