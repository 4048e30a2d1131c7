/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "op_buffers.h"
#include "ring.h"

#include <stdlib.h>

void op_buffers_open(struct io_uring *ring, struct op_buffers *buffers, unsigned nr, unsigned sz,
		     int bgid, unsigned flags)
{
	unsigned bid;
	int ret = 0;

	buffers->nr = nr;
	buffers->sz = sz;
	buffers->bgid = bgid;
	buffers->br = io_uring_setup_buf_ring(ring, nr, bgid, flags, &ret);
	if (!buffers->br)
		require_ret("a ring of provided buffers", ret);
	assert_non_null(buffers->br);
	buffers->mem = calloc(nr, sz);
	assert_non_null(buffers->mem);
	for (bid = 0; bid < nr; bid++)
		io_uring_buf_ring_add(buffers->br, op_buffer(buffers, bid), sz,
				      (unsigned short)bid, io_uring_buf_ring_mask(nr), (int)bid);
	io_uring_buf_ring_advance(buffers->br, (int)nr);
}

void op_buffers_close(struct io_uring *ring, struct op_buffers *buffers)
{
	assert_int_equal(
		io_uring_free_buf_ring(ring, buffers->br, buffers->nr, buffers->bgid), 0);
	free(buffers->mem);
}

void op_buffers_give(struct op_buffers *buffers, unsigned bid)
{
	io_uring_buf_ring_add(buffers->br, op_buffer(buffers, bid), buffers->sz,
			      (unsigned short)bid, io_uring_buf_ring_mask(buffers->nr), 0);
	io_uring_buf_ring_advance(buffers->br, 1);
}

unsigned char *op_buffer(const struct op_buffers *buffers, unsigned bid)
{
	assert_true(bid < buffers->nr);
	return buffers->mem + (size_t)bid * buffers->sz;
}

unsigned op_bid(unsigned cqe_flags)
{
	assert_true(cqe_flags & IORING_CQE_F_BUFFER);
	return cqe_flags >> IORING_CQE_BUFFER_SHIFT;
}
