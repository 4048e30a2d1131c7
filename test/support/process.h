/* SPDX-License-Identifier: MIT */
/*
 * What a test does with its own process: time limits, children, what it holds
 * open and mapped, files and memory to work on.
 */
#ifndef TEST_SUPPORT_PROCESS_H
#define TEST_SUPPORT_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

/* A test that takes longer is killed. */
#define TEST_SECONDS 150

/* A test under the time limit. */
#define timed_test(f) cmocka_unit_test_setup_teardown(f, time_limit_start, time_limit_stop)
int time_limit_start(void **state);
int time_limit_stop(void **state);

/* sleep_ms - sleep; signals do not shorten it. */
void sleep_ms(unsigned ms);
/* now_ms - CLOCK_MONOTONIC. */
unsigned long long now_ms(void);
/* timer_in_ms - a timerfd that can be read so much later. */
int timer_in_ms(unsigned ms);

/* temp_file - a file of sz bytes of the pattern, without a name; its descriptor. */
int temp_file(size_t sz);

/*
 * pattern_fill - bytes that differ from those at other offsets; pattern_same
 * compares with what lies at off.
 */
void pattern_fill(void *buf, size_t sz, size_t off);
bool pattern_same(const void *buf, size_t sz, size_t off);

/* all_bytes - whether each of sz bytes is this one. */
bool all_bytes(const void *buf, size_t sz, unsigned char byte);

/* page_alloc - sz bytes of zeroed anonymous memory; page_free gives it back. */
void *page_alloc(size_t sz);
void page_free(void *mem, size_t sz);
size_t page_size(void);

/* What the process holds, as /proc/self tells. */
struct holdings {
	unsigned nr_fds;
	unsigned nr_ring_maps;	/* mappings of rings */
	size_t mapped_sz;	/* all mappings, in bytes */
};

/* holdings_take - look; nothing is allocated for it. */
void holdings_take(struct holdings *now);

/* holdings_same - see that the process holds what it held before. */
void holdings_same_at(const struct holdings *before, const char *file, int line);
#define holdings_same(before) holdings_same_at(before, __FILE__, __LINE__)

/*
 * in_child - run a function in a forked child under the time limit.
 *
 * It returns 0 for success or CHILD_SKIP to skip the test (having said why), and
 * uses child_check in place of cmocka's asserts, which do not work in a child;
 * the functions of this folder do. Any other end, also by a signal, fails the
 * test.
 */
#define CHILD_SKIP 77
void in_child_at(int (*run)(void *arg), void *arg, const char *file, int line);
#define in_child(run, arg) in_child_at(run, arg, __FILE__, __LINE__)

#define child_check(cond)                                        \
	do {                                                     \
		if (!(cond))                                     \
			child_failed(__FILE__, __LINE__, #cond); \
	} while (0)
#define child_check_equal(got, wanted) \
	child_compare(__FILE__, __LINE__, #got, (long long)(got), (long long)(wanted))

/* test_failed - end the test or the child as failed; what is wrong has been said. */
__attribute__((noreturn)) void test_failed(const char *file, int line);

__attribute__((noreturn)) void child_failed(const char *file, int line, const char *what);
void child_compare(const char *file, int line, const char *what, long long got, long long wanted);

#endif
