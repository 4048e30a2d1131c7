/* SPDX-License-Identifier: MIT */
/*
 * Zero copy: the request's own CQE, the notification after it, and what came. Over
 * the loopback device the data is copied after all, and the kernel says so.
 */
#include "test.h"

#include "op_net.h"
#include "op_run.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define NOT_OPEN 4095
#define BUF_SZ 8192

static unsigned char bufs[2][BUF_SZ], back[2 * BUF_SZ];

/* What is in the socket, read to the last of sz bytes. */
static void read_back(int fd, size_t sz)
{
	memset(back, 0, sizeof(back));
	assert_int_equal(recv(fd, back, sz, MSG_WAITALL), sz);
}

/*
 * The two CQEs of a send: its result, with the promise of a notification, and the
 * notification, which comes when the receiver is done. Returns the latter's result.
 */
static int expect_sent(struct io_uring *ring, int res, int receiver)
{
	struct op_result notification;

	op_expect_more(ring, 1, res);
	read_back(receiver, (size_t)res);
	notification = op_take(ring);
	assert_int_equal(notification.tag, 1);
	assert_true(notification.flags & IORING_CQE_F_NOTIF);
	assert_false(notification.flags & IORING_CQE_F_MORE);
	no_cqe(ring);
	return notification.res;
}

/* A refused send: one CQE, or two, the second of which says only that it is over. */
static void expect_refused(struct io_uring *ring, int res)
{
	struct op_result result;

	op_submit(ring);
	result = op_take(ring);
	op_check(result.res, res);
	assert_false(result.flags & IORING_CQE_F_NOTIF);
	if (result.flags & IORING_CQE_F_MORE)
		assert_true(op_take(ring).flags & IORING_CQE_F_NOTIF);
	no_cqe(ring);
}

static void test_send(void **state)
{
	struct io_uring *ring = *state;
	struct io_uring_sqe *sqe;
	int fds[2], file = temp_file(1);

	require_op(IORING_OP_SEND_ZC);
	net_tcp_pair(fds);
	pattern_fill(bufs[0], BUF_SZ, 3);
	io_uring_prep_send_zc(op_sqe(ring, 1), fds[0], bufs[0], BUF_SZ, 0, 0);
	op_submit(ring);
	assert_int_equal(expect_sent(ring, BUF_SZ, fds[1]), 0);
	assert_memory_equal(back, bufs[0], BUF_SZ);

	io_uring_prep_send_zc(op_sqe(ring, 1), fds[0], bufs[0], BUF_SZ, 0,
			      IORING_SEND_ZC_REPORT_USAGE);
	op_submit(ring);
	assert_int_equal(expect_sent(ring, BUF_SZ, fds[1]), (int)IORING_NOTIF_USAGE_ZC_COPIED);

	assert_int_equal(io_uring_register_files(ring, &fds[0], 1), 0);
	sqe = op_sqe(ring, 1);
	io_uring_prep_send_zc(sqe, 0, bufs[0] + 1, 100, 0, 0);
	io_uring_sqe_set_flags(sqe, IOSQE_FIXED_FILE);
	op_submit(ring);
	expect_sent(ring, 100, fds[1]);
	assert_memory_equal(back, bufs[0] + 1, 100);

	io_uring_prep_send_zc(op_sqe(ring, 1), NOT_OPEN, bufs[0], BUF_SZ, 0, 0);
	expect_refused(ring, -EBADF);
	io_uring_prep_send_zc(op_sqe(ring, 1), file, bufs[0], BUF_SZ, 0, 0);
	expect_refused(ring, -ENOTSOCK);
	io_uring_prep_send_zc(op_sqe(ring, 1), fds[0], (void *)4096, BUF_SZ, 0, 0);
	expect_refused(ring, -EFAULT);
	io_uring_prep_send_zc(op_sqe(ring, 1), fds[0], bufs[0], BUF_SZ, 0, 1U << 15);
	expect_refused(ring, -EINVAL);
	net_close_pair(fds);
	net_unix_pair(fds);
	io_uring_prep_send_zc(op_sqe(ring, 1), fds[0], bufs[0], BUF_SZ, 0, 0);
	expect_refused(ring, -EOPNOTSUPP);
	net_close_pair(fds);
	close(file);
}

static void register_bufs(struct io_uring *ring)
{
	const struct iovec iov[2] = { { bufs[0], BUF_SZ }, { bufs[1], BUF_SZ } };

	assert_int_equal(io_uring_register_buffers(ring, iov, 2), 0);
	pattern_fill(bufs[0], BUF_SZ, 10);
	pattern_fill(bufs[1], BUF_SZ, 20);
}

static void test_send_fixed(void **state)
{
	struct io_uring *ring = *state;
	int fds[2];

	require_op(IORING_OP_SEND_ZC);
	register_bufs(ring);
	net_tcp_pair(fds);
	io_uring_prep_send_zc_fixed(op_sqe(ring, 1), fds[0], bufs[1] + 10, 5000, 0, 0, 1);
	op_submit(ring);
	expect_sent(ring, 5000, fds[1]);
	assert_memory_equal(back, bufs[1] + 10, 5000);

	io_uring_prep_send_zc_fixed(op_sqe(ring, 1), fds[0], bufs[1], 10, 0, 0, 0);
	expect_refused(ring, -EFAULT);
	io_uring_prep_send_zc_fixed(op_sqe(ring, 1), fds[0], bufs[1], 10, 0, 0, 2);
	expect_refused(ring, -EFAULT);
	net_close_pair(fds);
}

