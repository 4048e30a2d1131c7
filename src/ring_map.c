/* SPDX-License-Identifier: MIT */
/*
 * A ring's memory: mapping what the kernel made, pointing into it, and letting
 * it go. The length of each mapping is kept beside its address, and unmapping
 * goes by that alone.
 */
#include "internal.h"

static unsigned *word_at(void *base, unsigned off)
{
	return (unsigned *)((char *)base + off);
}

/*
 * ring_ptr of both rings and sqes are set; point everything else into them.
 * Masks and numbers of entries are read plainly: they never change.
 */
void iou_set_pointers(const struct io_uring_params *p, struct io_uring *ring)
{
	struct io_uring_sq *sq = &ring->sq;
	struct io_uring_cq *cq = &ring->cq;

	sq->khead = word_at(sq->ring_ptr, p->sq_off.head);
	sq->ktail = word_at(sq->ring_ptr, p->sq_off.tail);
	sq->kring_mask = word_at(sq->ring_ptr, p->sq_off.ring_mask);
	sq->kring_entries = word_at(sq->ring_ptr, p->sq_off.ring_entries);
	sq->kflags = word_at(sq->ring_ptr, p->sq_off.flags);
	sq->kdropped = word_at(sq->ring_ptr, p->sq_off.dropped);
	sq->array = NULL;
	if (!(ring->flags & IORING_SETUP_NO_SQARRAY))
		sq->array = word_at(sq->ring_ptr, p->sq_off.array);
	sq->ring_mask = *sq->kring_mask;
	sq->ring_entries = *sq->kring_entries;

	cq->khead = word_at(cq->ring_ptr, p->cq_off.head);
	cq->ktail = word_at(cq->ring_ptr, p->cq_off.tail);
	cq->kring_mask = word_at(cq->ring_ptr, p->cq_off.ring_mask);
	cq->kring_entries = word_at(cq->ring_ptr, p->cq_off.ring_entries);
	cq->koverflow = word_at(cq->ring_ptr, p->cq_off.overflow);
	cq->kflags = p->cq_off.flags ? word_at(cq->ring_ptr, p->cq_off.flags) : NULL;
	cq->cqes = (struct io_uring_cqe *)((char *)cq->ring_ptr + p->cq_off.cqes);
	cq->ring_mask = *cq->kring_mask;
	cq->ring_entries = *cq->kring_entries;
}

/*
 * The library always uses SQE slots in order, so that index i of the array is
 * slot i for as long as the ring lives.
 */
void iou_fill_sq_array(struct io_uring *ring)
{
	unsigned i;

	if (!ring->sq.array)
		return;
	for (i = 0; i < ring->sq.ring_entries; i++)
		ring->sq.array[i] = i;
}

static void unmap_part(void **ptr, size_t sz)
{
	if (*ptr && sz)
		iou_sys_munmap(*ptr, sz);
	*ptr = NULL;
}

/* Takes rings of which only some parts are mapped. */
void iou_unmap_ring(struct io_uring *ring)
{
	void *sqes = ring->sq.sqes;

	if (ring->int_flags & IOU_INT_APP_MEM)
		return;
	if (ring->cq.ring_ptr != ring->sq.ring_ptr)
		unmap_part(&ring->cq.ring_ptr, ring->cq.ring_sz);
	unmap_part(&ring->sq.ring_ptr, ring->sq.ring_sz);
	unmap_part(&sqes, ring->sq.sqes_sz);
	ring->cq.ring_ptr = NULL;
	ring->sq.sqes = NULL;
}

static int map_part(int fd, uint64_t off, size_t sz, void **ptr)
{
	void *addr = iou_sys_mmap(NULL, sz, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd,
				  off);

	if (iou_is_err(addr))
		return iou_err_of(addr);
	*ptr = addr;
	return 0;
}

/* On failure nothing stays mapped. */
int iou_map_ring(int fd, const struct io_uring_params *p, struct io_uring *ring)
{
	struct io_uring_sq *sq = &ring->sq;
	struct io_uring_cq *cq = &ring->cq;
	size_t sqes_sz = iou_get_sqes_sz(p);
	size_t sq_sz = iou_get_sq_map_sz(p);
	size_t cq_sz = iou_get_cq_map_sz(p);
	void *sqes = NULL;
	int ret;

	if (p->features & IORING_FEAT_SINGLE_MMAP)
		sq_sz = cq_sz = sq_sz > cq_sz ? sq_sz : cq_sz;

	ret = map_part(fd, IORING_OFF_SQ_RING, sq_sz, &sq->ring_ptr);
	if (ret)
		goto err;
	sq->ring_sz = sq_sz;

	if (p->features & IORING_FEAT_SINGLE_MMAP) {
		cq->ring_ptr = sq->ring_ptr;
	} else {
		ret = map_part(fd, IORING_OFF_CQ_RING, cq_sz, &cq->ring_ptr);
		if (ret)
			goto err;
	}
	cq->ring_sz = cq_sz;

	ret = map_part(fd, IORING_OFF_SQES, sqes_sz, &sqes);
	if (ret)
		goto err;
	sq->sqes = sqes;
	sq->sqes_sz = (unsigned)sqes_sz;

	ring->flags = p->flags;
	iou_set_pointers(p, ring);
	return 0;
err:
	iou_unmap_ring(ring);
	return ret;
}

static int dontfork_part(void *ptr, size_t sz)
{
	return iou_sys_madvise(ptr, sz, MADV_DONTFORK);
}

int io_uring_ring_dontfork(struct io_uring *ring)
{
	int ret;

	if ((ring->int_flags & IOU_INT_APP_MEM) || !ring->sq.ring_ptr || !ring->sq.sqes ||
	    !ring->cq.ring_ptr)
		return -EINVAL;

	ret = dontfork_part(ring->sq.sqes, ring->sq.sqes_sz);
	if (!ret)
		ret = dontfork_part(ring->sq.ring_ptr, ring->sq.ring_sz);
	if (!ret && ring->cq.ring_ptr != ring->sq.ring_ptr)
		ret = dontfork_part(ring->cq.ring_ptr, ring->cq.ring_sz);
	return ret;
}
