/* SPDX-License-Identifier: MIT */
/*
 * The completion side: looking at CQEs, walking over them, releasing them. One
 * thread at a time may reap from a ring; another may submit to it meanwhile.
 *
 * A CQE stays in its slot until the slot is released; after that the pointer is
 * stale. Slots wrap: the CQE after the last slot is in slot 0, so that walking
 * on with cqe + 1 runs off the end.
 */
#ifndef LIBURING_CQ_H
#define LIBURING_CQ_H

#include <errno.h>
#include <stdbool.h>
#include <liburing/barrier.h>
#include <liburing/io_uring.h>
#include <liburing/sanitize.h>
#include <liburing/submit.h>
#include <liburing/types.h>

/*
 * The user_data of the library's own timeout requests, on kernels before 5.11
 * whose enter takes no timeout. Programs must not use this value.
 */
#define LIBURING_UDATA_TIMEOUT ((__u64)-1)

/* sqe_set_data64 and cqe_get_data64 are here. */
#define LIBURING_HAVE_DATA64

LIBURING_BEGIN_DECLS

/* io_uring_cqe_get_data - the user_data of the request, as a pointer. */
IOURINGINLINE void *io_uring_cqe_get_data(const struct io_uring_cqe *cqe) LIBURING_NOEXCEPT
{
	LIBURING_CHECK(read_cqe, cqe);
	return (void *)(uintptr_t)cqe->user_data;
}

/* io_uring_cqe_get_data64 - the user_data of the request, all 64 bits. */
IOURINGINLINE __u64 io_uring_cqe_get_data64(const struct io_uring_cqe *cqe) LIBURING_NOEXCEPT
{
	LIBURING_CHECK(read_cqe, cqe);
	return cqe->user_data;
}

/* io_uring_cqe_shift_from_flags - log2 of 16-byte units per slot, from IORING_SETUP_ flags. */
IOURINGINLINE unsigned io_uring_cqe_shift_from_flags(unsigned flags) LIBURING_NOEXCEPT
{
	return !!(flags & IORING_SETUP_CQE32);
}

/* io_uring_cqe_shift - the same, of a ring. */
IOURINGINLINE unsigned io_uring_cqe_shift(const struct io_uring *ring) LIBURING_NOEXCEPT
{
	return io_uring_cqe_shift_from_flags(ring->flags);
}

/*
 * io_uring_cqe_index - the index in ring->cq.cqes of the CQE at position ptr, mask
 * being ring->cq.ring_mask. A macro of older versions, for programs that walk
 * the ring by hand.
 */
#define io_uring_cqe_index(ring, ptr, mask) (((ptr) & (mask)) << io_uring_cqe_shift(ring))

/*
 * io_uring_cqe_nr - the slots that a CQE of an IORING_SETUP_CQE_MIXED ring takes.
 *
 * Sum it over the CQEs of a walk and pass the sum to io_uring_cq_advance. On
 * any other ring a CQE is one slot.
 */
IOURINGINLINE unsigned io_uring_cqe_nr(const struct io_uring_cqe *cqe) LIBURING_NOEXCEPT
{
	return 1U + !!(cqe->flags & IORING_CQE_F_32);
}

/*
 * io_uring_cq_advance - release the oldest nr slots.
 *
 * nr counts slots: on a mixed ring a 32-byte CQE is two. Never more than are
 * ready; 0 does nothing.
 */
IOURINGINLINE void io_uring_cq_advance(struct io_uring *ring, unsigned nr) LIBURING_NOEXCEPT
{
	struct io_uring_cq *cq = &ring->cq;

	LIBURING_CHECK(advance, ring, nr);
	LIBURING_NOTE(released, ring, nr);
	/*
	 * Release: pairs with the kernel's acquire of the head before it fills
	 * slots again, so that what was read from them is read by then. The
	 * read of the head is plain: only the reaping thread writes it.
	 */
	if (nr)
		io_uring_smp_store_release(cq->khead, *cq->khead + nr);
}

