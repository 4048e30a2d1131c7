/* SPDX-License-Identifier: MIT */
/*
 * The fake kernel's posting half: requests become CQEs, in the ring or in the
 * lists of what the kernel holds back.
 */
#include "fake_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

unsigned fake_nr_ready(const struct fake_ring *ring)
{
	unsigned nr = *ring->cq_tail - __atomic_load_n(ring->cq_head, __ATOMIC_ACQUIRE);

	if (nr > ring->cq_entries)
		fake_wrong("the CQ was advanced by %u too many", -nr);
	return nr;
}

static void list_add(struct fake_cqe_list *list, struct fake_cqe cqe)
{
	void *cqes;

	if (list->nr == list->max) {
		list->max = list->max ? 2 * list->max : 64;
		cqes = realloc(list->cqes, list->max * sizeof(*list->cqes));
		if (!cqes)
			abort();
		list->cqes = cqes;
	}
	list->cqes[list->nr++] = cqe;
}

static void list_drop_first(struct fake_cqe_list *list, unsigned nr)
{
	if (!nr)
		return;
	list->nr -= nr;
	memmove(list->cqes, list->cqes + nr, list->nr * sizeof(*list->cqes));
}

static void set_flag(struct fake_ring *ring, unsigned flag, bool on)
{
	if (on)
		__atomic_fetch_or(ring->sq_flags, flag, __ATOMIC_RELAXED);
	else
		__atomic_fetch_and(ring->sq_flags, ~flag, __ATOMIC_RELAXED);
}

static void tell(struct fake_ring *ring, const struct fake_cqe *cqe, unsigned nr_slots)
{
	if (fake.on_cqe)
		fake.on_cqe(ring, cqe, nr_slots);
}

static struct io_uring_cqe *slot_at(const struct fake_ring *ring, unsigned pos)
{
	unsigned shift = !!(ring->flags & IORING_SETUP_CQE32);

	return &ring->cqes[(size_t)(pos & (ring->cq_entries - 1)) << shift];
}

/* Writes the CQE into the ring where it has room. */
static bool write_cqe(struct fake_ring *ring, const struct fake_cqe *from)
{
	bool is_big = (ring->flags & IORING_SETUP_CQE_MIXED) && (from->flags & IORING_CQE_F_32);
	bool with_extra = is_big || (ring->flags & IORING_SETUP_CQE32);
	unsigned tail = *ring->cq_tail;
	bool straddles = is_big && (tail & (ring->cq_entries - 1)) == ring->cq_entries - 1;
	unsigned nr_slots = 1U + is_big + straddles;
	struct io_uring_cqe *cqe = slot_at(ring, tail);

	if (ring->cq_entries - fake_nr_ready(ring) < nr_slots)
		return false;
	if (straddles) {
		memset(cqe, 0, sizeof(*cqe));
		cqe->flags = IORING_CQE_F_SKIP;
		tell(ring, &(struct fake_cqe){ .flags = IORING_CQE_F_SKIP }, 1);
		cqe = slot_at(ring, tail + 1);
	}
	cqe->user_data = from->user_data;
	cqe->res = from->res;
	cqe->flags = from->flags;
	if (with_extra)
		cqe->big_cqe[0] = cqe->big_cqe[1] = ~from->user_data;
	__atomic_store_n(ring->cq_tail, tail + nr_slots, __ATOMIC_RELEASE);
	tell(ring, from, 1U + is_big);
	return true;
}

static void post(struct fake_ring *ring, struct fake_cqe cqe)
{
	if (!ring->overflow.nr && write_cqe(ring, &cqe))
		return;
	++*ring->cq_overflow;
	if (!(ring->features & IORING_FEAT_NODROP))
		return;
	list_add(&ring->overflow, cqe);
	set_flag(ring, IORING_SQ_CQ_OVERFLOW, true);
}

/* Timeouts end also when enough CQEs were posted, those of timeouts not counted. */
static void end_counted_timeouts(struct fake_ring *ring)
{
	unsigned i;

	for (i = 0; i < ring->nr_reqs; i++) {
		struct fake_req *req = &ring->reqs[i];
		unsigned nr_counted = ring->nr_posted - ring->nr_timeouts;

		if (!req->counts || (int)(nr_counted - req->count_target) < 0)
			continue;
		req->counts = false;
		fake_finish(ring, req, 0);
		return;		/* which looked at the rest */
	}
}

void fake_post(struct fake_ring *ring, uint64_t user_data, int res, unsigned flags)
{
	struct fake_cqe cqe = { .user_data = user_data, .res = res, .flags = flags };

	post(ring, cqe);
	ring->nr_posted++;
	end_counted_timeouts(ring);
}

void fake_post_skip(struct fake_ring *ring)
{
	post(ring, (struct fake_cqe){ .flags = IORING_CQE_F_SKIP });
}

void fake_defer(struct fake_ring *ring, uint64_t user_data, int res)
{
	struct fake_cqe cqe = { .user_data = user_data, .res = res };

	list_add(&ring->task_work, cqe);
	if (ring->flags & IORING_SETUP_TASKRUN_FLAG)
		set_flag(ring, IORING_SQ_TASKRUN, true);
}

/* Brings everything into the ring that was held back, as far as it has room. */
void fake_flush(struct fake_ring *ring)
{
	unsigned i;

	for (i = 0; i < ring->overflow.nr; i++)
		if (!write_cqe(ring, &ring->overflow.cqes[i]))
			break;
	list_drop_first(&ring->overflow, i);
	set_flag(ring, IORING_SQ_CQ_OVERFLOW, ring->overflow.nr);

	set_flag(ring, IORING_SQ_TASKRUN, false);
	while (ring->task_work.nr) {
		struct fake_cqe cqe = ring->task_work.cqes[0];

		list_drop_first(&ring->task_work, 1);
		fake_post(ring, cqe.user_data, cqe.res, cqe.flags);
	}
}

/* Ends a request: it leaves the list, and its CQE appears. */
void fake_finish(struct fake_ring *ring, struct fake_req *req, int res)
{
	struct fake_req done = *req;
	size_t idx = (size_t)(req - ring->reqs);

	ring->nr_reqs--;
	memmove(req, req + 1, (ring->nr_reqs - idx) * sizeof(*req));
	ring->nr_timeouts += done.opcode == IORING_OP_TIMEOUT;
	if ((done.sqe_flags & IOSQE_CQE_SKIP_SUCCESS) && res >= 0)
		return;
	fake_post(ring, done.user_data, res, done.cqe_flags);
}

bool fake_complete(struct fake_ring *ring, uint64_t user_data, int res)
{
	unsigned i;

	for (i = 0; i < ring->nr_reqs; i++) {
		if (ring->reqs[i].user_data != user_data)
			continue;
		fake_finish(ring, &ring->reqs[i], res);
		return true;
	}
	fake_wrong("no request %#llx is in flight", (unsigned long long)user_data);
	return false;
}

/* The request that will complete first; of several, the oldest. */
struct fake_req *fake_next_due(struct fake_ring *ring)
{
	struct fake_req *next = NULL;
	unsigned i;

	for (i = 0; i < ring->nr_reqs; i++) {
		struct fake_req *req = &ring->reqs[i];

		if (req->due_ns != FAKE_NEVER && (!next || req->due_ns < next->due_ns))
			next = req;
	}
	return next;
}
