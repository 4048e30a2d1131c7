/* SPDX-License-Identifier: MIT */
/*
 * The waits: whatever happens in their enters, what comes back follows from what
 * the kernel took, what it posted, and how it ended the wait.
 */
#include "model_private.h"

#define POISON ((struct io_uring_cqe *)&model.ring)

void model_begin_call(struct model *m)
{
	memset(&m->call, 0, sizeof(m->call));
}

enum wait_fn {
	WAIT_CQE,
	WAIT_CQE_NR,
	WAIT_CQES,
	WAIT_CQE_TIMEOUT,
	WAIT_CQES_MIN_TIMEOUT,
	GET_CQE,
	SUBMIT_AND_WAIT_TIMEOUT,
	SUBMIT_AND_WAIT_MIN_TIMEOUT,
	NR_WAIT_FNS,
};

static int do_wait(struct model *m, enum wait_fn fn, struct io_uring_cqe **cqe)
{
	struct __kernel_timespec ts = { .tv_nsec = 1 + m->op->c * 1000000LL };
	struct __kernel_timespec *time = m->op->c & 1 ? &ts : NULL;
	struct model_call *call = &m->call;
	unsigned nr = m->op->b % 10;

	call->is_wait = true;
	call->wait_nr = nr;
	call->time_ns = ts.tv_nsec;
	switch (fn) {
	case WAIT_CQE:
		call->wait_nr = 1;
		return io_uring_wait_cqe(&m->ring, cqe);
	case WAIT_CQE_NR:
		return io_uring_wait_cqe_nr(&m->ring, cqe, nr);
	case WAIT_CQES:
		call->timed = time;
		call->submits = time && m->old;
		call->has_ext_arg = time && !m->old;
		return io_uring_wait_cqes(&m->ring, cqe, nr, time, NULL);
	case WAIT_CQE_TIMEOUT:
		call->wait_nr = 1;
		call->timed = time;
		call->submits = time && m->old;
		call->has_ext_arg = time && !m->old;
		return io_uring_wait_cqe_timeout(&m->ring, cqe, time);
	case WAIT_CQES_MIN_TIMEOUT:
		call->timed = time;
		call->has_ext_arg = true;
		return io_uring_wait_cqes_min_timeout(&m->ring, cqe, nr, time, m->op->c / 2, NULL);
	case GET_CQE:
		return __io_uring_get_cqe(&m->ring, cqe, 0, nr, NULL);
	case SUBMIT_AND_WAIT_TIMEOUT:
		call->submits = true;
		call->timed = time;
		call->has_ext_arg = time && !m->old;
		return io_uring_submit_and_wait_timeout(&m->ring, cqe, nr, time, NULL);
	default:
		call->submits = true;
		call->timed = time;
		call->has_ext_arg = true;
		return io_uring_submit_and_wait_min_timeout(&m->ring, cqe, nr, time, m->op->c / 2,
							    NULL);
	}
}

/* What is at the head now is the program's, or was not looked at after an error. */
static void sync_head(struct model *m)
{
	while (m->cq_head != *m->kernel->cq_head) {
		model_check(m->nr_cq && model_is_internal(m, model_cqe_at(m, 0)),
			    "a wait moved the head to %u, from %u", *m->kernel->cq_head,
			    m->cq_head);
		model_release(m, 1);
	}
}

static void check_error(const struct model *m, int ret)
{
	const struct model_call *call = &m->call;

	if (call->nr_enters && call->last->ret < 0 && call->last->ret == ret)
		return;
	switch (ret) {
	case -EAGAIN:
		/* Nothing to wait for; or no room for the timeout, which a submit did not make. */
		model_check(!call->wait_nr || (m->old && call->timed), "a wait for %u: -EAGAIN",
			    call->wait_nr);
		break;
	case -ETIME:
		model_check(call->timed && (m->old || (call->began_ns && model_time_left(m) <= 0)),
			    "-ETIME that no enter gave");
		break;
	case -EINTR:
		model_check(m->old && call->timed, "-EINTR that no enter gave");
		break;
	default:
		model_fail("a wait: %d", ret);
	}
}

/* A wait that came back with less than was asked for has a reason. */
static void check_enough(const struct model *m)
{
	const struct model_call *call = &m->call;

	if (m->cq_slots >= model_nr_wanted(m))
		return;
	model_check(call->nr_enters, "%u CQEs of %u, and no enter", m->cq_slots, call->wait_nr);
	if (call->last->ret < 0)
		return;
	model_check(call->last->ret == (long)call->wants || m->sqpoll,
		    "the wait for %u was given up after a part", call->wait_nr);
	model_check((call->flags & IORING_ENTER_GETEVENTS) &&
			    (call->min_complete >= call->wait_nr || call->min_complete == 1),
		    "%u CQEs are there, of %u, and the last wait was for %u", m->cq_slots,
		    call->wait_nr, call->min_complete);
}

static void check_outcome(const struct model *m, enum wait_fn fn, int ret,
			  const struct io_uring_cqe *cqe, unsigned pending)
{
	const struct model_call *call = &m->call;
	bool failed = call->nr_enters && call->last->ret < 0;
	bool counts = fn == SUBMIT_AND_WAIT_TIMEOUT || fn == SUBMIT_AND_WAIT_MIN_TIMEOUT;
	unsigned nr = !counts ? 0 : m->sqpoll ? pending : call->nr_taken;

	model_check(cqe != POISON, "the CQE pointer was not written");
	model_check_time(m);
	if (cqe)
		model_check_cqe(m, cqe, 0);
	if (ret < 0) {
		model_check(!cqe, "%d, and a CQE", ret);
		if (counts)
			model_check(!call->nr_taken, "%d, and %u SQEs were taken", ret,
				    call->nr_taken);
		check_error(m, ret);
	} else {
		model_check(ret == (int)nr, "the result is %d and not %u", ret, nr);
		model_check(cqe || ret, "no error and no CQE");
		check_enough(m);
	}
	if (!failed || call->last->ret == -ETIME || (ret > 0 && !m->old))
		model_check(!m->nr_cq == !cqe ||
				    (ret == -EAGAIN && m->old && call->timed && call->nr_enters),
			    "%u CQEs are there, and %s is given", m->nr_cq, cqe ? "one" : "none");
}

bool model_wait(struct model *m)
{
	enum wait_fn fn = m->op->a % NR_WAIT_FNS;
	struct io_uring_cqe *cqe = POISON;
	unsigned pending = m->sq_slots;
	int ret;

	if (m->old && (fn == WAIT_CQES_MIN_TIMEOUT || fn == SUBMIT_AND_WAIT_MIN_TIMEOUT)) {
		model_begin_call(m);
		ret = fn == WAIT_CQES_MIN_TIMEOUT ?
			      io_uring_wait_cqes_min_timeout(&m->ring, &cqe, 1, NULL, 1, NULL) :
			      io_uring_submit_and_wait_min_timeout(&m->ring, &cqe, 1, NULL, 1,
								   NULL);
		model_check(ret == -EINVAL && !cqe && !m->call.nr_enters, "a minimum wait: %d",
			    ret);
		return true;
	}
	model_begin_call(m);
	ret = do_wait(m, fn, &cqe);
	sync_head(m);
	if (m->call.submits && (m->call.nr_enters || !m->old || fn >= SUBMIT_AND_WAIT_TIMEOUT))
		m->published = model_sq_tail(m);
	if (m->old && m->call.submits && !m->call.nr_enters)
		m->published = *m->kernel->sq_tail;
	check_outcome(m, fn, ret, cqe, pending);
	return true;
}
