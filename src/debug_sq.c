/* SPDX-License-Identifier: MIT */
/*
 * The debug build: what is submitted, and waits that nothing ends.
 */
#include <sys/mman.h>
#include <unistd.h>
#include <liburing/sqe_memory.h>
#include "debug.h"

/*
 * A slot that was taken and only tagged since: all zero but what every SQE may
 * have. io_uring_prep_nop writes a descriptor of -1.
 */
static bool is_unprepared(const struct io_uring_sqe *sqe)
{
	return sqe->opcode == IORING_OP_NOP && !sqe->ioprio && !sqe->fd && !sqe->off &&
	       !sqe->addr && !sqe->len && !sqe->rw_flags && !sqe->buf_index && !sqe->file_index &&
	       !sqe->addr3 && !sqe->__pad2[0];
}

/* Whether all of it is mapped; what a program may touch, only its sanitizer knows. */
static void part_check(const struct liburing_sqe_part *part)
{
	uintptr_t page_mask = iou_get_page_size() - 1;
	uintptr_t addr = (uintptr_t)part->ptr;
	uintptr_t start = addr & ~page_mask;
	int saved_errno = errno;

	if (part->is_registered)
		return;
	/* With MS_ASYNC the call does nothing but look. */
	if (addr + part->sz < addr ||
	    (msync((void *)start, part->sz + (addr - start), MS_ASYNC) && errno == ENOMEM))
		iou_fail(part->function,
			 "IORING_OP_%s (%d), user_data %#llx: the %s at %p, %zu bytes, is not "
			 "mapped",
			 liburing_op_name(part->sqe->opcode), part->sqe->opcode,
			 (unsigned long long)part->sqe->user_data, part->what, part->ptr, part->sz);
	errno = saved_errno;
}

static void sqe_check(const struct io_uring_sqe *sqe, unsigned pos, const char *function)
{
	struct liburing_sqe_part part = {
		.sqe = sqe,
		.function = function,
		.visit = part_check,
	};

	if (is_unprepared(sqe))
		iou_fail(function,
			 "the SQE at position %u (user_data %#llx) was taken and never prepared; "
			 "io_uring_prep_nop fills one that is to do nothing",
			 pos, (unsigned long long)sqe->user_data);
	liburing_visit_sqe(&part);
}

/* Before SQEs are published by a call that also reaps, or does not. */
void iou_check_submit(const struct io_uring *ring, bool reaps, const char *function)
{
	struct iou_ring_state *state = iou_use_ring(ring, function);
	unsigned pos, nr_slots, nr_sqes = 0, nr_new = 0, nr = liburing_unpublished(ring, &pos);
	const struct io_uring_sqe *sqe = NULL;

	for (; nr; nr -= nr_slots < nr ? nr_slots : nr, pos += nr_slots) {
		sqe = liburing_sqe_at(ring, pos, &nr_slots);
		sqe_check(sqe, pos, function);
		nr_sqes++;
		/* A call may come here twice on its way. */
		nr_new += pos - iou_get(state->counted_tail) <= ring->sq.ring_mask;
	}
	iou_set(state->counted_tail, pos);
	if (sqe && (sqe->flags & (IOSQE_IO_LINK | IOSQE_IO_HARDLINK)))
		iou_warn(state, IOU_WARN_LINK, function,
			 "the last SQE (IORING_OP_%s, user_data %#llx) has a link flag, but a chain "
			 "ends with the submit; io_uring_sq_space_left tells whether one fits",
			 liburing_op_name(sqe->opcode), (unsigned long long)sqe->user_data);
	if ((nr_sqes && !(ring->flags & IORING_SETUP_SQPOLL)) ||
	    (reaps && (ring->flags & IORING_SETUP_DEFER_TASKRUN)))
		iou_check_issuer(ring, state, function);

	__atomic_fetch_add(&state->nr_in_flight, (int)nr_new, __ATOMIC_RELAXED);
	if (reaps)
		iou_note_reaped(state);
	else if (nr_sqes)
		iou_set(state->is_unseen, true);
}

void liburing_debug_took_sqe(struct io_uring *ring, const char *function)
{
	iou_set(iou_use_ring(ring, function)->taker, iou_get_tid());
}

/* CQEs in the ring that are the last of their requests. */
static int count_finished(const struct io_uring *ring)
{
	struct io_uring_cqe_iter iter = io_uring_cqe_iter_init(ring);
	struct io_uring_cqe *cqe;
	int nr = 0;

	while (io_uring_cqe_iter_next(&iter, &cqe))
		nr += !(cqe->flags & (IORING_CQE_F_MORE | IORING_CQE_F_SKIP));
	return nr;
}

/* Before an enter that reaps. */
void iou_check_reap(const struct io_uring *ring, const char *function)
{
	struct iou_ring_state *state = iou_use_ring(ring, function);

	if (ring->flags & IORING_SETUP_DEFER_TASKRUN)
		iou_check_issuer(ring, state, function);
	iou_note_reaped(state);
}

/* Before a wait for wait_nr CQEs. The kernel knows how the wait ends where is_timed. */
void iou_check_wait(const struct io_uring *ring, unsigned wait_nr, bool is_timed,
		    const char *function)
{
	struct iou_ring_state *state = iou_use_ring(ring, function);
	unsigned first, nr_unsubmitted;

	if (wait_nr <= io_uring_cq_ready(ring))
		return;
	iou_check_reap(ring, function);
	/* Another thread that took SQEs will submit them. */
	if (is_timed || !iou_get(state->is_known) || iou_get(state->taker) != iou_get_tid())
		return;
	nr_unsubmitted = liburing_unpublished(ring, &first);
	if (nr_unsubmitted && iou_get(state->nr_in_flight) <= count_finished(ring))
		iou_warn(state, IOU_WARN_UNSUBMITTED, function,
			 "waits for %u CQEs while nothing is in flight, and %u SQEs were taken and "
			 "not submitted",
			 wait_nr, nr_unsubmitted);
}

void liburing_debug_wait(struct io_uring *ring, unsigned wait_nr, const char *function)
{
	iou_check_wait(ring, wait_nr, false, function);
}
