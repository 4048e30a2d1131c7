/* SPDX-License-Identifier: MIT */
/*
 * Sockets. Message flags are MSG_...; the IORING_RECVSEND_... bits go to ioprio
 * after the helper, with |= where the helper sets bits there itself.
 */
#ifndef LIBURING_PREP_NET_H
#define LIBURING_PREP_NET_H

#include <sys/socket.h>
#include <liburing/prep.h>

LIBURING_BEGIN_DECLS

/*
 * io_uring_prep_socket - socket(2). Since 5.19. flags must be 0.
 */
IOURINGINLINE void io_uring_prep_socket(struct io_uring_sqe *sqe, int domain, int type,
					int protocol, unsigned int flags) LIBURING_NOEXCEPT
{
	liburing_sqe_fill_strict(IORING_OP_SOCKET, sqe, domain, 0, (unsigned int)protocol,
				 (__u64)type);
	sqe->rw_flags = (int)flags;
}

/*
 * io_uring_prep_socket_direct, io_uring_prep_socket_direct_alloc - the socket
 * becomes a direct descriptor in slot file_index, IORING_FILE_INDEX_ALLOC (the
 * second form): in one that the kernel picks. SOCK_CLOEXEC is refused.
 */
IOURINGINLINE void io_uring_prep_socket_direct(struct io_uring_sqe *sqe, int domain, int type,
					       int protocol, unsigned int file_index,
					       unsigned int flags) LIBURING_NOEXCEPT
{
	io_uring_prep_socket(sqe, domain, type, protocol, flags);
	liburing_sqe_set_slot(sqe, file_index);
}

IOURINGINLINE void io_uring_prep_socket_direct_alloc(struct io_uring_sqe *sqe, int domain,
						     int type, int protocol,
						     unsigned int flags) LIBURING_NOEXCEPT
{
	io_uring_prep_socket_direct(sqe, domain, type, protocol, IORING_FILE_INDEX_ALLOC, flags);
}

/*
 * io_uring_prep_bind - bind(2). Since 6.11.
 */
IOURINGINLINE void io_uring_prep_bind(struct io_uring_sqe *sqe, int fd,
				      const struct sockaddr *addr,
				      socklen_t addrlen) LIBURING_NOEXCEPT
{
	liburing_sqe_fill_strict(IORING_OP_BIND, sqe, fd, uring_ptr_to_u64(addr), 0, addrlen);
}

/*
 * io_uring_prep_listen - listen(2). Since 6.11.
 */
IOURINGINLINE void io_uring_prep_listen(struct io_uring_sqe *sqe, int fd,
					int backlog) LIBURING_NOEXCEPT
{
	liburing_sqe_fill_strict(IORING_OP_LISTEN, sqe, fd, 0, (unsigned int)backlog, 0);
}

/*
 * io_uring_prep_accept - accept4(2); the result is the descriptor. Since 5.5.
 *
 * addr and addrlen, both NULL if not wanted, are written when the connection
 * comes: they must stay until the CQE.
 */
IOURINGINLINE void io_uring_prep_accept(struct io_uring_sqe *sqe, int fd, struct sockaddr *addr,
					socklen_t *addrlen, int flags) LIBURING_NOEXCEPT
{
	liburing_sqe_fill_strict(IORING_OP_ACCEPT, sqe, fd, uring_ptr_to_u64(addr), 0,
				 uring_ptr_to_u64(addrlen));
	sqe->accept_flags = (__u32)flags;
}

/*
 * io_uring_prep_accept_direct - the connection becomes a direct descriptor in
 * slot file_index, or with IORING_FILE_INDEX_ALLOC in one that the kernel picks.
 * Since 5.15. SOCK_CLOEXEC is refused.
 *
 * Where there is no such slot, or none is free, the connection that came is lost.
 */
IOURINGINLINE void io_uring_prep_accept_direct(struct io_uring_sqe *sqe, int fd,
					       struct sockaddr *addr, socklen_t *addrlen,
					       int flags,
					       unsigned int file_index) LIBURING_NOEXCEPT
{
	io_uring_prep_accept(sqe, fd, addr, addrlen, flags);
	liburing_sqe_set_slot(sqe, file_index);
}

/*
 * io_uring_prep_multishot_accept, io_uring_prep_multishot_accept_direct - a CQE
 * for each connection, until one comes without IORING_CQE_F_MORE. Since 5.19.
 *
 * addr and addrlen are best NULL: the next connection overwrites them. The second
 * form makes direct descriptors in slots that the kernel picks.
 */
IOURINGINLINE void io_uring_prep_multishot_accept(struct io_uring_sqe *sqe, int fd,
						  struct sockaddr *addr, socklen_t *addrlen,
						  int flags) LIBURING_NOEXCEPT
{
	io_uring_prep_accept(sqe, fd, addr, addrlen, flags);
	sqe->ioprio = IORING_ACCEPT_MULTISHOT;
}

