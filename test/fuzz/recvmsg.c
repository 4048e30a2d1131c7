/* SPDX-License-Identifier: MIT */
/*
 * Taking apart buffers of recvmsg multishot: whatever stands in one, nothing
 * outside of it is read. The buffer is as large as its contents, to the byte, so
 * that the address sanitizer sees every step beyond.
 *
 * Input: name length (4), control length (8), what the CQE says beyond the bytes
 * that are there (1, signed), then the buffer.
 */
#include <liburing.h>
#include <liburing/recvmsg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define HEADER_SZ (sizeof(struct io_uring_recvmsg_out))

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int cond)
{
	if (!cond)
		abort();
}

static volatile unsigned sink;

static void read_all(const unsigned char *buf, size_t len, const unsigned char *ptr, size_t sz)
{
	size_t i;

	check(ptr >= buf && ptr <= buf + len && sz <= (size_t)(buf + len - ptr));
	for (i = 0; i < sz; i++)
		sink += ptr[i];
}

static int fits(size_t len, uint32_t name_sz, uint64_t control_sz)
{
	return len >= HEADER_SZ &&
	       (unsigned __int128)HEADER_SZ + name_sz + control_sz <= (unsigned __int128)len;
}

static void walk_cmsgs(const unsigned char *buf, struct io_uring_recvmsg_out *o,
		       struct msghdr *msgh)
{
	const unsigned char *area = buf + HEADER_SZ + msgh->msg_namelen;
	const unsigned char *end = area + msgh->msg_controllen;
	struct cmsghdr *cmsg = io_uring_recvmsg_cmsg_firsthdr(o, msgh), *next;
	struct cmsghdr hdr;

	check(!cmsg || (const unsigned char *)cmsg == area);
	while (cmsg) {
		read_all(area, (size_t)(end - area), (unsigned char *)cmsg, sizeof(hdr));
		memcpy(&hdr, cmsg, sizeof(hdr));
		next = io_uring_recvmsg_cmsg_nexthdr(o, msgh, cmsg);
		if (next) {
			/* So this one is whole, and so is the next. */
			check(hdr.cmsg_len >= sizeof(hdr));
			read_all(area, (size_t)(end - area), (unsigned char *)cmsg, hdr.cmsg_len);
			check((unsigned char *)next >= (unsigned char *)cmsg + hdr.cmsg_len);
			memcpy(&hdr, next, sizeof(hdr));
			check(hdr.cmsg_len >= sizeof(hdr));
			read_all(area, (size_t)(end - area), (unsigned char *)next, hdr.cmsg_len);
		}
		cmsg = next;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct io_uring_recvmsg_out *o, out;
	struct msghdr msgh = { 0 };
	uint64_t control_sz;
	uint32_t name_sz;
	unsigned char *buf;
	size_t len;
	int buf_len;

	if (size < 13)
		return -1;
	memcpy(&name_sz, data, 4);
	memcpy(&control_sz, data + 4, 8);
	msgh.msg_namelen = name_sz;
	msgh.msg_controllen = (size_t)control_sz;
	len = size - 13;
	/* An error instead of a length, sometimes; never more than is there. */
	buf_len = (int8_t)data[12] < 0 ? (int8_t)data[12] : (int)len - data[12] % 8;
	buf = malloc(len ? len : 1);
	check(buf != NULL);
	memcpy(buf, data + 13, len);
	if (buf_len > 0 && (size_t)buf_len < len) {
		len = (size_t)buf_len;
		buf = realloc(buf, len);
		check(buf != NULL);
	}

	o = io_uring_recvmsg_validate(buf, buf_len, &msgh);
	check((o != NULL) == (buf_len >= 0 && fits((size_t)buf_len, name_sz, control_sz)));
	if (!o) {
		check(buf_len < (int)HEADER_SZ ||
		      !io_uring_recvmsg_payload_length((void *)buf, buf_len, &msgh));
		free(buf);
		return 0;
	}
	check((unsigned char *)o == buf);
	memcpy(&out, o, sizeof(out));
	read_all(buf, len, io_uring_recvmsg_name(o), out.namelen < name_sz ? out.namelen : name_sz);
	read_all(buf, len, io_uring_recvmsg_payload(o, &msgh),
		 io_uring_recvmsg_payload_length(o, buf_len, &msgh));
	check((unsigned char *)io_uring_recvmsg_payload(o, &msgh) +
		      io_uring_recvmsg_payload_length(o, buf_len, &msgh) ==
	      buf + len);
	walk_cmsgs(buf, o, &msgh);
	free(buf);
	return 0;
}
