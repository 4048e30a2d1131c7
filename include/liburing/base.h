/* SPDX-License-Identifier: MIT */
/*
 * What every other header of the library starts from: how its functions are
 * declared, branch hints, and the numbers of the three system calls.
 */
#ifndef LIBURING_BASE_H
#define LIBURING_BASE_H

#include <liburing/compat.h>

#ifdef __cplusplus
#define LIBURING_BEGIN_DECLS extern "C" {
#define LIBURING_END_DECLS }
#else
#define LIBURING_BEGIN_DECLS
#define LIBURING_END_DECLS
#endif

#if defined(__cplusplus) && __cplusplus >= 201103L
#define LIBURING_NOEXCEPT noexcept
#else
#define LIBURING_NOEXCEPT
#endif

/*
 * IOURINGINLINE: the linkage of every function that is defined in a header.
 * A program may define it before the first include. From C++20 on the default
 * is external linkage, because a module cannot export an internal name.
 */
#ifndef IOURINGINLINE
#if defined(__cplusplus) && __cplusplus >= 202002L
#define IOURINGINLINE inline
#else
#define IOURINGINLINE static inline
#endif
#endif

/* The same for liburing_... functions, which headers use and nobody else does. */
#ifndef IOURINGHELPER
#define IOURINGHELPER IOURINGINLINE
#endif

#ifndef uring_likely
#define uring_likely(cond) __builtin_expect(!!(cond), 1)
#endif
#ifndef uring_unlikely
#define uring_unlikely(cond) __builtin_expect(!!(cond), 0)
#endif

/* A function that is called seldom, to be kept out of its callers' way. */
#define LIBURING_COLD __attribute__((__cold__))

/*
 * The system call numbers, for C libraries older than the calls. Alpha and the
 * three MIPS ABIs count from a base of their own; every other CPU shares these.
 */
#if defined(__alpha__)
#define LIBURING_NR_BASE 110
#elif defined(__mips__) && defined(_MIPS_SIM) && defined(_ABIO32) && _MIPS_SIM == _ABIO32
#define LIBURING_NR_BASE 4000
#elif defined(__mips__) && defined(_MIPS_SIM) && defined(_ABI64) && _MIPS_SIM == _ABI64
#define LIBURING_NR_BASE 5000
#elif defined(__mips__) && defined(_MIPS_SIM) && defined(_ABIN32) && _MIPS_SIM == _ABIN32
#define LIBURING_NR_BASE 6000
#else
#define LIBURING_NR_BASE 0
#endif

#ifndef __NR_io_uring_setup
#define __NR_io_uring_setup (LIBURING_NR_BASE + 425)
#endif
#ifndef __NR_io_uring_enter
#define __NR_io_uring_enter (LIBURING_NR_BASE + 426)
#endif
#ifndef __NR_io_uring_register
#define __NR_io_uring_register (LIBURING_NR_BASE + 427)
#endif

LIBURING_BEGIN_DECLS

/* uring_ptr_to_u64 - a pointer in the 64-bit form that the kernel ABI carries. */
IOURINGINLINE __u64 uring_ptr_to_u64(const void *ptr) LIBURING_NOEXCEPT
{
	return (__u64)(unsigned long)ptr;
}

LIBURING_END_DECLS

#endif
