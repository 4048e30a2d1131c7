/* SPDX-License-Identifier: MIT */
/*
 * Waiting for CQEs, with and without submitting first.
 */
#include "internal.h"

#define NSEC_PER_SEC 1000000000LL

/* A time that the enter itself keeps, and what a second enter of the same call needs. */
struct timed_wait {
	struct io_uring_getevents_arg arg;
	const struct __kernel_timespec *ts;
	int64_t start_ns;
	struct __kernel_timespec left;
};

/* What one wait asks for. */
struct wait_req {
	unsigned submit;	/* published SQEs to pass */
	unsigned nr_private;	/* of them, the last: the library's own timeout */
	unsigned wait_nr;
	unsigned flags;		/* enter flags that say what arg is */
	const void *arg;
	size_t arg_sz;
	struct timed_wait *timed;	/* where not NULL: holds arg */
	int64_t deadline_ns;	/* where the enter itself looks at no clock; else 0 */
	int *hidden_err;	/* where not NULL: gets an error that a count hides */
};

/*
 * A timeout of the library's own expired or was refused (err): this wait's, or
 * one that an interrupted wait left behind? An enter that polls for completions
 * knows no time, and with nothing in flight comes back at once.
 */
static bool time_is_up(const struct io_uring *ring, const struct wait_req *req, int err)
{
	return req->deadline_ns && (err < 0 || (ring->int_flags & IOU_INT_CQ_ENTER)) &&
	       iou_sys_now_ns() >= req->deadline_ns;
}

/* A time before now is now, one beyond the clock the clock's end. */
static int64_t deadline_after(int64_t now, const struct __kernel_timespec *ts)
{
	int64_t ns;

	if (__builtin_mul_overflow((int64_t)ts->tv_sec, NSEC_PER_SEC, &ns) ||
	    __builtin_add_overflow(ns, (int64_t)ts->tv_nsec, &ns))
		return ts->tv_sec < 0 ? now : INT64_MAX;
	if (ns < 0)
		return now;
	return __builtin_add_overflow(now, ns, &ns) ? INT64_MAX : ns;
}

/*
 * After a wait that brought nothing: the next one gets what is left of the time, and
 * no minimum, as one completion is enough now. Returns false where nothing is left.
 * The kernel has read ts by now, so that it is good memory.
 */
static bool take_time_left(struct timed_wait *timed)
{
	int64_t ns = deadline_after(timed->start_ns, timed->ts) - iou_sys_now_ns();
	int shift;

	if (ns <= 0)
		return false;
	/* A division by hand: for 64 bits a CPU of 32 would call libgcc. */
	timed->left.tv_sec = 0;
	for (shift = 33; shift >= 0; shift--) {
		if (ns >= NSEC_PER_SEC << shift) {
			ns -= NSEC_PER_SEC << shift;
			timed->left.tv_sec |= 1LL << shift;
		}
	}
	timed->left.tv_nsec = ns;
	timed->arg.ts = uring_ptr_to_u64(&timed->left);
	timed->arg.min_wait_usec = 0;
	return true;
}

/*
 * The library's own timeouts that ended after their wait and stand in the ring behind
 * CQEs of the program's. The kernel counts them: a wait for several is for so many more.
 * No kernel that needs them has CQEs of two sizes in a ring.
 */
static unsigned count_private(const struct io_uring *ring, unsigned wait_nr)
{
	const struct io_uring_cq *cq = &ring->cq;
	unsigned shift = io_uring_cqe_shift(ring), pos, tail, nr = 0;

	if (wait_nr < 2 || wait_nr > cq->ring_entries || (ring->features & IORING_FEAT_EXT_ARG))
		return 0;
	/* Acquire, and the head plain: as in io_uring_cqe_iter_init. */
	tail = io_uring_smp_load_acquire(cq->ktail);
	LIBURING_NOTE(ready, ring);
	for (pos = *cq->khead; pos != tail; pos++)
		nr += cq->cqes[(size_t)(pos & cq->ring_mask) << shift].user_data ==
		      LIBURING_UDATA_TIMEOUT;
	return nr;
}

/* The program's share of the SQEs that the kernel took. */
static int count_submitted(const struct wait_req *req, unsigned nr_taken)
{
	unsigned nr_programs = req->submit - req->nr_private;

	return (int)(nr_taken < nr_programs ? nr_taken : nr_programs);
}

