/* SPDX-License-Identifier: MIT */
/*
 * The debug build: what is just not a mistake, and more rings than it can tell
 * apart.
 */
#include "mistake.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define DEFER (IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN)
/* All that the library can tell apart. */
#define MAX_RINGS 4096
#define NR_FIELDS 10

static int fd_that_is_none = -1;

/* One field that is not zero, and the SQE was prepared. */
static void set_one_field(void)
{
	struct io_uring *ring = ring_flags(0);
	struct io_uring_sqe *sqe;
	struct io_uring_cqe *cqe;
	unsigned i;

	for (i = 0; i < NR_FIELDS; i++) {
		sqe = io_uring_get_sqe(ring);
		need(sqe);
		switch (i) {
		case 0: sqe->ioprio = 1; break;
		case 1: sqe->fd = 1; break;
		case 2: sqe->off = 1; break;
		case 3: sqe->addr = 1; break;
		case 4: sqe->len = 1; break;
		case 5: sqe->rw_flags = 1; break;
		case 6: sqe->buf_index = 1; break;
		case 7: sqe->file_index = 1; break;
		case 8: sqe->addr3 = 1; break;
		default: sqe->__pad2[0] = 1; break;
		}
		need(io_uring_submit_and_wait(ring, 1) == 1);
		need(io_uring_wait_cqe(ring, &cqe) == 0);
		io_uring_cqe_seen(ring, cqe);
	}
	io_uring_queue_exit(ring);
}

/* The kernel sees to the bounds of registered buffers. */
static void read_into_registered(void)
{
	struct io_uring *ring = ring_flags(0);
	char *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct io_uring_cqe *cqe;

	need(page != MAP_FAILED && munmap(page, 4096) == 0);
	io_uring_prep_read_fixed(io_uring_get_sqe(ring), fd_that_is_none, page, 100, 0, 0);
	need(io_uring_submit_and_wait(ring, 1) == 1);
	need(io_uring_wait_cqe(ring, &cqe) == 0 && cqe->res < 0);
}

static void test_prepared(void **state)
{
	expect_silence(set_one_field);
	expect_silence(read_into_registered);
}

/* Only all three together are a slot that was released. */
static void read_what_looks_released(void)
{
	struct io_uring_cqe cqe = { .user_data = 0xcececececececeULL };

	io_uring_cqe_get_data64(&cqe);
	cqe.user_data = 0xcecececececececeULL;
	io_uring_cqe_get_data64(&cqe);
	cqe.res = (int)0xcecececeU;
	need(io_uring_cqe_get_data64(&cqe) == cqe.user_data);
	cqe.flags = 0xcecececdU;
	io_uring_cqe_get_data64(&cqe);
}

static void test_released(void **state)
{
	expect_silence(read_what_looks_released);
}

/* Something is in flight that ends the wait. */
static void wait_with_one_in_flight(void)
{
	struct __kernel_timespec ts = { .tv_nsec = 10000000 };
	struct io_uring *ring = ring_flags(0);
	struct io_uring_cqe *cqe;

	io_uring_prep_timeout(io_uring_get_sqe(ring), &ts, 0, 0);
	need(io_uring_submit(ring) == 1);
	queue_nop(ring, 1);
	need(io_uring_wait_cqe(ring, &cqe) == 0 && cqe->res == -ETIME);
	io_uring_cqe_seen(ring, cqe);
	need(io_uring_submit_and_wait(ring, 1) == 1);
}

/* Nothing was taken that a submit could pass, whoever waits. */
static void wait_with_none_taken(void)
{
	struct io_uring ring = *ring_flags(0);
	struct io_uring_cqe *cqe;

	run_nop(&ring);
	/* The enter fails at once, so that the wait does not last. */
	ring.enter_ring_fd = -1;
	need(io_uring_wait_cqe(&ring, &cqe) == -EBADF);
}

static void submit_to_a_polling_thread(void)
{
	struct io_uring *ring = ring_flags(IORING_SETUP_SQPOLL);
	struct io_uring_cqe *cqe;

	queue_nop(ring, 1);
	need(io_uring_submit(ring) >= 0);
	need(io_uring_sqring_wait(ring) >= 0);
	need(__io_uring_sqring_wait(ring) >= 0);
	need(io_uring_wait_cqe(ring, &cqe) == 0);
}

static void submit_and_reap_nothing(void)
{
	struct io_uring *ring = ring_flags(DEFER);

	need(io_uring_submit_and_get_events(ring) == 0);
	need(io_uring_submit_and_get_events(ring_flags(0)) == 0);
}

static void test_waits(void **state)
{
	expect_silence(wait_with_one_in_flight);
	expect_silence(wait_with_none_taken);
	expect_silence(submit_to_a_polling_thread);
	expect_silence(submit_and_reap_nothing);
}

