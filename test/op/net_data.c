/* SPDX-License-Identifier: MIT */
/*
 * Sending and receiving one message or one stretch of a stream: which bytes came,
 * from whom, with what beside them.
 */
#include "test.h"

#include "op_buffers.h"
#include "op_net.h"
#include "op_run.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define NOT_OPEN 4095
#define GROUP 2

static void send_text(int fd, const char *text)
{
	assert_int_equal(send(fd, text, strlen(text), 0), strlen(text));
}

static void assert_reads(int fd, const char *text)
{
	char bytes[64];

	assert_int_equal(recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT), strlen(text));
	assert_memory_equal(bytes, text, strlen(text));
}

static void test_send(void **state)
{
	struct io_uring *ring = *state;
	struct io_uring_sqe *sqe;
	int fds[2], file = temp_file(1);

	net_unix_pair(fds);
	io_uring_prep_send(op_sqe(ring, 1), fds[0], "some text", 9, 0);
	op_check(op_run(ring), 9);
	assert_reads(fds[1], "some text");
	assert_int_equal(io_uring_register_files(ring, &fds[0], 1), 0);
	sqe = op_sqe(ring, 1);
	io_uring_prep_send(sqe, 0, "by slot", 7, 0);
	io_uring_sqe_set_flags(sqe, IOSQE_FIXED_FILE);
	op_check(op_run(ring), 7);
	assert_reads(fds[1], "by slot");

	io_uring_prep_send(op_sqe(ring, 1), fds[0], (void *)1, 9, 0);
	op_check(op_run(ring), -EFAULT);
	io_uring_prep_send(op_sqe(ring, 1), file, "x", 1, 0);
	op_check(op_run(ring), -ENOTSOCK);
	io_uring_prep_send(op_sqe(ring, 1), NOT_OPEN, "x", 1, 0);
	op_check(op_run(ring), -EBADF);
	close(fds[1]);
	io_uring_prep_send(op_sqe(ring, 1), fds[0], "x", 1, MSG_NOSIGNAL);
	op_check(op_run(ring), -EPIPE);
	close(fds[0]);
	close(file);
}

/* More than the socket holds: both wait for each other, to the last byte. */
static void test_all_of_it(void **state)
{
	struct io_uring *ring = *state;
	const unsigned sz = 4U << 20;
	unsigned char *bytes = page_alloc(sz), *back = page_alloc(sz);
	struct op_result results[3];
	int fds[2];

	net_unix_pair(fds);
	pattern_fill(bytes, sz, 0);
	io_uring_prep_send(op_sqe(ring, 1), fds[0], bytes, sz, MSG_WAITALL);
	op_submit(ring);
	no_cqe(ring);
	io_uring_prep_recv(op_sqe(ring, 2), fds[1], back, sz, MSG_WAITALL);
	op_submit(ring);
	op_collect(ring, 2, results);
	op_check(results[1].res, (int)sz);
	op_check(results[2].res, (int)sz);
	assert_true(pattern_same(back, sz, 0));
	net_close_pair(fds);
	page_free(bytes, sz);
	page_free(back, sz);
}

static void test_recv(void **state)
{
	struct io_uring *ring = *state;
	struct op_result results[3];
	struct io_uring_sqe *sqe;
	int fds[2], file = temp_file(1);
	char bytes[16];

	net_unix_pair(fds);
	io_uring_prep_recv(op_sqe(ring, 1), fds[0], bytes, sizeof(bytes), 0);
	op_submit(ring);
	no_cqe(ring);
	send_text(fds[1], "waited for");
	op_expect(ring, 1, 10);
	assert_memory_equal(bytes, "waited for", 10);

	/* Looked at, and still there; it waits first, though it need not. */
	send_text(fds[1], "again");
	io_uring_prep_recv(op_sqe(ring, 1), fds[0], bytes, sizeof(bytes), MSG_PEEK);
	op_check(op_run(ring), 5);
	sqe = op_sqe(ring, 1);
	io_uring_prep_recv(sqe, fds[0], bytes, 2, 0);
	sqe->ioprio |= IORING_RECVSEND_POLL_FIRST;
	op_check(op_run(ring), 2);
	assert_memory_equal(bytes, "ag", 2);
	assert_reads(fds[0], "ain");

	io_uring_prep_recv(op_sqe(ring, 1), fds[0], bytes, sizeof(bytes), MSG_DONTWAIT);
	op_check(op_run(ring), -EAGAIN);
	io_uring_prep_recv(op_sqe(ring, 1), fds[0], bytes, sizeof(bytes), 0);
	io_uring_prep_cancel64(op_sqe(ring, 2), 1, 0);
	op_submit(ring);
	op_collect(ring, 2, results);
	op_check(results[1].res, -ECANCELED);
	op_check(results[2].res, 0);
	io_uring_prep_recv(op_sqe(ring, 1), file, bytes, sizeof(bytes), 0);
	op_check(op_run(ring), -ENOTSOCK);
	io_uring_prep_recv(op_sqe(ring, 1), NOT_OPEN, bytes, sizeof(bytes), 0);
	op_check(op_run(ring), -EBADF);
	close(fds[1]);
	io_uring_prep_recv(op_sqe(ring, 1), fds[0], bytes, sizeof(bytes), 0);
	op_check(op_run(ring), 0);
	close(fds[0]);
	close(file);
}