IOURINGINLINE void io_uring_prep_multishot_accept_direct(struct io_uring_sqe *sqe, int fd,
							 struct sockaddr *addr,
							 socklen_t *addrlen,
							 int flags) LIBURING_NOEXCEPT
{
	io_uring_prep_multishot_accept(sqe, fd, addr, addrlen, flags);
	sqe->file_index = IORING_FILE_INDEX_ALLOC;
}

/*
 * io_uring_prep_connect - connect(2). Since 5.5.
 */
IOURINGINLINE void io_uring_prep_connect(struct io_uring_sqe *sqe, int fd,
					 const struct sockaddr *addr,
					 socklen_t addrlen) LIBURING_NOEXCEPT
{
	liburing_sqe_fill_strict(IORING_OP_CONNECT, sqe, fd, uring_ptr_to_u64(addr), 0, addrlen);
}

/*
 * io_uring_prep_shutdown - shutdown(2): how is SHUT_.... Since 5.11.
 */
IOURINGINLINE void io_uring_prep_shutdown(struct io_uring_sqe *sqe, int fd,
					  int how) LIBURING_NOEXCEPT
{
	liburing_sqe_fill_strict(IORING_OP_SHUTDOWN, sqe, fd, 0, (unsigned int)how, 0);
}

/*
 * liburing_sqe_fill_msg - a send or receive: all that it looks at, but buf_group, which
 * the program sets where it wants a buffer from a group.
 */
IOURINGHELPER void liburing_sqe_fill_msg(int op, struct io_uring_sqe *sqe, int fd, const void *addr,
					 unsigned int len, unsigned int flags) LIBURING_NOEXCEPT
{
	liburing_sqe_fill(op, sqe, fd, uring_ptr_to_u64(addr), len, 0);
	sqe->msg_flags = flags;
	sqe->file_index = 0;
}

/*
 * io_uring_prep_send - send(2). Since 5.6.
 *
 * len counts up to 32 bits. The result may be short unless flags hold
 * MSG_WAITALL. With IOSQE_BUFFER_SELECT (since 6.10), buf is NULL and the buffer
 * comes from buf_group.
 */
IOURINGINLINE void io_uring_prep_send(struct io_uring_sqe *sqe, int sockfd, const void *buf,
				      size_t len, int flags) LIBURING_NOEXCEPT
{
	liburing_sqe_fill_msg(IORING_OP_SEND, sqe, sockfd, buf, (unsigned int)len,
			      (unsigned int)flags);
}

/*
 * io_uring_prep_send_set_addr - the destination of a send or send_zc; call it
 * after that helper. Since 6.0 for send_zc, 6.1 for send.
 */
IOURINGINLINE void io_uring_prep_send_set_addr(struct io_uring_sqe *sqe,
					       const struct sockaddr *dest_addr,
					       __u16 addr_len) LIBURING_NOEXCEPT
{
	sqe->addr2 = uring_ptr_to_u64(dest_addr);
	sqe->addr_len = addr_len;
}

/*
 * io_uring_prep_sendto - sendto(2). Since 6.1.
 */
IOURINGINLINE void io_uring_prep_sendto(struct io_uring_sqe *sqe, int sockfd, const void *buf,
					size_t len, int flags, const struct sockaddr *addr,
					socklen_t addrlen) LIBURING_NOEXCEPT
{
	io_uring_prep_send(sqe, sockfd, buf, len, flags);
	io_uring_prep_send_set_addr(sqe, addr, (__u16)addrlen);
}

/*
 * io_uring_prep_sendmsg - sendmsg(2). Since 5.3.
 *
 * Control data is read when the message goes out: it must stay until the CQE.
 */
IOURINGINLINE void io_uring_prep_sendmsg(struct io_uring_sqe *sqe, int fd,
					 const struct msghdr *msg,
					 unsigned int flags) LIBURING_NOEXCEPT
{
	liburing_sqe_fill_msg(IORING_OP_SENDMSG, sqe, fd, msg, 1, flags);
}

/*
 * io_uring_prep_send_zc - send(2) without copying. Since 6.0.
 *
 * Up to two CQEs: the first has the result and, with IORING_CQE_F_MORE, says that
 * a second will follow, with IORING_CQE_F_NOTIF, after which buf may be used
 * again. zc_flags are IORING_RECVSEND_... and IORING_SEND_ZC_... bits.
 */
IOURINGINLINE void io_uring_prep_send_zc(struct io_uring_sqe *sqe, int sockfd, const void *buf,
					 size_t len, int flags,
					 unsigned int zc_flags) LIBURING_NOEXCEPT
{
	io_uring_prep_rw(IORING_OP_SEND_ZC, sqe, sockfd, buf, (unsigned int)len, 0);
	sqe->msg_flags = (__u32)flags;
	sqe->ioprio = (__u16)zc_flags;
}

/*
 * io_uring_prep_send_zc_fixed - buf and len lie within registered buffer number
 * buf_index. Since 6.0.
 */
