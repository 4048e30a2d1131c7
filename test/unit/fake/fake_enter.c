/* SPDX-License-Identifier: MIT */
/*
 * io_uring_enter of the fake kernel.
 *
 * What counts for its callers: an enter that did not take all that it was given
 * does not wait; what was taken is reported before any error of the wait; and the
 * wait's own error is reported only when the CQ is empty. A timeout request that
 * ends in a wait ends the wait, too.
 */
#include "fake_private.h"

#include <errno.h>
#include <string.h>

#define KNOWN_FLAGS                                                                \
	(IORING_ENTER_GETEVENTS | IORING_ENTER_SQ_WAKEUP | IORING_ENTER_SQ_WAIT |  \
	 IORING_ENTER_EXT_ARG | IORING_ENTER_REGISTERED_RING |                     \
	 IORING_ENTER_ABS_TIMER | IORING_ENTER_EXT_ARG_REG | IORING_ENTER_NO_IOWAIT)

/* So many enters in a row that changed nothing are a loop without an end. */
#define MAX_IDLE_ENTERS 1000

/* The time that polling a device in vain takes. */
#define POLL_NS 10000000

struct wait_arg {
	int64_t deadline_ns;
	int64_t min_wait_ns;	/* the time after which one CQE is enough */
};

static unsigned nr_idle;

static int64_t add_timespec(int64_t to, const struct __kernel_timespec *ts)
{
	int64_t ns;

	if (__builtin_mul_overflow((int64_t)ts->tv_sec, 1000000000, &ns) ||
	    __builtin_add_overflow(ns, (int64_t)ts->tv_nsec, &ns) ||
	    __builtin_add_overflow(ns, to, &ns))
		return INT64_MAX;
	return ns;
}

static int parse_ext_arg(struct fake_call *call, struct wait_arg *arg)
{
	const struct __kernel_timespec *ts;
	const void *ptr = (const void *)call->args[4];

	if (call->args[5] != sizeof(struct io_uring_getevents_arg))
		return -EINVAL;
	if (!ptr)
		return -EFAULT;
	memcpy(&call->ext_arg, ptr, sizeof(call->ext_arg));
	call->has_ext_arg = true;
	if (call->ext_arg.min_wait_usec && !(fake.features & IORING_FEAT_MIN_TIMEOUT))
		return -EINVAL;
	if (call->ext_arg.sigmask && call->ext_arg.sigmask_sz != 8)
		return -EINVAL;
	if (call->ext_arg.min_wait_usec)
		arg->min_wait_ns = fake.now_ns + (int64_t)call->ext_arg.min_wait_usec * 1000;
	if (call->ext_arg.ts) {
		ts = (const struct __kernel_timespec *)(uintptr_t)call->ext_arg.ts;
		arg->deadline_ns = add_timespec(fake.now_ns, ts);
		call->timeout_ns = add_timespec(0, ts);
	}
	return 0;
}

static int parse_reg_arg(const struct fake_ring *ring, struct fake_call *call,
			 struct wait_arg *arg)
{
	size_t off = (size_t)call->args[4];
	const struct io_uring_reg_wait *wait;

	if (call->args[5] != sizeof(struct io_uring_reg_wait))
		return -EINVAL;
	if (!ring->wait_args || off % sizeof(*wait) || off >= ring->wait_args_sz ||
	    ring->wait_args_sz - off < sizeof(*wait))
		return -EFAULT;
	wait = &ring->wait_args[off / sizeof(*wait)];
	if (wait->flags & IORING_REG_WAIT_TS) {
		arg->deadline_ns = add_timespec(fake.now_ns, &wait->ts);
		call->timeout_ns = add_timespec(0, &wait->ts);
	}
	if (wait->min_wait_usec)
		arg->min_wait_ns = fake.now_ns + (int64_t)wait->min_wait_usec * 1000;
	return 0;
}

static int parse_arg(const struct fake_ring *ring, struct fake_call *call, struct wait_arg *arg)
{
	unsigned flags = (unsigned)call->args[3];

	*arg = (struct wait_arg){ INT64_MAX, INT64_MAX };
	if (flags & IORING_ENTER_EXT_ARG_REG)
		return parse_reg_arg(ring, call, arg);
	if (flags & IORING_ENTER_EXT_ARG)
		return parse_ext_arg(call, arg);
	return call->args[4] && call->args[5] != 8 ? -EINVAL : 0;
}

/* One thing happens. Returns 0, or the error with which the wait ends. */
static int wait_step(struct fake_ring *ring, const struct wait_arg *arg)
{
	struct fake_req *req;
	int64_t due;

	if ((ring->flags & IORING_SETUP_SQPOLL) && !(*ring->sq_flags & IORING_SQ_NEED_WAKEUP) &&
	    fake_take_sqes(ring, FAKE_ALL))
		return 0;
	req = fake_next_due(ring);
	due = req && req->due_ns > fake.now_ns ? req->due_ns : fake.now_ns;

	if (arg->min_wait_ns < arg->deadline_ns && (!req || due > arg->min_wait_ns) &&
	    fake.now_ns < arg->min_wait_ns) {
		fake.now_ns = arg->min_wait_ns;
		return 0;
	}
	if (req && due <= arg->deadline_ns) {
		fake.now_ns = due;
		fake_finish(ring, req, req->res);
		return 0;
	}
	if (arg->deadline_ns != INT64_MAX) {
		fake.now_ns = arg->deadline_ns;
		return -ETIME;
	}
	fake_wrong("a wait for CQEs that nothing will post");
	return -EINTR;
}

