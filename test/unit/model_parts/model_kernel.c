/* SPDX-License-Identifier: MIT */
/*
 * The model's kernel: what it does in an enter stands in the operation, and each
 * enter, each SQE that it takes and each CQE that it posts is looked at here.
 */
#include "model_private.h"

unsigned model_rand(struct model *m)
{
	m->rand = m->rand * 1664525U + 1013904223U;
	return m->rand >> 16;
}

bool model_needs_flush(const struct model *m)
{
	return *m->kernel->sq_flags & (IORING_SQ_CQ_OVERFLOW | IORING_SQ_TASKRUN);
}

static bool complete_one(struct model *m)
{
	unsigned idx;
	uint64_t user_data;

	if (!m->nr_in_flight)
		return false;
	idx = model_rand(m) % m->nr_in_flight;
	user_data = m->in_flight[idx];
	m->in_flight[idx] = m->in_flight[--m->nr_in_flight];
	return fake_complete(m->kernel, user_data, (int)(model_rand(m) % 64) - 16);
}

/* One thing happens in the kernel. Returns false where it cannot. */
bool model_kernel_act(struct model *m, unsigned what)
{
	struct fake_ring *kernel = m->kernel;

	if (kernel->overflow.nr + kernel->task_work.nr >= MODEL_MAX_HELD)
		return false;
	switch (what % 8) {
	case 0:
		fake_post(kernel, m->next_id++, (int)(model_rand(m) % 100), IORING_CQE_F_MORE);
		return true;
	case 1:
		if (!m->deferred)
			return complete_one(m);
		fake_defer(kernel, m->next_id++, (int)(model_rand(m) % 100));
		return true;
	case 2:
		fake_post(kernel, m->next_id++, 0, m->cqe_mixed ? IORING_CQE_F_32 : 0);
		return true;
	case 3:
		if (!m->cqe_mixed)
			return complete_one(m);
		fake_post_skip(kernel);
		return true;
	default:
		return complete_one(m);
	}
}

static void then_act(struct fake_ring *kernel)
{
	unsigned nr = model.op->then & 3;

	while (nr--)
		model_kernel_act(&model, model_rand(&model));
}

/* Whole SQEs, from the first on, that are at most this many slots; but at least one. */
static unsigned whole_sqes(const struct model *m, unsigned max)
{
	unsigned i, nr = 0, slots;

	for (i = 0; i < m->nr_sq; i++) {
		slots = m->sq[(m->sq_first + i) % MODEL_MAX_SQ].nr_slots;
		if (i && nr + slots > max)
			break;
		nr += slots;
	}
	return nr;
}

static void check_to_submit(const struct model *m, unsigned to_submit)
{
	const struct model_call *call = &m->call;
	unsigned expected = call->submits ? m->sq_slots : 0;
	unsigned tail = *m->kernel->sq_tail;
	bool may_be_private = m->old && call->timed;

	if (m->sqpoll && call->nr_enters)
		expected = 0;
	model_check(to_submit == expected || (may_be_private && to_submit == m->sq_slots + 1) ||
			    (may_be_private && !to_submit && call->nr_enters),
		    "an enter passes %u of %u SQEs", to_submit, expected);
	if (m->rewind)
		return;
	if (!call->submits)
		model_check(tail == m->published, "the SQ's tail was moved to %u", tail);
	else if (to_submit)
		model_check(tail == m->sq_head + to_submit, "the tail is %u and not %u", tail,
			    m->sq_head + to_submit);
}

/*
 * The rule of the get-CQE loop: an enter that took all that it was given has
 * waited, and there is no other unless it had nothing to take and no CQE came.
 */
static void check_another(const struct model *m, unsigned to_submit, unsigned min_complete)
{
	const struct model_call *call = &m->call;
	long ret = call->last->ret;

	model_check(call->is_wait, "a second enter");
	model_check(ret >= 0, "an enter after one that failed with %ld", ret);
	if ((unsigned)ret != call->wants)
		return;
	/* Where there was no room for the timeout, what was there went first. */
	if (m->old && call->timed && call->nr_enters == 1 && !call->min_complete && to_submit)
		return;
	model_check(call->flags & IORING_ENTER_GETEVENTS, "an enter after one that took all");
	model_check(!to_submit, "%u SQEs are passed again", to_submit);
	model_check(!m->nr_cq && (!ret || m->old), "a second wait with %u CQEs there", m->nr_cq);
	model_check(min_complete == 1, "the second wait is for %u", min_complete);
}

int64_t model_time_left(const struct model *m)
{
	return m->call.time_ns - (fake.now_ns - m->call.began_ns);
}

/* The time of the last enter is the program's, or after a wait in vain what is left of it. */
void model_check_time(const struct model *m)
{
	const struct model_call *call = &m->call;

	if (!call->nr_enters || !call->timed || m->old || call->last->timeout_ns < 0)
		return;
	model_check(call->last->timeout_ns == call->left_ns, "a time of %lld and not %lld",
		    (long long)call->last->timeout_ns, (long long)call->left_ns);
}

static void note_time(struct model *m, unsigned to_submit)
{
	struct model_call *call = &m->call;

	model_check_time(m);
	call->left_ns = call->began_ns ? model_time_left(m) : call->time_ns;
	if (!to_submit && !call->began_ns)
		call->began_ns = fake.now_ns;
}