IOURINGINLINE void io_uring_prep_send_zc_fixed(struct io_uring_sqe *sqe, int sockfd,
					       const void *buf, size_t len, int flags,
					       unsigned int zc_flags,
					       unsigned int buf_index) LIBURING_NOEXCEPT
{
	io_uring_prep_send_zc(sqe, sockfd, buf, len, flags, zc_flags | IORING_RECVSEND_FIXED_BUF);
	sqe->buf_index = (__u16)buf_index;
}

/*
 * io_uring_prep_sendmsg_zc - sendmsg(2) without copying; CQEs as in
 * io_uring_prep_send_zc. Since 6.1.
 */
IOURINGINLINE void io_uring_prep_sendmsg_zc(struct io_uring_sqe *sqe, int fd,
					    const struct msghdr *msg,
					    unsigned int flags) LIBURING_NOEXCEPT
{
	io_uring_prep_rw(IORING_OP_SENDMSG_ZC, sqe, fd, msg, 1, 0);
	sqe->msg_flags = flags;
}

/*
 * io_uring_prep_sendmsg_zc_fixed - each iovec of msg lies within registered buffer
 * number buf_index. Since 6.15.
 */
IOURINGINLINE void io_uring_prep_sendmsg_zc_fixed(struct io_uring_sqe *sqe, int fd,
						  const struct msghdr *msg, unsigned int flags,
						  unsigned int buf_index) LIBURING_NOEXCEPT
{
	io_uring_prep_sendmsg_zc(sqe, fd, msg, flags);
	sqe->ioprio = IORING_RECVSEND_FIXED_BUF;
	sqe->buf_index = (__u16)buf_index;
}

/*
 * io_uring_prep_send_bundle - send the buffers of buf_group, several at a time, until
 * there are none. Since 6.10.
 *
 * The program sets IOSQE_BUFFER_SELECT and buf_group. A CQE names the first buffer
 * of a stretch and counts over the ones that follow it; with IORING_CQE_F_MORE
 * another stretch comes. len limits the first one only (0: no limit), in whole
 * buffers.
 */
IOURINGINLINE void io_uring_prep_send_bundle(struct io_uring_sqe *sqe, int sockfd, size_t len,
					     int flags) LIBURING_NOEXCEPT
{
	io_uring_prep_send(sqe, sockfd, NULL, len, flags);
	sqe->ioprio = IORING_RECVSEND_BUNDLE;
}

/*
 * io_uring_prep_recv - recv(2). Since 5.6.
 *
 * len counts up to 32 bits. With IOSQE_BUFFER_SELECT, buf is NULL and the buffer
 * comes from buf_group; the CQE's flags say which.
 */
IOURINGINLINE void io_uring_prep_recv(struct io_uring_sqe *sqe, int sockfd, void *buf, size_t len,
				      int flags) LIBURING_NOEXCEPT
{
	liburing_sqe_fill_msg(IORING_OP_RECV, sqe, sockfd, buf, (unsigned int)len,
			      (unsigned int)flags);
}

/*
 * io_uring_prep_recvmsg - recvmsg(2). Since 5.3. msg must stay until the CQE.
 */
IOURINGINLINE void io_uring_prep_recvmsg(struct io_uring_sqe *sqe, int fd, struct msghdr *msg,
					 unsigned int flags) LIBURING_NOEXCEPT
{
	liburing_sqe_fill_msg(IORING_OP_RECVMSG, sqe, fd, msg, 1, flags);
}

/*
 * io_uring_prep_recv_multishot - a CQE and a buffer of buf_group for each piece of
 * data, until a CQE comes without IORING_CQE_F_MORE. Since 6.0.
 *
 * The program sets IOSQE_BUFFER_SELECT and buf_group; buf is NULL, len 0. It may
 * end at any time, also without an error: submit it again then.
 */
IOURINGINLINE void io_uring_prep_recv_multishot(struct io_uring_sqe *sqe, int sockfd, void *buf,
						size_t len, int flags) LIBURING_NOEXCEPT
{
	io_uring_prep_recv(sqe, sockfd, buf, len, flags);
	sqe->ioprio = IORING_RECV_MULTISHOT;
}

/*
 * io_uring_prep_recvmsg_multishot - the same for recvmsg(2). Since 6.0.
 *
 * Of msg only msg_namelen and msg_controllen count, the rest is 0: they size the
 * areas for name and control data in each buffer, which io_uring_recvmsg_validate
 * and what is beside it take apart. The result counts header and areas, also at
 * the end of a stream, which ends the request; so does a datagram without data.
 */
IOURINGINLINE void io_uring_prep_recvmsg_multishot(struct io_uring_sqe *sqe, int fd,
						   struct msghdr *msg,
						   unsigned int flags) LIBURING_NOEXCEPT
{
	io_uring_prep_recvmsg(sqe, fd, msg, flags);
	sqe->ioprio = IORING_RECV_MULTISHOT;
}

LIBURING_END_DECLS

#endif
