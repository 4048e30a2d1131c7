/* SPDX-License-Identifier: MIT */
/* How the queues fill, wrap, overflow and drain. */
#include "compat.h"
#include <dlfcn.h>
#include <sys/eventfd.h>

/* The io_uring_get_sqe that programs call which are older than the inline one. */
static struct io_uring_sqe *(*exported_get_sqe(void))(struct io_uring *)
{
#ifdef COMPAT_NO_DLVSYM
	return io_uring_get_sqe;
#else
	struct io_uring_sqe *(*get_sqe)(struct io_uring *);
	void *function = dlvsym(RTLD_DEFAULT, "io_uring_get_sqe", "LIBURING_2.0");

	CHECK(function != NULL);
	memcpy(&get_sqe, &function, sizeof(get_sqe));
	return get_sqe;
#endif
}

static void queue_nops(struct io_uring *ring, unsigned nr, uint64_t *tag)
{
	while (nr--) {
		struct io_uring_sqe *sqe = take_sqe(ring);

		io_uring_prep_nop(sqe);
		io_uring_sqe_set_data(sqe, (void *)(uintptr_t)++ * tag);
	}
}

static void wait_for_room(struct io_uring *ring)
{
	while (io_uring_sq_space_left(ring) < NR_ENTRIES)
		CHECK(io_uring_sqring_wait(ring) >= 0);
}

/* A ring that is filled up and drained by each way, many times around. */
static void fill_and_drain(struct io_uring *ring)
{
	struct io_uring_cqe *cqe, *cqes[NR_ENTRIES];
	uint64_t tag = 0, expected = 0;
	unsigned round, head, nr, i;

	for (round = 0; round < 40; round++) {
		wait_for_room(ring);
		CHECK_INT(io_uring_sq_space_left(ring), NR_ENTRIES);
		queue_nops(ring, 3, &tag);
		if (!(ring->flags & IORING_SETUP_SQPOLL)) {
			CHECK_INT(io_uring_sq_ready(ring), 3);
			CHECK_INT(io_uring_sq_space_left(ring), NR_ENTRIES - 3);
		}
		queue_nops(ring, NR_ENTRIES - 3, &tag);
		CHECK(io_uring_get_sqe(ring) == NULL);
		CHECK_INT(io_uring_sq_space_left(ring), 0);
		submit_all(ring);
		CHECK_INT(io_uring_wait_cqe_nr(ring, &cqe, NR_ENTRIES), 0);
		CHECK_INT(io_uring_cq_ready(ring), NR_ENTRIES);
		nr = 0;
		switch (round % 4) {
		case 0:
			io_uring_for_each_cqe (ring, head, cqe) {
				CHECK_INT((uintptr_t)io_uring_cqe_get_data(cqe), ++expected);
				nr++;
			}
			CHECK_INT(nr, NR_ENTRIES);
			io_uring_cq_advance(ring, nr);
			break;
		case 1:
			CHECK_INT(io_uring_peek_batch_cqe(ring, cqes, NR_ENTRIES), NR_ENTRIES);
			for (i = 0; i < NR_ENTRIES; i++)
				CHECK_INT(cqes[i]->user_data, ++expected);
			io_uring_cq_advance(ring, NR_ENTRIES);
			break;
		case 2:
			while (io_uring_peek_cqe(ring, &cqe) == 0) {
				CHECK_INT(cqe->user_data, ++expected);
				io_uring_cqe_seen(ring, cqe);
			}
			break;
		case 3:
			for (i = 0; i < NR_ENTRIES; i++) {
				CHECK_INT(io_uring_wait_cqe(ring, &cqe), 0);
				CHECK_INT(cqe->user_data, ++expected);
				io_uring_cqe_seen(ring, cqe);
			}
			break;
		}
		CHECK_INT(expected, tag);
		CHECK_INT(io_uring_cq_ready(ring), 0);
		CHECK_INT(io_uring_peek_cqe(ring, &cqe), -EAGAIN);
	}
}