/*
 * io_uring_cqe_seen - release one CQE: the oldest.
 *
 * cqe must be the one at the head, as a wait or a peek gave it; NULL is ignored.
 */
IOURINGINLINE void io_uring_cqe_seen(struct io_uring *ring, struct io_uring_cqe *cqe)
	LIBURING_NOEXCEPT
{
	unsigned nr = 1;

	if (!cqe)
		return;
	LIBURING_CHECK(seen, ring, cqe);
	if (uring_unlikely(cqe->flags & IORING_CQE_F_32) &&
	    (ring->flags & IORING_SETUP_CQE_MIXED))
		nr = 2;
	io_uring_cq_advance(ring, nr);
}

/*
 * io_uring_cqe_iter_init - start a walk over the CQEs that are there now.
 *
 * Nothing is consumed, no system call is made, and CQEs that arrive during the
 * walk are not part of it. Where the kernel holds CQEs back (an overflow,
 * deferred task work), only a wait, a peek or io_uring_get_events brings them in.
 */
IOURINGINLINE struct io_uring_cqe_iter io_uring_cqe_iter_init(const struct io_uring *ring)
	LIBURING_NOEXCEPT
{
	struct io_uring_cqe_iter iter;

	iter.cqes = ring->cq.cqes;
	iter.mask = ring->cq.ring_mask;
	/* Bit 1 says that sizes are mixed. */
	iter.shift = io_uring_cqe_shift(ring) |
		     ((ring->flags & IORING_SETUP_CQE_MIXED) ? 2U : 0U);
	/* Plain: only the reaping thread writes the head. */
	iter.head = *ring->cq.khead;
	/* Acquire: pairs with the kernel's release of the tail after it filled the slots. */
	iter.tail = io_uring_smp_load_acquire(ring->cq.ktail);
	LIBURING_NOTE(ready, ring);
	return iter;
}

/* liburing_cqe_at_rare - the CQE at the head of a walk whose slots or CQEs are large. */
IOURINGHELPER LIBURING_COLD struct io_uring_cqe *
liburing_cqe_at_rare(struct io_uring_cqe_iter *iter) LIBURING_NOEXCEPT
{
	size_t idx = iter->head++ & iter->mask;
	struct io_uring_cqe *cqe = &iter->cqes[idx << (iter->shift & 1)];

	/* Never beyond the end, whatever the last entry says of its size. */
	if ((iter->shift & 2) && (cqe->flags & IORING_CQE_F_32) && iter->head != iter->tail)
		iter->head++;
	return cqe;
}

/*
 * io_uring_cqe_iter_next - the next CQE of a walk.
 *
 * Returns true and the CQE, or false at the end, *cqe then being as it was.
 * Fillers of a mixed ring (IORING_CQE_F_SKIP) are shown, since their slots are
 * among those that the program releases.
 */
IOURINGINLINE bool io_uring_cqe_iter_next(struct io_uring_cqe_iter *iter,
					  struct io_uring_cqe **cqe) LIBURING_NOEXCEPT
{
	if (iter->head == iter->tail)
		return false;
	if (uring_likely(!iter->shift))
		*cqe = &iter->cqes[iter->head++ & iter->mask];
	else
		*cqe = liburing_cqe_at_rare(iter);
	return true;
}

#define LIBURING_PASTE_(a, b) a##b
#define LIBURING_PASTE(a, b) LIBURING_PASTE_(a, b)
#define LIBURING_FOR_EACH_CQE_(ring, __head__, cqe, __iter__)                             \
	for (struct io_uring_cqe_iter __iter__ = io_uring_cqe_iter_init(ring);            \
	     (__head__) = __iter__.head, (void)(__head__),                                \
				      io_uring_cqe_iter_next(&__iter__, &(cqe));)

/*
 * io_uring_for_each_cqe - a loop over the CQEs that are there now, oldest first.
 *
 * __head__ (unsigned) is the position of the current one, cqe points at it.
 * Release what was walked over with io_uring_cq_advance after the loop, or on
 * leaving it early with break. See io_uring_cqe_iter_init for what is not seen.
 */
