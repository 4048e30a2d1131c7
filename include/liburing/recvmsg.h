/* SPDX-License-Identifier: MIT */
/*
 * Taking apart a buffer that io_uring_prep_recvmsg_multishot has filled:
 *
 *	struct io_uring_recvmsg_out	what the packet had, 16 bytes
 *	name				msgh->msg_namelen bytes
 *	control data			msgh->msg_controllen bytes
 *	payload				the rest
 *
 * The areas are as large as the msghdr of the request says, whatever came. The
 * header's namelen and controllen are what came: namelen may exceed its area
 * (the name was cut), controllen is what counts in its area. All functions take
 * that msghdr, with these two fields unchanged since the request was prepared.
 *
 * A buffer needs no alignment. A control message that is found may then not be
 * aligned either: copy it out.
 */
#ifndef LIBURING_RECVMSG_H
#define LIBURING_RECVMSG_H

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <liburing/base.h>

LIBURING_BEGIN_DECLS

/*
 * io_uring_recvmsg_validate - check that header, name and control data fit.
 *
 * buf is the provided buffer of the CQE and buf_len its result, which counts the
 * header and the areas. Returns buf as the header, or NULL: the CQE was an error
 * (a negative buf_len), or the buffers are too small for the request. The
 * functions below are for a header that came from here.
 */
IOURINGINLINE struct io_uring_recvmsg_out *
io_uring_recvmsg_validate(void *buf, int buf_len, struct msghdr *msgh) LIBURING_NOEXCEPT
{
	size_t name_sz = (size_t)msgh->msg_namelen;
	size_t control_sz = (size_t)msgh->msg_controllen;
	size_t left;

	if (buf_len < 0 || (size_t)buf_len < sizeof(struct io_uring_recvmsg_out))
		return NULL;
	left = (size_t)buf_len - sizeof(struct io_uring_recvmsg_out);
	if (name_sz > left || control_sz > left - name_sz)
		return NULL;
	return (struct io_uring_recvmsg_out *)buf;
}

/*
 * io_uring_recvmsg_name - the source address: the smaller of o->namelen and
 * msgh->msg_namelen bytes of it are there.
 */
IOURINGINLINE void *io_uring_recvmsg_name(struct io_uring_recvmsg_out *o) LIBURING_NOEXCEPT
{
	return (unsigned char *)o + sizeof(*o);
}

/* liburing_recvmsg_control_area - where the control data begins. */
IOURINGHELPER unsigned char *liburing_recvmsg_control_area(struct io_uring_recvmsg_out *o,
							   struct msghdr *msgh) LIBURING_NOEXCEPT
{
	return (unsigned char *)o + sizeof(*o) + (size_t)msgh->msg_namelen;
}

/* liburing_recvmsg_control_len - bytes of control data, never more than the area holds. */
IOURINGHELPER size_t liburing_recvmsg_control_len(const struct io_uring_recvmsg_out *o,
						  const struct msghdr *msgh) LIBURING_NOEXCEPT
{
	size_t area_sz = (size_t)msgh->msg_controllen;
	__u32 controllen;

	__builtin_memcpy(&controllen,
			 (const unsigned char *)o +
				 offsetof(struct io_uring_recvmsg_out, controllen),
			 sizeof(controllen));
	return controllen < area_sz ? controllen : area_sz;
}

/*
 * liburing_cmsg_len - length of the control message at pos, header and data, or 0 if
 * it is shorter than its header or does not fit the left bytes.
 */
IOURINGHELPER size_t liburing_cmsg_len(const unsigned char *pos, size_t left) LIBURING_NOEXCEPT
{
	struct cmsghdr hdr;

	if (left < sizeof(hdr))
		return 0;
	__builtin_memcpy(&hdr, pos, sizeof(hdr));
	if ((size_t)hdr.cmsg_len < sizeof(hdr) || (size_t)hdr.cmsg_len > left)
		return 0;
	return (size_t)hdr.cmsg_len;
}

/*
 * io_uring_recvmsg_cmsg_firsthdr - the first control message, or NULL when there
 * is not even a header's worth of control data.
 *
 * Its cmsg_len is as it stands in the buffer.
 */
IOURINGINLINE struct cmsghdr *
io_uring_recvmsg_cmsg_firsthdr(struct io_uring_recvmsg_out *o,
			       struct msghdr *msgh) LIBURING_NOEXCEPT
{
	if (liburing_recvmsg_control_len(o, msgh) < sizeof(struct cmsghdr))
		return NULL;
	return (struct cmsghdr *)(void *)liburing_recvmsg_control_area(o, msgh);
}

/*
 * io_uring_recvmsg_cmsg_nexthdr - the control message after cmsg, which these two
 * functions gave; NULL after the last.
 *
 * NULL also where the length of cmsg or of what follows it is impossible: shorter
 * than a header, or beyond the control data.
 */
IOURINGINLINE struct cmsghdr *
io_uring_recvmsg_cmsg_nexthdr(struct io_uring_recvmsg_out *o, struct msghdr *msgh,
			      struct cmsghdr *cmsg) LIBURING_NOEXCEPT
{
	size_t control_len = liburing_recvmsg_control_len(o, msgh);
	size_t pos = (size_t)((uintptr_t)cmsg - (uintptr_t)liburing_recvmsg_control_area(o, msgh));
	unsigned char *at = (unsigned char *)cmsg;
	size_t left, len;

	/* A cmsg before the area gives a huge position. */
	if (pos > control_len)
		return NULL;
	left = control_len - pos;
	len = liburing_cmsg_len(at, left);
	if (!len)
		return NULL;
	/* Messages start at multiples of a long; the last one need not be padded. */
	len = (len + sizeof(long) - 1) & ~(sizeof(long) - 1);
	if (len > left || !liburing_cmsg_len(at + len, left - len))
		return NULL;
	return (struct cmsghdr *)(void *)(at + len);
}

/*
 * io_uring_recvmsg_payload - where the data begins; see
 * io_uring_recvmsg_payload_length.
 */
IOURINGINLINE void *io_uring_recvmsg_payload(struct io_uring_recvmsg_out *o,
					     struct msghdr *msgh) LIBURING_NOEXCEPT
{
	return liburing_recvmsg_control_area(o, msgh) + (size_t)msgh->msg_controllen;
}

/*
 * io_uring_recvmsg_payload_length - bytes of data in the buffer; buf_len as given
 * to io_uring_recvmsg_validate. 0 where the data would begin beyond the end.
 *
 * Where the packet was longer (MSG_TRUNC in o->flags), o->payloadlen tells its
 * length with MSG_TRUNC among the request's flags.
 */
IOURINGINLINE unsigned int
io_uring_recvmsg_payload_length(struct io_uring_recvmsg_out *o, int buf_len,
				struct msghdr *msgh) LIBURING_NOEXCEPT
{
	size_t name_sz = (size_t)msgh->msg_namelen;
	size_t control_sz = (size_t)msgh->msg_controllen;
	size_t left;

	if (!io_uring_recvmsg_validate(o, buf_len, msgh))
		return 0;
	left = (size_t)buf_len - sizeof(*o);
	return (unsigned int)(left - name_sz - control_sz);
}

LIBURING_END_DECLS

#endif
