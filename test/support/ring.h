/* SPDX-License-Identifier: MIT */
/*
 * For tests on the real kernel: rings of every kind of set-up, waiting within a
 * bound, what the kernel lacks.
 *
 * Whatever goes wrong in these functions fails the test, unless said otherwise.
 */
#ifndef TEST_SUPPORT_RING_H
#define TEST_SUPPORT_RING_H

#include <liburing.h>
#include <stdbool.h>
#include <stddef.h>
#include "process.h"

/* No wait for a CQE may take longer. */
#define WAIT_SECONDS 20

/* A way to set a ring up. */
struct ring_kind {
	const char *name;
	unsigned flags;		/* IORING_SETUP_... */
	bool own_setup;		/* io_uring_setup with these flags alone, then queue_mmap */
};

extern const struct ring_kind ring_kinds[];
extern const unsigned nr_ring_kinds;

/*
 * ring_try - make a ring of a kind. Returns 0 or what set-up said. A ring made
 * with IORING_SETUP_R_DISABLED comes back enabled.
 */
int ring_try(struct io_uring *ring, unsigned entries, const struct ring_kind *kind);

/*
 * ring_open - the same; the test is skipped where a bare system call with these
 * flags fails too, and fails where only the library does.
 */
void ring_open(struct io_uring *ring, unsigned entries, const struct ring_kind *kind);

/* ring_open_flags - ring_open by flags alone. */
void ring_open_flags(struct io_uring *ring, unsigned entries, unsigned flags);

/*
 * ring_ask - what the kernel alone says to these flags: 0 or a negative errno.
 */
int ring_ask(unsigned flags);

/*
 * ring_retry - whether to repeat a set-up or resize that returned ret.
 *
 * So it is for a second after -ENOMEM: a user without CAP_IPC_LOCK is charged for
 * the memory of rings, also for a while after they were given up. When that does
 * not help and the limit is small, the test is skipped.
 */
bool ring_retry(int ret, unsigned *nr_tries);

/* A test that is run on a ring of 8 entries of every kind. */
struct ring_case {
	const char *name;
	void (*run)(struct io_uring *ring);
	unsigned not_with;	/* not on rings with one of these set-up flags */
	unsigned only_with;	/* only on rings with all of these */
};

/*
 * ring_run_cases - run each case on each kind; main returns what it returns.
 *
 * Each gets a new ring, TEST_SECONDS, and must leave no descriptor open. The kinds
 * that the kernel lacks are together one skipped test.
 */
int ring_run_cases(const char *group, const struct ring_case *cases, unsigned nr_cases);

/* ring_current_kind - the kind that the running case has. */
const struct ring_kind *ring_current_kind(void);

/* next_sqe - an SQE, of which there has to be one. */
struct io_uring_sqe *next_sqe_at(struct io_uring *ring, const char *file, int line);
#define next_sqe(ring) next_sqe_at(ring, __FILE__, __LINE__)

/* queue_nop - the next SQE is a NOP with this user_data. */
void queue_nop_at(struct io_uring *ring, __u64 tag, const char *file, int line);
#define queue_nop(ring, tag) queue_nop_at(ring, tag, __FILE__, __LINE__)

/*
 * taken_ok - see that ret, a submit's result, says that nr SQEs were taken. With SQPOLL
 * those that the polling thread has not taken since earlier submits count too.
 */
void taken_ok_at(const struct io_uring *ring, int ret, unsigned nr, const char *file, int line);
#define taken_ok(ring, ret, nr) taken_ok_at(ring, ret, nr, __FILE__, __LINE__)

/* submit_ok - submit, and see that nr SQEs are taken. */
void submit_ok_at(struct io_uring *ring, unsigned nr, const char *file, int line);
#define submit_ok(ring, nr) submit_ok_at(ring, nr, __FILE__, __LINE__)

/*
 * wait_one - wait for the next CQE and release it. Returns its res; copy, where
 * not NULL, receives its first 16 bytes.
 */
int wait_one_at(struct io_uring *ring, struct io_uring_cqe *copy, const char *file, int line);
#define wait_one(ring, copy) wait_one_at(ring, copy, __FILE__, __LINE__)

/* submit_one - submit the one queued SQE and wait_one. */
int submit_one_at(struct io_uring *ring, struct io_uring_cqe *copy, const char *file, int line);
#define submit_one(ring, copy) submit_one_at(ring, copy, __FILE__, __LINE__)

/* wait_for_tag - wait_one, and see that its user_data is this. */
int wait_for_tag_at(struct io_uring *ring, __u64 user_data, const char *file, int line);
#define wait_for_tag(ring, user_data) wait_for_tag_at(ring, user_data, __FILE__, __LINE__)

/* no_cqe - nothing has completed, also not when the kernel is asked. */
void no_cqe_at(struct io_uring *ring, const char *file, int line);
#define no_cqe(ring) no_cqe_at(ring, __FILE__, __LINE__)

/* kernel_has_op - whether the kernel's probe says so; require_op skips if not. */
bool kernel_has_op(int op);
void require_op(int op);

/*
 * require_ret - a call that the kernel may lack: skips the test when ret -EINVAL,
 * -EOPNOTSUPP, -ENOSYS or -EPERM, and fails it on any other error. Only for
 * calls of which the arguments are known to be right.
 */
void require_ret(const char *what, int ret);

#endif
