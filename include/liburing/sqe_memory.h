/* SPDX-License-Identifier: MIT */
/*
 * The memory that an SQE leads to, opcode by opcode: for the checks at submit, and
 * for the tools that must hear of what the kernel will write. Programs that are
 * built for neither do not see this file.
 */
#ifndef LIBURING_SQE_MEMORY_H
#define LIBURING_SQE_MEMORY_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <liburing/base.h>
#include <liburing/types.h>

LIBURING_BEGIN_DECLS

/* A piece of memory, as liburing_visit_sqe shows it. */
struct liburing_sqe_part {
	const struct io_uring_sqe *sqe;
	const char *function;	/* that submits the SQE */
	void (*visit)(const struct liburing_sqe_part *part);
	const char *what;
	const void *ptr;
	size_t sz;
	bool is_output;		/* the kernel writes it */
	bool is_registered;	/* the kernel sees to the bounds; ptr may be an offset */
};

/* The kernel refuses more than these, unread. */
#define LIBURING_MAX_IOVECS 1024
#define LIBURING_MAX_FUTEXES 128
#define LIBURING_MAX_ADDRESS_SZ 128
#define LIBURING_MAX_PATH 4096

/* Of structures that a program may be without; one has no padding on some CPUs. */
#define LIBURING_STATX_SZ 256
#define LIBURING_EPOLL_CTL_DEL 2
#if defined(__x86_64__) || defined(__i386__)
#define LIBURING_EPOLL_EVENT_SZ 12
#else
#define LIBURING_EPOLL_EVENT_SZ 16
#endif

/* liburing_op_name - the opcode without its IORING_OP_. */
IOURINGHELPER const char *liburing_op_name(unsigned op) LIBURING_NOEXCEPT
{
	static const char *const names[] = {
		"NOP", "READV", "WRITEV", "FSYNC", "READ_FIXED", "WRITE_FIXED", "POLL_ADD",
		"POLL_REMOVE", "SYNC_FILE_RANGE", "SENDMSG", "RECVMSG", "TIMEOUT",
		"TIMEOUT_REMOVE", "ACCEPT", "ASYNC_CANCEL", "LINK_TIMEOUT", "CONNECT", "FALLOCATE",
		"OPENAT", "CLOSE", "FILES_UPDATE", "STATX", "READ", "WRITE", "FADVISE", "MADVISE",
		"SEND", "RECV", "OPENAT2", "EPOLL_CTL", "SPLICE", "PROVIDE_BUFFERS",
		"REMOVE_BUFFERS", "TEE", "SHUTDOWN", "RENAMEAT", "UNLINKAT", "MKDIRAT",
		"SYMLINKAT", "LINKAT", "MSG_RING", "FSETXATTR", "SETXATTR", "FGETXATTR",
		"GETXATTR", "SOCKET", "URING_CMD", "SEND_ZC", "SENDMSG_ZC", "READ_MULTISHOT",
		"WAITID", "FUTEX_WAIT", "FUTEX_WAKE", "FUTEX_WAITV", "FIXED_FD_INSTALL",
		"FTRUNCATE", "BIND", "LISTEN", "RECV_ZC", "EPOLL_WAIT", "READV_FIXED",
		"WRITEV_FIXED", "PIPE", "NOP128", "URING_CMD128",
	};

	return op < sizeof(names) / sizeof(names[0]) ? names[op] : "?";
}

/* liburing_unpublished - the SQEs that a submit would publish: their number of slots. */
IOURINGHELPER unsigned liburing_unpublished(const struct io_uring *ring,
					    unsigned *first) LIBURING_NOEXCEPT
{
	*first = (ring->flags & IORING_SETUP_SQ_REWIND) ? 0 : ring->sq.sqe_head;
	return ring->sq.sqe_tail - *first;
}

/* liburing_sqe_at - the SQE at a position; *nr_slots is what it takes. */
IOURINGHELPER struct io_uring_sqe *liburing_sqe_at(const struct io_uring *ring, unsigned pos,
						   unsigned *nr_slots) LIBURING_NOEXCEPT
{
	unsigned shift = !!(ring->flags & IORING_SETUP_SQE128);
	struct io_uring_sqe *sqe = &ring->sq.sqes[(size_t)(pos & ring->sq.ring_mask) << shift];

	*nr_slots = 1;
	if ((ring->flags & IORING_SETUP_SQE_MIXED) &&
	    (sqe->opcode == IORING_OP_NOP128 || sqe->opcode == IORING_OP_URING_CMD128))
		*nr_slots = 2;
	return sqe;
}

