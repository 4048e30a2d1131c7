/* SPDX-License-Identifier: MIT */
/*
 * Looking at many CQEs at once.
 */
#include "internal.h"

LIBURING_COLD int iou_peek_cqe(struct io_uring *ring, struct io_uring_cqe **cqe_ptr,
			       unsigned *nr_ready)
{
	return __io_uring_peek_cqe(ring, cqe_ptr, nr_ready);
}

/* Pointers to nr slots, side by side in memory. */
__attribute__((__noinline__)) static void list_slots(struct io_uring_cqe **cqes,
						     struct io_uring_cqe *cqe, unsigned nr,
						     unsigned stride)
{
	struct io_uring_cqe **end = cqes + nr;

#pragma GCC unroll 4
	for (; cqes != end; cqe += stride)
		*cqes++ = cqe;
}

/* Pointers to up to count CQEs that the ring holds: to its end, and from its start on. */
static unsigned cq_collect(struct io_uring *ring, struct io_uring_cqe **cqes, unsigned count)
{
	unsigned shift = io_uring_cqe_shift(ring);
	unsigned nr = io_uring_cq_ready(ring);
	/* Plain: only the reaping thread writes the head. */
	unsigned first_idx = *ring->cq.khead & ring->cq.ring_mask;
	unsigned nr_to_end = ring->cq.ring_entries - first_idx;
	struct io_uring_cqe *first = &ring->cq.cqes[(size_t)first_idx << shift];

	if (nr > count)
		nr = count;
	if (nr == 1) {
		cqes[0] = first;
	} else if (uring_likely(nr <= nr_to_end)) {
		list_slots(cqes, first, nr, 1U << shift);
	} else {
		list_slots(cqes, first, nr_to_end, 1U << shift);
		list_slots(cqes + nr_to_end, ring->cq.cqes, nr - nr_to_end, 1U << shift);
	}
	return nr;
}

/* The same where some of what the ring holds is none of the program's. */
LIBURING_COLD static unsigned cq_collect_mixed(struct io_uring *ring, struct io_uring_cqe **cqes,
					       unsigned count)
{
	struct io_uring_cqe_iter iter;
	struct io_uring_cqe *cqe;
	unsigned n = 0;

	/* Releases what is not the program's at the head. */
	iou_peek_cqe(ring, &cqe, NULL);
	iter = io_uring_cqe_iter_init(ring);
	while (n < count && io_uring_cqe_iter_next(&iter, &cqe)) {
		if ((ring->flags & IORING_SETUP_CQE_MIXED) && (cqe->flags & IORING_CQE_F_SKIP))
			break;
		if (!(ring->features & IORING_FEAT_EXT_ARG) &&
		    cqe->user_data == LIBURING_UDATA_TIMEOUT)
			break;
		cqes[n++] = cqe;
	}
	return n;
}

/* Whether all that the ring holds is the program's, one slot each. */
static bool holds_programs_only(const struct io_uring *ring)
{
	return (ring->features & IORING_FEAT_EXT_ARG) && !(ring->flags & IORING_SETUP_CQE_MIXED);
}

static unsigned cq_collect_any(struct io_uring *ring, struct io_uring_cqe **cqes, unsigned count)
{
	return holds_programs_only(ring) ? cq_collect(ring, cqes, count) :
					   cq_collect_mixed(ring, cqes, count);
}

LIBURING_COLD static unsigned peek_batch_rare(struct io_uring *ring, struct io_uring_cqe **cqes,
					      unsigned count)
{
	unsigned n = cq_collect_any(ring, cqes, count);

	if (n || !count || !iou_cq_needs_enter(ring) || io_uring_get_events(ring) < 0)
		return n;
	return cq_collect_any(ring, cqes, count);
}

unsigned io_uring_peek_batch_cqe(struct io_uring *ring, struct io_uring_cqe **cqes, unsigned count)
{
	unsigned n;

	if (uring_likely(holds_programs_only(ring) && io_uring_cq_ready(ring)))
		return cq_collect(ring, cqes, count);
	n = peek_batch_rare(ring, cqes, count);
	if (!n && count)
		IOU_CHECK(empty_peek, ring);
	return n;
}
