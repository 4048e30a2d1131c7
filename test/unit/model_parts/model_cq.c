/* SPDX-License-Identifier: MIT */
/*
 * The model's CQ, and what looks into it without waiting.
 */
#include "model_private.h"

#define MAX_BATCH 24

const struct model_cqe *model_cqe_at(const struct model *m, unsigned idx)
{
	return &m->cq[(m->cq_first + idx) % MODEL_MAX_CQ];
}

/* None of the program's: a filler, or a timeout of the library's own. */
bool model_is_internal(const struct model *m, const struct model_cqe *cqe)
{
	return (m->cqe_mixed && (cqe->flags & IORING_CQE_F_SKIP)) ||
	       (m->old && cqe->user_data == LIBURING_UDATA_TIMEOUT);
}

/* The slots that a wait is for: those of old timeouts of the library's own come on top. */
unsigned model_nr_wanted(const struct model *m)
{
	unsigned i, nr = m->call.wait_nr;

	if (!m->old || !m->call.is_wait || nr < 2 || nr > m->cq_entries)
		return nr;
	for (i = 0; i < m->nr_cq; i++)
		nr += model_cqe_at(m, i)->user_data == LIBURING_UDATA_TIMEOUT;
	return nr;
}

void model_push_cqe(struct model *m, const struct model_cqe *cqe)
{
	model_check(m->nr_cq < MODEL_MAX_CQ, "the model's CQ is full");
	m->cq[(m->cq_first + m->nr_cq) % MODEL_MAX_CQ] = *cqe;
	m->nr_cq++;
	m->cq_slots += cqe->nr_slots;
}

void model_release(struct model *m, unsigned nr)
{
	unsigned slots;

	while (nr--) {
		slots = model_cqe_at(m, 0)->nr_slots;
		m->cq_head += slots;
		m->cq_slots -= slots;
		m->cq_first++;
		m->nr_cq--;
	}
}

static void release_internal(struct model *m)
{
	while (m->nr_cq && model_is_internal(m, model_cqe_at(m, 0)))
		model_release(m, 1);
}

/* The CQE that the library gave is entry idx of the model's. */
void model_check_cqe(const struct model *m, const struct io_uring_cqe *cqe, unsigned idx)
{
	const struct model_cqe *e = model_cqe_at(m, idx);
	const struct io_uring_cqe *slot;
	unsigned i, pos = m->cq_head;

	model_check(idx < m->nr_cq, "a CQE of %u that are there", m->nr_cq);
	for (i = 0; i < idx; i++)
		pos += model_cqe_at(m, i)->nr_slots;
	slot = &m->ring.cq.cqes[(size_t)(pos & (m->cq_entries - 1)) << m->is_cqe32];
	model_check(cqe == slot, "CQE %u is not in the slot of position %u", idx, pos);
	if (m->cqe_mixed && (e->flags & IORING_CQE_F_SKIP)) {
		model_check(cqe->flags == e->flags, "a filler with flags %#x", cqe->flags);
		return;
	}
	model_check(cqe->user_data == e->user_data && cqe->res == e->res && cqe->flags == e->flags,
		    "CQE %#llx %d %#x and not %#llx %d %#x", (unsigned long long)cqe->user_data,
		    cqe->res, cqe->flags, (unsigned long long)e->user_data, e->res, e->flags);
	if (m->is_cqe32 || e->nr_slots == 2)
		model_check(cqe->big_cqe[0] == ~cqe->user_data &&
				    cqe->big_cqe[1] == ~cqe->user_data,
			    "the second half of CQE %#llx", (unsigned long long)cqe->user_data);
}

/* A look that enters once where the ring is empty and the kernel holds CQEs back. */
static void begin_look(struct model *m, unsigned *nr_expected)
{
	model_begin_call(m);
	m->call.gets_events = true;
	release_internal(m);
	*nr_expected = !m->nr_cq && model_needs_flush(m);
}

static void end_look(struct model *m, unsigned nr_expected)
{
	model_check(m->call.nr_enters == nr_expected, "%u enters by a look and not %u",
		    m->call.nr_enters, nr_expected);
	if (!m->call.err)
		release_internal(m);
}