/*
 * The loop under every wait. An enter that has taken all that it was given has
 * waited as well, and what the ring then holds is the result. The exceptions:
 *   taken in part        it did not wait, go on with the rest
 *   nothing to take, and no CQE of the program's: wait on, for one, as long as is
 *                        left (of a registered time that is not known here)
 *   IOPOLL               it may come back early, wait on until there are enough,
 *                        or until an enter adds nothing to what is there
 * Something taken and no CQE afterwards means that a signal ended the wait.
 */
static int get_cqe(struct io_uring *ring, struct io_uring_cqe **cqe_ptr,
		   const struct wait_req *req)
{
	unsigned submit = req->submit, wait_nr = req->wait_nr, nr_submitted = 0;
	bool entered = false, waited = false, took_some = false;
	unsigned flags, nr_ready, nr_wanted, nr_seen = 0;
	const bool may_be_early = ring->int_flags & IOU_INT_CQ_ENTER;
	int ret, err, nr;

	for (;;) {
		err = iou_peek_cqe(ring, cqe_ptr, &nr_ready);
		if (entered && time_is_up(ring, req, err)) {
			err = -ETIME;
			break;
		}
		if (waited) {
			if (*cqe_ptr || !wait_nr || (took_some && err != -ETIME))
				break;
			wait_nr = 1;
			if (req->timed && !take_time_left(req->timed)) {
				err = -ETIME;
				break;
			}
			if (req->flags & IORING_ENTER_EXT_ARG_REG) {
				err = -EINTR;
				break;
			}
		}
		/* While CQEs are there, the kernel does not poll the device for more. */
		if (may_be_early && entered && !submit && *cqe_ptr && nr_ready == nr_seen)
			break;
		nr_seen = nr_ready;

		flags = req->flags;
		nr_wanted = wait_nr + count_private(ring, wait_nr);
		if (nr_wanted > nr_ready)
			flags |= IORING_ENTER_GETEVENTS;
		else if ((submit || (!*cqe_ptr && !entered)) && iou_cq_needs_enter(ring))
			flags |= IORING_ENTER_GETEVENTS;
		if (!iou_sq_needs_enter(ring, submit, &flags) &&
		    !(flags & IORING_ENTER_GETEVENTS)) {
			/* What is left to pass, the polling thread takes by itself. */
			nr_submitted += submit;
			break;
		}

		/* Only after an enter that had nothing to submit there is another wait. */
		if (req->timed && !submit && !waited)
			req->timed->start_ns = iou_sys_now_ns();
		ret = iou_enter(ring, submit, nr_wanted, flags, req->arg, req->arg_sz);
		if (ret < 0) {
			nr = count_submitted(req, nr_submitted);
			*cqe_ptr = NULL;
			/*
			 * The last CQE may have come together with the end of the
			 * time; and a count is a success, which shows what is there.
			 */
			if (nr || ret == -ETIME)
				iou_peek_cqe(ring, cqe_ptr, NULL);
			if (nr && req->hidden_err)
				*req->hidden_err = ret;
			return nr || *cqe_ptr ? nr : ret;
		}
		entered = true;
		took_some = ret > 0;
		nr_submitted += (unsigned)ret;
		if (submit && (unsigned)ret < submit) {
			/* With none taken there was nothing published to take. */
			submit = ret ? submit - (unsigned)ret : 0;
			continue;
		}
		submit = 0;
		waited = !may_be_early;
	}

	nr = count_submitted(req, nr_submitted);
	if (nr || *cqe_ptr)
		return nr;
	if (err < 0 && entered && wait_nr)
		return err;
	if (!took_some)
		return -EAGAIN;
	/* The timeout may have ended the wait before its own CQE can be seen. */
	return time_is_up(ring, req, -ETIME) ? -ETIME : -EINTR;
}

int __io_uring_get_cqe(struct io_uring *ring, struct io_uring_cqe **cqe_ptr, unsigned submit,
		       unsigned wait_nr, sigset_t *sigmask)
{
	const struct wait_req req = {
		.submit = submit,
		.wait_nr = wait_nr,
		.arg = sigmask,
		.arg_sz = IOU_SIGSET_SZ,
	};

	IOU_CHECK(wait, ring, wait_nr, false);
	return get_cqe(ring, cqe_ptr, &req);
}