/* liburing_is_fixed - whether the data lies in a registered buffer. */
IOURINGHELPER bool liburing_is_fixed(const struct io_uring_sqe *sqe) LIBURING_NOEXCEPT
{
	switch (sqe->opcode) {
	case IORING_OP_READ_FIXED:
	case IORING_OP_WRITE_FIXED:
	case IORING_OP_READV_FIXED:
	case IORING_OP_WRITEV_FIXED:
		return true;
	case IORING_OP_SEND_ZC:
	case IORING_OP_SENDMSG_ZC:
		return (sqe->ioprio & IORING_RECVSEND_FIXED_BUF) != 0;
	default:
		return false;
	}
}

/*
 * liburing_is_memory - whether memory can be there at all.
 *
 * NULL, what lies near it and the kernel's own half are left to the kernel, which
 * answers -EFAULT, and to the few requests that may have NULL.
 */
IOURINGHELPER bool liburing_is_memory(__u64 addr) LIBURING_NOEXCEPT
{
	return addr >= 0x10000 && addr <= (__u64)UINTPTR_MAX && (addr >> 63) == 0;
}

IOURINGHELPER void liburing_visit(struct liburing_sqe_part *part, const char *what, __u64 addr,
				  size_t sz, bool is_output) LIBURING_NOEXCEPT
{
	if (!liburing_is_memory(addr) || !sz)
		return;
	part->what = what;
	part->ptr = (const void *)(uintptr_t)addr;
	part->sz = sz;
	part->is_output = is_output;
	part->visit(part);
}

/* An address that goes to the kernel. */
IOURINGHELPER void liburing_visit_address(struct liburing_sqe_part *part, __u64 addr,
					  __u64 sz) LIBURING_NOEXCEPT
{
	if (sz <= LIBURING_MAX_ADDRESS_SZ)
		liburing_visit(part, "address", addr, (size_t)sz, false);
}

/* One that comes back, with its length in front of it and behind. */
IOURINGHELPER void liburing_visit_address_out(struct liburing_sqe_part *part, __u64 addr,
					      __u64 addrlen) LIBURING_NOEXCEPT
{
	if (!liburing_is_memory(addr) || !liburing_is_memory(addrlen))
		return;
	liburing_visit(part, "length of an address", addrlen, sizeof(socklen_t), true);
	liburing_visit(part, "address", addr, *(const socklen_t *)(uintptr_t)addrlen, true);
}

/* Byte by byte, since the end is not known before it is read. */
IOURINGHELPER void liburing_visit_string(struct liburing_sqe_part *part, const char *what,
					 __u64 addr) LIBURING_NOEXCEPT
{
	const char *string = (const char *)(uintptr_t)addr;
	size_t i;

	if (!liburing_is_memory(addr))
		return;
	for (i = 0; i < LIBURING_MAX_PATH; i++) {
		liburing_visit(part, what, addr + i, 1, false);
		if (!string[i])
			break;
	}
}

IOURINGHELPER void liburing_visit_iovecs(struct liburing_sqe_part *part, const struct iovec *iov,
					 size_t nr, bool is_output) LIBURING_NOEXCEPT
{
	size_t i;

	if (!liburing_is_memory(uring_ptr_to_u64(iov)) || nr > LIBURING_MAX_IOVECS)
		return;
	part->is_registered = false;
	liburing_visit(part, "iovec array", uring_ptr_to_u64(iov), nr * sizeof(*iov), false);
	if (part->sqe->flags & IOSQE_BUFFER_SELECT)
		return;
	part->is_registered = liburing_is_fixed(part->sqe);
	for (i = 0; i < nr; i++)
		liburing_visit(part, "buffer of an iovec", uring_ptr_to_u64(iov[i].iov_base),
			       iov[i].iov_len, is_output);
}

IOURINGHELPER void liburing_visit_msg(struct liburing_sqe_part *part,
				      bool is_output) LIBURING_NOEXCEPT
{
	const struct io_uring_sqe *sqe = part->sqe;
	const struct msghdr *msg = (const struct msghdr *)(uintptr_t)sqe->addr;

	if (!liburing_is_memory(sqe->addr))
		return;
	liburing_visit(part, "msghdr", sqe->addr, sizeof(*msg), is_output);
	/* Of a multishot receive only the lengths count. */
	if (is_output && (sqe->ioprio & IORING_RECV_MULTISHOT))
		return;
	if (is_output)
		liburing_visit(part, "address", uring_ptr_to_u64(msg->msg_name), msg->msg_namelen,
			       true);
	else
		liburing_visit_address(part, uring_ptr_to_u64(msg->msg_name), msg->msg_namelen);
	liburing_visit(part, "control data", uring_ptr_to_u64(msg->msg_control),
		       (size_t)msg->msg_controllen, is_output);
	liburing_visit_iovecs(part, msg->msg_iov, (size_t)msg->msg_iovlen, is_output);
}

