/* SPDX-License-Identifier: MIT */
/*
 * Rings in memory that the kernel did not allocate: the application's
 * (io_uring_queue_init_mem), and the library's own (IORING_SETUP_NO_MMAP).
 */
#include "fake_test.h"

#include <stdlib.h>

#define PAGE 4096
#define HUGE (2UL * 1024 * 1024)
#define CANARY 0xa5
#define MAX_MEM (32 * PAGE)

static char *app_mem;

static int alloc_app_mem(void **state)
{
	fake_boot();
	fake.page_sz = PAGE;
	app_mem = aligned_alloc(65536, 65536 + MAX_MEM);
	return app_mem ? 0 : -1;
}

static int free_app_mem(void **state)
{
	free(app_mem);
	return fake_test_end(state);
}

#define MEM_TEST(name) cmocka_unit_test_setup_teardown(name, alloc_app_mem, free_app_mem)

static size_t round_up(size_t sz, size_t to)
{
	return (sz + to - 1) / to * to;
}

/* What the kernel's layout takes, written down once more. */
static size_t expected_sz(unsigned sq, unsigned cq, unsigned flags)
{
	size_t rings = 64 + (size_t)16 * cq;

	if (flags & IORING_SETUP_CQE32)
		rings = 128 + (size_t)32 * cq;
	if (!(flags & IORING_SETUP_NO_SQARRAY))
		rings = round_up(rings, 64) + (size_t)4 * sq;
	return round_up(rings, fake.page_sz) +
	       round_up((size_t)sq * (flags & IORING_SETUP_SQE128 ? 128 : 64), fake.page_sz);
}

/* Writes every slot that there is, from both sides. */
static void fill_ring(struct io_uring *ring)
{
	unsigned shift = io_uring_sqe_shift(ring);
	unsigned i;

	for (i = 0; i < ring->sq.ring_entries; i++)
		memset(&ring->sq.sqes[(size_t)i << shift], 0, (size_t)64 << shift);
	queue_nops(ring, ring->sq.ring_entries, 0);
	assert_int_equal(io_uring_submit_and_wait(ring, ring->sq.ring_entries),
			 ring->sq.ring_entries);
	for (i = io_uring_cq_ready(ring); i < ring->cq.ring_entries; i++)
		fake_post(fake.ring, i, 0, 0);
	for (i = 0; i < ring->cq.ring_entries; i++)
		reap_one(ring, i, 0);
}

static void check_canary(size_t from, size_t to)
{
	for (; from < to; from++)
		if ((unsigned char)app_mem[from] != CANARY)
			fail_msg("byte %zu is 0x%02x", from, (unsigned char)app_mem[from]);
}

static void check_mem(unsigned entries, unsigned flags, unsigned cq_entries)
{
	struct io_uring_params p = { .flags = flags, .cq_entries = cq_entries };
	struct io_uring_params again = p;
	struct io_uring ring;
	unsigned sq = 1, cq;
	size_t sz;
	int ret;

	while (sq < entries)
		sq *= 2;
	for (cq = 1; cq < cq_entries;)
		cq *= 2;
	if (!cq_entries)
		cq = 2 * sq;
	flags |= fake.setup_flags & IORING_SETUP_NO_SQARRAY;
	sz = expected_sz(sq, cq, flags);
	assert_true(sz <= MAX_MEM);

	memset(app_mem, CANARY, sz + PAGE);
	memset(&ring, 0xff, sizeof(ring));
	ret = io_uring_queue_init_mem(entries, &ring, &p, app_mem, sz);
	if (ret != (int)sz)
		fail_msg("%u entries, flags %#x, CQ %u: %d bytes instead of %zu", entries, flags,
			 cq_entries, ret, sz);
	assert_int_equal(p.sq_entries, sq);
	assert_int_equal(p.cq_entries, cq);
	assert_int_equal(p.flags, flags | IORING_SETUP_NO_MMAP);
	assert_int_equal(ring.int_flags & 2, 2);
	fill_ring(&ring);
	check_canary(sz, sz + PAGE);
	io_uring_queue_exit(&ring);

	/* A byte less is too little. Where it knows at once, nothing is touched. */
	fake_forget();
	memset(app_mem, CANARY, sz + PAGE);
	assert_int_equal(io_uring_queue_init_mem(entries, &ring, &again, app_mem, sz - 1), -ENOMEM);
	if (flags & IORING_SETUP_NO_SQARRAY)
		assert_int_equal(fake_nr(-1), 0);
	check_canary(flags & IORING_SETUP_NO_SQARRAY ? 0 : sz - 1, sz + PAGE);
	assert_int_equal(ring.ring_fd, -1);
	assert_int_equal(again.flags, flags & ~IORING_SETUP_NO_SQARRAY);
}

