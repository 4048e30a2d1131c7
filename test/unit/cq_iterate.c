/* SPDX-License-Identifier: MIT */
/*
 * Walking over CQEs without consuming them: by the macro in every place where C
 * allows a loop, and by the iterator.
 */
#include "fake_test.h"

static void post_numbers(unsigned first, unsigned nr)
{
	unsigned i;

	for (i = 0; i < nr; i++)
		fake_post(fake.ring, first + i, (int)(first + i), 0);
}

static void nothing_there(void **state)
{
	struct io_uring_cqe *cqe = NULL;
	struct io_uring ring;
	unsigned head = 7;

	init_ring(&ring, 4, 0);
	io_uring_for_each_cqe(&ring, head, cqe)
		fail();
	assert_int_equal(fake_nr(-1), 0);
	io_uring_queue_exit(&ring);
}

static void all_in_order_and_none_consumed(void **state)
{
	struct io_uring_cqe *cqe;
	struct io_uring ring;
	unsigned head, n = 0, round;

	init_ring(&ring, 4, 0);
	post_numbers(10, 5);
	for (round = 0; round < 2; round++) {
		n = 0;
		io_uring_for_each_cqe(&ring, head, cqe) {
			assert_int_equal(head, *ring.cq.khead + n);
			assert_int_equal(cqe->user_data, 10 + n);
			n++;
		}
		assert_int_equal(n, 5);
		assert_int_equal(io_uring_cq_ready(&ring), 5);
	}
	io_uring_cq_advance(&ring, n);
	assert_int_equal(io_uring_cq_ready(&ring), 0);
	assert_int_equal(fake_nr(-1), 0);
	io_uring_queue_exit(&ring);
}

/* At the end of the slots, and of the index. */
static void over_the_wrap(void **state)
{
	struct io_uring_cqe *cqe;
	struct io_uring ring;
	unsigned start, head, n;

	for (start = 0; start < 10; start++) {
		fake.start_idx = 0U - start;
		init_ring(&ring, 4, 0);
		post_numbers(0, 8);
		n = 0;
		io_uring_for_each_cqe(&ring, head, cqe) {
			assert_ptr_equal(cqe, &ring.cq.cqes[head & 7]);
			assert_int_equal(cqe->user_data, n++);
		}
		assert_int_equal(n, 8);
		io_uring_queue_exit(&ring);
	}
}

/* The tail is read once: what comes during the walk is not part of it. */
static void what_comes_meanwhile_is_not_seen(void **state)
{
	struct io_uring_cqe *cqe;
	struct io_uring ring;
	unsigned head, n = 0;

	init_ring(&ring, 4, 0);
	post_numbers(0, 2);
	io_uring_for_each_cqe(&ring, head, cqe) {
		post_numbers(100, 1);
		n++;
	}
	assert_int_equal(n, 2);
	assert_int_equal(io_uring_cq_ready(&ring), 4);
	io_uring_queue_exit(&ring);
}

static void one_walk_within_another(void **state)
{
	struct io_uring_cqe *outer, *inner;
	struct io_uring ring, other;
	unsigned head, head2, n = 0;

	init_ring(&other, 4, 0);
	post_numbers(100, 2);
	init_ring(&ring, 4, 0);
	post_numbers(0, 3);
	io_uring_for_each_cqe(&ring, head, outer)
		io_uring_for_each_cqe(&other, head2, inner)
			n += (unsigned)(outer->res * 10 + inner->res - 100);
	assert_int_equal(n, 2 * 30 + 3 * 1);

	n = 0;
	io_uring_for_each_cqe(&ring, head, outer) {
		io_uring_for_each_cqe(&ring, head2, inner) {
			n++;
		}
	}
	assert_int_equal(n, 9);
	io_uring_queue_exit(&ring);
	io_uring_queue_exit(&other);
}

static unsigned walk_if(struct io_uring *ring, bool walk)
{
	struct io_uring_cqe *cqe;
	unsigned head, n = 0;

	if (walk)
		io_uring_for_each_cqe(ring, head, cqe)
			n++;
	else
		n = 100;
	return n;
}

static void in_an_if_without_braces(void **state)
{
	struct io_uring ring;

	init_ring(&ring, 4, 0);
	post_numbers(0, 3);
	assert_int_equal(walk_if(&ring, true), 3);
	assert_int_equal(walk_if(&ring, false), 100);
	io_uring_queue_exit(&ring);
}

/* The program's own names, whatever they are. */
static void odd_variable_names(void **state)
{
	struct walk {
		struct io_uring_cqe *cqe;
		unsigned head;
	} iter = { NULL, 0 }, *tail = &iter;
	struct io_uring_cqe *cqes, *shift, *mask[2];
	unsigned cqe, __iter, it, n = 0;
	struct io_uring ring, *rings[1] = { &ring };

	init_ring(&ring, 4, 0);
	post_numbers(0, 3);
	io_uring_for_each_cqe(&ring, cqe, cqes)
		n += cqe == *ring.cq.khead + (unsigned)cqes->user_data;
	io_uring_for_each_cqe(&ring, iter.head, iter.cqe)
		n += iter.head == *ring.cq.khead + (unsigned)iter.cqe->user_data;
	io_uring_for_each_cqe(&ring, tail->head, tail->cqe)
		n += tail->head == *ring.cq.khead + (unsigned)tail->cqe->user_data;
	io_uring_for_each_cqe(rings[0], __iter, shift)
		n += __iter == *ring.cq.khead + (unsigned)shift->user_data;
	io_uring_for_each_cqe(n ? &ring : NULL, it, mask[1])
		n += it == *ring.cq.khead + (unsigned)mask[1]->user_data;
	assert_int_equal(n, 15);
	io_uring_queue_exit(&ring);
}

