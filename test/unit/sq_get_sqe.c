/* SPDX-License-Identifier: MIT */
/*
 * Taking SQEs: clean slots in order, NULL when the ring is full, over the wrap of
 * the index.
 */
#include "fake_test.h"

#define NEAR_WRAP (UINT32_MAX - 5)

static void check_zero(const void *mem, size_t sz)
{
	const unsigned char *bytes = mem;
	size_t i;

	for (i = 0; i < sz; i++)
		if (bytes[i])
			fail_msg("byte %zu is 0x%02x", i, bytes[i]);
}

/* Dirties every slot that it takes, and so finds the dirt of the lap before. */
static void check_laps(unsigned flags, size_t sqe_sz)
{
	struct io_uring_sqe *sqe;
	struct io_uring ring;
	unsigned i, pos;

	fake.start_idx = NEAR_WRAP;
	init_ring(&ring, 4, flags);
	memset(ring.sq.sqes, 0xff, 4 * sqe_sz);
	pos = ring.sq.sqe_tail;
	for (i = 0; i < 50; i++, pos++) {
		sqe = io_uring_get_sqe(&ring);
		assert_ptr_equal(sqe, (char *)ring.sq.sqes + (pos & 3) * sqe_sz);
		check_zero(sqe, sqe_sz);
		memset(sqe, 0xff, sqe_sz);
		sqe->opcode = IORING_OP_NOP;
		sqe->flags = 0;
		sqe->nop_flags = 0;
		if (i % 3)
			continue;
		assert_int_equal(io_uring_submit(&ring), i ? 3 : 1);
		io_uring_cq_advance(&ring, io_uring_cq_ready(&ring));
	}
	io_uring_queue_exit(&ring);
}

static void a_fresh_sqe_is_64_zero_bytes_on_every_lap(void **state)
{
	check_laps(0, 64);
}

static void a_fresh_big_sqe_is_128_zero_bytes_on_every_lap(void **state)
{
	check_laps(IORING_SETUP_SQE128, 128);
}

/* Nothing but the slot itself is written. */
static void the_neighbours_stay(void **state)
{
	struct io_uring ring;
	unsigned i;

	init_ring(&ring, 4, 0);
	memset(ring.sq.sqes, 0xff, 4 * sizeof(struct io_uring_sqe));
	io_uring_get_sqe(&ring);
	io_uring_get_sqe(&ring);
	check_zero(ring.sq.sqes, 128);
	for (i = 128; i < 256; i++)
		assert_int_equal(((unsigned char *)ring.sq.sqes)[i], 0xff);
	io_uring_queue_exit(&ring);
}

static void check_full(unsigned flags)
{
	struct io_uring ring, before;
	unsigned i;

	init_ring(&ring, 4, flags);
	for (i = 0; i < 4; i++) {
		assert_int_equal(io_uring_sq_ready(&ring), i);
		assert_int_equal(io_uring_sq_space_left(&ring), 4 - i);
		queue_nops(&ring, 1, i);
	}
	assert_int_equal(io_uring_sq_space_left(&ring), 0);
	before = ring;
	assert_null(io_uring_get_sqe(&ring));
	assert_int_equal(ring.sq.sqe_tail, before.sq.sqe_tail);
	assert_int_equal(ring.sq.sqe_head, before.sq.sqe_head);
	assert_int_equal(fake_nr(-1), 0);

	assert_int_equal(io_uring_submit(&ring), 4);
	for (i = 0; i < 4; i++)
		assert_int_equal(fake_taken(fake.ring, i)->user_data, i);
	queue_nops(&ring, 4, 4);
	assert_null(io_uring_get_sqe(&ring));
	io_uring_queue_exit(&ring);
}

static void a_full_ring_gives_null_and_stays(void **state)
{
	check_full(0);
	check_full(IORING_SETUP_SQE128);
	fake.start_idx = UINT32_MAX - 2;
	check_full(0);
	check_full(IORING_SETUP_SQE128);
}