IOURINGHELPER void liburing_visit_send(struct liburing_sqe_part *part) LIBURING_NOEXCEPT
{
	const struct io_uring_sqe *sqe = part->sqe;

	liburing_visit_address(part, sqe->addr2, sqe->addr_len);
	if (sqe->ioprio & IORING_SEND_VECTORIZED)
		liburing_visit_iovecs(part, (const struct iovec *)(uintptr_t)sqe->addr, sqe->len,
				      false);
	else if (!(sqe->flags & IOSQE_BUFFER_SELECT))
		liburing_visit(part, "buffer", sqe->addr, sqe->len, false);
}

/* The commands that sockets have; those of other files have other numbers, or no addresses here. */
IOURINGHELPER void liburing_visit_cmd(struct liburing_sqe_part *part) LIBURING_NOEXCEPT
{
	const struct io_uring_sqe *sqe = part->sqe;

	if (sqe->cmd_op == SOCKET_URING_OP_GETSOCKOPT)
		liburing_visit(part, "socket option", sqe->optval, sqe->optlen, true);
	else if (sqe->cmd_op == SOCKET_URING_OP_SETSOCKOPT)
		liburing_visit(part, "socket option", sqe->optval, sqe->optlen, false);
	else if (sqe->cmd_op == SOCKET_URING_OP_GETSOCKNAME)
		liburing_visit_address_out(part, sqe->addr, sqe->addr3);
}

/* Requests that take names. */
IOURINGHELPER void liburing_visit_paths(struct liburing_sqe_part *part) LIBURING_NOEXCEPT
{
	const struct io_uring_sqe *sqe = part->sqe;

	liburing_visit_string(part, "name", sqe->addr);
	switch (sqe->opcode) {
	case IORING_OP_OPENAT2:
		liburing_visit(part, "open_how", sqe->addr2, sqe->len, false);
		break;
	case IORING_OP_STATX:
		liburing_visit(part, "statx buffer", sqe->addr2, LIBURING_STATX_SZ, true);
		break;
	case IORING_OP_RENAMEAT:
	case IORING_OP_LINKAT:
	case IORING_OP_SYMLINKAT:
		liburing_visit_string(part, "second name", sqe->addr2);
		break;
	case IORING_OP_SETXATTR:
		liburing_visit_string(part, "path", sqe->addr3);
		liburing_visit(part, "value", sqe->addr2, sqe->len, false);
		break;
	case IORING_OP_GETXATTR:
		liburing_visit_string(part, "path", sqe->addr3);
		liburing_visit(part, "value", sqe->addr2, sqe->len, true);
		break;
	case IORING_OP_FSETXATTR:
		liburing_visit(part, "value", sqe->addr2, sqe->len, false);
		break;
	case IORING_OP_FGETXATTR:
		liburing_visit(part, "value", sqe->addr2, sqe->len, true);
		break;
	default:
		break;
	}
}

/* Requests that wait for something. */
IOURINGHELPER void liburing_visit_waits(struct liburing_sqe_part *part) LIBURING_NOEXCEPT
{
	const struct io_uring_sqe *sqe = part->sqe;
	bool has_time = !(sqe->timeout_flags & IORING_TIMEOUT_IMMEDIATE_ARG);

	switch (sqe->opcode) {
	case IORING_OP_TIMEOUT:
	case IORING_OP_LINK_TIMEOUT:
		if (has_time)
			liburing_visit(part, "timespec", sqe->addr,
				       sizeof(struct __kernel_timespec), false);
		break;
	case IORING_OP_TIMEOUT_REMOVE:
		if (has_time && (sqe->timeout_flags & IORING_TIMEOUT_UPDATE_MASK))
			liburing_visit(part, "timespec", sqe->addr2,
				       sizeof(struct __kernel_timespec), false);
		break;
	case IORING_OP_EPOLL_CTL:
		if (sqe->len != LIBURING_EPOLL_CTL_DEL)
			liburing_visit(part, "epoll_event", sqe->addr, LIBURING_EPOLL_EVENT_SZ,
				       false);
		break;
	case IORING_OP_EPOLL_WAIT:
		liburing_visit(part, "epoll_event array", sqe->addr,
			       (size_t)sqe->len * LIBURING_EPOLL_EVENT_SZ, true);
		break;
	case IORING_OP_WAITID:
		liburing_visit(part, "siginfo", sqe->addr2, sizeof(siginfo_t), true);
		break;
	case IORING_OP_FUTEX_WAIT:
	case IORING_OP_FUTEX_WAKE:
		liburing_visit(part, "futex", sqe->addr, sizeof(__u32), false);
		break;
	case IORING_OP_FUTEX_WAITV:
		if (sqe->len <= LIBURING_MAX_FUTEXES)
			liburing_visit(part, "futex_waitv array", sqe->addr,
				       sqe->len * sizeof(struct futex_waitv), false);
		break;
	default:
		break;
	}
}

