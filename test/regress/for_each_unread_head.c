/* SPDX-License-Identifier: MIT */
/*
 * A program that walks with io_uring_for_each_cqe and has no use for the
 * position did not compile with -Werror, since the variable was only ever set.
 * The macro itself must read it.
 */
#include "test.h"

#include "ring.h"

#pragma GCC diagnostic error "-Wunused-but-set-variable"
#pragma GCC diagnostic error "-Wunused-value"

static void test_walk(void **state)
{
	struct io_uring_cqe *cqe;
	struct io_uring ring;
	unsigned head, nr = 0;

	ring_open_flags(&ring, 4, 0);
	io_uring_prep_nop(next_sqe(&ring));
	io_uring_prep_nop(next_sqe(&ring));
	submit_ok(&ring, 2);
	io_uring_for_each_cqe(&ring, head, cqe)
		nr++;
	assert_int_equal(nr, 2);
	io_uring_queue_exit(&ring);
}

int main(void)
{
	static const struct CMUnitTest tests[] = { timed_test(test_walk) };

	return cmocka_run_group_tests_name("for_each_unread_head", tests, NULL, NULL);
}
