/* SPDX-License-Identifier: MIT */
/*
 * Taking 128-byte SQEs: on rings of nothing else, and between small ones.
 */
#include "fake_test.h"

static void check_zero(const void *mem, size_t sz)
{
	const unsigned char *bytes = mem;
	size_t i;

	for (i = 0; i < sz; i++)
		if (bytes[i])
			fail_msg("byte %zu is 0x%02x", i, bytes[i]);
}

static void queue_nop128(struct io_uring *ring, unsigned user_data)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe128(ring);

	assert_non_null(sqe);
	check_zero(sqe, 128);
	io_uring_prep_nop(sqe);
	sqe->opcode = IORING_OP_NOP128;
	io_uring_sqe_set_data64(sqe, user_data);
	memset(sqe + 1, 0xcc, 64);
}

static void a_plain_ring_has_none(void **state)
{
	struct io_uring ring;

	init_ring(&ring, 8, 0);
	assert_null(io_uring_get_sqe128(&ring));
	assert_int_equal(io_uring_sq_ready(&ring), 0);
	io_uring_queue_exit(&ring);
}

static void a_ring_of_big_ones(void **state)
{
	struct io_uring_sqe *sqe;
	struct io_uring ring;
	unsigned lap, i;

	init_ring(&ring, 4, IORING_SETUP_SQE128);
	memset(ring.sq.sqes, 0xff, (size_t)4 * 128);
	for (lap = 0; lap < 3; lap++) {
		for (i = 0; i < 4; i++) {
			sqe = io_uring_get_sqe128(&ring);
			assert_ptr_equal(sqe, &ring.sq.sqes[2 * i]);
			check_zero(sqe, 128);
			memset(sqe, 0xff, 128);
			io_uring_prep_nop(sqe);
			sqe->flags = 0;
		}
		assert_null(io_uring_get_sqe128(&ring));
		assert_int_equal(io_uring_submit_and_wait(&ring, 4), 4);
		io_uring_cq_advance(&ring, 4);
	}
	io_uring_queue_exit(&ring);
}

static void a_mixed_ring_takes_two_slots(void **state)
{
	struct io_uring ring;

	init_ring(&ring, 8, IORING_SETUP_SQE_MIXED);
	memset(ring.sq.sqes, 0xff, (size_t)8 * 64);
	queue_nops(&ring, 1, 1);
	queue_nop128(&ring, 2);
	assert_int_equal(io_uring_sq_ready(&ring), 3);
	assert_ptr_equal(&ring.sq.sqes[3], io_uring_get_sqe(&ring));
	io_uring_prep_nop(&ring.sq.sqes[3]);
	ring.sq.sqes[3].user_data = 3;
	assert_int_equal(io_uring_submit_and_wait(&ring, 3), 4);
	reap_one(&ring, 1, 0);
	reap_one(&ring, 2, 0);
	reap_one(&ring, 3, 0);
	assert_int_equal(fake_taken(fake.ring, 1)[1].user_data, 0xccccccccccccccccULL);
	io_uring_queue_exit(&ring);
}

/* Brings the tail of an empty ring of 8 to this slot. */
static void move_tail_to(struct io_uring *ring, unsigned slot)
{
	while ((ring->sq.sqe_tail & 7) != slot) {
		queue_nops(ring, 1, 0);
		assert_int_equal(io_uring_submit_and_wait(ring, 1), 1);
		io_uring_cq_advance(ring, 1);
	}
}