static void check_flags(const struct model *m, unsigned to_submit, unsigned flags)
{
	const struct model_call *call = &m->call;
	unsigned expected = 0, cares = ~0U;

	if (m->registered)
		expected |= IORING_ENTER_REGISTERED_RING;
	if (m->no_iowait)
		expected |= IORING_ENTER_NO_IOWAIT;
	if (call->has_ext_arg)
		expected |= IORING_ENTER_EXT_ARG;
	if (call->sq_wait)
		expected |= IORING_ENTER_SQ_WAIT;
	if (m->sqpoll && to_submit && (*m->kernel->sq_flags & IORING_SQ_NEED_WAKEUP))
		expected |= IORING_ENTER_SQ_WAKEUP;
	if (!call->is_wait) {
		if (call->wait_nr || call->gets_events || (!call->sq_wait && model_needs_flush(m)))
			expected |= IORING_ENTER_GETEVENTS;
	} else if (!call->nr_enters && !(m->old && call->timed)) {
		if (model_nr_wanted(m) > m->cq_slots ||
		    ((to_submit || !m->nr_cq) && model_needs_flush(m)))
			expected |= IORING_ENTER_GETEVENTS;
	} else if (to_submit) {
		cares = ~(unsigned)IORING_ENTER_GETEVENTS;
	} else {
		expected |= IORING_ENTER_GETEVENTS;
	}
	model_check((flags & cares) == expected, "flags %#x of an enter and not %#x", flags,
		    expected);
}

/* What the library has released during a wait or a peek: what is none of the program's. */
static void sync_internal(struct model *m)
{
	while (m->cq_head != *m->kernel->cq_head) {
		model_check(m->nr_cq && model_is_internal(m, model_cqe_at(m, 0)),
			    "the CQ's head is %u and not %u", *m->kernel->cq_head, m->cq_head);
		model_release(m, 1);
	}
}

static void choose_end_of_wait(struct model *m, struct fake_step *step, unsigned min_complete)
{
	struct model_call *call = &m->call;

	if (min_complete <= m->cq_slots)
		return;
	/* By time, or by a signal; without a timeout only that. */
	if (call->timed && (m->op->wait & 3))
		return;
	call->interrupted = true;
	if (!call->nr_enters && (m->op->wait & 4))
		step->early = true;
	else
		step->wait_err = EINTR;
}

static void on_enter(struct fake_ring *kernel, const struct fake_call *fake_call,
		     struct fake_step *step)
{
	static const int errs[] = { EAGAIN, EBUSY, EINTR, EBADR, ENOMEM, EBADFD, EEXIST, EINVAL };
	struct model *m = &model;
	struct model_call *call = &m->call;
	unsigned to_submit = (unsigned)fake_call->args[1];
	unsigned min_complete = (unsigned)fake_call->args[2];
	unsigned flags = (unsigned)fake_call->args[3];
	unsigned how = m->op->submit;

	sync_internal(m);
	check_to_submit(m, to_submit);
	if (call->nr_enters)
		check_another(m, to_submit, min_complete);
	else
		model_check(min_complete == model_nr_wanted(m) || (m->old && call->timed),
			    "an enter waits for %u", min_complete);
	check_flags(m, to_submit, flags);
	note_time(m, to_submit);

	/* A time that moves, so that no enter is in vain. */
	step->advance_ns = 1 + (m->op->c & 15) * 1000;
	if ((how & 7) == 7 || (call->nr_enters && (how & 15) == 6)) {
		step->err = errs[(how >> 4) % 8];
		call->err = step->err;
	} else if ((how & 7) >= 5 && to_submit > 1 && !m->sqpoll && !call->nr_enters) {
		step->leave = to_submit - whole_sqes(m, 1 + (how >> 3) % to_submit);
	}
	step->then = then_act;
	if (flags & IORING_ENTER_GETEVENTS)
		choose_end_of_wait(m, step, min_complete);

	call->wants = to_submit;
	call->min_complete = min_complete;
	call->flags = flags;
	call->last = fake_call;
	call->nr_enters++;
	model_check(call->nr_enters < 64, "enters without an end");
}

static void on_sqe(struct fake_ring *kernel, const struct io_uring_sqe *sqe, struct fake_req *req)
{
	struct model *m = &model;
	struct model_sqe *e = &m->sq[m->sq_first % MODEL_MAX_SQ];
	size_t sz = m->is_sqe128 || e->nr_slots == 2 ? 128 : 64;

	if (!m->nr_sq) {
		model_check(m->old && m->call.timed && sqe->opcode == IORING_OP_TIMEOUT &&
				    sqe->user_data == LIBURING_UDATA_TIMEOUT,
			    "the kernel finds SQE %#llx where there is none",
			    (unsigned long long)sqe->user_data);
		m->sq_head++;
		m->published++;
		return;
	}
	model_check(!memcmp(sqe, e->image, sz), "SQE %#llx arrives as %#llx, or changed",
		    (unsigned long long)e->user_data, (unsigned long long)sqe->user_data);
	if (!m->call.submits && !m->rewind)
		model_check((int)(m->published - m->sq_head) >= (int)e->nr_slots,
			    "SQE %#llx was not published", (unsigned long long)e->user_data);
	req->res = 0;
	req->due_ns = e->at_submit ? FAKE_AT_SUBMIT : FAKE_NEVER;
	if (!e->at_submit)
		m->in_flight[m->nr_in_flight++] = e->user_data;
	m->call.nr_taken += e->nr_slots;
	model_pop_sqe(m);
}

static void on_cqe(struct fake_ring *kernel, const struct fake_cqe *cqe, unsigned nr_slots)
{
	const struct model_cqe entry = {
		.user_data = cqe->user_data,
		.res = cqe->res,
		.flags = cqe->flags,
		.nr_slots = nr_slots,
	};

	model_push_cqe(&model, &entry);
}

void model_kernel_hooks(void)
{
	fake.on_enter = on_enter;
	fake.on_sqe = on_sqe;
	fake.on_cqe = on_cqe;
}
