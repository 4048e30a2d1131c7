/* SPDX-License-Identifier: MIT */
/*
 * What a process holds after a thousand rings of each kind and every size: no
 * descriptor and no mapping more than before.
 */
#include "test.h"

#include "ring.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>

#define NR_RINGS 1000
#define MAX_ENTRIES 32768U

/* 1 to 1024 entries in turn, now and then the most that there can be. */
static unsigned choose_entries(unsigned i)
{
	return i % 100 == 99 ? MAX_ENTRIES : 1U << i % 11;
}

static int try_patiently(struct io_uring *ring, unsigned entries, const struct ring_kind *kind)
{
	unsigned nr_tries = 0;
	int ret;

	do {
		ret = ring_try(ring, entries, kind);
		/* Such a ring may need a huge page, which there need not be. */
	} while (!(kind->flags & IORING_SETUP_NO_MMAP) && ring_retry(ret, &nr_tries));
	return ret;
}

static void test_thousand_rings(struct io_uring *unused)
{
	const struct ring_kind *kind = ring_current_kind();
	struct holdings before;
	struct io_uring ring;
	unsigned i, nr_made = 0;
	int ret;

	holdings_take(&before);
	for (i = 0; i < NR_RINGS; i++) {
		ret = try_patiently(&ring, choose_entries(i), kind);
		if (ret == -ENOMEM && (kind->flags & IORING_SETUP_NO_MMAP)) {
			holdings_same(&before);
			continue;
		}
		if (ret)
			fail_msg("%u entries: %s", choose_entries(i), strerror(-ret));
		nr_made++;
		assert_true(ring.sq.ring_entries == choose_entries(i));
		if (i % 4 == 1) {
			io_uring_prep_nop(next_sqe(&ring));
			assert_int_equal(submit_one(&ring, NULL), 0);
		}
		if (i % 4 >= 2 && !(kind->flags & IORING_SETUP_REGISTERED_FD_ONLY)) {
			require_ret("a registered ring", io_uring_register_ring_fd(&ring));
			if (i % 4 == 3)
				require_ret("close_ring_fd", io_uring_close_ring_fd(&ring));
		}
		io_uring_queue_exit(&ring);
		if (i % 50 == 0)
			holdings_same(&before);
	}
	holdings_same(&before);
	assert_true(nr_made >= NR_RINGS / 3);
}

/* No set of flags that the kernel refuses leaves anything behind. */
static void test_refused(void **state)
{
	struct holdings before;
	struct io_uring ring;
	unsigned bit, nr_refused = 0;

	holdings_take(&before);
	for (bit = 0; bit < 32; bit++) {
		if (!io_uring_queue_init(8, &ring, 1U << bit)) {
			io_uring_queue_exit(&ring);
			continue;
		}
		nr_refused++;
		assert_int_equal(ring.ring_fd, -1);
		/* What was never made can still be given up. */
		io_uring_queue_exit(&ring);
		holdings_same(&before);
	}
	assert_true(nr_refused > 0);
	holdings_same(&before);
}

/* Address space for the rings but not for the SQEs, or for neither. */
static int fail_for_want_of_space(void *arg)
{
	const struct ring_kind *kind = arg;
	struct holdings before, after;
	struct rlimit limit;
	struct io_uring ring;
	size_t extra_sz;
	int ret = 0;

	holdings_take(&before);
	/* The stack may grow a little meanwhile. */
	for (extra_sz = 64 << 10; extra_sz < 4U << 20; extra_sz += 512 << 10) {
		limit.rlim_cur = before.mapped_sz + extra_sz;
		limit.rlim_max = RLIM_INFINITY;
		child_check_equal(setrlimit(RLIMIT_AS, &limit), 0);
		ret = ring_try(&ring, MAX_ENTRIES, kind);
		limit.rlim_cur = RLIM_INFINITY;
		child_check_equal(setrlimit(RLIMIT_AS, &limit), 0);
		if (!ret)
			break;
		child_check_equal(ret, -ENOMEM);
		child_check_equal(ring.ring_fd, -1);
		holdings_take(&after);
		child_check_equal(after.nr_fds, before.nr_fds);
		child_check_equal(after.nr_ring_maps, 0);
		child_check(after.mapped_sz < before.mapped_sz + (64 << 10));
	}
	child_check(extra_sz > 512 << 10);
	return 0;
}

static void test_no_address_space(void **state)
{
	struct ring_kind kind = { .name = "plain" };

	in_child(fail_for_want_of_space, &kind);
}

static int fail_for_want_of_descriptors(void *arg)
{
	struct holdings before, after;
	struct io_uring ring;
	struct rlimit limit;

	holdings_take(&before);
	limit.rlim_cur = 0;
	limit.rlim_max = 1024;
	child_check_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	child_check_equal(io_uring_queue_init(8, &ring, 0), -EMFILE);
	child_check_equal(io_uring_queue_init(8, &ring, IORING_SETUP_NO_MMAP), -EMFILE);
	child_check(!io_uring_get_probe());
	child_check_equal(io_uring_mlock_size(8, 0), -EMFILE);
	limit.rlim_cur = limit.rlim_max;
	child_check_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	holdings_take(&after);
	child_check_equal(after.nr_fds, before.nr_fds);
	child_check_equal(after.nr_ring_maps, before.nr_ring_maps);
	child_check_equal(after.mapped_sz, before.mapped_sz);
	return 0;
}

static void test_no_descriptor(void **state)
{
	in_child(fail_for_want_of_descriptors, NULL);
}

int main(void)
{
	static const struct ring_case cases[] = {
		{ "a thousand rings of", test_thousand_rings, 0, 0 },
	};
	static const struct CMUnitTest tests[] = {
		timed_test(test_refused),
		timed_test(test_no_address_space),
		timed_test(test_no_descriptor),
	};
	int nr_failed = cmocka_run_group_tests_name("holdings", tests, NULL, NULL);

	return nr_failed + ring_run_cases("holdings of every kind", cases, ARRAY_LEN(cases));
}
