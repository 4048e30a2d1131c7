/* SPDX-License-Identifier: MIT */
/*
 * How much memory a ring takes: what the library says before against what the
 * kernel answers, and rings in memory that is just enough.
 *
 * Input: entries (4), CQ entries (4), flags (2). Larger rings are only computed.
 */
#include <liburing.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAX_SQ 32768U
#define MAX_CQ 65536U
#define MAX_MADE_SZ (512 * 1024) /* of rings that are made */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const unsigned flag_of_bit[] = {
	IORING_SETUP_CQSIZE,     IORING_SETUP_CLAMP,     IORING_SETUP_SQE128,    IORING_SETUP_CQE32,
	IORING_SETUP_NO_SQARRAY, IORING_SETUP_CQE_MIXED, IORING_SETUP_SQE_MIXED,
};

static void check(int cond)
{
	if (!cond)
		abort();
}

static size_t page_sz(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static size_t round_to_page(size_t sz)
{
	return (sz + page_sz() - 1) / page_sz() * page_sz();
}

/* Whether the kernel makes rings with these flags at all. */
static int kernel_has(unsigned flags)
{
	struct io_uring_params p = { .flags = flags & ~(unsigned)IORING_SETUP_CQSIZE };
	int fd = io_uring_setup(4, &p);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* The bytes that the ring has, by what the kernel filled in. */
static size_t real_size(const struct io_uring_params *p)
{
	size_t cq =
		p->cq_off.cqes + ((size_t)p->cq_entries * 16 << !!(p->flags & IORING_SETUP_CQE32));
	size_t sq = (p->flags & IORING_SETUP_NO_SQARRAY) ?
			    0 :
			    p->sq_off.array + (size_t)p->sq_entries * 4;
	size_t sqes = (size_t)p->sq_entries * 64 << !!(p->flags & IORING_SETUP_SQE128);

	return round_to_page(cq > sq ? cq : sq) + round_to_page(sqes);
}

static int is_refused(uint64_t entries, const struct io_uring_params *p)
{
	uint64_t cq = p->cq_entries, pow2_sq = 1, pow2_cq = 1;
	int clamp = (p->flags & IORING_SETUP_CLAMP) != 0;

	if (!entries || (entries > MAX_SQ && !clamp))
		return 1;
	if (!(p->flags & IORING_SETUP_CQSIZE))
		return 0;
	if (!cq || (cq > MAX_CQ && !clamp))
		return 1;
	entries = entries > MAX_SQ ? MAX_SQ : entries;
	cq = cq > MAX_CQ ? MAX_CQ : cq;
	while (pow2_sq < entries)
		pow2_sq *= 2;
	while (pow2_cq < cq)
		pow2_cq *= 2;
	return pow2_cq < pow2_sq;
}

/* The kernel's answer to the same question. */
static void check_against_kernel(unsigned entries, const struct io_uring_params *asked, ssize_t sz)
{
	struct io_uring_params p = *asked;
	int fd = io_uring_setup(entries, &p);

	if (fd < 0) {
		check(sz < 0 || fd != -EINVAL);
		return;
	}
	close(fd);
	check(sz >= 0 && real_size(&p) <= (size_t)sz);
	/* Kernels before 5.18 or so have a larger header, of a cache line for each index. */
	check((size_t)sz - real_size(&p) <= page_sz());
}

/* A ring in so many bytes, behind which nothing is mapped. Returns its result. */
static int make_in(unsigned entries, const struct io_uring_params *asked, size_t sz)
{
	struct io_uring_params p = *asked;
	struct io_uring ring;
	struct io_uring_sqe *sqe;
	struct io_uring_cqe *cqe;
	char *space = mmap(NULL, sz + page_sz(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int ret;

	check(space != MAP_FAILED);
	check(!sz || !mprotect(space, sz, PROT_READ | PROT_WRITE));
	ret = io_uring_queue_init_mem(entries, &ring, &p, space, sz);
	if (ret >= 0) {
		check((size_t)ret <= sz && ret % (int)page_sz() == 0);
		sqe = io_uring_get_sqe(&ring);
		check(sqe != NULL);
		io_uring_prep_nop(sqe);
		sqe->user_data = 0x1234;
		check(io_uring_submit_and_wait(&ring, 1) == 1);
		check(!io_uring_peek_cqe(&ring, &cqe) && cqe->user_data == 0x1234);
		io_uring_cqe_seen(&ring, cqe);
		io_uring_queue_exit(&ring);
	}
	munmap(space, sz + page_sz());
	return ret;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int available = -1;
	struct io_uring_params p = { 0 }, asked;
	unsigned entries, bits = 0, i;
	ssize_t sz;
	int used;

	if (size < 10)
		return -1;
	if (available < 0)
		available = kernel_has(0);
	memcpy(&entries, data, 4);
	memcpy(&p.cq_entries, data + 4, 4);
	memcpy(&bits, data + 8, 2);
	for (i = 0; i < sizeof(flag_of_bit) / sizeof(flag_of_bit[0]); i++)
		p.flags |= bits & 1U << i ? flag_of_bit[i] : 0;
	/* Small numbers, most of the time. */
	if (!(bits & 0x8000))
		entries %= 600;
	if (!(bits & 0x4000))
		p.cq_entries %= 1200;

	asked = p;
	sz = io_uring_memory_size_params(entries, &p);
	check(!memcmp(&p, &asked, sizeof(p)));
	check(is_refused(entries, &p) ? sz == -EINVAL : sz > 0);
	check(sz < 0 || (size_t)sz % page_sz() == 0);
	if (!(p.flags & IORING_SETUP_CQSIZE))
		check(sz == io_uring_memory_size(entries, p.flags));
	if (!available || sz > MAX_MADE_SZ || !kernel_has(p.flags))
		return 0;

	check_against_kernel(entries, &asked, sz);
	if (sz < 0)
		return 0;
	used = make_in(entries, &asked, (size_t)sz);
	if (used < 0)
		return 0;
	check(make_in(entries, &asked, (size_t)used) == used);
	check(make_in(entries, &asked, (size_t)used - page_sz()) == -ENOMEM);
	return 0;
}
