/* SPDX-License-Identifier: MIT */
/*
 * Buffers on their way to the kernel, and back with the CQEs that name them. There
 * are fewer buffers than CQEs have room for, so that the kernel's thread need not
 * look at the CQ's head: the tail of the buffers alone tells it what it may touch.
 */
#include "order_kernel.h"

#include <stdlib.h>

#define NR_BUFFERS 8
#define BUFFER_SZ 32

static struct io_uring_buf_ring *br;
static unsigned char buffers[NR_BUFFERS][BUFFER_SZ];

/* A CQE without a look at the head, and so without an order that it makes. */
static void post(unsigned tail, __u64 user_data, unsigned bid)
{
	struct io_uring_cqe *cqe = &order.cqes[tail & (order.cq_entries - 1)];

	cqe->user_data = user_data;
	cqe->res = BUFFER_SZ;
	cqe->flags = IORING_CQE_F_BUFFER | bid << IORING_CQE_BUFFER_SHIFT;
	__atomic_store_n(order.cq_tail, tail + 1, __ATOMIC_RELEASE);
}

/* Takes each buffer that there is, looks at it, and fills it. */
static void fill_buffers(void)
{
	unsigned short head = 0;
	unsigned seq = 0;

	while (!order_stopped()) {
		const struct io_uring_buf *buf = &br->bufs[head & (NR_BUFFERS - 1)];
		unsigned char *mem;

		if (__atomic_load_n(&br->tail, __ATOMIC_ACQUIRE) == head) {
			order_pause();
			continue;
		}
		mem = (unsigned char *)(uintptr_t)buf->addr;
		order_check(buf->bid < NR_BUFFERS && mem == buffers[buf->bid]);
		order_check(buf->len == BUFFER_SZ);
		order_check(mem[0] == 0xff);
		memset(mem, (unsigned char)(seq % 251), BUFFER_SZ);
		post(seq, seq, buf->bid);
		head++;
		seq++;
	}
}

static void add(unsigned bid, int offset)
{
	memset(buffers[bid], 0xff, BUFFER_SZ);
	io_uring_buf_ring_add(br, buffers[bid], BUFFER_SZ, (unsigned short)bid,
			      io_uring_buf_ring_mask(NR_BUFFERS), offset);
}

static void run(bool both_at_once)
{
	struct io_uring_cqe *cqe;
	struct io_uring ring;
	unsigned i, bid;

	br = aligned_alloc(4096, 4096);
	assert_non_null(br);
	order_open(&ring, 8, 4 * NR_BUFFERS, 0, IORING_FEAT_EXT_ARG);
	io_uring_buf_ring_init(br);
	order_start(fill_buffers);
	for (i = 0; i < NR_BUFFERS; i++)
		add(i, (int)i);
	io_uring_buf_ring_advance(br, NR_BUFFERS);

	for (i = 0; i < ORDER_TIMES; i++) {
		assert_int_equal(io_uring_wait_cqe(&ring, &cqe), 0);
		assert_int_equal(cqe->user_data, i);
		bid = cqe->flags >> IORING_CQE_BUFFER_SHIFT;
		assert_in_range(bid, 0, NR_BUFFERS - 1);
		assert_int_equal(buffers[bid][0], i % 251);
		assert_int_equal(buffers[bid][BUFFER_SZ - 1], i % 251);
		if (both_at_once) {
			add(bid, 0);
			io_uring_buf_ring_cq_advance(&ring, br, 1);
		} else {
			io_uring_cqe_seen(&ring, cqe);
			add(bid, 0);
			io_uring_buf_ring_advance(br, 1);
		}
	}
	order_close(&ring);
	free(br);
}

static void test_buffers(void **state)
{
	run(false);
}

static void test_buffers_and_cqes(void **state)
{
	run(true);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		order_test(test_buffers),
		order_test(test_buffers_and_cqes),
	};

	return cmocka_run_group_tests_name("buf_ring", tests, NULL, NULL);
}
