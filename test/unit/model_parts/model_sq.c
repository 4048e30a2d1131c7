/* SPDX-License-Identifier: MIT */
/*
 * The model's SQ: taking slots, submitting, resizing.
 */
#include "model_private.h"

unsigned model_sq_tail(const struct model *m)
{
	return (m->rewind ? 0 : m->sq_head) + m->sq_slots;
}

void model_pop_sqe(struct model *m)
{
	const struct model_sqe *e = &m->sq[m->sq_first % MODEL_MAX_SQ];

	m->sq_slots -= e->nr_slots;
	m->sq_head += e->nr_slots;
	m->sq_first++;
	m->nr_sq--;
}

static struct model_sqe *push_sqe(struct model *m, unsigned nr_slots)
{
	struct model_sqe *e = &m->sq[(m->sq_first + m->nr_sq) % MODEL_MAX_SQ];

	model_check(m->nr_sq < MODEL_MAX_SQ, "the model's SQ is full");
	m->nr_sq++;
	m->sq_slots += nr_slots;
	memset(e, 0, sizeof(*e));
	e->nr_slots = nr_slots;
	return e;
}

static struct io_uring_sqe *slot_of(const struct model *m, unsigned pos)
{
	return &m->ring.sq.sqes[(size_t)(pos & (m->sq_entries - 1)) << m->is_sqe128];
}

/* The slot is the one that follows, and clean; then a request is written to it. */
static void fill(struct model *m, struct io_uring_sqe *sqe, unsigned nr_slots)
{
	static const unsigned char zeros[128];
	size_t sz = m->is_sqe128 || nr_slots == 2 ? 128 : 64;
	unsigned how = model_rand(m);
	struct model_sqe *e;

	model_check(sqe == slot_of(m, model_sq_tail(m)), "the SQE is not in slot %u",
		    model_sq_tail(m) & (m->sq_entries - 1));
	model_check(!memcmp(sqe, zeros, sz), "the slot is not clean");

	e = push_sqe(m, nr_slots);
	e->user_data = m->next_id++;
	e->at_submit = (how & 3) == 0 || m->nr_in_flight + m->nr_sq >= MODEL_MAX_IN_FLIGHT;
	io_uring_prep_nop(sqe);
	io_uring_sqe_set_data64(sqe, e->user_data);
	if (nr_slots == 2)
		sqe->opcode = IORING_OP_NOP128;
	if (sz == 128)
		memset(sqe + 1, (int)(how & 255), 64);
	if (m->cqe_mixed && (how & 4) && nr_slots == 1)
		sqe->nop_flags = IORING_NOP_CQE32;
	if ((how & 0xf8) == 0xf8)
		sqe->flags |= IOSQE_CQE_SKIP_SUCCESS;
	sqe->personality = (__u16)how;
	memcpy(e->image, sqe, sz);
}

bool model_get_sqes(struct model *m)
{
	unsigned nr = 1 + m->op->a % 4;
	struct io_uring_sqe *sqe;

	model_begin_call(m);
	while (nr--) {
		sqe = io_uring_get_sqe(&m->ring);
		if (m->sq_slots == m->sq_entries) {
			model_check(!sqe, "an SQE of a full ring");
			return true;
		}
		model_check(sqe, "no SQE, and %u of %u are taken", m->sq_slots, m->sq_entries);
		fill(m, sqe, 1);
	}
	return true;
}

bool model_get_sqe128(struct model *m)
{
	bool at_end = (model_sq_tail(m) & (m->sq_entries - 1)) == m->sq_entries - 1;
	unsigned needs = !m->sqe_mixed ? 1 : at_end ? 3 : 2;
	struct io_uring_sqe *sqe, filler = { 0 };
	struct model_sqe *e;

	model_begin_call(m);
	sqe = io_uring_get_sqe128(&m->ring);
	if ((!m->is_sqe128 && !m->sqe_mixed) || m->sq_slots + needs > m->sq_entries) {
		model_check(!sqe, "a 128-byte SQE where there is no room for one");
		return true;
	}
	model_check(sqe, "no 128-byte SQE, and %u of %u slots are taken", m->sq_slots,
		    m->sq_entries);
	if (needs == 3) {
		e = push_sqe(m, 1);
		filler.opcode = IORING_OP_NOP;
		filler.flags = IOSQE_CQE_SKIP_SUCCESS;
		filler.fd = -1;
		memcpy(e->image, &filler, sizeof(filler));
		e->at_submit = true;
	}
	fill(m, sqe, m->sqe_mixed ? 2 : 1);
	return true;
}

