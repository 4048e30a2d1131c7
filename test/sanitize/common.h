/* SPDX-License-Identifier: MIT */
/*
 * For the programs that run under each sanitizer and under valgrind. They are
 * built with these tools, and linked with a library that is not.
 */
#ifndef TEST_SANITIZE_COMMON_H
#define TEST_SANITIZE_COMMON_H

#include <liburing.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(cond)                                                              \
	do {                                                                     \
		if (!(cond)) {                                                   \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #cond); \
			exit(3);                                                 \
		}                                                                \
	} while (0)

/* A case returns this when the kernel lacks what it needs; no sanitizer's exit status. */
#define LACKING 42

struct sanitize_case {
	const char *name;
	int (*run)(void);
};

/*
 * How many bytes are odd. The counter is volatile so that each byte decides about a
 * branch: only then is one that is not initialised noticed.
 */
static inline unsigned count_odd(const void *ptr, size_t sz)
{
	const unsigned char *bytes = ptr;
	volatile unsigned nr = 0;

	while (sz--)
		if (*bytes++ & 1)
			nr++;
	return nr;
}

static inline struct io_uring_sqe *next_sqe(struct io_uring *ring)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(ring);

	CHECK(sqe);
	return sqe;
}

/* The result of the oldest request, which has this tag. */
static inline int take(struct io_uring *ring, __u64 tag)
{
	struct io_uring_cqe *cqe;
	int res;

	CHECK(io_uring_wait_cqe(ring, &cqe) == 0);
	CHECK(cqe->user_data == tag);
	res = cqe->res;
	io_uring_cqe_seen(ring, cqe);
	return res;
}

/* Runs the case of this name, or prints the names of all. */
static inline int run_case(const struct sanitize_case *cases, const char *name)
{
	for (; cases->name; cases++) {
		if (!name)
			puts(cases->name);
		else if (strcmp(name, cases->name) == 0)
			return cases->run();
	}
	return name ? 2 : 0;
}

#endif
