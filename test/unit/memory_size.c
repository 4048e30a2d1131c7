/* SPDX-License-Identifier: MIT */
/*
 * How much memory a ring takes, against the layout written down once more, and
 * against what a ring then takes.
 */
#include "fake_test.h"

#define CLAMP IORING_SETUP_CLAMP
#define CQSIZE IORING_SETUP_CQSIZE

static int begin_with_4k(void **state)
{
	fake_boot();
	fake.page_sz = 4096;
	return 0;
}

#define SIZE_TEST(name) cmocka_unit_test_setup_teardown(name, begin_with_4k, fake_test_end)

static size_t round_up(size_t sz, size_t to)
{
	return (sz + to - 1) / to * to;
}

static ssize_t expected_sz(unsigned sq, unsigned cq, unsigned flags)
{
	size_t rings = 64 + (size_t)16 * cq;
	size_t sqes = (size_t)64 * sq;

	if (flags & IORING_SETUP_CQE32)
		rings *= 2;
	if (!(flags & IORING_SETUP_NO_SQARRAY))
		rings = round_up(rings, 64) + (size_t)4 * sq;
	if (flags & IORING_SETUP_SQE128)
		sqes *= 2;
	return (ssize_t)(round_up(rings, fake.page_sz) + round_up(sqes, fake.page_sz));
}

static ssize_t params_sz(unsigned entries, unsigned flags, unsigned cq_entries)
{
	struct io_uring_params p = { .flags = flags, .cq_entries = cq_entries };
	const struct io_uring_params asked = p;
	ssize_t sz = io_uring_memory_size_params(entries, &p);

	assert_memory_equal(&p, &asked, sizeof(p));
	return sz;
}

static const unsigned flag_sets[] = {
	0, IORING_SETUP_NO_SQARRAY, IORING_SETUP_SQE128, IORING_SETUP_CQE32,
	IORING_SETUP_SQE128 | IORING_SETUP_CQE32,
	IORING_SETUP_SQE128 | IORING_SETUP_CQE32 | IORING_SETUP_NO_SQARRAY,
	IORING_SETUP_SQPOLL, IORING_SETUP_CQE_MIXED | IORING_SETUP_SQE_MIXED,
};

static void check_sizes(void)
{
	unsigned entries, sq, f;

	for (entries = 1; entries <= 32768; entries += entries < 300 ? 1 : 1021) {
		for (sq = 1; sq < entries;)
			sq *= 2;
		for (f = 0; f < ARRAY_LEN(flag_sets); f++) {
			unsigned flags = flag_sets[f];

			assert_int_equal(io_uring_memory_size(entries, flags),
					 expected_sz(sq, 2 * sq, flags));
			assert_int_equal(params_sz(entries, flags, 1),
					 expected_sz(sq, 2 * sq, flags));
			assert_int_equal(params_sz(entries, flags | CQSIZE, sq),
					 expected_sz(sq, sq, flags));
			assert_int_equal(params_sz(entries, flags | CQSIZE, 40000),
					 expected_sz(sq, 65536, flags));
		}
	}
	assert_int_equal(fake_nr(-1), 0);
}

static void by_the_layout(void **state)
{
	check_sizes();
}

static void by_the_layout_with_larger_pages(void **state)
{
	fake.page_sz = 16384;
	check_sizes();
	fake.page_sz = 65536;
	check_sizes();
}

static void the_limits(void **state)
{
	assert_int_equal(io_uring_memory_size(0, 0), -EINVAL);
	assert_int_equal(io_uring_memory_size(0, CLAMP), -EINVAL);
	assert_int_equal(io_uring_memory_size(32768, 0), expected_sz(32768, 65536, 0));
	assert_int_equal(io_uring_memory_size(32769, 0), -EINVAL);
	assert_int_equal(io_uring_memory_size(UINT32_MAX, 0), -EINVAL);
	assert_int_equal(io_uring_memory_size(32769, CLAMP), expected_sz(32768, 65536, 0));
	assert_int_equal(io_uring_memory_size(UINT32_MAX, CLAMP), expected_sz(32768, 65536, 0));
	assert_int_equal(params_sz(8, CQSIZE, 0), -EINVAL);
	assert_int_equal(params_sz(8, CQSIZE, 4), -EINVAL);
	assert_int_equal(params_sz(8, CQSIZE, 5), expected_sz(8, 8, 0));
	assert_int_equal(params_sz(8, CQSIZE, 65536), expected_sz(8, 65536, 0));
	assert_int_equal(params_sz(8, CQSIZE, 65537), -EINVAL);
	assert_int_equal(params_sz(8, CQSIZE | CLAMP, 65537), expected_sz(8, 65536, 0));
	assert_int_equal(params_sz(8, CQSIZE | CLAMP, UINT32_MAX), expected_sz(8, 65536, 0));
	assert_int_equal(params_sz(8, CQSIZE | CLAMP, 0), -EINVAL);
	assert_int_equal(params_sz(40000, CQSIZE | CLAMP, 40000), expected_sz(32768, 65536, 0));
	assert_int_equal(fake_nr(-1), 0);
}