/* The four functions that submit and give no CQE. */
bool model_submit(struct model *m)
{
	struct model_call *call = &m->call;
	unsigned pending = m->sq_slots, what = m->op->a % 8, expected;
	bool wakes = m->sqpoll && (*m->kernel->sq_flags & IORING_SQ_NEED_WAKEUP);
	int ret;

	model_begin_call(m);
	call->submits = what != 7;
	if (what <= 3) {
		expected = (m->sqpoll ? pending && wakes : pending != 0) || model_needs_flush(m);
		ret = io_uring_submit(&m->ring);
	} else if (what <= 5) {
		call->wait_nr = m->op->b % 8;
		expected = (m->sqpoll ? pending && wakes : pending != 0) || call->wait_nr ||
			   model_needs_flush(m);
		ret = io_uring_submit_and_wait(&m->ring, call->wait_nr);
	} else {
		call->gets_events = true;
		expected = 1;
		ret = what == 6 ? io_uring_submit_and_get_events(&m->ring) :
				  io_uring_get_events(&m->ring);
	}
	if (call->submits)
		m->published = model_sq_tail(m);
	model_check(call->nr_enters == expected, "%u enters and not %u", call->nr_enters, expected);
	if (call->nr_enters)
		model_check(ret == call->last->ret, "the result is %d, of the enter %ld", ret,
			    call->last->ret);
	if (ret >= 0 && m->sqpoll)
		model_check(ret == (int)(call->submits ? pending : 0), "%d of %u queued", ret,
			    pending);
	else
		model_check(ret < 0 ? !call->nr_taken : ret == (int)call->nr_taken,
			    "the result is %d, and %u were taken", ret, call->nr_taken);
	if (ret >= 0 && call->submits && !m->sqpoll && (m->op->submit & 7) < 5)
		model_check(!m->nr_sq, "%u SQEs are left", m->nr_sq);
	return true;
}

bool model_sqring_wait(struct model *m)
{
	bool waits = m->sqpoll && m->sq_slots == m->sq_entries;
	int ret;

	model_begin_call(m);
	m->call.sq_wait = true;
	ret = io_uring_sqring_wait(&m->ring);
	model_check(m->call.nr_enters == waits, "%u enters for room", m->call.nr_enters);
	model_check(ret == -m->call.err, "the wait for room: %d", ret);
	return true;
}

static int expected_resize(const struct model *m, const struct io_uring_params *p, int fault)
{
	unsigned sq = p->sq_entries, cq = p->flags & IORING_SETUP_CQSIZE ? p->cq_entries : 0;

	if (m->sqe_mixed && m->sq_slots)
		return -EBUSY;
	if (!sq)
		return -EINVAL;
	while (sq & (sq - 1))
		sq += sq & -sq;
	while (cq & (cq - 1))
		cq += cq & -cq;
	if (p->flags & IORING_SETUP_CQSIZE && cq < sq)
		return -EINVAL;
	if (!cq)
		cq = 2 * sq;
	if (m->sq_slots > sq)
		return -EOVERFLOW;
	if (fault)
		return -fault;
	return m->cq_slots > cq ? -EOVERFLOW : 0;
}

/* A large CQE of a mixed ring would straddle the new end; nobody resizes such a one. */
bool model_resize(struct model *m)
{
	struct io_uring_params p = { .sq_entries = m->op->a % 33, .cq_entries = m->op->b % 65 };
	int fault = (m->op->c & 7) == 0 ? ENOMEM : 0;
	struct io_uring before = m->ring;
	int expected, ret;

	if (!m->deferred || m->rewind || (m->cqe_mixed && (m->nr_cq || p.sq_entries < 4)))
		return false;
	if (m->op->c & 8)
		p.flags = IORING_SETUP_CQSIZE;
	if (m->cqe_mixed && p.flags && p.cq_entries < 4)
		return false;
	model_begin_call(m);
	expected = expected_resize(m, &p, fault);
	if (fault)
		fake_fail(-1, 1 + m->op->c / 16 % 3, fault);
	ret = io_uring_resize_rings(&m->ring, &p);
	fake_fail_never();
	model_check(ret == expected, "the resize: %d and not %d", ret, expected);
	model_check(!p.flags, "flags %#x after a resize", p.flags);
	if (ret) {
		model_check(!memcmp(&before, &m->ring, sizeof(before)),
			    "a resize that failed changed the ring");
		return true;
	}
	model_check(p.sq_entries <= MODEL_MAX_SQ && p.cq_entries <= MODEL_MAX_CQ, "the sizes");
	m->sq_entries = p.sq_entries;
	m->cq_entries = p.cq_entries;
	return true;
}
