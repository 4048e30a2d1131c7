/* SPDX-License-Identifier: MIT */
/*
 * CQEs of 32 bytes: what their second half holds, and on rings of both sizes
 * that each comes whole, once and in order, wherever it lies.
 */
#include "test.h"

#include "ring.h"

#include <errno.h>

#define NR_REQUESTS 500
#define EXTRA1(tag) (0x1111000000000000ULL + (tag))
#define EXTRA2(tag) (0x2222000000000000ULL + (tag))

/* A nop that posts a CQE of 32 bytes, its second half being what the SQE says. */
static void queue_big_nop(struct io_uring *ring, __u64 tag)
{
	struct io_uring_sqe *sqe = next_sqe(ring);

	io_uring_prep_nop(sqe);
	sqe->nop_flags = IORING_NOP_CQE32;
	sqe->off = EXTRA1(tag);
	sqe->addr = EXTRA2(tag);
	io_uring_sqe_set_data64(sqe, tag);
}

/* Two of five, without a pattern, so that they meet the ring's end in every way. */
static bool is_big(unsigned tag)
{
	return (tag * 2654435761U >> 16) % 5 < 2;
}

static void queue_either(struct io_uring *ring, unsigned tag)
{
	if (is_big(tag))
		queue_big_nop(ring, tag);
	else
		queue_nop(ring, tag);
}

static void check_big(const struct io_uring_cqe *cqe)
{
	assert_true(cqe->big_cqe[0] == EXTRA1(cqe->user_data));
	assert_true(cqe->big_cqe[1] == EXTRA2(cqe->user_data));
}

static void check_either(const struct io_uring_cqe *cqe, unsigned tag)
{
	assert_false(cqe->flags & IORING_CQE_F_SKIP);
	assert_int_equal(cqe->res, 0);
	assert_int_equal(cqe->user_data, tag);
	assert_int_equal(!!(cqe->flags & IORING_CQE_F_32), is_big(tag));
	assert_int_equal(io_uring_cqe_nr(cqe), is_big(tag) ? 2 : 1);
	if (is_big(tag))
		check_big(cqe);
}

static void open_mixed(struct io_uring *ring)
{
	struct io_uring_cqe *cqe;

	ring_open_flags(ring, 8, IORING_SETUP_CQE_MIXED);
	queue_big_nop(ring, 1);
	submit_ok(ring, 1);
	assert_int_equal(io_uring_wait_cqe(ring, &cqe), 0);
	if (cqe->res == -EINVAL)
		skip_because("the kernel's nop posts no CQE of 32 bytes");
	assert_int_equal(cqe->res, 0);
	assert_int_equal(io_uring_cq_ready(ring), 2);
	check_big(cqe);
	io_uring_cqe_seen(ring, cqe);
	assert_int_equal(io_uring_cq_ready(ring), 0);
}

static void test_wait_and_seen(void **state)
{
	struct io_uring_cqe *cqe;
	struct io_uring ring;
	unsigned tag, seen = 0;

	open_mixed(&ring);
	for (tag = 0; tag < NR_REQUESTS; tag++) {
		queue_either(&ring, tag);
		if (tag % 5 != 4)
			continue;
		submit_ok(&ring, 5);
		while (seen <= tag) {
			assert_int_equal(io_uring_wait_cqe(&ring, &cqe), 0);
			check_either(cqe, seen++);
			io_uring_cqe_seen(&ring, cqe);
		}
		no_cqe(&ring);
	}
	io_uring_queue_exit(&ring);
}

static void test_peek_batch(void **state)
{
	struct io_uring_cqe *cqes[8];
	struct io_uring ring;
	unsigned tag, seen = 0, i, nr, nr_slots, nr_left, nr_batches = 0;

	open_mixed(&ring);
	for (tag = 0; tag < NR_REQUESTS; tag++) {
		queue_either(&ring, tag);
		if (tag % 5 != 4)
			continue;
		submit_ok(&ring, 5);
		for (nr_left = 5; nr_left; nr_left -= nr) {
			/* A filler ends a batch: the next begins behind it. */
			nr = io_uring_peek_batch_cqe(&ring, cqes, 8);
			assert_in_range(nr, 1, nr_left);
			nr_batches++;
			nr_slots = 0;
			for (i = 0; i < nr; i++) {
				check_either(cqes[i], seen++);
				nr_slots += io_uring_cqe_nr(cqes[i]);
			}
			io_uring_cq_advance(&ring, nr_slots);
		}
		assert_int_equal(io_uring_peek_batch_cqe(&ring, cqes, 8), 0);
	}
	/* Some CQE of 32 bytes met the end of the ring. */
	assert_true(nr_batches > NR_REQUESTS / 5);
	io_uring_queue_exit(&ring);
}

