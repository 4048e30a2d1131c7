/* SPDX-License-Identifier: MIT */
#include "internal.h"

int io_uring_register_buffers(struct io_uring *ring, const struct iovec *iovecs,
			      unsigned nr_iovecs)
{
	return iou_do_register(ring, IORING_REGISTER_BUFFERS, iovecs, nr_iovecs);
}

int io_uring_register_buffers_tags(struct io_uring *ring, const struct iovec *iovecs,
				   const __u64 *tags, unsigned nr)
{
	const struct io_uring_rsrc_register reg = {
		.nr = nr,
		.data = uring_ptr_to_u64(iovecs),
		.tags = uring_ptr_to_u64(tags),
	};

	return iou_do_register(ring, IORING_REGISTER_BUFFERS2, &reg, sizeof(reg));
}

int io_uring_register_buffers_sparse(struct io_uring *ring, unsigned nr)
{
	const struct io_uring_rsrc_register reg = {
		.nr = nr,
		.flags = IORING_RSRC_REGISTER_SPARSE,
	};

	return iou_do_register(ring, IORING_REGISTER_BUFFERS2, &reg, sizeof(reg));
}

int io_uring_register_buffers_update_tag(struct io_uring *ring, unsigned off,
					 const struct iovec *iovecs, const __u64 *tags,
					 unsigned nr)
{
	const struct io_uring_rsrc_update2 up = {
		.offset = off,
		.data = uring_ptr_to_u64(iovecs),
		.tags = uring_ptr_to_u64(tags),
		.nr = nr,
	};

	return iou_do_register(ring, IORING_REGISTER_BUFFERS_UPDATE, &up, sizeof(up));
}

int io_uring_unregister_buffers(struct io_uring *ring)
{
	return iou_do_register(ring, IORING_UNREGISTER_BUFFERS, NULL, 0);
}

int __io_uring_clone_buffers_offset(struct io_uring *dst, struct io_uring *src, unsigned dst_off,
				    unsigned src_off, unsigned nr, unsigned flags)
{
	struct io_uring_clone_buffers clone = {
		.src_fd = (unsigned)src->ring_fd,
		.flags = flags & ~(unsigned)IORING_REGISTER_SRC_REGISTERED,
		.src_off = src_off,
		.dst_off = dst_off,
		.nr = nr,
	};

	if ((flags & IORING_REGISTER_SRC_REGISTERED) && (src->int_flags & IOU_INT_REG_RING)) {
		clone.src_fd = (unsigned)src->enter_ring_fd;
		clone.flags = flags;
	}
	return iou_do_register(dst, IORING_REGISTER_CLONE_BUFFERS, &clone, 1);
}

int __io_uring_clone_buffers(struct io_uring *dst, struct io_uring *src, unsigned flags)
{
	return __io_uring_clone_buffers_offset(dst, src, 0, 0, 0, flags);
}

int io_uring_clone_buffers_offset(struct io_uring *dst, struct io_uring *src, unsigned dst_off,
				  unsigned src_off, unsigned nr, unsigned flags)
{
	flags |= IORING_REGISTER_SRC_REGISTERED;
	return __io_uring_clone_buffers_offset(dst, src, dst_off, src_off, nr, flags);
}

int io_uring_clone_buffers(struct io_uring *dst, struct io_uring *src)
{
	return __io_uring_clone_buffers(dst, src, IORING_REGISTER_SRC_REGISTERED);
}
