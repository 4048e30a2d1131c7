/* SPDX-License-Identifier: MIT */
/*
 * What the tests that run on the fake kernel start from.
 */
#ifndef FAKE_TEST_H
#define FAKE_TEST_H

#include "test.h"
#include "fake_kernel.h"

#include <errno.h>
#include <liburing.h>
#include <string.h>
#include <asm/unistd.h>

/* The number that mmap has, and what its offset counts. */
#ifdef __NR_mmap2
#define NR_MMAP __NR_mmap2
#define MMAP_OFF_UNIT 4096ULL
#else
#define NR_MMAP __NR_mmap
#define MMAP_OFF_UNIT 1ULL
#endif

/* Nanoseconds. */
#define MSEC 1000000LL
#define SEC 1000000000LL

/* What no function may leave in a CQE pointer. */
#define POISON ((struct io_uring_cqe *)0x5a5a5a50)

/* A test of a freshly booted kernel, of which nothing may be left at the end. */
#define FAKE_TEST(name) cmocka_unit_test_setup_teardown(name, fake_test_begin, fake_test_end)

#define RUN_FAKE_TESTS(tests) cmocka_run_group_tests(tests, NULL, fake_tests_end)

static inline int fake_test_begin(void **state)
{
	fake_boot();
	return 0;
}

static inline int fake_test_end(void **state)
{
	return fake_check() ? -1 : 0;
}

static inline int fake_tests_end(void **state)
{
	fake_boot();
	return 0;
}

/* A ring, and nothing in the log. */
static inline void init_ring(struct io_uring *ring, unsigned entries, unsigned flags)
{
	assert_int_equal(io_uring_queue_init(entries, ring, flags), 0);
	fake_forget();
}

/* Takes nr SQEs, with user_data counting up from first. */
static inline void queue_nops(struct io_uring *ring, unsigned nr, unsigned first)
{
	struct io_uring_sqe *sqe;
	unsigned i;

	for (i = 0; i < nr; i++) {
		sqe = io_uring_get_sqe(ring);
		assert_non_null(sqe);
		io_uring_prep_nop(sqe);
		io_uring_sqe_set_data64(sqe, first + i);
	}
}

/* Makes args, in ordinary memory, what io_uring_submit_and_wait_reg chooses from. */
static inline void register_wait_args(struct io_uring *ring, struct io_uring_reg_wait *args,
				      unsigned nr)
{
	struct io_uring_region_desc desc = {
		.user_addr = uring_ptr_to_u64(args),
		.size = nr * sizeof(*args),
		.flags = IORING_MEM_REGION_TYPE_USER,
	};
	struct io_uring_mem_region_reg reg = {
		.region_uptr = uring_ptr_to_u64(&desc),
		.flags = IORING_MEM_REGION_REG_WAIT_ARG,
	};

	assert_int_equal(io_uring_register_region(ring, &reg), 0);
}

static inline unsigned nr_enters(void)
{
	return fake_nr(__NR_io_uring_enter);
}

/* Enter idx since the log was begun had these arguments. */
static inline void check_enter(unsigned idx, unsigned to_submit, unsigned min_complete,
			       unsigned flags, const char *file, int line)
{
	const struct fake_call *call = fake_call(__NR_io_uring_enter, idx);

	if (call->args[1] == (long)to_submit && call->args[2] == (long)min_complete &&
	    call->args[3] == (long)flags)
		return;
	print_error("enter %u: to_submit %ld, min_complete %ld, flags %#lx\n", idx, call->args[1],
		    call->args[2], call->args[3]);
	_fail(file, line);
}

#define assert_enter(idx, to_submit, min_complete, flags) \
	check_enter(idx, to_submit, min_complete, flags, __FILE__, __LINE__)

/* The ring's oldest CQE is this one; it is then released. */
static inline void reap_one(struct io_uring *ring, uint64_t user_data, int res)
{
	struct io_uring_cqe *cqe = POISON;

	assert_int_equal(io_uring_peek_cqe(ring, &cqe), 0);
	assert_int_equal(cqe->user_data, user_data);
	assert_int_equal(cqe->res, res);
	io_uring_cqe_seen(ring, cqe);
}

#endif
