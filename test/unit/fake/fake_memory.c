/* SPDX-License-Identifier: MIT */
/*
 * The fake kernel's memory: what it shares with the program, and every mapping
 * that the library has made. Mappings are real, so that an access after the
 * unmap faults.
 */
#include "fake_private.h"

#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifdef LIBURING_ASAN
#include <sanitizer/asan_interface.h>
#endif

#define NR_MAPPINGS 256

enum mapping_kind { MAPPING_RING, MAPPING_MEMORY, MAPPING_RESERVE };

struct mapping {
	uintptr_t addr;
	size_t len;
	enum mapping_kind kind;
	bool is_huge;
	bool dontfork;
};

static struct mapping mappings[NR_MAPPINGS];
static unsigned nr_mappings;

size_t fake_round_to_page(size_t sz)
{
	return (sz + fake.page_sz - 1) / fake.page_sz * fake.page_sz;
}

int fake_region_make(struct fake_region *region, size_t sz)
{
	void *mem;
	int memfd;

	sz = fake_round_to_page(sz);
	memfd = (int)syscall(SYS_memfd_create, "ring", 1 /* MFD_CLOEXEC */);
	if (memfd < 0)
		return -errno;
	if (ftruncate(memfd, (off_t)sz) < 0) {
		close(memfd);
		return -ENOMEM;
	}
	mem = mmap(NULL, sz, PROT_READ | PROT_WRITE, MAP_SHARED, memfd, 0);
	if (mem == MAP_FAILED) {
		close(memfd);
		return -ENOMEM;
	}
	*region = (struct fake_region){ .memfd = memfd, .sz = sz, .mem = mem };
	return 0;
}

void fake_region_drop(struct fake_region *region)
{
	if (!region->mem)
		return;
	munmap(region->mem, region->sz);
	close(region->memfd);
	*region = (struct fake_region){ .memfd = -1 };
}

/* The mapping that holds all of this, or NULL. */
static struct mapping *find_mapping(uintptr_t addr, size_t len)
{
	unsigned i;

	for (i = 0; i < nr_mappings; i++) {
		struct mapping *m = &mappings[i];

		if (addr >= m->addr && addr - m->addr < m->len && len <= m->len - (addr - m->addr))
			return m;
	}
	return NULL;
}

static void add_mapping(struct mapping m)
{
	if (nr_mappings == NR_MAPPINGS)
		fake_wrong("too many mappings");
	else
		mappings[nr_mappings++] = m;
}

/* Cuts a piece out of a mapping. */
static void carve(struct mapping *m, uintptr_t addr, size_t len)
{
	struct mapping before = *m, after = *m;

	*m = mappings[--nr_mappings];
	before.len = addr - before.addr;
	after.len = after.addr + after.len - (addr + len);
	after.addr = addr + len;
	if (before.len)
		add_mapping(before);
	if (after.len)
		add_mapping(after);
}