/* A CQE of a receive tells whether there is more in the socket. */
static void test_nonempty(void **state)
{
	struct io_uring *ring = *state;
	int fds[2];
	char bytes[16];

	net_tcp_pair(fds);
	send_text(fds[1], "four+four");
	io_uring_prep_recv(op_sqe(ring, 1), fds[0], bytes, 4, 0);
	op_submit(ring);
	assert_true(op_expect(ring, 1, 4) & IORING_CQE_F_SOCK_NONEMPTY);
	io_uring_prep_recv(op_sqe(ring, 1), fds[0], bytes, 16, 0);
	op_submit(ring);
	assert_false(op_expect(ring, 1, 5) & IORING_CQE_F_SOCK_NONEMPTY);
	net_close_pair(fds);
}

static void test_provided_buffer(void **state)
{
	struct io_uring *ring = *state;
	struct op_buffers buffers;
	struct io_uring_sqe *sqe;
	unsigned flags;
	int fds[2], i;

	op_buffers_open(ring, &buffers, 2, 16, GROUP, 0);
	net_unix_pair(fds);
	for (i = 0; i < 2; i++) {
		send_text(fds[1], "sixteen and more");
		sqe = op_sqe(ring, 1);
		io_uring_prep_recv(sqe, fds[0], NULL, 0, 0);
		io_uring_sqe_set_flags(sqe, IOSQE_BUFFER_SELECT);
		io_uring_sqe_set_buf_group(sqe, GROUP);
		op_submit(ring);
		flags = op_expect(ring, 1, 16);
		assert_int_equal(op_bid(flags), i);
		assert_memory_equal(op_buffer(&buffers, (unsigned)i), "sixteen and more", 16);
	}
	send_text(fds[1], "x");
	sqe = op_sqe(ring, 1);
	io_uring_prep_recv(sqe, fds[0], NULL, 0, 0);
	io_uring_sqe_set_flags(sqe, IOSQE_BUFFER_SELECT);
	io_uring_sqe_set_buf_group(sqe, GROUP);
	op_check(op_run(ring), -ENOBUFS);
	net_close_pair(fds);
	op_buffers_close(ring, &buffers);
}

static void test_sendto(void **state)
{
	struct io_uring *ring = *state;
	struct sockaddr_in from, to, peer;
	socklen_t peer_sz = sizeof(peer);
	int fds[2] = { net_bound(SOCK_DGRAM, &from), net_bound(SOCK_DGRAM, &to) };
	struct io_uring_sqe *sqe;
	char bytes[16];

	io_uring_prep_sendto(op_sqe(ring, 1), fds[0], "datagram", 8, 0,
			     (const struct sockaddr *)&to, sizeof(to));
	op_check(op_run(ring), 8);
	assert_int_equal(recvfrom(fds[1], bytes, sizeof(bytes), MSG_DONTWAIT,
				  (struct sockaddr *)&peer, &peer_sz), 8);
	assert_memory_equal(bytes, "datagram", 8);
	assert_true(net_same_address(&peer, &from));

	sqe = op_sqe(ring, 1);
	io_uring_prep_send(sqe, fds[0], "other", 5, 0);
	io_uring_prep_send_set_addr(sqe, (const struct sockaddr *)&to, sizeof(to));
	op_check(op_run(ring), 5);
	assert_reads(fds[1], "other");

	io_uring_prep_send(op_sqe(ring, 1), fds[0], "nowhere", 7, 0);
	op_check(op_run(ring), -EDESTADDRREQ);
	io_uring_prep_sendto(op_sqe(ring, 1), fds[0], "long", 4, 0,
			     (const struct sockaddr *)&to, 4096);
	op_check(op_run(ring), -EINVAL);
	net_close_pair(fds);
}

