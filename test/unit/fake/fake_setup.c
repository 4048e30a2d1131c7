/* SPDX-License-Identifier: MIT */
/*
 * Rings of the fake kernel: making, laying out, resizing and dropping them.
 */
#include "fake_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ENTRIES 32768U
#define CACHE_LINE_SZ 64
#define FIRST_FD 1000

/* Byte offsets; those of the CQ count from the CQ ring where that lies apart. */
struct layout {
	unsigned sq_head, sq_tail, sq_mask, sq_entries, sq_flags, sq_dropped, sq_end;
	unsigned cq_head, cq_tail, cq_mask, cq_entries, cq_overflow, cq_flags, cqes;
};

static const struct layout layouts[] = {
	[FAKE_LAYOUT_64] = { 0, 4, 16, 24, 36, 32, 0, 8, 12, 20, 28, 44, 40, 64 },
	[FAKE_LAYOUT_320] = {
		0, 64, 256, 264, 276, 272, 0, 128, 192, 260, 268, 284, 280, 320
	},
	[FAKE_LAYOUT_SPLIT] = {
		0, 64, 128, 132, 140, 136, 192, 0, 64, 128, 132, 136, 0, 192
	},
	[FAKE_LAYOUT_4096] = {
		0, 64, 256, 264, 276, 272, 0, 128, 192, 260, 268, 284, 280, 4096
	},
};

struct fake_ring fake_rings[FAKE_NR_RINGS];

static int next_fd = FIRST_FD;

static unsigned round_up_pow2(unsigned n)
{
	while (n & (n - 1))
		n += n & -n;
	return n;
}

/* From a number that was asked for; 0 where the kernel refuses it. */
static unsigned choose_entries(unsigned asked, unsigned max, unsigned flags)
{
	if (asked > max && (flags & IORING_SETUP_CLAMP))
		asked = max;
	return asked > max ? 0 : round_up_pow2(asked);
}

static int check_flags(const struct io_uring_params *p)
{
	unsigned flags = p->flags;
	unsigned i;

	for (i = 0; i < sizeof(p->resv) / sizeof(p->resv[0]); i++)
		if (p->resv[i])
			return -EINVAL;
	if (flags & ~fake.setup_flags)
		return -EINVAL;
	if ((flags & IORING_SETUP_SQ_AFF) && !(flags & IORING_SETUP_SQPOLL))
		return -EINVAL;
	if ((flags & IORING_SETUP_REGISTERED_FD_ONLY) && !(flags & IORING_SETUP_NO_MMAP))
		return -EINVAL;
	if ((flags & IORING_SETUP_DEFER_TASKRUN) &&
	    (!(flags & IORING_SETUP_SINGLE_ISSUER) || (flags & IORING_SETUP_SQPOLL)))
		return -EINVAL;
	if ((flags & IORING_SETUP_TASKRUN_FLAG) &&
	    !(flags & (IORING_SETUP_COOP_TASKRUN | IORING_SETUP_DEFER_TASKRUN)))
		return -EINVAL;
	if ((flags & IORING_SETUP_HYBRID_IOPOLL) && !(flags & IORING_SETUP_IOPOLL))
		return -EINVAL;
	if ((flags & IORING_SETUP_CQE32) && (flags & IORING_SETUP_CQE_MIXED))
		return -EINVAL;
	if ((flags & IORING_SETUP_SQE128) && (flags & IORING_SETUP_SQE_MIXED))
		return -EINVAL;
	if ((flags & IORING_SETUP_SQ_REWIND) &&
	    (!(flags & IORING_SETUP_NO_SQARRAY) || (flags & IORING_SETUP_SQPOLL)))
		return -EINVAL;
	return 0;
}

static int choose_sizes(unsigned entries, struct io_uring_params *p)
{
	p->sq_entries = choose_entries(entries, MAX_ENTRIES, p->flags);
	if (!p->sq_entries)
		return -EINVAL;
	if (!(p->flags & IORING_SETUP_CQSIZE)) {
		p->cq_entries = 2 * p->sq_entries;
		return 0;
	}
	p->cq_entries = choose_entries(p->cq_entries, 2 * MAX_ENTRIES, p->flags);
	return p->cq_entries && p->cq_entries >= p->sq_entries ? 0 : -EINVAL;
}

