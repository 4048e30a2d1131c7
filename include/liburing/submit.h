/* SPDX-License-Identifier: MIT */
/*
 * The functions that enter the kernel: submitting, waiting, and both at once.
 *
 * Two threads may share a ring where one only submits and the other only reaps
 * (kernel 5.11 and later); anything more takes a lock of the program's.
 *
 * Errors that any of them can return:
 *   -EINTR   a signal came during the wait; nothing was lost, call again
 *   -EAGAIN  the kernel could not take requests for want of memory; the SQEs are
 *            still queued, reap and submit again. From a wait for 0 CQEs: none
 *            is there
 *   -EBUSY   the same, because completions overflow the CQ
 *   -EBADR   the kernel dropped a CQE for want of memory
 *   -EBADFD  the ring is disabled (IORING_SETUP_R_DISABLED)
 *   -EEXIST  a ring of IORING_SETUP_SINGLE_ISSUER, entered by another thread
 * wait_nr is at most the entries of the CQ; what exceeds them is not waited for. On a
 * ring of IORING_SETUP_CQE_MIXED it counts slots: two for a CQE of 32 bytes, one for a
 * filler. Wait for fewer than all of them there, and let the CQ not overflow: where a
 * CQE of 32 bytes has no room, Linux 6.18 may not come back from the wait.
 * On a ring of IORING_SETUP_IOPOLL the kernel looks for signals only while it polls
 * a device: with nothing in flight a wait spins, and only its time ends it. While a
 * CQE is in the ring the device is not polled for more: a wait for several may come
 * back with fewer, without a signal. On any ring the end of a timeout request ends a
 * wait for several, also of one that posts no CQE (IOSQE_CQE_SKIP_SUCCESS); before
 * 5.11 that may be the library's own, of an earlier wait.
 *
 * A result below 0 is an error of the call; the result of a request is in the
 * CQE's res.
 */
#ifndef LIBURING_SUBMIT_H
#define LIBURING_SUBMIT_H

#include <signal.h>
#include <stddef.h>
#include <liburing/io_uring.h>
#include <liburing/types.h>

LIBURING_BEGIN_DECLS

/*
 * io_uring_submit - hand all taken SQEs to the kernel.
 *
 * Returns the number of SQEs that the kernel took; fewer than were taken where
 * it stopped at a bad one, and the next submit passes the rest. With
 * IORING_SETUP_SQPOLL it is the number that the polling thread had not taken when
 * the call began, which may include SQEs of earlier submits: only a result below 0
 * is an error. Makes no system call where there is nothing to submit, or where the
 * polling thread is awake. What SQEs point at (iovecs, timespecs, addresses, not
 * the data itself) may go out of scope on return on kernels 5.5 and later, with
 * IORING_SETUP_SQPOLL only after the completion. Mirrors io_uring_enter.
 */
int io_uring_submit(struct io_uring *ring) LIBURING_NOEXCEPT;

/*
 * io_uring_submit_and_wait - io_uring_submit, and wait for wait_nr CQEs, in one enter.
 *
 * Returns the number of SQEs taken, as io_uring_submit. A signal after something
 * was submitted ends the wait without an error: look at what is there.
 */
int io_uring_submit_and_wait(struct io_uring *ring, unsigned wait_nr) LIBURING_NOEXCEPT;

/*
 * io_uring_submit_and_get_events - io_uring_submit, and bring in every CQE that
 * is due (deferred task work, overflow), without waiting.
 */
int io_uring_submit_and_get_events(struct io_uring *ring) LIBURING_NOEXCEPT;

/*
 * io_uring_get_events - bring in every CQE that is due; submits nothing, waits
 * for nothing. Returns 0 or a negative errno.
 */
int io_uring_get_events(struct io_uring *ring) LIBURING_NOEXCEPT;

/*
 * __io_uring_get_cqe - one enter that passes submit published SQEs and waits for
 * wait_nr CQEs; what io_uring_wait_cqe and its kin are made of.
 *
 * sigmask, where not NULL, replaces the thread's signal mask during the wait.
 * *cqe_ptr is always written: the oldest CQE, or NULL. Returns
 *   the SQEs passed (0 for none) and a CQE   it is there
 *   the SQEs passed (not 0) and NULL         submitted, and interrupted since
 *   -EAGAIN and NULL                         nothing to wait for, nothing there
 *   another negative errno and NULL          as listed above
 */
int __io_uring_get_cqe(struct io_uring *ring, struct io_uring_cqe **cqe_ptr, unsigned submit,
		       unsigned wait_nr, sigset_t *sigmask) LIBURING_NOEXCEPT;

/*
 * io_uring_wait_cqes - wait for wait_nr CQEs, at most for the time ts.
 *
 * ts is relative, of CLOCK_MONOTONIC, and bounds the wait only, however often the
 * kernel wakes it for nothing; NULL is without bound. Returns 0 and the first CQE,
 * -ETIME and NULL when the time is up and none is there, -EINTR and NULL after a
 * signal, or another negative errno and NULL. Nothing is submitted. On kernels before
 * 5.11, where an enter takes no timeout, a timeout request is queued instead: the call
 * then submits, also what the program has queued, and returns -EAGAIN where the SQ has
 * no room.
 */
