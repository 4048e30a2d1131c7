/* SPDX-License-Identifier: MIT */
/*
 * Sends that take their data from provided buffers, and bundles: one operation over
 * several of them, in the order in which they were provided.
 */
#include "test.h"

#include "op_buffers.h"
#include "op_net.h"
#include "op_run.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define GROUP 6
#define BUF_SZ 8

static void require_bundles(struct io_uring *ring)
{
	if (!(ring->features & IORING_FEAT_RECVSEND_BUNDLE))
		skip_because("the kernel has no IORING_FEAT_RECVSEND_BUNDLE");
}

static void from_group(struct io_uring_sqe *sqe)
{
	io_uring_sqe_set_flags(sqe, IOSQE_BUFFER_SELECT);
	io_uring_sqe_set_buf_group(sqe, GROUP);
}

/* Provided buffers of letters: aaaaaaaa, bbbbbbbb and so on. */
static void open_letters(struct io_uring *ring, struct op_buffers *buffers, unsigned nr)
{
	unsigned bid;

	op_buffers_open(ring, buffers, nr, BUF_SZ, GROUP, 0);
	for (bid = 0; bid < nr; bid++)
		memset(op_buffer(buffers, bid), 'a' + (int)bid, BUF_SZ);
}

static void assert_reads(int fd, const char *text)
{
	char bytes[64];

	assert_int_equal(recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT), strlen(text));
	assert_memory_equal(bytes, text, strlen(text));
}

static void test_send_provided(void **state)
{
	struct io_uring *ring = *state;
	struct op_buffers buffers;
	struct io_uring_sqe *sqe;
	int fds[2], i;

	require_bundles(ring);
	open_letters(ring, &buffers, 2);
	net_tcp_pair(fds);
	for (i = 0; i < 2; i++) {
		sqe = op_sqe(ring, 1);
		io_uring_prep_send(sqe, fds[0], NULL, i ? 3 : 0, 0);
		from_group(sqe);
		op_submit(ring);
		assert_int_equal(op_bid(op_expect(ring, 1, i ? 3 : BUF_SZ)), i);
		assert_reads(fds[1], i ? "bbb" : "aaaaaaaa");
	}
	sqe = op_sqe(ring, 1);
	io_uring_prep_send(sqe, fds[0], NULL, 0, 0);
	from_group(sqe);
	op_check(op_run(ring), -ENOBUFS);
	net_close_pair(fds);
	op_buffers_close(ring, &buffers);
}

static void test_send_bundle(void **state)
{
	struct io_uring *ring = *state;
	struct op_buffers buffers;
	struct io_uring_sqe *sqe;
	int fds[2];

	require_bundles(ring);
	open_letters(ring, &buffers, 4);
	net_tcp_pair(fds);

	/* A length limits the first stretch; the request goes on with what is left. */
	sqe = op_sqe(ring, 1);
	io_uring_prep_send_bundle(sqe, fds[0], 3 * BUF_SZ, 0);
	from_group(sqe);
	op_submit(ring);
	assert_int_equal(op_bid(op_expect_more(ring, 1, 3 * BUF_SZ)), 0);
	assert_int_equal(op_bid(op_expect(ring, 1, BUF_SZ)), 3);
	assert_reads(fds[1], "aaaaaaaabbbbbbbbccccccccdddddddd");

	/* Without one, all there is. */
	op_buffers_give(&buffers, 2);
	op_buffers_give(&buffers, 0);
	sqe = op_sqe(ring, 1);
	io_uring_prep_send_bundle(sqe, fds[0], 0, 0);
	from_group(sqe);
	op_submit(ring);
	assert_int_equal(op_bid(op_expect(ring, 1, 2 * BUF_SZ)), 2);
	assert_reads(fds[1], "ccccccccaaaaaaaa");

	sqe = op_sqe(ring, 1);
	io_uring_prep_send_bundle(sqe, fds[0], 0, 0);
	from_group(sqe);
	op_check(op_run(ring), -ENOBUFS);
	net_close_pair(fds);
	op_buffers_close(ring, &buffers);
}

