/* SPDX-License-Identifier: MIT */
/*
 * The submission side as the program sees it: taking slots, and how many there
 * are. One thread at a time may use these functions on a ring.
 */
#ifndef LIBURING_SQ_H
#define LIBURING_SQ_H

#include <liburing/barrier.h>
#include <liburing/io_uring.h>
#include <liburing/prep.h>
#include <liburing/sanitize.h>
#include <liburing/submit.h>
#include <liburing/types.h>

LIBURING_BEGIN_DECLS

/*
 * io_uring_load_sq_head - the position up to which the kernel has taken SQEs.
 *
 * With IORING_SETUP_SQ_REWIND there is no position: every submit starts at
 * slot 0, and so does the count.
 */
IOURINGINLINE unsigned io_uring_load_sq_head(const struct io_uring *ring) LIBURING_NOEXCEPT
{
	if (ring->flags & IORING_SETUP_SQ_REWIND)
		return 0;
	/*
	 * Acquire: pairs with the polling thread's release of the head, after
	 * which it reads the slots no more and they may be written again.
	 */
	if (ring->flags & IORING_SETUP_SQPOLL)
		return io_uring_smp_load_acquire(ring->sq.khead);
	/* Plain: only an enter that this thread makes can move it. */
	return *ring->sq.khead;
}

/*
 * io_uring_sq_ready - SQEs taken by the program and not yet by the kernel.
 */
IOURINGINLINE unsigned io_uring_sq_ready(const struct io_uring *ring) LIBURING_NOEXCEPT
{
	return ring->sq.sqe_tail - io_uring_load_sq_head(ring);
}

/*
 * io_uring_sq_space_left - how often io_uring_get_sqe will succeed from here.
 *
 * Look before the first SQE of a linked chain: a submit in its middle cuts it.
 */
IOURINGINLINE unsigned io_uring_sq_space_left(const struct io_uring *ring) LIBURING_NOEXCEPT
{
	return ring->sq.ring_entries - io_uring_sq_ready(ring);
}

/* io_uring_sqe_shift_from_flags - log2 of 64-byte slots per SQE, from IORING_SETUP_ flags. */
IOURINGINLINE unsigned io_uring_sqe_shift_from_flags(unsigned flags) LIBURING_NOEXCEPT
{
	return !!(flags & IORING_SETUP_SQE128);
}

/* io_uring_sqe_shift - the same, of a ring. */
IOURINGINLINE unsigned io_uring_sqe_shift(const struct io_uring *ring) LIBURING_NOEXCEPT
{
	return io_uring_sqe_shift_from_flags(ring->flags);
}

/*
 * io_uring_sqring_wait - wait until the polling thread has made room.
 *
 * Returns 0 at once without IORING_SETUP_SQPOLL or when there is room, a
 * positive value or 0 after a wait, or a negative errno. Since kernel 5.10.
 */
IOURINGINLINE int io_uring_sqring_wait(struct io_uring *ring) LIBURING_NOEXCEPT
{
	if (!(ring->flags & IORING_SETUP_SQPOLL))
		return 0;
	if (io_uring_sq_space_left(ring))
		return 0;
	return __io_uring_sqring_wait(ring);
}

/*
 * liburing_take_slot_slow - the next slot where the tail is beyond tail_limit, as
 * it always is with IORING_SETUP_SQE128, whose second half it clears.
 */
IOURINGHELPER LIBURING_COLD struct io_uring_sqe *
liburing_take_slot_slow(struct io_uring *ring) LIBURING_NOEXCEPT
{
	struct io_uring_sq *sq = &ring->sq;
	unsigned head = io_uring_load_sq_head(ring);
	unsigned tail = sq->sqe_tail;
	struct io_uring_sqe *sqe;

	if (tail - head >= sq->ring_entries)
		return NULL;

	sq->sqe_tail = tail + 1;
	sqe = &sq->sqes[(size_t)(tail & sq->ring_mask) << io_uring_sqe_shift(ring)];
	if (ring->flags & IORING_SETUP_SQE128) {
		liburing_sqe_clear(sqe + 1);
		sq->tail_limit = tail;
	} else {
		sq->tail_limit = head + sq->ring_mask;
	}
	return sqe;
}

/* _io_uring_get_sqe - io_uring_get_sqe under the name that it always has. */
IOURINGINLINE struct io_uring_sqe *_io_uring_get_sqe(struct io_uring *ring) LIBURING_NOEXCEPT
{
	struct io_uring_sq *sq = &ring->sq;
	unsigned tail = sq->sqe_tail;
	struct io_uring_sqe *sqe;

	/*
	 * tail_limit comes from an older value of the kernel's head, so that a
	 * slot which it calls free is free; the shared word is read, and the
	 * rarer kinds of ring looked for, only when it calls none free.
	 */
	if (uring_likely(sq->tail_limit - tail <= sq->ring_mask)) {
		sqe = &sq->sqes[tail & sq->ring_mask];
		sq->sqe_tail = tail + 1;
	} else {
		sqe = liburing_take_slot_slow(ring);
		if (!sqe)
			return NULL;
	}
	liburing_sqe_clear(sqe);
	return sqe;
}

/*
 * io_uring_get_sqe - take the next free SQE.
 *
 * Returns a slot in which every byte is zero, user_data included, or NULL when
 * the ring is full: without IORING_SETUP_SQPOLL, io_uring_submit makes room;
 * with it, io_uring_sqring_wait does. A slot that was taken will be submitted
 * and cannot be given back. The pointer is good until the submit that hands it
 * over.
 */
IOURINGINLINE struct io_uring_sqe *io_uring_get_sqe(struct io_uring *ring) LIBURING_NOEXCEPT
{
	LIBURING_CHECK(took_sqe, ring);
	return _io_uring_get_sqe(ring);
}

/*
 * io_uring_get_sqe128 - take the next free 128-byte SQE.
 *
 * Returns a slot of 128 zero bytes, or NULL on a ring with neither
 * IORING_SETUP_SQE128 nor IORING_SETUP_SQE_MIXED, and when there is no room. A
 * mixed ring needs two slots side by side: where they would straddle the end, a
 * NOP that posts no CQE fills the last slot, and room for three is needed. NULL
 * leaves the ring as it was. Mixed rings since kernel 6.19.
 */
IOURINGINLINE struct io_uring_sqe *io_uring_get_sqe128(struct io_uring *ring) LIBURING_NOEXCEPT
{
	struct io_uring_sq *sq = &ring->sq;
	unsigned tail = sq->sqe_tail;
	struct io_uring_sqe *sqe;
	bool at_end;

	LIBURING_CHECK(took_sqe, ring);
	if (ring->flags & IORING_SETUP_SQE128)
		return _io_uring_get_sqe(ring);
	if (!(ring->flags & IORING_SETUP_SQE_MIXED))
		return NULL;

	at_end = (tail & sq->ring_mask) == sq->ring_mask;
	if (tail - io_uring_load_sq_head(ring) + (at_end ? 3 : 2) > sq->ring_entries)
		return NULL;

	if (at_end) {
		sqe = &sq->sqes[tail++ & sq->ring_mask];
		liburing_sqe_clear(sqe);
		sqe->opcode = IORING_OP_NOP;
		sqe->flags = IOSQE_CQE_SKIP_SUCCESS;
		sqe->fd = -1;
	}
	sqe = &sq->sqes[tail & sq->ring_mask];
	sq->sqe_tail = tail + 2;
	liburing_sqe_clear(sqe);
	liburing_sqe_clear(sqe + 1);
	return sqe;
}

LIBURING_END_DECLS

#endif
