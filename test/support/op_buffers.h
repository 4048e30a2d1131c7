/* SPDX-License-Identifier: MIT */
/*
 * A ring of provided buffers with the memory behind it.
 */
#ifndef TEST_SUPPORT_OP_BUFFERS_H
#define TEST_SUPPORT_OP_BUFFERS_H

#include <liburing.h>

struct op_buffers {
	struct io_uring_buf_ring *br;
	unsigned nr;
	unsigned sz;		/* of each buffer */
	unsigned char *mem;
	int bgid;
};

/*
 * op_buffers_open - group bgid of nr buffers of sz bytes, all of them provided;
 * flags are IOU_PBUF_RING_.... Skips the test where the kernel has none.
 */
void op_buffers_open(struct io_uring *ring, struct op_buffers *buffers, unsigned nr, unsigned sz,
		     int bgid, unsigned flags);
void op_buffers_close(struct io_uring *ring, struct op_buffers *buffers);

/* op_buffers_give - provide one buffer again. */
void op_buffers_give(struct op_buffers *buffers, unsigned bid);

/* op_buffer - the memory of a buffer. */
unsigned char *op_buffer(const struct op_buffers *buffers, unsigned bid);

/* op_bid - the buffer that a CQE with these flags names; it has to name one. */
unsigned op_bid(unsigned cqe_flags);

#endif
