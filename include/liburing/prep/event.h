/* SPDX-License-Identifier: MIT */
/*
 * Waiting for something to happen: readiness, futexes, children.
 */
#ifndef LIBURING_PREP_EVENT_H
#define LIBURING_PREP_EVENT_H

#include <stdint.h>
#include <signal.h>
#include <sys/wait.h>
#include <liburing/prep.h>

LIBURING_BEGIN_DECLS

/*
 * __io_uring_prep_poll_mask - a poll mask as the SQE carries it.
 *
 * On big endian the 16-bit halves change places, so that the low half is where
 * kernels without IORING_FEAT_POLL_32BITS look for it.
 */
IOURINGINLINE unsigned int __io_uring_prep_poll_mask(unsigned int poll_mask) LIBURING_NOEXCEPT
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	poll_mask = (poll_mask << 16) | (poll_mask >> 16);
#endif
	return poll_mask;
}

/*
 * io_uring_prep_poll_add - poll(2) on one descriptor: completes once, with the
 * events that are there. poll_mask is made of POLL... bits, EPOLL... ones included.
 */
IOURINGINLINE void io_uring_prep_poll_add(struct io_uring_sqe *sqe, int fd,
					  unsigned int poll_mask) LIBURING_NOEXCEPT
{
	liburing_sqe_fill(IORING_OP_POLL_ADD, sqe, fd, 0, 0, 0);
	sqe->poll32_events = __io_uring_prep_poll_mask(poll_mask);
	sqe->buf_index = 0;
}

/*
 * io_uring_prep_poll_remove - cancel the poll with this user_data, which then
 * completes with -ECANCELED.
 */
IOURINGINLINE void io_uring_prep_poll_remove(struct io_uring_sqe *sqe,
					     __u64 user_data) LIBURING_NOEXCEPT
{
	liburing_sqe_fill_strict(IORING_OP_POLL_REMOVE, sqe, -1, user_data, 0, 0);
}

/*
 * io_uring_prep_poll_update - change the poll with old_user_data. Since 5.13.
 *
 * flags say what counts: IORING_POLL_UPDATE_EVENTS poll_mask,
 * IORING_POLL_UPDATE_USER_DATA new_user_data, which is else 0. The poll stays one
 * of one shot or of many: IORING_POLL_ADD_MULTI does not change that.
 */
IOURINGINLINE void io_uring_prep_poll_update(struct io_uring_sqe *sqe, __u64 old_user_data,
					     __u64 new_user_data, unsigned int poll_mask,
					     unsigned int flags) LIBURING_NOEXCEPT
{
	liburing_sqe_fill_strict(IORING_OP_POLL_REMOVE, sqe, -1, old_user_data, flags,
				 new_user_data);
	sqe->poll32_events = __io_uring_prep_poll_mask(poll_mask);
}

/*
 * io_uring_prep_poll_multishot - a CQE whenever an event comes, until one without
 * IORING_CQE_F_MORE. Since 5.13.
 */
IOURINGINLINE void io_uring_prep_poll_multishot(struct io_uring_sqe *sqe, int fd,
						unsigned int poll_mask) LIBURING_NOEXCEPT
{
	io_uring_prep_poll_add(sqe, fd, poll_mask);
	sqe->len = IORING_POLL_ADD_MULTI;
}

/*
 * io_uring_prep_epoll_ctl - epoll_ctl(2). Since 5.6. In the SQE, off holds fd.
 */
IOURINGINLINE void io_uring_prep_epoll_ctl(struct io_uring_sqe *sqe, int epfd, int fd, int op,
					   const struct epoll_event *ev) LIBURING_NOEXCEPT
{
	liburing_sqe_fill_strict(IORING_OP_EPOLL_CTL, sqe, epfd, uring_ptr_to_u64(ev),
				 (unsigned int)op, (__u32)fd);
}

