/* SPDX-License-Identifier: MIT */
/*
 * The bare system calls, for programs that keep rings of their own, and the one that
 * all registrations share.
 */
#include "internal.h"

int io_uring_setup(unsigned entries, struct io_uring_params *p)
{
	return iou_sys_setup(entries, p);
}

int io_uring_enter2(unsigned fd, unsigned to_submit, unsigned min_complete, unsigned flags,
		    void *arg, size_t sz)
{
	return iou_sys_enter((int)fd, to_submit, min_complete, flags, arg, sz);
}

int io_uring_enter(unsigned fd, unsigned to_submit, unsigned min_complete, unsigned flags,
		   sigset_t *sig)
{
	return iou_sys_enter((int)fd, to_submit, min_complete, flags, sig, IOU_SIGSET_SZ);
}

int io_uring_register(unsigned fd, unsigned opcode, const void *arg, unsigned nr_args)
{
	return iou_sys_register((int)fd, opcode, arg, nr_args);
}

int (iou_do_register)(const struct io_uring *ring, unsigned opcode, const void *arg,
		    unsigned nr_args)
{
	int fd = ring->ring_fd;

	if (ring->int_flags & IOU_INT_REG_REG_RING) {
		opcode |= IORING_REGISTER_USE_REGISTERED_RING;
		fd = ring->enter_ring_fd;
	}
	return iou_sys_register(fd, opcode, arg, nr_args);
}
