/* SPDX-License-Identifier: MIT */
/*
 * What kernels answer rarely, and arguments at the ends of their ranges, function
 * by function: what the files on each subject do not come to.
 */
#include "fake_test.h"

/* The symbol that programs were linked with before the function became inline. */
struct io_uring_sqe *linked_get_sqe(struct io_uring *ring);

static void versions(void **state)
{
	const int major = IO_URING_VERSION_MAJOR, minor = IO_URING_VERSION_MINOR;

	assert_int_equal(io_uring_major_version(), major);
	assert_int_equal(io_uring_minor_version(), minor);
	assert_false(io_uring_check_version(major, minor));
	assert_true(io_uring_check_version(major, minor + 1));
	assert_true(io_uring_check_version(major + 1, 0));
	assert_false(io_uring_check_version(major - 1, minor + 1));
}

static void get_sqe_as_a_symbol(void **state)
{
	struct io_uring ring;

	init_ring(&ring, 2, 0);
	assert_ptr_equal(linked_get_sqe(&ring), &ring.sq.sqes[0]);
	assert_ptr_equal(linked_get_sqe(&ring), &ring.sq.sqes[1]);
	assert_null(linked_get_sqe(&ring));
	assert_int_equal(ring.sq.sqe_tail - ring.sq.sqe_head, 2);
	io_uring_queue_exit(&ring);
}

/* A time limit beyond the end of the clock is none. */
static void time_limits_that_overflow(void **state)
{
	static struct __kernel_timespec limits[] = {
		{ .tv_sec = INT64_MAX / SEC, .tv_nsec = 999999999 },
		{ .tv_sec = INT64_MAX / SEC - 1, .tv_nsec = 0 },
		{ .tv_sec = INT64_MAX, .tv_nsec = 0 },
	};
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;
	unsigned i;

	fake.features &= ~(IORING_FEAT_EXT_ARG | IORING_FEAT_MIN_TIMEOUT);
	fake.now_ns = 5 * SEC;
	init_ring(&ring, 8, 0);
	for (i = 0; i < ARRAY_LEN(limits); i++) {
		queue_nops(&ring, 1, i);
		assert_int_equal(io_uring_submit_and_wait_timeout(&ring, &cqe, 1, &limits[i], NULL),
				 1);
		reap_one(&ring, i, 0);
		fake_next_enter((struct fake_step){ .wait_err = EINTR });
		assert_int_equal(io_uring_wait_cqe_timeout(&ring, &cqe, &limits[i]), -EINTR);
		assert_null(cqe);
	}
	io_uring_queue_exit(&ring);
}

/* The private timeout was taken, and its CQE is not there yet. */
static void the_time_is_up_without_a_cqe(void **state)
{
	static struct __kernel_timespec ts = { .tv_sec = 1 };
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	fake.features &= ~(IORING_FEAT_EXT_ARG | IORING_FEAT_MIN_TIMEOUT);
	init_ring(&ring, 8, 0);
	fake_next_enter((struct fake_step){ .advance_ns = 2 * SEC, .early = true });
	assert_int_equal(io_uring_wait_cqe_timeout(&ring, &cqe, &ts), -ETIME);
	assert_null(cqe);
	io_uring_queue_exit(&ring);
}

/* On a ring that polls for completions, a part of the SQEs was taken. */
static void polled_and_taken_in_part(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_ring(&ring, 8, IORING_SETUP_IOPOLL);
	queue_nops(&ring, 2, 1);
	fake_next_enter((struct fake_step){ .leave = 1 });
	assert_int_equal(io_uring_submit_and_wait_timeout(&ring, &cqe, 2, NULL, NULL), 2);
	reap_one(&ring, 1, 0);
	reap_one(&ring, 2, 0);
	io_uring_queue_exit(&ring);
}

/* Timeouts of the library's own that were cancelled are no end of a time. */
static void a_cancelled_private_timeout(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	fake.features &= ~(IORING_FEAT_EXT_ARG | IORING_FEAT_MIN_TIMEOUT);
	init_ring(&ring, 8, 0);
	fake_post(fake.ring, LIBURING_UDATA_TIMEOUT, -ECANCELED, 0);
	fake_post(fake.ring, LIBURING_UDATA_TIMEOUT, 0, 0);
	assert_int_equal(__io_uring_peek_cqe(&ring, &cqe, NULL), 0);
	assert_null(cqe);
	fake_post(fake.ring, LIBURING_UDATA_TIMEOUT, -ETIME, 0);
	assert_int_equal(__io_uring_peek_cqe(&ring, &cqe, NULL), -ETIME);
	assert_null(cqe);
	assert_int_equal(io_uring_cq_ready(&ring), 0);
	io_uring_queue_exit(&ring);
}

static void nothing_to_keep_from_children(void **state)
{
	struct io_uring ring, half;

	init_ring(&ring, 8, 0);
	half = ring;
	half.sq.ring_ptr = NULL;
	assert_int_equal(io_uring_ring_dontfork(&half), -EINVAL);
	half = ring;
	half.sq.sqes = NULL;
	assert_int_equal(io_uring_ring_dontfork(&half), -EINVAL);
	half = ring;
	half.cq.ring_ptr = NULL;
	assert_int_equal(io_uring_ring_dontfork(&half), -EINVAL);
	assert_int_equal(fake_nr(-1), 0);
	assert_int_equal(io_uring_ring_dontfork(&ring), 0);
	io_uring_queue_exit(&ring);
}

