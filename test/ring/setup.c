/* SPDX-License-Identifier: MIT */
/*
 * Set-up: the sizes that come out of the entries asked for, and what is refused.
 */
#include "test.h"

#include "ring.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct size_case {
	unsigned entries;
	unsigned flags;
	unsigned cq_entries;	/* asked for, with CQSIZE */
	int ret;
	unsigned sq;
	unsigned cq;
};

static const struct size_case size_cases[] = {
	{ 0, 0, 0, -EINVAL, 0, 0 },
	{ 0, IORING_SETUP_CLAMP, 0, -EINVAL, 0, 0 },
	{ 1, 0, 0, 0, 1, 2 },
	{ 2, 0, 0, 0, 2, 4 },
	{ 3, 0, 0, 0, 4, 8 },
	{ 255, 0, 0, 0, 256, 512 },
	{ 256, 0, 0, 0, 256, 512 },
	{ 257, 0, 0, 0, 512, 1024 },
	{ 32768, 0, 0, 0, 32768, 65536 },
	{ 32769, 0, 0, -EINVAL, 0, 0 },
	{ 0xffffffff, 0, 0, -EINVAL, 0, 0 },
	{ 32769, IORING_SETUP_CLAMP, 0, 0, 32768, 65536 },
	{ 0xffffffff, IORING_SETUP_CLAMP, 0, 0, 32768, 65536 },
	{ 4, IORING_SETUP_CQSIZE, 0, -EINVAL, 0, 0 },
	{ 4, IORING_SETUP_CQSIZE | IORING_SETUP_CLAMP, 0, -EINVAL, 0, 0 },
	{ 4, IORING_SETUP_CQSIZE, 2, -EINVAL, 0, 0 },
	{ 4, IORING_SETUP_CQSIZE, 3, 0, 4, 4 },
	{ 4, IORING_SETUP_CQSIZE, 4, 0, 4, 4 },
	{ 4, IORING_SETUP_CQSIZE, 5, 0, 4, 8 },
	{ 4, IORING_SETUP_CQSIZE, 1000, 0, 4, 1024 },
	{ 4, IORING_SETUP_CQSIZE, 65536, 0, 4, 65536 },
	{ 4, IORING_SETUP_CQSIZE, 65537, -EINVAL, 0, 0 },
	{ 4, IORING_SETUP_CQSIZE | IORING_SETUP_CLAMP, 65537, 0, 4, 65536 },
	{ 40000, IORING_SETUP_CQSIZE | IORING_SETUP_CLAMP, 32768, 0, 32768, 32768 },
};

static void check_size(const struct size_case *size, unsigned more_flags)
{
	struct io_uring_params asked, p;
	unsigned nr_tries = 0;
	struct io_uring ring;
	int ret;

	memset(&asked, 0, sizeof(asked));
	asked.flags = size->flags | more_flags;
	asked.cq_entries = size->cq_entries;
	do {
		p = asked;
		ret = io_uring_queue_init_params(size->entries, &ring, &p);
	} while (ring_retry(ret, &nr_tries));
	assert_int_equal(ret, size->ret);
	if (ret) {
		/* As it was, so that the program can try with other values. */
		assert_memory_equal(&p, &asked, sizeof(p));
		assert_int_equal(ring.ring_fd, -1);
		return;
	}
	assert_int_equal(p.sq_entries, size->sq);
	assert_int_equal(p.cq_entries, size->cq);
	assert_int_equal(p.flags & asked.flags, asked.flags);
	assert_true(p.features != 0);
	assert_int_equal(ring.features, p.features);
	assert_int_equal(ring.flags, p.flags);
	assert_int_equal(ring.sq.ring_entries, size->sq);
	assert_int_equal(ring.sq.ring_mask, size->sq - 1);
	assert_int_equal(ring.cq.ring_entries, size->cq);
	assert_int_equal(ring.cq.ring_mask, size->cq - 1);
	/* Deprecated, and live. */
	assert_int_equal(*ring.sq.kring_entries, size->sq);
	assert_int_equal(*ring.sq.kring_mask, size->sq - 1);
	assert_int_equal(*ring.cq.kring_entries, size->cq);
	assert_int_equal(*ring.cq.kring_mask, size->cq - 1);
	io_uring_queue_exit(&ring);
}