#define io_uring_for_each_cqe(ring, __head__, cqe) \
	LIBURING_FOR_EACH_CQE_(ring, __head__, cqe, LIBURING_PASTE(liburing_iter_, __LINE__))

/*
 * io_uring_cq_ready - slots that are filled and not released.
 *
 * A look at the ring only: what the kernel holds back is not counted.
 */
IOURINGINLINE unsigned io_uring_cq_ready(const struct io_uring *ring) LIBURING_NOEXCEPT
{
	LIBURING_NOTE(ready, ring);
	/* Acquire, and the head plain: as in io_uring_cqe_iter_init. */
	return io_uring_smp_load_acquire(ring->cq.ktail) - *ring->cq.khead;
}

/*
 * io_uring_cq_has_overflow - whether the kernel holds CQEs back for want of room.
 *
 * They enter the ring at the next enter that reaps: io_uring_get_events, or any
 * wait. Since kernel 5.8; false before.
 */
IOURINGINLINE bool io_uring_cq_has_overflow(const struct io_uring *ring) LIBURING_NOEXCEPT
{
	/* Relaxed: a hint, nothing else is read on its account. */
	return IO_URING_READ_ONCE(*ring->sq.kflags) & IORING_SQ_CQ_OVERFLOW;
}

/*
 * io_uring_cq_eventfd_enabled - whether completions signal the registered eventfd.
 *
 * True on kernels before 5.8, which cannot turn it off.
 */
IOURINGINLINE bool io_uring_cq_eventfd_enabled(const struct io_uring *ring) LIBURING_NOEXCEPT
{
	/* Plain: only the program writes the CQ flags. */
	return !ring->cq.kflags || !(*ring->cq.kflags & IORING_CQ_EVENTFD_DISABLED);
}

/*
 * io_uring_cq_eventfd_toggle - turn the signals of the registered eventfd on or off.
 *
 * Returns 0, also when it is so already, or -EOPNOTSUPP on a kernel before 5.8.
 */
IOURINGINLINE int io_uring_cq_eventfd_toggle(struct io_uring *ring, bool enabled)
	LIBURING_NOEXCEPT
{
	unsigned flags;

	if (enabled == io_uring_cq_eventfd_enabled(ring))
		return 0;
	if (!ring->cq.kflags)
		return -EOPNOTSUPP;

	/* Plain: as in io_uring_cq_eventfd_enabled. */
	flags = *ring->cq.kflags;
	if (enabled)
		flags &= ~IORING_CQ_EVENTFD_DISABLED;
	else
		flags |= IORING_CQ_EVENTFD_DISABLED;
	/* Relaxed: the kernel reads the word whenever it posts; no data goes with it. */
	IO_URING_WRITE_ONCE(*ring->cq.kflags, flags);
	return 0;
}

/*
 * io_uring_skip_cqe - release a CQE at the head that is none of the program's.
 *
 * Those are fillers of a mixed ring and, on kernels before 5.11, the library's
 * own timeouts; *err becomes -ETIME where such a timeout expired, or what the
 * kernel refused it with. Returns whether the CQE was one.
 */
IOURINGINLINE bool io_uring_skip_cqe(struct io_uring *ring, struct io_uring_cqe *cqe, int *err)
	LIBURING_NOEXCEPT
{
	if (uring_unlikely(cqe->flags & IORING_CQE_F_SKIP) &&
	    (ring->flags & IORING_SETUP_CQE_MIXED)) {
		io_uring_cqe_seen(ring, cqe);
		return true;
	}
	if (uring_likely(ring->features & IORING_FEAT_EXT_ARG))
		return false;
	if (cqe->user_data != LIBURING_UDATA_TIMEOUT)
		return false;
	if (cqe->res < 0 && cqe->res != -ECANCELED)
		*err = cqe->res;
	io_uring_cqe_seen(ring, cqe);
	return true;
}