static void check_all_sizes(void)
{
	static const unsigned flags[] = {
		0, IORING_SETUP_SQE128, IORING_SETUP_CQE32,
		IORING_SETUP_SQE128 | IORING_SETUP_CQE32,
	};
	unsigned entries, f;

	for (entries = 1; entries <= 256; entries = entries < 20 ? entries + 1 : entries * 2 - 3) {
		for (f = 0; f < ARRAY_LEN(flags); f++) {
			check_mem(entries, flags[f], 0);
			check_mem(entries, flags[f] | IORING_SETUP_CQSIZE, entries);
			check_mem(entries, flags[f] | IORING_SETUP_CQSIZE, 2 * entries + 1);
			check_mem(entries, flags[f] | IORING_SETUP_CQSIZE, 600);
		}
	}
	for (f = 0; f < ARRAY_LEN(flags); f++)
		check_mem(256, flags[f], 0);
}

static void the_applications_memory(void **state)
{
	check_all_sizes();
}

static void the_applications_memory_with_an_array(void **state)
{
	fake.setup_flags &= IORING_SETUP_NO_SQARRAY - 1;
	check_all_sizes();
}

/* The reported size is what io_uring_memory_size says, or less. */
static void memory_size_is_enough(void **state)
{
	struct io_uring_params p = { .flags = 0 };
	struct io_uring ring;
	ssize_t sz;

	fake.setup_flags &= IORING_SETUP_NO_SQARRAY - 1;
	sz = io_uring_memory_size(100, 0);
	assert_int_equal(io_uring_queue_init_mem(100, &ring, &p, app_mem, (size_t)sz), sz);
	io_uring_queue_exit(&ring);
}

static void no_memory_at_all(void **state)
{
	struct io_uring_params p = { .flags = 0 };
	struct io_uring ring;

	assert_int_equal(io_uring_queue_init_mem(8, &ring, &p, NULL, MAX_MEM), -EFAULT);
	assert_int_equal(io_uring_queue_init_mem(8, &ring, &p, NULL, 0), -ENOMEM);
	assert_int_equal(p.flags, 0);
	assert_int_equal(ring.ring_fd, -1);
}

/* Its address is the kernel's to refuse. */
static void memory_that_is_not_page_aligned(void **state)
{
	struct io_uring_params p = { .flags = 0 };
	struct io_uring ring;

	assert_int_equal(io_uring_queue_init_mem(8, &ring, &p, app_mem + 64, MAX_MEM - 64),
			 -EINVAL);
	assert_int_equal(p.flags, 0);
	assert_int_equal(ring.ring_fd, -1);
}

