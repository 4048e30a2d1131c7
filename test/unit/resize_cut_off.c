/* SPDX-License-Identifier: MIT */
/*
 * The new rings cannot be mapped after the kernel has swapped them. The ring went
 * on in memory that the kernel had left: a submit said 0, and a wait spun for ever.
 */
#include "fake_test.h"

#define DEFER (IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN)

static int resize(struct io_uring *ring, unsigned sq_entries)
{
	struct io_uring_params p = { .sq_entries = sq_entries };
	int ret = io_uring_resize_rings(ring, &p);

	assert_int_equal(p.flags, 0);
	return ret;
}

/* Of the four mappings the first two are reservations. */
static void cut_off(struct io_uring *ring, unsigned nth)
{
	fake_forget();
	fake_fail(NR_MMAP, nth, ENOMEM);
	assert_int_equal(resize(ring, 64), -ENOMEM);
	assert_int_equal(ring->enter_ring_fd, -1);
	assert_true(ring->ring_fd >= 0);
}

static void check_refused(struct io_uring *ring)
{
	struct __kernel_timespec ts = { .tv_sec = 1 };
	struct io_uring_cqe *cqe = POISON;

	assert_int_equal(io_uring_submit(ring), -EBADF);
	assert_int_equal(io_uring_submit_and_wait(ring, 8), -EBADF);
	assert_int_equal(io_uring_get_events(ring), -EBADF);
	assert_int_equal(io_uring_submit_and_get_events(ring), -EBADF);
	assert_int_equal(io_uring_wait_cqes(ring, &cqe, 8, &ts, NULL), -EBADF);
	assert_null(cqe);
	cqe = POISON;
	assert_int_equal(io_uring_submit_and_wait_timeout(ring, &cqe, 8, &ts, NULL), -EBADF);
	assert_null(cqe);
}

static void every_enter_is_refused(void **state)
{
	struct io_uring_cqe *cqe = POISON;
	struct io_uring ring;
	unsigned nth;

	for (nth = 3; nth <= 4; nth++) {
		init_ring(&ring, 8, DEFER);
		queue_nops(&ring, 3, 1);
		cut_off(&ring, nth);
		assert_int_equal(fake_nr_leaks(), 3);
		check_refused(&ring);
		cqe = POISON;
		assert_int_equal(io_uring_wait_cqe(&ring, &cqe), -EBADF);
		assert_null(cqe);
		assert_int_equal(io_uring_peek_cqe(&ring, &cqe), -EAGAIN);
		assert_int_equal(io_uring_sq_ready(&ring), 3);
		io_uring_queue_exit(&ring);
		assert_int_equal(fake_check(), 0);
	}
}

/* No request and no CQE is lost or doubled, whatever was done in between. */
static void the_next_resize_connects_it(void **state)
{
	struct io_uring ring;
	unsigned nth, i;

	for (nth = 3; nth <= 4; nth++) {
		fake.start_idx = UINT32_MAX - 3;
		init_ring(&ring, 8, DEFER);
		fake_post(fake.ring, 50, 0, 0);
		fake_post(fake.ring, 51, 0, 0);
		queue_nops(&ring, 2, 1);
		fake_next_enter((struct fake_step){ .err = EAGAIN });
		assert_int_equal(io_uring_submit(&ring), -EAGAIN);
		queue_nops(&ring, 1, 3);

		cut_off(&ring, nth);
		reap_one(&ring, 50, 0);
		queue_nops(&ring, 1, 4);
		check_refused(&ring);
		fake_post(fake.ring, 52, 0, 0);

		assert_int_equal(resize(&ring, 16), 0);
		assert_int_equal(ring.enter_ring_fd, ring.ring_fd);
		assert_int_equal(fake_nr_leaks(), 3);
		assert_int_equal(io_uring_sq_ready(&ring), 4);
		assert_int_equal(io_uring_submit_and_wait(&ring, 6), 4);
		reap_one(&ring, 51, 0);
		reap_one(&ring, 52, 0);
		for (i = 1; i <= 4; i++)
			reap_one(&ring, i, 0);
		assert_int_equal(io_uring_cq_ready(&ring), 0);
		io_uring_queue_exit(&ring);
		assert_int_equal(fake_check(), 0);
	}
}

/* Its index would still enter: it is given back. */
static void a_registered_ring_loses_its_index(void **state)
{
	struct io_uring ring;

	init_ring(&ring, 8, DEFER);
	assert_int_equal(io_uring_register_ring_fd(&ring), 1);
	queue_nops(&ring, 1, 1);
	cut_off(&ring, 3);
	assert_int_equal(fake_nr_leaks(), 3);
	check_refused(&ring);
	assert_int_equal(io_uring_unregister_ring_fd(&ring), -EINVAL);
	assert_int_equal(io_uring_close_ring_fd(&ring), -EINVAL);
	assert_int_equal(resize(&ring, 16), 0);
	assert_int_equal(io_uring_register_ring_fd(&ring), 1);
	assert_int_equal(io_uring_get_events(&ring), 0);
	io_uring_queue_exit(&ring);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FAKE_TEST(every_enter_is_refused),
		FAKE_TEST(the_next_resize_connects_it),
		FAKE_TEST(a_registered_ring_loses_its_index),
	};

	return RUN_FAKE_TESTS(tests);
}