/* All laps across 2^32, with every fill level at the crossing. */
static void the_index_wraps(void **state)
{
	struct io_uring ring;
	unsigned start, i, k, nr;

	for (start = 0; start < 12; start++) {
		fake.start_idx = 0U - start;
		init_ring(&ring, 4, 0);
		for (i = 0; i < 20; i++) {
			nr = 1 + (i + start) % 4;
			queue_nops(&ring, nr, i);
			assert_int_equal(io_uring_sq_ready(&ring), nr);
			assert_int_equal(io_uring_sq_space_left(&ring), 4 - nr);
			assert_int_equal(io_uring_submit_and_wait(&ring, nr), nr);
			for (k = 0; k < nr; k++)
				reap_one(&ring, i + k, 0);
		}
		io_uring_queue_exit(&ring);
	}
}

/* The kernel's head counts, not what the program has heard of it. */
static void the_room_is_what_the_kernel_left(void **state)
{
	struct io_uring ring;

	init_ring(&ring, 8, IORING_SETUP_SQPOLL);
	queue_nops(&ring, 8, 0);
	assert_int_equal(io_uring_submit(&ring), 8);
	assert_int_equal(fake_sq_thread_run(fake.ring, 3), 3);
	assert_int_equal(io_uring_sq_ready(&ring), 5);
	assert_int_equal(io_uring_sq_space_left(&ring), 3);
	queue_nops(&ring, 3, 8);
	assert_null(io_uring_get_sqe(&ring));
	io_uring_queue_exit(&ring);
}

/* Whatever is remembered of the head: a slot is given only when it is free. */
static void no_slot_is_given_twice(void **state)
{
	uint32_t seed = 12345, was;
	struct io_uring_sqe *sqe;
	struct io_uring ring;
	unsigned i, nr_queued = 0;

	fake.start_idx = 0U - 500;
	init_ring(&ring, 8, IORING_SETUP_SQPOLL);
	fake.due_ns = FAKE_NEVER;
	for (i = 0; i < 20000; i++) {
		seed = seed * 1664525 + 1013904223;
		was = seed >> 16;
		if (was % 4 == 0) {
			nr_queued -= fake_sq_thread_run(fake.ring, was / 4 % 9);
		} else if (was % 4 == 1) {
			io_uring_submit(&ring);
		} else if ((sqe = io_uring_get_sqe(&ring)) != NULL) {
			io_uring_prep_nop(sqe);
			nr_queued++;
		} else {
			assert_int_equal(nr_queued, 8);
		}
		assert_true(nr_queued <= 8);
		assert_int_equal(io_uring_sq_ready(&ring), nr_queued);
		assert_int_equal(io_uring_sq_space_left(&ring), 8 - nr_queued);
		fake.ring->nr_reqs = 0;
	}
	io_uring_queue_exit(&ring);
}

/* A ring whose unused word is zero, as programs built with older headers leave it. */
static void a_limit_of_zero_is_safe(void **state)
{
	struct io_uring ring;

	init_ring(&ring, 4, 0);
	ring.sq.pad = 0;
	queue_nops(&ring, 4, 0);
	ring.sq.pad = 0;
	assert_null(io_uring_get_sqe(&ring));
	assert_int_equal(io_uring_submit(&ring), 4);
	ring.sq.pad = 0;
	queue_nops(&ring, 4, 4);
	ring.sq.pad = 0;
	assert_null(io_uring_get_sqe(&ring));
	assert_int_equal(io_uring_submit(&ring), 4);
	io_uring_queue_exit(&ring);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FAKE_TEST(a_fresh_sqe_is_64_zero_bytes_on_every_lap),
		FAKE_TEST(a_fresh_big_sqe_is_128_zero_bytes_on_every_lap),
		FAKE_TEST(the_neighbours_stay),
		FAKE_TEST(a_full_ring_gives_null_and_stays),
		FAKE_TEST(the_index_wraps),
		FAKE_TEST(the_room_is_what_the_kernel_left),
		FAKE_TEST(no_slot_is_given_twice),
		FAKE_TEST(a_limit_of_zero_is_safe),
	};

	return RUN_FAKE_TESTS(tests);
}
