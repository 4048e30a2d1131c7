/* SPDX-License-Identifier: MIT */
/*
 * One request for many connections, many stretches of a stream, many datagrams:
 * what each CQE brings, and what the last one says.
 */
#include "test.h"

#include "op_buffers.h"
#include "op_net.h"
#include "op_run.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define NOT_OPEN 4095
#define GROUP 4

static void send_text(int fd, const char *text)
{
	assert_int_equal(send(fd, text, strlen(text), 0), strlen(text));
}

/* Cancel the request of tag 1, which is still there. */
static void cancel_first(struct io_uring *ring)
{
	struct op_result results[3];

	io_uring_prep_cancel64(op_sqe(ring, 2), 1, 0);
	op_submit(ring);
	op_collect(ring, 2, results);
	op_check(results[1].res, -ECANCELED);
	assert_false(results[1].flags & IORING_CQE_F_MORE);
	op_check(results[2].res, 0);
}

static void test_accept(void **state)
{
	struct io_uring *ring = *state;
	struct op_result result;
	struct sockaddr_in addr;
	int listener = net_listener(&addr);
	int fds[3], accepted[3], i;
	char byte;

	io_uring_prep_multishot_accept(op_sqe(ring, 1), listener, NULL, NULL, SOCK_CLOEXEC);
	op_submit(ring);
	for (i = 0; i < 3; i++) {
		no_cqe(ring);
		fds[i] = net_connect(&addr);
		send_text(fds[i], &"2\0" "1\0" "0"[2 * i]);
		result = op_take(ring);
		assert_true(result.flags & IORING_CQE_F_MORE);
		accepted[i] = result.res;
		assert_true(accepted[i] >= 0);
		assert_int_equal(fcntl(accepted[i], F_GETFD), FD_CLOEXEC);
	}
	for (i = 0; i < 3; i++) {
		assert_int_equal(recv(accepted[i], &byte, 1, 0), 1);
		assert_int_equal(byte, '2' - i);
		close(accepted[i]);
		close(fds[i]);
	}
	cancel_first(ring);
	io_uring_prep_multishot_accept(op_sqe(ring, 1), NOT_OPEN, NULL, NULL, 0);
	op_check(op_run(ring), -EBADF);
	close(listener);
}

static void test_accept_direct(void **state)
{
	struct io_uring *ring = *state;
	struct io_uring_sqe *sqe;
	struct op_result result;
	struct sockaddr_in addr;
	int listener = net_listener(&addr);
	int fds[3], slots[2], i;
	char byte;

	assert_int_equal(io_uring_register_files_sparse(ring, 2), 0);
	io_uring_prep_multishot_accept_direct(op_sqe(ring, 1), listener, NULL, NULL, 0);
	op_submit(ring);
	for (i = 0; i < 2; i++) {
		fds[i] = net_connect(&addr);
		send_text(fds[i], i ? "b" : "a");
		result = op_take(ring);
		assert_true(result.flags & IORING_CQE_F_MORE);
		assert_in_range(result.res, 0, 1);
		slots[i] = result.res;
	}
	assert_int_not_equal(slots[0], slots[1]);
	/* The table is full: the next connection ends the request. */
	fds[2] = net_connect(&addr);
	op_expect(ring, 1, -ENFILE);
	for (i = 0; i < 2; i++) {
		sqe = op_sqe(ring, 1);
		io_uring_prep_recv(sqe, slots[i], &byte, 1, 0);
		io_uring_sqe_set_flags(sqe, IOSQE_FIXED_FILE);
		op_check(op_run(ring), 1);
		assert_int_equal(byte, 'a' + i);
	}
	for (i = 0; i < 3; i++)
		close(fds[i]);
	close(listener);
}

static void prep_recv(struct io_uring *ring, int fd)
{
	struct io_uring_sqe *sqe = op_sqe(ring, 1);

	io_uring_prep_recv_multishot(sqe, fd, NULL, 0, 0);
	io_uring_sqe_set_flags(sqe, IOSQE_BUFFER_SELECT);
	io_uring_sqe_set_buf_group(sqe, GROUP);
}

static void expect_text(struct io_uring *ring, struct op_buffers *buffers, const char *text)
{
	unsigned bid = op_bid(op_expect_more(ring, 1, (int)strlen(text)));

	assert_memory_equal(op_buffer(buffers, bid), text, strlen(text));
	op_buffers_give(buffers, bid);
}

