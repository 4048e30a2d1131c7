/* SPDX-License-Identifier: MIT */
/*
 * Changing the size of a ring in use: nothing that was queued or posted is lost,
 * and a resize that fails leaves the ring as it was.
 */
#include "fake_test.h"

#define DEFER (IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN)

/* Queues an SQE that says all over who it is. */
static void queue_marked(struct io_uring *ring, unsigned user_data)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(ring);

	assert_non_null(sqe);
	io_uring_prep_nop(sqe);
	sqe->user_data = user_data;
	sqe->addr3 = ~(uint64_t)user_data;
	if (ring->flags & IORING_SETUP_SQE128)
		memset(sqe + 1, (int)user_data, sizeof(*sqe));
}

static void check_marked(const struct io_uring *ring, unsigned nth, unsigned user_data)
{
	const struct io_uring_sqe *sqe = fake_taken(fake.ring, nth);

	assert_int_equal(sqe->user_data, user_data);
	assert_int_equal(sqe->addr3, ~(uint64_t)user_data);
	if (ring->flags & IORING_SETUP_SQE128)
		assert_int_equal(((const unsigned char *)(sqe + 1))[63], user_data);
}

static int resize(struct io_uring *ring, unsigned sq_entries, unsigned cq_entries)
{
	struct io_uring_params p = { .sq_entries = sq_entries, .cq_entries = cq_entries };
	int ret;

	if (cq_entries)
		p.flags = IORING_SETUP_CQSIZE;
	ret = io_uring_resize_rings(ring, &p);
	assert_int_equal(p.flags, 0);
	if (!ret) {
		assert_int_equal(p.sq_entries, ring->sq.ring_entries);
		assert_int_equal(p.cq_entries, ring->cq.ring_entries);
	}
	return ret;
}

static void check_counts(const struct io_uring *ring, unsigned sq_entries, unsigned cq_entries)
{
	unsigned i;

	assert_int_equal(ring->sq.ring_entries, sq_entries);
	assert_int_equal(ring->sq.ring_mask, sq_entries - 1);
	assert_int_equal(*ring->sq.kring_entries, sq_entries);
	assert_int_equal(*ring->sq.kring_mask, sq_entries - 1);
	assert_int_equal(ring->cq.ring_entries, cq_entries);
	assert_int_equal(ring->cq.ring_mask, cq_entries - 1);
	assert_int_equal(*ring->cq.kring_entries, cq_entries);
	assert_int_equal(*ring->cq.kring_mask, cq_entries - 1);
	for (i = 0; ring->sq.array && i < sq_entries; i++)
		assert_int_equal(ring->sq.array[i], i);
}

/* Two were published and refused, two are only taken; three CQEs wait. */
static void check_resize(struct io_uring *ring, unsigned sq_entries, unsigned cq_entries)
{
	unsigned cq = cq_entries ? cq_entries : 2 * sq_entries;
	unsigned first = fake.ring->nr_taken, i;

	for (i = 0; i < 3; i++)
		fake_post(fake.ring, 50 + i, 0, 0);
	queue_marked(ring, 1);
	queue_marked(ring, 2);
	fake_next_enter((struct fake_step){ .err = EAGAIN });
	assert_int_equal(io_uring_submit(ring), -EAGAIN);
	queue_marked(ring, 3);
	queue_marked(ring, 4);

	assert_int_equal(resize(ring, sq_entries, cq_entries), 0);
	check_counts(ring, sq_entries, cq);
	assert_int_equal(io_uring_sq_ready(ring), 4);
	assert_int_equal(io_uring_sq_space_left(ring), sq_entries - 4);
	assert_int_equal(io_uring_cq_ready(ring), 3);
	assert_int_equal(fake_nr_leaks(), 3);

	for (i = 4; i < sq_entries; i++)
		queue_marked(ring, 1 + i);
	assert_null(io_uring_get_sqe(ring));
	for (i = 0; i < 3; i++)
		reap_one(ring, 50 + i, 0);
	assert_int_equal(io_uring_submit_and_wait(ring, sq_entries), sq_entries);
	for (i = 0; i < sq_entries; i++) {
		if (i + FAKE_NR_TAKEN >= sq_entries)
			check_marked(ring, first + i, 1 + i);
		reap_one(ring, 1 + i, 0);
	}
}

static void larger_smaller_and_back(void **state)
{
	static const unsigned flags[] = {
		0, IORING_SETUP_SQE128, IORING_SETUP_CQE32,
		IORING_SETUP_SQE128 | IORING_SETUP_CQE32,
	};
	struct io_uring ring;
	unsigned i, start;

	for (i = 0; i < ARRAY_LEN(flags); i++) {
		for (start = 0; start < 9; start++) {
			fake.start_idx = 0U - start;
			init_ring(&ring, 8, DEFER | flags[i]);
			check_resize(&ring, 64, 0);
			check_resize(&ring, 4, 0);
			check_resize(&ring, 4, 0);
			check_resize(&ring, 16, 256);
			check_resize(&ring, 8, 8);
			check_resize(&ring, 4, 0);
			io_uring_queue_exit(&ring);
			assert_int_equal(fake_check(), 0);
		}
	}
}