int io_uring_wait_cqes(struct io_uring *ring, struct io_uring_cqe **cqe_ptr, unsigned wait_nr,
		       struct __kernel_timespec *ts, sigset_t *sigmask) LIBURING_NOEXCEPT;

/*
 * io_uring_wait_cqes_min_timeout - io_uring_wait_cqes that comes back early.
 *
 * After min_ts_usec microseconds any one CQE ends the wait; before, wait_nr do.
 * Keep it below ts: the kernel looks at ts only after it.
 * -EINVAL without IORING_FEAT_MIN_TIMEOUT (kernel 6.12).
 */
int io_uring_wait_cqes_min_timeout(struct io_uring *ring, struct io_uring_cqe **cqe_ptr,
				   unsigned wait_nr, struct __kernel_timespec *ts,
				   unsigned min_ts_usec, sigset_t *sigmask) LIBURING_NOEXCEPT;

/* io_uring_wait_cqe_timeout - io_uring_wait_cqes for one CQE. */
int io_uring_wait_cqe_timeout(struct io_uring *ring, struct io_uring_cqe **cqe_ptr,
			      struct __kernel_timespec *ts) LIBURING_NOEXCEPT;

/*
 * io_uring_submit_and_wait_timeout - submit, and wait as io_uring_wait_cqes does.
 *
 * The outcomes:
 *   >= 0 and a CQE       that many were submitted, wait_nr CQEs (or, after a
 *                        signal or the time, fewer) are there
 *   > 0 and NULL         that many were submitted, nothing completed in time or
 *                        before a signal, or something ended the wait that
 *                        posts no CQE (a filler of a mixed ring is none)
 *   -ETIME and NULL      nothing was submitted, and the time is up
 *   another error, NULL  as listed at the top; SQEs that were not taken are
 *                        still queued
 * One signal ends the call, also without ts.
 */
int io_uring_submit_and_wait_timeout(struct io_uring *ring, struct io_uring_cqe **cqe_ptr,
				     unsigned wait_nr, struct __kernel_timespec *ts,
				     sigset_t *sigmask) LIBURING_NOEXCEPT;

/* io_uring_submit_and_wait_min_timeout - the same, with the early end of
 * io_uring_wait_cqes_min_timeout after min_wait microseconds. */
int io_uring_submit_and_wait_min_timeout(struct io_uring *ring, struct io_uring_cqe **cqe_ptr,
					 unsigned wait_nr, struct __kernel_timespec *ts,
					 unsigned min_wait, sigset_t *sigmask) LIBURING_NOEXCEPT;

/*
 * io_uring_submit_and_wait_reg - io_uring_submit_and_wait_timeout with arguments
 * that were registered.
 *
 * They are entry reg_index of the region that io_uring_register_region set up
 * with IORING_MEM_REGION_REG_WAIT_ARG, an array of struct io_uring_reg_wait.
 * Leave the region's last entry unused: kernels of 6.18 and before take the first
 * in its place. -EINTR also where something that posts no CQE ended the wait: how much
 * of the time is left only the program can say. -EINVAL without IORING_FEAT_EXT_ARG.
 * Since kernel 6.13.
 */
int io_uring_submit_and_wait_reg(struct io_uring *ring, struct io_uring_cqe **cqe_ptr,
				 unsigned wait_nr, int reg_index) LIBURING_NOEXCEPT;

/*
 * io_uring_peek_batch_cqe - up to count CQEs that are there, oldest first.
 *
 * Returns how many pointers were written to cqes; the slots are not released. A
 * 32-byte CQE of a mixed ring counts as one. Where the ring is empty and the
 * kernel has something to hand over, as for io_uring_peek_cqe, it is entered
 * once. A filler or a timeout of the library's own is never returned: at the
 * head it is released, further on the batch ends before it.
 */
unsigned io_uring_peek_batch_cqe(struct io_uring *ring, struct io_uring_cqe **cqes, unsigned count)
	LIBURING_NOEXCEPT;

/*
 * __io_uring_sqring_wait - wait until the polling thread has made room in the SQ.
 *
 * Use io_uring_sqring_wait, which looks first.
 */
int __io_uring_sqring_wait(struct io_uring *ring) LIBURING_NOEXCEPT;

/*
 * io_uring_enter - the bare system call, with a signal mask or NULL.
 *
 * Returns the number of SQEs taken or a negative errno.
 */
int io_uring_enter(unsigned fd, unsigned to_submit, unsigned min_complete, unsigned flags,
		   sigset_t *sig) LIBURING_NOEXCEPT;

/*
 * io_uring_enter2 - the bare system call; arg and its sz bytes are what flags
 * say: a signal mask, or a struct io_uring_getevents_arg (IORING_ENTER_EXT_ARG).
 */
int io_uring_enter2(unsigned fd, unsigned to_submit, unsigned min_complete, unsigned flags,
		    void *arg, size_t sz) LIBURING_NOEXCEPT;

LIBURING_END_DECLS

#endif