static void test_recv(void **state)
{
	struct io_uring *ring = *state;
	struct op_buffers buffers;
	struct io_uring_sqe *sqe;
	int fds[2];

	op_buffers_open(ring, &buffers, 2, 8, GROUP, 0);
	net_tcp_pair(fds);
	prep_recv(ring, fds[0]);
	op_submit(ring);
	no_cqe(ring);
	send_text(fds[1], "one");
	expect_text(ring, &buffers, "one");
	send_text(fds[1], "two");
	expect_text(ring, &buffers, "two");
	send_text(fds[1], "longer than it");
	expect_text(ring, &buffers, "longer t");
	expect_text(ring, &buffers, "han it");
	cancel_first(ring);

	/* The other end is closed: the last CQE says so. */
	prep_recv(ring, fds[0]);
	op_submit(ring);
	close(fds[1]);
	op_expect(ring, 1, 0);

	/* It goes with provided buffers only. */
	sqe = op_sqe(ring, 1);
	io_uring_prep_recv_multishot(sqe, fds[0], NULL, 0, 0);
	op_check(op_run(ring), -EINVAL);
	prep_recv(ring, NOT_OPEN);
	op_check(op_run(ring), -EBADF);
	close(fds[0]);
	op_buffers_close(ring, &buffers);
}

static void test_recv_no_buffers(void **state)
{
	struct io_uring *ring = *state;
	struct op_buffers buffers;
	int fds[2];

	op_buffers_open(ring, &buffers, 2, 4, GROUP, 0);
	net_unix_pair(fds);
	send_text(fds[1], "more than two buffers");
	prep_recv(ring, fds[0]);
	op_submit(ring);
	op_bid(op_expect_more(ring, 1, 4));
	op_bid(op_expect_more(ring, 1, 4));
	op_expect(ring, 1, -ENOBUFS);
	/* Nothing was lost: with a buffer it goes on. */
	op_buffers_give(&buffers, 0);
	prep_recv(ring, fds[0]);
	op_submit(ring);
	assert_int_equal(op_bid(op_expect_more(ring, 1, 4)), 0);
	assert_memory_equal(op_buffer(&buffers, 0), "n tw", 4);
	op_expect(ring, 1, -ENOBUFS);
	net_close_pair(fds);
	op_buffers_close(ring, &buffers);
}

/* A buffer that is used up piece by piece. */
static void test_recv_incremental(void **state)
{
	struct io_uring *ring = *state;
	struct op_buffers buffers;
	unsigned flags;
	int fds[2];

	op_buffers_open(ring, &buffers, 2, 8, GROUP, IOU_PBUF_RING_INC);
	net_unix_pair(fds);
	prep_recv(ring, fds[0]);
	op_submit(ring);
	send_text(fds[1], "abc");
	flags = op_expect_more(ring, 1, 3);
	assert_int_equal(op_bid(flags), 0);
	assert_true(flags & IORING_CQE_F_BUF_MORE);
	send_text(fds[1], "defgh");
	flags = op_expect_more(ring, 1, 5);
	assert_int_equal(op_bid(flags), 0);
	assert_false(flags & IORING_CQE_F_BUF_MORE);
	assert_memory_equal(op_buffer(&buffers, 0), "abcdefgh", 8);
	send_text(fds[1], "i");
	flags = op_expect_more(ring, 1, 1);
	assert_int_equal(op_bid(flags), 1);
	assert_true(flags & IORING_CQE_F_BUF_MORE);
	cancel_first(ring);
	net_close_pair(fds);
	op_buffers_close(ring, &buffers);
}

static void prep_recvmsg(struct io_uring *ring, int fd, struct msghdr *msg)
{
	struct io_uring_sqe *sqe = op_sqe(ring, 1);

	io_uring_prep_recvmsg_multishot(sqe, fd, msg, MSG_TRUNC);
	io_uring_sqe_set_flags(sqe, IOSQE_BUFFER_SELECT);
	io_uring_sqe_set_buf_group(sqe, GROUP);
}

