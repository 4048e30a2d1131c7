/* SPDX-License-Identifier: MIT */
/*
 * Load on the real kernel for a limited time, with an account of every request.
 *
 * STRESS_MS is the time of a program, in milliseconds; its tests share it. Each
 * request has a user_data of its own, and completes exactly once: a CQE that
 * belongs to none in flight fails the test, and so does a request without one.
 */
#ifndef TEST_STRESS_STRESS_H
#define TEST_STRESS_STRESS_H

#include "test.h"

#include <errno.h>
#include <liburing.h>

/* Without STRESS_MS: the programs together take about 20 seconds. */
#define STRESS_DEFAULT_MS 2500

/* What no wait may leave in a CQE pointer. */
#define STRESS_POISON ((struct io_uring_cqe *)(uintptr_t)0x5a5a5a50)

#define LEDGER_SLOTS 256

/*
 * The requests of a ring. One thread issues them and one ends them; the two may
 * be the same.
 */
struct ledger {
	struct {
		unsigned in_flight;
		__u32 turn;		/* so often was the slot taken */
	} slots[LEDGER_SLOTS];
	unsigned max;			/* at most so many in flight, LEDGER_SLOTS or less */
	unsigned next;
	unsigned nr_in_flight;
	unsigned nr_wrong;		/* CQEs of no request in flight */
	__u64 nr_done;
};

void ledger_open(struct ledger *ledger, unsigned max);

/* ledger_has_room - whether ledger_issue may be called: fewer than max are in flight. */
bool ledger_has_room(const struct ledger *ledger);

/* ledger_issue - the user_data of a new request. */
__u64 ledger_issue(struct ledger *ledger);

/* ledger_done - its CQE came. Returns whether it was in flight. */
bool ledger_done(struct ledger *ledger, __u64 user_data);

unsigned ledger_in_flight(const struct ledger *ledger);

/* ledger_close - see that all are done, and add them to the program's sum. */
bool ledger_close(struct ledger *ledger);

/* ledger_check - ledger_close, which fails the test where something is wrong. */
void ledger_check_at(struct ledger *ledger, const char *file, int line);
#define ledger_check(ledger) ledger_check_at(ledger, __FILE__, __LINE__)

/*
 * stress_test - a test that takes its share of the program's time; STRESS_RUN runs
 * all of an array, prints the sum and returns what main returns.
 */
#define stress_test(f) cmocka_unit_test_setup_teardown(f, stress_begin, stress_end)
int stress_begin(void **state);
int stress_end(void **state);
void stress_share(unsigned nr_tests);
int stress_finish(int ret);
#define STRESS_RUN(name, tests) \
	(stress_share(ARRAY_LEN(tests)), \
	 stress_finish(cmocka_run_group_tests_name(name, tests, NULL, NULL)))

/* stress_goes_on - whether the time of the test is not over yet. */
bool stress_goes_on(void);

/* stress_random - a number below max; the same ones in every run. */
unsigned stress_random(unsigned max);

/*
 * stress_submit - submit all, reaping what keeps the kernel from taking it.
 *
 * Signals, and completions that overflow, are no errors.
 */
void stress_submit(struct io_uring *ring, struct ledger *ledger);

/* stress_sqe - an SQE for a new request; stress_nop and so on prepare it as well. */
struct io_uring_sqe *stress_sqe(struct io_uring *ring, struct ledger *ledger);
void stress_nop(struct io_uring *ring, struct ledger *ledger);
void stress_async_nop(struct io_uring *ring, struct ledger *ledger);
void stress_timeout(struct io_uring *ring, struct ledger *ledger);

/* stress_any - one of these. */
void stress_any(struct io_uring *ring, struct ledger *ledger);

/* stress_see - what io_uring_wait_cqe gave: counted and released. */
void stress_see(struct io_uring *ring, struct ledger *ledger, struct io_uring_cqe *cqe);

/* stress_reap - all that is there; stress_drain waits until none is in flight. */
void stress_reap(struct io_uring *ring, struct ledger *ledger);
void stress_drain(struct io_uring *ring, struct ledger *ledger);

#endif
