/* SPDX-License-Identifier: MIT */
/*
 * The number of a buffer group, and flags, of more than 16 bits were cut on the way
 * to the kernel: the ring of group 65541 became that of group 5.
 */
#include "test.h"

#include "ring.h"

static void test_group_and_flags(void **state)
{
	struct io_uring_buf_reg reg = { 0 };
	struct io_uring_buf_ring *br;
	struct io_uring ring;
	int err = 0;

	require_ret("io_uring_queue_init", io_uring_queue_init(8, &ring, 0));
	br = io_uring_setup_buf_ring(&ring, 8, 5, 0, &err);
	if (!br)
		skip_because("no buffer rings: error %d", -err);

	assert_null(io_uring_setup_buf_ring(&ring, 8, 65536 + 6, 0, &err));
	assert_int_equal(err, -EINVAL);
	assert_null(io_uring_setup_buf_ring(&ring, 8, -1, IOU_PBUF_RING_MMAP, &err));
	assert_int_equal(err, -EINVAL);
	assert_int_equal(io_uring_register_buf_ring(&ring, &reg, 0x10000), -EINVAL);
	assert_int_equal(reg.flags, 0);
	assert_int_equal(io_uring_unregister_buf_ring(&ring, 65536 + 5), -EINVAL);
	/* Group 5 is there still, and group 6 was never made. */
	assert_int_equal(io_uring_unregister_buf_ring(&ring, 6), -ENOENT);
	assert_int_equal(io_uring_free_buf_ring(&ring, br, 8, 5), 0);
	io_uring_queue_exit(&ring);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		timed_test(test_group_and_flags),
	};

	return cmocka_run_group_tests_name("buf_group_cut", tests, NULL, NULL);
}
