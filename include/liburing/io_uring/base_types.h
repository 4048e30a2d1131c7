/* SPDX-License-Identifier: MIT */
/*
 * The types that the kernel ABI is written in: __u8 to __u64, __s32 and struct
 * __kernel_timespec. The system's own definitions are taken wherever it has
 * them; a C library installed without kernel headers gets equal ones.
 */
#ifndef LIBURING_IO_URING_BASE_TYPES_H
#define LIBURING_IO_URING_BASE_TYPES_H

/* Compilers without __has_include: linux/types.h is older than all of them. */
#ifdef __has_include
#if !__has_include(<linux/types.h>)
#define LIBURING_NO_LINUX_TYPES 1
#endif
#if __has_include(<linux/time_types.h>)
#define LIBURING_HAVE_LINUX_TIME_TYPES 1
#endif
#endif

#ifndef LIBURING_NO_LINUX_TYPES
#include <linux/types.h>
#else
typedef unsigned char __u8;
typedef unsigned short __u16;
typedef unsigned int __u32;
typedef unsigned long long __u64;
typedef signed char __s8;
typedef short __s16;
typedef int __s32;
typedef long long __s64;
#endif

/*
 * A program that brings a struct __kernel_timespec of its own defines this
 * macro first, as it does for the system's linux/io_uring.h.
 */
#ifndef UAPI_LINUX_IO_URING_H_SKIP_LINUX_TIME_TYPES_H
#ifdef LIBURING_HAVE_LINUX_TIME_TYPES
#include <linux/time_types.h>
#else
struct __kernel_timespec {
	__s64 tv_sec;
	__extension__ long long tv_nsec;
};
#endif
#define UAPI_LINUX_IO_URING_H_SKIP_LINUX_TIME_TYPES_H 1
#endif

#endif