/*
 * __io_uring_peek_cqe - look for the program's next CQE in the ring's memory only.
 *
 * *cqe_ptr is the CQE or NULL, *nr_available (may be NULL) the number of filled
 * slots from it on. Returns 0, or -ETIME when there is no CQE and one of the
 * library's own timeouts was found expired (or the errno that it failed with).
 */
IOURINGINLINE int __io_uring_peek_cqe(struct io_uring *ring, struct io_uring_cqe **cqe_ptr,
				      unsigned *nr_available) LIBURING_NOEXCEPT
{
	struct io_uring_cqe *cqe;
	unsigned head, nr;
	int err = 0;

	for (;;) {
		cqe = NULL;
		/* Plain: only the reaping thread writes the head. */
		head = *ring->cq.khead;
		/* Acquire: as in io_uring_cqe_iter_init. */
		nr = io_uring_smp_load_acquire(ring->cq.ktail) - head;
		if (!nr)
			break;
		LIBURING_NOTE(ready, ring);
		cqe = &ring->cq.cqes[head & ring->cq.ring_mask];
		/* All of one size and all the program's: nothing more to look at. */
		if (uring_likely(!(ring->flags & (IORING_SETUP_CQE32 | IORING_SETUP_CQE_MIXED)) &&
				 (ring->features & IORING_FEAT_EXT_ARG)))
			break;
		cqe = &ring->cq.cqes[(size_t)(head & ring->cq.ring_mask)
				     << io_uring_cqe_shift(ring)];
		if (!io_uring_skip_cqe(ring, cqe, &err))
			break;
	}

	*cqe_ptr = cqe;
	if (nr_available)
		*nr_available = nr;
	return cqe ? 0 : err;
}

/*
 * io_uring_wait_cqe_nr - wait until wait_nr CQEs are there; see io_uring_wait_cqe.
 *
 * *cqe_ptr is the first. An interrupted wait may come back with fewer.
 */
IOURINGINLINE int io_uring_wait_cqe_nr(struct io_uring *ring, struct io_uring_cqe **cqe_ptr,
				       unsigned wait_nr) LIBURING_NOEXCEPT
{
	LIBURING_CHECK(wait, ring, wait_nr);
	return __io_uring_get_cqe(ring, cqe_ptr, 0, wait_nr, NULL);
}

/*
 * io_uring_peek_cqe - the next CQE, if there is one, without waiting.
 *
 * Returns 0 and the CQE in *cqe_ptr, or -EAGAIN and NULL. It enters the kernel
 * only when the ring is empty and the kernel has something to hand over: an
 * overflow, task work (seen only with IORING_SETUP_TASKRUN_FLAG), or anything
 * on an IORING_SETUP_IOPOLL ring; a failed enter is then the result.
 */
IOURINGINLINE int io_uring_peek_cqe(struct io_uring *ring, struct io_uring_cqe **cqe_ptr)
	LIBURING_NOEXCEPT
{
	__io_uring_peek_cqe(ring, cqe_ptr, NULL);
	if (*cqe_ptr)
		return 0;
	LIBURING_CHECK(empty_peek, ring);
	return io_uring_wait_cqe_nr(ring, cqe_ptr, 0);
}

/*
 * io_uring_wait_cqe - wait for a CQE.
 *
 * Returns 0 and the CQE in *cqe_ptr, or a negative errno and NULL. -EINTR: a
 * signal came; nothing was lost, call again. Nothing is submitted, so that a
 * thread of its own may wait while another submits.
 */
IOURINGINLINE int io_uring_wait_cqe(struct io_uring *ring, struct io_uring_cqe **cqe_ptr)
	LIBURING_NOEXCEPT
{
	unsigned nr_ready;

	__io_uring_peek_cqe(ring, cqe_ptr, &nr_ready);
	if (uring_likely(nr_ready))
		return 0;
	LIBURING_CHECK(wait, ring, 1);
	return io_uring_wait_cqe_nr(ring, cqe_ptr, 1);
}

LIBURING_END_DECLS

#endif
