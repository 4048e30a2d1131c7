/* SPDX-License-Identifier: MIT */
/*
 * Filling a ring of provided buffers. The program owns the entries from the
 * tail on, the kernel those before it; a buffer that the kernel took belongs to
 * the program again with the CQE that names it (with IOU_PBUF_RING_INC, with the
 * last one that does: IORING_CQE_F_BUF_MORE is absent there).
 */
#ifndef LIBURING_BUF_RING_H
#define LIBURING_BUF_RING_H

#include <liburing/barrier.h>
#include <liburing/cq.h>
#include <liburing/register_buffers.h>
#include <liburing/sanitize.h>

LIBURING_BEGIN_DECLS

/* io_uring_buf_ring_mask - the mask of a ring of so many entries, a power of two. */
IOURINGINLINE int io_uring_buf_ring_mask(__u32 ring_entries) LIBURING_NOEXCEPT
{
	return (int)(ring_entries - 1);
}

/*
 * io_uring_buf_ring_init - empty a buffer ring, before the first add.
 *
 * Like every read of the tail here, a plain access: nobody else writes it, and no
 * entry goes with the 0.
 */
IOURINGINLINE void io_uring_buf_ring_init(struct io_uring_buf_ring *br) LIBURING_NOEXCEPT
{
	br->tail = 0;
}

/*
 * io_uring_buf_ring_add - put a buffer at the tail plus buf_offset.
 *
 * addr and len (bytes) are the buffer, bid the number by which CQEs will name
 * it, mask what io_uring_buf_ring_mask gave, buf_offset how many were added
 * since the last advance. The kernel sees nothing of it before
 * io_uring_buf_ring_advance. The buffer must stay until the kernel has given it
 * back or the group is unregistered.
 */
IOURINGINLINE void io_uring_buf_ring_add(struct io_uring_buf_ring *br, void *addr, unsigned len,
					 unsigned short bid, int mask, int buf_offset)
	LIBURING_NOEXCEPT
{
	unsigned idx = ((unsigned)br->tail + (unsigned)buf_offset) & (unsigned)mask;
	struct io_uring_buf *buf = &br->bufs[idx];

	LIBURING_NOTE(buffer, addr, len);
	/* Field by field: in slot 0 the spare field is the ring's tail. */
	buf->addr = uring_ptr_to_u64(addr);
	buf->len = len;
	buf->bid = bid;
}

/*
 * io_uring_buf_ring_advance - hand the next count added buffers to the kernel.
 */
IOURINGINLINE void io_uring_buf_ring_advance(struct io_uring_buf_ring *br, int count)
	LIBURING_NOEXCEPT
{
	__u16 tail = (__u16)(br->tail + (unsigned)count);

	LIBURING_NOTE(given, br);
	/* Release: pairs with the kernel's acquire of the tail before it reads entries. */
	io_uring_smp_store_release(&br->tail, tail);
}

/*
 * __io_uring_buf_ring_cq_advance - hand buf_count buffers over, release cq_count slots.
 *
 * For CQEs that took no buffer or bundles that took several, the two differ.
 */
IOURINGINLINE void __io_uring_buf_ring_cq_advance(struct io_uring *ring,
						  struct io_uring_buf_ring *br, int cq_count,
						  int buf_count) LIBURING_NOEXCEPT
{
	io_uring_buf_ring_advance(br, buf_count);
	io_uring_cq_advance(ring, (unsigned)cq_count);
}

/*
 * io_uring_buf_ring_cq_advance - hand count buffers over and release count slots.
 */
IOURINGINLINE void io_uring_buf_ring_cq_advance(struct io_uring *ring,
						struct io_uring_buf_ring *br, int count)
	LIBURING_NOEXCEPT
{
	__io_uring_buf_ring_cq_advance(ring, br, count, count);
}

/*
 * io_uring_buf_ring_available - buffers that the kernel has not taken yet.
 *
 * Returns their number or a negative errno. A system call; since kernel 6.8.
 */
IOURINGINLINE int io_uring_buf_ring_available(struct io_uring *ring, struct io_uring_buf_ring *br,
					      unsigned short bgid) LIBURING_NOEXCEPT
{
	__u16 head;
	int ret;

	ret = io_uring_buf_ring_head(ring, bgid, &head);
	if (ret)
		return ret;
	return (__u16)(br->tail - head);
}

LIBURING_END_DECLS

#endif
