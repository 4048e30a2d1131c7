/* SPDX-License-Identifier: MIT */
/*
 * For the tests of the debug build: a mistake is made in a child process, and how
 * the child ends and what it says is looked at.
 */
#ifndef TEST_DEBUG_MISTAKE_H
#define TEST_DEBUG_MISTAKE_H

#include "test.h"

#include <liburing.h>

/*
 * expect_abort - run in a child, which has to end with SIGABRT after the message
 * "liburing: FUNCTION: ...", with this text in it.
 *
 * expect_warning: it has to end with status 0, after just one message, the warning.
 * expect_silence: the same without any.
 */
void expect_abort(void (*run)(void), const char *function, const char *text);
void expect_warning(void (*run)(void), const char *function, const char *text);
void expect_silence(void (*run)(void));

/* count_at_abort - in a child: an abort, which comes as usual, loses no coverage. */
void count_at_abort(void);

/* need - what must be so in a child, for the test to mean anything. */
#define need(cond)                                            \
	do {                                                  \
		if (!(cond))                                  \
			need_failed(__FILE__, __LINE__, #cond); \
	} while (0)
__attribute__((noreturn)) void need_failed(const char *file, int line, const char *what);

#define SINGLE IORING_SETUP_SINGLE_ISSUER
#define DEFER (IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN)

/* require_flags - skip the test where the kernel has no such ring. */
void require_flags(unsigned flags);

/* ring_flags - the child's ring, of 8 entries. */
struct io_uring *ring_flags(unsigned flags);

/* queue_nop - take an SQE for a NOP; run_nop - submit one and wait for it. */
struct io_uring_sqe *queue_nop(struct io_uring *ring, __u64 user_data);
void run_nop(struct io_uring *ring);

/* run_in_thread - call with the ring in another thread, to its end. */
void run_in_thread(void (*run)(struct io_uring *ring), struct io_uring *ring);

/* interrupt_soon - a signal that ends the wait that follows. */
void interrupt_soon(void);

#endif
