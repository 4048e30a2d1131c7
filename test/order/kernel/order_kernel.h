/* SPDX-License-Identifier: MIT */
/*
 * A kernel whose side of the shared words is played by a second thread.
 *
 * The test's own thread runs the library on a ring in ordinary memory; the other
 * takes SQEs and posts CQEs. Nothing orders the two but what the library and the
 * kernel do to the shared words: whatever else they tell each other goes by
 * relaxed accesses. So the thread sanitizer reports every SQE and CQE that is not
 * handed over as it has to be. It must not be told more than the library does:
 * library and tests are built with LIBURING_NO_NOTES.
 *
 * One ring at a time.
 */
#ifndef ORDER_KERNEL_H
#define ORDER_KERNEL_H

#include "test.h"

#include <errno.h>
#include <liburing.h>

/* Whether the thread sanitizer looks on; it makes everything slower. */
#if defined(__SANITIZE_THREAD__)
#define ORDER_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define ORDER_TSAN 1
#endif
#endif

/* So often is something handed over in each test. */
#ifdef ORDER_TSAN
#define ORDER_TIMES 10000U
#else
#define ORDER_TIMES 20000U
#endif

struct order_kernel {
	/* The shared words as the kernel sees them, each in a cache line of its own. */
	unsigned *sq_head, *sq_tail, *sq_flags;
	unsigned *cq_head, *cq_tail, *cq_flags;
	struct io_uring_sqe *sqes;
	struct io_uring_cqe *cqes;
	unsigned flags;		/* IORING_SETUP_... */
	unsigned features;	/* IORING_FEAT_... */
	unsigned sq_entries;
	unsigned cq_entries;

	/* What the two threads tell each other. */
	bool stop;
	unsigned nr_asked;	/* SQEs passed by enters, without a polling thread */
	unsigned nr_wakeups;	/* enters that woke the polling thread */
	unsigned nr_wrong;	/* what the kernel's thread found wrong */
};

extern struct order_kernel order;

/* A test under the time limit, with no ring left over. */
#define order_test(f) cmocka_unit_test_setup_teardown(f, order_begin, order_end)
int order_begin(void **state);
int order_end(void **state);

/*
 * order_open - a ring of entries SQEs and cq_entries CQEs; without features a
 * kernel of before 5.11.
 */
void order_open(struct io_uring *ring, unsigned entries, unsigned cq_entries, unsigned flags,
		unsigned features);

/* order_start - start the kernel's thread; run returns when order_stopped says so. */
void order_start(void (*run)(void));
bool order_stopped(void);

/*
 * order_close - let the kernel's thread take what is published, end it, and give
 * the ring up. Fails the test where something was wrong.
 */
void order_close(struct io_uring *ring);

/* order_pause - called in every turn of a loop that waits for the other thread. */
void order_pause(void);

/* The kernel's thread */

/*
 * order_take - take up to max SQEs, showing each of them to see while it is still
 * the kernel's. Returns how many. Where no thread polls, only what an enter passed.
 */
unsigned order_take(unsigned max, void (*see)(const struct io_uring_sqe *sqe));

/* order_post - post a CQE where there is room; order_post_big one of 32 bytes. */
bool order_post(__u64 user_data, int res, unsigned flags);
bool order_post_big(__u64 user_data, int res, unsigned flags);

/* order_set_flag - set or clear bits of the SQ's flags. */
void order_set_flag(unsigned flag, bool on);

/* order_check - count what is wrong. */
void order_check(bool right);

#endif
