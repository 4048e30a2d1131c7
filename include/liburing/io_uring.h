/* SPDX-License-Identifier: MIT */
/*
 * The io_uring kernel ABI: constants and structures only, up to the newest
 * kernel that the library knows. It stands in for the system's
 * <linux/io_uring.h> and may be included before or after it.
 *
 * "Since 5.x" is the first kernel release with the item; items without a note
 * came with io_uring itself, in 5.1, or with the opcode that they belong to.
 */
#ifndef LIBURING_IO_URING_H
#define LIBURING_IO_URING_H

#include <liburing/io_uring/base_types.h>

#ifdef LINUX_IO_URING_H
#include <liburing/io_uring/rename.h>
#else
#define LINUX_IO_URING_H
#endif

/* Unnamed members and arrays without a length are extensions in some modes. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Submission queue entry. With IORING_SETUP_SQE128, or as one of the 128-byte
 * opcodes on an IORING_SETUP_SQE_MIXED ring, it takes two slots, and cmd
 * stretches over the second one.
 */
struct io_uring_sqe {
	__u8 opcode;			/* IORING_OP_... */
	__u8 flags;			/* IOSQE_... */
	__u16 ioprio;			/* I/O priority, or flags of the opcode */
	__s32 fd;			/* descriptor, or index with IOSQE_FIXED_FILE */
	union {
		__u64 off;		/* file offset; -1: the current position */
		__u64 addr2;
		struct {
			__u32 cmd_op;	/* IORING_OP_URING_CMD: the command */
			__u32 __pad1;
		};
	};
	union {
		__u64 addr;		/* buffer, iovecs, path, ... */
		__u64 splice_off_in;
		struct {
			__u32 level;	/* socket option commands */
			__u32 optname;
		};
	};
	__u32 len;			/* bytes, or number of iovecs */
	union {
		int rw_flags;		/* RWF_..., what the kernel calls __kernel_rwf_t */
		__u32 fsync_flags;
		__u16 poll_events;	/* kernels without IORING_FEAT_POLL_32BITS */
		__u32 poll32_events;	/* 16-bit halves swapped on big endian */
		__u32 sync_range_flags;
		__u32 msg_flags;
		__u32 timeout_flags;
		__u32 accept_flags;
		__u32 cancel_flags;
		__u32 open_flags;
		__u32 statx_flags;
		__u32 fadvise_advice;
		__u32 splice_flags;
		__u32 rename_flags;
		__u32 unlink_flags;
		__u32 hardlink_flags;
		__u32 xattr_flags;
		__u32 msg_ring_flags;
		__u32 uring_cmd_flags;
		__u32 waitid_flags;
		__u32 futex_flags;
		__u32 install_fd_flags;
		__u32 nop_flags;
		__u32 pipe_flags;
	};
	__u64 user_data;		/* comes back in the CQE unchanged */
	union {
		__u16 buf_index;	/* registered buffer */
		__u16 buf_group;	/* with IOSQE_BUFFER_SELECT */
	};
	__u16 personality;		/* registered credentials, 0: the caller's */
	union {
		__s32 splice_fd_in;
		__u32 file_index;	/* slot of a direct descriptor, plus one */
		__u32 zcrx_ifq_idx;
		__u32 optlen;
		struct {
			__u16 addr_len;
			__u16 __pad3[1];
		};
	};
	union {
		struct {
			__u64 addr3;
			__u64 __pad2[1];
		};
		struct {
			__u64 attr_ptr;	/* struct io_uring_attr_pi, ... */
			__u64 attr_type_mask;	/* IORING_RW_ATTR_FLAG_... */
		};
		__u64 optval;
		__u8 cmd[0];	/* command data, 16 or 80 bytes */
	};
};

/* sqe->attr_type_mask: what attr_ptr points to. */
#define IORING_RW_ATTR_FLAG_PI		(1U << 0)	/* struct io_uring_attr_pi */

/* Protection information for a read or write, since 6.14. */
struct io_uring_attr_pi {
	__u16 flags;
	__u16 app_tag;
	__u32 len;
	__u64 addr;
	__u64 seed;
	__u64 rsvd;
};

/* sqe->file_index: the kernel picks a free slot and returns it; since 5.19. */
#define IORING_FILE_INDEX_ALLOC		(~0U)

enum io_uring_sqe_flags_bit {
	IOSQE_FIXED_FILE_BIT,
	IOSQE_IO_DRAIN_BIT,
	IOSQE_IO_LINK_BIT,
	IOSQE_IO_HARDLINK_BIT,
	IOSQE_ASYNC_BIT,
	IOSQE_BUFFER_SELECT_BIT,
	IOSQE_CQE_SKIP_SUCCESS_BIT
};