static bool is_polled(const struct fake_ring *ring)
{
	return (ring->flags & IORING_SETUP_IOPOLL) && !(ring->flags & IORING_SETUP_SQPOLL);
}

/*
 * Polls the device. CQEs that are there keep the kernel from it; with nothing in
 * flight it comes back; and it knows no timeout.
 */
static int poll_device(struct fake_ring *ring, unsigned min_complete,
		       const struct fake_step *step)
{
	struct fake_req *req;
	bool may_wait;

	if (fake_nr_ready(ring))
		return 0;
	while ((req = fake_next_due(ring))) {
		may_wait = fake_nr_ready(ring) < min_complete && !step->early && !step->wait_err;
		if (req->due_ns > fake.now_ns && !may_wait)
			break;
		if (req->due_ns > fake.now_ns)
			fake.now_ns = req->due_ns;
		fake_finish(ring, req, req->res);
	}
	if (!req)
		fake.now_ns += POLL_NS;
	return fake_nr_ready(ring) < min_complete ? -step->wait_err : 0;
}

static int wait_cqes(struct fake_ring *ring, unsigned min_complete, const struct wait_arg *arg,
		     const struct fake_step *step)
{
	unsigned nr_timeouts = ring->nr_timeouts;
	int ret = 0;

	if (min_complete > ring->cq_entries)
		min_complete = ring->cq_entries;
	if (is_polled(ring))
		return poll_device(ring, min_complete, step);
	while (!ret && fake_nr_ready(ring) < min_complete) {
		if (fake_nr_ready(ring) && fake.now_ns >= arg->min_wait_ns)
			break;
		if (step->early || ring->nr_timeouts != nr_timeouts)
			break;
		ret = step->wait_err ? -step->wait_err : wait_step(ring, arg);
	}
	if (ret == -ETIME && step->wait_err && arg->deadline_ns != INT64_MAX)
		fake.now_ns = arg->deadline_ns;
	return fake_nr_ready(ring) ? 0 : ret;
}

/* What an enter may change; when nothing has, it was in vain. */
static uint64_t get_state(const struct fake_ring *ring)
{
	uint64_t sum = (uint64_t)ring->nr_taken + ring->nr_posted + ring->overflow.nr +
		       *ring->cq_head + *ring->cq_tail;

	return is_polled(ring) ? sum : sum + (uint64_t)fake.now_ns;
}

static long enter_ring(struct fake_ring *ring, struct fake_call *call,
		       const struct fake_step *step)
{
	unsigned to_submit = (unsigned)call->args[1], min_complete = (unsigned)call->args[2];
	unsigned flags = (unsigned)call->args[3];
	unsigned max = step->leave < to_submit ? to_submit - step->leave : 0;
	struct wait_arg arg;
	long nr_taken = 0;
	int err;

	if (ring->flags & IORING_SETUP_SQPOLL)
		nr_taken = fake_poll_thread_enter(ring, to_submit, flags);
	else if (to_submit)
		nr_taken = fake_take_sqes(ring, max);
	fake.now_ns += step->advance_ns;
	if (step->then)
		step->then(ring);
	if (nr_taken != to_submit || !(flags & IORING_ENTER_GETEVENTS))
		return nr_taken;

	fake_flush(ring);
	err = parse_arg(ring, call, &arg);
	if (!err)
		err = wait_cqes(ring, min_complete, &arg, step);
	return nr_taken ? nr_taken : err;
}

long fake_enter(struct fake_call *call)
{
	unsigned flags = (unsigned)call->args[3];
	struct fake_ring *ring = fake_find_ring(call->args[0],
						flags & IORING_ENTER_REGISTERED_RING);
	struct fake_step step = { 0 };
	unsigned known = KNOWN_FLAGS;
	uint64_t before;
	long ret;

	if (!(fake.features & IORING_FEAT_EXT_ARG))
		known &= ~(IORING_ENTER_EXT_ARG | IORING_ENTER_EXT_ARG_REG);
	if (!(fake.features & IORING_FEAT_NO_IOWAIT))
		known &= ~IORING_ENTER_NO_IOWAIT;
	if (flags & ~known)
		return -EINVAL;
	if (!ring)
		return (flags & IORING_ENTER_REGISTERED_RING) ? -EINVAL : -EBADF;
	if (ring->disabled)
		return -EBADFD;

	if (!fake_take_step(&step) && fake.on_enter)
		fake.on_enter(ring, call, &step);
	if (step.err) {
		fake.now_ns += step.advance_ns;
		return -step.err;
	}
	before = get_state(ring);
	ret = enter_ring(ring, call, &step);
	if (ret || get_state(ring) != before) {
		nr_idle = 0;
	} else if (++nr_idle > MAX_IDLE_ENTERS) {
		fake_wrong("%u enters in a row changed nothing", MAX_IDLE_ENTERS);
		nr_idle = 0;
		return -EDEADLK;
	}
	return ret;
}
