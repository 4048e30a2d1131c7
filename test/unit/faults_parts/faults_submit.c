/* SPDX-License-Identifier: MIT */
/*
 * The functions that enter.
 */
#include "faults.h"

#include <signal.h>

static struct __kernel_timespec one_second = { .tv_sec = 1 };

/* Two SQEs that are taken, and a request in flight that completes in the next wait. */
static void busy(struct fault_ctx *c)
{
	queue_nops(&c->ring, 1, 1);
	assert_int_equal(io_uring_submit(&c->ring), 1);
	queue_nops(&c->ring, 2, 2);
}

static void busy_ring(struct fault_ctx *c)
{
	faults_plain_ring(c);
	busy(c);
}

static void registered_busy_ring(struct fault_ctx *c)
{
	busy_ring(c);
	assert_int_equal(io_uring_register_ring_fd(&c->ring), 1);
}

static void no_ext_arg(struct fault_ctx *c)
{
	fake.features &= IORING_FEAT_EXT_ARG - 1;
	faults_plain_ring(c);
}

static void busy_no_ext_arg(struct fault_ctx *c)
{
	no_ext_arg(c);
	busy(c);
}

static void rewinding(struct fault_ctx *c)
{
	assert_int_equal(io_uring_queue_init(8, &c->ring, IORING_SETUP_SQ_REWIND), 0);
	c->has_ring = true;
	busy(c);
}

static void polled(struct fault_ctx *c, unsigned nr)
{
	assert_int_equal(io_uring_queue_init(8, &c->ring, IORING_SETUP_SQPOLL), 0);
	c->has_ring = true;
	queue_nops(&c->ring, nr, 2);
	fake_sq_thread_sleep(fake.ring);
}

static void sleeping_thread(struct fault_ctx *c)
{
	polled(c, 2);
}

static void full_polled_ring(struct fault_ctx *c)
{
	polled(c, 8);
}

/* Two of the kernel's CQEs have no room, and the program has seen all others. */
static void overflown(struct fault_ctx *c)
{
	unsigned i;

	faults_plain_ring(c);
	for (i = 0; i < c->ring.cq.ring_entries + 2; i++)
		fake_post(fake.ring, 100 + i, 0, 0);
	io_uring_cq_advance(&c->ring, c->ring.cq.ring_entries);
}

static void overflown_busy(struct fault_ctx *c)
{
	overflown(c);
	queue_nops(&c->ring, 2, 2);
}

static long submit(struct fault_ctx *c)
{
	return io_uring_submit(&c->ring);
}

static long submit_and_wait(struct fault_ctx *c)
{
	return io_uring_submit_and_wait(&c->ring, 1);
}

static long submit_and_get_events(struct fault_ctx *c)
{
	return io_uring_submit_and_get_events(&c->ring);
}

static long get_events(struct fault_ctx *c)
{
	return io_uring_get_events(&c->ring);
}

static long wait_for_room(struct fault_ctx *c)
{
	return __io_uring_sqring_wait(&c->ring);
}

static long sqring_wait(struct fault_ctx *c)
{
	return io_uring_sqring_wait(&c->ring);
}

static long enter(struct fault_ctx *c)
{
	return io_uring_enter((unsigned)c->ring.ring_fd, 0, 0, 0, NULL);
}

static long enter2(struct fault_ctx *c)
{
	return io_uring_enter2((unsigned)c->ring.ring_fd, 0, 0, IORING_ENTER_GETEVENTS, NULL, 8);
}

static long get_cqe(struct fault_ctx *c)
{
	return __io_uring_get_cqe(&c->ring, &c->cqe, 0, 1, NULL);
}

static long wait_cqe(struct fault_ctx *c)
{
	return io_uring_wait_cqe(&c->ring, &c->cqe);
}

static long wait_cqe_nr(struct fault_ctx *c)
{
	return io_uring_wait_cqe_nr(&c->ring, &c->cqe, 1);
}

static long wait_cqes(struct fault_ctx *c)
{
	return io_uring_wait_cqes(&c->ring, &c->cqe, 1, &one_second, NULL);
}

static long wait_cqe_timeout(struct fault_ctx *c)
{
	return io_uring_wait_cqe_timeout(&c->ring, &c->cqe, &one_second);
}

static long wait_cqes_min_timeout(struct fault_ctx *c)
{
	return io_uring_wait_cqes_min_timeout(&c->ring, &c->cqe, 1, &one_second, 10, NULL);
}

static long submit_and_wait_timeout(struct fault_ctx *c)
{
	return io_uring_submit_and_wait_timeout(&c->ring, &c->cqe, 1, &one_second, NULL);
}

static long submit_and_wait_min_timeout(struct fault_ctx *c)
{
	return io_uring_submit_and_wait_min_timeout(&c->ring, &c->cqe, 1, &one_second, 10, NULL);
}

static void with_wait_args(struct fault_ctx *c)
{
	static struct io_uring_reg_wait args[4];

	busy_ring(c);
	fake.ring->wait_args = args;
	fake.ring->wait_args_sz = sizeof(args);
}

static long submit_and_wait_reg(struct fault_ctx *c)
{
	return io_uring_submit_and_wait_reg(&c->ring, &c->cqe, 1, 1);
}

static long peek_cqe(struct fault_ctx *c)
{
	return io_uring_peek_cqe(&c->ring, &c->cqe);
}

static long peek_batch(struct fault_ctx *c)
{
	unsigned n = io_uring_peek_batch_cqe(&c->ring, c->cqes, 8);

	return n ? (long)n : FAULTS_NULL;
}