/* sqe->flags */
/* fd is an index into the registered files */
#define IOSQE_FIXED_FILE		(1U << IOSQE_FIXED_FILE_BIT)
/* start after everything before it, and before everything after; since 5.2 */
#define IOSQE_IO_DRAIN			(1U << IOSQE_IO_DRAIN_BIT)
/* the next SQE starts when this one has succeeded; since 5.3 */
#define IOSQE_IO_LINK			(1U << IOSQE_IO_LINK_BIT)
/* the same, and the chain goes on after a failure; since 5.5 */
#define IOSQE_IO_HARDLINK		(1U << IOSQE_IO_HARDLINK_BIT)
/* go to a worker at once, without a non-blocking attempt; since 5.6 */
#define IOSQE_ASYNC			(1U << IOSQE_ASYNC_BIT)
/* take a buffer from group buf_group; since 5.7 */
#define IOSQE_BUFFER_SELECT		(1U << IOSQE_BUFFER_SELECT_BIT)
/* post no CQE on success; since 5.17 */
#define IOSQE_CQE_SKIP_SUCCESS		(1U << IOSQE_CQE_SKIP_SUCCESS_BIT)

/* io_uring_params.flags */
/* completions are polled for, not driven by interrupts; O_DIRECT only */
#define IORING_SETUP_IOPOLL		(1U << 0)
/* a kernel thread takes the SQEs */
#define IORING_SETUP_SQPOLL		(1U << 1)
/* bind that thread to sq_thread_cpu */
#define IORING_SETUP_SQ_AFF		(1U << 2)
/* the CQ has cq_entries entries; since 5.5 */
#define IORING_SETUP_CQSIZE		(1U << 3)
/* sizes above the limits are cut, not refused; since 5.6 */
#define IORING_SETUP_CLAMP		(1U << 4)
/* share the workers of ring wq_fd; since 5.6 */
#define IORING_SETUP_ATTACH_WQ		(1U << 5)
/* start disabled, see IORING_REGISTER_ENABLE_RINGS; since 5.10 */
#define IORING_SETUP_R_DISABLED		(1U << 6)
/* a bad SQE does not stop the rest of the batch; since 5.18 */
#define IORING_SETUP_SUBMIT_ALL		(1U << 7)
/* completions do not interrupt the task that submitted; since 5.19 */
#define IORING_SETUP_COOP_TASKRUN	(1U << 8)
/* IORING_SQ_TASKRUN tells when an enter is needed to see them; since 5.19 */
#define IORING_SETUP_TASKRUN_FLAG	(1U << 9)
/* SQEs of 128 bytes; since 5.19 */
#define IORING_SETUP_SQE128		(1U << 10)
/* CQEs of 32 bytes; since 5.19 */
#define IORING_SETUP_CQE32		(1U << 11)
/* one task submits, others get -EEXIST; since 6.0 */
#define IORING_SETUP_SINGLE_ISSUER	(1U << 12)
/* completions run only inside an enter that waits; with SINGLE_ISSUER; since 6.1 */
#define IORING_SETUP_DEFER_TASKRUN	(1U << 13)
/* the application supplies the memory of the rings; since 6.5 */
#define IORING_SETUP_NO_MMAP		(1U << 14)
/* make a registered ring only, without a descriptor; since 6.5 */
#define IORING_SETUP_REGISTERED_FD_ONLY	(1U << 15)
/* no index array between SQ ring and SQEs; since 6.6 */
#define IORING_SETUP_NO_SQARRAY		(1U << 16)
/* with IOPOLL: sleep for a while before polling; since 6.13 */
#define IORING_SETUP_HYBRID_IOPOLL	(1U << 17)
/* CQEs of both sizes in one ring, see IORING_CQE_F_32; since 6.18 */
#define IORING_SETUP_CQE_MIXED		(1U << 18)
/* SQEs of both sizes in one ring; since 6.19 */
#define IORING_SETUP_SQE_MIXED		(1U << 19)
/* every submission starts at slot 0 */
#define IORING_SETUP_SQ_REWIND		(1U << 20)

enum io_uring_op {
	IORING_OP_NOP,
	IORING_OP_READV,
	IORING_OP_WRITEV,
	IORING_OP_FSYNC,
	IORING_OP_READ_FIXED,
	IORING_OP_WRITE_FIXED,
	IORING_OP_POLL_ADD,
	IORING_OP_POLL_REMOVE,
	IORING_OP_SYNC_FILE_RANGE,	/* 5.2 */
	IORING_OP_SENDMSG,		/* 5.3 */
	IORING_OP_RECVMSG,
	IORING_OP_TIMEOUT,		/* 5.4 */
	IORING_OP_TIMEOUT_REMOVE,	/* 5.5 */
	IORING_OP_ACCEPT,
	IORING_OP_ASYNC_CANCEL,
	IORING_OP_LINK_TIMEOUT,
	IORING_OP_CONNECT,
	IORING_OP_FALLOCATE,		/* 5.6 */
	IORING_OP_OPENAT,
	IORING_OP_CLOSE,
	IORING_OP_FILES_UPDATE,
	IORING_OP_STATX,
	IORING_OP_READ,
	IORING_OP_WRITE,
	IORING_OP_FADVISE,
	IORING_OP_MADVISE,
	IORING_OP_SEND,
	IORING_OP_RECV,
	IORING_OP_OPENAT2,
	IORING_OP_EPOLL_CTL,
	IORING_OP_SPLICE,		/* 5.7 */
	IORING_OP_PROVIDE_BUFFERS,
	IORING_OP_REMOVE_BUFFERS,
	IORING_OP_TEE,			/* 5.8 */
	IORING_OP_SHUTDOWN,		/* 5.11 */
	IORING_OP_RENAMEAT,
	IORING_OP_UNLINKAT,
	IORING_OP_MKDIRAT,		/* 5.15 */
	IORING_OP_SYMLINKAT,
	IORING_OP_LINKAT,
	IORING_OP_MSG_RING,		/* 5.18 */
	IORING_OP_FSETXATTR,		/* 5.19 */
	IORING_OP_SETXATTR,
	IORING_OP_FGETXATTR,
	IORING_OP_GETXATTR,
	IORING_OP_SOCKET,
	IORING_OP_URING_CMD,
	IORING_OP_SEND_ZC,		/* 6.0 */
	IORING_OP_SENDMSG_ZC,		/* 6.1 */
	IORING_OP_READ_MULTISHOT,	/* 6.7 */
	IORING_OP_WAITID,
	IORING_OP_FUTEX_WAIT,
	IORING_OP_FUTEX_WAKE,
	IORING_OP_FUTEX_WAITV,
	IORING_OP_FIXED_FD_INSTALL,	/* 6.8 */
	IORING_OP_FTRUNCATE,		/* 6.9 */
	IORING_OP_BIND,			/* 6.11 */
	IORING_OP_LISTEN,
	IORING_OP_RECV_ZC,		/* 6.15 */
	IORING_OP_EPOLL_WAIT,
	IORING_OP_READV_FIXED,
	IORING_OP_WRITEV_FIXED,
	IORING_OP_PIPE,			/* 6.16 */
	IORING_OP_NOP128,		/* 6.19 */
	IORING_OP_URING_CMD128,

