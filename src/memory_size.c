/* SPDX-License-Identifier: MIT */
/*
 * How large a ring's memory is: before set-up from the entries and flags asked
 * for, after it from what the kernel answered.
 */
#include "internal.h"

#define MAX_SQ_ENTRIES 32768U
#define MAX_CQ_ENTRIES (2 * MAX_SQ_ENTRIES)

/* The bytes before the first CQE: the kernel's cache line. */
#if defined(__s390__)
#define RING_HEADER_SZ 256U
#elif defined(__powerpc64__)
#define RING_HEADER_SZ 128U
#else
#define RING_HEADER_SZ 64U
#endif

static size_t align_up(size_t sz, size_t to)
{
	return (sz + to - 1) & ~(to - 1);
}

/*
 * The kernel refuses an address that is not a multiple of its page size, and
 * says so before it looks at the length: the smallest power of two that it
 * takes is the page size. No file system and no C library is needed for it.
 */
size_t iou_get_page_size(void)
{
#ifdef IOU_PAGE_SIZE
	return IOU_PAGE_SIZE;
#else
	uintptr_t sz;

	for (sz = 4096; sz < 65536; sz <<= 1)
		if (!iou_sys_madvise((void *)sz, 0, MADV_NORMAL))
			break;
	return sz;
#endif
}

size_t iou_round_to_page(size_t sz)
{
	return align_up(sz, iou_get_page_size());
}

static unsigned round_up_pow2(unsigned n)
{
	unsigned pow2 = 1;

	while (pow2 < n)
		pow2 <<= 1;
	return pow2;
}

/* The entries that the kernel will choose, or -EINVAL where it will refuse. */
static int choose_entries(unsigned entries, const struct io_uring_params *p,
			  struct iou_ring_size *size)
{
	unsigned cq_entries;

	if (!entries)
		return -EINVAL;
	if (entries > MAX_SQ_ENTRIES) {
		if (!(p->flags & IORING_SETUP_CLAMP))
			return -EINVAL;
		entries = MAX_SQ_ENTRIES;
	}
	size->sq_entries = round_up_pow2(entries);
	size->cq_entries = 2 * size->sq_entries;
	if (!(p->flags & IORING_SETUP_CQSIZE))
		return 0;

	cq_entries = p->cq_entries;
	if (!cq_entries)
		return -EINVAL;
	if (cq_entries > MAX_CQ_ENTRIES) {
		if (!(p->flags & IORING_SETUP_CLAMP))
			return -EINVAL;
		cq_entries = MAX_CQ_ENTRIES;
	}
	size->cq_entries = round_up_pow2(cq_entries);
	if (size->cq_entries < size->sq_entries)
		return -EINVAL;
	return 0;
}

/*
 * The sizes of a ring that is to be, with hdr_sz bytes before its first CQE (0:
 * as this CPU has it). Before the index array the kernel pads to a cache line, which
 * its header shows: that is padded to the same, and not at all on one processor.
 * With CQE32 the kernel doubles the header along with the CQEs.
 */
int iou_size_ring(unsigned entries, const struct io_uring_params *p, size_t hdr_sz,
		  struct iou_ring_size *size)
{
	int ret = choose_entries(entries, p, size);
	size_t align;

	if (ret)
		return ret;

	if (!hdr_sz)
		hdr_sz = RING_HEADER_SZ;
	align = hdr_sz & -hdr_sz;
	if (align > RING_HEADER_SZ)
		align = RING_HEADER_SZ;
	size->rings_sz = hdr_sz + size->cq_entries * sizeof(struct io_uring_cqe);
	size->rings_sz <<= io_uring_cqe_shift_from_flags(p->flags);
	size->rings_sz = align_up(size->rings_sz, align);
	size->array_off = 0;
	if (!(p->flags & IORING_SETUP_NO_SQARRAY)) {
		size->array_off = size->rings_sz;
		size->rings_sz += size->sq_entries * sizeof(unsigned);
	}
	size->sqes_sz = (size_t)size->sq_entries * sizeof(struct io_uring_sqe);
	size->sqes_sz <<= io_uring_sqe_shift_from_flags(p->flags);
	return 0;
}

/* The sizes of a ring that is there: p is as the kernel filled it. */
size_t iou_get_cq_map_sz(const struct io_uring_params *p)
{
	size_t cqes_sz = p->cq_entries * sizeof(struct io_uring_cqe);

	return p->cq_off.cqes + (cqes_sz << io_uring_cqe_shift_from_flags(p->flags));
}

size_t iou_get_sq_map_sz(const struct io_uring_params *p)
{
	/* Without the array the SQ has only words in the header, which the CQ shares. */
	if (p->flags & IORING_SETUP_NO_SQARRAY)
		return iou_get_cq_map_sz(p);
	return p->sq_off.array + p->sq_entries * sizeof(unsigned);
}

size_t iou_get_sqes_sz(const struct io_uring_params *p)
{
	return ((size_t)p->sq_entries * sizeof(struct io_uring_sqe))
	       << io_uring_sqe_shift_from_flags(p->flags);
}

ssize_t io_uring_memory_size_params(unsigned entries, struct io_uring_params *p)
{
	struct iou_ring_size size;
	int ret = iou_size_ring(entries, p, 0, &size);

	if (ret)
		return ret;
	return (ssize_t)(iou_round_to_page(size.rings_sz) + iou_round_to_page(size.sqes_sz));
}

ssize_t io_uring_memory_size(unsigned entries, unsigned flags)
{
	struct io_uring_params p = { 0 };

	p.flags = flags;
	return io_uring_memory_size_params(entries, &p);
}

ssize_t io_uring_mlock_size_params(unsigned entries, struct io_uring_params *p)
{
	struct io_uring_params small = { 0 };
	ssize_t sz = io_uring_memory_size_params(entries, p);
	int fd;

	if (sz < 0)
		return sz;
	fd = iou_sys_setup(1, &small);
	if (fd < 0)
		return fd;
	iou_sys_close(fd);
	return (small.features & IORING_FEAT_NATIVE_WORKERS) ? 0 : sz;
}

ssize_t io_uring_mlock_size(unsigned entries, unsigned flags)
{
	struct io_uring_params p = { 0 };

	p.flags = flags;
	return io_uring_mlock_size_params(entries, &p);
}