static void test_sizes(void **state)
{
	struct holdings before;
	unsigned i;

	holdings_take(&before);
	for (i = 0; i < ARRAY_LEN(size_cases); i++) {
		check_size(&size_cases[i], 0);
		check_size(&size_cases[i], IORING_SETUP_NO_SQARRAY);
		holdings_same(&before);
	}
}

/* The same answers without asking the kernel for the ring. */
static void test_size_functions(void **state)
{
	const struct size_case *size;
	struct io_uring_params p;
	ssize_t sz;
	unsigned i;

	for (i = 0; i < ARRAY_LEN(size_cases); i++) {
		size = &size_cases[i];
		memset(&p, 0, sizeof(p));
		p.flags = size->flags;
		p.cq_entries = size->cq_entries;
		sz = io_uring_memory_size_params(size->entries, &p);
		if (size->ret) {
			assert_int_equal(sz, size->ret);
			assert_int_equal(io_uring_mlock_size_params(size->entries, &p), size->ret);
			continue;
		}
		assert_true(sz >= (ssize_t)(64 * size->sq + 16 * size->cq));
		if (size->flags & IORING_SETUP_CQSIZE)
			continue;
		assert_int_equal(io_uring_memory_size(size->entries, size->flags), sz);
	}
}

struct wrong_flags {
	const char *name;
	unsigned flags;
};

/* Pairs that no kernel accepts, and a bit that none knows. */
static void test_wrong_flags(void **state)
{
	static const struct wrong_flags wrong[] = {
		{ "DEFER_TASKRUN alone", IORING_SETUP_DEFER_TASKRUN },
		{ "TASKRUN_FLAG alone", IORING_SETUP_TASKRUN_FLAG },
		{ "SQ_AFF alone", IORING_SETUP_SQ_AFF },
		{ "SQPOLL, COOP_TASKRUN", IORING_SETUP_SQPOLL | IORING_SETUP_COOP_TASKRUN },
		{ "SQPOLL, DEFER_TASKRUN", IORING_SETUP_SQPOLL | IORING_SETUP_SINGLE_ISSUER |
						   IORING_SETUP_DEFER_TASKRUN },
		{ "REGISTERED_FD_ONLY alone", IORING_SETUP_REGISTERED_FD_ONLY },
		{ "CQE32, CQE_MIXED", IORING_SETUP_CQE32 | IORING_SETUP_CQE_MIXED },
		{ "SQE128, SQE_MIXED", IORING_SETUP_SQE128 | IORING_SETUP_SQE_MIXED },
		{ "an unknown flag", 1U << 30 },
	};
	struct io_uring_params asked, p;
	struct holdings before;
	struct io_uring ring;
	unsigned i;
	int ret;

	holdings_take(&before);
	for (i = 0; i < ARRAY_LEN(wrong); i++) {
		memset(&asked, 0, sizeof(asked));
		asked.flags = wrong[i].flags;
		p = asked;
		ret = io_uring_queue_init_params(8, &ring, &p);
		if (ret != -EINVAL)
			fail_msg("%s: %d", wrong[i].name, ret);
		assert_memory_equal(&p, &asked, sizeof(p));
		assert_int_equal(io_uring_queue_init(8, &ring, wrong[i].flags), -EINVAL);
		assert_int_equal(ring.ring_fd, -1);
		assert_int_equal(ring.enter_ring_fd, -1);
		assert_null(ring.sq.ring_ptr);
		assert_null(ring.sq.sqes);
		holdings_same(&before);
	}
}

