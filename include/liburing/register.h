/* SPDX-License-Identifier: MIT */
/*
 * Registering things with a ring: each function is one io_uring_register call.
 * Files and buffers have headers of their own.
 *
 * Unless said otherwise they return 0 or a negative errno: -EINVAL where the
 * kernel does not know the call, -EBUSY or -EEXIST where the thing is
 * registered already, -ENXIO where it is not, -ENOMEM, -EFAULT. They may be
 * called from any thread (from the submitter's only, on a ring of
 * IORING_SETUP_SINGLE_ISSUER), not at the same time as another of them. What is
 * passed by pointer is read before they return, and need not live on.
 */
#ifndef LIBURING_REGISTER_H
#define LIBURING_REGISTER_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <liburing/io_uring.h>
#include <liburing/io_uring/bpf_filter.h>
#include <liburing/io_uring/query.h>
#include <liburing/types.h>

LIBURING_BEGIN_DECLS

/*
 * io_uring_register - the bare system call.
 *
 * Returns what the operation returns, or a negative errno.
 */
int io_uring_register(unsigned fd, unsigned opcode, const void *arg, unsigned nr_args)
	LIBURING_NOEXCEPT;

/*
 * io_uring_register_eventfd - signal an eventfd at each completion.
 *
 * fd must stay open only for the call. One per ring: -EBUSY for a second. It is
 * a hint: one signal may stand for several CQEs, and reaping decides. Since
 * kernel 5.2. io_uring_cq_eventfd_toggle silences it.
 */
int io_uring_register_eventfd(struct io_uring *ring, int fd) LIBURING_NOEXCEPT;

/*
 * io_uring_register_eventfd_async - the same, for completions only that a worker
 * thread posts: neither for those inside the submit nor for what poll or a timer
 * completes. Since kernel 5.6.
 */
int io_uring_register_eventfd_async(struct io_uring *ring, int fd) LIBURING_NOEXCEPT;

/* io_uring_unregister_eventfd - end the signals; -ENXIO when there are none. */
int io_uring_unregister_eventfd(struct io_uring *ring) LIBURING_NOEXCEPT;

/*
 * io_uring_register_probe - fill p, which has room for nr opcodes (at most 256),
 * with what the kernel supports. p must be zeroed. With room for fewer than 256,
 * p->last_op may lie beyond it, by which io_uring_opcode_supported goes. Since
 * kernel 5.6.
 */
int io_uring_register_probe(struct io_uring *ring, struct io_uring_probe *p, unsigned nr)
	LIBURING_NOEXCEPT;

/*
 * io_uring_register_personality - keep the caller's credentials with the ring.
 *
 * Returns their id, 1 to 65535, for the personality field of SQEs; -EBUSY when all
 * are in use. They are those of the calling thread. Since kernel 5.6.
 */
int io_uring_register_personality(struct io_uring *ring) LIBURING_NOEXCEPT;

/* io_uring_unregister_personality - drop credentials by their id; -EINVAL for no such. */
int io_uring_unregister_personality(struct io_uring *ring, int id) LIBURING_NOEXCEPT;

/*
 * io_uring_register_restrictions - allow only what the nr_res entries of res say.
 *
 * Once (then -EBUSY), on a ring made with IORING_SETUP_R_DISABLED and not yet
 * enabled (-EBADFD else); in force from there on. What is not allowed fails with
 * -EACCES. Since kernel 5.10.
 */
int io_uring_register_restrictions(struct io_uring *ring, struct io_uring_restriction *res,
				   unsigned nr_res) LIBURING_NOEXCEPT;

/*
 * io_uring_enable_rings - start a ring made with IORING_SETUP_R_DISABLED.
 *
 * On a ring of IORING_SETUP_SINGLE_ISSUER the caller becomes its submitter.
 * -EBADFD when it is not disabled. Since kernel 5.10.
 */
int io_uring_enable_rings(struct io_uring *ring) LIBURING_NOEXCEPT;

/*
 * io_uring_register_iowq_aff - bind worker threads to the CPUs of mask.
 *
 * Workers belong to the thread that submits, for all its rings, with
 * IORING_SETUP_SQPOLL to the polling thread: it binds those that will be made for
 * the calling thread, and -EINVAL when that has used no ring yet or may not use a
 * CPU of the mask. cpusz is the mask's size in bytes; 2 GiB or more is -EINVAL.
 * Since kernel 5.14.
 */
int io_uring_register_iowq_aff(struct io_uring *ring, size_t cpusz, const cpu_set_t *mask)
	LIBURING_NOEXCEPT;

/* io_uring_unregister_iowq_aff - let those made from now on run anywhere again. */
int io_uring_unregister_iowq_aff(struct io_uring *ring) LIBURING_NOEXCEPT;

/*
 * io_uring_register_iowq_max_workers - limit the worker threads.
 *
 * values[IO_WQ_BOUND] and values[IO_WQ_UNBOUND] are the new limits, 0 leaves one
 * as it is; the old ones of the calling thread come back in their place. They hold
 * for each thread that submits to the ring, over all its rings. Since kernel 5.15.
 */
int io_uring_register_iowq_max_workers(struct io_uring *ring, unsigned *values) LIBURING_NOEXCEPT;

/*
 * io_uring_register_ring_fd - let this thread enter the ring by a registered index.
 *
 * Saves the look-up of the descriptor at each enter. The index belongs to the
 * calling thread: only it may use, unregister and exit the ring afterwards. In
 * another thread the index may be that of another ring. Returns 1, -EEXIST when
 * done already (the ring stays usable), -EBUSY beyond 16 rings of the thread, or
 * -EINVAL before kernel 5.18; a program may ignore them.
 */
