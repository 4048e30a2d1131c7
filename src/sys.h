/* SPDX-License-Identifier: MIT */
/*
 * Every system call that the library makes, typed, once. "syscall.h" is that of
 * the CPU, of the C library, or of the tests' fake kernel, as the build chooses.
 * All return a negative errno on failure.
 */
#ifndef IOU_SYS_H
#define IOU_SYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <liburing/io_uring.h>
#include <liburing/types.h>
#include "syscall.h"

/* Bytes of a signal mask as the kernel has it: 128 signals on MIPS, else 64. */
#ifdef __mips__
#define IOU_SIGSET_SZ 16
#else
#define IOU_SIGSET_SZ 8
#endif

struct iou_rlimit {
	uint64_t soft;
	uint64_t hard;
};

static inline long iou_ptr_arg(const void *ptr)
{
	return (long)(uintptr_t)ptr;
}

static inline int iou_sys_setup(unsigned entries, struct io_uring_params *p)
{
	return (int)iou_syscall2(__NR_io_uring_setup, (long)entries, iou_ptr_arg(p));
}

static inline int iou_sys_enter(int fd, unsigned to_submit, unsigned min_complete, unsigned flags,
				const void *arg, size_t sz)
{
	return (int)iou_syscall6(__NR_io_uring_enter, fd, (long)to_submit, (long)min_complete,
				 (long)flags, iou_ptr_arg(arg), (long)sz);
}

static inline int iou_sys_register(int fd, unsigned opcode, const void *arg, unsigned nr_args)
{
	return (int)iou_syscall4(__NR_io_uring_register, fd, (long)opcode, iou_ptr_arg(arg),
				 (long)nr_args);
}

/* Whether a pointer that iou_sys_mmap returned is an errno. */
static inline bool iou_is_err(const void *ptr)
{
	return (uintptr_t)ptr >= (uintptr_t)-4095;
}

static inline int iou_err_of(const void *ptr)
{
	return (int)(intptr_t)ptr;
}

/* off is a multiple of the page size. */
static inline void *iou_sys_mmap(void *addr, size_t len, int prot, int flags, int fd, uint64_t off)
{
#ifdef IOU_SYSCALL_LIBC
	int saved_errno = errno;
	void *ptr = mmap(addr, len, prot, flags, fd, (off_t)off);

	if (ptr == MAP_FAILED) {
		ptr = (void *)(intptr_t)-errno;
		errno = saved_errno;
	}
	return ptr;
#else
#ifdef __NR_mmap2
	const long nr = __NR_mmap2;
	const long pos = (long)(off >> 12);
#else
	const long nr = __NR_mmap;
	const long pos = (long)off;
#endif
	return (void *)iou_syscall6(nr, iou_ptr_arg(addr), (long)len, prot, flags, fd, pos);
#endif
}

static inline int iou_sys_munmap(void *addr, size_t len)
{
	return (int)iou_syscall2(__NR_munmap, iou_ptr_arg(addr), (long)len);
}

static inline int iou_sys_madvise(void *addr, size_t len, int advice)
{
	return (int)iou_syscall3(__NR_madvise, iou_ptr_arg(addr), (long)len, advice);
}

static inline int iou_sys_close(int fd)
{
	return (int)iou_syscall1(__NR_close, fd);
}

static inline unsigned iou_sys_gettid(void)
{
	return (unsigned)iou_syscall0(__NR_gettid);
}

/* Reads the limit into old and sets it from new; either may be NULL. */
static inline int iou_sys_rlimit(int resource, const struct iou_rlimit *new_limit,
				 struct iou_rlimit *old_limit)
{
	return (int)iou_syscall4(__NR_prlimit64, 0, resource, iou_ptr_arg(new_limit),
				 iou_ptr_arg(old_limit));
}

/* CLOCK_MONOTONIC; -EFAULT where ts is not writable. */
static inline int iou_sys_clock(struct __kernel_timespec *ts)
{
#ifdef __NR_clock_gettime64
	const long nr = __NR_clock_gettime64;
#else
	const long nr = __NR_clock_gettime;
#endif

	return (int)iou_syscall2(nr, 1 /* CLOCK_MONOTONIC */, iou_ptr_arg(ts));
}

/* The same in nanoseconds. */
static inline int64_t iou_sys_now_ns(void)
{
	struct __kernel_timespec ts = { 0, 0 };

	iou_sys_clock(&ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

#endif
