/* SPDX-License-Identifier: MIT */
/*
 * Advice about a file's pages and about memory, with lengths of 32 bits and more:
 * what is in the page cache, or in memory, afterwards.
 */
#include "test.h"

#include "op_cache.h"
#include "op_run.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define NOT_OPEN 4095
#define NO_ADVICE 99
#define NR_PAGES 8
#define FOUR_GIB (1ULL << 32)

/* A file of NR_PAGES pages, all on the disk and in the cache. */
static int clean_file(void)
{
	int fd = temp_file(NR_PAGES * page_size());
	struct cache_pages pages;

	assert_int_equal(fsync(fd), 0);
	pages = cache_look(fd, 0, 0);
	if (pages.nr_cache != NR_PAGES || pages.nr_dirty)
		skip_because("the effect cannot be seen: /var/tmp is not on a disk");
	return fd;
}

static void test_fadvise(void **state)
{
	struct io_uring *ring = *state;
	const unsigned page_sz = (unsigned)page_size();
	int fd = clean_file();

	/* Drop pages 4 and 5, then all of the file. */
	io_uring_prep_fadvise(op_sqe(ring, 1), fd, 4 * page_sz, 2 * page_sz,
			      POSIX_FADV_DONTNEED);
	op_check(op_run(ring), 0);
	assert_int_equal(cache_look(fd, 4 * page_sz, 2 * page_sz).nr_cache, 0);
	assert_int_equal(cache_look(fd, 0, 0).nr_cache, NR_PAGES - 2);
	io_uring_prep_fadvise(op_sqe(ring, 1), fd, 0, 0, POSIX_FADV_DONTNEED);
	op_check(op_run(ring), 0);
	assert_int_equal(cache_look(fd, 0, 0).nr_cache, 0);

	/* Read ahead, which goes on after the answer. */
	io_uring_prep_fadvise(op_sqe(ring, 1), fd, 0, 0, POSIX_FADV_WILLNEED);
	op_check(op_run(ring), 0);
	assert_true(cache_look(fd, 0, 0).nr_cache > 0);
	close(fd);
}

static void test_fadvise64(void **state)
{
	struct io_uring *ring = *state;
	const off_t page_sz = (off_t)page_size();
	int fd = clean_file();

	/* The low 32 bits of this length are one page. */
	io_uring_prep_fadvise64(op_sqe(ring, 1), fd, 0, (off_t)FOUR_GIB + page_sz,
				POSIX_FADV_DONTNEED);
	op_check(op_run(ring), 0);
	assert_int_equal(cache_look(fd, 0, 0).nr_cache, 0);
	close(fd);
}

static void test_fadvise_errors(void **state)
{
	struct io_uring *ring = *state;
	int fd = temp_file(1);
	int fds[2];

	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	io_uring_prep_fadvise(op_sqe(ring, 1), NOT_OPEN, 0, 0, POSIX_FADV_NORMAL);
	op_check(op_run(ring), -EBADF);
	io_uring_prep_fadvise(op_sqe(ring, 1), fd, 0, 0, NO_ADVICE);
	op_check(op_run(ring), -EINVAL);
	io_uring_prep_fadvise64(op_sqe(ring, 1), fds[0], 0, 0, POSIX_FADV_NORMAL);
	op_check(op_run(ring), -ESPIPE);
	close(fds[0]);
	close(fds[1]);
	close(fd);
}

static void test_madvise(void **state)
{
	struct io_uring *ring = *state;
	const size_t page_sz = page_size();
	unsigned char *mem = page_alloc(4 * page_sz);

	memset(mem, 0xa5, 4 * page_sz);
	io_uring_prep_madvise(op_sqe(ring, 1), mem + page_sz, (__u32)(2 * page_sz),
			      MADV_DONTNEED);
	op_check(op_run(ring), 0);
	assert_true(all_bytes(mem, page_sz, 0xa5));
	assert_true(all_bytes(mem + page_sz, 2 * page_sz, 0));
	assert_true(all_bytes(mem + 3 * page_sz, page_sz, 0xa5));

	io_uring_prep_madvise(op_sqe(ring, 1), mem + 1, (__u32)page_sz, MADV_DONTNEED);
	op_check(op_run(ring), -EINVAL);
	io_uring_prep_madvise(op_sqe(ring, 1), mem, (__u32)page_sz, NO_ADVICE);
	op_check(op_run(ring), -EINVAL);
	page_free(mem, 4 * page_sz);
	io_uring_prep_madvise(op_sqe(ring, 1), mem, (__u32)page_sz, MADV_DONTNEED);
	op_check(op_run(ring), -ENOMEM);
}

static void test_madvise64(void **state)
{
	struct io_uring *ring = *state;
	const size_t page_sz = page_size();
	const size_t mem_sz = (size_t)FOUR_GIB + page_sz;
	unsigned char *mem;

	if (sizeof(void *) < 8)
		skip_because("no process has room for 4 GiB here");
	mem = mmap(NULL, mem_sz, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (mem == MAP_FAILED)
		skip_because("4 GiB of address space: %s", strerror(errno));

	/* The low 32 bits of the length are one page: the first. */
	mem[0] = mem[page_sz] = mem[mem_sz - 1] = 0xa5;
	io_uring_prep_madvise64(op_sqe(ring, 1), mem, (off_t)mem_sz, MADV_DONTNEED);
	op_check(op_run(ring), 0);
	assert_int_equal(mem[0], 0);
	assert_int_equal(mem[page_sz], 0);
	assert_int_equal(mem[mem_sz - 1], 0);
	munmap(mem, mem_sz);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		op_test(test_fadvise),
		op_test(test_fadvise64),
		op_test(test_fadvise_errors),
		op_test(test_madvise),
		op_test(test_madvise64),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
