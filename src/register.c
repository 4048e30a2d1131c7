/* SPDX-License-Identifier: MIT */
#include "internal.h"

int io_uring_register_eventfd(struct io_uring *ring, int fd)
{
	return iou_do_register(ring, IORING_REGISTER_EVENTFD, &fd, 1);
}

int io_uring_register_eventfd_async(struct io_uring *ring, int fd)
{
	return iou_do_register(ring, IORING_REGISTER_EVENTFD_ASYNC, &fd, 1);
}

int io_uring_unregister_eventfd(struct io_uring *ring)
{
	return iou_do_register(ring, IORING_UNREGISTER_EVENTFD, NULL, 0);
}

int io_uring_register_probe(struct io_uring *ring, struct io_uring_probe *p, unsigned nr)
{
	return iou_do_register(ring, IORING_REGISTER_PROBE, p, nr);
}

int io_uring_register_personality(struct io_uring *ring)
{
	return iou_do_register(ring, IORING_REGISTER_PERSONALITY, NULL, 0);
}

int io_uring_unregister_personality(struct io_uring *ring, int id)
{
	return iou_do_register(ring, IORING_UNREGISTER_PERSONALITY, NULL, (unsigned)id);
}

int io_uring_register_restrictions(struct io_uring *ring, struct io_uring_restriction *res,
				   unsigned nr_res)
{
	return iou_do_register(ring, IORING_REGISTER_RESTRICTIONS, res, nr_res);
}

int io_uring_enable_rings(struct io_uring *ring)
{
	return iou_do_register(ring, IORING_REGISTER_ENABLE_RINGS, NULL, 0);
}

int io_uring_register_iowq_aff(struct io_uring *ring, size_t cpusz, const cpu_set_t *mask)
{
	/* The kernel would see the size cut to 32 bits. */
	if (cpusz >= 1U << 31)
		return -EINVAL;
	return iou_do_register(ring, IORING_REGISTER_IOWQ_AFF, mask, (unsigned)cpusz);
}

int io_uring_unregister_iowq_aff(struct io_uring *ring)
{
	return iou_do_register(ring, IORING_UNREGISTER_IOWQ_AFF, NULL, 0);
}

int io_uring_register_iowq_max_workers(struct io_uring *ring, unsigned *values)
{
	return iou_do_register(ring, IORING_REGISTER_IOWQ_MAX_WORKERS, values, 2);
}

int io_uring_register_ring_fd(struct io_uring *ring)
{
	struct io_uring_rsrc_update up = {
		.offset = -1U,
		.data = (unsigned)ring->ring_fd,
	};
	int ret;

	if (ring->int_flags & IOU_INT_REG_RING)
		return -EEXIST;
	ret = iou_do_register(ring, IORING_REGISTER_RING_FDS, &up, 1);
	if (ret == 1) {
		ring->enter_ring_fd = (int)up.offset;
		ring->owner_tid = iou_sys_gettid();
		ring->int_flags |= IOU_INT_REG_RING;
		if (ring->features & IORING_FEAT_REG_REG_RING)
			ring->int_flags |= IOU_INT_REG_REG_RING;
	}
	return ret;
}

int io_uring_unregister_ring_fd(struct io_uring *ring)
{
	struct io_uring_rsrc_update up = {
		.offset = (unsigned)ring->enter_ring_fd,
	};
	int ret;

	/* To the kernel, the index is whatever ring of the calling thread has it. */
	if (!(ring->int_flags & IOU_INT_REG_RING) || ring->owner_tid != iou_sys_gettid())
		return -EINVAL;
	ret = iou_do_register(ring, IORING_UNREGISTER_RING_FDS, &up, 1);
	if (ret == 1) {
		ring->enter_ring_fd = ring->ring_fd;
		ring->int_flags &= (__u8)~(IOU_INT_REG_RING | IOU_INT_REG_REG_RING);
	}
	return ret;
}

int io_uring_close_ring_fd(struct io_uring *ring)
{
	if (!(ring->features & IORING_FEAT_REG_REG_RING))
		return -EOPNOTSUPP;
	if (!(ring->int_flags & IOU_INT_REG_RING))
		return -EINVAL;
	if (ring->ring_fd == -1)
		return -EBADF;

	iou_sys_close(ring->ring_fd);
	ring->ring_fd = -1;
	return 1;
}

int io_uring_register_sync_cancel(struct io_uring *ring, struct io_uring_sync_cancel_reg *reg)
{
	return iou_do_register(ring, IORING_REGISTER_SYNC_CANCEL, reg, 1);
}

int io_uring_register_sync_msg(struct io_uring_sqe *sqe)
{
	return iou_sys_register(-1, IORING_REGISTER_SEND_MSG_RING, sqe, 1);
}

int io_uring_register_napi(struct io_uring *ring, struct io_uring_napi *napi)
{
	return iou_do_register(ring, IORING_REGISTER_NAPI, napi, 1);
}

int io_uring_unregister_napi(struct io_uring *ring, struct io_uring_napi *napi)
{
	return iou_do_register(ring, IORING_UNREGISTER_NAPI, napi, 1);
}

int io_uring_register_ifq(struct io_uring *ring, struct io_uring_zcrx_ifq_reg *reg)
{
	return iou_do_register(ring, IORING_REGISTER_ZCRX_IFQ, reg, 1);
}

int io_uring_register_zcrx_ctrl(struct io_uring *ring, struct zcrx_ctrl *ctrl)
{
	return iou_do_register(ring, IORING_REGISTER_ZCRX_CTRL, ctrl, 0);
}

int io_uring_register_clock(struct io_uring *ring, struct io_uring_clock_register *arg)
{
	return iou_do_register(ring, IORING_REGISTER_CLOCK, arg, 0);
}

int io_uring_register_bpf_filter(struct io_uring *ring, struct io_uring_bpf *bpf)
{
	return iou_do_register(ring, IORING_REGISTER_BPF_FILTER, bpf, 1);
}

int io_uring_register_bpf_filter_task(struct io_uring_bpf *bpf)
{
	return iou_sys_register(-1, IORING_REGISTER_BPF_FILTER, bpf, 1);
}

int io_uring_register_query(struct io_uring_query_hdr *query)
{
	return iou_sys_register(-1, IORING_REGISTER_QUERY, query, 0);
}

int io_uring_register_region(struct io_uring *ring, struct io_uring_mem_region_reg *reg)
{
	return iou_do_register(ring, IORING_REGISTER_MEM_REGION, reg, 1);
}

int io_uring_register_wait_reg(struct io_uring *ring, struct io_uring_reg_wait *reg, int nr)
{
	(void)ring;
	(void)reg;
	(void)nr;
	return -EINVAL;
}

int io_uring_set_iowait(struct io_uring *ring, bool enable_iowait)
{
	if (!(ring->features & IORING_FEAT_NO_IOWAIT))
		return -EOPNOTSUPP;
	if (enable_iowait)
		ring->int_flags &= (__u8)~IOU_INT_NO_IOWAIT;
	else
		ring->int_flags |= IOU_INT_NO_IOWAIT;
	return 0;
}
