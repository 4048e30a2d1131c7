/* SPDX-License-Identifier: MIT */
/*
 * A resize asked for the new rings at an address of its own, which the kernel
 * refuses (-EINVAL) after it has swapped the rings: each resize failed and broke
 * the ring. And parameters that a resize had filled, used again for the next,
 * put the index array of rings that have one at the place of the time before.
 */
#include "test.h"

#include "ring.h"

static void resize_and_use(struct io_uring *ring, struct io_uring_params *p, unsigned entries)
{
	unsigned i;

	p->sq_entries = entries;
	require_ret("a resize", io_uring_resize_rings(ring, p));
	assert_int_equal(ring->sq.ring_entries, entries);
	for (i = 0; i < entries; i++)
		io_uring_prep_nop(next_sqe(ring));
	submit_ok(ring, entries);
	for (i = 0; i < entries; i++)
		assert_int_equal(wait_one(ring, NULL), 0);
}

static void grow_and_shrink(const struct ring_kind *kind)
{
	struct io_uring_params p = { 0 };
	struct io_uring ring;

	ring_open(&ring, 8, kind);
	resize_and_use(&ring, &p, 16);
	resize_and_use(&ring, &p, 4096);
	resize_and_use(&ring, &p, 4);
	resize_and_use(&ring, &p, 64);
	io_uring_queue_exit(&ring);
}

static void test_plain(void **state)
{
	const struct ring_kind kind = {
		.name = "DEFER_TASKRUN",
		.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN,
	};

	grow_and_shrink(&kind);
}

static void test_index_array(void **state)
{
	const struct ring_kind kind = {
		.name = "DEFER_TASKRUN with the index array",
		.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN,
		.own_setup = true,
	};

	grow_and_shrink(&kind);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		timed_test(test_plain),
		timed_test(test_index_array),
	};

	return cmocka_run_group_tests_name("resize_real_kernel", tests, NULL, NULL);
}
