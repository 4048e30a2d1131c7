/* SPDX-License-Identifier: MIT */
/*
 * A program that is compiled with one release's headers and run on another's
 * library. Only what release 2.3 has is used, and only what holds in each release
 * is checked: the program prints the same whatever it is made of.
 */
#ifndef TEST_COMPAT_H
#define TEST_COMPAT_H

#include <errno.h>
#include <liburing.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NR_ENTRIES 8

/* Ends the program with the line that did not hold. */
#define CHECK(condition)                                                   \
	do {                                                               \
		if (!(condition))                                          \
			compat_fail(__FILE__, __LINE__, #condition, 0, 0); \
	} while (0)

#define CHECK_INT(value, expected)                                                         \
	do {                                                                               \
		long value_ = (long)(value);                                               \
		if (value_ != (long)(expected))                                            \
			compat_fail(__FILE__, __LINE__, #value, value_, (long)(expected)); \
	} while (0)

void compat_fail(const char *file, int line, const char *what, long value, long expected);

/* A case runs on a fresh ring of NR_ENTRIES of every kind that fits. */
struct compat_case {
	const char *name;
	void (*run)(struct io_uring *ring);
	unsigned not_with; /* IORING_SETUP_... */
};

extern const struct compat_case request_cases[];
extern const struct compat_case queue_cases[];
extern const struct compat_case wait_cases[];
extern const struct compat_case register_cases[];
extern const struct compat_case buffer_cases[];
extern const struct compat_case setup_cases[];

/* The case ends here, with a line that says why. */
void compat_skip(const char *why);

struct io_uring_sqe *take_sqe(struct io_uring *ring);

/* Submits all that is queued. */
void submit_all(struct io_uring *ring);

/* Waits for the CQE with this user_data and no other; returns its res. */
int reap(struct io_uring *ring, uint64_t user_data);

/* Submits the SQE that was taken last, and reaps it. */
int run_one(struct io_uring *ring, struct io_uring_sqe *sqe);

#endif