/* Fills the offsets of p; returns the bytes of the rings, or of the SQ ring alone. */
static size_t lay_out(struct io_uring_params *p, const struct layout *l)
{
	size_t sz = l->sq_end;

	p->sq_off.head = l->sq_head;
	p->sq_off.tail = l->sq_tail;
	p->sq_off.ring_mask = l->sq_mask;
	p->sq_off.ring_entries = l->sq_entries;
	p->sq_off.flags = l->sq_flags;
	p->sq_off.dropped = l->sq_dropped;
	p->cq_off.head = l->cq_head;
	p->cq_off.tail = l->cq_tail;
	p->cq_off.ring_mask = l->cq_mask;
	p->cq_off.ring_entries = l->cq_entries;
	p->cq_off.overflow = l->cq_overflow;
	p->cq_off.flags = fake.has_cq_flags ? l->cq_flags : 0;
	p->cq_off.cqes = l->cqes;

	if (!sz) {
		sz = l->cqes + p->cq_entries * sizeof(struct io_uring_cqe);
		if (p->flags & IORING_SETUP_CQE32)
			sz *= 2;
		sz = (sz + CACHE_LINE_SZ - 1) / CACHE_LINE_SZ * CACHE_LINE_SZ;
	}
	p->sq_off.array = 0;
	if (!(p->flags & IORING_SETUP_NO_SQARRAY)) {
		p->sq_off.array = (unsigned)sz;
		sz += p->sq_entries * sizeof(unsigned);
	}
	return sz;
}

static size_t get_sqes_sz(const struct io_uring_params *p)
{
	size_t sqe_sz = (p->flags & IORING_SETUP_SQE128) ? 128 : 64;

	return p->sq_entries * sqe_sz;
}

static void set_words(struct fake_ring *ring, const struct io_uring_params *p, char *sq, char *cq)
{
	ring->sq_head = (unsigned *)(sq + p->sq_off.head);
	ring->sq_tail = (unsigned *)(sq + p->sq_off.tail);
	ring->sq_flags = (unsigned *)(sq + p->sq_off.flags);
	ring->sq_dropped = (unsigned *)(sq + p->sq_off.dropped);
	ring->sq_array = NULL;
	if (!(p->flags & IORING_SETUP_NO_SQARRAY))
		ring->sq_array = (unsigned *)(sq + p->sq_off.array);
	ring->cq_head = (unsigned *)(cq + p->cq_off.head);
	ring->cq_tail = (unsigned *)(cq + p->cq_off.tail);
	ring->cq_overflow = (unsigned *)(cq + p->cq_off.overflow);
	ring->cq_flags = p->cq_off.flags ? (unsigned *)(cq + p->cq_off.flags) : NULL;
	ring->cqes = (struct io_uring_cqe *)(cq + p->cq_off.cqes);

	*(unsigned *)(sq + p->sq_off.ring_mask) = p->sq_entries - 1;
	*(unsigned *)(sq + p->sq_off.ring_entries) = p->sq_entries;
	*(unsigned *)(cq + p->cq_off.ring_mask) = p->cq_entries - 1;
	*(unsigned *)(cq + p->cq_off.ring_entries) = p->cq_entries;
	ring->sq_entries = p->sq_entries;
	ring->cq_entries = p->cq_entries;
}

static void drop_regions(struct fake_ring *ring)
{
	fake_region_drop(&ring->sq_region);
	fake_region_drop(&ring->cq_region);
	fake_region_drop(&ring->sqe_region);
}

/* Gives the ring memory of the kernel's own. */
static int place_in_regions(struct fake_ring *ring, struct io_uring_params *p)
{
	const struct layout *l = &layouts[fake.layout];
	size_t sz = lay_out(p, l);
	int ret = fake_region_make(&ring->sq_region, sz);

	if (!ret && l->sq_end)
		ret = fake_region_make(&ring->cq_region,
				       l->cqes + p->cq_entries * sizeof(struct io_uring_cqe));
	if (!ret)
		ret = fake_region_make(&ring->sqe_region, get_sqes_sz(p));
	if (ret) {
		drop_regions(ring);
		return ret;
	}
	set_words(ring, p, ring->sq_region.mem,
		  l->sq_end ? ring->cq_region.mem : ring->sq_region.mem);
	ring->sqes = (struct io_uring_sqe *)ring->sqe_region.mem;
	return 0;
}

/* Puts the ring where the program said. */
static int place_in_app_mem(struct fake_ring *ring, struct io_uring_params *p)
{
	const struct layout *l = &layouts[fake.layout];
	char *rings = (char *)(uintptr_t)p->cq_off.user_addr;
	char *sqes = (char *)(uintptr_t)p->sq_off.user_addr;

	if (!rings || !sqes || (uintptr_t)rings % fake.page_sz || (uintptr_t)sqes % fake.page_sz)
		return -EINVAL;
	lay_out(p, l);
	if (fake.clears_app_mem)
		memset(rings, 0, l->cqes);
	set_words(ring, p, rings, rings);
	ring->sqes = (struct io_uring_sqe *)sqes;
	return 0;
}

static struct fake_ring *find_free_ring(void)
{
	unsigned i;

	for (i = 0; i < FAKE_NR_RINGS; i++)
		if (!fake_rings[i].used)
			return &fake_rings[i];
	return NULL;
}