/*
 * io_uring_prep_epoll_wait - epoll_wait(2) on the epoll descriptor fd, without a
 * timeout. Since 6.15. events must stay until the CQE; flags must be 0.
 */
IOURINGINLINE void io_uring_prep_epoll_wait(struct io_uring_sqe *sqe, int fd,
					    struct epoll_event *events, int maxevents,
					    unsigned int flags) LIBURING_NOEXCEPT
{
	liburing_sqe_fill_strict(IORING_OP_EPOLL_WAIT, sqe, fd, uring_ptr_to_u64(events),
				 (unsigned int)maxevents, 0);
	sqe->rw_flags = (int)flags;
}

/*
 * liburing_sqe_fill_futex - one futex to wait on or to wake.
 */
IOURINGHELPER void liburing_sqe_fill_futex(int op, struct io_uring_sqe *sqe, const uint32_t *futex,
					   uint64_t val, uint64_t mask, uint32_t futex_flags,
					   unsigned int flags) LIBURING_NOEXCEPT
{
	liburing_sqe_fill_strict(op, sqe, (int)futex_flags, uring_ptr_to_u64(futex), 0, val);
	sqe->futex_flags = flags;
	sqe->addr3 = mask;
}

/*
 * io_uring_prep_futex_wait, io_uring_prep_futex_wake - futex_wait(2), futex_wake(2):
 * wait while *futex is val, or wake up to val waiters. Since 6.7.
 *
 * mask: FUTEX_BITSET_MATCH_ANY, or the bits that waiter and waker must share.
 * futex_flags are FUTEX2_... bits, and go to fd; flags must be 0. futex must stay
 * until the CQE. The result of a wake is the number woken.
 */
IOURINGINLINE void io_uring_prep_futex_wait(struct io_uring_sqe *sqe, const uint32_t *futex,
					    uint64_t val, uint64_t mask, uint32_t futex_flags,
					    unsigned int flags) LIBURING_NOEXCEPT
{
	liburing_sqe_fill_futex(IORING_OP_FUTEX_WAIT, sqe, futex, val, mask, futex_flags, flags);
}

IOURINGINLINE void io_uring_prep_futex_wake(struct io_uring_sqe *sqe, const uint32_t *futex,
					    uint64_t val, uint64_t mask, uint32_t futex_flags,
					    unsigned int flags) LIBURING_NOEXCEPT
{
	liburing_sqe_fill_futex(IORING_OP_FUTEX_WAKE, sqe, futex, val, mask, futex_flags, flags);
}

/*
 * io_uring_prep_futex_waitv - futex_waitv(2): wait on nr_futex futexes; the result
 * is the index of the one that was woken. Since 6.7. flags must be 0.
 */
IOURINGINLINE void io_uring_prep_futex_waitv(struct io_uring_sqe *sqe,
					     const struct futex_waitv *futex, uint32_t nr_futex,
					     unsigned int flags) LIBURING_NOEXCEPT
{
	liburing_sqe_fill_strict(IORING_OP_FUTEX_WAITV, sqe, 0, uring_ptr_to_u64(futex), nr_futex,
				 0);
	sqe->futex_flags = flags;
	sqe->addr3 = 0;
}

/*
 * io_uring_prep_waitid - waitid(2). Since 6.7.
 *
 * infop, which may be NULL, is written and must stay until the CQE; flags must be
 * 0. In the SQE, fd holds id, len idtype and file_index the options.
 */
IOURINGINLINE void io_uring_prep_waitid(struct io_uring_sqe *sqe, idtype_t idtype, id_t id,
					siginfo_t *infop, int options,
					unsigned int flags) LIBURING_NOEXCEPT
{
	liburing_sqe_fill_strict(IORING_OP_WAITID, sqe, (int)id, 0, (unsigned int)idtype,
				 uring_ptr_to_u64(infop));
	sqe->waitid_flags = flags;
	sqe->file_index = (__u32)options;
	sqe->addr3 = 0;
}

LIBURING_END_DECLS

#endif
