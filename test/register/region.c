/* SPDX-License-Identifier: MIT */
/*
 * A region of memory shared with the ring, and waits whose arguments lie there:
 * each entry of it is used, and each end that such a wait can have.
 */
#include "test.h"

#include "ring.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define DISABLED IORING_SETUP_R_DISABLED
#define DEFER (IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN)
#define POISON ((struct io_uring_cqe *)0x5a5a5a5a)

static struct io_uring ring;
static struct io_uring_reg_wait *args;
static unsigned nr_args;

static int register_region(void *mem, size_t sz, __u64 region_flags, __u64 flags,
			   struct io_uring_region_desc *desc)
{
	struct io_uring_mem_region_reg reg;

	memset(desc, 0, sizeof(*desc));
	desc->user_addr = (__u64)(uintptr_t)mem;
	desc->size = sz;
	desc->flags = (__u32)region_flags;
	memset(&reg, 0, sizeof(reg));
	reg.region_uptr = (__u64)(uintptr_t)desc;
	reg.flags = flags;
	return io_uring_register_region(&ring, &reg);
}

static void open_disabled(unsigned flags)
{
	int ret = io_uring_queue_init(8, &ring, flags | DISABLED);

	if (ret && ring_ask(flags | DISABLED))
		skip_because("the kernel refuses the ring: %s", strerror(-ret));
	assert_int_equal(ret, 0);
}

/* A ring with a page of arguments. */
static void open_with_args(unsigned flags)
{
	struct io_uring_region_desc desc;

	open_disabled(flags);
	args = page_alloc(page_size());
	nr_args = (unsigned)(page_size() / sizeof(*args));
	require_ret("a region of wait arguments",
		    register_region(args, page_size(), IORING_MEM_REGION_TYPE_USER,
				    IORING_MEM_REGION_REG_WAIT_ARG, &desc));
	assert_int_equal(io_uring_enable_rings(&ring), 0);
}

static void close_with_args(void)
{
	io_uring_queue_exit(&ring);
	page_free(args, page_size());
}

static void set_arg(unsigned index, long long ms, unsigned min_usec)
{
	memset(&args[index], 0, sizeof(args[index]));
	args[index].ts.tv_sec = ms / 1000;
	args[index].ts.tv_nsec = ms % 1000 * 1000000;
	args[index].flags = IORING_REG_WAIT_TS;
	args[index].min_wait_usec = min_usec;
}

static void check_waits(unsigned flags)
{
	struct __kernel_timespec hour = { .tv_sec = 3600 };
	struct io_uring_cqe *cqe = POISON;
	unsigned long long start;
	unsigned i;

	open_with_args(flags);
	/*
	 * Every entry, the others being an hour. But the last: kernels of 6.18 and
	 * before take the first in its place.
	 */
	for (i = 0; i < nr_args; i++)
		set_arg(i, 3600000, 0);
	for (i = 0; i < nr_args - 1; i++) {
		set_arg(i, 2, 0);
		start = now_ms();
		cqe = POISON;
		assert_int_equal(io_uring_submit_and_wait_reg(&ring, &cqe, 1, (int)i), -ETIME);
		assert_null(cqe);
		assert_true(now_ms() - start >= 2);
		set_arg(i, 3600000, 0);
	}

	cqe = POISON;
	queue_nop(&ring, 1);
	assert_int_equal(io_uring_submit_and_wait_reg(&ring, &cqe, 1, 5), 1);
	assert_true(cqe->user_data == 1);
	/* A CQE was there before. */
	queue_nop(&ring, 2);
	queue_nop(&ring, 3);
	assert_int_equal(io_uring_submit_and_wait_reg(&ring, &cqe, 1, 5), 2);
	assert_true(cqe->user_data == 1);
	assert_int_equal(io_uring_submit_and_wait_reg(&ring, &cqe, 3, 5), 0);
	io_uring_cq_advance(&ring, 3);

	/* Submitted, and nothing in time; fewer in time. */
	set_arg(6, 5, 0);
	io_uring_prep_timeout(next_sqe(&ring), &hour, 0, 0);
	cqe = POISON;
	assert_int_equal(io_uring_submit_and_wait_reg(&ring, &cqe, 1, 6), 1);
	assert_null(cqe);
	queue_nop(&ring, 7);
	assert_int_equal(io_uring_submit_and_wait_reg(&ring, &cqe, 2, 6), 1);
	assert_true(cqe->user_data == 7);
	io_uring_cqe_seen(&ring, cqe);

	/* After the minimum one is enough. */
	set_arg(8, 3600000, 3000);
	queue_nop(&ring, 9);
	start = now_ms();
	assert_int_equal(io_uring_submit_and_wait_reg(&ring, &cqe, 2, 8), 1);
	assert_true(cqe->user_data == 9);
	assert_true(now_ms() - start >= 3);
	io_uring_cqe_seen(&ring, cqe);
	close_with_args();
}

static void test_waits(void **state)
{
	check_waits(0);
}

static void test_waits_deferred(void **state)
{
	check_waits(DEFER);
}

