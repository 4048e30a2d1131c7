/* SPDX-License-Identifier: MIT */
/*
 * Making a ring and giving it up.
 */
#include <string.h>
#include "internal.h"

#define HUGE_PAGE_SZ (2UL * 1024 * 1024)

/* At least the words that kernel and program share, before the first CQE. */
#define SHARED_WORDS_SZ 256

/* Where the rings and SQEs of an IORING_SETUP_NO_MMAP ring are to be. */
struct ring_mem {
	char *buf;	/* the application's memory, or NULL */
	size_t buf_sz;
	size_t used_sz;
};

static void ring_clear(struct io_uring *ring)
{
	memset(ring, 0, sizeof(*ring));
	ring->ring_fd = -1;
	ring->enter_ring_fd = -1;
}

static void ring_adopt(struct io_uring *ring, int fd, const struct io_uring_params *p)
{
	ring->flags = p->flags;
	ring->features = p->features;
	ring->ring_fd = fd;
	ring->enter_ring_fd = fd;
	if (p->flags & IORING_SETUP_REGISTERED_FD_ONLY) {
		ring->ring_fd = -1;
		ring->int_flags |= IOU_INT_REG_RING | IOU_INT_REG_REG_RING;
		ring->owner_tid = iou_sys_gettid();
	}
	if ((p->flags & IORING_SETUP_IOPOLL) && !(p->flags & IORING_SETUP_SQPOLL))
		ring->int_flags |= IOU_INT_CQ_ENTER;
	iou_fill_sq_array(ring);
	/* Plain: only the program moves the tail, and no head passes it. */
	ring->sq.sqe_head = ring->sq.sqe_tail = *ring->sq.ktail;
	iou_set_tail_limit(ring, *ring->sq.khead);
}

int io_uring_queue_mmap(int fd, struct io_uring_params *p, struct io_uring *ring)
{
	int ret;

	ring_clear(ring);
	ret = iou_map_ring(fd, p, ring);
	if (ret)
		ring_clear(ring);
	else
		ring_adopt(ring, fd, p);
	if (!ret)
		IOU_CHECK(mapped, ring);
	return ret;
}

/* A page where that is enough, else a huge page, which is contiguous. */
static int block_alloc(size_t sz, void **ptr, size_t *block_sz)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS;
	size_t len = iou_get_page_size();
	void *addr;

	if (sz > len) {
		len = HUGE_PAGE_SZ;
		flags |= MAP_HUGETLB;
	}
	addr = iou_sys_mmap(NULL, len, PROT_READ | PROT_WRITE, flags, -1, 0);
	if (iou_is_err(addr))
		return iou_err_of(addr);
	*ptr = addr;
	*block_sz = len;
	return 0;
}

/* The library's own memory: one block where both fit, else two. */
static int ring_mem_alloc(const struct iou_ring_size *size, struct io_uring *ring)
{
	size_t sqes_sz = iou_round_to_page(size->sqes_sz);
	size_t rings_sz = iou_round_to_page(size->rings_sz);
	void *sqes = NULL;
	size_t block_sz;
	int ret;

	if (sqes_sz > HUGE_PAGE_SZ || rings_sz > HUGE_PAGE_SZ)
		return -ENOMEM;

	ret = block_alloc(sqes_sz, &sqes, &block_sz);
	if (ret)
		return ret;
	ring->sq.sqes = sqes;
	ring->sq.sqes_sz = (unsigned)block_sz;

	if (sqes_sz + rings_sz <= block_sz) {
		ring->sq.ring_ptr = (char *)sqes + sqes_sz;
	} else {
		ret = block_alloc(rings_sz, &ring->sq.ring_ptr, &ring->sq.ring_sz);
		if (ret) {
			iou_unmap_ring(ring);
			return ret;
		}
	}
	ring->cq.ring_ptr = ring->sq.ring_ptr;
	ring->cq.ring_sz = ring->sq.ring_sz;
	return 0;
}

/* The application's memory: SQEs, then rings, each from a page on. */
static int ring_mem_place(const struct iou_ring_size *size, struct ring_mem *mem,
			  struct io_uring *ring)
{
	size_t sqes_sz = iou_round_to_page(size->sqes_sz);

	mem->used_sz = sqes_sz + iou_round_to_page(size->rings_sz);
	if (mem->used_sz > mem->buf_sz)
		return -ENOMEM;
	ring->int_flags |= IOU_INT_APP_MEM;
	if (!mem->buf)
		return -EFAULT;
	if ((uintptr_t)mem->buf % iou_get_page_size())
		return -EINVAL;
	ring->sq.sqes = (struct io_uring_sqe *)mem->buf;
	ring->sq.ring_ptr = mem->buf + sqes_sz;
	ring->cq.ring_ptr = ring->sq.ring_ptr;
	/* Any write of the kernel's tells, and does not crash, where the page is not writable. */
	if (iou_sys_clock(ring->sq.ring_ptr) == -EFAULT)
		return -EFAULT;
	/* Where another ring was, kernels may take its heads and tails as they find them. */
	__builtin_memset(ring->sq.ring_ptr, 0, SHARED_WORDS_SZ);
	return 0;
}