static void a_second_ring_follows(void **state)
{
	struct io_uring_params p = { .flags = 0 }, q = { .flags = 0 };
	struct io_uring first, second;
	int used, more;

	used = io_uring_queue_init_mem(8, &first, &p, app_mem, MAX_MEM);
	assert_int_equal(used % PAGE, 0);
	more = io_uring_queue_init_mem(8, &second, &q, app_mem + used, MAX_MEM - (size_t)used);
	assert_int_equal(more, used);
	queue_nops(&first, 8, 0);
	queue_nops(&second, 8, 8);
	assert_int_equal(io_uring_submit_and_wait(&first, 8), 8);
	assert_int_equal(io_uring_submit_and_wait(&second, 8), 8);
	reap_one(&first, 0, 0);
	reap_one(&second, 8, 0);
	io_uring_queue_exit(&second);
	io_uring_queue_exit(&first);
	assert_int_equal(fake_nr(__NR_munmap), 0);
}

/* A kernel with a larger header than is known would write beyond the end. */
static void a_layout_that_does_not_fit(void **state)
{
	struct io_uring_params p = { .flags = 0 };
	struct io_uring ring, other;

	fake.layout = FAKE_LAYOUT_320;
	assert_true(io_uring_queue_init_mem(8, &ring, &p, app_mem, MAX_MEM) > 0);
	fill_ring(&ring);
	io_uring_queue_exit(&ring);

	fake.layout = FAKE_LAYOUT_4096;
	p = (struct io_uring_params){ .flags = 0 };
	assert_int_equal(io_uring_queue_init_mem(8, &ring, &p, app_mem, MAX_MEM), -ENOMEM);
	assert_int_equal(p.flags, 0);
	assert_int_equal(ring.ring_fd, -1);
	assert_int_equal(fake_nr_leaks(), 0);

	/* Its index is given back, and no other. */
	fake.layout = FAKE_LAYOUT_64;
	init_ring(&other, 8, 0);
	assert_int_equal(io_uring_register_ring_fd(&other), 1);
	fake.layout = FAKE_LAYOUT_4096;
	p.flags = IORING_SETUP_NO_MMAP | IORING_SETUP_REGISTERED_FD_ONLY;
	assert_int_equal(io_uring_queue_init_params(8, &ring, &p), -ENOMEM);
	assert_int_equal(io_uring_get_events(&other), 0);
	io_uring_queue_exit(&other);
	assert_int_equal(fake_nr_leaks(), 0);
}

/* Memory that was a ring before, on a kernel that takes its header as it is. */
static void the_memory_is_dirty(void **state)
{
	struct io_uring_params p = { .flags = 0 };
	struct io_uring ring;

	fake.clears_app_mem = false;
	memset(app_mem, CANARY, MAX_MEM);
	assert_true(io_uring_queue_init_mem(8, &ring, &p, app_mem, MAX_MEM) > 0);
	assert_int_equal(io_uring_sq_ready(&ring), 0);
	assert_int_equal(io_uring_cq_ready(&ring), 0);
	assert_false(io_uring_cq_has_overflow(&ring));
	assert_true(io_uring_cq_eventfd_enabled(&ring));
	fill_ring(&ring);
	io_uring_queue_exit(&ring);
}

static void check_blocks(unsigned entries, unsigned flags, size_t first, size_t second)
{
	struct io_uring_params p = { .flags = IORING_SETUP_NO_MMAP | flags };
	struct io_uring ring;
	unsigned nr_huge = fake.nr_huge_pages;

	fake_forget();
	memset(&ring, 0xff, sizeof(ring));
	assert_int_equal(io_uring_queue_init_params(entries, &ring, &p), 0);
	assert_int_equal(fake_nr(NR_MMAP), second ? 2 : 1);
	assert_int_equal(fake_call(NR_MMAP, 0)->args[1], first);
	if (second)
		assert_int_equal(fake_call(NR_MMAP, 1)->args[1], second);
	assert_int_equal(fake.nr_huge_pages, nr_huge - (first == HUGE) - (second == HUGE));
	assert_int_equal(ring.int_flags & 2, 0);
	fill_ring(&ring);
	io_uring_queue_exit(&ring);
	assert_int_equal(fake_nr(__NR_munmap), second ? 2 : 1);
	assert_int_equal(fake.nr_huge_pages, nr_huge);
	assert_int_equal(fake_check(), 0);
}