/* A message in two pieces that takes a descriptor along. */
static void test_msg(void **state)
{
	struct io_uring *ring = *state;
	struct iovec iov[2] = { { (void *)"two ", 4 }, { (void *)"pieces", 6 } };
	union {
		struct cmsghdr hdr;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = { 0 };
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 2, .msg_control = &control,
			      .msg_controllen = sizeof(control) };
	char first[4] = "", second[20] = "";
	struct stat sent, came;
	int fds[2], file = temp_file(10), fd;

	net_unix_pair(fds);
	control.hdr.cmsg_level = SOL_SOCKET;
	control.hdr.cmsg_type = SCM_RIGHTS;
	control.hdr.cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(&control.hdr), &file, sizeof(int));
	io_uring_prep_sendmsg(op_sqe(ring, 1), fds[0], &msg, 0);
	op_check(op_run(ring), 10);

	memset(&control, 0, sizeof(control));
	iov[0] = (struct iovec){ first, sizeof(first) };
	iov[1] = (struct iovec){ second, sizeof(second) };
	msg.msg_controllen = sizeof(control);
	msg.msg_flags = 0;
	io_uring_prep_recvmsg(op_sqe(ring, 1), fds[1], &msg, MSG_CMSG_CLOEXEC);
	op_check(op_run(ring), 10);
	assert_memory_equal(first, "two ", 4);
	assert_memory_equal(second, "pieces", 7);
	assert_int_equal(control.hdr.cmsg_type, SCM_RIGHTS);
	memcpy(&fd, CMSG_DATA(&control.hdr), sizeof(int));
	assert_int_equal(fstat(file, &sent), 0);
	assert_int_equal(fstat(fd, &came), 0);
	assert_int_equal(sent.st_ino, came.st_ino);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);

	io_uring_prep_recvmsg(op_sqe(ring, 1), fds[1], &msg, MSG_DONTWAIT);
	op_check(op_run(ring), -EAGAIN);
	io_uring_prep_sendmsg(op_sqe(ring, 1), NOT_OPEN, &msg, 0);
	op_check(op_run(ring), -EBADF);
	io_uring_prep_sendmsg(op_sqe(ring, 1), fds[0], (struct msghdr *)8, 0);
	op_check(op_run(ring), -EFAULT);
	io_uring_prep_recvmsg(op_sqe(ring, 1), NOT_OPEN, &msg, 0);
	op_check(op_run(ring), -EBADF);
	io_uring_prep_recvmsg(op_sqe(ring, 1), file, &msg, 0);
	op_check(op_run(ring), -ENOTSOCK);
	close(fd);
	close(file);
	net_close_pair(fds);
}

/* From whom a datagram came, and that it was longer than there was room for. */
static void test_recvmsg_name(void **state)
{
	struct io_uring *ring = *state;
	struct sockaddr_in from, to, peer = { 0 };
	int fds[2] = { net_bound(SOCK_DGRAM, &from), net_bound(SOCK_DGRAM, &to) };
	char bytes[4];
	struct iovec iov = { bytes, sizeof(bytes) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_name = &peer,
			      .msg_namelen = sizeof(peer) };

	io_uring_prep_recvmsg(op_sqe(ring, 1), fds[1], &msg, MSG_TRUNC);
	op_submit(ring);
	no_cqe(ring);
	assert_int_equal(sendto(fds[0], "longer", 6, 0, (struct sockaddr *)&to, sizeof(to)), 6);
	op_expect(ring, 1, 6);
	assert_memory_equal(bytes, "long", 4);
	assert_int_equal(msg.msg_namelen, sizeof(peer));
	assert_true(net_same_address(&peer, &from));
	assert_true(msg.msg_flags & MSG_TRUNC);
	net_close_pair(fds);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		op_test(test_send),
		op_test(test_all_of_it),
		op_test(test_recv),
		op_test(test_nonempty),
		op_test(test_provided_buffer),
		op_test(test_sendto),
		op_test(test_msg),
		op_test(test_recvmsg_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
