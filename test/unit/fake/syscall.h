/* SPDX-License-Identifier: MIT */
/*
 * The system calls of a library that is built for the unit tests: all of them
 * go to the fake kernel.
 */
#ifndef IOU_SYSCALL_H
#define IOU_SYSCALL_H

long iou_fake_syscall(long nr, long a, long b, long c, long d, long e, long f);

static inline long iou_syscall0(long nr)
{
	return iou_fake_syscall(nr, 0, 0, 0, 0, 0, 0);
}

static inline long iou_syscall1(long nr, long a)
{
	return iou_fake_syscall(nr, a, 0, 0, 0, 0, 0);
}

static inline long iou_syscall2(long nr, long a, long b)
{
	return iou_fake_syscall(nr, a, b, 0, 0, 0, 0);
}

static inline long iou_syscall3(long nr, long a, long b, long c)
{
	return iou_fake_syscall(nr, a, b, c, 0, 0, 0);
}

static inline long iou_syscall4(long nr, long a, long b, long c, long d)
{
	return iou_fake_syscall(nr, a, b, c, d, 0, 0);
}

static inline long iou_syscall5(long nr, long a, long b, long c, long d, long e)
{
	return iou_fake_syscall(nr, a, b, c, d, e, 0);
}

static inline long iou_syscall6(long nr, long a, long b, long c, long d, long e, long f)
{
	return iou_fake_syscall(nr, a, b, c, d, e, f);
}

#endif
