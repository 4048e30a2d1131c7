/* SPDX-License-Identifier: MIT */
/*
 * Rings of provided buffers.
 */
#include "internal.h"

/* The kernel would see the number of a group, or flags, cut to 16 bits. */
static bool fits_16_bits(unsigned value)
{
	return value <= UINT16_MAX;
}

int io_uring_register_buf_ring(struct io_uring *ring, struct io_uring_buf_reg *reg,
			       unsigned flags)
{
	if (!fits_16_bits(flags))
		return -EINVAL;
	reg->flags |= (__u16)flags;
	return iou_do_register(ring, IORING_REGISTER_PBUF_RING, reg, 1);
}

int io_uring_unregister_buf_ring(struct io_uring *ring, int bgid)
{
	struct io_uring_buf_reg reg = { .bgid = (__u16)bgid };

	if (!fits_16_bits((unsigned)bgid))
		return -EINVAL;
	return iou_do_register(ring, IORING_UNREGISTER_PBUF_RING, &reg, 1);
}

int io_uring_buf_ring_head(struct io_uring *ring, int buf_group, uint16_t *head)
{
	struct io_uring_buf_status status = { .buf_group = (unsigned)buf_group };
	int ret = iou_do_register(ring, IORING_REGISTER_PBUF_STATUS, &status, 1);

	if (ret)
		return ret;
	*head = (uint16_t)status.head;
	return 0;
}

/* The ring's memory is the kernel's with IOU_PBUF_RING_MMAP, else the library's. */
static void *buf_ring_map(struct io_uring *ring, size_t sz, int bgid, bool from_kernel)
{
	uint64_t off = IORING_OFF_PBUF_RING | (uint64_t)(unsigned)bgid << IORING_OFF_PBUF_SHIFT;

	if (from_kernel)
		return iou_sys_mmap(NULL, sz, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
				    ring->ring_fd, off);
	return iou_sys_mmap(NULL, sz, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

struct io_uring_buf_ring *io_uring_setup_buf_ring(struct io_uring *ring, unsigned nentries,
						  int bgid, unsigned flags, int *err)
{
	struct io_uring_buf_reg reg = { .ring_entries = nentries, .bgid = (__u16)bgid };
	size_t sz = (size_t)nentries * sizeof(struct io_uring_buf);
	bool from_kernel = flags & IOU_PBUF_RING_MMAP;
	void *mem = NULL;
	int ret;

	if (!fits_16_bits((unsigned)bgid)) {
		*err = -EINVAL;
		return NULL;
	}
	if (!from_kernel) {
		mem = buf_ring_map(ring, sz, bgid, false);
		if (iou_is_err(mem)) {
			*err = iou_err_of(mem);
			return NULL;
		}
		reg.ring_addr = uring_ptr_to_u64(mem);
	}

	ret = io_uring_register_buf_ring(ring, &reg, flags);
	if (!ret && from_kernel) {
		mem = buf_ring_map(ring, sz, bgid, true);
		if (iou_is_err(mem)) {
			ret = iou_err_of(mem);
			mem = NULL;
			io_uring_unregister_buf_ring(ring, bgid);
		}
	}
	*err = ret;
	if (ret) {
		if (mem)
			iou_sys_munmap(mem, sz);
		return NULL;
	}
	io_uring_buf_ring_init(mem);
	return mem;
}

int io_uring_free_buf_ring(struct io_uring *ring, struct io_uring_buf_ring *br, unsigned nentries,
			   int bgid)
{
	int ret = io_uring_unregister_buf_ring(ring, bgid);

	if (ret)
		return ret;
	iou_sys_munmap(br, (size_t)nentries * sizeof(struct io_uring_buf));
	return 0;
}
