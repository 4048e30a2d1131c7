/* SPDX-License-Identifier: MIT */
/*
 * Registered ("fixed") buffers, which the kernel keeps pinned, and rings of
 * provided buffers, from which it picks. Returns and threads as in register.h.
 *
 * Registered memory must stay mapped until it is unregistered: the kernel goes on
 * with the pages that were there. It counts against RLIMIT_MEMLOCK: -ENOMEM. A
 * buffer is at most 1 GiB, a table at most 16384 slots; NULL of length 0 is an
 * empty slot.
 */
#ifndef LIBURING_REGISTER_BUFFERS_H
#define LIBURING_REGISTER_BUFFERS_H

#include <stdint.h>
#include <sys/uio.h>
#include <liburing/io_uring.h>
#include <liburing/types.h>

LIBURING_BEGIN_DECLS

/* io_uring_register_buffers - register nr_iovecs buffers, index by index. Since 5.1. */
int io_uring_register_buffers(struct io_uring *ring, const struct iovec *iovecs,
			      unsigned nr_iovecs) LIBURING_NOEXCEPT;

/*
 * io_uring_register_buffers_tags - the same with a tag for each.
 *
 * When a tagged (not 0) buffer is unregistered and no request uses it any more,
 * a CQE with the tag as user_data says so. Since kernel 5.13.
 */
int io_uring_register_buffers_tags(struct io_uring *ring, const struct iovec *iovecs,
				   const __u64 *tags, unsigned nr) LIBURING_NOEXCEPT;

/* io_uring_register_buffers_sparse - a table of nr empty slots. Since kernel 5.19. */
int io_uring_register_buffers_sparse(struct io_uring *ring, unsigned nr) LIBURING_NOEXCEPT;

/*
 * io_uring_register_buffers_update_tag - replace nr slots from off on.
 *
 * Returns the number done, which is short where a later one failed; -ENXIO without
 * a table. Since kernel 5.13.
 */
int io_uring_register_buffers_update_tag(struct io_uring *ring, unsigned off,
					 const struct iovec *iovecs, const __u64 *tags,
					 unsigned nr) LIBURING_NOEXCEPT;

/* io_uring_unregister_buffers - drop the table; -ENXIO when there is none. */
int io_uring_unregister_buffers(struct io_uring *ring) LIBURING_NOEXCEPT;

/* The kernel ABI has a structure of the name; g++ reports that its constructor is hidden. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/*
 * io_uring_clone_buffers - give dst the buffer table of src. Since kernel 6.12.
 *
 * dst must have none: -EBUSY. src is named by its registered index where it has
 * one, which must then be of the calling thread. Both rings must be of the same
 * process: -EINVAL. Tags are not cloned.
 */
int io_uring_clone_buffers(struct io_uring *dst, struct io_uring *src) LIBURING_NOEXCEPT;
#pragma GCC diagnostic pop

/*
 * __io_uring_clone_buffers - the same with flags: IORING_REGISTER_SRC_REGISTERED
 * allows the registered index, without it src is named by its descriptor;
 * IORING_REGISTER_DST_REPLACE lets dst have a table, in which the slots that are
 * written are replaced.
 */
int __io_uring_clone_buffers(struct io_uring *dst, struct io_uring *src, unsigned flags)
	LIBURING_NOEXCEPT;

/*
 * io_uring_clone_buffers_offset - clone nr buffers from index src_off of src to
 * index dst_off of dst; nr 0 is all, with offsets of 0 only. Since kernel 6.13.
 */
int io_uring_clone_buffers_offset(struct io_uring *dst, struct io_uring *src, unsigned dst_off,
				  unsigned src_off, unsigned nr, unsigned flags) LIBURING_NOEXCEPT;

/* __io_uring_clone_buffers_offset - the same, with flags as __io_uring_clone_buffers. */
int __io_uring_clone_buffers_offset(struct io_uring *dst, struct io_uring *src, unsigned dst_off,
				    unsigned src_off, unsigned nr, unsigned flags)
	LIBURING_NOEXCEPT;

/*
 * io_uring_register_buf_ring - register the ring of provided buffers that reg
 * describes; flags (IOU_PBUF_RING_...) are added to reg->flags.
 *
 * ring_addr is page-aligned memory of ring_entries (a power of two, at most
 * 32768) times 16 bytes; it must stay until it is unregistered. -EEXIST when
 * the group has one. Since kernel 5.19.
 * Group numbers and flags have 16 bits: -EINVAL beyond.
 */
int io_uring_register_buf_ring(struct io_uring *ring, struct io_uring_buf_reg *reg,
			       unsigned flags) LIBURING_NOEXCEPT;

/* io_uring_unregister_buf_ring - drop a group's ring; -ENOENT when it has none. */
int io_uring_unregister_buf_ring(struct io_uring *ring, int bgid) LIBURING_NOEXCEPT;

/*
 * io_uring_buf_ring_head - the position up to which the kernel has taken buffers.
 *
 * Since kernel 6.8.
 */
int io_uring_buf_ring_head(struct io_uring *ring, int buf_group, uint16_t *head)
	LIBURING_NOEXCEPT;

/*
 * io_uring_setup_buf_ring - allocate, register and empty a ring of provided buffers.
 *
 * nentries is a power of two, bgid the group, flags IOU_PBUF_RING_... Returns
 * the ring, which io_uring_free_buf_ring takes back, or NULL with a negative
 * errno in *err and nothing left behind.
 */
struct io_uring_buf_ring *io_uring_setup_buf_ring(struct io_uring *ring, unsigned nentries,
						  int bgid, unsigned flags, int *err)
	LIBURING_NOEXCEPT;

/*
 * io_uring_free_buf_ring - unregister and free such a ring; br is stale then.
 *
 * Returns 0 or a negative errno, the memory then being still there.
 */
int io_uring_free_buf_ring(struct io_uring *ring, struct io_uring_buf_ring *br, unsigned nentries,
			   int bgid) LIBURING_NOEXCEPT;

LIBURING_END_DECLS

#endif
