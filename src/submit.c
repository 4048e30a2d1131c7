/* SPDX-License-Identifier: MIT */
/*
 * Handing SQEs to the kernel.
 */
#include "internal.h"

/*
 * Publish the SQEs that were taken, and return how many the kernel has not
 * consumed, older ones included. With SQ_REWIND the kernel keeps no position:
 * what counts is how many lie from slot 0 on.
 */
unsigned iou_flush_sq(struct io_uring *ring)
{
	struct io_uring_sq *sq = &ring->sq;
	unsigned tail = sq->sqe_tail;

	if (ring->flags & IORING_SETUP_SQ_REWIND)
		return tail;
	if (sq->sqe_head != tail) {
		sq->sqe_head = tail;
		/*
		 * Release: pairs with the kernel's acquire of the tail, after
		 * which it reads the slots.
		 */
		io_uring_smp_store_release(sq->ktail, tail);
	}
	/*
	 * Acquire (where a thread polls): pairs with its release of the head;
	 * io_uring_get_sqe goes by the copy.
	 */
	sq->head_seen = io_uring_load_sq_head(ring);
	return tail - sq->head_seen;
}

/* With SQ_REWIND, after an enter took nr_taken: the rest moves to slot 0. */
void iou_rewind_sq(struct io_uring *ring, int nr_taken)
{
	struct io_uring_sq *sq = &ring->sq;
	unsigned shift = io_uring_sqe_shift(ring);
	unsigned i, nr_left;

	if (nr_taken <= 0 || !(ring->flags & IORING_SETUP_SQ_REWIND))
		return;
	nr_left = (unsigned)nr_taken < sq->sqe_tail ? sq->sqe_tail - (unsigned)nr_taken : 0;
	for (i = 0; i < nr_left << shift; i++)
		sq->sqes[i] = sq->sqes[i + ((unsigned)nr_taken << shift)];
	sq->sqe_tail = nr_left;
}

/*
 * Whether submit SQEs need an enter to be taken; adds to flags what it has to
 * carry.
 */
bool iou_sq_needs_enter(const struct io_uring *ring, unsigned submit, unsigned *flags)
{
	if (!submit)
		return false;
	if (!(ring->flags & IORING_SETUP_SQPOLL))
		return true;
	/*
	 * Full barrier: the tail's store must not pass this load. The polling
	 * thread sets NEED_WAKEUP, and after a full barrier looks at the tail
	 * once more before it sleeps: one of the two sees the other.
	 */
	io_uring_smp_mb();
	if (uring_unlikely(IO_URING_READ_ONCE(*ring->sq.kflags) & IORING_SQ_NEED_WAKEUP)) {
		*flags |= IORING_ENTER_SQ_WAKEUP;
		return true;
	}
	return false;
}

static int submit_and_reap(struct io_uring *ring, unsigned wait_nr, bool get_events)
{
	unsigned submit = iou_flush_sq(ring);
	unsigned flags = 0;
	int ret = (int)submit;

	if (wait_nr || get_events || iou_cq_needs_enter(ring))
		flags |= IORING_ENTER_GETEVENTS;
	if (iou_sq_needs_enter(ring, submit, &flags) || flags) {
		ret = iou_enter(ring, submit, wait_nr, flags, NULL, IOU_SIGSET_SZ);
		iou_rewind_sq(ring, ret);
	}
	return ret;
}

int io_uring_submit(struct io_uring *ring)
{
	return submit_and_reap(ring, 0, false);
}

int io_uring_submit_and_wait(struct io_uring *ring, unsigned wait_nr)
{
	return submit_and_reap(ring, wait_nr, false);
}

int io_uring_submit_and_get_events(struct io_uring *ring)
{
	return submit_and_reap(ring, 0, true);
}

int io_uring_get_events(struct io_uring *ring)
{
	return iou_enter(ring, 0, 0, IORING_ENTER_GETEVENTS, NULL, IOU_SIGSET_SZ);
}

int __io_uring_sqring_wait(struct io_uring *ring)
{
	return iou_enter(ring, 0, 0, IORING_ENTER_SQ_WAIT, NULL, IOU_SIGSET_SZ);
}
