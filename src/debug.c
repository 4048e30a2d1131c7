/* SPDX-License-Identifier: MIT */
/*
 * The debug build: messages, and what is known of each ring. See
 * include/liburing/debug.h for what is checked.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "debug.h"

#undef iou_do_register

/* Rings that are known at a time, a power of two. Those beyond share one state. */
#define NR_STATES 4096
#define NR_PROBES 64

static struct iou_ring_state states[NR_STATES];
static struct iou_ring_state no_state;
/* The key of a state that was in use: a search goes on behind it. */
static const char dropped;

static void report_to_stderr(const char *function, const char *message, int is_fatal)
{
	dprintf(STDERR_FILENO, "liburing: %s%s: %s\n", is_fatal ? "" : "warning: ", function,
		message);
}

static liburing_debug_report_fn *report_fn = report_to_stderr;

liburing_debug_report_fn *liburing_debug_report(liburing_debug_report_fn *report)
{
	return __atomic_exchange_n(&report_fn, report ? report : report_to_stderr,
				   __ATOMIC_ACQ_REL);
}

static void report(const char *function, const char *message, int is_fatal)
{
	/* Acquire: pairs with the exchange above. */
	__atomic_load_n(&report_fn, __ATOMIC_ACQUIRE)(function, message, is_fatal);
}

void liburing_debug_fail(const char *message, const char *function)
{
	report(function, message, 1);
	abort();
}

void iou_fail(const char *function, const char *format, ...)
{
	char message[512];
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	liburing_debug_fail(message, function);
}

void iou_warn(struct iou_ring_state *state, enum iou_warning kind, const char *function,
	      const char *format, ...)
{
	int saved_errno = errno;
	char message[512];
	va_list args;

	if (__atomic_fetch_or(&state->warned, kind, __ATOMIC_RELAXED) & kind)
		return;
	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	report(function, message, 0);
	errno = saved_errno;
}

static unsigned first_probe(const void *key)
{
	return (unsigned)((uintptr_t)key / 64 * 2654435761U);
}

static struct iou_ring_state *state_find(const void *key)
{
	unsigned idx = first_probe(key), i;

	for (i = 0; i < NR_PROBES; i++) {
		struct iou_ring_state *state = &states[(idx + i) % NR_STATES];
		const void *found = __atomic_load_n(&state->key, __ATOMIC_ACQUIRE);

		if (found == key)
			return state;
		if (!found)
			break;
	}
	return NULL;
}

/* Of a key that has none. */
static struct iou_ring_state *state_take(const void *key)
{
	unsigned idx = first_probe(key), i;

	for (i = 0; i < NR_PROBES; i++) {
		struct iou_ring_state *state = &states[(idx + i) % NR_STATES];
		const void *found = __atomic_load_n(&state->key, __ATOMIC_RELAXED);

		if ((!found || found == &dropped) &&
		    __atomic_compare_exchange_n(&state->key, &found, key, false, __ATOMIC_ACQ_REL,
						__ATOMIC_RELAXED))
			return state;
	}
	return &no_state;
}

static struct iou_ring_state *state_begin(const struct io_uring *ring, bool is_known)
{
	struct iou_ring_state *state = state_find(ring->cq.khead);

	if (!state)
		state = state_take(ring->cq.khead);
	if (state == &no_state)
		return state;
	iou_set(state->issuer, 0);
	iou_set(state->taker, 0);
	iou_set(state->counted_tail, ring->sq.sqe_head);
	iou_set(state->nr_in_flight, 0);
	iou_set(state->is_known, is_known);
	iou_set(state->is_unseen, true);
	iou_set(state->nr_empty_peeks, 0);
	iou_set(state->warned, 0);
	iou_set(state->pid, getpid());
	return state;
}

static void state_end(const void *key)
{
	struct iou_ring_state *state = key ? state_find(key) : NULL;

	if (!state)
		return;
	iou_set(state->pid, 0);
	__atomic_store_n(&state->key, &dropped, __ATOMIC_RELEASE);
}