static void test_send_to(void **state)
{
	struct io_uring *ring = *state;
	struct sockaddr_in from, to;
	int fds[2] = { net_bound(SOCK_DGRAM, &from), net_bound(SOCK_DGRAM, &to) };
	struct iovec iov = { bufs[0], 10 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	struct io_uring_sqe *sqe;

	require_op(IORING_OP_SENDMSG_ZC);
	sqe = op_sqe(ring, 1);
	io_uring_prep_send_zc(sqe, fds[0], "datagram", 8, 0, 0);
	io_uring_prep_send_set_addr(sqe, (const struct sockaddr *)&to, sizeof(to));
	op_submit(ring);
	expect_sent(ring, 8, fds[1]);
	assert_memory_equal(back, "datagram", 8);
	io_uring_prep_send_zc(op_sqe(ring, 1), fds[0], "nowhere", 7, 0, 0);
	expect_refused(ring, -EDESTADDRREQ);
	/* A flag that datagrams do not know. */
	io_uring_prep_send_zc(op_sqe(ring, 1), fds[0], "urgent", 6, MSG_OOB, 0);
	expect_refused(ring, -EOPNOTSUPP);
	io_uring_prep_sendmsg_zc(op_sqe(ring, 1), fds[0], &msg, MSG_OOB);
	expect_refused(ring, -EOPNOTSUPP);
	net_close_pair(fds);
}

static void test_sendmsg(void **state)
{
	struct io_uring *ring = *state;
	struct iovec iov[2] = { { bufs[0], 1000 }, { bufs[1] + 7, 3000 } };
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 2 };
	int fds[2];

	require_op(IORING_OP_SENDMSG_ZC);
	pattern_fill(bufs[0], BUF_SZ, 1);
	pattern_fill(bufs[1], BUF_SZ, 2);
	net_tcp_pair(fds);
	io_uring_prep_sendmsg_zc(op_sqe(ring, 1), fds[0], &msg, 0);
	op_submit(ring);
	expect_sent(ring, 4000, fds[1]);
	assert_memory_equal(back, bufs[0], 1000);
	assert_memory_equal(back + 1000, bufs[1] + 7, 3000);

	io_uring_prep_sendmsg_zc(op_sqe(ring, 1), NOT_OPEN, &msg, 0);
	expect_refused(ring, -EBADF);
	io_uring_prep_sendmsg_zc(op_sqe(ring, 1), fds[0], (struct msghdr *)8, 0);
	expect_refused(ring, -EFAULT);
	net_close_pair(fds);
}

static void test_sendmsg_fixed(void **state)
{
	struct io_uring *ring = *state;
	struct iovec iov[2] = { { bufs[1] + 100, 1000 }, { bufs[1] + 4000, 2000 } };
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 2 };
	struct op_result result;
	int fds[2];

	require_op(IORING_OP_SENDMSG_ZC);
	register_bufs(ring);
	net_tcp_pair(fds);

	/* Buffer 2 does not exist: a kernel that knows the flag must say so. */
	io_uring_prep_sendmsg_zc_fixed(op_sqe(ring, 1), fds[0], &msg, 0, 2);
	op_submit(ring);
	result = op_take(ring);
	if (result.res == -EINVAL)
		skip_because("the kernel has no sendmsg from registered buffers");
	op_check(result.res, -EFAULT);
	if (result.flags & IORING_CQE_F_MORE)
		assert_true(op_take(ring).flags & IORING_CQE_F_NOTIF);

	io_uring_prep_sendmsg_zc_fixed(op_sqe(ring, 1), fds[0], &msg, 0, 1);
	op_submit(ring);
	expect_sent(ring, 3000, fds[1]);
	assert_memory_equal(back, bufs[1] + 100, 1000);
	assert_memory_equal(back + 1000, bufs[1] + 4000, 2000);
	io_uring_prep_sendmsg_zc_fixed(op_sqe(ring, 1), fds[0], &msg, 0, 0);
	expect_refused(ring, -EFAULT);
	net_close_pair(fds);
}

/*
 * Zero-copy receive needs a network card that takes part. Without a queue of one
 * the kernel refuses the request.
 */
static void test_recv(void **state)
{
	struct io_uring *ring = *state;
	struct io_uring_sqe *sqe;
	int fds[2];

	require_op(IORING_OP_RECV_ZC);
	net_tcp_pair(fds);
	sqe = op_sqe(ring, 1);
	io_uring_prep_rw(IORING_OP_RECV_ZC, sqe, fds[0], NULL, 0, 0);
	sqe->ioprio = IORING_RECV_MULTISHOT;
	op_check(op_run(ring), -EINVAL);
	net_close_pair(fds);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		op_test(test_send),
		op_test(test_send_fixed),
		op_test(test_send_to),
		op_test(test_sendmsg),
		op_test(test_sendmsg_fixed),
		op_test(test_recv),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
