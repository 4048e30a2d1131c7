/* SPDX-License-Identifier: MIT */
/*
 * What IORING_REGISTER_QUERY asks and answers, since 6.18. Stands in for
 * <linux/io_uring/query.h>, before or after it.
 */
#ifndef LIBURING_IO_URING_QUERY_H
#define LIBURING_IO_URING_QUERY_H

#include <liburing/io_uring/base_types.h>

#ifdef LINUX_IO_URING_QUERY_H
/* The system's came first: see rename.h. */
#define io_uring_query_hdr liburing_io_uring_query_hdr
#define io_uring_query_opcode liburing_io_uring_query_opcode
#define io_uring_query_zcrx liburing_io_uring_query_zcrx
#define io_uring_query_scq liburing_io_uring_query_scq
#undef IO_URING_QUERY_OPCODES
#define IO_URING_QUERY_OPCODES liburing_IO_URING_QUERY_OPCODES
#undef IO_URING_QUERY_ZCRX
#define IO_URING_QUERY_ZCRX liburing_IO_URING_QUERY_ZCRX
#undef IO_URING_QUERY_SCQ
#define IO_URING_QUERY_SCQ liburing_IO_URING_QUERY_SCQ
#undef __IO_URING_QUERY_MAX
#define __IO_URING_QUERY_MAX liburing___IO_URING_QUERY_MAX
#else
#define LINUX_IO_URING_QUERY_H
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* One question; several form a list that one call answers. */
struct io_uring_query_hdr {
	__u64 next_entry;	/* struct io_uring_query_hdr *, or 0 */
	__u64 query_data;	/* where the answer goes */
	__u32 query_op;		/* IO_URING_QUERY_... */
	__u32 size;		/* in: bytes there; out: bytes written */
	__s32 result;		/* out: 0 or -errno */
	__u32 __resv[3];
};

/* io_uring_query_hdr.query_op */
enum {
	IO_URING_QUERY_OPCODES	= 0,	/* struct io_uring_query_opcode */
	IO_URING_QUERY_ZCRX	= 1,	/* struct io_uring_query_zcrx */
	IO_URING_QUERY_SCQ	= 2,	/* struct io_uring_query_scq */

	__IO_URING_QUERY_MAX
};

/* Counts of opcodes, and every flag that the kernel accepts */
struct io_uring_query_opcode {
	__u32 nr_request_opcodes;	/* IORING_OP_... */
	__u32 nr_register_opcodes;	/* IORING_REGISTER_... */
	__u64 feature_flags;		/* IORING_FEAT_... */
	__u64 ring_setup_flags;		/* IORING_SETUP_... */
	__u64 enter_flags;		/* IORING_ENTER_... */
	__u64 sqe_flags;		/* IOSQE_... */
	__u32 nr_query_opcodes;		/* IO_URING_QUERY_... */
	__u32 __pad;
};

/* Zero-copy receive */
struct io_uring_query_zcrx {
	__u64 register_flags;		/* ZCRX_REG_... */
	__u64 area_flags;		/* IORING_ZCRX_AREA_... */
	__u32 nr_ctrl_opcodes;		/* ZCRX_CTRL_... */
	__u32 features;			/* ZCRX_FEATURE_... */
	__u32 rq_hdr_size;		/* bytes before the refill ring's entries */
	__u32 rq_hdr_alignment;
	__u64 __resv2;
};

/* The common header of SQ and CQ ring */
struct io_uring_query_scq {
	__u64 hdr_size;			/* bytes */
	__u64 hdr_alignment;
};

#ifdef __cplusplus
}
#endif

#endif