static int wait_with_ext_arg(struct io_uring *ring, struct io_uring_cqe **cqe_ptr, unsigned submit,
			     unsigned wait_nr, const struct __kernel_timespec *ts,
			     unsigned min_wait_usec, const sigset_t *sigmask)
{
	struct timed_wait timed = {
		.arg = {
			.sigmask = uring_ptr_to_u64(sigmask),
			.sigmask_sz = IOU_SIGSET_SZ,
			.min_wait_usec = min_wait_usec,
			.ts = uring_ptr_to_u64(ts),
		},
		.ts = ts,
	};
	const bool looks_at_clock = !(ring->int_flags & IOU_INT_CQ_ENTER);
	const struct wait_req req = {
		.submit = submit,
		.wait_nr = wait_nr,
		.flags = IORING_ENTER_EXT_ARG,
		.arg = &timed.arg,
		.arg_sz = sizeof(timed.arg),
		.timed = ts && looks_at_clock ? &timed : NULL,
		.deadline_ns = ts && !looks_at_clock ? deadline_after(iou_sys_now_ns(), ts) : 0,
	};

	return get_cqe(ring, cqe_ptr, &req);
}

/*
 * A polling thread may take the timeout only after the wait is over and its time
 * gone: there the time lies in the slot itself, in the bytes that a timeout does
 * not use and that stay until the slot was taken.
 */
static void fill_timeout_sqe(const struct io_uring *ring, struct io_uring_sqe *sqe,
			     const struct __kernel_timespec *ts, unsigned wait_nr)
{
	struct __kernel_timespec *kept;

	/* More completions than the kernel can count never come. */
	io_uring_prep_timeout(sqe, ts, wait_nr < INT32_MAX ? wait_nr : INT32_MAX, 0);
	sqe->user_data = LIBURING_UDATA_TIMEOUT;
	if (ring->flags & IORING_SETUP_SQPOLL) {
		kept = (void *)((char *)sqe + offsetof(struct io_uring_sqe, addr3));
		*kept = *ts;
		sqe->addr = uring_ptr_to_u64(kept);
	}
}

/*
 * The private timeout is the last in the SQ. Where the kernel has not taken it, it
 * is taken back: by the next submit its time would be gone, and it would count as
 * one of the program's. A polling thread takes it in any case.
 */
static void withdraw_timeout_sqe(struct io_uring *ring)
{
	struct io_uring_sq *sq = &ring->sq;
	unsigned head = io_uring_load_sq_head(ring);

	if ((ring->flags & IORING_SETUP_SQPOLL) || head == sq->sqe_tail)
		return;
	sq->sqe_head = --sq->sqe_tail;
	iou_set_tail_limit(ring, head);
	/* Release: as every store of the tail. Only an enter of this thread's looks at it. */
	io_uring_smp_store_release(sq->ktail, sq->sqe_tail);
}

/*
 * For kernels whose enter takes no timeout: a timeout request goes along with
 * what the program has queued. Returns as get_cqe; where an error came after
 * something was submitted, *hidden_err is that error.
 */
static int wait_with_timeout_sqe(struct io_uring *ring, struct io_uring_cqe **cqe_ptr,
				 unsigned wait_nr, const struct __kernel_timespec *ts,
				 const sigset_t *sigmask, int *hidden_err)
{
	struct wait_req req = {
		.nr_private = 1,
		.wait_nr = wait_nr,
		.arg = sigmask,
		.arg_sz = IOU_SIGSET_SZ,
		.deadline_ns = deadline_after(iou_sys_now_ns(), ts),
		.hidden_err = hidden_err,
	};
	struct io_uring_sqe *sqe = iou_get_sqe(ring);
	int nr_before = 0, ret;

	*cqe_ptr = NULL;
	if (!sqe) {
		nr_before = io_uring_submit(ring);
		if (nr_before < 0)
			return nr_before;
		sqe = iou_get_sqe(ring);
		if (!sqe)
			return -EAGAIN;
	}
	fill_timeout_sqe(ring, sqe, ts, wait_nr);

	req.submit = iou_flush_sq(ring);
	ret = get_cqe(ring, cqe_ptr, &req);
	withdraw_timeout_sqe(ring);
	if (ret >= 0 || !nr_before)
		return nr_before + ret;
	*hidden_err = ret;
	iou_peek_cqe(ring, cqe_ptr, NULL);
	return nr_before;
}

/* Whether the ring already holds what a wait would wait for. */
static bool cq_has_enough(struct io_uring *ring, struct io_uring_cqe **cqe_ptr, unsigned wait_nr)
{
	unsigned nr_ready;

	iou_peek_cqe(ring, cqe_ptr, &nr_ready);
	return nr_ready >= wait_nr + count_private(ring, wait_nr);
}

