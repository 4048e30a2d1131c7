/* SPDX-License-Identifier: MIT */
/*
 * Ending things: timeouts and cancellation. Both answer for themselves: the
 * request that they end still posts its own CQE.
 */
#ifndef LIBURING_PREP_TIME_H
#define LIBURING_PREP_TIME_H

#include <liburing/prep.h>

LIBURING_BEGIN_DECLS

/*
 * liburing_sqe_fill_timeout - these operations insist on zeros in all that they do
 * not use.
 */
IOURINGHELPER void liburing_sqe_fill_timeout(int op, struct io_uring_sqe *sqe, __u64 addr,
					     unsigned int len, __u64 offset,
					     unsigned int flags) LIBURING_NOEXCEPT
{
	liburing_sqe_fill_strict(op, sqe, -1, addr, len, offset);
	sqe->timeout_flags = flags;
	sqe->addr3 = 0;
	sqe->__pad2[0] = 0;
}

/*
 * io_uring_prep_timeout - completes with -ETIME at the time ts, or with 0 as soon
 * as count other requests have completed; count 0: the time alone. Since 5.4.
 *
 * ts is a span, or with IORING_TIMEOUT_ABS a moment, on the monotonic clock
 * unless flags name another. With IORING_TIMEOUT_MULTISHOT (since 6.4) it goes
 * off again and again, count times, or without end.
 */
IOURINGINLINE void io_uring_prep_timeout(struct io_uring_sqe *sqe,
					 const struct __kernel_timespec *ts, unsigned int count,
					 unsigned int flags) LIBURING_NOEXCEPT
{
	liburing_sqe_fill_timeout(IORING_OP_TIMEOUT, sqe, uring_ptr_to_u64(ts), 1, count, flags);
}

/*
 * io_uring_prep_timeout_remove - cancel the timeout with this user_data. Since
 * 5.5.
 *
 * 0: it will complete with -ECANCELED; -ENOENT: there is none; -EALREADY: it is
 * going off. flags are 0.
 */
IOURINGINLINE void io_uring_prep_timeout_remove(struct io_uring_sqe *sqe, __u64 user_data,
						unsigned int flags) LIBURING_NOEXCEPT
{
	liburing_sqe_fill_timeout(IORING_OP_TIMEOUT_REMOVE, sqe, user_data, 0, 0, flags);
}

/*
 * io_uring_prep_timeout_update - give the timeout with this user_data a new time.
 * Since 5.11.
 *
 * Its count is dropped: from then on the time alone ends it, and a multishot one
 * has no end.
 *
 * flags: IORING_TIMEOUT_ABS, and IORING_LINK_TIMEOUT_UPDATE for one that
 * io_uring_prep_link_timeout made. IORING_TIMEOUT_UPDATE is added.
 */
IOURINGINLINE void io_uring_prep_timeout_update(struct io_uring_sqe *sqe,
						const struct __kernel_timespec *ts,
						__u64 user_data,
						unsigned int flags) LIBURING_NOEXCEPT
{
	liburing_sqe_fill_timeout(IORING_OP_TIMEOUT_REMOVE, sqe, user_data, 0, uring_ptr_to_u64(ts),
				  flags | IORING_TIMEOUT_UPDATE);
}

/*
 * io_uring_prep_link_timeout - cancel the request before it, whose flags hold
 * IOSQE_IO_LINK, if it has not completed by the time ts. Since 5.5.
 *
 * The result is -ETIME where it went off (1 where that request was a futex wait or
 * a waitid), -ECANCELED where the request was in time.
 */
IOURINGINLINE void io_uring_prep_link_timeout(struct io_uring_sqe *sqe,
					      const struct __kernel_timespec *ts,
					      unsigned int flags) LIBURING_NOEXCEPT
{
	liburing_sqe_fill_timeout(IORING_OP_LINK_TIMEOUT, sqe, uring_ptr_to_u64(ts), 1, 0, flags);
}

/*
 * io_uring_prep_cancel64, io_uring_prep_cancel - cancel the request with this
 * user_data. Since 5.5.
 *
 * 0: found and cancelled (1 where it is a futex wait or a waitid); -ENOENT: not
 * found, or done already; -EALREADY: it runs and may or may not be interrupted.
 * Its memory is free after its own CQE, never before. flags are
 * IORING_ASYNC_CANCEL_... bits (since 5.19): with ALL every match is cancelled and
 * the result is how many there were; ANY does the same and matches everything.
 */
IOURINGINLINE void io_uring_prep_cancel64(struct io_uring_sqe *sqe, __u64 user_data,
					  int flags) LIBURING_NOEXCEPT
{
	liburing_sqe_fill(IORING_OP_ASYNC_CANCEL, sqe, -1, user_data, 0, 0);
	sqe->cancel_flags = (__u32)flags;
	sqe->splice_fd_in = 0;
}

IOURINGINLINE void io_uring_prep_cancel(struct io_uring_sqe *sqe, const void *user_data,
					int flags) LIBURING_NOEXCEPT
{
	io_uring_prep_cancel64(sqe, uring_ptr_to_u64(user_data), flags);
}

/*
 * io_uring_prep_cancel_fd - cancel a request that uses descriptor fd, or with
 * IORING_ASYNC_CANCEL_FD_FIXED the direct descriptor fd. Since 5.19.
 *
 * IORING_ASYNC_CANCEL_FD is added to flags; with IORING_ASYNC_CANCEL_ALL it
 * cancels all that use it. Closing a descriptor cancels nothing.
 */
IOURINGINLINE void io_uring_prep_cancel_fd(struct io_uring_sqe *sqe, int fd,
					   unsigned int flags) LIBURING_NOEXCEPT
{
	liburing_sqe_fill(IORING_OP_ASYNC_CANCEL, sqe, fd, 0, 0, 0);
	sqe->cancel_flags = flags | IORING_ASYNC_CANCEL_FD;
	sqe->splice_fd_in = 0;
}

LIBURING_END_DECLS

#endif