long fake_setup(unsigned entries, struct io_uring_params *p)
{
	struct fake_ring *ring = find_free_ring();
	uint32_t idx = UINT32_MAX;
	int ret = check_flags(p);

	if (!ret)
		ret = choose_sizes(entries, p);
	if (ret || !ring)
		return ret ? ret : -ENFILE;
	fake_ring_free(ring);

	if (p->flags & IORING_SETUP_NO_MMAP)
		ret = place_in_app_mem(ring, p);
	else
		ret = place_in_regions(ring, p);
	if (ret)
		return ret;
	if (!(p->flags & IORING_SETUP_NO_MMAP) || fake.clears_app_mem) {
		if (!(p->flags & IORING_SETUP_SQ_REWIND))
			*ring->sq_head = *ring->sq_tail = fake.start_idx;
		*ring->cq_head = *ring->cq_tail = fake.start_idx;
	}
	p->features = fake.features;
	ring->features = p->features;
	ring->flags = p->flags;
	ring->disabled = p->flags & IORING_SETUP_R_DISABLED;
	ring->used = true;
	ring->fd = -1;
	fake.ring = ring;
	if (p->flags & IORING_SETUP_REGISTERED_FD_ONLY) {
		ret = fake_register_ring(ring, &idx);
		if (ret < 0) {
			fake_ring_put(ring);
			return ret;
		}
		return idx;
	}
	ring->fd = next_fd++;
	return ring->fd;
}

struct fake_ring *fake_find_ring(long fd, bool registered)
{
	unsigned i;

	if (registered)
		return fake_find_registered(fd);
	for (i = 0; i < FAKE_NR_RINGS; i++)
		if (fake_rings[i].used && fake_rings[i].fd == fd && fd != -1)
			return &fake_rings[i];
	return NULL;
}

/* Lets the ring go where nothing holds it any more. Its counters stay readable. */
void fake_ring_put(struct fake_ring *ring)
{
	if (ring->fd != -1 || ring->nr_registered)
		return;
	ring->used = false;
	ring->nr_reqs = 0;
	fake_drop_pbuf_rings(ring);
	drop_regions(ring);
}

void fake_ring_free(struct fake_ring *ring)
{
	drop_regions(ring);
	free(ring->reqs);
	free(ring->overflow.cqes);
	free(ring->task_work.cqes);
	memset(ring, 0, sizeof(*ring));
}

long fake_close(int fd)
{
	struct fake_ring *ring = fake_find_ring(fd, false);

	if (!ring) {
		fake_wrong("close of descriptor %d", fd);
		return -EBADF;
	}
	ring->fd = -1;
	fake_ring_put(ring);
	return 0;
}

static void move_entries(const struct fake_ring *old, struct fake_ring *ring)
{
	unsigned sq_shift = !!(ring->flags & IORING_SETUP_SQE128);
	unsigned cq_shift = !!(ring->flags & IORING_SETUP_CQE32);
	size_t to, from;
	unsigned i;

	*ring->sq_head = *old->sq_head;
	*ring->sq_tail = *old->sq_tail;
	*ring->sq_flags = *old->sq_flags;
	*ring->cq_head = *old->cq_head;
	*ring->cq_tail = *old->cq_tail;
	for (i = *old->sq_head; i != *old->sq_tail; i++) {
		to = (size_t)(i & (ring->sq_entries - 1)) << sq_shift;
		from = (size_t)(i & (old->sq_entries - 1)) << sq_shift;
		memcpy(&ring->sqes[to], &old->sqes[from], (size_t)64 << sq_shift);
	}
	for (i = *old->cq_head; i != *old->cq_tail; i++) {
		to = (size_t)(i & (ring->cq_entries - 1)) << cq_shift;
		from = (size_t)(i & (old->cq_entries - 1)) << cq_shift;
		memcpy(&ring->cqes[to], &old->cqes[from], (size_t)16 << cq_shift);
	}
}

/*
 * What was published and not consumed, and what was posted and not reaped, moves
 * along. The program's mappings keep the old memory.
 */
int fake_resize(struct fake_ring *ring, struct io_uring_params *p)
{
	struct fake_ring old = *ring;
	struct io_uring_params fresh = *p;
	int ret;

	if (!(ring->flags & IORING_SETUP_DEFER_TASKRUN) || (ring->flags & IORING_SETUP_NO_MMAP) ||
	    (p->flags & ~(IORING_SETUP_CQSIZE | IORING_SETUP_CLAMP)))
		return -EINVAL;
	ret = choose_sizes(p->sq_entries, &fresh);
	if (ret)
		return ret;
	if (*ring->sq_tail - *ring->sq_head > fresh.sq_entries ||
	    *ring->cq_tail - *ring->cq_head > fresh.cq_entries)
		return -EOVERFLOW;

	fresh.flags = ring->flags;
	ring->sq_region = ring->cq_region = ring->sqe_region = (struct fake_region){ .memfd = -1 };
	ret = place_in_regions(ring, &fresh);
	if (ret) {
		*ring = old;
		return ret;
	}
	move_entries(&old, ring);
	drop_regions(&old);
	fresh.flags = p->flags;
	fresh.features = ring->features;
	if (fake.resize_keeps_array_off)
		fresh.sq_off.array = p->sq_off.array;
	*p = fresh;
	return 0;
}