int io_uring_wait_cqes(struct io_uring *ring, struct io_uring_cqe **cqe_ptr, unsigned wait_nr,
		       struct __kernel_timespec *ts, sigset_t *sigmask)
{
	int64_t deadline_ns;
	int ret, err = 0;

	IOU_CHECK(wait, ring, wait_nr, ts != NULL);
	if (!ts)
		return __io_uring_get_cqe(ring, cqe_ptr, 0, wait_nr, sigmask);
	if (ring->features & IORING_FEAT_EXT_ARG)
		return wait_with_ext_arg(ring, cqe_ptr, 0, wait_nr, ts, 0, sigmask);
	IOU_CHECK(submit, ring, true);
	if (cq_has_enough(ring, cqe_ptr, wait_nr))
		return *cqe_ptr ? 0 : -EAGAIN;

	deadline_ns = deadline_after(iou_sys_now_ns(), ts);
	ret = wait_with_timeout_sqe(ring, cqe_ptr, wait_nr, ts, sigmask, &err);
	if (ret < 0)
		return ret;
	if (*cqe_ptr)
		return 0;
	/* Something of the program's was submitted on the way; why did it end? */
	if (err)
		return err;
	return iou_sys_now_ns() >= deadline_ns ? -ETIME : -EINTR;
}

int io_uring_wait_cqe_timeout(struct io_uring *ring, struct io_uring_cqe **cqe_ptr,
			      struct __kernel_timespec *ts)
{
	IOU_CHECK(wait, ring, 1, ts != NULL);
	return io_uring_wait_cqes(ring, cqe_ptr, 1, ts, NULL);
}

int io_uring_wait_cqes_min_timeout(struct io_uring *ring, struct io_uring_cqe **cqe_ptr,
				   unsigned wait_nr, struct __kernel_timespec *ts,
				   unsigned min_ts_usec, sigset_t *sigmask)
{
	*cqe_ptr = NULL;
	if (!(ring->features & IORING_FEAT_MIN_TIMEOUT))
		return -EINVAL;
	IOU_CHECK(wait, ring, wait_nr, ts != NULL);
	return wait_with_ext_arg(ring, cqe_ptr, 0, wait_nr, ts, min_ts_usec, sigmask);
}

int io_uring_submit_and_wait_timeout(struct io_uring *ring, struct io_uring_cqe **cqe_ptr,
				     unsigned wait_nr, struct __kernel_timespec *ts,
				     sigset_t *sigmask)
{
	int err;

	*cqe_ptr = NULL;
	IOU_CHECK(submit, ring, wait_nr != 0);
	if (ts && (ring->features & IORING_FEAT_EXT_ARG))
		return wait_with_ext_arg(ring, cqe_ptr, iou_flush_sq(ring), wait_nr, ts, 0,
					 sigmask);
	if (ts && !cq_has_enough(ring, cqe_ptr, wait_nr))
		return wait_with_timeout_sqe(ring, cqe_ptr, wait_nr, ts, sigmask, &err);
	return __io_uring_get_cqe(ring, cqe_ptr, iou_flush_sq(ring), wait_nr, sigmask);
}

int io_uring_submit_and_wait_min_timeout(struct io_uring *ring, struct io_uring_cqe **cqe_ptr,
					 unsigned wait_nr, struct __kernel_timespec *ts,
					 unsigned min_wait, sigset_t *sigmask)
{
	*cqe_ptr = NULL;
	if (!(ring->features & IORING_FEAT_MIN_TIMEOUT))
		return -EINVAL;
	IOU_CHECK(submit, ring, wait_nr != 0);
	return wait_with_ext_arg(ring, cqe_ptr, iou_flush_sq(ring), wait_nr, ts, min_wait, sigmask);
}

int io_uring_submit_and_wait_reg(struct io_uring *ring, struct io_uring_cqe **cqe_ptr,
				 unsigned wait_nr, int reg_index)
{
	struct wait_req req = {
		.wait_nr = wait_nr,
		.flags = IORING_ENTER_EXT_ARG | IORING_ENTER_EXT_ARG_REG,
		/* A byte offset into the region, not an address. */
		.arg = (void *)((uintptr_t)(unsigned)reg_index * sizeof(struct io_uring_reg_wait)),
		.arg_sz = sizeof(struct io_uring_reg_wait),
	};

	*cqe_ptr = NULL;
	if (!(ring->features & IORING_FEAT_EXT_ARG))
		return -EINVAL;
	IOU_CHECK(submit, ring, wait_nr != 0);
	req.submit = iou_flush_sq(ring);
	return get_cqe(ring, cqe_ptr, &req);
}
