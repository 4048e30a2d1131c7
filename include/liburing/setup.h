/* SPDX-License-Identifier: MIT */
/*
 * Making rings, dropping them, asking what they can do and what they cost.
 *
 * Unless said otherwise: a function that can fail returns a negative errno and
 * leaves errno alone, and one thread at a time may work on a given ring.
 */
#ifndef LIBURING_SETUP_H
#define LIBURING_SETUP_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <liburing/io_uring.h>
#include <liburing/io_uring_version.h>
#include <liburing/types.h>

LIBURING_BEGIN_DECLS

/*
 * io_uring_queue_init - make a ring of at least entries SQEs.
 *
 * flags are IORING_SETUP_ values. The CQ gets twice the entries of the SQ.
 * Returns 0, or a negative errno, with nothing left mapped or open:
 *   -EINVAL  entries is 0 or above 32768 (without IORING_SETUP_CLAMP), or flags
 *            that the kernel does not know or that exclude each other
 *   -ENOSYS  no io_uring in this kernel, or a seccomp filter hides it
 *   -EPERM   refused by the sysctl kernel.io_uring_disabled or by a security
 *            policy
 *   -ENOMEM  no memory, or RLIMIT_MEMLOCK on kernels before 5.12 and on newer
 *            ones (6.18), for users without CAP_IPC_LOCK
 *   -EMFILE  no descriptor left
 * The ring is closed on exec and must be given up with io_uring_queue_exit. A
 * child of fork shares its memory but not the counts in struct io_uring: only
 * one of the two may go on using it. Since kernel 5.1. Mirrors io_uring_setup.
 */
int io_uring_queue_init(unsigned entries, struct io_uring *ring, unsigned flags) LIBURING_NOEXCEPT;

/*
 * io_uring_queue_init_params - io_uring_queue_init, with every parameter.
 *
 * p goes to the kernel as it is, but that IORING_SETUP_NO_SQARRAY is tried
 * first and left out where the kernel does not know it; p comes back as the
 * kernel filled it, after an error as it was. Returns 0; with
 * IORING_SETUP_REGISTERED_FD_ONLY the registered index, ring_fd then being -1.
 * Errors it makes itself:
 *   -EINVAL  IORING_SETUP_REGISTERED_FD_ONLY without IORING_SETUP_NO_MMAP
 *   -ENOMEM  IORING_SETUP_NO_MMAP with rings or SQEs of more than 2 MiB
 * With IORING_SETUP_NO_MMAP the library allocates the memory: a page where that
 * is enough, else a 2 MiB huge page, of which the system must have one free.
 */
int io_uring_queue_init_params(unsigned entries, struct io_uring *ring,
			       struct io_uring_params *p) LIBURING_NOEXCEPT;

/*
 * io_uring_queue_init_mem - make a ring in memory of the application's.
 *
 * buf is page-aligned, buf_size its bytes; IORING_SETUP_NO_MMAP is implied.
 * Returns the bytes used, a multiple of the page size, so that the next ring
 * may follow there; no byte beyond is touched. io_uring_memory_size tells how
 * many will do. The memory must be writable, and on kernels before 6.14
 * physically contiguous where rings or SQEs are more than a page (a huge page).
 * Errors as io_uring_queue_init_params, and
 *   -ENOMEM  buf_size is too small
 *   -EFAULT  buf is NULL, or there is no memory to write to
 *   -EINVAL  buf is not page-aligned
 *
 * The memory stays the application's: io_uring_queue_exit does not unmap it. The
 * kernel ends its side some time after that call and may write to the memory
 * until then: do not reuse it for anything else before the process has seen
 * every request complete and the ring descriptor is closed; keep it for rings
 * where you can. Since kernel 6.5.
 */
int io_uring_queue_init_mem(unsigned entries, struct io_uring *ring, struct io_uring_params *p,
			    void *buf, size_t buf_size) LIBURING_NOEXCEPT;

/*
 * io_uring_queue_mmap - map a ring that the program made with io_uring_setup.
 *
 * p is as the kernel filled it. Returns 0 or a negative errno; fd stays open
 * then, and belongs to ring on success.
 */
int io_uring_queue_mmap(int fd, struct io_uring_params *p, struct io_uring *ring)
	LIBURING_NOEXCEPT;

/*
 * io_uring_ring_dontfork - keep the ring's memory out of children of fork.
 *
 * A child that uses the ring then crashes instead of disturbing the parent.
 * Returns 0, -EINVAL where the library mapped no memory for the ring, or what
 * madvise says.
 */
int io_uring_ring_dontfork(struct io_uring *ring) LIBURING_NOEXCEPT;

/*
 * io_uring_queue_exit - give a ring up.
 *
 * Unmaps what the library mapped, drops the registered ring descriptor and
 * closes the real one; once more on the same ring does nothing. A ring that another
 * thread registered stays alive in the kernel until that thread drops it or ends.
 * Requests in flight are cancelled by the kernel, in its own time: their buffers may
 * still be written to after the call. Whoever must reuse them cancels and waits for
 * the CQEs first.
 */
void io_uring_queue_exit(struct io_uring *ring) LIBURING_NOEXCEPT;