/* More completions than the queue holds come all, in order. */
static void overflow(struct io_uring *ring)
{
	unsigned nr_cq = *ring->cq.kring_entries, nr;
	uint64_t tag = 0, expected = 0;
	struct io_uring_cqe *cqe;

	CHECK(nr_cq >= 2 * NR_ENTRIES && nr_cq % NR_ENTRIES == 0);
	for (nr = 0; nr < nr_cq + 2 * NR_ENTRIES; nr += NR_ENTRIES) {
		queue_nops(ring, NR_ENTRIES, &tag);
		submit_all(ring);
	}
	/* With task work deferred there is no completion before one asks. */
	if (!(ring->flags & IORING_SETUP_DEFER_TASKRUN)) {
		CHECK_INT(io_uring_cq_ready(ring), nr_cq);
		CHECK(io_uring_cq_has_overflow(ring));
	}
	while (expected < tag) {
		CHECK_INT(io_uring_wait_cqe(ring, &cqe), 0);
		CHECK_INT(cqe->user_data, ++expected);
		io_uring_cqe_seen(ring, cqe);
	}
	CHECK(!io_uring_cq_has_overflow(ring));
	CHECK_INT(*ring->cq.koverflow, 0);
}

/* What programs that are older than the cached masks do themselves. */
static void old_style(struct io_uring *ring)
{
	struct io_uring_sqe *(*get_sqe)(struct io_uring *) = exported_get_sqe();
	unsigned head, tail, mask = *ring->cq.kring_mask;
	unsigned shift = ring->flags & IORING_SETUP_CQE32 ? 1 : 0;
	struct io_uring_sqe *sqe;
	int i;

	CHECK_INT(*ring->sq.kring_mask, NR_ENTRIES - 1);
	CHECK_INT(*ring->sq.kring_entries, NR_ENTRIES);
	CHECK_INT(*ring->cq.kring_entries, mask + 1);

	for (i = 0; i < 3 * NR_ENTRIES; i++) {
		wait_for_room(ring);
		sqe = get_sqe(ring);
		CHECK(sqe != NULL);
		io_uring_prep_nop(sqe);
		sqe->user_data = 100 + i;
		submit_all(ring);
		do {
			head = *ring->cq.khead;
			tail = io_uring_smp_load_acquire(ring->cq.ktail);
			if (head == tail)
				CHECK(io_uring_submit_and_wait(ring, 1) >= 0);
		} while (head == tail);
		CHECK_INT(tail - head, 1);
		CHECK_INT(ring->cq.cqes[(head & mask) << shift].user_data, 100 + i);
		io_uring_smp_store_release(ring->cq.khead, head + 1);
	}
	for (i = 0; i < NR_ENTRIES; i++)
		CHECK(get_sqe(ring) != NULL);
	CHECK(get_sqe(ring) == NULL);
	CHECK(io_uring_get_sqe(ring) == NULL);
}

static void eventfd_tells(struct io_uring *ring)
{
	int fd = eventfd(0, EFD_NONBLOCK);
	struct io_uring_sqe *sqe;
	eventfd_t value;

	CHECK_INT(io_uring_register_eventfd(ring, fd), 0);
	CHECK(io_uring_cq_eventfd_enabled(ring));
	sqe = take_sqe(ring);
	io_uring_prep_nop(sqe);
	CHECK_INT(run_one(ring, sqe), 0);
	CHECK_INT(eventfd_read(fd, &value), 0);
	CHECK_INT(value, 1);

	CHECK_INT(io_uring_cq_eventfd_toggle(ring, false), 0);
	CHECK(!io_uring_cq_eventfd_enabled(ring));
	sqe = take_sqe(ring);
	io_uring_prep_nop(sqe);
	CHECK_INT(run_one(ring, sqe), 0);
	CHECK_INT(eventfd_read(fd, &value), -1);
	CHECK_INT(io_uring_cq_eventfd_toggle(ring, true), 0);
	CHECK_INT(io_uring_unregister_eventfd(ring), 0);
	close(fd);
}

const struct compat_case queue_cases[] = {
	{ "fill and drain", fill_and_drain, 0 },
	{ "overflow", overflow, IORING_SETUP_SQPOLL },
	{ "old style", old_style, 0 },
	{ "eventfd", eventfd_tells, 0 },
	{ NULL, NULL, 0 },
};