/* What io_uring_setup refuses has no size either, and the other way round. */
static void as_set_up_refuses(void **state)
{
	static const unsigned numbers[] = {
		0, 1, 2, 3, 7, 8, 9, 4096, 32767, 32768, 32769, 65535, 65536, 65537, UINT32_MAX,
	};
	unsigned e, c, f;

	for (e = 0; e < ARRAY_LEN(numbers); e++) {
		for (c = 0; c < ARRAY_LEN(numbers); c++) {
			for (f = 0; f < 4; f++) {
				unsigned flags = (f & 1 ? CQSIZE : 0) | (f & 2 ? CLAMP : 0);
				struct io_uring_params p = {
					.flags = flags, .cq_entries = numbers[c]
				};
				ssize_t sz = params_sz(numbers[e], flags, numbers[c]);
				struct io_uring ring;

				assert_int_equal(io_uring_queue_init_params(numbers[e], &ring, &p),
						 sz < 0 ? sz : 0);
				io_uring_queue_exit(&ring);
				if (sz > 0)
					assert_int_equal(sz, expected_sz(p.sq_entries,
									 p.cq_entries, 0));
			}
		}
	}
}

/* Asks by a small ring, which is gone again. */
static void locked_memory_is_free_on_recent_kernels(void **state)
{
	struct io_uring_params p = { .flags = CQSIZE, .cq_entries = 4096 };

	assert_int_equal(io_uring_mlock_size(64, 0), 0);
	assert_int_equal(fake_nr(__NR_io_uring_setup), 1);
	assert_int_equal(io_uring_mlock_size_params(64, &p), 0);
	assert_int_equal(io_uring_mlock_size(32769, CLAMP), 0);
	assert_int_equal(fake_nr_leaks(), 0);
}

static void locked_memory_of_older_kernels(void **state)
{
	struct io_uring_params p = { .flags = CQSIZE, .cq_entries = 4096 };

	fake.features &= ~IORING_FEAT_NATIVE_WORKERS;
	assert_int_equal(io_uring_mlock_size(64, 0), expected_sz(64, 128, 0));
	assert_int_equal(io_uring_mlock_size_params(64, &p), expected_sz(64, 4096, 0));
	assert_int_equal(io_uring_mlock_size(32769, CLAMP), expected_sz(32768, 65536, 0));
	assert_int_equal(p.flags, CQSIZE);
	assert_int_equal(fake_nr_leaks(), 0);
}

static void locked_memory_has_the_same_limits(void **state)
{
	struct io_uring_params p = { .flags = CQSIZE };

	assert_int_equal(io_uring_mlock_size(0, 0), -EINVAL);
	assert_int_equal(io_uring_mlock_size(32769, 0), -EINVAL);
	assert_int_equal(io_uring_mlock_size_params(8, &p), -EINVAL);
	assert_int_equal(fake_nr(-1), 0);
}

static void the_small_ring_is_refused(void **state)
{
	static const int errs[] = { ENOSYS, EPERM, ENOMEM, EMFILE };
	unsigned i;

	for (i = 0; i < ARRAY_LEN(errs); i++) {
		fake_fail(__NR_io_uring_setup, 1, errs[i]);
		assert_int_equal(io_uring_mlock_size(64, 0), -errs[i]);
	}
	assert_int_equal(fake_nr_leaks(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SIZE_TEST(by_the_layout),
		SIZE_TEST(by_the_layout_with_larger_pages),
		SIZE_TEST(the_limits),
		SIZE_TEST(as_set_up_refuses),
		SIZE_TEST(locked_memory_is_free_on_recent_kernels),
		SIZE_TEST(locked_memory_of_older_kernels),
		SIZE_TEST(locked_memory_has_the_same_limits),
		SIZE_TEST(the_small_ring_is_refused),
	};

	return RUN_FAKE_TESTS(tests);
}