/*
 * io_uring_resize_rings - change the size of a ring in use.
 *
 * p->sq_entries and, with IORING_SETUP_CQSIZE, p->cq_entries are the new sizes;
 * of flags only these and IORING_SETUP_CLAMP are allowed. SQEs not yet submitted
 * and CQEs not yet reaped come along, in order; every pointer to an SQE or a CQE
 * is stale afterwards. p comes back filled, with flags zero. Returns 0, or a
 * negative errno with the ring as it was:
 *   -EINVAL     an IORING_SETUP_NO_MMAP ring, or one without
 *               IORING_SETUP_DEFER_TASKRUN, or a bad size
 *   -EBADF      the real ring descriptor was closed
 *   -EOVERFLOW  what is queued does not fit the new size
 *   -EBUSY      SQEs are queued on an IORING_SETUP_SQE_MIXED ring
 *   -ENOMEM     no address space
 * No other thread may use the ring meanwhile. Since kernel 6.13.
 *
 * Address space is reserved before the kernel is asked. Where what was reserved is
 * gone all the same when it is mapped (another thread took it), the error is what
 * mmap said, and the ring is cut off from the kernel: enter_ring_fd is -1, ring_fd
 * stays open. CQEs that were there can still be reaped and SQEs be taken; whatever
 * enters the kernel fails with -EBADF. The next io_uring_resize_rings that succeeds
 * (the same sizes will do) connects it again, with nothing lost; a registered ring
 * descriptor has to be registered once more.
 */
int io_uring_resize_rings(struct io_uring *ring, struct io_uring_params *p) LIBURING_NOEXCEPT;

/*
 * io_uring_memory_size - bytes that rings and SQEs of a ring will take at most.
 *
 * What io_uring_queue_init_mem needs for the same entries and flags. Returns
 * -EINVAL for entries 0 or, without IORING_SETUP_CLAMP, above the limit.
 */
ssize_t io_uring_memory_size(unsigned entries, unsigned flags) LIBURING_NOEXCEPT;

/* io_uring_memory_size_params - the same, with p->cq_entries and p->flags. */
ssize_t io_uring_memory_size_params(unsigned entries, struct io_uring_params *p)
	LIBURING_NOEXCEPT;

/*
 * io_uring_mlock_size - bytes of RLIMIT_MEMLOCK that a ring will take.
 *
 * 0 on kernels that charge the memory cgroup instead (5.12 and later); asks the
 * kernel by making a small ring, so that its errors are those of
 * io_uring_queue_init, and -EINVAL as for io_uring_memory_size. Newer kernels
 * (6.18) charge users without CAP_IPC_LOCK as well, by the page, and tell no
 * difference: there io_uring_memory_size is what has to fit.
 */
ssize_t io_uring_mlock_size(unsigned entries, unsigned flags) LIBURING_NOEXCEPT;

/* io_uring_mlock_size_params - the same, with p->cq_entries and p->flags. */
ssize_t io_uring_mlock_size_params(unsigned entries, struct io_uring_params *p) LIBURING_NOEXCEPT;

/*
 * io_uring_get_probe_ring - ask a ring's kernel which opcodes it has.
 *
 * Returns a probe that the caller gives to io_uring_free_probe, or NULL on
 * failure (kernel before 5.6, no memory).
 */
struct io_uring_probe *io_uring_get_probe_ring(struct io_uring *ring) LIBURING_NOEXCEPT;

/* io_uring_get_probe - the same, by a ring made for the question. */
struct io_uring_probe *io_uring_get_probe(void) LIBURING_NOEXCEPT;

/*
 * io_uring_free_probe - give a probe back; NULL is ignored.
 *
 * In a process with a C library, free does as well.
 */
void io_uring_free_probe(struct io_uring_probe *probe) LIBURING_NOEXCEPT;

/*
 * io_uring_opcode_supported - whether a probed kernel has opcode op.
 *
 * 1 or 0; an op below 0 or beyond the probe's last is 0.
 */
IOURINGINLINE int io_uring_opcode_supported(const struct io_uring_probe *p, int op)
	LIBURING_NOEXCEPT
{
	if (op < 0 || op > p->last_op)
		return 0;
	return (p->ops[op].flags & IO_URING_OP_SUPPORTED) != 0;
}

/*
 * io_uring_setup - the bare system call.
 *
 * Returns the descriptor (or index) of a ring of which nothing is mapped, or a
 * negative errno. Mirrors io_uring_setup.
 */
int io_uring_setup(unsigned entries, struct io_uring_params *p) LIBURING_NOEXCEPT;

/* io_uring_major_version - IO_URING_VERSION_MAJOR of the loaded library. */
int io_uring_major_version(void) LIBURING_NOEXCEPT;

/* io_uring_minor_version - IO_URING_VERSION_MINOR of the loaded library. */
int io_uring_minor_version(void) LIBURING_NOEXCEPT;

/* io_uring_check_version - whether the loaded library is older than major.minor. */
bool io_uring_check_version(int major, int minor) LIBURING_NOEXCEPT;

/* IO_URING_CHECK_VERSION - whether these headers are older than major.minor. */
#define IO_URING_CHECK_VERSION(major, minor)                \
	((major) > IO_URING_VERSION_MAJOR ||                \
	 ((major) == IO_URING_VERSION_MAJOR && (minor) > IO_URING_VERSION_MINOR))

LIBURING_END_DECLS

#endif
