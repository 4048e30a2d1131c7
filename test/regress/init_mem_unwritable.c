/* SPDX-License-Identifier: MIT */
/*
 * io_uring_queue_init_mem cleared the header in the caller's memory before the
 * kernel had looked at it: memory that cannot be written, or is none, was a crash.
 */
#include "test.h"

#include "ring.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#define MEM_SZ 65536U

static int try_mem(void *mem)
{
	struct io_uring_params p = { .flags = 0 };
	struct io_uring ring;
	int ret = io_uring_queue_init_mem(8, &ring, &p, mem, MEM_SZ);

	if (ret >= 0) {
		io_uring_queue_exit(&ring);
	} else {
		assert_int_equal(ring.ring_fd, -1);
		assert_int_equal(p.flags, 0);
	}
	return ret;
}

/* Memory of a ring, and the kernel's own answer to what cannot be one. */
static char *take_mem(int prot)
{
	char *mem = mmap(NULL, MEM_SZ, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *good = page_alloc(MEM_SZ);
	int ret = try_mem(good);

	assert_ptr_not_equal(mem, MAP_FAILED);
	page_free(good, MEM_SZ);
	if (ret < 0)
		munmap(mem, MEM_SZ);
	require_ret("io_uring_queue_init_mem", ret);
	return mem;
}

static void test_read_only(void **state)
{
	char *mem = take_mem(PROT_READ);

	assert_int_equal(try_mem(mem), -EFAULT);
	munmap(mem, MEM_SZ);
}

static void test_no_access(void **state)
{
	char *mem = take_mem(PROT_NONE);

	assert_int_equal(try_mem(mem), -EFAULT);
	munmap(mem, MEM_SZ);
	assert_int_equal(try_mem(mem), -EFAULT);
	assert_int_equal(try_mem(NULL), -EFAULT);
}

/* A file that ends before the memory does: a write there would be a SIGBUS. */
static void test_beyond_a_file(void **state)
{
	char *mem = take_mem(PROT_READ);
	int fd = temp_file(1);

	assert_ptr_equal(mmap(mem, MEM_SZ, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0),
			 mem);
	assert_int_equal(try_mem(mem), -EFAULT);
	munmap(mem, MEM_SZ);
	close(fd);
}

/* Between a writable page and one that is not. */
static void test_unaligned(void **state)
{
	char *mem = take_mem(PROT_READ | PROT_WRITE);
	size_t sz = page_size();
	unsigned i;

	for (i = 1; i < MEM_SZ / sz; i++) {
		assert_int_equal(mprotect(mem + i * sz, sz, PROT_READ), 0);
		assert_int_equal(try_mem(mem + sz - 64), -EINVAL);
		assert_int_equal(mprotect(mem + i * sz, sz, PROT_READ | PROT_WRITE), 0);
	}
	munmap(mem, MEM_SZ);
}

/* The SQEs are in the first page, the rings behind them. */
static void test_some_pages(void **state)
{
	char *mem = take_mem(PROT_READ | PROT_WRITE);

	assert_int_equal(mprotect(mem, page_size(), PROT_READ), 0);
	assert_int_equal(try_mem(mem), -EFAULT);
	assert_int_equal(mprotect(mem, page_size(), PROT_READ | PROT_WRITE), 0);
	assert_int_equal(mprotect(mem + page_size(), page_size(), PROT_READ), 0);
	assert_int_equal(try_mem(mem), -EFAULT);
	munmap(mem, MEM_SZ);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		timed_test(test_read_only),
		timed_test(test_no_access),
		timed_test(test_beyond_a_file),
		timed_test(test_unaligned),
		timed_test(test_some_pages),
	};

	return cmocka_run_group_tests_name("init_mem_unwritable", tests, NULL, NULL);
}