/* With an index array, which the kernel leaves for the program to fill. */
static void with_an_index_array(void **state)
{
	struct io_uring ring;
	unsigned quirk;
	int fd;

	for (quirk = 0; quirk < 2; quirk++) {
		struct io_uring_params p = { .flags = DEFER };

		fake.resize_keeps_array_off = quirk;
		fd = io_uring_setup(8, &p);
		assert_int_equal(io_uring_queue_mmap(fd, &p, &ring), 0);
		assert_non_null(ring.sq.array);
		check_resize(&ring, 64, 0);
		check_resize(&ring, 4, 64);
		check_resize(&ring, 256, 0);
		io_uring_queue_exit(&ring);
	}
}

/* So few CQEs that they end within a cache line: the array begins with the next. */
static void the_array_of_the_smallest_rings(void **state)
{
	struct io_uring_params p = { .flags = DEFER };
	struct io_uring ring;
	unsigned cq;
	int fd = io_uring_setup(8, &p);

	assert_int_equal(io_uring_queue_mmap(fd, &p, &ring), 0);
	for (cq = 1; cq <= 4; cq *= 2) {
		assert_int_equal(resize(&ring, 1, cq), 0);
		*fake.ring->sq_array = 0x5a5a;
		assert_int_equal(ring.sq.array[0], 0x5a5a);
	}
	io_uring_queue_exit(&ring);
}

/* What the first call left in the parameters misleads no second one. */
static void the_same_parameters_twice(void **state)
{
	struct io_uring_params p = { .flags = DEFER };
	struct io_uring ring;
	int fd = io_uring_setup(8, &p);

	assert_int_equal(io_uring_queue_mmap(fd, &p, &ring), 0);
	p.flags = 0;
	p.sq_entries = 64;
	assert_int_equal(io_uring_resize_rings(&ring, &p), 0);
	p.sq_entries = 16;
	assert_int_equal(io_uring_resize_rings(&ring, &p), 0);
	check_counts(&ring, 16, 32);
	queue_marked(&ring, 1);
	assert_int_equal(io_uring_submit_and_wait(&ring, 1), 1);
	reap_one(&ring, 1, 0);
	io_uring_queue_exit(&ring);
}

static void rounded_and_clamped(void **state)
{
	struct io_uring_params p = { .sq_entries = 100 };
	struct io_uring ring;

	init_ring(&ring, 8, DEFER);
	assert_int_equal(io_uring_resize_rings(&ring, &p), 0);
	check_counts(&ring, 128, 256);
	p = (struct io_uring_params){ .sq_entries = 40000, .flags = IORING_SETUP_CLAMP };
	assert_int_equal(io_uring_resize_rings(&ring, &p), 0);
	assert_int_equal(p.flags, 0);
	check_counts(&ring, 32768, 65536);
	io_uring_queue_exit(&ring);
}

/* Three SQEs are queued, and the ring has not changed in any way. */
static void check_unchanged(struct io_uring *ring, const struct io_uring *before, unsigned nr_leaks)
{
	unsigned i, first = fake.ring->nr_taken;

	assert_memory_equal(ring, before, sizeof(*ring));
	assert_int_equal(fake_nr_leaks(), nr_leaks);
	assert_int_equal(io_uring_submit_and_wait(ring, 3), 3);
	for (i = 0; i < 3; i++) {
		check_marked(ring, first + i, 1 + i);
		reap_one(ring, 1 + i, 0);
	}
}

static void queue_three(struct io_uring *ring, struct io_uring *before)
{
	unsigned i;

	for (i = 0; i < 3; i++)
		queue_marked(ring, 1 + i);
	*before = *ring;
}

/* No address space for one of the parts, or the kernel refuses. */
static void what_can_fail_fails_first(void **state)
{
	static const int errs[] = { ENOMEM, EAGAIN, EPERM };
	struct io_uring ring, before;
	unsigned nth, e;

	init_ring(&ring, 8, DEFER);
	for (e = 0; e < ARRAY_LEN(errs); e++) {
		for (nth = 1; nth <= 2; nth++) {
			queue_three(&ring, &before);
			fake_forget();
			fake_fail(NR_MMAP, nth, errs[e]);
			assert_int_equal(resize(&ring, 64, 0), -errs[e]);
			assert_int_equal(fake_nr(__NR_io_uring_register), 0);
			check_unchanged(&ring, &before, 3);
		}
		queue_three(&ring, &before);
		fake_fail(__NR_io_uring_register, 1, errs[e]);
		assert_int_equal(resize(&ring, 64, 0), -errs[e]);
		check_unchanged(&ring, &before, 3);
	}
	assert_int_equal(resize(&ring, 64, 0), 0);
	io_uring_queue_exit(&ring);
}