struct iou_ring_state *iou_use_ring(const struct io_uring *ring, const char *function)
{
	struct iou_ring_state *state;
	int saved_errno = errno;
	pid_t owner, self = getpid();
	bool is_alone;

	if (!ring->cq.khead)
		iou_fail(function, "the ring was never made, or has been given up");
	state = state_find(ring->cq.khead);
	if (!state)
		state = state_begin(ring, false);
	owner = iou_get(state->pid);
	if (owner && owner != self) {
		is_alone = kill(owner, 0) && errno == ESRCH;
		if (!is_alone)
			iou_fail(function,
				 "process %d uses a ring of process %d, which shares its memory "
				 "but not its counts: only one of the two may",
				 (int)self, (int)owner);
		iou_set(state->pid, self);
		iou_set(state->issuer, 0);
	}
	errno = saved_errno;
	return state;
}

void iou_check_issuer(const struct io_uring *ring, const struct iou_ring_state *state,
		      const char *function)
{
	pid_t issuer = iou_get(state->issuer);

	if (issuer && issuer != iou_get_tid())
		iou_fail(function,
			 "thread %d uses a ring of %s that belongs to thread %d",
			 (int)iou_get_tid(),
			 ring->flags & IORING_SETUP_DEFER_TASKRUN ?
				 "IORING_SETUP_DEFER_TASKRUN" : "IORING_SETUP_SINGLE_ISSUER",
			 (int)issuer);
}

/* A ring that the library made: its submitter is this thread, unless it is disabled yet. */
void iou_check_made(const struct io_uring *ring, const char *function)
{
	struct iou_ring_state *state = state_begin(ring, true);

	(void)function;
	if (state != &no_state && (ring->flags & IORING_SETUP_SINGLE_ISSUER) &&
	    !(ring->flags & IORING_SETUP_R_DISABLED))
		iou_set(state->issuer, iou_get_tid());
}

/* A ring that the program made and the library mapped. */
void iou_check_mapped(const struct io_uring *ring, const char *function)
{
	(void)function;
	state_begin(ring, true);
}

/* A child may give up what it got from its parent. */
void iou_check_exit(struct io_uring *ring, const char *function)
{
	(void)function;
	state_end(ring->cq.khead);
	ring->cq.khead = NULL;
}

void iou_check_use(const struct io_uring *ring, const char *function)
{
	iou_use_ring(ring, function);
}

/* A resize has put a ring elsewhere. */
void iou_check_moved(const struct io_uring *from, const struct io_uring *to, const char *function)
{
	struct iou_ring_state *old = iou_use_ring(from, function);
	struct iou_ring_state *state = state_begin(to, iou_get(old->is_known));

	if (state != &no_state) {
		iou_set(state->issuer, iou_get(old->issuer));
		iou_set(state->taker, iou_get(old->taker));
		iou_set(state->counted_tail, iou_get(old->counted_tail));
		iou_set(state->nr_in_flight, iou_get(old->nr_in_flight));
		iou_set(state->is_unseen, iou_get(old->is_unseen));
		iou_set(state->warned, iou_get(old->warned));
	}
	state_end(from->cq.khead);
}

int iou_check_register(const struct io_uring *ring, unsigned opcode, const void *arg,
		       unsigned nr_args, const char *function)
{
	struct iou_ring_state *state;
	int ret;

	/* As when a ring is given up, which a thread that is not its own may do. */
	if (!ring->cq.khead)
		return iou_do_register(ring, opcode, arg, nr_args);
	state = iou_use_ring(ring, function);
	iou_check_issuer(ring, state, function);
	ret = iou_do_register(ring, opcode, arg, nr_args);
	if (opcode == IORING_REGISTER_ENABLE_RINGS && ret == 0 && state != &no_state &&
	    (ring->flags & IORING_SETUP_SINGLE_ISSUER))
		iou_set(state->issuer, iou_get_tid());
	return ret;
}