/* mmap at a multiple of the fake page size, which may be more than the real one. */
static void *map_aligned(size_t len, int prot, int flags, int fd)
{
	size_t page_sz = (size_t)sysconf(_SC_PAGESIZE);
	char *space, *start;

	if (fake.page_sz <= page_sz)
		return mmap(NULL, len, prot, flags, fd, 0);

	space = mmap(NULL, len + fake.page_sz, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (space == MAP_FAILED)
		return space;
	start = (char *)fake_round_to_page((uintptr_t)space);
	if (start != space)
		munmap(space, (size_t)(start - space));
	munmap(start + len, (size_t)(space + fake.page_sz - start));
	return mmap(start, len, prot, flags | MAP_FIXED, fd, 0);
}

static long map_memory(size_t len, int prot, int flags)
{
	struct mapping m = { .kind = prot == PROT_NONE ? MAPPING_RESERVE : MAPPING_MEMORY };
	unsigned nr_huge = (unsigned)(len / HUGE_PAGE_SZ);
	void *ptr;

	if (flags & MAP_HUGETLB) {
		if (len % HUGE_PAGE_SZ)
			return -EINVAL;
		if (nr_huge > fake.nr_huge_pages)
			return -ENOMEM;
	}
	m.len = fake_round_to_page(len);
	ptr = map_aligned(m.len, prot, flags & ~MAP_HUGETLB, -1);
	if (ptr == MAP_FAILED)
		return -ENOMEM;
	if (flags & MAP_HUGETLB) {
		fake.nr_huge_pages -= nr_huge;
		m.is_huge = true;
	}
	m.addr = (uintptr_t)ptr;
	add_mapping(m);
	return (long)m.addr;
}

static const struct fake_region *find_region(const struct fake_ring *ring, uint64_t off)
{
	if ((off & IORING_OFF_MMAP_MASK) == IORING_OFF_PBUF_RING) {
		off &= ~(uint64_t)IORING_OFF_MMAP_MASK;
		return fake_find_pbuf_region(ring, (unsigned)(off >> IORING_OFF_PBUF_SHIFT));
	}
	switch (off) {
	case IORING_OFF_SQ_RING:
		return &ring->sq_region;
	case IORING_OFF_CQ_RING:
		return ring->cq_region.mem ? &ring->cq_region : &ring->sq_region;
	case IORING_OFF_SQES:
		return &ring->sqe_region;
	default:
		return NULL;
	}
}

long fake_mmap(uintptr_t addr, size_t len, int prot, int flags, int fd, uint64_t off)
{
	const struct fake_region *region;
	struct mapping m = { .kind = MAPPING_RING };
	struct fake_ring *ring;
	void *ptr;

	if (!len)
		return -EINVAL;
	if (flags & MAP_ANONYMOUS)
		return map_memory(len, prot, flags);
	ring = fake_find_ring(fd, false);
	if (!ring)
		return -EBADF;
	region = find_region(ring, off);
	if (!region || !region->mem || len > region->sz || !(flags & MAP_SHARED))
		return -EINVAL;
	/* The kernel alone says where a ring is mapped. */
	if (addr || (flags & MAP_FIXED))
		return -EINVAL;

	m.len = fake_round_to_page(len);
	ptr = map_aligned(m.len, prot, MAP_SHARED, region->memfd);
	if (ptr == MAP_FAILED)
		return -ENOMEM;
	m.addr = (uintptr_t)ptr;
	add_mapping(m);
	return (long)m.addr;
}

long fake_munmap(uintptr_t addr, size_t len)
{
	struct mapping *m;

	if (!len || addr % fake.page_sz) {
		fake_wrong("munmap of %zu bytes at %#lx", len, (unsigned long)addr);
		return -EINVAL;
	}
	len = fake_round_to_page(len);
	m = find_mapping(addr, len);
	if (!m) {
		fake_wrong("munmap of %zu bytes that are not (all) mapped", len);
		return 0;
	}
	if (m->kind != MAPPING_RESERVE && (addr != m->addr || len != m->len))
		fake_wrong("munmap of %zu bytes of a mapping of %zu", len, m->len);
	if (m->is_huge)
		fake.nr_huge_pages += (unsigned)(len / HUGE_PAGE_SZ);
	carve(m, addr, len);
	return munmap((void *)addr, len);
}

long fake_madvise(uintptr_t addr, size_t len, int advice)
{
	struct mapping *m;

	if (advice != MADV_DONTFORK || addr % fake.page_sz)
		return -EINVAL;
	if (!len)
		return 0;
	m = find_mapping(addr, fake_round_to_page(len));
	if (!m)
		return -ENOMEM;
	if (m->addr != addr || m->len != fake_round_to_page(len))
		fake_wrong("madvise of %zu bytes of a mapping of %zu", len, m->len);
	m->dontfork = true;
	return 0;
}

bool fake_is_mapped(const void *ptr, size_t sz)
{
	return find_mapping((uintptr_t)ptr, sz) != NULL;
}

bool fake_is_dontfork(const void *ptr)
{
	const struct mapping *m = find_mapping((uintptr_t)ptr, 1);

	return m && m->dontfork;
}

unsigned fake_report_mappings(bool quiet)
{
	unsigned i;

	for (i = 0; i < nr_mappings && !quiet; i++)
		fprintf(stderr, "fake kernel: %zu bytes at %#lx are mapped\n", mappings[i].len,
			(unsigned long)mappings[i].addr);
	return nr_mappings;
}

void fake_drop_mappings(void)
{
	while (nr_mappings) {
		nr_mappings--;
#ifdef LIBURING_ASAN
		/* What lies there next is not what a ring without an exit released. */
		__asan_unpoison_memory_region((void *)mappings[nr_mappings].addr,
					      mappings[nr_mappings].len);
#endif
		munmap((void *)mappings[nr_mappings].addr, mappings[nr_mappings].len);
	}
}
