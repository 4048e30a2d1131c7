/* SPDX-License-Identifier: MIT */
/*
 * What the sources of the debug build share: what is known of each ring, and how
 * to say what is wrong. The messages are in include/liburing/debug.h.
 */
#ifndef IOU_DEBUG_H
#define IOU_DEBUG_H

#include "internal.h"
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

/* Kinds of warnings, each given once a ring. */
enum iou_warning {
	IOU_WARN_UNSUBMITTED = 1U << 0,
	IOU_WARN_LINK = 1U << 1,
	IOU_WARN_DEFERRED = 1U << 2,
};

/*
 * A ring as the checks know it. One thread may submit while another reaps, so
 * that every field is read and written with iou_get and iou_set.
 */
struct iou_ring_state {
	const void *key;	/* the word at cq.khead, which no two rings share; NULL: free */
	pid_t pid;		/* whose ring it is; 0 while the state is being made */
	pid_t issuer;		/* thread that alone may submit; 0: any, or not known */
	pid_t taker;		/* thread that took the last SQE */
	unsigned counted_tail;	/* SQEs before it are in nr_in_flight */
	int nr_in_flight;	/* requests that may complete yet */
	bool is_known;		/* from its set-up on: nr_in_flight is right */
	bool is_unseen;		/* something may have completed since CQEs were last taken */
	unsigned nr_empty_peeks;	/* since then */
	unsigned warned;	/* enum iou_warning */
};

#define iou_get(field) __atomic_load_n(&(field), __ATOMIC_RELAXED)
#define iou_set(field, value) __atomic_store_n(&(field), (value), __ATOMIC_RELAXED)

static inline pid_t iou_get_tid(void)
{
	return (pid_t)syscall(SYS_gettid);
}

/* CQEs were taken, or an enter brings in what there is. */
static inline void iou_note_reaped(struct iou_ring_state *state)
{
	iou_set(state->is_unseen, false);
	iou_set(state->nr_empty_peeks, 0);
}

/* debug.c */

/*
 * iou_use_ring - the state of a ring that function is about to use.
 *
 * Rings that were not made by the library are taken on as they are. Never NULL.
 */
struct iou_ring_state *iou_use_ring(const struct io_uring *ring, const char *function);

/* iou_fail - a mistake: the message goes out, and the program ends. */
void iou_fail(const char *function, const char *format, ...)
	__attribute__((format(printf, 2, 3), noreturn));

/* iou_warn - the same for what may be meant, once per ring and kind. */
void iou_warn(struct iou_ring_state *state, enum iou_warning kind, const char *function,
	      const char *format, ...) __attribute__((format(printf, 4, 5)));

/* iou_check_issuer - whether this thread may enter a ring, or register with it. */
void iou_check_issuer(const struct io_uring *ring, const struct iou_ring_state *state,
		      const char *function);

#endif
