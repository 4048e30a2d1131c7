/* SPDX-License-Identifier: MIT */
/*
 * The debug build: how CQEs are looked at and released.
 */
#include "debug.h"

/*
 * The program's sanitizer may have closed slots that the library reads and fills;
 * so these functions are compiled without.
 */
#if defined(__clang__)
#define NOT_SANITIZED __attribute__((no_sanitize("address", "memory")))
#else
#define NOT_SANITIZED __attribute__((no_sanitize_address))
#endif

#define RELEASED_32 (LIBURING_DEBUG_BYTE * 0x01010101U)
#define RELEASED_64 (LIBURING_DEBUG_BYTE * 0x0101010101010101ULL)

static struct io_uring_cqe *cqe_at(const struct io_uring *ring, unsigned pos)
{
	return &ring->cq.cqes[(size_t)(pos & ring->cq.ring_mask) << io_uring_cqe_shift(ring)];
}

/* Fill nr slots from the head on, and return how many requests end with them. */
NOT_SANITIZED static int slots_release(const struct io_uring *ring, unsigned nr)
{
	unsigned nr_words = 2U << io_uring_cqe_shift(ring);
	/* Plain: only the reaping thread writes the head. */
	unsigned head = *ring->cq.khead;
	volatile __u64 *words;
	unsigned i, word, flags, nr_more = 0;
	int nr_finished = 0;

	for (i = 0; i < nr; i++) {
		words = (volatile __u64 *)cqe_at(ring, head + i);
		/* The second half of a big CQE has no flags. */
		if (nr_more) {
			nr_more--;
		} else {
			flags = ((volatile struct io_uring_cqe *)words)->flags;
			nr_more = (ring->flags & IORING_SETUP_CQE_MIXED) &&
				  (flags & IORING_CQE_F_32);
			nr_finished += !(flags & (IORING_CQE_F_MORE | IORING_CQE_F_SKIP));
		}
		for (word = 0; word < nr_words; word++)
			words[word] = RELEASED_64;
	}
	return nr_finished;
}

void liburing_debug_advance(struct io_uring *ring, unsigned nr, const char *function)
{
	struct iou_ring_state *state = iou_use_ring(ring, function);
	unsigned nr_ready = io_uring_cq_ready(ring);
	int nr_finished, nr_left;

	if (nr > nr_ready)
		iou_fail(function, "releases %u CQ slots where %u are filled", nr, nr_ready);
	nr_finished = slots_release(ring, nr);
	if (nr)
		iou_note_reaped(state);
	/* Messages of other rings were never counted. */
	nr_left = __atomic_sub_fetch(&state->nr_in_flight, nr_finished, __ATOMIC_RELAXED);
	if (nr_left < 0)
		__atomic_fetch_sub(&state->nr_in_flight, nr_left, __ATOMIC_RELAXED);
}

void liburing_debug_seen(struct io_uring *ring, const struct io_uring_cqe *cqe,
			 const char *function)
{
	/* Plain: as in slots_release. */
	unsigned head = *ring->cq.khead;

	iou_use_ring(ring, function);
	if (!io_uring_cq_ready(ring))
		iou_fail(function, "the CQE %p is released, but the CQ is empty", (const void *)cqe);
	if (cqe != cqe_at(ring, head))
		iou_fail(function,
			 "the CQE %p is released, but the oldest is %p; cqe_seen releases the "
			 "oldest, whichever it is given",
			 (const void *)cqe, (const void *)cqe_at(ring, head));
}

/* The address sanitizer, which would stop at the read, says less. */
__attribute__((__no_sanitize_address__)) void
liburing_debug_read_cqe(const struct io_uring_cqe *cqe, const char *function)
{
	if (cqe->user_data == RELEASED_64 && (unsigned)cqe->res == RELEASED_32 &&
	    cqe->flags == RELEASED_32)
		iou_fail(function, "the slot of the CQE %p was released: copy what is needed later",
			 (const void *)cqe);
}

void iou_check_empty_peek(struct io_uring *ring, const char *function)
{
	struct iou_ring_state *state = iou_use_ring(ring, function);
	unsigned nr_before;

	if (!(ring->flags & IORING_SETUP_DEFER_TASKRUN) ||
	    (ring->flags & IORING_SETUP_TASKRUN_FLAG))
		return;
	/* A loop that takes what is there ends with one such look. */
	nr_before = __atomic_fetch_add(&state->nr_empty_peeks, 1, __ATOMIC_RELAXED);
	if (nr_before || iou_get(state->is_unseen))
		iou_warn(state, IOU_WARN_DEFERRED, function,
			 "sees no completion of a ring with IORING_SETUP_DEFER_TASKRUN before an "
			 "enter brings it in: call io_uring_get_events, or set the ring up with "
			 "IORING_SETUP_TASKRUN_FLAG");
}

void liburing_debug_empty_peek(struct io_uring *ring, const char *function)
{
	iou_check_empty_peek(ring, function);
}
