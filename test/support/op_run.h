/* SPDX-License-Identifier: MIT */
/*
 * Requests of the effect tests: an SQE with a tag, its submission, and what its
 * CQEs say. Every result that a test takes is noted under the opcode of the
 * request; test/op/coverage.c reads these notes.
 */
#ifndef TEST_SUPPORT_OP_RUN_H
#define TEST_SUPPORT_OP_RUN_H

#include "ring.h"

#include <liburing.h>

/* Tags are the user_data of the tests' requests: 0 to OP_MAX_TAGS - 1. */
#define OP_MAX_TAGS 256
#define OP_RING_ENTRIES 64

struct op_result {
	__u64 tag;
	int res;
	unsigned flags;
};

/*
 * op_test - a test that gets a plain ring of OP_RING_ENTRIES entries as *state,
 * and the time limit. A test that makes its own ring calls op_forget first, which
 * drops the tags of the test before.
 */
#define op_test(f) cmocka_unit_test_setup_teardown(f, op_setup, op_teardown)
int op_setup(void **state);
int op_teardown(void **state);
void op_forget(void);

/* op_sqe - take an SQE and give it the tag; the test fails when there is none. */
struct io_uring_sqe *op_sqe(struct io_uring *ring, __u64 tag);

/* op_track - the same for an SQE that the test has taken itself. */
void op_track(struct io_uring_sqe *sqe, __u64 tag);

/* op_submit - submit all SQEs that were taken; the kernel must take every one. */
void op_submit(struct io_uring *ring);

/*
 * op_take - the next CQE, waiting some seconds at most for it.
 *
 * op_expect also checks its tag and its result, op_expect_more that further CQEs
 * will follow it, and returns the CQE's flags.
 */
struct op_result op_take_at(struct io_uring *ring, const char *file, int line);
unsigned op_expect_at(struct io_uring *ring, __u64 tag, int res, int more, const char *file,
		      int line);
#define op_take(ring) op_take_at(ring, __FILE__, __LINE__)
#define op_expect(ring, tag, res) op_expect_at(ring, tag, res, 0, __FILE__, __LINE__)
#define op_expect_more(ring, tag, res) op_expect_at(ring, tag, res, 1, __FILE__, __LINE__)

/*
 * op_collect - the next nr CQEs, in any order: each goes to results[its tag].
 *
 * Two CQEs of one tag fail the test, and so does a tag of nr_results or more.
 */
void op_collect_at(struct io_uring *ring, unsigned nr, struct op_result *results,
		   unsigned nr_results, const char *file, int line);
#define op_collect(ring, nr, results) \
	op_collect_at(ring, nr, results, sizeof(results) / sizeof((results)[0]), __FILE__, \
		      __LINE__)

/* op_run - submit, and the result of the request that op_sqe gave last. */
int op_run_at(struct io_uring *ring, const char *file, int line);
#define op_run(ring) op_run_at(ring, __FILE__, __LINE__)

/* op_check - one result against the one that is wanted, both shown by errno names. */
void op_check_at(int got, int wanted, const char *file, int line);
#define op_check(got, wanted) op_check_at(got, wanted, __FILE__, __LINE__)

/* op_note - note a result that was not taken with the functions above. */
void op_note(unsigned opcode, int res);

#endif