static long get_sqe(struct fault_ctx *c)
{
	struct io_uring_sqe *sqe = (io_uring_get_sqe)(&c->ring);

	if (sqe)
		io_uring_prep_nop(sqe);
	return sqe ? 0 : FAULTS_NULL;
}

/* It gave the request that was in flight; nothing was lost. */
static void check_cqe(struct fault_ctx *c)
{
	assert_non_null(c->cqe);
	assert_true(c->cqe->user_data == 1 || c->cqe->user_data == 116);
	io_uring_cqe_seen(&c->ring, c->cqe);
}

static void all_taken(struct fault_ctx *c)
{
	assert_int_equal(io_uring_sq_ready(&c->ring), 0);
	assert_int_equal(fake_taken(fake.ring, fake.ring->nr_taken - 1)->user_data, 3);
}

static void all_taken_and_cqe(struct fault_ctx *c)
{
	assert_int_equal(io_uring_sq_ready(&c->ring), 0);
	check_cqe(c);
}

#define SUBMITS FAULTS_SUBMITS
#define CQE FAULTS_GIVES_CQE

const struct fault_row submit_rows[] = {
	{ "io_uring_submit", "", busy_ring, submit, 2, SUBMITS, all_taken },
	{ "io_uring_submit", "rewinding", rewinding, submit, 2, SUBMITS, all_taken },
	{ "io_uring_submit", "registered", registered_busy_ring, submit, 2, SUBMITS, all_taken },
	{ "io_uring_submit", "SQPOLL", sleeping_thread, submit, 2, SUBMITS, all_taken },
	{ "io_uring_submit", "overflow", overflown, submit, 0, SUBMITS, NULL },
	{ "io_uring_submit_and_wait", "", busy_ring, submit_and_wait, 2, SUBMITS, all_taken },
	{ "io_uring_submit_and_wait", "SQPOLL", sleeping_thread, submit_and_wait, 2, SUBMITS,
	  all_taken },
	{ "io_uring_submit_and_get_events", "", busy_ring, submit_and_get_events, 2, SUBMITS,
	  all_taken },
	{ "io_uring_submit_and_get_events", "overflow", overflown_busy, submit_and_get_events, 2,
	  SUBMITS, all_taken },
	{ "io_uring_get_events", "", overflown, get_events, 0, 0, NULL },
	{ "__io_uring_sqring_wait", "", full_polled_ring, wait_for_room, 0, SUBMITS, NULL },
	{ "io_uring_sqring_wait", "", full_polled_ring, sqring_wait, 0, SUBMITS, NULL },
	{ "io_uring_enter", "", busy_ring, enter, 0, 0, NULL },
	{ "io_uring_enter2", "", busy_ring, enter2, 0, 0, NULL },
	{ "__io_uring_get_cqe", "", busy_ring, get_cqe, 0, CQE, check_cqe },
	{ "io_uring_wait_cqe", "", busy_ring, wait_cqe, 0, CQE, check_cqe },
	{ "io_uring_wait_cqe_nr", "", busy_ring, wait_cqe_nr, 0, CQE, check_cqe },
	{ "io_uring_wait_cqe_nr", "registered", registered_busy_ring, wait_cqe_nr, 0, CQE,
	  check_cqe },
	{ "io_uring_wait_cqes", "", busy_ring, wait_cqes, 0, CQE, check_cqe },
	{ "io_uring_wait_cqes", "no EXT_ARG", busy_no_ext_arg, wait_cqes, 0, CQE | SUBMITS,
	  all_taken_and_cqe },
	{ "io_uring_wait_cqe_timeout", "", busy_ring, wait_cqe_timeout, 0, CQE, check_cqe },
	{ "io_uring_wait_cqe_timeout", "no EXT_ARG", busy_no_ext_arg, wait_cqe_timeout, 0,
	  CQE | SUBMITS, all_taken_and_cqe },
	{ "io_uring_wait_cqes_min_timeout", "", busy_ring, wait_cqes_min_timeout, 0, CQE,
	  check_cqe },
	{ "io_uring_submit_and_wait_timeout", "", busy_ring, submit_and_wait_timeout, 2,
	  CQE | SUBMITS, all_taken_and_cqe },
	{ "io_uring_submit_and_wait_timeout", "rewinding", rewinding, submit_and_wait_timeout, 2,
	  CQE | SUBMITS, all_taken_and_cqe },
	{ "io_uring_submit_and_wait_timeout", "no EXT_ARG", busy_no_ext_arg,
	  submit_and_wait_timeout, 2, CQE | SUBMITS, all_taken_and_cqe },
	{ "io_uring_submit_and_wait_min_timeout", "", busy_ring, submit_and_wait_min_timeout, 2,
	  CQE | SUBMITS, all_taken_and_cqe },
	{ "io_uring_submit_and_wait_reg", "", with_wait_args, submit_and_wait_reg, 2,
	  CQE | SUBMITS, all_taken_and_cqe },
	{ "io_uring_peek_cqe", "", overflown, peek_cqe, 0, CQE, check_cqe },
	{ "io_uring_peek_batch_cqe", "", overflown, peek_batch, 2, FAULTS_SAYS_NULL, NULL },
	{ "io_uring_get_sqe", "", busy_ring, get_sqe, 0, FAULTS_NO_CALLS, NULL },
};

const unsigned nr_submit_rows = ARRAY_LEN(submit_rows);
