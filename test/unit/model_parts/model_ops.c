/* SPDX-License-Identifier: MIT */
/*
 * The operations, and what holds after each of them.
 */
#include "model_private.h"

static bool kernel_acts(struct model *m)
{
	model_begin_call(m);
	return model_kernel_act(m, m->op->a);
}

static bool thread_runs(struct model *m)
{
	if (!m->sqpoll || (*m->kernel->sq_flags & IORING_SQ_NEED_WAKEUP))
		return false;
	model_begin_call(m);
	fake_sq_thread_run(m->kernel, m->op->a % 4 ? FAKE_ALL : 1);
	return true;
}

static bool thread_sleeps(struct model *m)
{
	if (!m->sqpoll || (m->op->a & 1))
		return false;
	model_begin_call(m);
	fake_sq_thread_sleep(m->kernel);
	return true;
}

static bool register_ring(struct model *m)
{
	int ret;

	if (m->old)
		return false;
	model_begin_call(m);
	ret = m->registered ? io_uring_unregister_ring_fd(&m->ring) :
			      io_uring_register_ring_fd(&m->ring);
	model_check(ret == 1, "registering the ring: %d", ret);
	m->registered = !m->registered;
	return true;
}

static bool toggle(struct model *m)
{
	bool on = m->op->a & 1;
	int ret;

	model_begin_call(m);
	if (m->op->b & 1) {
		ret = io_uring_cq_eventfd_toggle(&m->ring, on);
		model_check(!ret && io_uring_cq_eventfd_enabled(&m->ring) == on,
			    "the eventfd does not get %s", on ? "on" : "off");
		model_check(!(*m->kernel->cq_flags & IORING_CQ_EVENTFD_DISABLED) == on,
			    "the kernel does not see the eventfd %s", on ? "on" : "off");
		return true;
	}
	if (m->old)
		return false;
	ret = io_uring_set_iowait(&m->ring, on);
	model_check(!ret, "set_iowait: %d", ret);
	m->no_iowait = !on;
	return true;
}

static bool sabotage(struct model *m)
{
	m->ring.sq.sqe_tail++;
	return true;
}

static const struct op_kind {
	const char *name;
	bool (*run)(struct model *m);
	unsigned weight;
} op_kinds[] = {
	{ "get_sqe", model_get_sqes, 14 },
	{ "get_sqe128", model_get_sqe128, 4 },
	{ "submit", model_submit, 14 },
	{ "wait", model_wait, 16 },
	{ "peek", model_peek, 4 },
	{ "cqe_seen", model_seen, 12 },
	{ "peek_batch", model_batch, 10 },
	{ "iterate", model_iterate, 10 },
	{ "kernel acts", kernel_acts, 16 },
	{ "SQ thread runs", thread_runs, 4 },
	{ "SQ thread sleeps", thread_sleeps, 2 },
	{ "sqring_wait", model_sqring_wait, 2 },
	{ "resize", model_resize, 1 },
	{ "register ring", register_ring, 1 },
	{ "toggle", toggle, 2 },
};

#define NR_OPS (sizeof(op_kinds) / sizeof(op_kinds[0]))

unsigned model_op_of(unsigned code)
{
	static unsigned char ops[MODEL_OP_SABOTAGE];
	unsigned i, k, nr = 0;

	if (!ops[sizeof(ops) - 1])
		while (nr < sizeof(ops))
			for (i = 0; i < NR_OPS; i++)
				for (k = 0; k < op_kinds[i].weight && nr < sizeof(ops); k++)
					ops[nr++] = (unsigned char)(i + 1);
	return ops[code % sizeof(ops)] - 1U;
}

const char *model_op_name(unsigned code)
{
	return code == MODEL_OP_SABOTAGE ? "sabotage" : op_kinds[model_op_of(code)].name;
}

static void check_state(const struct model *m)
{
	const struct io_uring *ring = &m->ring;
	unsigned tail = model_sq_tail(m);

	model_check(io_uring_sq_ready(ring) == m->sq_slots, "sq_ready is %u and not %u",
		    io_uring_sq_ready(ring), m->sq_slots);
	model_check(io_uring_sq_space_left(ring) == m->sq_entries - m->sq_slots,
		    "sq_space_left is %u of %u", io_uring_sq_space_left(ring), m->sq_entries);
	model_check(ring->sq.sqe_tail == tail, "sqe_tail is %u and not %u", ring->sq.sqe_tail,
		    tail);
	if (!m->rewind)
		model_check(*m->kernel->sq_tail == m->published, "the SQ's tail is %u and not %u",
			    *m->kernel->sq_tail, m->published);
	model_check(*m->kernel->cq_head == m->cq_head, "the CQ's head is %u and not %u",
		    *m->kernel->cq_head, m->cq_head);
	model_check(io_uring_cq_ready(ring) == m->cq_slots, "cq_ready is %u and not %u",
		    io_uring_cq_ready(ring), m->cq_slots);
	model_check(io_uring_cq_has_overflow(ring) == (m->kernel->overflow.nr != 0),
		    "cq_has_overflow with %u", m->kernel->overflow.nr);
	model_check(!fake.nr_wrong, "the fake kernel objects");
}

/* Returns whether the operation was possible. */
bool model_do_op(struct model *m, const struct model_op *op)
{
	bool done;

	m->op = op;
	m->rand = op->seed * 0x01010101U + op->then;
	if (op->code == MODEL_OP_SABOTAGE)
		done = sabotage(m);
	else
		done = op_kinds[model_op_of(op->code)].run(m);
	check_state(m);
	return done;
}
