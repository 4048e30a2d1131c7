/* SPDX-License-Identifier: MIT */
/*
 * Releasing CQEs, and the words of the CQ that a program looks at.
 */
#include "fake_test.h"

static void seen_releases_one(void **state)
{
	struct io_uring_cqe *cqe;
	struct io_uring ring;
	unsigned i;

	fake.start_idx = UINT32_MAX - 1;
	init_ring(&ring, 4, 0);
	for (i = 0; i < 4; i++)
		fake_post(fake.ring, i, 0, 0);
	for (i = 0; i < 4; i++) {
		assert_int_equal(io_uring_cq_ready(&ring), 4 - i);
		assert_int_equal(io_uring_peek_cqe(&ring, &cqe), 0);
		assert_int_equal(cqe->user_data, i);
		io_uring_cqe_seen(&ring, cqe);
		assert_int_equal(*fake.ring->cq_head, UINT32_MAX - 1 + i + 1);
	}
	assert_int_equal(io_uring_peek_cqe(&ring, &cqe), -EAGAIN);
	assert_int_equal(fake_nr(-1), 0);
	io_uring_queue_exit(&ring);
}

static void seen_ignores_null(void **state)
{
	struct io_uring ring;

	init_ring(&ring, 4, 0);
	io_uring_cqe_seen(&ring, NULL);
	assert_int_equal(io_uring_cq_ready(&ring), 0);
	fake_post(fake.ring, 1, 0, 0);
	io_uring_cqe_seen(&ring, NULL);
	assert_int_equal(io_uring_cq_ready(&ring), 1);
	io_uring_queue_exit(&ring);
}

static void advance_counts_slots(void **state)
{
	struct io_uring ring;
	unsigned i;

	init_ring(&ring, 4, 0);
	for (i = 0; i < 5; i++)
		fake_post(fake.ring, i, 0, 0);
	io_uring_cq_advance(&ring, 0);
	assert_int_equal(io_uring_cq_ready(&ring), 5);
	io_uring_cq_advance(&ring, 3);
	assert_int_equal(io_uring_cq_ready(&ring), 2);
	reap_one(&ring, 3, 0);
	reap_one(&ring, 4, 0);
	io_uring_queue_exit(&ring);
}

/* On a mixed ring a big one is two slots; elsewhere its flag says nothing. */
static void seen_of_a_big_one(void **state)
{
	struct io_uring_cqe *cqe;
	struct io_uring ring;

	init_ring(&ring, 4, IORING_SETUP_CQE_MIXED);
	fake_post(fake.ring, 1, 0, IORING_CQE_F_32);
	fake_post(fake.ring, 2, 0, 0);
	assert_int_equal(io_uring_cq_ready(&ring), 3);
	assert_int_equal(io_uring_peek_cqe(&ring, &cqe), 0);
	assert_int_equal(cqe->big_cqe[1], ~(uint64_t)1);
	io_uring_cqe_seen(&ring, cqe);
	assert_int_equal(io_uring_cq_ready(&ring), 1);
	reap_one(&ring, 2, 0);
	io_uring_queue_exit(&ring);

	init_ring(&ring, 4, IORING_SETUP_CQE32);
	fake_post(fake.ring, 1, 0, IORING_CQE_F_32);
	fake_post(fake.ring, 2, 0, IORING_CQE_F_32);
	assert_int_equal(io_uring_cq_ready(&ring), 2);
	reap_one(&ring, 1, 0);
	assert_int_equal(io_uring_cq_ready(&ring), 1);
	reap_one(&ring, 2, 0);
	io_uring_queue_exit(&ring);
}

/* Big ones one after the other, over the end of the slots: fillers never show. */
static void a_mixed_ring_over_many_laps(void **state)
{
	struct io_uring_cqe *cqe;
	struct io_uring ring;
	unsigned i, nr_big = 0;

	fake.start_idx = 0U - 40;
	init_ring(&ring, 4, IORING_SETUP_CQE_MIXED);
	for (i = 0; i < 200; i++) {
		fake_post(fake.ring, i, 0, i % 3 ? IORING_CQE_F_32 : 0);
		assert_int_equal(io_uring_peek_cqe(&ring, &cqe), 0);
		assert_int_equal(cqe->user_data, i);
		assert_false(cqe->flags & IORING_CQE_F_SKIP);
		if (cqe->flags & IORING_CQE_F_32) {
			assert_int_equal(cqe->big_cqe[0], ~(uint64_t)i);
			nr_big++;
		}
		io_uring_cqe_seen(&ring, cqe);
		assert_int_equal(io_uring_cq_ready(&ring), 0);
	}
	assert_true(nr_big > 100);
	io_uring_queue_exit(&ring);
}