/* A kernel that puts the index array in front of the last CQE. */
static bool resize_to_an_early_array(struct fake_ring *ring, unsigned opcode, void *arg,
				     unsigned nr_args, long *ret)
{
	struct io_uring_params *p = arg;

	if (opcode != IORING_REGISTER_RESIZE_RINGS)
		return false;
	*ret = 0;
	p->sq_entries = ring->sq_entries;
	p->cq_entries = ring->cq_entries;
	p->cq_off.cqes = (__u32)((char *)ring->cqes - (char *)ring->sq_region.mem);
	p->sq_off.head = (__u32)((char *)ring->sq_head - (char *)ring->sq_region.mem);
	p->sq_off.tail = (__u32)((char *)ring->sq_tail - (char *)ring->sq_region.mem);
	p->sq_off.array = p->cq_off.cqes + (p->cq_entries - 1) * 16;
	return true;
}

static void a_resize_that_moves_the_array(void **state)
{
	struct io_uring_params p = { .sq_entries = 2 };
	struct io_uring ring;
	unsigned *sq_word, *cq_word;

	fake.setup_flags &= ~IORING_SETUP_NO_SQARRAY;
	init_ring(&ring, 2, IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN);
	assert_non_null(ring.sq.array);
	/* Masks and sizes are read from where these offsets lead. */
	sq_word = ring.sq.kring_mask;
	cq_word = ring.cq.kring_mask;
	p.sq_off.ring_mask = (__u32)((char *)sq_word - (char *)ring.sq.ring_ptr);
	p.sq_off.ring_entries = (__u32)((char *)ring.sq.kring_entries - (char *)ring.sq.ring_ptr);
	p.sq_off.flags = (__u32)((char *)ring.sq.kflags - (char *)ring.sq.ring_ptr);
	p.sq_off.dropped = (__u32)((char *)ring.sq.kdropped - (char *)ring.sq.ring_ptr);
	p.cq_off.ring_mask = (__u32)((char *)cq_word - (char *)ring.cq.ring_ptr);
	p.cq_off.ring_entries = (__u32)((char *)ring.cq.kring_entries - (char *)ring.cq.ring_ptr);
	p.cq_off.head = (__u32)((char *)ring.cq.khead - (char *)ring.cq.ring_ptr);
	p.cq_off.tail = (__u32)((char *)ring.cq.ktail - (char *)ring.cq.ring_ptr);
	p.cq_off.overflow = (__u32)((char *)ring.cq.koverflow - (char *)ring.cq.ring_ptr);
	fake.on_register = resize_to_an_early_array;
	fake_forget();
	assert_int_equal(io_uring_resize_rings(&ring, &p), 0);
	/* All CQEs are mapped, not only what lies before the end of the array. */
	assert_int_equal(ring.sq.ring_sz, p.cq_off.cqes + 4 * sizeof(struct io_uring_cqe));
	assert_true(p.sq_off.array + 2 * sizeof(unsigned) < ring.sq.ring_sz);
	assert_int_equal(ring.sq.ring_entries, 2);
	assert_int_equal(ring.cq.ring_entries, 4);
	fake.on_register = NULL;
	io_uring_queue_exit(&ring);
}

/* Its alignment says nothing about that of the array. */
static void a_resize_with_a_large_header(void **state)
{
	struct io_uring_params p = { .sq_entries = 16 };
	struct io_uring ring;

	fake.layout = FAKE_LAYOUT_4096;
	init_ring(&ring, 4, IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN);
	queue_nops(&ring, 3, 1);
	assert_int_equal(io_uring_resize_rings(&ring, &p), 0);
	assert_int_equal(ring.sq.ring_entries, 16);
	assert_int_equal(io_uring_submit_and_wait(&ring, 3), 3);
	reap_one(&ring, 1, 0);
	reap_one(&ring, 2, 0);
	reap_one(&ring, 3, 0);
	io_uring_queue_exit(&ring);
}

static void a_batch_of_none(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;

	init_ring(&ring, 8, 0);
	assert_int_equal(io_uring_peek_batch_cqe(&ring, &cqe, 0), 0);
	assert_int_equal(io_uring_peek_batch_cqe(&ring, &cqe, 1), 0);
	assert_ptr_equal(cqe, POISON);
	io_uring_queue_exit(&ring);
}

/* With nothing to wait for, a polling thread's ring is entered all the same. */
static void a_wait_for_room(void **state)
{
	struct io_uring ring;

	init_ring(&ring, 2, IORING_SETUP_SQPOLL);
	assert_int_equal(__io_uring_sqring_wait(&ring), 0);
	assert_enter(0, 0, 0, IORING_ENTER_SQ_WAIT);
	io_uring_queue_exit(&ring);
}

static void mapping_fails(void **state)
{
	struct io_uring_params p = { .flags = 0 };
	struct io_uring ring;
	int fd = io_uring_setup(4, &p);

	assert_true(fd >= 0);
	fake_fail(NR_MMAP, 1, ENOMEM);
	assert_int_equal(io_uring_queue_mmap(fd, &p, &ring), -ENOMEM);
	assert_int_equal(ring.ring_fd, -1);
	assert_int_equal(io_uring_queue_mmap(fd, &p, &ring), 0);
	io_uring_queue_exit(&ring);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FAKE_TEST(versions),
		FAKE_TEST(get_sqe_as_a_symbol),
		FAKE_TEST(time_limits_that_overflow),
		FAKE_TEST(the_time_is_up_without_a_cqe),
		FAKE_TEST(polled_and_taken_in_part),
		FAKE_TEST(a_cancelled_private_timeout),
		FAKE_TEST(nothing_to_keep_from_children),
		FAKE_TEST(a_resize_that_moves_the_array),
		FAKE_TEST(a_resize_with_a_large_header),
		FAKE_TEST(a_batch_of_none),
		FAKE_TEST(a_wait_for_room),
		FAKE_TEST(mapping_fails),
	};

	return RUN_FAKE_TESTS(tests);
}
