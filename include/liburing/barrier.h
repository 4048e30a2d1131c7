/* SPDX-License-Identifier: MIT */
/*
 * Ordered access to words that another thread or the kernel shares. The
 * compiler's __atomic builtins serve C and C++ alike, so that there is one text
 * for both and the same object file may hold either.
 */
#ifndef LIBURING_BARRIER_H
#define LIBURING_BARRIER_H

/*
 * io_uring_smp_store_release - publish: every access before it is visible to
 * whoever loads the value with acquire ordering.
 */
#define io_uring_smp_store_release(p, v) __atomic_store_n((p), (v), __ATOMIC_RELEASE)

/*
 * io_uring_smp_load_acquire - read what was published: no access after it moves
 * before it.
 */
#define io_uring_smp_load_acquire(p) __atomic_load_n((p), __ATOMIC_ACQUIRE)

/*
 * io_uring_smp_mb - full barrier: also keeps a later load behind an earlier
 * store, which acquire and release do not.
 */
#define io_uring_smp_mb() __atomic_thread_fence(__ATOMIC_SEQ_CST)

/* One access that the compiler neither splits, repeats nor drops; no ordering. */
#define IO_URING_READ_ONCE(var) __atomic_load_n(&(var), __ATOMIC_RELAXED)
#define IO_URING_WRITE_ONCE(var, val) __atomic_store_n(&(var), (val), __ATOMIC_RELAXED)

#endif