/*
 * Whether the layout that the kernel chose lies within what it was given; a
 * kernel with a larger header than this library knows would write beyond.
 */
static bool layout_fits(const struct io_uring_params *p, const struct iou_ring_size *size)
{
	size_t room = iou_round_to_page(size->rings_sz);

	return iou_get_sq_map_sz(p) <= room && iou_get_cq_map_sz(p) <= room;
}

/* One try with the flags as they are. Returns the descriptor. */
static int setup_once(unsigned entries, struct io_uring *ring, struct io_uring_params *p,
		      struct ring_mem *mem)
{
	struct iou_ring_size size = { 0 };
	int fd, ret;

	ring_clear(ring);
	if (p->flags & IORING_SETUP_NO_MMAP) {
		ret = iou_size_ring(entries, p, 0, &size);
		if (!ret)
			ret = mem ? ring_mem_place(&size, mem, ring) : ring_mem_alloc(&size, ring);
		if (ret)
			return ret;
		p->sq_off.user_addr = uring_ptr_to_u64(ring->sq.sqes);
		p->cq_off.user_addr = uring_ptr_to_u64(ring->sq.ring_ptr);
	}

	fd = iou_sys_setup(entries, p);
	if (fd < 0) {
		iou_unmap_ring(ring);
		return fd;
	}

	ret = 0;
	if (!(p->flags & IORING_SETUP_NO_MMAP)) {
		ret = iou_map_ring(fd, p, ring);
	} else if (layout_fits(p, &size)) {
		ring->flags = p->flags;
		iou_set_pointers(p, ring);
	} else {
		ret = -ENOMEM;
	}
	if (!ret) {
		ring_adopt(ring, fd, p);
		return fd;
	}

	if (p->flags & IORING_SETUP_REGISTERED_FD_ONLY) {
		struct io_uring_rsrc_update up = { .offset = (unsigned)fd };

		iou_sys_register(fd, IORING_UNREGISTER_RING_FDS | IORING_REGISTER_USE_REGISTERED_RING,
				 &up, 1);
	} else {
		iou_sys_close(fd);
	}
	iou_unmap_ring(ring);
	return ret;
}

/* mem is NULL where the memory is not the application's. */
static int ring_setup(unsigned entries, struct io_uring *ring, struct io_uring_params *p,
		      struct ring_mem *mem)
{
	const struct io_uring_params asked = *p;
	int fd;

	if ((p->flags & IORING_SETUP_REGISTERED_FD_ONLY) && !(p->flags & IORING_SETUP_NO_MMAP)) {
		ring_clear(ring);
		return -EINVAL;
	}

	p->flags |= IORING_SETUP_NO_SQARRAY;
	fd = setup_once(entries, ring, p, mem);
	if (fd == -EINVAL && !(asked.flags & IORING_SETUP_NO_SQARRAY)) {
		*p = asked;
		fd = setup_once(entries, ring, p, mem);
	}
	if (fd < 0) {
		*p = asked;
		ring_clear(ring);
	} else {
		IOU_CHECK(made, ring);
	}
	return fd;
}

int io_uring_queue_init_params(unsigned entries, struct io_uring *ring, struct io_uring_params *p)
{
	int fd = ring_setup(entries, ring, p, NULL);

	if (fd < 0)
		return fd;
	return (p->flags & IORING_SETUP_REGISTERED_FD_ONLY) ? fd : 0;
}

int io_uring_queue_init(unsigned entries, struct io_uring *ring, unsigned flags)
{
	struct io_uring_params p = { .flags = flags };
	int fd = ring_setup(entries, ring, &p, NULL);

	return fd < 0 ? fd : 0;
}

int io_uring_queue_init_mem(unsigned entries, struct io_uring *ring, struct io_uring_params *p,
			    void *buf, size_t buf_size)
{
	struct ring_mem mem = { .buf = buf, .buf_sz = buf_size };
	const unsigned asked = p->flags;
	int fd;

	p->flags |= IORING_SETUP_NO_MMAP;
	fd = ring_setup(entries, ring, p, &mem);
	if (fd < 0) {
		p->flags = asked;
		return fd;
	}
	return (int)mem.used_sz;
}

void io_uring_queue_exit(struct io_uring *ring)
{
	/* Nothing but zeros: descriptor 0 is not a ring's. */
	if (!ring->sq.sqes)
		return;
	IOU_CHECK(exit, ring);
	iou_unmap_ring(ring);
	/* Refused where the index is another thread's: it is gone when that one ends. */
	if (ring->int_flags & IOU_INT_REG_RING)
		io_uring_unregister_ring_fd(ring);
	if (ring->ring_fd != -1)
		iou_sys_close(ring->ring_fd);
	ring_clear(ring);
}
