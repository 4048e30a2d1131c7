/* SPDX-License-Identifier: MIT */
/*
 * The library's own structures. Their layout is frozen: code that was inlined
 * into a program years ago reads and writes these fields, so that a field never
 * moves, and the deprecated ones keep pointing at live values.
 */
#ifndef LIBURING_TYPES_H
#define LIBURING_TYPES_H

#include <stddef.h>
#include <liburing/base.h>

LIBURING_BEGIN_DECLS

/* Pointers named k... lead to memory that the kernel reads or writes too. */
struct io_uring_sq {
	unsigned *khead;
	unsigned *ktail;
	unsigned *kring_mask;		/* deprecated: ring_mask */
	unsigned *kring_entries;	/* deprecated: ring_entries */
	unsigned *kflags;
	unsigned *kdropped;
	unsigned *array;		/* NULL with IORING_SETUP_NO_SQARRAY */
	struct io_uring_sqe *sqes;

	unsigned sqe_head;		/* tail as last published to the kernel */
	unsigned sqe_tail;		/* tail as the program has taken slots */

	size_t ring_sz;			/* bytes mapped at ring_ptr */
	void *ring_ptr;

	unsigned ring_mask;
	unsigned ring_entries;

	unsigned sqes_sz;		/* bytes mapped at sqes */
	__extension__ union {
		unsigned pad;
		unsigned tail_limit;	/* slots up to this tail are known to be free */
	};
};

struct io_uring_cq {
	unsigned *khead;
	unsigned *ktail;
	unsigned *kring_mask;		/* deprecated: ring_mask */
	unsigned *kring_entries;	/* deprecated: ring_entries */
	unsigned *kflags;		/* NULL before kernel 5.8 */
	unsigned *koverflow;
	struct io_uring_cqe *cqes;

	size_t ring_sz;			/* bytes mapped at ring_ptr */
	void *ring_ptr;			/* the SQ's with IORING_FEAT_SINGLE_MMAP */

	unsigned ring_mask;
	unsigned ring_entries;

	unsigned pad[2];
};

struct io_uring {
	struct io_uring_sq sq;
	struct io_uring_cq cq;
	unsigned flags;			/* IORING_SETUP_... */
	int ring_fd;			/* -1 when there is none any more */

	unsigned features;		/* IORING_FEAT_... */
	int enter_ring_fd;		/* ring_fd or the registered index */
	__u8 int_flags;
	__u8 pad[3];
	__extension__ union {
		unsigned pad2;
		unsigned owner_tid;	/* of whom a registered index is */
	};
};

/* The refill ring of zero-copy receive; the program maps and drives it. */
struct io_uring_zcrx_rq {
	__u32 *khead;
	__u32 *ktail;
	__u32 rq_tail;
	unsigned ring_entries;
	struct io_uring_zcrx_rqe *rqes;
	void *ring_ptr;
};

/* A walk over the CQ that consumes nothing; see io_uring_cqe_iter_init. */
struct io_uring_cqe_iter {
	struct io_uring_cqe *cqes;
	unsigned mask;
	unsigned shift;
	unsigned head;
	unsigned tail;
};

LIBURING_END_DECLS

#endif