/* A NOP without a CQE fills the last slot, and the pair starts at slot 0. */
static void a_pair_does_not_straddle_the_end(void **state)
{
	const struct io_uring_sqe *filler;
	struct io_uring ring;

	init_ring(&ring, 8, IORING_SETUP_SQE_MIXED);
	move_tail_to(&ring, 7);
	memset(ring.sq.sqes, 0xff, (size_t)8 * 64);
	queue_nop128(&ring, 5);
	assert_int_equal(ring.sq.sqe_tail & 7, 2);
	assert_int_equal(io_uring_sq_ready(&ring), 3);
	assert_int_equal(ring.sq.sqes[0].user_data, 5);

	filler = &ring.sq.sqes[7];
	assert_int_equal(filler->opcode, IORING_OP_NOP);
	assert_int_equal(filler->flags, IOSQE_CQE_SKIP_SUCCESS);
	assert_int_equal(filler->nop_flags, 0);
	assert_int_equal(filler->user_data, 0);
	assert_int_equal(filler->ioprio, 0);
	assert_int_equal(filler->len, 0);
	assert_int_equal(filler->buf_index, 0);

	assert_int_equal(io_uring_submit_and_wait(&ring, 1), 3);
	assert_int_equal(io_uring_cq_ready(&ring), 1);
	reap_one(&ring, 5, 0);
	io_uring_queue_exit(&ring);
}

/* nr_queued SQEs and then the tail at slot: is there room for a pair? */
static void check_room(unsigned slot, unsigned nr_queued, bool fits)
{
	struct io_uring ring, before;
	unsigned char sqes[8 * 64];

	init_ring(&ring, 8, IORING_SETUP_SQE_MIXED);
	move_tail_to(&ring, (slot - nr_queued) & 7);
	queue_nops(&ring, nr_queued, 0);
	assert_int_equal(ring.sq.sqe_tail & 7, slot);
	before = ring;
	memcpy(sqes, ring.sq.sqes, sizeof(sqes));
	if (fits) {
		queue_nop128(&ring, 1);
		assert_int_equal(io_uring_sq_ready(&ring), nr_queued + (slot == 7 ? 3 : 2));
	} else {
		assert_null(io_uring_get_sqe128(&ring));
		assert_memory_equal(&ring, &before, sizeof(ring));
		assert_memory_equal(ring.sq.sqes, sqes, sizeof(sqes));
	}
	io_uring_queue_exit(&ring);
}

static void null_leaves_the_ring_untouched(void **state)
{
	unsigned slot, nr;

	for (slot = 0; slot < 8; slot++)
		for (nr = 0; nr <= 8; nr++)
			check_room(slot, nr, nr + (slot == 7 ? 3 : 2) <= 8);
	fake.start_idx = 0U - 4;
	for (slot = 0; slot < 8; slot++)
		for (nr = 0; nr <= 8; nr++)
			check_room(slot, nr, nr + (slot == 7 ? 3 : 2) <= 8);
}

/* Both kinds taken in turn: no slot is lost or given twice. */
static void both_kinds_in_turn(void **state)
{
	unsigned i, n, nr_cqes, nr_big = 0;
	struct io_uring_sqe *sqe;
	uint32_t seed = 99;
	struct io_uring ring;

	fake.start_idx = 0U - 1000;
	init_ring(&ring, 8, IORING_SETUP_SQE_MIXED);
	for (i = 0; i < 2000; i++) {
		for (n = nr_cqes = 0; n < 1 + i % 5; n++) {
			seed = seed * 1664525 + 1013904223;
			if ((seed >> 24) & 1) {
				sqe = io_uring_get_sqe(&ring);
				if (!sqe)
					break;
				io_uring_prep_nop(sqe);
				nr_cqes++;
				continue;
			}
			if (io_uring_sq_space_left(&ring) < 3)
				break;
			queue_nop128(&ring, 1);
			nr_cqes++;
			nr_big++;
		}
		n = io_uring_sq_ready(&ring);
		assert_int_equal(io_uring_submit_and_wait(&ring, nr_cqes), n);
		assert_int_equal(io_uring_cq_ready(&ring), nr_cqes);
		io_uring_cq_advance(&ring, nr_cqes);
	}
	assert_true(nr_big > 1000);
	io_uring_queue_exit(&ring);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FAKE_TEST(a_plain_ring_has_none),
		FAKE_TEST(a_ring_of_big_ones),
		FAKE_TEST(a_mixed_ring_takes_two_slots),
		FAKE_TEST(a_pair_does_not_straddle_the_end),
		FAKE_TEST(null_leaves_the_ring_untouched),
		FAKE_TEST(both_kinds_in_turn),
	};

	return RUN_FAKE_TESTS(tests);
}