/* The flag that makes an entry a filler means something else on other rings. */
static void skip_is_of_mixed_rings_only(void **state)
{
	struct io_uring ring;

	init_ring(&ring, 4, 0);
	fake_post(fake.ring, 1, 5, IORING_CQE_F_SKIP);
	reap_one(&ring, 1, 5);
	fake.features &= ~IORING_FEAT_EXT_ARG;
	io_uring_queue_exit(&ring);

	init_ring(&ring, 4, IORING_SETUP_CQE32);
	fake_post(fake.ring, 1, 5, IORING_CQE_F_SKIP);
	reap_one(&ring, 1, 5);
	io_uring_queue_exit(&ring);
}

/* With an enter that takes a timeout there is no private one, and no reserved value. */
static void all_ones_is_a_value_like_any(void **state)
{
	struct io_uring_cqe *cqe, *cqes[2];
	struct io_uring ring;

	init_ring(&ring, 4, 0);
	fake_post(fake.ring, LIBURING_UDATA_TIMEOUT, -ETIME, 0);
	assert_int_equal(io_uring_peek_batch_cqe(&ring, cqes, 2), 1);
	assert_int_equal(io_uring_wait_cqe(&ring, &cqe), 0);
	assert_int_equal(cqe->user_data, LIBURING_UDATA_TIMEOUT);
	assert_int_equal(io_uring_cq_ready(&ring), 1);
	io_uring_queue_exit(&ring);
}

static void overflow_shows(void **state)
{
	struct io_uring ring;
	unsigned i;

	init_ring(&ring, 2, 0);
	for (i = 0; i < 4; i++)
		fake_post(fake.ring, i, 0, 0);
	assert_false(io_uring_cq_has_overflow(&ring));
	fake_post(fake.ring, 4, 0, 0);
	assert_true(io_uring_cq_has_overflow(&ring));
	assert_int_equal(*ring.cq.koverflow, 1);
	assert_int_equal(fake_nr(-1), 0);
	io_uring_queue_exit(&ring);
}

static void the_eventfd_is_toggled(void **state)
{
	struct io_uring ring;

	init_ring(&ring, 4, 0);
	assert_true(io_uring_cq_eventfd_enabled(&ring));
	assert_int_equal(io_uring_cq_eventfd_toggle(&ring, true), 0);
	assert_int_equal(*fake.ring->cq_flags, 0);
	*fake.ring->cq_flags = 0x80;
	assert_int_equal(io_uring_cq_eventfd_toggle(&ring, false), 0);
	assert_int_equal(*fake.ring->cq_flags, 0x80 | IORING_CQ_EVENTFD_DISABLED);
	assert_false(io_uring_cq_eventfd_enabled(&ring));
	assert_int_equal(io_uring_cq_eventfd_toggle(&ring, false), 0);
	assert_int_equal(*fake.ring->cq_flags, 0x80 | IORING_CQ_EVENTFD_DISABLED);
	assert_int_equal(io_uring_cq_eventfd_toggle(&ring, true), 0);
	assert_int_equal(*fake.ring->cq_flags, 0x80);
	assert_int_equal(fake_nr(-1), 0);
	io_uring_queue_exit(&ring);
}

static void the_eventfd_of_an_old_kernel(void **state)
{
	struct io_uring ring;

	fake.has_cq_flags = false;
	init_ring(&ring, 4, 0);
	assert_null(ring.cq.kflags);
	assert_true(io_uring_cq_eventfd_enabled(&ring));
	assert_int_equal(io_uring_cq_eventfd_toggle(&ring, true), 0);
	assert_int_equal(io_uring_cq_eventfd_toggle(&ring, false), -EOPNOTSUPP);
	assert_true(io_uring_cq_eventfd_enabled(&ring));
	io_uring_queue_exit(&ring);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FAKE_TEST(seen_releases_one),
		FAKE_TEST(seen_ignores_null),
		FAKE_TEST(advance_counts_slots),
		FAKE_TEST(seen_of_a_big_one),
		FAKE_TEST(a_mixed_ring_over_many_laps),
		FAKE_TEST(skip_is_of_mixed_rings_only),
		FAKE_TEST(all_ones_is_a_value_like_any),
		FAKE_TEST(overflow_shows),
		FAKE_TEST(the_eventfd_is_toggled),
		FAKE_TEST(the_eventfd_of_an_old_kernel),
	};

	return RUN_FAKE_TESTS(tests);
}