static void leaving_early(void **state)
{
	struct io_uring_cqe *cqe;
	struct io_uring ring;
	unsigned head, n = 0;

	init_ring(&ring, 4, 0);
	post_numbers(0, 6);
	io_uring_for_each_cqe(&ring, head, cqe) {
		if (cqe->user_data == 1) {
			n++;
			continue;
		}
		if (cqe->user_data == 3)
			break;
		n++;
	}
	assert_int_equal(n, 3);
	assert_int_equal(head, *ring.cq.khead + 3);
	io_uring_cq_advance(&ring, n);
	reap_one(&ring, 3, 3);
	io_uring_queue_exit(&ring);
}

static void slots_of_32_bytes(void **state)
{
	struct io_uring_cqe *cqe;
	struct io_uring ring;
	unsigned head, n = 0;

	fake.start_idx = 6;
	init_ring(&ring, 4, IORING_SETUP_CQE32);
	post_numbers(0, 8);
	io_uring_for_each_cqe(&ring, head, cqe) {
		assert_ptr_equal(cqe, &ring.cq.cqes[2 * (head & 7)]);
		assert_int_equal(io_uring_cqe_index(&ring, head, 7), 2 * (head & 7));
		assert_int_equal(cqe->user_data, n);
		assert_int_equal(cqe->big_cqe[1], ~(uint64_t)n);
		n++;
	}
	assert_int_equal(n, 8);
	io_uring_cq_advance(&ring, n);
	assert_int_equal(io_uring_cq_ready(&ring), 0);
	io_uring_queue_exit(&ring);
}

/* Each by its own size, fillers too; the sum of the sizes releases them all. */
static void sizes_mixed(void **state)
{
	static const unsigned sizes[] = { 1, 2, 1, 1, 2 };
	struct io_uring_cqe *cqe;
	unsigned start, head, i, n, nr_fillers;
	struct io_uring ring;

	for (start = 0; start < 8; start++) {
		fake.start_idx = 0U - start;
		init_ring(&ring, 4, IORING_SETUP_CQE_MIXED);
		for (i = 0; i < ARRAY_LEN(sizes); i++)
			fake_post(fake.ring, i, 0, sizes[i] == 2 ? IORING_CQE_F_32 : 0);
		i = n = nr_fillers = 0;
		io_uring_for_each_cqe(&ring, head, cqe) {
			n += io_uring_cqe_nr(cqe);
			if (cqe->flags & IORING_CQE_F_SKIP) {
				nr_fillers++;
				continue;
			}
			assert_int_equal(cqe->user_data, i);
			assert_int_equal(io_uring_cqe_nr(cqe), sizes[i]);
			if (sizes[i] == 2)
				assert_int_equal(cqe->big_cqe[0], ~(uint64_t)i);
			i++;
		}
		assert_int_equal(i, ARRAY_LEN(sizes));
		assert_true(nr_fillers <= 1);
		assert_int_equal(n, io_uring_cq_ready(&ring));
		io_uring_cq_advance(&ring, n);
		assert_int_equal(io_uring_cq_ready(&ring), 0);
		io_uring_queue_exit(&ring);
	}
}

/* A last entry that says it is big where only one slot is filled ends the walk. */
static void a_last_entry_that_is_half_there(void **state)
{
	struct io_uring_cqe *cqe;
	struct io_uring ring;
	unsigned head, n = 0;

	init_ring(&ring, 4, IORING_SETUP_CQE_MIXED);
	fake_post(fake.ring, 1, 0, 0);
	fake_post(fake.ring, 2, 0, IORING_CQE_F_32);
	--*fake.ring->cq_tail;
	io_uring_for_each_cqe(&ring, head, cqe)
		assert_true(++n <= 2);
	assert_int_equal(n, 2);
	io_uring_queue_exit(&ring);
}

static void the_iterator_by_hand(void **state)
{
	struct io_uring_cqe_iter iter;
	struct io_uring_cqe *cqe = NULL;
	struct io_uring ring;

	init_ring(&ring, 4, 0);
	post_numbers(0, 2);
	iter = io_uring_cqe_iter_init(&ring);
	post_numbers(2, 1);
	assert_true(io_uring_cqe_iter_next(&iter, &cqe));
	assert_int_equal(cqe->user_data, 0);
	assert_true(io_uring_cqe_iter_next(&iter, &cqe));
	assert_int_equal(cqe->user_data, 1);
	assert_false(io_uring_cqe_iter_next(&iter, &cqe));
	assert_int_equal(cqe->user_data, 1);
	assert_false(io_uring_cqe_iter_next(&iter, &cqe));
	io_uring_queue_exit(&ring);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FAKE_TEST(nothing_there),
		FAKE_TEST(all_in_order_and_none_consumed),
		FAKE_TEST(over_the_wrap),
		FAKE_TEST(what_comes_meanwhile_is_not_seen),
		FAKE_TEST(one_walk_within_another),
		FAKE_TEST(in_an_if_without_braces),
		FAKE_TEST(odd_variable_names),
		FAKE_TEST(leaving_early),
		FAKE_TEST(slots_of_32_bytes),
		FAKE_TEST(sizes_mixed),
		FAKE_TEST(a_last_entry_that_is_half_there),
		FAKE_TEST(the_iterator_by_hand),
	};

	return RUN_FAKE_TESTS(tests);
}