/* No such entry: an error, and what was queued is not lost. */
static void test_bad_index(void **state)
{
	static const int bad[] = { 1, 1000, -1, 0x7fffffff, -0x7fffffff };
	struct io_uring_cqe *cqe;
	unsigned i;
	int ret;

	open_with_args(0);
	for (i = 0; i < ARRAY_LEN(bad); i++) {
		cqe = POISON;
		ret = io_uring_submit_and_wait_reg(&ring, &cqe, 1,
						   i ? bad[i] : (int)nr_args);
		assert_true(ret == -EFAULT || ret == -EINVAL);
		assert_null(cqe);
	}
	set_arg(2, 3600000, 0);
	args[2].flags = 0xff;
	assert_int_equal(io_uring_submit_and_wait_reg(&ring, &cqe, 1, 2), -EINVAL);
	queue_nop(&ring, 4);
	submit_ok(&ring, 1);
	assert_int_equal(wait_for_tag(&ring, 4), 0);
	close_with_args();
}

static void handle_nothing(int sig)
{
}

/* A mask in the region lets a blocked signal end the wait, each time. */
static void test_signal(void **state)
{
	struct sigaction action = { .sa_handler = handle_nothing };
	struct __kernel_timespec hour = { .tv_sec = 3600 };
	struct io_uring_cqe *cqe;
	sigset_t usr1, old;

	open_with_args(0);
	sigaction(SIGUSR1, &action, NULL);
	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	sigprocmask(SIG_BLOCK, &usr1, &old);
	set_arg(1, 3600000, 0);
	args[1].sigmask = (__u64)(uintptr_t)&old;
	args[1].sigmask_sz = 8;
	raise(SIGUSR1);
	cqe = POISON;
	assert_int_equal(io_uring_submit_and_wait_reg(&ring, &cqe, 1, 1), -EINTR);
	assert_null(cqe);
	raise(SIGUSR1);
	io_uring_prep_timeout(next_sqe(&ring), &hour, 0, 0);
	cqe = POISON;
	assert_int_equal(io_uring_submit_and_wait_reg(&ring, &cqe, 1, 1), 1);
	assert_null(cqe);
	sigprocmask(SIG_SETMASK, &old, NULL);
	close_with_args();
}

/* Memory of the kernel's, which the program maps. */
static void test_kernel_memory(void **state)
{
	struct io_uring_region_desc desc;
	struct io_uring_cqe *cqe = POISON;

	open_disabled(0);
	require_ret("a region of the kernel's memory",
		    register_region(NULL, page_size(), 0, IORING_MEM_REGION_REG_WAIT_ARG, &desc));
	assert_int_equal(io_uring_enable_rings(&ring), 0);
	args = mmap(NULL, page_size(), PROT_READ | PROT_WRITE, MAP_SHARED, ring.ring_fd,
		    (off_t)desc.mmap_offset);
	assert_ptr_not_equal(args, MAP_FAILED);
	set_arg(3, 5, 0);
	assert_int_equal(io_uring_submit_and_wait_reg(&ring, &cqe, 1, 3), -ETIME);
	assert_null(cqe);
	close_with_args();
}

static void test_refused(void **state)
{
	struct io_uring_region_desc desc;
	char *mem = page_alloc(2 * page_size());
	struct io_uring_cqe *cqe = POISON;

	open_disabled(0);
	require_ret("a region", register_region(mem, page_size(), IORING_MEM_REGION_TYPE_USER,
						IORING_MEM_REGION_REG_WAIT_ARG, &desc));
	assert_int_equal(register_region(mem + page_size(), page_size(),
					 IORING_MEM_REGION_TYPE_USER, 0, &desc), -EBUSY);
	io_uring_queue_exit(&ring);

	/* Wait arguments only before the ring is enabled. */
	ring_open_flags(&ring, 8, 0);
	assert_int_equal(register_region(mem, page_size(), IORING_MEM_REGION_TYPE_USER,
					 IORING_MEM_REGION_REG_WAIT_ARG, &desc), -EINVAL);
	assert_true(register_region(mem + 8, page_size(), IORING_MEM_REGION_TYPE_USER, 0,
				    &desc) < 0);
	assert_true(register_region(mem, 100, IORING_MEM_REGION_TYPE_USER, 0, &desc) < 0);
	assert_int_equal(register_region(mem, page_size(), 1U << 20, 0, &desc), -EINVAL);
	/* Without a region there is no entry. */
	assert_int_equal(io_uring_submit_and_wait_reg(&ring, &cqe, 1, 0), -EFAULT);
	assert_null(cqe);
	assert_int_equal(register_region(mem, page_size(), IORING_MEM_REGION_TYPE_USER, 0, &desc),
			 0);
	assert_int_equal(io_uring_register_wait_reg(&ring, (void *)mem, 1), -EINVAL);
	io_uring_queue_exit(&ring);
	page_free(mem, 2 * page_size());
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		timed_test(test_waits),
		timed_test(test_waits_deferred),
		timed_test(test_bad_index),
		timed_test(test_signal),
		timed_test(test_kernel_memory),
		timed_test(test_refused),
	};

	return cmocka_run_group_tests_name("region", tests, NULL, NULL);
}
