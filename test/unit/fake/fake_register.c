/* SPDX-License-Identifier: MIT */
/*
 * io_uring_register of the fake kernel: what has an effect on the ring or a
 * limit. Everything else succeeds.
 */
#include "fake_private.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define NR_REGISTERED 16	/* ring descriptors that a thread may register */
#define NR_PBUF_RINGS 16

struct pbuf_ring {
	const struct fake_ring *ring;
	unsigned bgid;
	bool used;
	struct fake_region region;	/* where the kernel allocated it */
};

static struct fake_ring *registered[NR_REGISTERED];
static struct pbuf_ring pbuf_rings[NR_PBUF_RINGS];

struct fake_ring *fake_find_registered(long idx)
{
	return idx >= 0 && idx < NR_REGISTERED ? registered[idx] : NULL;
}

/* *idx is the place to take, or UINT32_MAX for any. */
int fake_register_ring(struct fake_ring *ring, uint32_t *idx)
{
	unsigned i = 0;

	if (*idx == UINT32_MAX)
		while (i < NR_REGISTERED && registered[i])
			i++;
	else
		i = *idx;
	if (i >= NR_REGISTERED)
		return *idx == UINT32_MAX ? -EBUSY : -EINVAL;
	if (registered[i])
		return -EBUSY;
	registered[i] = ring;
	ring->nr_registered++;
	*idx = i;
	return 0;
}

static void unregister_ring(unsigned idx)
{
	struct fake_ring *ring = registered[idx];

	registered[idx] = NULL;
	ring->nr_registered--;
	fake_ring_put(ring);
}

static long register_ring_fds(struct io_uring_rsrc_update *ups, unsigned nr)
{
	struct fake_ring *ring;
	unsigned i;
	int ret;

	for (i = 0; i < nr; i++) {
		ring = fake_find_ring((int)ups[i].data, false);
		ret = ring ? fake_register_ring(ring, &ups[i].offset) : -EBADF;
		if (ret)
			return i ? (long)i : ret;
	}
	return nr;
}

static long unregister_ring_fds(const struct io_uring_rsrc_update *ups, unsigned nr)
{
	unsigned i;

	for (i = 0; i < nr; i++) {
		if (ups[i].offset >= NR_REGISTERED || ups[i].resv || ups[i].data)
			return i ? (long)i : -EINVAL;
		if (registered[ups[i].offset])
			unregister_ring(ups[i].offset);
	}
	return nr;
}

static long fill_probe(struct io_uring_probe *probe, unsigned nr)
{
	unsigned i;

	if (nr > 256)
		return -EINVAL;
	for (i = 0; i < sizeof(*probe) + nr * sizeof(probe->ops[0]); i++)
		if (((const char *)probe)[i])
			return -EINVAL;
	probe->last_op = (__u8)fake.last_op;
	for (i = 0; i < nr && i <= fake.last_op; i++) {
		probe->ops[i].op = (__u8)i;
		probe->ops[i].flags = IO_URING_OP_SUPPORTED;
		probe->ops_len++;
	}
	return 0;
}

static long register_region(struct fake_ring *ring, const struct io_uring_mem_region_reg *reg)
{
	const struct io_uring_region_desc *desc = (const void *)(uintptr_t)reg->region_uptr;

	if (!(reg->flags & IORING_MEM_REGION_REG_WAIT_ARG))
		return -EINVAL;
	ring->wait_args = (const struct io_uring_reg_wait *)(uintptr_t)desc->user_addr;
	ring->wait_args_sz = (size_t)desc->size;
	return 0;
}

static struct pbuf_ring *find_pbuf_ring(const struct fake_ring *ring, unsigned bgid, bool used)
{
	unsigned i;

	for (i = 0; i < NR_PBUF_RINGS; i++)
		if (pbuf_rings[i].used == used &&
		    (!used || (pbuf_rings[i].ring == ring && pbuf_rings[i].bgid == bgid)))
			return &pbuf_rings[i];
	return NULL;
}

struct fake_region *fake_find_pbuf_region(const struct fake_ring *ring, unsigned bgid)
{
	struct pbuf_ring *br = find_pbuf_ring(ring, bgid, true);

	return br ? &br->region : NULL;
}

void fake_drop_pbuf_rings(const struct fake_ring *ring)
{
	unsigned i;

	for (i = 0; i < NR_PBUF_RINGS; i++) {
		if (!pbuf_rings[i].used || pbuf_rings[i].ring != ring)
			continue;
		fake_region_drop(&pbuf_rings[i].region);
		pbuf_rings[i].used = false;
	}
}

