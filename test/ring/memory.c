/* SPDX-License-Identifier: MIT */
/*
 * The memory of a ring: how much it is, mapping one that the program set up, and
 * keeping it from children.
 */
#include "test.h"

#include "ring.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* What is mapped for a ring is what memory_size said. */
static void test_size_is_real(struct io_uring *ring)
{
	const struct ring_kind *kind = ring_current_kind();
	static const unsigned entries[] = { 1, 5, 32, 100, 1024, 32768 };
	struct holdings before, after;
	struct io_uring other;
	unsigned i, flags, nr_tries;
	ssize_t sz;
	int ret;

	for (i = 0; i < ARRAY_LEN(entries); i++) {
		holdings_take(&before);
		nr_tries = 0;
		do {
			ret = ring_try(&other, entries[i], kind);
		} while (ring_retry(ret, &nr_tries));
		assert_int_equal(ret, 0);
		holdings_take(&after);
		flags = kind->flags | (other.flags & IORING_SETUP_NO_SQARRAY);
		sz = io_uring_memory_size(entries[i], flags);
		assert_int_equal(after.mapped_sz - before.mapped_sz, sz);
		/* Without knowing about the index array it is the most that it can be. */
		assert_true(io_uring_memory_size(entries[i], kind->flags) >= sz);
		io_uring_queue_exit(&other);
	}
}

static void test_mlock_size(void **state)
{
	struct io_uring_params p = { .flags = IORING_SETUP_CQSIZE, .cq_entries = 4096 };
	struct holdings before;
	struct io_uring ring;
	unsigned features;

	ring_open_flags(&ring, 4, 0);
	features = ring.features;
	io_uring_queue_exit(&ring);
	holdings_take(&before);
	if (features & IORING_FEAT_NATIVE_WORKERS) {
		assert_int_equal(io_uring_mlock_size(4096, 0), 0);
		assert_int_equal(io_uring_mlock_size(4096, IORING_SETUP_SQE128), 0);
		assert_int_equal(io_uring_mlock_size_params(128, &p), 0);
	} else {
		assert_int_equal(io_uring_mlock_size(4096, 0), io_uring_memory_size(4096, 0));
		assert_int_equal(io_uring_mlock_size_params(128, &p),
				 io_uring_memory_size_params(128, &p));
	}
	assert_int_equal(io_uring_mlock_size(0, 0), -EINVAL);
	assert_int_equal(io_uring_mlock_size(32769, 0), -EINVAL);
	assert_true(io_uring_mlock_size(32769, IORING_SETUP_CLAMP) >= 0);
	holdings_same(&before);
}

/* A ring of the program's own set-up, into a structure that holds garbage. */
static void test_queue_mmap(void **state)
{
	struct io_uring_params p;
	struct holdings before;
	struct io_uring ring;
	unsigned i;
	int fd;

	holdings_take(&before);
	memset(&p, 0, sizeof(p));
	fd = io_uring_setup(16, &p);
	if (fd < 0)
		skip_because("the kernel makes no ring: %s", strerror(-fd));
	memset(&ring, 0xff, sizeof(ring));
	assert_int_equal(io_uring_queue_mmap(fd, &p, &ring), 0);
	assert_int_equal(ring.ring_fd, fd);
	assert_int_equal(ring.enter_ring_fd, fd);
	assert_int_equal(ring.flags, p.flags);
	assert_int_equal(ring.features, p.features);
	assert_int_equal(ring.int_flags, 0);
	assert_int_equal(io_uring_sq_ready(&ring), 0);
	assert_int_equal(io_uring_cq_ready(&ring), 0);
	assert_non_null(ring.sq.array);
	for (i = 0; i < 16; i++)
		assert_int_equal(ring.sq.array[i], i);
	for (i = 0; i < 100; i++) {
		io_uring_prep_nop(next_sqe(&ring));
		assert_int_equal(submit_one(&ring, NULL), 0);
	}
	/* It belongs to the ring. */
	io_uring_queue_exit(&ring);
	holdings_same(&before);
}