	IORING_OP_LAST			/* one more than the last opcode */
};

/* sqe->uring_cmd_flags: the buffer is registered buffer buf_index; since 6.1. */
#define IORING_URING_CMD_FIXED		(1U << 0)
#define IORING_URING_CMD_MASK		IORING_URING_CMD_FIXED

/* sqe->fsync_flags: data and the metadata needed to read it back, no more. */
#define IORING_FSYNC_DATASYNC		(1U << 0)

/* sqe->timeout_flags */
#define IORING_TIMEOUT_ABS		(1U << 0)	/* a point in time; since 5.5 */
#define IORING_TIMEOUT_UPDATE		(1U << 1)	/* change a timeout; since 5.11 */
#define IORING_TIMEOUT_BOOTTIME		(1U << 2)	/* CLOCK_BOOTTIME; since 5.15 */
#define IORING_TIMEOUT_REALTIME		(1U << 3)	/* CLOCK_REALTIME; since 5.15 */
#define IORING_LINK_TIMEOUT_UPDATE	(1U << 4)	/* change a link timeout; since 5.15 */
#define IORING_TIMEOUT_ETIME_SUCCESS	(1U << 5)	/* -ETIME keeps a chain; since 5.16 */
#define IORING_TIMEOUT_MULTISHOT	(1U << 6)	/* fire again and again; since 6.4 */
#define IORING_TIMEOUT_IMMEDIATE_ARG	(1U << 7)	/* addr is nanoseconds, no pointer */
#define IORING_TIMEOUT_CLOCK_MASK	(IORING_TIMEOUT_BOOTTIME | IORING_TIMEOUT_REALTIME)
#define IORING_TIMEOUT_UPDATE_MASK	(IORING_TIMEOUT_UPDATE | IORING_LINK_TIMEOUT_UPDATE)

/* sqe->splice_flags, beside those of splice(2): splice_fd_in is an index. */
#define SPLICE_F_FD_IN_FIXED		(1U << 31)

/* sqe->len of IORING_OP_POLL_ADD and, the updates, of IORING_OP_POLL_REMOVE; since 5.13. */
#define IORING_POLL_ADD_MULTI		(1U << 0)	/* multishot */
#define IORING_POLL_UPDATE_EVENTS	(1U << 1)	/* new event mask */
#define IORING_POLL_UPDATE_USER_DATA	(1U << 2)	/* new user_data */
#define IORING_POLL_ADD_LEVEL		(1U << 3)	/* level triggered; since 6.0 */

/* sqe->cancel_flags: how requests are matched; since 5.19. */
#define IORING_ASYNC_CANCEL_ALL		(1U << 0)	/* every match, not the first */
#define IORING_ASYNC_CANCEL_FD		(1U << 1)	/* by descriptor */
#define IORING_ASYNC_CANCEL_ANY		(1U << 2)	/* whatever there is */
#define IORING_ASYNC_CANCEL_FD_FIXED	(1U << 3)	/* fd is an index; since 6.0 */
#define IORING_ASYNC_CANCEL_USERDATA	(1U << 4)	/* by user_data; since 6.6 */
#define IORING_ASYNC_CANCEL_OP		(1U << 5)	/* by opcode; since 6.6 */

/* sqe->ioprio of send and receive requests */
/* wait for readiness first, the attempt would only fail; since 5.19 */
#define IORING_RECVSEND_POLL_FIRST	(1U << 0)
/* one request, many completions, each with a provided buffer; since 6.0 */
#define IORING_RECV_MULTISHOT		(1U << 1)
/* the buffer is registered buffer buf_index; since 6.0 */
#define IORING_RECVSEND_FIXED_BUF	(1U << 2)
/* the notification says whether data was copied after all; since 6.2 */
#define IORING_SEND_ZC_REPORT_USAGE	(1U << 3)
/* several provided buffers in one operation; since 6.10 */
#define IORING_RECVSEND_BUNDLE		(1U << 4)
/* addr and len are an iovec array, as in sendmsg; since 6.17 */
#define IORING_SEND_VECTORIZED		(1U << 5)