/* The address to which a datagram went, from its control message. */
static void assert_sent_to(struct io_uring_recvmsg_out *out, struct msghdr *msg,
			   const struct sockaddr_in *to)
{
	struct cmsghdr *cmsg = io_uring_recvmsg_cmsg_firsthdr(out, msg);
	struct in_pktinfo info;

	assert_non_null(cmsg);
	assert_int_equal(cmsg->cmsg_level, IPPROTO_IP);
	assert_int_equal(cmsg->cmsg_type, IP_PKTINFO);
	memcpy(&info, CMSG_DATA(cmsg), sizeof(info));
	assert_int_equal(info.ipi_addr.s_addr, to->sin_addr.s_addr);
	assert_null(io_uring_recvmsg_cmsg_nexthdr(out, msg, cmsg));
}

static void test_recvmsg(void **state)
{
	struct io_uring *ring = *state;
	struct msghdr msg = { .msg_namelen = sizeof(struct sockaddr_in),
			      .msg_controllen = CMSG_SPACE(sizeof(struct in_pktinfo)) };
	const char *texts[] = { "first", "a second datagram", "" };
	struct sockaddr_in from, to, peer;
	int fds[2] = { net_bound(SOCK_DGRAM, &from), net_bound(SOCK_DGRAM, &to) };
	struct io_uring_recvmsg_out *out;
	struct op_buffers buffers;
	struct op_result result;
	size_t i;

	op_buffers_open(ring, &buffers, 4, 256, GROUP, 0);
	assert_int_equal(setsockopt(fds[1], IPPROTO_IP, IP_PKTINFO, &(int){ 1 }, sizeof(int)), 0);
	prep_recvmsg(ring, fds[1], &msg);
	op_submit(ring);
	for (i = 0; i < ARRAY_LEN(texts); i++) {
		assert_int_equal(sendto(fds[0], texts[i], strlen(texts[i]), 0,
					(struct sockaddr *)&to, sizeof(to)), strlen(texts[i]));
		result = op_take(ring);
		/* What brings no bytes ends a request, also where it is no end. */
		assert_int_equal(!(result.flags & IORING_CQE_F_MORE), texts[i][0] == '\0');
		out = io_uring_recvmsg_validate(op_buffer(&buffers, op_bid(result.flags)),
						result.res, &msg);
		assert_non_null(out);
		assert_int_equal(out->namelen, sizeof(peer));
		memcpy(&peer, io_uring_recvmsg_name(out), sizeof(peer));
		assert_true(net_same_address(&peer, &from));
		assert_sent_to(out, &msg, &to);
		assert_int_equal(out->payloadlen, strlen(texts[i]));
		assert_int_equal(io_uring_recvmsg_payload_length(out, result.res, &msg),
				 strlen(texts[i]));
		assert_memory_equal(io_uring_recvmsg_payload(out, &msg), texts[i],
				    strlen(texts[i]));
	}
	net_close_pair(fds);
	op_buffers_close(ring, &buffers);
}

/* Buffers that are too small for the datagram, and then for the areas. */
static void test_recvmsg_small(void **state)
{
	struct io_uring *ring = *state;
	struct msghdr msg = { .msg_namelen = 0, .msg_controllen = 0 };
	struct io_uring_recvmsg_out *out;
	struct op_buffers buffers;
	struct op_result result;
	int fds[2];

	net_udp_pair(fds);
	op_buffers_open(ring, &buffers, 4, sizeof(*out) + 4, GROUP, 0);
	prep_recvmsg(ring, fds[1], &msg);
	op_submit(ring);
	send_text(fds[0], "twelve bytes");
	result = op_take(ring);
	assert_true(result.flags & IORING_CQE_F_MORE);
	op_check(result.res, (int)buffers.sz);
	out = io_uring_recvmsg_validate(op_buffer(&buffers, op_bid(result.flags)), result.res,
					&msg);
	assert_non_null(out);
	assert_true(out->flags & MSG_TRUNC);
	assert_int_equal(out->payloadlen, 12);
	assert_int_equal(io_uring_recvmsg_payload_length(out, result.res, &msg), 4);
	assert_memory_equal(io_uring_recvmsg_payload(out, &msg), "twel", 4);
	cancel_first(ring);

	msg.msg_namelen = 100;
	send_text(fds[0], "x");
	prep_recvmsg(ring, fds[1], &msg);
	op_check(op_run(ring), -EFAULT);
	net_close_pair(fds);
	op_buffers_close(ring, &buffers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		op_test(test_accept),
		op_test(test_accept_direct),
		op_test(test_recv),
		op_test(test_recv_no_buffers),
		op_test(test_recv_incremental),
		op_test(test_recvmsg),
		op_test(test_recvmsg_small),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