/* Nothing that can be mapped: what the program passed stays open. */
static void test_queue_mmap_fails(void **state)
{
	struct io_uring_params p;
	struct holdings before;
	struct io_uring ring;
	int fd, timer;

	memset(&p, 0, sizeof(p));
	fd = io_uring_setup(16, &p);
	if (fd < 0)
		skip_because("the kernel makes no ring: %s", strerror(-fd));
	timer = timer_in_ms(1000);
	holdings_take(&before);
	assert_int_equal(io_uring_queue_mmap(-1, &p, &ring), -EBADF);
	assert_int_equal(ring.ring_fd, -1);
	assert_int_equal(io_uring_queue_mmap(timer, &p, &ring), -ENODEV);
	assert_int_equal(ring.ring_fd, -1);
	assert_null(ring.sq.ring_ptr);
	io_uring_queue_exit(&ring);
	holdings_same(&before);
	close(timer);
	close(fd);
}

/* The mappings of rings that a child of fork has. */
static unsigned ring_maps_in_child(void)
{
	struct holdings now;
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		holdings_take(&now);
		_exit((int)now.nr_ring_maps);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return (unsigned)WEXITSTATUS(status);
}

static void test_dontfork(struct io_uring *ring)
{
	struct holdings now;

	holdings_take(&now);
	assert_true(now.nr_ring_maps > 0);
	assert_int_equal(ring_maps_in_child(), now.nr_ring_maps);
	assert_int_equal(io_uring_ring_dontfork(ring), 0);
	assert_int_equal(ring_maps_in_child(), 0);
	assert_int_equal(io_uring_ring_dontfork(ring), 0);
	holdings_same(&now);
	io_uring_prep_nop(next_sqe(ring));
	assert_int_equal(submit_one(ring, NULL), 0);
}

static int touch_in_child(void *arg)
{
	struct io_uring *ring = arg;

	signal(SIGSEGV, SIG_DFL);
	return io_uring_cq_ready(ring) < 1000;
}

/* A child that goes on all the same is stopped at once. */
static void test_dontfork_stops_child(void **state)
{
	struct io_uring ring;
	int status;
	pid_t pid;

	ring_open_flags(&ring, 8, 0);
	assert_int_equal(io_uring_ring_dontfork(&ring), 0);
	fflush(stdout);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		_exit(touch_in_child(&ring));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGSEGV);
	io_uring_queue_exit(&ring);
	assert_int_equal(io_uring_ring_dontfork(&ring), -EINVAL);
}

/* The library's own memory for NO_MMAP is no ring mapping, and kept out as well. */
static int no_mapping_of_it(void *arg)
{
	const struct io_uring *ring = arg;
	unsigned char resident;

	child_check_equal(mincore(ring->sq.sqes, page_size(), &resident), -1);
	child_check_equal(errno, ENOMEM);
	child_check_equal(mincore((void *)((uintptr_t)ring->sq.ring_ptr & ~(page_size() - 1)),
				  page_size(), &resident), -1);
	child_check_equal(errno, ENOMEM);
	return 0;
}

static void test_dontfork_no_mmap(struct io_uring *ring)
{
	assert_int_equal(io_uring_ring_dontfork(ring), 0);
	in_child(no_mapping_of_it, ring);
	io_uring_prep_nop(next_sqe(ring));
	assert_int_equal(submit_one(ring, NULL), 0);
}

int main(void)
{
	static const struct ring_case cases[] = {
		{ "memory of", test_size_is_real, IORING_SETUP_NO_MMAP, 0 },
		{ "dontfork on", test_dontfork, IORING_SETUP_NO_MMAP, 0 },
		{ "dontfork on", test_dontfork_no_mmap, 0, IORING_SETUP_NO_MMAP },
	};
	static const struct CMUnitTest tests[] = {
		timed_test(test_mlock_size),
		timed_test(test_queue_mmap),
		timed_test(test_queue_mmap_fails),
		timed_test(test_dontfork_stops_child),
	};
	int nr_failed = cmocka_run_group_tests_name("memory", tests, NULL, NULL);

	return nr_failed + ring_run_cases("memory of every kind", cases, ARRAY_LEN(cases));
}
