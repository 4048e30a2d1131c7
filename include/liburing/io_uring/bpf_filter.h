/* SPDX-License-Identifier: MIT */
/*
 * Filters in classic BPF that decide which requests a ring may issue:
 * IORING_REGISTER_BPF_FILTER. Stands in for <linux/io_uring/bpf_filter.h>,
 * before or after it.
 */
#ifndef LIBURING_IO_URING_BPF_FILTER_H
#define LIBURING_IO_URING_BPF_FILTER_H

#include <liburing/io_uring/base_types.h>

#ifdef LINUX_IO_URING_BPF_FILTER_H
/* The system's came first: see rename.h. */
#define io_uring_bpf_ctx liburing_io_uring_bpf_ctx
#define io_uring_bpf_filter liburing_io_uring_bpf_filter
#define io_uring_bpf liburing_io_uring_bpf
#undef IO_URING_BPF_FILTER_DENY_REST
#define IO_URING_BPF_FILTER_DENY_REST liburing_IO_URING_BPF_FILTER_DENY_REST
#undef IO_URING_BPF_FILTER_SZ_STRICT
#define IO_URING_BPF_FILTER_SZ_STRICT liburing_IO_URING_BPF_FILTER_SZ_STRICT
#undef IO_URING_BPF_CMD_FILTER
#define IO_URING_BPF_CMD_FILTER liburing_IO_URING_BPF_CMD_FILTER
#else
#define LINUX_IO_URING_BPF_FILTER_H
#endif

/* Unnamed members are an extension in some modes. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"

#ifdef __cplusplus
extern "C" {
#endif

/* What a filter sees of a request: the data that its loads read. */
struct io_uring_bpf_ctx {
	__u64 user_data;
	__u8 opcode;
	__u8 sqe_flags;
	__u8 pdu_size;		/* bytes of the union that the opcode fills */
	__u8 pad[5];
	union {
		struct {
			__u32 family;
			__u32 type;
			__u32 protocol;
		} socket;	/* IORING_OP_SOCKET */
		struct {
			__u64 flags;
			__u64 mode;
			__u64 resolve;
		} open;		/* IORING_OP_OPENAT, IORING_OP_OPENAT2 */
	};
};

/* io_uring_bpf_filter.flags */
enum {
	IO_URING_BPF_FILTER_DENY_REST	= 1 << 0,	/* opcodes without a filter fail */
	IO_URING_BPF_FILTER_SZ_STRICT	= 1 << 1	/* pdu_size must be the kernel's own */
};

/* One filter for one opcode */
struct io_uring_bpf_filter {
	__u32 opcode;		/* IORING_OP_... */
	__u32 flags;		/* IO_URING_BPF_FILTER_... */
	__u32 filter_len;	/* instructions */
	__u8 pdu_size;		/* bytes of the union that the filter expects */
	__u8 resv[3];
	__u64 filter_ptr;	/* struct sock_filter * */
	__u64 resv2[5];
};

/* io_uring_bpf.cmd_type */
enum {
	IO_URING_BPF_CMD_FILTER	= 1
};

/* Argument of IORING_REGISTER_BPF_FILTER */
struct io_uring_bpf {
	__u16 cmd_type;		/* IO_URING_BPF_CMD_... */
	__u16 cmd_flags;
	__u32 resv;
	union {
		struct io_uring_bpf_filter filter;
	};
};

#ifdef __cplusplus
}
#endif

#pragma GCC diagnostic pop

#endif
