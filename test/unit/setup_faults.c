/* SPDX-License-Identifier: MIT */
/*
 * Set-up that fails at each of its system calls, with each error that the call
 * can have: the error comes back, nothing is left, and the next try works.
 */
#include "fake_test.h"

static const int setup_errs[] = {
	ENOSYS, EPERM, EACCES, ENOMEM, EMFILE, ENFILE, EFAULT, EBUSY, EOVERFLOW, EBADF,
};
static const int mmap_errs[] = { ENOMEM, EAGAIN, EPERM, ENODEV, EBADF };

/* The kinds of ring, with the number of mappings that each takes. */
static const struct shape {
	const char *name;
	unsigned entries;
	unsigned flags;
	bool single_mmap;
	enum fake_layout layout;
	unsigned nr_maps;
} shapes[] = {
	{ "one mapping for both rings", 8, 0, true, FAKE_LAYOUT_64, 2 },
	{ "two mappings of one region", 8, 0, false, FAKE_LAYOUT_320, 3 },
	{ "rings apart", 8, 0, false, FAKE_LAYOUT_SPLIT, 3 },
	{ "big entries", 64, IORING_SETUP_SQE128 | IORING_SETUP_CQE32, true, FAKE_LAYOUT_64, 2 },
	{ "memory of the library's, two pages", 8, IORING_SETUP_NO_MMAP, true,
	  FAKE_LAYOUT_64, 2 },
	{ "memory of the library's, one huge page", 1024, IORING_SETUP_NO_MMAP, true,
	  FAKE_LAYOUT_64, 1 },
	{ "memory of the library's, two huge pages", 32768, IORING_SETUP_NO_MMAP, true,
	  FAKE_LAYOUT_64, 2 },
	{ "no descriptor", 8, IORING_SETUP_NO_MMAP | IORING_SETUP_REGISTERED_FD_ONLY, true,
	  FAKE_LAYOUT_64, 2 },
};

static void be_of_shape(const struct shape *shape)
{
	fake_boot();
	fake.layout = shape->layout;
	if (!shape->single_mmap)
		fake.features &= ~IORING_FEAT_SINGLE_MMAP;
}

/* The ring is as a failed set-up leaves it, and may be given up. */
static void check_failed(struct io_uring *ring, const struct shape *shape)
{
	static const struct io_uring failed = { .ring_fd = -1, .enter_ring_fd = -1 };
	unsigned nr_calls = fake.nr_calls;

	if (fake_nr_leaks())
		fail_msg("%s: something is left", shape->name);
	assert_memory_equal(ring, &failed, sizeof(failed));
	io_uring_queue_exit(ring);
	assert_int_equal(fake.nr_calls, nr_calls);
	assert_int_equal(fake.nr_wrong, 0);
}

static void check_works(const struct shape *shape)
{
	struct io_uring ring;
	struct io_uring_params p = { .flags = shape->flags };

	memset(&ring, 0xff, sizeof(ring));
	assert_true(io_uring_queue_init_params(shape->entries, &ring, &p) >= 0);
	queue_nops(&ring, 1, 1);
	assert_int_equal(io_uring_submit_and_wait(&ring, 1), 1);
	reap_one(&ring, 1, 0);
	io_uring_queue_exit(&ring);
	assert_int_equal(fake_check(), 0);
}

/* The nth call of this number fails. Returns false when there is no nth. */
static bool check_fault(const struct shape *shape, long nr, unsigned nth, int err)
{
	struct io_uring_params p = { .flags = shape->flags, .sq_thread_idle = 77 };
	const struct io_uring_params asked = p;
	struct io_uring ring;
	bool hit;
	int ret;

	be_of_shape(shape);
	memset(&ring, 0xff, sizeof(ring));
	fake_fail(nr, nth, err);
	ret = io_uring_queue_init_params(shape->entries, &ring, &p);
	hit = fake.nr_faults_hit;
	if (hit) {
		if (ret != -err)
			fail_msg("%s: call %u failed with %d, and the result is %d", shape->name,
				 nth, err, ret);
		assert_memory_equal(&p, &asked, sizeof(p));
		check_failed(&ring, shape);
	} else {
		assert_true(ret >= 0);
		io_uring_queue_exit(&ring);
	}
	fake_fail_never();
	if (hit)
		check_works(shape);
	return hit;
}

static void the_setup_call_fails(void **state)
{
	unsigned s, e;

	for (s = 0; s < ARRAY_LEN(shapes); s++)
		for (e = 0; e < ARRAY_LEN(setup_errs); e++)
			assert_true(check_fault(&shapes[s], __NR_io_uring_setup, 1, setup_errs[e]));
}

static void each_mapping_fails(void **state)
{
	unsigned s, e, nth;

	for (s = 0; s < ARRAY_LEN(shapes); s++)
		for (e = 0; e < ARRAY_LEN(mmap_errs); e++) {
			for (nth = 1; nth <= shapes[s].nr_maps; nth++)
				assert_true(check_fault(&shapes[s], NR_MMAP, nth, mmap_errs[e]));
			assert_false(check_fault(&shapes[s], NR_MMAP, nth, mmap_errs[e]));
		}
}