/* cqe->res of a notification with IORING_SEND_ZC_REPORT_USAGE: data was copied. */
#define IORING_NOTIF_USAGE_ZC_COPIED	(1U << 31)

/* sqe->ioprio of accept */
#define IORING_ACCEPT_MULTISHOT		(1U << 0)	/* since 5.19 */
#define IORING_ACCEPT_DONTWAIT		(1U << 1)	/* -EAGAIN, no wait; since 6.10 */
#define IORING_ACCEPT_POLL_FIRST	(1U << 2)	/* wait for readiness first; since 6.10 */

/* sqe->addr of IORING_OP_MSG_RING: what is sent. */
enum io_uring_msg_ring_flags {
	IORING_MSG_DATA,	/* len and off become res and user_data there */
	IORING_MSG_SEND_FD	/* a registered file; since 6.0 */
};

/* sqe->msg_ring_flags */
#define IORING_MSG_RING_CQE_SKIP	(1U << 0)	/* a file goes without a CQE there */
#define IORING_MSG_RING_FLAGS_PASS	(1U << 1)	/* file_index: its CQE flags; since 6.3 */

/* sqe->install_fd_flags: the descriptor stays open across exec. */
#define IORING_FIXED_FD_NO_CLOEXEC	(1U << 0)

/* sqe->nop_flags */
#define IORING_NOP_INJECT_RESULT	(1U << 0)	/* res will be sqe->len; since 6.10 */
#define IORING_NOP_CQE32		(1U << 5)	/* post a 32-byte CQE; since 6.18 */

/* Completion queue entry; 32 bytes with IORING_SETUP_CQE32 or IORING_CQE_F_32. */
struct io_uring_cqe {
	__u64 user_data;	/* of the SQE */
	__s32 res;		/* what the system call would return, or -errno */
	__u32 flags;		/* IORING_CQE_F_... */
	__u64 big_cqe[];	/* two words of a 32-byte entry */
};

/* cqe->flags */
/* the upper 16 bits are the id of a provided buffer; since 5.7 */
#define IORING_CQE_F_BUFFER		(1U << 0)
/* the request posts further CQEs; since 5.13 */
#define IORING_CQE_F_MORE		(1U << 1)
/* the socket has more to read; since 5.19 */
#define IORING_CQE_F_SOCK_NONEMPTY	(1U << 2)
/* zero-copy send: the buffer is free again; since 6.0 */
#define IORING_CQE_F_NOTIF		(1U << 3)
/* the provided buffer is used partly and stays in use; since 6.12 */
#define IORING_CQE_F_BUF_MORE		(1U << 4)
/* filler before the wrap of a mixed ring: no completion; since 6.18 */
#define IORING_CQE_F_SKIP		(1U << 5)
/* a 32-byte entry of a mixed ring; since 6.18 */
#define IORING_CQE_F_32			(1U << 15)

#define IORING_CQE_BUFFER_SHIFT		16

/* Offsets for mmap(2) on the ring's descriptor */
#define IORING_OFF_SQ_RING		0ULL
#define IORING_OFF_CQ_RING		0x8000000ULL
#define IORING_OFF_SQES			0x10000000ULL
#define IORING_OFF_PBUF_RING		0x80000000ULL	/* plus group << PBUF_SHIFT; since 6.4 */
#define IORING_OFF_PBUF_SHIFT		16
#define IORING_OFF_MMAP_MASK		0xf8000000ULL

/* Where the parts of the SQ ring lie, in bytes from the start of its mapping. */
struct io_sqring_offsets {
	__u32 head;
	__u32 tail;
	__u32 ring_mask;
	__u32 ring_entries;
	__u32 flags;		/* of the IORING_SQ_... word */
	__u32 dropped;
	__u32 array;
	__u32 resv1;
	__u64 user_addr;	/* IORING_SETUP_NO_MMAP: address of the SQEs */
};

/* The word at io_sqring_offsets.flags */
/* the SQPOLL thread sleeps: enter with IORING_ENTER_SQ_WAKEUP */
#define IORING_SQ_NEED_WAKEUP		(1U << 0)
/* CQEs wait in the kernel for room in the CQ; since 5.8 */
#define IORING_SQ_CQ_OVERFLOW		(1U << 1)
/* completions wait for an enter; IORING_SETUP_TASKRUN_FLAG; since 5.19 */
#define IORING_SQ_TASKRUN		(1U << 2)

/* Where the parts of the CQ ring lie, in bytes from the start of its mapping. */
struct io_cqring_offsets {
	__u32 head;
	__u32 tail;
	__u32 ring_mask;
	__u32 ring_entries;
	__u32 overflow;
	__u32 cqes;
	__u32 flags;		/* of the IORING_CQ_... word; 0 before 5.8 */
	__u32 resv1;
	__u64 user_addr;	/* IORING_SETUP_NO_MMAP: address of the rings */
};

