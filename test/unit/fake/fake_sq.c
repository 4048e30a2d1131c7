/* SPDX-License-Identifier: MIT */
/*
 * The fake kernel's consuming half: SQEs become requests.
 */
#include "fake_private.h"

#include <stdlib.h>
#include <string.h>

static struct fake_req *add_req(struct fake_ring *ring)
{
	unsigned max;
	void *reqs;

	if (ring->nr_reqs == ring->max_reqs) {
		max = ring->max_reqs ? 2 * ring->max_reqs : 64;
		reqs = realloc(ring->reqs, max * sizeof(*ring->reqs));
		if (!reqs)
			abort();
		ring->reqs = reqs;
		ring->max_reqs = max;
	}
	return &ring->reqs[ring->nr_reqs++];
}

static void start_timeout(const struct fake_ring *ring, const struct io_uring_sqe *sqe,
			  struct fake_req *req)
{
	const struct __kernel_timespec *ts = (const void *)(uintptr_t)sqe->addr;
	int64_t now = (sqe->timeout_flags & IORING_TIMEOUT_ABS) ? 0 : fake.now_ns;

	if (ts->tv_sec >= (INT64_MAX - now) / 1000000000 - 1)
		req->due_ns = FAKE_NEVER;
	else
		req->due_ns = now + ts->tv_sec * 1000000000 + ts->tv_nsec;
	req->res = -ETIME;
	req->counts = sqe->off;
	req->count_target = ring->nr_posted - ring->nr_timeouts + (unsigned)sqe->off;
}

static bool is_double(const struct fake_ring *ring, const struct io_uring_sqe *sqe)
{
	return (ring->flags & IORING_SETUP_SQE_MIXED) &&
	       (sqe->opcode == IORING_OP_NOP128 || sqe->opcode == IORING_OP_URING_CMD128);
}

static void start_req(struct fake_ring *ring, const struct io_uring_sqe *sqe, bool is_big)
{
	struct fake_req *req = add_req(ring);

	*req = (struct fake_req){
		.user_data = sqe->user_data,
		.due_ns = fake.due_ns,
		.opcode = sqe->opcode,
		.sqe_flags = sqe->flags,
	};
	memset(&ring->taken[ring->nr_taken % FAKE_NR_TAKEN], 0, sizeof(ring->taken[0]));
	memcpy(&ring->taken[ring->nr_taken % FAKE_NR_TAKEN], sqe, is_big ? 128 : 64);
	ring->nr_taken++;

	if (sqe->opcode == IORING_OP_TIMEOUT)
		start_timeout(ring, sqe, req);
	if (sqe->opcode == IORING_OP_NOP && (sqe->nop_flags & IORING_NOP_CQE32))
		req->cqe_flags = IORING_CQE_F_32;
	if (fake.on_sqe)
		fake.on_sqe(ring, sqe, req);
	if (req->due_ns == FAKE_AT_SUBMIT)
		fake_finish(ring, req, req->res);
}

/* The slot that the index array names for a position. */
static unsigned find_slot(const struct fake_ring *ring, unsigned pos)
{
	unsigned idx = pos & (ring->sq_entries - 1);

	if (ring->sq_array && ring->sq_array[idx] != idx) {
		fake_wrong("index %u of the SQ array is %u", idx, ring->sq_array[idx]);
		return ring->sq_array[idx] & (ring->sq_entries - 1);
	}
	return idx;
}

/* Takes up to max SQEs. Returns how many slots that were. */
unsigned fake_take_sqes(struct fake_ring *ring, unsigned max)
{
	bool rewind = ring->flags & IORING_SETUP_SQ_REWIND;
	bool is_big = ring->flags & IORING_SETUP_SQE128;
	unsigned head = rewind ? 0 : *ring->sq_head;
	unsigned tail = __atomic_load_n(ring->sq_tail, __ATOMIC_ACQUIRE);
	unsigned nr = rewind ? ring->sq_entries : tail - head;
	unsigned i, slot;
	const struct io_uring_sqe *sqe;

	if (nr > ring->sq_entries) {
		fake_wrong("%u SQEs are published in an SQ of %u", nr, ring->sq_entries);
		nr = ring->sq_entries;
	}
	if (nr > max)
		nr = max;
	for (i = 0; i < nr; i++) {
		slot = find_slot(ring, head + i);
		sqe = &ring->sqes[(size_t)slot << is_big];
		if (is_double(ring, sqe)) {
			if (slot == ring->sq_entries - 1 || i + 1 == nr)
				fake_wrong("a 128-byte SQE in one slot of an SQ");
			start_req(ring, sqe, true);
			i++;
		} else {
			start_req(ring, sqe, is_big);
		}
	}
	if (!rewind)
		__atomic_store_n(ring->sq_head, head + nr, __ATOMIC_RELEASE);
	return nr;
}

const struct io_uring_sqe *fake_taken(const struct fake_ring *ring, unsigned nth)
{
	if (nth >= ring->nr_taken || ring->nr_taken - nth > FAKE_NR_TAKEN)
		fake_wrong("SQE %u of %u was asked for", nth, ring->nr_taken);
	return ring->taken[nth % FAKE_NR_TAKEN];
}

unsigned fake_sq_thread_run(struct fake_ring *ring, unsigned nr)
{
	return fake_take_sqes(ring, nr);
}

void fake_sq_thread_sleep(struct fake_ring *ring)
{
	__atomic_fetch_or(ring->sq_flags, IORING_SQ_NEED_WAKEUP, __ATOMIC_SEQ_CST);
}

/* The answer to the submitting half of an enter, where a thread polls the SQ. */
long fake_poll_thread_enter(struct fake_ring *ring, unsigned to_submit, unsigned flags)
{
	if (flags & IORING_ENTER_SQ_WAKEUP)
		__atomic_fetch_and(ring->sq_flags, ~IORING_SQ_NEED_WAKEUP, __ATOMIC_SEQ_CST);
	else if (*ring->sq_flags & IORING_SQ_NEED_WAKEUP)
		return to_submit;
	if (flags & (IORING_ENTER_SQ_WAKEUP | IORING_ENTER_SQ_WAIT))
		fake_take_sqes(ring, FAKE_ALL);
	return to_submit;
}