static struct io_uring_cqe *look(struct model *m)
{
	struct io_uring_cqe *cqe = (struct io_uring_cqe *)&m->ring;
	unsigned nr_expected;
	int ret;

	begin_look(m, &nr_expected);
	ret = io_uring_peek_cqe(&m->ring, &cqe);
	end_look(m, nr_expected);
	if (!m->nr_cq || m->call.err) {
		model_check(!cqe, "a peek gives a CQE where there is none");
		model_check(ret == (m->call.err ? -m->call.err : -EAGAIN), "an empty peek: %d",
			    ret);
		return NULL;
	}
	model_check(!ret && cqe, "a peek: %d", ret);
	model_check_cqe(m, cqe, 0);
	return cqe;
}

bool model_peek(struct model *m)
{
	struct io_uring_cqe *cqe = look(m);

	if (!cqe)
		io_uring_cqe_seen(&m->ring, NULL);
	return true;
}

bool model_seen(struct model *m)
{
	unsigned nr = 1 + m->op->a % 3;
	struct io_uring_cqe *cqe;

	while (nr-- && (cqe = look(m))) {
		io_uring_cqe_seen(&m->ring, cqe);
		model_release(m, 1);
	}
	return true;
}

/* How many of a run of CQEs from the head a batch gives. */
static unsigned batch_len(const struct model *m, unsigned count)
{
	unsigned n = 0;

	while (n < count && n < m->nr_cq && !model_is_internal(m, model_cqe_at(m, n)))
		n++;
	return n;
}

/* Releases the first nr CQEs of these: one by one, or their slots at once. */
static void release(struct model *m, struct io_uring_cqe **cqes, unsigned nr)
{
	unsigned i, slots = 0;

	if (m->op->c & 1) {
		for (i = 0; i < nr; i++) {
			io_uring_cqe_seen(&m->ring, cqes[i]);
			model_release(m, 1);
		}
		return;
	}
	for (i = 0; i < nr; i++)
		slots += m->cqe_mixed ? io_uring_cqe_nr(cqes[i]) : 1;
	io_uring_cq_advance(&m->ring, slots);
	model_release(m, nr);
}

bool model_batch(struct model *m)
{
	struct io_uring_cqe *cqes[MAX_BATCH + 1];
	unsigned count = m->op->a % (MAX_BATCH + 1);
	unsigned i, nr, expected, nr_expected;

	cqes[count] = (struct io_uring_cqe *)&m->ring;
	if (!m->cqe_mixed && !m->old && !count)
		return false;
	begin_look(m, &nr_expected);
	if (!count)
		nr_expected = 0;
	nr = io_uring_peek_batch_cqe(&m->ring, cqes, count);
	end_look(m, nr_expected);
	expected = m->call.err ? 0 : batch_len(m, count);
	model_check(nr == expected, "a batch of %u and not %u", nr, expected);
	for (i = 0; i < nr; i++)
		model_check_cqe(m, cqes[i], i);
	model_check(cqes[count] == (struct io_uring_cqe *)&m->ring, "a batch beyond its end");
	release(m, cqes, m->op->b % (nr + 1));
	return true;
}

bool model_iterate(struct model *m)
{
	struct io_uring_cqe *cqes[MODEL_MAX_CQ], *cqe;
	unsigned head, nr = 0, pos = m->cq_head;
	unsigned max = m->op->a & 1 ? MODEL_MAX_CQ : m->op->a % 8;

	model_begin_call(m);
	io_uring_for_each_cqe (&m->ring, head, cqe) {
		if (nr == max)
			break;
		model_check_cqe(m, cqe, nr);
		model_check(head == pos, "position %u and not %u", head, pos);
		pos += model_cqe_at(m, nr)->nr_slots;
		cqes[nr++] = cqe;
	}
	model_check(nr == (max < m->nr_cq ? max : m->nr_cq), "a walk over %u of %u", nr, m->nr_cq);
	model_check(!m->call.nr_enters, "a walk enters");
	release(m, cqes, m->op->b % (nr + 1));
	return true;
}
