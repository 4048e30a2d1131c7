/* SPDX-License-Identifier: MIT */
/*
 * The types of the public prototypes, from the C library and the kernel's
 * headers where these have them, and defined here where they are too old for
 * that. Everything is decided when the header is used, so that one installed
 * copy serves every C library and set of kernel headers.
 */
#ifndef LIBURING_COMPAT_H
#define LIBURING_COMPAT_H

/*
 * As in every version: a program that includes this before any header of the C
 * library gets all that those declare. After one of them its choice stands.
 */
#if !defined(_GNU_SOURCE) && !defined(_FEATURES_H)
#define _GNU_SOURCE
#endif

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>

#include <liburing/io_uring.h>

/*
 * The strict language modes (-std=c11 and the like) hide sigset_t, siginfo_t,
 * AT_FDCWD and more until the program asks for POSIX: by a macro, or by having
 * this before all headers of the C library. After the one error,
 * stand-ins keep the compiler from reporting every declaration that needs them.
 */
#ifdef __GLIBC__
#ifndef __USE_XOPEN2K8
#define LIBURING_NO_POSIX 1
#endif
#elif defined(__STRICT_ANSI__) && !defined(_POSIX_C_SOURCE) && !defined(_POSIX_SOURCE) && \
	!defined(_XOPEN_SOURCE) && !defined(_GNU_SOURCE) && !defined(_BSD_SOURCE) && \
	!defined(_DEFAULT_SOURCE)
#define LIBURING_NO_POSIX 1
#endif

#ifdef LIBURING_NO_POSIX
#error "liburing needs POSIX: define _POSIX_C_SOURCE=200809L (or _GNU_SOURCE) before any include"
#define sigset_t void
#define siginfo_t void
#define idtype_t int
#define id_t unsigned
#ifndef AT_FDCWD
#define AT_FDCWD (-100)
#endif
#endif

/* Used through pointers only: a program that has one knows the header. */
struct epoll_event;
struct statx;

/* glibc always declares the type in sched.h, musl with _GNU_SOURCE only. */
#if !defined(__GLIBC__) && !defined(CPU_SETSIZE)
typedef struct cpu_set_t cpu_set_t;
#endif

/* loff_t, which strict modes hide; the same type on every C library. */
typedef int64_t liburing_loff_t;

#ifdef __has_include
#if __has_include(<linux/openat2.h>)
#define LIBURING_HAVE_LINUX_OPENAT2 1
#endif
#if __has_include(<linux/futex.h>)
#define LIBURING_HAVE_LINUX_FUTEX 1
#endif
#if __has_include(<linux/ioctl.h>)
#define LIBURING_HAVE_LINUX_IOCTL 1
#endif
#if __has_include(<linux/blkdev.h>)
#define LIBURING_HAVE_LINUX_BLKDEV 1
#endif
#endif

#ifdef LIBURING_HAVE_LINUX_OPENAT2
#include <linux/openat2.h>
#else
/* Argument of openat2(2), since 5.6. */
struct open_how {
	__u64 flags;
	__u64 mode;
	__u64 resolve;
};
#endif

#ifdef LIBURING_HAVE_LINUX_FUTEX
#include <linux/futex.h>
#endif
/* The macro and the structure came together, in 5.16. */
#ifndef FUTEX_WAITV_MAX
#define FUTEX_WAITV_MAX 128
#ifndef FUTEX_32
#define FUTEX_32 2
#endif
/* One futex of a wait for many. */
struct futex_waitv {
	__u64 val;
	__u64 uaddr;
	__u32 flags;		/* FUTEX_32, FUTEX_PRIVATE_FLAG */
	__u32 __reserved;
};
#endif

/*
 * linux/ioctl.h rather than sys/ioctl.h, whose terminal structures clash with
 * those of the kernel's asm/termbits.h.
 */
#ifdef LIBURING_HAVE_LINUX_IOCTL
#include <linux/ioctl.h>
#else
#include <sys/ioctl.h>
#endif
#ifdef LIBURING_HAVE_LINUX_BLKDEV
#include <linux/blkdev.h>
#endif
/* Programs count on getting this one ioctl of linux/fs.h; the rest is theirs to include. */
#ifndef BLKGETSIZE64
#define BLKGETSIZE64 _IOR(0x12,114,size_t)
#endif
/* IORING_OP_URING_CMD on a block device, since 6.12. */
#ifndef BLOCK_URING_CMD_DISCARD
#define BLOCK_URING_CMD_DISCARD _IO(0x12, 0)
#endif
#ifndef BLOCK_URING_CMD_ZONE_RESET_ALL
#define BLOCK_URING_CMD_ZONE_RESET_ALL _IO(0x12, 1)
#endif

#endif
