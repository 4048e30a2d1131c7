/* SPDX-License-Identifier: MIT */
/*
 * Numbers and flags that no ring can have.
 */
#include "fake_test.h"

static int try_init(unsigned entries, unsigned flags, unsigned cq_entries)
{
	struct io_uring_params p = { .flags = flags, .cq_entries = cq_entries };
	struct io_uring ring;
	int ret;

	memset(&ring, 0xff, sizeof(ring));
	ret = io_uring_queue_init_params(entries, &ring, &p);
	if (ret < 0)
		assert_int_equal(ring.ring_fd, -1);
	io_uring_queue_exit(&ring);
	assert_int_equal(fake_nr_leaks(), 0);
	return ret;
}

static void the_number_of_entries(void **state)
{
	assert_int_equal(try_init(0, 0, 0), -EINVAL);
	assert_int_equal(try_init(1, 0, 0), 0);
	assert_int_equal(try_init(32768, 0, 0), 0);
	assert_int_equal(try_init(32769, 0, 0), -EINVAL);
	assert_int_equal(try_init(UINT32_MAX, 0, 0), -EINVAL);
	assert_int_equal(try_init(0, IORING_SETUP_CLAMP, 0), -EINVAL);
	assert_int_equal(try_init(32769, IORING_SETUP_CLAMP, 0), 0);
	assert_int_equal(try_init(UINT32_MAX, IORING_SETUP_CLAMP, 0), 0);
}

static void the_number_of_cq_entries(void **state)
{
	assert_int_equal(try_init(8, IORING_SETUP_CQSIZE, 0), -EINVAL);
	assert_int_equal(try_init(8, IORING_SETUP_CQSIZE, 4), -EINVAL);
	assert_int_equal(try_init(8, IORING_SETUP_CQSIZE, 5), 0);
	assert_int_equal(try_init(8, IORING_SETUP_CQSIZE, 65536), 0);
	assert_int_equal(try_init(8, IORING_SETUP_CQSIZE, 65537), -EINVAL);
	assert_int_equal(try_init(8, IORING_SETUP_CQSIZE | IORING_SETUP_CLAMP, 65537), 0);
	assert_int_equal(try_init(8, 0, 3), 0);
}

static void clamped_and_rounded(void **state)
{
	struct io_uring_params p = { .flags = IORING_SETUP_CLAMP };
	struct io_uring ring;

	assert_int_equal(io_uring_queue_init_params(100000, &ring, &p), 0);
	assert_int_equal(p.sq_entries, 32768);
	assert_int_equal(p.cq_entries, 65536);
	assert_int_equal(ring.sq.ring_entries, 32768);
	assert_int_equal(ring.cq.ring_entries, 65536);
	io_uring_queue_exit(&ring);

	p = (struct io_uring_params){ .flags = IORING_SETUP_CQSIZE, .cq_entries = 9 };
	assert_int_equal(io_uring_queue_init_params(5, &ring, &p), 0);
	assert_int_equal(ring.sq.ring_entries, 8);
	assert_int_equal(ring.cq.ring_entries, 16);
	io_uring_queue_exit(&ring);
}

static void flags_that_exclude_each_other(void **state)
{
	assert_int_equal(try_init(8, IORING_SETUP_DEFER_TASKRUN, 0), -EINVAL);
	assert_int_equal(try_init(8, IORING_SETUP_TASKRUN_FLAG, 0), -EINVAL);
	assert_int_equal(try_init(8, IORING_SETUP_SQ_AFF, 0), -EINVAL);
	assert_int_equal(try_init(8, IORING_SETUP_CQE32 | IORING_SETUP_CQE_MIXED, 0), -EINVAL);
	assert_int_equal(try_init(8, IORING_SETUP_SQE128 | IORING_SETUP_SQE_MIXED, 0), -EINVAL);
	assert_int_equal(try_init(8, IORING_SETUP_HYBRID_IOPOLL, 0), -EINVAL);
	assert_int_equal(try_init(8, IORING_SETUP_SQ_REWIND | IORING_SETUP_SQPOLL, 0), -EINVAL);
	assert_int_equal(try_init(8, 1U << 31, 0), -EINVAL);
}

/* What the kernel wants zero is passed as it is, and refused. */
static void reserved_fields(void **state)
{
	struct io_uring_params p = { .flags = 0 };
	struct io_uring ring;

	p.resv[1] = 1;
	assert_int_equal(io_uring_queue_init_params(8, &ring, &p), -EINVAL);
	assert_int_equal(p.resv[1], 1);
}

/* errno belongs to the program. */
static void errno_stays(void **state)
{
	struct io_uring_cqe *cqe;
	struct io_uring ring;

	errno = 12345;
	assert_int_equal(try_init(0, 0, 0), -EINVAL);
	init_ring(&ring, 8, 0);
	fake_next_enter((struct fake_step){ .err = EBUSY });
	assert_int_equal(io_uring_wait_cqe(&ring, &cqe), -EBUSY);
	io_uring_queue_exit(&ring);
	assert_int_equal(errno, 12345);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FAKE_TEST(the_number_of_entries),
		FAKE_TEST(the_number_of_cq_entries),
		FAKE_TEST(clamped_and_rounded),
		FAKE_TEST(flags_that_exclude_each_other),
		FAKE_TEST(reserved_fields),
		FAKE_TEST(errno_stays),
	};

	return RUN_FAKE_TESTS(tests);
}
