/* SPDX-License-Identifier: MIT */
/*
 * Commands that a driver, a socket or a block device defines.
 */
#ifndef LIBURING_PREP_CMD_H
#define LIBURING_PREP_CMD_H

#include <stdint.h>
#include <sys/socket.h>
#include <liburing/prep.h>

LIBURING_BEGIN_DECLS

/*
 * __io_uring_prep_uring_cmd - a command with opcode op, one of the two.
 *
 * sqe->cmd is the command's own and is not touched.
 */
IOURINGINLINE void __io_uring_prep_uring_cmd(struct io_uring_sqe *sqe, int op, __u32 cmd_op,
					     int fd) LIBURING_NOEXCEPT
{
	liburing_sqe_fill_strict(op, sqe, fd, 0, 0, 0);
	sqe->cmd_op = cmd_op;
}

/*
 * io_uring_prep_uring_cmd - command cmd_op of the file behind fd. Since 5.19.
 *
 * The program fills the command's data: sqe->cmd, 16 bytes, or 80 on a ring with
 * IORING_SETUP_SQE128.
 */
IOURINGINLINE void io_uring_prep_uring_cmd(struct io_uring_sqe *sqe, int cmd_op,
					   int fd) LIBURING_NOEXCEPT
{
	__io_uring_prep_uring_cmd(sqe, IORING_OP_URING_CMD, (__u32)cmd_op, fd);
}

/*
 * io_uring_prep_uring_cmd128 - with 80 bytes in sqe->cmd also on a ring with
 * IORING_SETUP_SQE_MIXED: sqe comes from io_uring_get_sqe128. Since 6.19.
 */
IOURINGINLINE void io_uring_prep_uring_cmd128(struct io_uring_sqe *sqe, int cmd_op,
					      int fd) LIBURING_NOEXCEPT
{
	__io_uring_prep_uring_cmd(sqe, IORING_OP_URING_CMD128, (__u32)cmd_op, fd);
}

/*
 * io_uring_prep_cmd_sock - SOCKET_URING_OP_... on socket fd: getsockopt(2),
 * setsockopt(2) and the queue sizes. Since 6.7.
 *
 * optval must stay until the CQE. getsockopt returns the size of the option as the
 * result and does not write optlen back.
 */
IOURINGINLINE void io_uring_prep_cmd_sock(struct io_uring_sqe *sqe, int cmd_op, int fd, int level,
					  int optname, void *optval,
					  int optlen) LIBURING_NOEXCEPT
{
	io_uring_prep_uring_cmd(sqe, cmd_op, fd);
	sqe->level = (__u32)level;
	sqe->optname = (__u32)optname;
	sqe->optlen = (__u32)optlen;
	sqe->optval = uring_ptr_to_u64(optval);
}

/*
 * io_uring_prep_cmd_getsockname - getsockname(2), with peer 1 getpeername(2). Since
 * 6.19. Both pointers are written and must stay until the CQE.
 */
IOURINGINLINE void io_uring_prep_cmd_getsockname(struct io_uring_sqe *sqe, int fd,
						 struct sockaddr *sockaddr,
						 socklen_t *sockaddr_len,
						 int peer) LIBURING_NOEXCEPT
{
	io_uring_prep_uring_cmd(sqe, SOCKET_URING_OP_GETSOCKNAME, fd);
	sqe->addr = uring_ptr_to_u64(sockaddr);
	sqe->addr3 = uring_ptr_to_u64(sockaddr_len);
	sqe->optlen = (__u32)peer;
}

/*
 * io_uring_prep_cmd_discard - discard nbytes from offset on of block device fd,
 * both multiples of its sector size. Since 6.12.
 */
IOURINGINLINE void io_uring_prep_cmd_discard(struct io_uring_sqe *sqe, int fd, uint64_t offset,
					     uint64_t nbytes) LIBURING_NOEXCEPT
{
	io_uring_prep_uring_cmd(sqe, (int)BLOCK_URING_CMD_DISCARD, fd);
	sqe->addr = offset;
	sqe->addr3 = nbytes;
}

/*
 * io_uring_prep_cmd_zone_reset_all - reset every zone of zoned block device fd.
 */
IOURINGINLINE void io_uring_prep_cmd_zone_reset_all(struct io_uring_sqe *sqe,
						    int fd) LIBURING_NOEXCEPT
{
	io_uring_prep_uring_cmd(sqe, (int)BLOCK_URING_CMD_ZONE_RESET_ALL, fd);
	sqe->addr3 = 0;
}

LIBURING_END_DECLS

#endif