/* A walk shows fillers as well, since their slots are to be released. */
static void test_walk(void **state)
{
	struct io_uring_cqe *cqe;
	struct io_uring ring;
	unsigned tag, seen = 0, head, nr_slots, nr_fillers = 0;

	open_mixed(&ring);
	for (tag = 0; tag < NR_REQUESTS; tag++) {
		queue_either(&ring, tag);
		if (tag % 5 != 4)
			continue;
		submit_ok(&ring, 5);
		nr_slots = 0;
		io_uring_for_each_cqe(&ring, head, cqe) {
			assert_int_equal(head, *ring.cq.khead + nr_slots);
			nr_slots += io_uring_cqe_nr(cqe);
			if (cqe->flags & IORING_CQE_F_SKIP)
				nr_fillers++;
			else
				check_either(cqe, seen++);
		}
		assert_int_equal(seen, tag + 1);
		assert_int_equal(nr_slots, io_uring_cq_ready(&ring));
		io_uring_cq_advance(&ring, nr_slots);
		no_cqe(&ring);
	}
	assert_true(nr_fillers > 0);
	io_uring_queue_exit(&ring);
}

static void test_overflow(void **state)
{
	struct io_uring_cqe *cqe;
	struct io_uring ring;
	unsigned tag;

	open_mixed(&ring);
	for (tag = 0; tag < NR_REQUESTS; tag++) {
		queue_either(&ring, tag);
		if (tag % 5 == 4)
			submit_ok(&ring, 5);
	}
	assert_true(io_uring_cq_has_overflow(&ring));
	for (tag = 0; tag < NR_REQUESTS; tag++) {
		assert_int_equal(io_uring_wait_cqe(&ring, &cqe), 0);
		check_either(cqe, tag);
		io_uring_cqe_seen(&ring, cqe);
	}
	no_cqe(&ring);
	io_uring_queue_exit(&ring);
}

/* On a CQE32 ring each slot is 32 bytes, and each CQE one slot. */
static void test_cqe32(void **state)
{
	struct io_uring_cqe *cqes[8], *cqe;
	struct io_uring ring;
	unsigned lap, i, head;

	ring_open_flags(&ring, 8, IORING_SETUP_CQE32);
	queue_big_nop(&ring, 1);
	submit_ok(&ring, 1);
	if (wait_one(&ring, NULL) == -EINVAL)
		skip_because("the kernel's nop posts no CQE of 32 bytes");
	for (lap = 0; lap < 10; lap++) {
		for (i = 0; i < 7; i++)
			queue_big_nop(&ring, lap * 10 + i);
		submit_ok(&ring, 7);
		assert_int_equal(io_uring_cq_ready(&ring), 7);
		i = 0;
		io_uring_for_each_cqe(&ring, head, cqe) {
			assert_int_equal(cqe->user_data, lap * 10 + i++);
			check_big(cqe);
		}
		assert_int_equal(io_uring_peek_batch_cqe(&ring, cqes, 8), 7);
		for (i = 0; i < 7; i++) {
			assert_int_equal(cqes[i]->user_data, lap * 10 + i);
			check_big(cqes[i]);
		}
		for (i = 0; i < 7; i++) {
			assert_int_equal(io_uring_peek_cqe(&ring, &cqe), 0);
			assert_ptr_equal(cqe, cqes[i]);
			check_big(cqe);
			io_uring_cqe_seen(&ring, cqe);
		}
		no_cqe(&ring);
	}
	io_uring_queue_exit(&ring);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		timed_test(test_wait_and_seen),
		timed_test(test_peek_batch),
		timed_test(test_walk),
		timed_test(test_overflow),
		timed_test(test_cqe32),
	};

	return cmocka_run_group_tests_name("mixed", tests, NULL, NULL);
}