static void sizes_that_cannot_be(void **state)
{
	struct io_uring ring, before;

	init_ring(&ring, 8, DEFER);
	queue_three(&ring, &before);
	assert_int_equal(resize(&ring, 0, 0), -EINVAL);
	assert_int_equal(resize(&ring, 32769, 0), -EINVAL);
	assert_int_equal(resize(&ring, 8, 65537), -EINVAL);
	assert_int_equal(resize(&ring, 8, 4), -EINVAL);
	assert_int_equal(fake_nr(__NR_io_uring_register), 0);
	check_unchanged(&ring, &before, 3);
	io_uring_queue_exit(&ring);
}

static void too_much_is_queued_or_posted(void **state)
{
	struct io_uring ring, before;
	unsigned i;

	init_ring(&ring, 8, DEFER);
	queue_three(&ring, &before);
	assert_int_equal(resize(&ring, 2, 16), -EOVERFLOW);
	assert_int_equal(fake_nr(-1), 0);
	for (i = 0; i < 5; i++)
		fake_post(fake.ring, 50, 0, 0);
	assert_int_equal(resize(&ring, 4, 4), -EOVERFLOW);
	io_uring_cq_advance(&ring, 5);
	check_unchanged(&ring, &before, 3);
	io_uring_queue_exit(&ring);
}

static void rings_that_cannot_be_resized(void **state)
{
	struct io_uring ring, before;

	init_ring(&ring, 8, DEFER | IORING_SETUP_NO_MMAP);
	queue_three(&ring, &before);
	assert_int_equal(resize(&ring, 64, 0), -EINVAL);
	assert_int_equal(fake_nr(-1), 0);
	check_unchanged(&ring, &before, 3);
	io_uring_queue_exit(&ring);

	/* The kernel's to refuse. */
	init_ring(&ring, 8, 0);
	queue_three(&ring, &before);
	assert_int_equal(resize(&ring, 64, 0), -EINVAL);
	check_unchanged(&ring, &before, 3);
	io_uring_queue_exit(&ring);

	init_ring(&ring, 8, DEFER);
	assert_int_equal(io_uring_register_ring_fd(&ring), 1);
	assert_int_equal(io_uring_close_ring_fd(&ring), 1);
	queue_three(&ring, &before);
	fake_forget();
	assert_int_equal(resize(&ring, 64, 0), -EBADF);
	assert_int_equal(fake_nr(-1), 0);
	check_unchanged(&ring, &before, 3);
	io_uring_queue_exit(&ring);

	init_ring(&ring, 8, DEFER | IORING_SETUP_SQE_MIXED);
	queue_three(&ring, &before);
	assert_int_equal(resize(&ring, 64, 0), -EBUSY);
	assert_int_equal(fake_nr(-1), 0);
	check_unchanged(&ring, &before, 3);
	assert_int_equal(resize(&ring, 64, 0), 0);
	io_uring_queue_exit(&ring);
}

/* Flags that the kernel does not take for a resize are its to refuse. */
static void other_flags(void **state)
{
	struct io_uring_params p = { .sq_entries = 64, .flags = IORING_SETUP_SQE128 };
	struct io_uring ring, before;

	init_ring(&ring, 8, DEFER);
	queue_three(&ring, &before);
	assert_int_equal(io_uring_resize_rings(&ring, &p), -EINVAL);
	assert_int_equal(p.flags, 0);
	check_unchanged(&ring, &before, 3);
	io_uring_queue_exit(&ring);
}

static void by_the_registered_descriptor(void **state)
{
	struct io_uring ring;

	init_ring(&ring, 8, DEFER);
	assert_int_equal(io_uring_register_ring_fd(&ring), 1);
	assert_int_equal(resize(&ring, 64, 0), 0);
	assert_int_equal(io_uring_ring_dontfork(&ring), 0);
	assert_true(fake_is_dontfork(ring.sq.ring_ptr));
	assert_true(fake_is_dontfork(ring.sq.sqes));
	queue_marked(&ring, 1);
	assert_int_equal(io_uring_submit_and_wait(&ring, 1), 1);
	reap_one(&ring, 1, 0);
	io_uring_queue_exit(&ring);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FAKE_TEST(larger_smaller_and_back),
		FAKE_TEST(with_an_index_array),
		FAKE_TEST(the_array_of_the_smallest_rings),
		FAKE_TEST(the_same_parameters_twice),
		FAKE_TEST(rounded_and_clamped),
		FAKE_TEST(what_can_fail_fails_first),
		FAKE_TEST(sizes_that_cannot_be),
		FAKE_TEST(too_much_is_queued_or_posted),
		FAKE_TEST(rings_that_cannot_be_resized),
		FAKE_TEST(other_flags),
		FAKE_TEST(by_the_registered_descriptor),
	};

	return RUN_FAKE_TESTS(tests);
}