/* Refused with the flag that it tries first, and without. */
static void the_second_setup_call_fails(void **state)
{
	struct io_uring_params p = { .flags = 0 };
	struct io_uring ring;
	unsigned e;

	for (e = 0; e < ARRAY_LEN(setup_errs); e++) {
		fake_boot();
		memset(&ring, 0xff, sizeof(ring));
		fake_fail(__NR_io_uring_setup, 1, EINVAL);
		fake_fail(__NR_io_uring_setup, 2, setup_errs[e]);
		assert_int_equal(io_uring_queue_init_params(8, &ring, &p), -setup_errs[e]);
		assert_int_equal(p.flags, 0);
		assert_int_equal(fake_nr(__NR_io_uring_setup), 2);
		check_failed(&ring, &shapes[0]);
	}
}

/* Refused twice with -EINVAL; asked for by the caller, it is not tried without. */
static void refused_as_invalid(void **state)
{
	struct io_uring_params p = { .flags = 1U << 31 };
	struct io_uring ring;

	assert_int_equal(io_uring_queue_init_params(8, &ring, &p), -EINVAL);
	assert_int_equal(p.flags, 1U << 31);
	assert_int_equal(fake_nr(__NR_io_uring_setup), 2);
	check_failed(&ring, &shapes[0]);

	fake_forget();
	p.flags |= IORING_SETUP_NO_SQARRAY;
	assert_int_equal(io_uring_queue_init_params(8, &ring, &p), -EINVAL);
	assert_int_equal(p.flags, 1U << 31 | IORING_SETUP_NO_SQARRAY);
	assert_int_equal(fake_nr(__NR_io_uring_setup), 1);
	check_failed(&ring, &shapes[0]);
}

static void queue_init_fails_the_same(void **state)
{
	struct io_uring ring;
	unsigned nth;

	for (nth = 1; nth <= 3; nth++) {
		memset(&ring, 0xff, sizeof(ring));
		fake_fail(-1, nth, ENOMEM);
		assert_int_equal(io_uring_queue_init(8, &ring, 0), -ENOMEM);
		check_failed(&ring, &shapes[0]);
	}
	assert_int_equal(io_uring_queue_init(8, &ring, 0), 0);
	io_uring_queue_exit(&ring);
}

/* Memory of the application's: it is not unmapped, and its flags come back. */
static void queue_init_mem_fails_the_same(void **state)
{
	static char mem[1 << 16] __attribute__((aligned(1 << 16)));
	struct io_uring_params p = { .flags = IORING_SETUP_CQSIZE, .cq_entries = 64 };
	struct io_uring ring;

	memset(&ring, 0xff, sizeof(ring));
	fake_fail(__NR_io_uring_setup, 1, EPERM);
	assert_int_equal(io_uring_queue_init_mem(8, &ring, &p, mem, sizeof(mem)), -EPERM);
	assert_int_equal(p.flags, IORING_SETUP_CQSIZE);
	assert_int_equal(p.cq_entries, 64);
	assert_int_equal(p.sq_off.user_addr, 0);
	check_failed(&ring, &shapes[0]);
	assert_int_equal(fake_nr(__NR_munmap), 0);
}

/* A ring of the program's own making: the descriptor stays the program's. */
static void queue_mmap_leaves_the_descriptor_open(void **state)
{
	static const struct io_uring failed = { .ring_fd = -1, .enter_ring_fd = -1 };
	struct io_uring_params p = { .flags = 0 };
	struct io_uring ring;
	unsigned nth;
	int fd;

	fake.features &= ~IORING_FEAT_SINGLE_MMAP;
	fd = io_uring_setup(8, &p);
	for (nth = 1; nth <= 3; nth++) {
		memset(&ring, 0xff, sizeof(ring));
		fake_fail(NR_MMAP, nth, ENOMEM);
		assert_int_equal(io_uring_queue_mmap(fd, &p, &ring), -ENOMEM);
		assert_memory_equal(&ring, &failed, sizeof(failed));
		assert_int_equal(fake_nr_leaks(), 1);
		assert_non_null(fake_find_ring(fd, false));
		io_uring_queue_exit(&ring);
		assert_int_equal(fake_nr_leaks(), 1);
	}
	assert_int_equal(io_uring_queue_mmap(fd, &p, &ring), 0);
	io_uring_queue_exit(&ring);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FAKE_TEST(the_setup_call_fails),
		FAKE_TEST(each_mapping_fails),
		FAKE_TEST(the_second_setup_call_fails),
		FAKE_TEST(refused_as_invalid),
		FAKE_TEST(queue_init_fails_the_same),
		FAKE_TEST(queue_init_mem_fails_the_same),
		FAKE_TEST(queue_mmap_leaves_the_descriptor_open),
	};

	return RUN_FAKE_TESTS(tests);
}
