/* SPDX-License-Identifier: MIT */
/*
 * Rings in the application's memory: every SQE and every CQE is used, and no
 * byte beyond what was reported changes.
 */
#include "test.h"

#include "ring.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define BUF_SZ (512U << 10)
#define CANARY 0xc5
#define MAX_ENTRIES 256

static char *buf;

static int take_buf(void **state)
{
	buf = mmap(NULL, BUF_SZ, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return buf == MAP_FAILED ? -1 : time_limit_start(state);
}

static int drop_buf(void **state)
{
	munmap(buf, BUF_SZ);
	return time_limit_stop(state);
}

/*
 * The kernel ends a ring some time after the exit, and may write to its memory
 * until then: the next ring gets other pages.
 */
static void renew_buf(void)
{
	page_free(buf, BUF_SZ);
	buf = page_alloc(BUF_SZ);
	memset(buf, CANARY, BUF_SZ);
}

/*
 * What the kernel alone says to ordinary memory of several pages: before 6.14 it
 * had to be contiguous, and then only rings of a page each can be tested.
 */
static bool kernel_takes_pages(void)
{
	struct io_uring_params p = { .flags = IORING_SETUP_NO_MMAP };
	int fd;

	p.sq_off.user_addr = (__u64)(uintptr_t)buf;
	p.cq_off.user_addr = (__u64)(uintptr_t)(buf + BUF_SZ / 2);
	fd = io_uring_setup(MAX_ENTRIES, &p);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static unsigned max_entries(void)
{
	static unsigned max;

	if (!max)
		max = kernel_takes_pages() ? MAX_ENTRIES : 8;
	return max;
}

static void require_app_memory(void)
{
	int ret = ring_ask(IORING_SETUP_NO_MMAP);

	if (ret)
		skip_because("the kernel refuses NO_MMAP: %s", strerror(-ret));
}

static int init_patiently(unsigned entries, struct io_uring *ring, struct io_uring_params *p,
			  void *mem, size_t mem_sz)
{
	const struct io_uring_params asked = *p;
	unsigned nr_tries = 0;
	int ret;

	do {
		*p = asked;
		ret = io_uring_queue_init_mem(entries, ring, p, mem, mem_sz);
	} while (ring_retry(ret, &nr_tries));
	return ret;
}

/* Writes each SQE and has the kernel write each CQE, twice around. */
static void use_every_slot(struct io_uring *ring)
{
	size_t sqe_sz = 64U << io_uring_sqe_shift(ring);
	unsigned nr_left = 2 * ring->cq.ring_entries, nr_seen = 0, tag = 0;
	struct io_uring_sqe *sqe;
	struct io_uring_cqe *cqe;
	unsigned head, nr;

	while (nr_left) {
		for (nr = 0; nr < nr_left && (sqe = io_uring_get_sqe(ring)); nr++) {
			memset((char *)sqe + 64, 0xee, sqe_sz - 64);
			io_uring_prep_nop(sqe);
			io_uring_sqe_set_data64(sqe, tag++);
		}
		assert_true(nr > 0);
		assert_int_equal(io_uring_submit(ring), nr);
		assert_false(io_uring_cq_has_overflow(ring));
		nr_left -= nr;
		if (io_uring_cq_ready(ring) + ring->sq.ring_entries <= ring->cq.ring_entries &&
		    nr_left)
			continue;
		nr = 0;
		io_uring_for_each_cqe(ring, head, cqe) {
			assert_int_equal(cqe->user_data, nr_seen + nr);
			nr++;
		}
		io_uring_cq_advance(ring, nr);
		nr_seen += nr;
	}
	assert_int_equal(nr_seen, 2 * ring->cq.ring_entries);
}

static void check_size(unsigned entries, unsigned flags, unsigned cq_entries)
{
	unsigned size_flags = flags | (cq_entries ? IORING_SETUP_CQSIZE : 0);
	struct io_uring_params asked, p;
	struct io_uring ring;
	ssize_t memory_sz;
	int used_sz;

	memset(&asked, 0, sizeof(asked));
	asked.flags = size_flags;
	asked.cq_entries = cq_entries;
	memory_sz = io_uring_memory_size_params(entries, &asked);
	assert_true(memory_sz > 0);

	renew_buf();
	p = asked;
	used_sz = init_patiently(entries, &ring, &p, buf, BUF_SZ);
	if (used_sz < 0)
		fail_msg("%u entries, flags %#x, %u CQEs: %s", entries, flags, cq_entries,
			 strerror(-used_sz));
	assert_int_equal(used_sz % (int)page_size(), 0);
	assert_true(used_sz <= memory_sz);
	asked.flags |= p.flags & IORING_SETUP_NO_SQARRAY;
	assert_int_equal(io_uring_memory_size_params(entries, &asked), used_sz);
	use_every_slot(&ring);
	if (!all_bytes(buf + used_sz, BUF_SZ - (size_t)used_sz, CANARY))
		fail_msg("%u entries, flags %#x, %u CQEs: written beyond %d bytes", entries, flags,
			 cq_entries, used_sz);
	io_uring_queue_exit(&ring);

	/* What was reported is enough, and a page less is not. */
	p = asked;
	assert_int_equal(io_uring_queue_init_mem(entries, &ring, &p, buf,
						 (size_t)used_sz - page_size()), -ENOMEM);
	assert_int_equal(p.flags, asked.flags);
	assert_int_equal(ring.ring_fd, -1);
}

static void check_sizes(unsigned flags)
{
	unsigned entries, max = max_entries();

	for (entries = 1; entries <= max; entries++)
		check_size(entries, flags, 0);
	/* With CQE_MIXED a CQ has to have room for the larger CQE. */
	for (entries = flags & IORING_SETUP_CQE_MIXED ? 2 : 1; entries <= max; entries *= 2) {
		check_size(entries, flags, entries);
		if (max < MAX_ENTRIES)
			continue;
		check_size(entries, flags, 4 * entries);
		check_size(entries, flags, 1024);
	}
}

/* One test for each set of flags, which is its state. */
static void test_canary(void **state)
{
	unsigned flags = *(const unsigned *)*state;
	int ret;

	require_app_memory();
	ret = ring_ask(flags);
	if (ret)
		skip_because("the kernel refuses a ring of %#x: %s", flags, strerror(-ret));
	check_sizes(flags);
}

static void test_two_in_one_buffer(void **state)
{
	struct io_uring_params p = { .flags = IORING_SETUP_CQE32 };
	struct io_uring_params q = { .flags = IORING_SETUP_SQE128 };
	struct io_uring first, second;
	int first_sz, second_sz;
	unsigned lap;

	require_app_memory();
	memset(buf, CANARY, BUF_SZ);
	first_sz = init_patiently(max_entries() / 2, &first, &p, buf, BUF_SZ);
	assert_true(first_sz > 0);
	second_sz = init_patiently(max_entries() / 4, &second, &q, buf + first_sz,
				   BUF_SZ - (size_t)first_sz);
	assert_true(second_sz > 0);
	for (lap = 0; lap < 3; lap++) {
		use_every_slot(&first);
		use_every_slot(&second);
	}
	assert_true(all_bytes(buf + first_sz + second_sz, BUF_SZ - (size_t)(first_sz + second_sz),
			      CANARY));
	io_uring_queue_exit(&first);
	use_every_slot(&second);
	io_uring_queue_exit(&second);
}

/* The memory is the application's before, during and after. */
static void test_exit_leaves_memory(void **state)
{
	struct io_uring_params p = { 0 };
	struct holdings before;
	struct io_uring ring;

	require_app_memory();
	holdings_take(&before);
	assert_true(init_patiently(8, &ring, &p, buf, BUF_SZ) > 0);
	assert_ptr_equal(ring.sq.sqes, buf);
	assert_int_equal(io_uring_ring_dontfork(&ring), -EINVAL);
	use_every_slot(&ring);
	io_uring_queue_exit(&ring);
	holdings_same(&before);
	memset(buf, CANARY, BUF_SZ);
}

static void test_bad_memory(void **state)
{
	struct io_uring_params p = { 0 };
	struct holdings before;
	struct io_uring ring;
	size_t sz;

	require_app_memory();
	memset(buf, CANARY, BUF_SZ);
	holdings_take(&before);
	for (sz = 0; sz < 2 * page_size(); sz += 512)
		assert_int_equal(io_uring_queue_init_mem(4, &ring, &p, buf, sz), -ENOMEM);
	assert_true(all_bytes(buf, BUF_SZ, CANARY));
	assert_int_equal(io_uring_queue_init_mem(0, &ring, &p, buf, BUF_SZ), -EINVAL);
	assert_int_equal(io_uring_queue_init_mem(32769, &ring, &p, buf, BUF_SZ), -EINVAL);
	assert_int_equal(io_uring_queue_init_mem(4, &ring, &p, buf + 64, BUF_SZ - 4096), -EINVAL);
	assert_true(io_uring_queue_init_mem(4, &ring, &p, NULL, BUF_SZ) < 0);
	p.flags = IORING_SETUP_CQSIZE;
	assert_int_equal(io_uring_queue_init_mem(4, &ring, &p, buf, BUF_SZ), -EINVAL);
	assert_int_equal(p.flags, IORING_SETUP_CQSIZE);
	p.flags = IORING_SETUP_DEFER_TASKRUN;
	assert_int_equal(io_uring_queue_init_mem(4, &ring, &p, buf, BUF_SZ), -EINVAL);
	assert_int_equal(p.flags, IORING_SETUP_DEFER_TASKRUN);
	holdings_same(&before);
}

int main(void)
{
	static const unsigned flag_sets[] = {
		0,
		IORING_SETUP_SQE128,
		IORING_SETUP_CQE32,
		IORING_SETUP_SQE128 | IORING_SETUP_CQE32,
		IORING_SETUP_CQE_MIXED,
		IORING_SETUP_NO_SQARRAY,
		IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_CQE32,
		IORING_SETUP_CQE_MIXED | IORING_SETUP_SQE_MIXED,
	};
	static const struct CMUnitTest others[] = {
		cmocka_unit_test_setup_teardown(test_two_in_one_buffer, take_buf, drop_buf),
		cmocka_unit_test_setup_teardown(test_exit_leaves_memory, take_buf, drop_buf),
		cmocka_unit_test_setup_teardown(test_bad_memory, take_buf, drop_buf),
	};
	struct CMUnitTest tests[ARRAY_LEN(flag_sets)];
	char names[ARRAY_LEN(flag_sets)][64];
	unsigned i;

	memset(tests, 0, sizeof(tests));
	for (i = 0; i < ARRAY_LEN(flag_sets); i++) {
		snprintf(names[i], sizeof(names[i]), "1 to 256 entries with flags %#x",
			 flag_sets[i]);
		tests[i].name = names[i];
		tests[i].test_func = test_canary;
		tests[i].setup_func = take_buf;
		tests[i].teardown_func = drop_buf;
		tests[i].initial_state = (void *)(uintptr_t)&flag_sets[i];
	}
	return cmocka_run_group_tests_name("init_mem canary", tests, NULL, NULL) +
	       cmocka_run_group_tests_name("init_mem", others, NULL, NULL);
}