static void enable_as_it_pleases(void)
{
	struct io_uring *ring = ring_flags(IORING_SETUP_R_DISABLED);

	need(io_uring_enable_rings(ring) == 0);
	need(io_uring_enable_rings(ring) < 0);
	run_nop(ring);
	io_uring_queue_exit(ring);
	ring = ring_flags(IORING_SETUP_R_DISABLED | IORING_SETUP_SINGLE_ISSUER);
	need(io_uring_enable_rings(ring) == 0);
	need(io_uring_enable_rings(ring) < 0);
	run_nop(ring);
}

/* The program gave the memory back by itself, and the next ring lies there. */
static void map_in_the_same_place(void)
{
	struct io_uring_params p = { 0 };
	struct io_uring ring;
	unsigned i;
	int fd;

	for (i = 0; i < 3; i++) {
		memset(&p, 0, sizeof(p));
		fd = io_uring_setup(4, &p);
		need(fd >= 0 && io_uring_queue_mmap(fd, &p, &ring) == 0);
		run_nop(&ring);
		need(munmap(ring.sq.sqes, ring.sq.sqes_sz) == 0);
		need(munmap(ring.cq.ring_ptr, ring.cq.ring_sz) == 0);
		if (ring.sq.ring_ptr != ring.cq.ring_ptr)
			need(munmap(ring.sq.ring_ptr, ring.sq.ring_sz) == 0);
		need(close(fd) == 0);
	}
}

static void test_made(void **state)
{
	expect_silence(enable_as_it_pleases);
	expect_silence(map_in_the_same_place);
}

/* Rings of which there is no more than the words that the checks look at. */
static struct {
	unsigned head, tail, flags, mask;
} __attribute__((aligned(64))) words[MAX_RINGS + 1];

static struct io_uring *ring_in_memory(unsigned idx)
{
	static struct io_uring ring;

	memset(&ring, 0, sizeof(ring));
	ring.ring_fd = ring.enter_ring_fd = -1;
	ring.features = IORING_FEAT_EXT_ARG;
	ring.sq.sqes = (struct io_uring_sqe *)words;
	ring.sq.khead = ring.cq.khead = &words[idx].head;
	ring.sq.ktail = ring.cq.ktail = &words[idx].tail;
	ring.sq.kflags = &words[idx].flags;
	return &ring;
}

static void use_all(void)
{
	unsigned i;

	for (i = 0; i < MAX_RINGS; i++)
		io_uring_cq_advance(ring_in_memory(i), 0);
}

/* Rings beyond those that are known work, also where threads change. */
static void use_one_more(void)
{
	struct io_uring_params p = { .sq_entries = 16 };
	struct io_uring_cqe *cqe;
	struct io_uring *ring;

	use_all();
	ring = ring_in_memory(MAX_RINGS);
	io_uring_cq_advance(ring, 0);
	need(io_uring_wait_cqe(ring, &cqe) == -EBADF);
	io_uring_queue_exit(ring);

	ring = ring_flags(0);
	run_nop(ring);
	run_in_thread(run_nop, ring);
	io_uring_queue_exit(ring);
	ring = ring_flags(IORING_SETUP_R_DISABLED | IORING_SETUP_SINGLE_ISSUER);
	need(io_uring_enable_rings(ring) == 0);
	run_nop(ring);
	io_uring_queue_exit(ring);
	ring = ring_flags(IORING_SETUP_SINGLE_ISSUER);
	run_nop(ring);
	io_uring_queue_exit(ring);

	ring = ring_flags(DEFER);
	run_nop(ring);
	if (io_uring_resize_rings(ring, &p) == 0)
		run_nop(ring);
	io_uring_queue_exit(ring);
}

/* What needs no memory of a ring's past is still found. */
static void advance_one_more(void)
{
	use_all();
	io_uring_cq_advance(ring_in_memory(MAX_RINGS), 1);
}

/* The place of one that was given up is another's. */
static void take_a_free_place(void)
{
	use_all();
	io_uring_queue_exit(ring_in_memory(100));
	io_uring_cq_advance(ring_in_memory(100), 0);
	io_uring_queue_exit(ring_in_memory(100));
	io_uring_queue_exit(ring_in_memory(100));
}

static void exit_of_none(void)
{
	struct io_uring ring;

	memset(&ring, 0, sizeof(ring));
	ring.ring_fd = -1;
	io_uring_queue_exit(&ring);
	ring.sq.sqes = (struct io_uring_sqe *)words;
	io_uring_queue_exit(&ring);
	io_uring_queue_exit(&ring);
	need(liburing_debug_report(NULL) != NULL);
}

static void test_many(void **state)
{
	expect_silence(use_one_more);
	expect_abort(advance_one_more, "io_uring_cq_advance", "releases 1 CQ slots where 0");
	expect_silence(take_a_free_place);
	expect_silence(exit_of_none);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_prepared),
		cmocka_unit_test(test_released),
		cmocka_unit_test(test_waits),
		cmocka_unit_test(test_made),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