/*
 * liburing_visit_sqe - show every piece of memory that the kernel will read or
 * write on account of the SQE. What leads to others is shown before them, and read
 * only when the visitor has come back.
 */
IOURINGHELPER void liburing_visit_sqe(struct liburing_sqe_part *part) LIBURING_NOEXCEPT
{
	const struct io_uring_sqe *sqe = part->sqe;
	const struct iovec *iov = (const struct iovec *)(uintptr_t)sqe->addr;

	part->is_registered = liburing_is_fixed(sqe);
	switch (sqe->opcode) {
	case IORING_OP_READV_FIXED:
	case IORING_OP_WRITEV_FIXED:
	case IORING_OP_READV:
	case IORING_OP_WRITEV:
		liburing_visit_iovecs(part, iov, sqe->len,
				      sqe->opcode == IORING_OP_READV ||
					      sqe->opcode == IORING_OP_READV_FIXED);
		break;
	case IORING_OP_READ_FIXED:
	case IORING_OP_WRITE_FIXED:
		liburing_visit(part, "buffer", sqe->addr, sqe->len,
			       sqe->opcode == IORING_OP_READ_FIXED);
		break;
	case IORING_OP_READ:
	case IORING_OP_RECV:
		if (!(sqe->flags & IOSQE_BUFFER_SELECT))
			liburing_visit(part, "buffer", sqe->addr, sqe->len, true);
		break;
	case IORING_OP_WRITE:
		liburing_visit(part, "buffer", sqe->addr, sqe->len, false);
		break;
	case IORING_OP_SEND:
	case IORING_OP_SEND_ZC:
		liburing_visit_send(part);
		break;
	case IORING_OP_SENDMSG:
	case IORING_OP_SENDMSG_ZC:
	case IORING_OP_RECVMSG:
		liburing_visit_msg(part, sqe->opcode == IORING_OP_RECVMSG);
		break;
	case IORING_OP_ACCEPT:
		liburing_visit_address_out(part, sqe->addr, sqe->addr2);
		break;
	case IORING_OP_CONNECT:
	case IORING_OP_BIND:
		liburing_visit_address(part, sqe->addr, sqe->off);
		break;
	case IORING_OP_FILES_UPDATE:
		liburing_visit(part, "descriptor array", sqe->addr,
			       (size_t)sqe->len * sizeof(__s32), true);
		break;
	case IORING_OP_PIPE:
		liburing_visit(part, "descriptor pair", sqe->addr, 2 * sizeof(__s32), true);
		break;
	case IORING_OP_PROVIDE_BUFFERS:
		liburing_visit(part, "buffers", sqe->addr, (size_t)sqe->len * (unsigned)sqe->fd,
			       true);
		break;
	case IORING_OP_URING_CMD:
	case IORING_OP_URING_CMD128:
		liburing_visit_cmd(part);
		break;
	case IORING_OP_OPENAT:
	case IORING_OP_OPENAT2:
	case IORING_OP_STATX:
	case IORING_OP_RENAMEAT:
	case IORING_OP_UNLINKAT:
	case IORING_OP_MKDIRAT:
	case IORING_OP_SYMLINKAT:
	case IORING_OP_LINKAT:
	case IORING_OP_FSETXATTR:
	case IORING_OP_SETXATTR:
	case IORING_OP_FGETXATTR:
	case IORING_OP_GETXATTR:
		liburing_visit_paths(part);
		break;
	default:
		liburing_visit_waits(part);
		break;
	}
}

LIBURING_END_DECLS

#endif