/* The word at io_cqring_offsets.flags: completions signal no eventfd; since 5.8. */
#define IORING_CQ_EVENTFD_DISABLED	(1U << 0)

/* io_uring_enter(2) flags */
#define IORING_ENTER_GETEVENTS		(1U << 0)	/* wait for min_complete */
#define IORING_ENTER_SQ_WAKEUP		(1U << 1)	/* wake the SQPOLL thread */
#define IORING_ENTER_SQ_WAIT		(1U << 2)	/* wait for room in the SQ; since 5.10 */
#define IORING_ENTER_EXT_ARG		(1U << 3)	/* struct io_uring_getevents_arg; since 5.11 */
#define IORING_ENTER_REGISTERED_RING	(1U << 4)	/* fd is a registered index; since 5.18 */
#define IORING_ENTER_ABS_TIMER		(1U << 5)	/* timeout is absolute; since 6.12 */
#define IORING_ENTER_EXT_ARG_REG	(1U << 6)	/* argument is registered; since 6.13 */
#define IORING_ENTER_NO_IOWAIT		(1U << 7)	/* not accounted as iowait; since 6.15 */

/* In and out parameter of io_uring_setup(2) */
struct io_uring_params {
	__u32 sq_entries;	/* out */
	__u32 cq_entries;	/* out, and in with IORING_SETUP_CQSIZE */
	__u32 flags;		/* IORING_SETUP_... */
	__u32 sq_thread_cpu;	/* IORING_SETUP_SQ_AFF */
	__u32 sq_thread_idle;	/* ms without work before the thread sleeps */
	__u32 features;		/* out: IORING_FEAT_... */
	__u32 wq_fd;		/* IORING_SETUP_ATTACH_WQ */
	__u32 resv[3];		/* zero */
	struct io_sqring_offsets sq_off;
	struct io_cqring_offsets cq_off;
};

/* io_uring_params.features */
/* one mapping holds both rings; since 5.4 */
#define IORING_FEAT_SINGLE_MMAP		(1U << 0)
/* CQEs that find no room are kept by the kernel; since 5.5 */
#define IORING_FEAT_NODROP		(1U << 1)
/* what an SQE points to, buffers excepted, is read during the submit; since 5.5 */
#define IORING_FEAT_SUBMIT_STABLE	(1U << 2)
/* file offset -1 is the current position; since 5.6 */
#define IORING_FEAT_RW_CUR_POS		(1U << 3)
/* requests run with the credentials of the submitting task; since 5.6 */
#define IORING_FEAT_CUR_PERSONALITY	(1U << 4)
/* waiting for readiness needs no worker thread; since 5.7 */
#define IORING_FEAT_FAST_POLL		(1U << 5)
/* poll32_events; since 5.9 */
#define IORING_FEAT_POLL_32BITS		(1U << 6)
/* SQPOLL takes files that are not registered; since 5.11 */
#define IORING_FEAT_SQPOLL_NONFIXED	(1U << 7)
/* IORING_ENTER_EXT_ARG; since 5.11 */
#define IORING_FEAT_EXT_ARG		(1U << 8)
/* workers are threads of the process, rings are charged to its cgroup; since 5.12 */
#define IORING_FEAT_NATIVE_WORKERS	(1U << 9)
/* tags and updates of registered files and buffers; since 5.13 */
#define IORING_FEAT_RSRC_TAGS		(1U << 10)
/* IOSQE_CQE_SKIP_SUCCESS; since 5.17 */
#define IORING_FEAT_CQE_SKIP		(1U << 11)
/* a linked request looks its file up when it starts; since 5.17 */
#define IORING_FEAT_LINKED_FILE		(1U << 12)
/* register calls through a registered ring; since 6.3 */
#define IORING_FEAT_REG_REG_RING	(1U << 13)
/* IORING_RECVSEND_BUNDLE; since 6.10 */
#define IORING_FEAT_RECVSEND_BUNDLE	(1U << 14)
/* min_wait_usec of struct io_uring_getevents_arg; since 6.12 */
#define IORING_FEAT_MIN_TIMEOUT		(1U << 15)
/* attributes on reads and writes; since 6.14 */
#define IORING_FEAT_RW_ATTR		(1U << 16)
/* IORING_ENTER_NO_IOWAIT; since 6.15 */
#define IORING_FEAT_NO_IOWAIT		(1U << 17)