static void a_page_where_the_sqes_fit(void **state)
{
	check_blocks(1, 0, PAGE, PAGE);
	check_blocks(64, 0, PAGE, PAGE);
	check_blocks(32, IORING_SETUP_SQE128, PAGE, PAGE);
	/* 64 SQEs are a page; their 128 big CQEs are more. */
	check_blocks(64, IORING_SETUP_CQE32, PAGE, HUGE);
}

static void a_huge_page_where_they_do_not(void **state)
{
	check_blocks(65, 0, HUGE, 0);
	check_blocks(64, IORING_SETUP_SQE128, HUGE, 0);
	check_blocks(16384, 0, HUGE, 0);
	check_blocks(32768, 0, HUGE, HUGE);
	check_blocks(16384, IORING_SETUP_SQE128, HUGE, HUGE);
}

static void refuse(unsigned entries, unsigned flags, unsigned cq_entries, int err)
{
	struct io_uring_params p = {
		.flags = IORING_SETUP_NO_MMAP | flags, .cq_entries = cq_entries
	};
	struct io_uring ring;

	fake_forget();
	memset(&ring, 0xff, sizeof(ring));
	assert_int_equal(io_uring_queue_init_params(entries, &ring, &p), -err);
	assert_int_equal(p.flags, IORING_SETUP_NO_MMAP | flags);
	assert_int_equal(ring.ring_fd, -1);
	assert_int_equal(fake_nr(-1), 0);
	io_uring_queue_exit(&ring);
}

static void what_cannot_fit_is_refused_at_once(void **state)
{
	refuse(32768, IORING_SETUP_SQE128, 0, ENOMEM);
	refuse(32768, IORING_SETUP_CQE32, 0, ENOMEM);
	refuse(8, IORING_SETUP_CQE32 | IORING_SETUP_CQSIZE, 65536, ENOMEM);
	refuse(0, 0, 0, EINVAL);
	refuse(32769, 0, 0, EINVAL);
	refuse(8, IORING_SETUP_CQSIZE, 0, EINVAL);
	refuse(8, IORING_SETUP_CQSIZE, 4, EINVAL);
}

static void no_huge_page_is_free(void **state)
{
	struct io_uring_params p = { .flags = IORING_SETUP_NO_MMAP };
	struct io_uring ring;

	fake.nr_huge_pages = 1;
	assert_int_equal(io_uring_queue_init_params(32768, &ring, &p), -ENOMEM);
	assert_int_equal(fake.nr_huge_pages, 1);
	assert_int_equal(ring.ring_fd, -1);
	assert_int_equal(fake_nr_leaks(), 0);
}

/* Larger pages hold more, and all is rounded to them. */
static void pages_of_64_k(void **state)
{
	struct io_uring_params p = { .flags = 0 };
	struct io_uring ring;

	fake.page_sz = 65536;
	assert_int_equal(io_uring_queue_init_mem(256, &ring, &p, app_mem, 131072), 131072);
	io_uring_queue_exit(&ring);
	check_blocks(1024, 0, 65536, 65536);
	check_blocks(1025, 0, HUGE, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MEM_TEST(the_applications_memory),
		MEM_TEST(the_applications_memory_with_an_array),
		MEM_TEST(memory_size_is_enough),
		MEM_TEST(no_memory_at_all),
		MEM_TEST(memory_that_is_not_page_aligned),
		MEM_TEST(a_second_ring_follows),
		MEM_TEST(a_layout_that_does_not_fit),
		MEM_TEST(the_memory_is_dirty),
		MEM_TEST(a_page_where_the_sqes_fit),
		MEM_TEST(a_huge_page_where_they_do_not),
		MEM_TEST(what_cannot_fit_is_refused_at_once),
		MEM_TEST(no_huge_page_is_free),
		MEM_TEST(pages_of_64_k),
	};

	return RUN_FAKE_TESTS(tests);
}