static void test_attach_to_nothing(void **state)
{
	struct io_uring_params p = { .flags = IORING_SETUP_ATTACH_WQ, .wq_fd = 0xffffffff };
	int fd = temp_file(0);
	struct holdings before;
	struct io_uring ring;

	holdings_take(&before);
	assert_true(io_uring_queue_init_params(8, &ring, &p) < 0);
	p.wq_fd = (unsigned)fd;
	assert_int_equal(io_uring_queue_init_params(8, &ring, &p), -EINVAL);
	assert_int_equal(p.flags, IORING_SETUP_ATTACH_WQ);
	holdings_same(&before);
	close(fd);
}

/* Two rings that share their worker threads both work. */
static void test_attach(void **state)
{
	struct io_uring_params p = { .flags = IORING_SETUP_ATTACH_WQ };
	struct io_uring first, second;
	struct io_uring_sqe *sqe;

	ring_open_flags(&first, 4, 0);
	p.wq_fd = (unsigned)first.ring_fd;
	assert_int_equal(io_uring_queue_init_params(4, &second, &p), 0);
	sqe = next_sqe(&second);
	io_uring_prep_nop(sqe);
	sqe->flags |= IOSQE_ASYNC;
	assert_int_equal(submit_one(&second, NULL), 0);
	io_uring_queue_exit(&first);
	sqe = next_sqe(&second);
	io_uring_prep_nop(sqe);
	sqe->flags |= IOSQE_ASYNC;
	assert_int_equal(submit_one(&second, NULL), 0);
	io_uring_queue_exit(&second);
}

/* errno is the program's own. */
static void test_errno_untouched(void **state)
{
	struct io_uring ring;

	errno = 1234;
	assert_int_equal(io_uring_queue_init(0, &ring, 0), -EINVAL);
	assert_int_equal(errno, 1234);
	assert_int_equal(io_uring_queue_init(4, &ring, 1U << 30), -EINVAL);
	assert_int_equal(errno, 1234);
	ring_open_flags(&ring, 4, 0);
	errno = 1234;
	assert_int_equal(io_uring_unregister_buffers(&ring), -ENXIO);
	assert_int_equal(io_uring_register_eventfd(&ring, -1), -EBADF);
	assert_int_equal(errno, 1234);
	io_uring_queue_exit(&ring);
	assert_int_equal(errno, 1234);
}

/* The bare system calls. */
static void test_raw_calls(void **state)
{
	struct io_uring_params p;
	int fd;

	memset(&p, 0, sizeof(p));
	assert_int_equal(io_uring_setup(0, &p), -EINVAL);
	fd = io_uring_setup(4, &p);
	assert_true(fd >= 0);
	assert_int_equal(p.sq_entries, 4);
	assert_int_equal(io_uring_enter((unsigned)fd, 0, 0, IORING_ENTER_GETEVENTS, NULL), 0);
	assert_int_equal(io_uring_enter2((unsigned)fd, 0, 0, IORING_ENTER_GETEVENTS, NULL, 0), 0);
	assert_int_equal(io_uring_enter((unsigned)fd, 0, 0, 1U << 30, NULL), -EINVAL);
	assert_int_equal(io_uring_register((unsigned)fd, IORING_UNREGISTER_FILES, NULL, 0), -ENXIO);
	close(fd);
	assert_int_equal(io_uring_enter((unsigned)fd, 0, 0, 0, NULL), -EBADF);
	assert_int_equal(io_uring_register((unsigned)fd, IORING_UNREGISTER_FILES, NULL, 0), -EBADF);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		timed_test(test_sizes),
		timed_test(test_size_functions),
		timed_test(test_wrong_flags),
		timed_test(test_attach_to_nothing),
		timed_test(test_attach),
		timed_test(test_errno_untouched),
		timed_test(test_raw_calls),
	};

	return cmocka_run_group_tests_name("setup", tests, NULL, NULL);
}