/* io_uring_register(2) opcodes. */
enum io_uring_register_op {
	IORING_REGISTER_BUFFERS			= 0,
	IORING_UNREGISTER_BUFFERS		= 1,
	IORING_REGISTER_FILES			= 2,
	IORING_UNREGISTER_FILES			= 3,
	IORING_REGISTER_EVENTFD			= 4,	/* 5.2 */
	IORING_UNREGISTER_EVENTFD		= 5,
	IORING_REGISTER_FILES_UPDATE		= 6,	/* 5.5 */
	IORING_REGISTER_EVENTFD_ASYNC		= 7,	/* 5.6 */
	IORING_REGISTER_PROBE			= 8,
	IORING_REGISTER_PERSONALITY		= 9,
	IORING_UNREGISTER_PERSONALITY		= 10,
	IORING_REGISTER_RESTRICTIONS		= 11,	/* 5.10 */
	IORING_REGISTER_ENABLE_RINGS		= 12,
	IORING_REGISTER_FILES2			= 13,	/* 5.13 */
	IORING_REGISTER_FILES_UPDATE2		= 14,
	IORING_REGISTER_BUFFERS2		= 15,
	IORING_REGISTER_BUFFERS_UPDATE		= 16,
	IORING_REGISTER_IOWQ_AFF		= 17,	/* 5.14 */
	IORING_UNREGISTER_IOWQ_AFF		= 18,
	IORING_REGISTER_IOWQ_MAX_WORKERS	= 19,	/* 5.15 */
	IORING_REGISTER_RING_FDS		= 20,	/* 5.18 */
	IORING_UNREGISTER_RING_FDS		= 21,
	IORING_REGISTER_PBUF_RING		= 22,	/* 5.19 */
	IORING_UNREGISTER_PBUF_RING		= 23,
	IORING_REGISTER_SYNC_CANCEL		= 24,	/* 6.0 */
	IORING_REGISTER_FILE_ALLOC_RANGE	= 25,
	IORING_REGISTER_PBUF_STATUS		= 26,	/* 6.8 */
	IORING_REGISTER_NAPI			= 27,	/* 6.9 */
	IORING_UNREGISTER_NAPI			= 28,
	IORING_REGISTER_CLOCK			= 29,	/* 6.12 */
	IORING_REGISTER_CLONE_BUFFERS		= 30,
	IORING_REGISTER_SEND_MSG_RING		= 31,	/* 6.13 */
	IORING_REGISTER_ZCRX_IFQ		= 32,	/* 6.15 */
	IORING_REGISTER_RESIZE_RINGS		= 33,	/* 6.13 */
	IORING_REGISTER_MEM_REGION		= 34,	/* 6.13 */
	IORING_REGISTER_QUERY			= 35,	/* 6.18 */
	IORING_REGISTER_ZCRX_CTRL		= 36,	/* 6.19 */
	IORING_REGISTER_BPF_FILTER		= 37,

	IORING_REGISTER_LAST,			/* one more than the last opcode */

	/* or-ed in: fd is the index of a registered ring; since 6.3 */
	IORING_REGISTER_USE_REGISTERED_RING	= 1U << 31
};

/* The two kinds of worker threads, indexes for IORING_REGISTER_IOWQ_MAX_WORKERS. */
enum io_wq_type {
	IO_WQ_BOUND,		/* work that ends soon: files, block devices */
	IO_WQ_UNBOUND		/* work that may wait for ever: sockets, pipes */
};

/* IORING_REGISTER_FILES_UPDATE; the name of before 5.13 */
struct io_uring_files_update {
	__u32 offset;
	__u32 resv;
	__u64 fds __attribute__((__aligned__(8)));	/* __s32 * */
};

/* io_uring_region_desc.flags: user_addr is the application's memory. */
enum {
	IORING_MEM_REGION_TYPE_USER	= 1
};

/* A piece of memory that application and kernel share; since 6.13. */
struct io_uring_region_desc {
	__u64 user_addr;
	__u64 size;
	__u32 flags;		/* IORING_MEM_REGION_TYPE_... */
	__u32 id;
	__u64 mmap_offset;	/* out, where the kernel allocated */
	__u64 __resv[4];
};

/* io_uring_mem_region_reg.flags: it holds struct io_uring_reg_wait entries. */
enum {
	IORING_MEM_REGION_REG_WAIT_ARG	= 1
};

/* IORING_REGISTER_MEM_REGION */
struct io_uring_mem_region_reg {
	__u64 region_uptr;	/* struct io_uring_region_desc * */
	__u64 flags;
	__u64 __resv[2];
};

/* io_uring_rsrc_register.flags: all slots empty, no data pointer; since 5.19. */
#define IORING_RSRC_REGISTER_SPARSE	(1U << 0)

/* IORING_REGISTER_FILES2, IORING_REGISTER_BUFFERS2 */
struct io_uring_rsrc_register {
	__u32 nr;
	__u32 flags;		/* IORING_RSRC_REGISTER_... */
	__u64 resv2;
	__u64 data __attribute__((__aligned__(8)));	/* __s32 * or struct iovec * */
	__u64 tags __attribute__((__aligned__(8)));	/* __u64 *, or 0 */
};

/* IORING_REGISTER_FILES_UPDATE, and of IORING_REGISTER_RING_FDS one entry */
struct io_uring_rsrc_update {
	__u32 offset;
	__u32 resv;
	__u64 data __attribute__((__aligned__(8)));
};

/* IORING_REGISTER_FILES_UPDATE2, IORING_REGISTER_BUFFERS_UPDATE */
struct io_uring_rsrc_update2 {
	__u32 offset;
	__u32 resv;
	__u64 data __attribute__((__aligned__(8)));
	__u64 tags __attribute__((__aligned__(8)));
	__u32 nr;
	__u32 resv2;
};

/* In an array of descriptors for an update: leave this slot alone; since 5.12. */
#define IORING_REGISTER_FILES_SKIP	(-2)

/* io_uring_probe_op.flags */
#define IO_URING_OP_SUPPORTED		(1U << 0)

