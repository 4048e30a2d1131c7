/* SPDX-License-Identifier: MIT */
/*
 * iou_syscall0 to iou_syscall6: one system call with so many arguments, made by
 * libc on CPUs that have no directory here. A negative errno comes back for an
 * error, and errno itself keeps its value.
 */
#ifndef IOU_SYSCALL_H
#define IOU_SYSCALL_H
#define IOU_SYSCALL_LIBC

#include <errno.h>
#include <unistd.h>

static inline long iou_syscall6(long nr, long a, long b, long c, long d, long e, long f)
{
	int saved_errno = errno;
	long ret = syscall(nr, a, b, c, d, e, f);

	if (ret == -1) {
		ret = -errno;
		errno = saved_errno;
	}
	return ret;
}

static inline long iou_syscall5(long nr, long a, long b, long c, long d, long e)
{
	return iou_syscall6(nr, a, b, c, d, e, 0);
}

static inline long iou_syscall4(long nr, long a, long b, long c, long d)
{
	return iou_syscall6(nr, a, b, c, d, 0, 0);
}

static inline long iou_syscall3(long nr, long a, long b, long c)
{
	return iou_syscall6(nr, a, b, c, 0, 0, 0);
}

static inline long iou_syscall2(long nr, long a, long b)
{
	return iou_syscall6(nr, a, b, 0, 0, 0, 0);
}

static inline long iou_syscall1(long nr, long a)
{
	return iou_syscall6(nr, a, 0, 0, 0, 0, 0);
}

static inline long iou_syscall0(long nr)
{
	return iou_syscall6(nr, 0, 0, 0, 0, 0, 0);
}

#endif
