/* SPDX-License-Identifier: MIT */
/*
 * Filling an SQE: what all operations share. The helpers of one operation are
 * in prep/, grouped by what the SQE acts on:
 *
 *	looking for							see
 *	read, write, vectored, fixed, multishot read, splice, tee	prep/rw.h
 *	socket, bind, listen, accept, connect, shutdown, send, recv	prep/net.h
 *	open, close, statx, fsync, sync_file_range, fallocate,
 *	ftruncate, fadvise, madvise, pipe, fixed_fd_install		prep/file.h
 *	mkdir, link, symlink, rename, unlink, xattr			prep/path.h
 *	poll, epoll, futex, waitid					prep/event.h
 *	timeout, link_timeout, cancel					prep/time.h
 *	nop, msg_ring, files_update, provide and remove buffers		prep/ring.h
 *	uring_cmd, socket and block device commands			prep/cmd.h
 *
 * What holds for every helper:
 * - It fills one SQE and does nothing else: no system call, no error. What is
 *   wrong with the arguments comes back in the CQE as a negative errno.
 * - It sets every field that its operation looks at, so that an SQE may be used
 *   again without being cleared. It keeps user_data, flags and personality, and
 *   buf_group where the operation can take a buffer from a group: these may be
 *   set before or after. Two helpers add to flags, as they say. Any other field
 *   that the program fills itself, it fills after the helper.
 * - A pointer to a buffer must stay good until the request's last CQE (with
 *   zero copy: until the notification). What a pointer leads to besides data
 *   (path, iovec array, msghdr, address, timespec) is read while the SQE is
 *   submitted: until io_uring_submit returns, with IORING_SETUP_SQPOLL until the
 *   CQE. The control data of a msghdr must stay until the CQE. Kernels before 5.5
 *   (no IORING_FEAT_SUBMIT_STABLE) need all of it until the CQE.
 * - A file_index is a slot of the registered file table, counted from 0, or
 *   IORING_FILE_INDEX_ALLOC, where the helper says so, to have the kernel pick
 *   one and return it.
 * - With IOSQE_FIXED_FILE in flags, fd is a slot of that table.
 * - Any thread may call it that owns the SQE.
 */
#ifndef LIBURING_PREP_H
#define LIBURING_PREP_H

#include <liburing/base.h>

LIBURING_BEGIN_DECLS

/* liburing_sqe_clear - 64 zero bytes, user_data included. */
IOURINGHELPER void liburing_sqe_clear(struct io_uring_sqe *sqe) LIBURING_NOEXCEPT
{
	__builtin_memset(sqe, 0, sizeof(*sqe));
}

/*
 * liburing_sqe_fill - the fields that almost every operation looks at.
 *
 * fsync_flags, open_flags and the other names of rw_flags are cleared with it.
 */
IOURINGHELPER void liburing_sqe_fill(int op, struct io_uring_sqe *sqe, int fd, __u64 addr,
				     unsigned int len, __u64 offset) LIBURING_NOEXCEPT
{
	sqe->opcode = (__u8)op;
	sqe->ioprio = 0;
	sqe->fd = fd;
	sqe->off = offset;
	sqe->addr = addr;
	sqe->len = len;
	sqe->rw_flags = 0;
}

/*
 * liburing_sqe_fill_strict - the same for the operations that use, or insist on
 * zeros in, buf_index and file_index (splice_fd_in, optlen, addr_len) as well.
 */
IOURINGHELPER void liburing_sqe_fill_strict(int op, struct io_uring_sqe *sqe, int fd, __u64 addr,
					    unsigned int len, __u64 offset) LIBURING_NOEXCEPT
{
	liburing_sqe_fill(op, sqe, fd, addr, len, offset);
	sqe->buf_index = 0;
	sqe->file_index = 0;
}

/*
 * io_uring_initialize_sqe - clear an SQE that did not come from
 * io_uring_get_sqe: one in the program's own memory.
 *
 * Every byte becomes zero but user_data, which keeps its value. Of a 128-byte
 * SQE it clears the first half.
 */
IOURINGINLINE void io_uring_initialize_sqe(struct io_uring_sqe *sqe) LIBURING_NOEXCEPT
{
	__u64 user_data = sqe->user_data;

	liburing_sqe_clear(sqe);
	sqe->user_data = user_data;
}

/*
 * io_uring_sqe_set_data, io_uring_sqe_set_data64 - what the CQE brings back.
 *
 * Both write the same 64 bits, a pointer or a number; a program uses one of the
 * two for a ring. The kernel never looks behind the pointer. All ones
 * (LIBURING_UDATA_TIMEOUT) is the library's own.
 */
IOURINGINLINE void io_uring_sqe_set_data(struct io_uring_sqe *sqe, void *data) LIBURING_NOEXCEPT
{
	sqe->user_data = uring_ptr_to_u64(data);
}

IOURINGINLINE void io_uring_sqe_set_data64(struct io_uring_sqe *sqe, __u64 data) LIBURING_NOEXCEPT
{
	sqe->user_data = data;
}

/*
 * io_uring_sqe_set_flags - replace the SQE's flags by these IOSQE_... bits.
 *
 * It replaces also what io_uring_prep_read_multishot and
 * io_uring_prep_fixed_fd_install put there: after these two, use |= on flags.
 */
IOURINGINLINE void io_uring_sqe_set_flags(struct io_uring_sqe *sqe,
					  unsigned int flags) LIBURING_NOEXCEPT
{
	sqe->flags = (__u8)flags;
}

/*
 * io_uring_sqe_set_buf_group - the group of provided buffers to take one from.
 *
 * It shares its place with buf_index and counts with IOSQE_BUFFER_SELECT only,
 * which it does not set.
 */
IOURINGINLINE void io_uring_sqe_set_buf_group(struct io_uring_sqe *sqe,
					      int bgid) LIBURING_NOEXCEPT
{
	sqe->buf_group = (__u16)bgid;
}

/*
 * __io_uring_set_target_fixed_file - the slot that takes the new descriptor, in
 * the form that the kernel wants: plus one, as 0 asks for an ordinary one.
 *
 * IORING_FILE_INDEX_ALLOC is no slot and not for here.
 */
IOURINGINLINE void __io_uring_set_target_fixed_file(struct io_uring_sqe *sqe,
						    unsigned int file_index) LIBURING_NOEXCEPT
{
	sqe->file_index = file_index + 1;
}

/*
 * liburing_sqe_set_slot - the same for the helpers that take a slot or
 * IORING_FILE_INDEX_ALLOC, which goes to the kernel as it is.
 */
IOURINGHELPER void liburing_sqe_set_slot(struct io_uring_sqe *sqe,
					 unsigned int file_index) LIBURING_NOEXCEPT
{
	if (file_index == IORING_FILE_INDEX_ALLOC)
		sqe->file_index = IORING_FILE_INDEX_ALLOC;
	else
		__io_uring_set_target_fixed_file(sqe, file_index);
}

/*
 * io_uring_prep_rw - any operation, by its IORING_OP_ number.
 *
 * For an opcode that has no helper yet: it sets the five fields of its
 * arguments and clears all others but user_data, flags and personality. The
 * program fills what else the opcode wants afterwards.
 */
IOURINGINLINE void io_uring_prep_rw(int op, struct io_uring_sqe *sqe, int fd, const void *addr,
				    unsigned int len, __u64 offset) LIBURING_NOEXCEPT
{
	liburing_sqe_fill_strict(op, sqe, fd, uring_ptr_to_u64(addr), len, offset);
	sqe->addr3 = 0;
	sqe->__pad2[0] = 0;
}

LIBURING_END_DECLS

#endif
