/* SPDX-License-Identifier: MIT */
/*
 * Provided buffers that are used up piece by piece (IOU_PBUF_RING_INC): each
 * piece follows the one before, and a flag says whether more is to come.
 */
#include "test.h"

#include "ring.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define NR_BUFS 4
#define BUF_SZ 1000
#define GROUP 3

static char bufs[NR_BUFS][BUF_SZ];
static struct io_uring ring;
static struct io_uring_buf_ring *br;
static int sockets[2];

static void open_all(void)
{
	int ret;

	ring_open_flags(&ring, 8, 0);
	br = io_uring_setup_buf_ring(&ring, NR_BUFS, GROUP, IOU_PBUF_RING_INC, &ret);
	if (!br)
		require_ret("an incremental buffer ring", ret);
	assert_non_null(br);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
	memset(bufs, 0, sizeof(bufs));
}

static void close_all(void)
{
	close(sockets[0]);
	close(sockets[1]);
	assert_int_equal(io_uring_free_buf_ring(&ring, br, NR_BUFS, GROUP), 0);
	io_uring_queue_exit(&ring);
}

static void add_buf(unsigned bid)
{
	io_uring_buf_ring_add(br, bufs[bid], BUF_SZ, (unsigned short)bid,
			      io_uring_buf_ring_mask(NR_BUFS), 0);
	io_uring_buf_ring_advance(br, 1);
}

static void queue_receive(size_t sz)
{
	struct io_uring_sqe *sqe = next_sqe(&ring);

	io_uring_prep_recv(sqe, sockets[0], NULL, sz, 0);
	sqe->flags |= IOSQE_BUFFER_SELECT;
	sqe->buf_group = GROUP;
}

/* The piece that begins at off of the stream is where it has to be. */
static void check_piece(const struct io_uring_cqe *cqe, unsigned bid, size_t at, int sz, size_t off,
			bool more)
{
	assert_int_equal(cqe->res, sz);
	assert_true(cqe->flags & IORING_CQE_F_BUFFER);
	assert_int_equal(cqe->flags >> IORING_CQE_BUFFER_SHIFT, bid);
	assert_int_equal(!!(cqe->flags & IORING_CQE_F_BUF_MORE), more);
	assert_true(pattern_same(bufs[bid] + at, (size_t)sz, off));
	assert_true(all_bytes(bufs[bid] + at + sz, BUF_SZ - at - (size_t)sz, 0));
}

static size_t send_pattern(size_t off, size_t sz)
{
	char data[BUF_SZ];

	pattern_fill(data, sz, off);
	assert_int_equal(send(sockets[1], data, sz, 0), sz);
	return off + sz;
}

static void test_pieces(void **state)
{
	struct io_uring_cqe cqe;
	uint16_t head;

	open_all();
	add_buf(2);
	add_buf(1);
	send_pattern(0, 300);
	queue_receive(0);
	submit_one(&ring, &cqe);
	check_piece(&cqe, 2, 0, 300, 0, true);
	if (!io_uring_buf_ring_head(&ring, GROUP, &head)) {
		assert_int_equal(head, 0);
		assert_int_equal(io_uring_buf_ring_available(&ring, br, GROUP), 2);
	}
	send_pattern(300, 200);
	queue_receive(0);
	submit_one(&ring, &cqe);
	check_piece(&cqe, 2, 300, 200, 300, true);

	/* Less than was sent: the rest stays in the socket. */
	send_pattern(500, 800);
	queue_receive(400);
	submit_one(&ring, &cqe);
	check_piece(&cqe, 2, 500, 400, 500, true);

	/* The last of the buffer, then the first of the next. */
	queue_receive(0);
	submit_one(&ring, &cqe);
	check_piece(&cqe, 2, 900, 100, 900, false);
	if (!io_uring_buf_ring_head(&ring, GROUP, &head)) {
		assert_int_equal(head, 1);
		assert_int_equal(io_uring_buf_ring_available(&ring, br, GROUP), 1);
	}
	queue_receive(0);
	submit_one(&ring, &cqe);
	check_piece(&cqe, 1, 0, 300, 1000, true);
	close_all();
}

/* What is left over of a buffer has its own length; nothing is written behind. */
static void test_exact_end(void **state)
{
	struct io_uring_cqe cqe;

	open_all();
	add_buf(0);
	send_pattern(0, BUF_SZ);
	queue_receive(0);
	submit_one(&ring, &cqe);
	check_piece(&cqe, 0, 0, BUF_SZ, 0, false);
	send_pattern(0, 1);
	queue_receive(0);
	assert_int_equal(submit_one(&ring, &cqe), -ENOBUFS);
	assert_false(cqe.flags & (IORING_CQE_F_BUFFER | IORING_CQE_F_BUF_MORE));
	add_buf(3);
	queue_receive(0);
	submit_one(&ring, &cqe);
	check_piece(&cqe, 3, 0, 1, 0, true);
	close_all();
}

/* A multishot receive goes through one buffer after the other. */
static void test_multishot(void **state)
{
	struct io_uring_sqe *sqe;
	struct io_uring_cqe cqe;

	open_all();
	add_buf(0);
	add_buf(1);
	sqe = next_sqe(&ring);
	io_uring_prep_recv_multishot(sqe, sockets[0], NULL, 0, 0);
	sqe->flags |= IOSQE_BUFFER_SELECT;
	sqe->buf_group = GROUP;
	submit_ok(&ring, 1);
	send_pattern(0, 600);
	wait_one(&ring, &cqe);
	check_piece(&cqe, 0, 0, 600, 0, true);
	assert_true(cqe.flags & IORING_CQE_F_MORE);
	send_pattern(600, 400);
	wait_one(&ring, &cqe);
	check_piece(&cqe, 0, 600, 400, 600, false);
	send_pattern(1000, 10);
	wait_one(&ring, &cqe);
	check_piece(&cqe, 1, 0, 10, 1000, true);
	assert_true(cqe.flags & IORING_CQE_F_MORE);
	shutdown(sockets[1], SHUT_WR);
	assert_int_equal(wait_one(&ring, &cqe), 0);
	assert_false(cqe.flags & IORING_CQE_F_MORE);
	close_all();
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		timed_test(test_pieces),
		timed_test(test_exact_end),
		timed_test(test_multishot),
	};

	return cmocka_run_group_tests_name("buf_ring_inc", tests, NULL, NULL);
}