int io_uring_register_ring_fd(struct io_uring *ring) LIBURING_NOEXCEPT;

/*
 * io_uring_unregister_ring_fd - back to the real descriptor.
 *
 * Returns 1, or -EINVAL when none is registered, or another thread did it. Not after
 * io_uring_close_ring_fd, nor on a ring of IORING_SETUP_REGISTERED_FD_ONLY: nothing
 * would be left to enter the ring by.
 */
int io_uring_unregister_ring_fd(struct io_uring *ring) LIBURING_NOEXCEPT;

/*
 * io_uring_close_ring_fd - close the real descriptor, and go on by the registered one.
 *
 * Returns 1; -EOPNOTSUPP without IORING_FEAT_REG_REG_RING (kernel 6.3), -EINVAL
 * when the ring is not registered, -EBADF when it is closed already.
 */
int io_uring_close_ring_fd(struct io_uring *ring) LIBURING_NOEXCEPT;

/*
 * io_uring_register_sync_cancel - cancel requests and wait until they are gone.
 *
 * reg says which, and how long to wait at most. Returns 0 (1 for a futex wait or a
 * waitid), or -ENOENT when none matches; with IORING_ASYNC_CANCEL_ALL or _ANY the
 * number cancelled, 0 for none. -ETIME when the time is up before they have ended.
 * Each cancelled request still posts its CQE, with IORING_SETUP_DEFER_TASKRUN in
 * the next enter. Since kernel 6.0.
 */
int io_uring_register_sync_cancel(struct io_uring *ring, struct io_uring_sync_cancel_reg *reg)
	LIBURING_NOEXCEPT;

/*
 * io_uring_register_sync_msg - send a message to another ring without having one.
 *
 * sqe is one that was zeroed and io_uring_prep_msg_ring filled; it is read before
 * the return. Returns 0; -EBADFD when the target is no ring or is disabled. Since
 * kernel 6.13.
 */
int io_uring_register_sync_msg(struct io_uring_sqe *sqe) LIBURING_NOEXCEPT;

/*
 * io_uring_register_napi - poll network devices busily while waiting.
 *
 * napi holds the time in microseconds, at most 10000 are used; the setting before
 * comes back in it, so zero it before another call. Since kernel 6.9.
 */
int io_uring_register_napi(struct io_uring *ring, struct io_uring_napi *napi) LIBURING_NOEXCEPT;

/* io_uring_unregister_napi - end that; napi, where not NULL, receives the setting. */
int io_uring_unregister_napi(struct io_uring *ring, struct io_uring_napi *napi) LIBURING_NOEXCEPT;

/*
 * io_uring_register_ifq - open a hardware receive queue for zero-copy receive.
 *
 * The region and area that reg points at must stay until the ring is gone. Since
 * kernel 6.15.
 */
int io_uring_register_ifq(struct io_uring *ring, struct io_uring_zcrx_ifq_reg *reg)
	LIBURING_NOEXCEPT;

/* io_uring_register_zcrx_ctrl - flush or export such a queue. Since kernel 6.19. */
int io_uring_register_zcrx_ctrl(struct io_uring *ring, struct zcrx_ctrl *ctrl) LIBURING_NOEXCEPT;

/*
 * io_uring_register_clock - the clock of the timeouts of waits.
 *
 * CLOCK_MONOTONIC (as without the call) or CLOCK_BOOTTIME. Since kernel 6.12.
 */
int io_uring_register_clock(struct io_uring *ring, struct io_uring_clock_register *arg)
	LIBURING_NOEXCEPT;

/*
 * io_uring_register_bpf_filter - let a classic BPF program decide on requests of
 * an opcode, by ring. Since kernel 7.0.
 */
int io_uring_register_bpf_filter(struct io_uring *ring, struct io_uring_bpf *bpf)
	LIBURING_NOEXCEPT;

/* io_uring_register_bpf_filter_task - the same, for rings that the task will make. */
int io_uring_register_bpf_filter_task(struct io_uring_bpf *bpf) LIBURING_NOEXCEPT;

/*
 * io_uring_register_query - ask the kernel what it has, without a ring.
 *
 * query is the first of a chain of headers; each one's answer and result come
 * back in it. Returns 0 also where a question failed: look at result. -ERANGE for
 * too long a chain. Since kernel 6.18.
 */
int io_uring_register_query(struct io_uring_query_hdr *query) LIBURING_NOEXCEPT;

/*
 * io_uring_register_region - share memory with the ring, for the arguments of waits.
 *
 * With IORING_MEM_REGION_REG_WAIT_ARG only on a ring that is still disabled. One
 * for a ring: -EBUSY. The kernel keeps its pages until the ring is gone. Since
 * kernel 6.13.
 */
int io_uring_register_region(struct io_uring *ring, struct io_uring_mem_region_reg *reg)
	LIBURING_NOEXCEPT;

/* io_uring_register_wait_reg - obsolete: -EINVAL. Use io_uring_register_region. */
int io_uring_register_wait_reg(struct io_uring *ring, struct io_uring_reg_wait *reg, int nr)
	LIBURING_NOEXCEPT;

/*
 * io_uring_set_iowait - whether waiting on this ring counts as I/O wait.
 *
 * It does by default, and then raises the CPU's frequency and the load figures.
 * Returns 0, or -EOPNOTSUPP without IORING_FEAT_NO_IOWAIT (kernel 6.15). No
 * system call.
 */
int io_uring_set_iowait(struct io_uring *ring, bool enable_iowait) LIBURING_NOEXCEPT;

LIBURING_END_DECLS

#endif