struct io_uring_probe_op {
	__u8 op;
	__u8 resv;
	__u16 flags;		/* IO_URING_OP_... */
	__u32 resv2;
};

/* IORING_REGISTER_PROBE */
struct io_uring_probe {
	__u8 last_op;		/* the highest opcode that the kernel knows */
	__u8 ops_len;		/* entries filled in ops */
	__u16 resv;
	__u32 resv2[3];
	struct io_uring_probe_op ops[];
};

/* One entry of IORING_REGISTER_RESTRICTIONS */
struct io_uring_restriction {
	__u16 opcode;		/* enum io_uring_register_restriction_op */
	union {
		__u8 register_op;
		__u8 sqe_op;
		__u8 sqe_flags;
	};
	__u8 resv;
	__u32 resv2[3];
};

/* Restrictions of a task: those of every ring that it makes. */
struct io_uring_task_restriction {
	__u16 flags;
	__u16 nr_res;		/* entries in restrictions */
	__u32 resv[3];
	struct io_uring_restriction restrictions[0];
};

/* IORING_REGISTER_CLOCK: the clock of the timeouts of waits. */
struct io_uring_clock_register {
	__u32 clockid;
	__u32 __resv[3];
};

/* io_uring_clone_buffers.flags */
enum {
	IORING_REGISTER_SRC_REGISTERED	= 1U << 0,	/* src_fd is a registered index */
	IORING_REGISTER_DST_REPLACE	= 1U << 1	/* replace what is there; since 6.13 */
};

/* IORING_REGISTER_CLONE_BUFFERS: take over registered buffers of another ring. */
struct io_uring_clone_buffers {
	__u32 src_fd;
	__u32 flags;
	__u32 src_off;
	__u32 dst_off;
	__u32 nr;		/* 0: all */
	__u32 pad[3];
};

/* One buffer of a provided-buffer ring */
struct io_uring_buf {
	__u64 addr;
	__u32 len;
	__u16 bid;
	__u16 resv;
};

/* A provided-buffer ring. The tail lies in the spare field of the first buffer. */
struct io_uring_buf_ring {
	union {
		struct {
			__u64 resv1;
			__u32 resv2;
			__u16 resv3;
			__u16 tail;
		};
		struct io_uring_buf bufs[0];
	};
};

/* io_uring_buf_reg.flags */
enum io_uring_register_pbuf_ring_flags {
	IOU_PBUF_RING_MMAP	= 1,	/* the kernel allocates, mmap to get it; since 6.4 */
	IOU_PBUF_RING_INC	= 2	/* a buffer is used up piece by piece; since 6.12 */
};

/* IORING_REGISTER_PBUF_RING, IORING_UNREGISTER_PBUF_RING */
struct io_uring_buf_reg {
	__u64 ring_addr;
	__u32 ring_entries;	/* power of two, up to 32768 */
	__u16 bgid;
	__u16 flags;		/* IOU_PBUF_RING_... */
	__u32 min_left;		/* with INC: go on to the next buffer below this rest */
	__u32 resv[5];
};

/* IORING_REGISTER_PBUF_STATUS */
struct io_uring_buf_status {
	__u32 buf_group;	/* in */
	__u32 head;		/* out */
	__u32 resv[8];
};

/* IORING_REGISTER_NAPI; comes back with what was set before. */
struct io_uring_napi {
	__u32 busy_poll_to;	/* us */
	__u8 prefer_busy_poll;
	__u8 pad[3];
	__u64 resv;
};

/* io_uring_restriction.opcode */
enum io_uring_register_restriction_op {
	IORING_RESTRICTION_REGISTER_OP		= 0,	/* allow a register opcode */
	IORING_RESTRICTION_SQE_OP		= 1,	/* allow an SQE opcode */
	IORING_RESTRICTION_SQE_FLAGS_ALLOWED	= 2,
	IORING_RESTRICTION_SQE_FLAGS_REQUIRED	= 3,

	IORING_RESTRICTION_LAST			/* one more than the last */
};

/* io_uring_reg_wait.flags: ts holds a timeout. */
enum {
	IORING_REG_WAIT_TS	= 1U << 0
};

/* Argument of a wait, kept in a registered region; IORING_ENTER_EXT_ARG_REG. */
struct io_uring_reg_wait {
	struct __kernel_timespec ts;
	__u32 min_wait_usec;
	__u32 flags;		/* IORING_REG_WAIT_... */
	__u64 sigmask;
	__u32 sigmask_sz;
	__u32 pad[3];
	__u64 pad2[2];
};

/* Argument of a wait; IORING_ENTER_EXT_ARG. */
struct io_uring_getevents_arg {
	__u64 sigmask;		/* sigset_t *, or 0 */
	__u32 sigmask_sz;	/* bytes of the kernel's own sigset_t, 8 on most CPUs */
	__u32 min_wait_usec;	/* us; since 6.12 */
	__u64 ts;		/* struct __kernel_timespec *, or 0 */
};

/* IORING_REGISTER_SYNC_CANCEL */
struct io_uring_sync_cancel_reg {
	__u64 addr;		/* user_data to match */
	__s32 fd;
	__u32 flags;		/* IORING_ASYNC_CANCEL_... */
	struct __kernel_timespec timeout;	/* -1, -1: wait as long as it takes */
	__u8 opcode;		/* with IORING_ASYNC_CANCEL_OP */
	__u8 pad[7];
	__u64 pad2[3];
};

