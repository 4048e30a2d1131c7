/* SPDX-License-Identifier: MIT */
/*
 * Where a probe's memory comes from: malloc where the process has free, by either of
 * its names; else a mapping.
 */
#include "fake_test.h"

#include <stdlib.h>

static void *libc_malloc(size_t sz)
{
	return malloc(sz);
}

static void libc_free(void *ptr)
{
	free(ptr);
}

static void *no_memory(size_t sz)
{
	return NULL;
}

/* Each is called by the library where it is not NULL, as the weak symbols are. */
void *(*chosen_malloc)(size_t sz);
void *(*chosen_malloc_impl)(size_t sz);
void (*chosen_free)(void *ptr);

#define malloc (*chosen_malloc)
#define __libc_malloc_impl (*chosen_malloc_impl)
#define free (*chosen_free)
/* With sanitizers two of them are macros already. */
#undef io_uring_get_probe_ring
#undef io_uring_get_probe
#define io_uring_free_probe free_probe
#define io_uring_get_probe_ring get_probe_ring
#define io_uring_get_probe get_probe
void free_probe(struct io_uring_probe *probe);
struct io_uring_probe *get_probe_ring(struct io_uring *ring);
struct io_uring_probe *get_probe(void);
#include "../../src/probe.c"
#undef malloc
#undef free

static void choose(void *(*by_malloc)(size_t), void *(*by_impl)(size_t), void (*by_free)(void *))
{
	chosen_malloc = by_malloc;
	chosen_malloc_impl = by_impl;
	chosen_free = by_free;
}

/* A probe comes, is right, and nothing of it is left. */
static void check_probe(bool is_mapped)
{
	struct io_uring_probe *probe;

	fake_forget();
	probe = get_probe();
	assert_non_null(probe);
	assert_int_equal(probe->last_op, fake.last_op);
	assert_true(io_uring_opcode_supported(probe, IORING_OP_NOP));
	assert_int_equal(fake_is_mapped(probe, PROBE_SZ), is_mapped);
	free_probe(probe);
	assert_int_equal(fake_nr_leaks(), 0);
}

static void by_malloc(void **state)
{
	choose(libc_malloc, NULL, libc_free);
	check_probe(false);
	choose(libc_malloc, no_memory, libc_free);
	check_probe(false);
	choose(NULL, libc_malloc, libc_free);
	check_probe(false);
	free_probe(NULL);
}

static void by_mapping(void **state)
{
	choose(NULL, NULL, NULL);
	check_probe(true);
	choose(NULL, NULL, libc_free);
	check_probe(true);
	choose(libc_malloc, libc_malloc, NULL);
	check_probe(true);
}

static void no_memory_is_left(void **state)
{
	struct io_uring ring;

	init_ring(&ring, 2, 0);
	choose(no_memory, NULL, libc_free);
	assert_null(get_probe_ring(&ring));
	choose(NULL, NULL, NULL);
	fake_fail(NR_MMAP, 1, ENOMEM);
	assert_null(get_probe_ring(&ring));
	fake_fail_never();
	assert_int_equal(fake_nr(__NR_io_uring_register), 0);
	io_uring_queue_exit(&ring);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FAKE_TEST(by_malloc),
		FAKE_TEST(by_mapping),
		FAKE_TEST(no_memory_is_left),
	};

	return RUN_FAKE_TESTS(tests);
}