/* What came in a bundle: the buffers from the named one on, as far as it counts. */
static unsigned take_bundle(struct io_uring *ring, struct op_buffers *buffers, char *bytes,
			    unsigned nr_bytes, struct op_result *result)
{
	unsigned bid, part, left;

	*result = op_take(ring);
	assert_true(result->res > 0);
	bid = op_bid(result->flags);
	for (left = (unsigned)result->res; left; left -= part) {
		part = left < BUF_SZ ? left : BUF_SZ;
		memcpy(bytes + nr_bytes, op_buffer(buffers, bid++), part);
		nr_bytes += part;
	}
	return nr_bytes;
}

static void test_recv_bundle(void **state)
{
	struct io_uring *ring = *state;
	struct op_buffers buffers;
	struct op_result result;
	struct io_uring_sqe *sqe;
	char bytes[64];
	unsigned nr;
	int fds[2];

	require_bundles(ring);
	open_letters(ring, &buffers, 4);
	net_tcp_pair(fds);
	assert_int_equal(send(fds[1], "twenty bytes in all.", 20, 0), 20);
	/* More than one buffer at once; a last one that it does not fill may wait. */
	for (nr = 0; nr < 20;) {
		sqe = op_sqe(ring, 1);
		io_uring_prep_recv(sqe, fds[0], NULL, 0, 0);
		sqe->ioprio |= IORING_RECVSEND_BUNDLE;
		from_group(sqe);
		op_submit(ring);
		if (nr)
			take_bundle(ring, &buffers, bytes, nr, &result);
		else
			assert_true(take_bundle(ring, &buffers, bytes, nr, &result) > BUF_SZ);
		nr += (unsigned)result.res;
	}
	assert_memory_equal(bytes, "twenty bytes in all.", 20);
	assert_int_equal(io_uring_buf_ring_available(ring, buffers.br, GROUP), 1);
	net_close_pair(fds);
	op_buffers_close(ring, &buffers);
}

/* Multishot as well: a CQE whenever something came. */
static void test_recv_bundle_multishot(void **state)
{
	struct io_uring *ring = *state;
	struct op_buffers buffers;
	struct op_result result;
	struct io_uring_sqe *sqe;
	char bytes[64];
	unsigned nr = 0;
	int fds[2];

	require_bundles(ring);
	open_letters(ring, &buffers, 8);
	net_tcp_pair(fds);
	sqe = op_sqe(ring, 1);
	io_uring_prep_recv_multishot(sqe, fds[0], NULL, 0, 0);
	sqe->ioprio |= IORING_RECVSEND_BUNDLE;
	from_group(sqe);
	op_submit(ring);
	no_cqe(ring);
	assert_int_equal(send(fds[1], "twelve bytes", 12, 0), 12);
	while (nr < 12)
		nr = take_bundle(ring, &buffers, bytes, nr, &result);
	assert_int_equal(send(fds[1], " nine more", 10, 0), 10);
	while (nr < 22)
		nr = take_bundle(ring, &buffers, bytes, nr, &result);
	assert_memory_equal(bytes, "twelve bytes nine more", 22);
	assert_true(result.flags & IORING_CQE_F_MORE);
	close(fds[1]);
	op_expect(ring, 1, 0);
	close(fds[0]);
	op_buffers_close(ring, &buffers);
}

/* A send whose buffer is an array of pieces. */
static void test_send_vectorized(void **state)
{
	struct io_uring *ring = *state;
	struct iovec iov[2] = { { (void *)"two ", 4 }, { (void *)"pieces", 6 } };
	struct io_uring_sqe *sqe;
	struct op_result result;
	int fds[2];

	net_tcp_pair(fds);
	sqe = op_sqe(ring, 1);
	io_uring_prep_send(sqe, fds[0], iov, 2, 0);
	sqe->ioprio |= IORING_SEND_VECTORIZED;
	op_submit(ring);
	result = op_take(ring);
	if (result.res == -EINVAL)
		skip_because("the kernel has no IORING_SEND_VECTORIZED");
	op_check(result.res, 10);
	assert_reads(fds[1], "two pieces");
	net_close_pair(fds);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		op_test(test_send_provided),
		op_test(test_send_bundle),
		op_test(test_recv_bundle),
		op_test(test_recv_bundle_multishot),
		op_test(test_send_vectorized),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
