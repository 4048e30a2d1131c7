/* SPDX-License-Identifier: MIT */
/*
 * Changing the size of a ring in use.
 *
 * Once the kernel has swapped the rings there is no way back. So address space
 * for the new ones is taken before it is asked. It maps rings only where it
 * chooses itself, not at an address that is given: the space is let go right
 * before it is needed, and what there was room for has room.
 */
#include "internal.h"

/* Address space that nothing lies in yet. */
struct reserve {
	void *ptr;
	size_t sz;
};

static int reserve_take(struct reserve *space, size_t sz)
{
	void *ptr = iou_sys_mmap(NULL, sz, PROT_NONE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (iou_is_err(ptr))
		return iou_err_of(ptr);
	space->ptr = ptr;
	space->sz = sz;
	return 0;
}

static void reserve_drop(struct reserve *space)
{
	if (space->ptr)
		iou_sys_munmap(space->ptr, space->sz);
	space->ptr = NULL;
}

/* Map one of the kernel's regions in place of the reserved space. */
static int reserve_fill(struct reserve *space, int fd, uint64_t off, size_t sz)
{
	void *ptr;

	reserve_drop(space);
	ptr = iou_sys_mmap(NULL, sz, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, off);
	if (iou_is_err(ptr))
		return iou_err_of(ptr);
	space->ptr = ptr;
	space->sz = sz;
	return 0;
}

/* What can be refused is refused here, before anything has changed. */
static int resize_check(const struct io_uring *ring, const struct io_uring_params *p,
			struct io_uring_params *asked, struct iou_ring_size *size)
{
	size_t hdr_sz = (size_t)((char *)ring->cq.cqes - (char *)ring->cq.ring_ptr);
	unsigned nr_queued;
	int ret;

	if (ring->flags & IORING_SETUP_NO_MMAP)
		return -EINVAL;
	if (ring->ring_fd == -1)
		return -EBADF;
	nr_queued = io_uring_sq_ready(ring);
	if ((ring->flags & IORING_SETUP_SQE_MIXED) && nr_queued)
		return -EBUSY;

	*asked = *p;
	asked->flags |= ring->flags & ~(unsigned)(IORING_SETUP_CQSIZE | IORING_SETUP_CLAMP);
	ret = iou_size_ring(p->sq_entries, asked, hdr_sz, size);
	if (ret)
		return ret;
	return nr_queued > size->sq_entries ? -EOVERFLOW : 0;
}

/* Everything between the kernel's head and the program's tail, slot by slot. */
static void copy_queued_sqes(const struct io_uring *from, struct io_uring *to)
{
	unsigned shift = io_uring_sqe_shift(from);
	unsigned i, part;

	for (i = *to->sq.khead; i != from->sq.sqe_tail; i++)
		for (part = 0; part < 1U << shift; part++)
			to->sq.sqes[((size_t)(i & to->sq.ring_mask) << shift) + part] =
				from->sq.sqes[((size_t)(i & from->sq.ring_mask) << shift) + part];
}

/*
 * The kernel has left the memory that the ring has mapped. Nothing that an enter
 * did could be seen there, so that none may succeed. The real descriptor stays.
 */
static void ring_cut_off(struct io_uring *ring)
{
	/* Ignored: a ring that has no index, or loses it with its thread. */
	io_uring_unregister_ring_fd(ring);
	ring->int_flags &= (__u8)~(IOU_INT_REG_RING | IOU_INT_REG_REG_RING);
	ring->enter_ring_fd = -1;
}

int io_uring_resize_rings(struct io_uring *ring, struct io_uring_params *p)
{
	struct reserve rings = { NULL, 0 }, sqes = { NULL, 0 };
	struct io_uring old = *ring, fresh = *ring;
	struct io_uring_params asked;
	struct iou_ring_size size;
	size_t rings_sz;
	int ret;

	ret = resize_check(ring, p, &asked, &size);
	if (ret)
		goto out;
	ret = reserve_take(&rings, iou_round_to_page(size.rings_sz));
	if (!ret)
		ret = reserve_take(&sqes, iou_round_to_page(size.sqes_sz));
	if (ret)
		goto err;

	/* A kernel that says nothing about the array leaves what the call before put here. */
	p->sq_off.array = 0;
	ret = iou_do_register(ring, IORING_REGISTER_RESIZE_RINGS, p, 1);
	if (ret < 0)
		goto err;

	/* Where the kernel says nothing, the array is where it has always been. */
	p->flags = ring->flags;
	if (!(p->flags & IORING_SETUP_NO_SQARRAY) && !p->sq_off.array)
		p->sq_off.array = (__u32)size.array_off;
	rings_sz = iou_get_sq_map_sz(p);
	if (rings_sz < iou_get_cq_map_sz(p))
		rings_sz = iou_get_cq_map_sz(p);

	ret = reserve_fill(&rings, ring->ring_fd, IORING_OFF_SQ_RING, rings_sz);
	if (!ret)
		ret = reserve_fill(&sqes, ring->ring_fd, IORING_OFF_SQES, iou_get_sqes_sz(p));
	if (ret) {
		ring_cut_off(ring);
		goto err;
	}

	fresh.sq.ring_ptr = fresh.cq.ring_ptr = rings.ptr;
	fresh.sq.ring_sz = fresh.cq.ring_sz = rings.sz;
	fresh.sq.sqes = sqes.ptr;
	fresh.sq.sqes_sz = (unsigned)sqes.sz;
	iou_set_pointers(p, &fresh);
	iou_fill_sq_array(&fresh);
	/*
	 * Plain, all of these: the kernel moves the SQ's head, and looks at the CQ's,
	 * in an enter. While the ring was cut off, only the program moved the latter.
	 */
	iou_set_tail_limit(&fresh, *fresh.sq.khead);
	*fresh.cq.khead = *old.cq.khead;
	if (fresh.enter_ring_fd == -1)
		fresh.enter_ring_fd = fresh.ring_fd;
	copy_queued_sqes(&old, &fresh);
	*ring = fresh;
	IOU_CHECK(moved, &old, ring);
	iou_unmap_ring(&old);
	goto out;
err:
	reserve_drop(&rings);
	reserve_drop(&sqes);
out:
	p->flags = 0;
	return ret;
}
