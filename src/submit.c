/* SPDX-License-Identifier: MIT */
/*
 * Handing SQEs to the kernel.
 */
#include "internal.h"

/* The kinds of ring that submitting has to look at twice. */
#define RARE_SETUP (IORING_SETUP_SQPOLL | IORING_SETUP_SQ_REWIND | IORING_SETUP_SQE128)

/*
 * Publish the SQEs that were taken, and return how many the kernel has not
 * consumed, older ones included.
 */
static inline unsigned sq_flush_plain(struct io_uring *ring)
{
	struct io_uring_sq *sq = &ring->sq;
	unsigned tail = sq->sqe_tail;
	unsigned head;

	sq->sqe_head = tail;
	/*
	 * Release: pairs with the kernel's acquire of the tail, after which it
	 * reads the slots.
	 */
	io_uring_smp_store_release(sq->ktail, tail);
	/* Plain: only an enter that this thread makes can move it. */
	head = *sq->khead;
	return tail - head;
}

/*
 * The same for any ring. With SQ_REWIND the kernel keeps no position: what
 * counts is how many lie from slot 0 on.
 */
LIBURING_COLD unsigned iou_flush_sq(struct io_uring *ring)
{
	struct io_uring_sq *sq = &ring->sq;
	unsigned tail = sq->sqe_tail;
	unsigned head;

	if (!(ring->flags & RARE_SETUP)) {
		unsigned nr = sq_flush_plain(ring);

		iou_set_tail_limit(ring, tail - nr);
		return nr;
	}
	if (ring->flags & IORING_SETUP_SQ_REWIND)
		return tail;
	/* Once they are published a polling thread may take them, uncounted. */
	head = io_uring_load_sq_head(ring);
	sq->sqe_head = tail;
	/* Release: as in sq_flush_plain, for the polling thread. */
	io_uring_smp_store_release(sq->ktail, tail);
	iou_set_tail_limit(ring, head);
	return tail - head;
}

/* After an enter took nr_taken of an SQ_REWIND ring: the rest moves to slot 0. */
LIBURING_COLD void iou_rewind_sq(struct io_uring *ring, int nr_taken)
{
	struct io_uring_sq *sq = &ring->sq;
	unsigned shift = io_uring_sqe_shift(ring);
	unsigned i, nr_left;

	if (nr_taken <= 0)
		return;
	nr_left = (unsigned)nr_taken < sq->sqe_tail ? sq->sqe_tail - (unsigned)nr_taken : 0;
	for (i = 0; i < nr_left << shift; i++)
		sq->sqes[i] = sq->sqes[i + ((unsigned)nr_taken << shift)];
	sq->sqe_tail = nr_left;
	iou_set_tail_limit(ring, 0);
}

LIBURING_COLD static int submit_rare(struct io_uring *ring, unsigned wait_nr, bool get_events)
{
	unsigned submit = iou_flush_sq(ring);
	unsigned flags = 0;

	if (wait_nr || get_events || iou_cq_needs_enter(ring))
		flags = IORING_ENTER_GETEVENTS;
	if (!iou_sq_needs_enter(ring, submit, &flags) && !flags)
		return (int)submit;
	return iou_enter(ring, submit, wait_nr, flags, NULL, IOU_SIGSET_SZ);
}

/* The same, with what most rings do not need left out. */
static inline int submit_and_reap(struct io_uring *ring, unsigned wait_nr)
{
	unsigned submit, flags = 0;
	int ret;

	if (uring_unlikely(ring->flags & RARE_SETUP))
		return submit_rare(ring, wait_nr, false);

	submit = sq_flush_plain(ring);
	if (wait_nr || iou_cq_needs_enter(ring))
		flags = IORING_ENTER_GETEVENTS;
	else if (!submit)
		return 0;
	ret = iou_enter_plain(ring, submit, wait_nr, flags, NULL, IOU_SIGSET_SZ);
	/* The slots that this enter has freed, so that a ring that was full has room. */
	ring->sq.tail_limit = *ring->sq.khead + ring->sq.ring_mask;
	return ret;
}

int io_uring_submit(struct io_uring *ring)
{
	IOU_CHECK(submit, ring, false);
	return submit_and_reap(ring, 0);
}

int io_uring_submit_and_wait(struct io_uring *ring, unsigned wait_nr)
{
	IOU_CHECK(submit, ring, wait_nr != 0);
	return submit_and_reap(ring, wait_nr);
}

int io_uring_submit_and_get_events(struct io_uring *ring)
{
	IOU_CHECK(submit, ring, true);
	return submit_rare(ring, 0, true);
}

int io_uring_get_events(struct io_uring *ring)
{
	IOU_CHECK(reap, ring);
	return iou_enter(ring, 0, 0, IORING_ENTER_GETEVENTS, NULL, IOU_SIGSET_SZ);
}

int __io_uring_sqring_wait(struct io_uring *ring)
{
	IOU_CHECK(use, ring);
	return iou_enter(ring, 0, 0, IORING_ENTER_SQ_WAIT, NULL, IOU_SIGSET_SZ);
}

struct io_uring_sqe *iou_get_sqe(struct io_uring *ring)
{
	return _io_uring_get_sqe(ring);
}