static long register_pbuf_ring(struct fake_ring *ring, const struct io_uring_buf_reg *reg)
{
	struct pbuf_ring *br = find_pbuf_ring(NULL, 0, false);
	bool from_kernel = reg->flags & IOU_PBUF_RING_MMAP;

	if (!reg->ring_entries || (reg->ring_entries & (reg->ring_entries - 1)) ||
	    reg->ring_entries > 32768 || from_kernel == (reg->ring_addr != 0) ||
	    reg->ring_addr % fake.page_sz)
		return -EINVAL;
	if (find_pbuf_ring(ring, reg->bgid, true))
		return -EEXIST;
	if (!br)
		return -ENOMEM;
	*br = (struct pbuf_ring){ .ring = ring, .bgid = reg->bgid };
	if (from_kernel &&
	    fake_region_make(&br->region, reg->ring_entries * sizeof(struct io_uring_buf)))
		return -ENOMEM;
	br->used = true;
	return 0;
}

static long unregister_pbuf_ring(struct fake_ring *ring, unsigned bgid)
{
	struct pbuf_ring *br = find_pbuf_ring(ring, bgid, true);

	if (!br)
		return -ENOENT;
	fake_region_drop(&br->region);
	br->used = false;
	return 0;
}

static long limit_files(unsigned nr)
{
	return nr > fake.nofile_soft ? -EMFILE : 0;
}

static long dispatch(struct fake_ring *ring, unsigned opcode, void *arg, unsigned nr_args)
{
	switch (opcode) {
	case IORING_REGISTER_FILES:
		return limit_files(nr_args);
	case IORING_REGISTER_FILES2:
		return limit_files(((const struct io_uring_rsrc_register *)arg)->nr);
	case IORING_REGISTER_PROBE:
		return fill_probe(arg, nr_args);
	case IORING_REGISTER_ENABLE_RINGS:
		if (!ring->disabled)
			return -EBADFD;
		ring->disabled = false;
		return 0;
	case IORING_REGISTER_RING_FDS:
		return register_ring_fds(arg, nr_args);
	case IORING_UNREGISTER_RING_FDS:
		return unregister_ring_fds(arg, nr_args);
	case IORING_REGISTER_PBUF_RING:
		return register_pbuf_ring(ring, arg);
	case IORING_UNREGISTER_PBUF_RING:
		return unregister_pbuf_ring(ring, ((const struct io_uring_buf_reg *)arg)->bgid);
	case IORING_REGISTER_MEM_REGION:
		return register_region(ring, arg);
	case IORING_REGISTER_RESIZE_RINGS:
		return fake_resize(ring, arg);
	default:
		return 0;
	}
}

long fake_register(int fd, unsigned opcode, void *arg, unsigned nr_args)
{
	bool by_idx = opcode & IORING_REGISTER_USE_REGISTERED_RING;
	struct fake_ring *ring;
	long ret;

	opcode &= ~(unsigned)IORING_REGISTER_USE_REGISTERED_RING;
	if (by_idx && !(fake.features & IORING_FEAT_REG_REG_RING))
		return -EINVAL;
	ring = fake_find_ring(fd, by_idx);
	if (!ring && fd != -1)
		return -EBADF;
	if (fake.on_register && fake.on_register(ring, opcode, arg, nr_args, &ret))
		return ret;
	if (!ring)
		return opcode == IORING_REGISTER_SEND_MSG_RING ||
		       opcode == IORING_REGISTER_QUERY ||
		       opcode == IORING_REGISTER_BPF_FILTER ? 0 : -EBADF;
	return dispatch(ring, opcode, arg, nr_args);
}

unsigned fake_report_registered(bool quiet)
{
	unsigned i, nr = 0;

	for (i = 0; i < NR_REGISTERED; i++) {
		if (!registered[i])
			continue;
		nr++;
		if (!quiet)
			fprintf(stderr, "fake kernel: index %u is registered\n", i);
	}
	return nr;
}

void fake_drop_registered(void)
{
	unsigned i;

	memset(registered, 0, sizeof(registered));
	for (i = 0; i < NR_PBUF_RINGS; i++)
		fake_region_drop(&pbuf_rings[i].region);
	memset(pbuf_rings, 0, sizeof(pbuf_rings));
}