/* IORING_REGISTER_FILE_ALLOC_RANGE: where the kernel looks for free slots. */
struct io_uring_file_index_range {
	__u32 off;
	__u32 len;
	__u64 resv;
};

/* Start of the buffer of a multishot RECVMSG; name, control data, payload follow. */
struct io_uring_recvmsg_out {
	__u32 namelen;		/* as the packet has it, maybe more than fits */
	__u32 controllen;
	__u32 payloadlen;
	__u32 flags;		/* MSG_... */
};

/* Commands of IORING_OP_URING_CMD on a socket */
enum io_uring_socket_op {
	SOCKET_URING_OP_SIOCINQ		= 0,	/* 6.6 */
	SOCKET_URING_OP_SIOCOUTQ	= 1,
	SOCKET_URING_OP_GETSOCKOPT	= 2,	/* 6.7 */
	SOCKET_URING_OP_SETSOCKOPT	= 3,
	SOCKET_URING_OP_TX_TIMESTAMP	= 4,	/* 6.17 */
	SOCKET_URING_OP_GETSOCKNAME	= 5	/* 6.19 */
};

/* cqe->flags of SOCKET_URING_OP_TX_TIMESTAMP */
#define IORING_TIMESTAMP_HW_SHIFT	16	/* bit 16: taken by the hardware */
#define IORING_TIMESTAMP_TYPE_SHIFT	(IORING_TIMESTAMP_HW_SHIFT + 1)
#define IORING_CQE_F_TSTAMP_HW		(1U << IORING_TIMESTAMP_HW_SHIFT)

/* The time, in the second half of such a CQE */
struct io_timespec {
	__u64 tv_sec;
	__u64 tv_nsec;
};

/* Refill ring entry of zero-copy receive: a piece given back; since 6.15. */
struct io_uring_zcrx_rqe {
	__u64 off;
	__u32 len;
	__u32 __pad;
};

/* Second half of the CQE of a zero-copy receive */
struct io_uring_zcrx_cqe {
	__u64 off;		/* area in the upper bits, offset in the lower */
	__u64 __pad;
};

/* The two parts of such an offset */
#define IORING_ZCRX_AREA_SHIFT		48
#define IORING_ZCRX_AREA_MASK		(~((1ULL << IORING_ZCRX_AREA_SHIFT) - 1))

struct io_uring_zcrx_offsets {
	__u32 head;
	__u32 tail;
	__u32 rqes;
	__u32 __resv2;
	__u64 __resv[2];
};

/* io_uring_zcrx_area_reg.flags: the area is the dma-buf dmabuf_fd; since 6.16. */
enum io_uring_zcrx_area_flags {
	IORING_ZCRX_AREA_DMABUF	= 1
};

/* The memory that packets are received into */
struct io_uring_zcrx_area_reg {
	__u64 addr;
	__u64 len;
	__u64 rq_area_token;	/* out: upper bits of the offsets given back */
	__u32 flags;		/* IORING_ZCRX_AREA_... */
	__u32 dmabuf_fd;
	__u64 __resv2[2];
};

/* io_uring_zcrx_ifq_reg.flags */
enum zcrx_reg_flags {
	ZCRX_REG_IMPORT	= 1,	/* share a queue that another ring has exported */
	ZCRX_REG_NODEV	= 2	/* no device: data is copied */
};

/* io_uring_query_zcrx.features: rx_buf_len may be set. */
enum zcrx_features {
	ZCRX_FEATURE_RX_PAGE_SIZE	= 1 << 0
};

/* IORING_REGISTER_ZCRX_IFQ */
struct io_uring_zcrx_ifq_reg {
	__u32 if_idx;		/* network interface */
	__u32 if_rxq;		/* its receive queue */
	__u32 rq_entries;
	__u32 flags;		/* ZCRX_REG_... */
	__u64 area_ptr;		/* struct io_uring_zcrx_area_reg * */
	__u64 region_ptr;	/* struct io_uring_region_desc * */
	struct io_uring_zcrx_offsets offsets;	/* out */
	__u32 zcrx_id;		/* out */
	__u32 rx_buf_len;
	__u64 __resv[3];
};

/* zcrx_ctrl.op */
enum zcrx_ctrl_op {
	ZCRX_CTRL_FLUSH_RQ,	/* take in the whole refill ring */
	ZCRX_CTRL_EXPORT,	/* get a descriptor that another ring can import */

	__ZCRX_CTRL_LAST
};

struct zcrx_ctrl_flush_rq {
	__u64 __resv[6];
};

struct zcrx_ctrl_export {
	__u32 zcrx_fd;		/* out */
	__u32 __resv1[11];
};

/* IORING_REGISTER_ZCRX_CTRL */
struct zcrx_ctrl {
	__u32 zcrx_id;
	__u32 op;		/* ZCRX_CTRL_... */
	__u64 __resv[2];
	union {
		struct zcrx_ctrl_export zc_export;
		struct zcrx_ctrl_flush_rq zc_flush;
	};
};

#ifdef __cplusplus
}
#endif

#pragma GCC diagnostic pop

#endif
