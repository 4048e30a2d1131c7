/* SPDX-License-Identifier: MIT */
/*
 * Each mistake that the debug build knows, and beside it the correct use that looks
 * most like it.
 */
#include "mistake.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

/* Releasing */

static void advance_too_far(void)
{
	struct io_uring *ring = ring_flags(0);

	queue_nop(ring, 1);
	queue_nop(ring, 2);
	need(io_uring_submit_and_wait(ring, 2) == 2);
	io_uring_cq_advance(ring, 3);
}

static void advance_by_all(void)
{
	struct io_uring *ring = ring_flags(0);
	unsigned lap;

	for (lap = 0; lap < 10; lap++) {
		queue_nop(ring, 1);
		queue_nop(ring, 2);
		need(io_uring_submit_and_wait(ring, 2) == 2);
		io_uring_cq_advance(ring, 2);
		io_uring_cq_advance(ring, 0);
	}
}

static void test_advance(void **state)
{
	expect_abort(advance_too_far, "io_uring_cq_advance", "releases 3 CQ slots where 2 are filled");
	expect_silence(advance_by_all);
}

static void seen_second_first(void)
{
	struct io_uring *ring = ring_flags(0);
	struct io_uring_cqe *cqes[2];

	queue_nop(ring, 1);
	queue_nop(ring, 2);
	need(io_uring_submit_and_wait(ring, 2) == 2);
	need(io_uring_peek_batch_cqe(ring, cqes, 2) == 2);
	io_uring_cqe_seen(ring, cqes[1]);
}

static void seen_twice(void)
{
	struct io_uring *ring = ring_flags(0);
	struct io_uring_cqe *cqe;

	queue_nop(ring, 1);
	need(io_uring_submit_and_wait(ring, 1) == 1);
	need(io_uring_wait_cqe(ring, &cqe) == 0);
	io_uring_cqe_seen(ring, cqe);
	io_uring_cqe_seen(ring, cqe);
}

static void seen_in_order(void)
{
	struct io_uring *ring = ring_flags(0);
	struct io_uring_cqe *cqes[2], *cqe;
	unsigned lap, head;

	for (lap = 0; lap < 20; lap++) {
		queue_nop(ring, 1);
		queue_nop(ring, 2);
		need(io_uring_submit_and_wait(ring, 2) == 2);
		if (lap % 2) {
			need(io_uring_peek_batch_cqe(ring, cqes, 2) == 2);
			io_uring_cqe_seen(ring, cqes[0]);
			io_uring_cqe_seen(ring, cqes[1]);
		} else {
			io_uring_for_each_cqe(ring, head, cqe)
				io_uring_cqe_seen(ring, cqe);
		}
		io_uring_cqe_seen(ring, NULL);
	}
}

static void test_seen(void **state)
{
	expect_abort(seen_second_first, "io_uring_cqe_seen", "but the oldest is");
	expect_abort(seen_twice, "io_uring_cqe_seen", "the CQ is empty");
	expect_silence(seen_in_order);
}

static void read_data_after_seen(void)
{
	struct io_uring *ring = ring_flags(0);
	struct io_uring_cqe *cqe;

	queue_nop(ring, 1);
	need(io_uring_submit_and_wait(ring, 1) == 1);
	need(io_uring_wait_cqe(ring, &cqe) == 0);
	io_uring_cqe_seen(ring, cqe);
#ifndef __SANITIZE_ADDRESS__ /* which does not let it be read at all */
	/* Whoever reads a field does not read what it was. */
	need(cqe->res != 0 && cqe->user_data != 1);
#endif
	io_uring_cqe_get_data64(cqe);
}

static void read_data_before_seen(void)
{
	struct io_uring *ring = ring_flags(0);
	struct io_uring_cqe *cqe, copy;

	queue_nop(ring, 1);
	need(io_uring_submit_and_wait(ring, 1) == 1);
	need(io_uring_wait_cqe(ring, &cqe) == 0);
	memcpy(&copy, cqe, sizeof(copy));
	need(io_uring_cqe_get_data(cqe) == (void *)1);
	io_uring_cqe_seen(ring, cqe);
	need(io_uring_cqe_get_data64(&copy) == 1 && copy.res == 0);
}

static void test_released_cqe(void **state)
{
	expect_abort(read_data_after_seen, "io_uring_cqe_get_data64", "was released");
	expect_silence(read_data_before_seen);
}

/* Submitting */

static void submit_unprepared(void)
{
	struct io_uring *ring = ring_flags(0);

	queue_nop(ring, 1);
	io_uring_sqe_set_data64(io_uring_get_sqe(ring), 77);
	io_uring_submit(ring);
}

static void wait_with_unprepared(void)
{
	struct __kernel_timespec ts = { .tv_sec = 1 };
	struct io_uring *ring = ring_flags(0);
	struct io_uring_cqe *cqe;

	need(io_uring_get_sqe(ring));
	io_uring_submit_and_wait_timeout(ring, &cqe, 1, &ts, NULL);
}

/* Requests of which almost every field is zero. */
static void submit_nearly_zero(void)
{
	struct io_uring *ring = ring_flags(0);

	queue_nop(ring, 0);
	io_uring_prep_fsync(io_uring_get_sqe(ring), 0, 0);
	io_uring_prep_poll_remove(io_uring_get_sqe(ring), 0);
	need(io_uring_submit_and_wait(ring, 3) == 3);
}

static void test_unprepared(void **state)
{
	expect_abort(submit_unprepared, "io_uring_submit", "(user_data 0x4d) was taken and never prepared");
	expect_abort(wait_with_unprepared, "io_uring_submit_and_wait_timeout", "never prepared");
	expect_silence(submit_nearly_zero);
}

static char *map_pages(void)
{
	char *ptr = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	need(ptr != MAP_FAILED);
	return ptr;
}

static void send_unmapped(void)
{
	struct io_uring *ring = ring_flags(0);
	char *ptr = map_pages();

	munmap(ptr + 4096, 4096);
	io_uring_prep_write(io_uring_get_sqe(ring), 1, ptr + 4000, 100, 0);
	io_uring_submit_and_get_events(ring);
}

static void read_unmapped_iovecs(void)
{
	struct io_uring *ring = ring_flags(0);
	char *ptr = map_pages();

	munmap(ptr, 8192);
	io_uring_prep_readv(io_uring_get_sqe(ring), 0, (struct iovec *)ptr, 1, 0);
	io_uring_submit(ring);
}

/* The kernel says -EFAULT of the second itself. */
static void write_mapped(void)
{
	struct io_uring *ring = ring_flags(0);
	struct io_uring_cqe *cqe;
	char *ptr = map_pages();
	int fds[2];

	need(pipe(fds) == 0);
	io_uring_prep_write(io_uring_get_sqe(ring), fds[1], ptr + 4000, 4192, 0);
	need(io_uring_submit_and_wait(ring, 1) == 1);
	need(io_uring_wait_cqe(ring, &cqe) == 0 && cqe->res == 4192);
	io_uring_cqe_seen(ring, cqe);
	io_uring_prep_write(io_uring_get_sqe(ring), fds[1], NULL, 100, 0);
	need(io_uring_submit_and_wait(ring, 1) == 1);
	need(io_uring_wait_cqe(ring, &cqe) == 0 && cqe->res == -EFAULT);
}

static void test_unmapped(void **state)
{
	expect_abort(send_unmapped, "io_uring_submit_and_get_events", "IORING_OP_WRITE (23)");
#ifndef __SANITIZE_ADDRESS__ /* whose own check, which comes first, reads the array */
	expect_abort(read_unmapped_iovecs, "io_uring_submit", "the iovec array");
#else
	(void)read_unmapped_iovecs;
#endif
	expect_silence(write_mapped);
}

static void link_at_the_end(void)
{
	struct io_uring *ring = ring_flags(0);
	unsigned i;

	for (i = 0; i < 3; i++) {
		queue_nop(ring, 1);
		io_uring_sqe_set_flags(queue_nop(ring, 2), IOSQE_IO_LINK);
		need(io_uring_submit_and_wait(ring, 2) == 2);
	}
}

static void link_before_the_end(void)
{
	struct io_uring *ring = ring_flags(0);

	io_uring_sqe_set_flags(queue_nop(ring, 1), IOSQE_IO_LINK);
	io_uring_sqe_set_flags(queue_nop(ring, 2), IOSQE_IO_HARDLINK);
	queue_nop(ring, 3);
	need(io_uring_submit(ring) == 3);
	need(io_uring_submit(ring) == 0);
}

static void test_link(void **state)
{
	expect_warning(link_at_the_end, "io_uring_submit_and_wait", "has a link flag");
	expect_silence(link_before_the_end);
}

/* Waiting and peeking */

static void wait_unsubmitted(void)
{
	struct io_uring *ring = ring_flags(0);
	struct io_uring_cqe *cqe;

	run_nop(ring);
	queue_nop(ring, 1);
	interrupt_soon();
	need(io_uring_wait_cqe(ring, &cqe) == -EINTR);
	need(io_uring_wait_cqe(ring, &cqe) == -EINTR);
}

static void wait_for_two_of_one(void)
{
	struct io_uring *ring = ring_flags(0);
	struct io_uring_cqe *cqe;

	queue_nop(ring, 1);
	need(io_uring_submit_and_wait(ring, 1) == 1);
	queue_nop(ring, 2);
	interrupt_soon();
	io_uring_wait_cqes(ring, &cqe, 2, NULL, NULL);
}

static void take_one(struct io_uring *ring)
{
	queue_nop(ring, 1);
}

/* Something else ends the wait: a request in flight, the time, another thread. */
static void wait_for_others(void)
{
	struct __kernel_timespec ts = { .tv_nsec = 30000000 };
	struct io_uring *ring = ring_flags(0);
	struct io_uring_cqe *cqe;

	io_uring_prep_timeout(io_uring_get_sqe(ring), &ts, 0, 0);
	need(io_uring_submit(ring) == 1);
	queue_nop(ring, 1);
	need(io_uring_wait_cqe(ring, &cqe) == 0);
	io_uring_cqe_seen(ring, cqe);
	need(io_uring_wait_cqe_timeout(ring, &cqe, &ts) == -ETIME);
	need(io_uring_peek_cqe(ring, &cqe) == -EAGAIN);
	need(io_uring_submit(ring) == 1);
	need(io_uring_wait_cqe(ring, &cqe) == 0);
	io_uring_cqe_seen(ring, cqe);

	run_in_thread(take_one, ring);
	interrupt_soon();
	need(io_uring_wait_cqe(ring, &cqe) == -EINTR);
}

static void test_unsubmitted(void **state)
{
	expect_warning(wait_unsubmitted, "io_uring_wait_cqe",
		       "waits for 1 CQEs while nothing is in flight, and 1 SQEs");
	expect_warning(wait_for_two_of_one, "io_uring_wait_cqes", "waits for 2 CQEs");
	expect_silence(wait_for_others);
}

static void peek_deferred(void)
{
	struct io_uring *ring = ring_flags(DEFER);
	struct io_uring_cqe *cqe;
	char bytes[8];
	int fds[2], i;

	need(pipe(fds) == 0);
	io_uring_prep_read(io_uring_get_sqe(ring), fds[0], bytes, sizeof(bytes), 0);
	need(io_uring_submit(ring) == 1);
	need(write(fds[1], "abc", 3) == 3);
	for (i = 0; i < 100; i++)
		need(io_uring_peek_cqe(ring, &cqe) == -EAGAIN);
	need(io_uring_get_events(ring) == 0);
	need(io_uring_peek_cqe(ring, &cqe) == 0);
}

static void peek_batch_deferred(void)
{
	struct io_uring *ring = ring_flags(DEFER);
	struct io_uring_cqe *cqes[4];

	need(io_uring_peek_batch_cqe(ring, cqes, 4) == 0);
}

static void peek_deferred_with_flag(void)
{
	struct io_uring *ring = ring_flags(DEFER | IORING_SETUP_TASKRUN_FLAG);
	struct io_uring_cqe *cqe;

	need(io_uring_peek_cqe(ring, &cqe) == -EAGAIN);
	need(io_uring_peek_cqe(ring, &cqe) == -EAGAIN);
}

/* A peek ends the loop that takes what an enter brought in. */
static void peek_to_the_end(void)
{
	struct io_uring *ring = ring_flags(DEFER);
	struct io_uring_cqe *cqe;
	unsigned lap;

	for (lap = 0; lap < 5; lap++) {
		queue_nop(ring, 1);
		queue_nop(ring, 2);
		need(io_uring_submit_and_wait(ring, 1) == 2);
		while (io_uring_peek_cqe(ring, &cqe) == 0)
			io_uring_cqe_seen(ring, cqe);
	}
}

static void test_deferred(void **state)
{
	require_flags(DEFER);
	expect_warning(peek_deferred, "io_uring_peek_cqe", "IORING_SETUP_TASKRUN_FLAG");
	expect_warning(peek_batch_deferred, "io_uring_peek_batch_cqe", "io_uring_get_events");
	expect_silence(peek_deferred_with_flag);
	expect_silence(peek_to_the_end);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_advance),
		cmocka_unit_test(test_seen),
		cmocka_unit_test(test_released_cqe),
		cmocka_unit_test(test_unprepared),
		cmocka_unit_test(test_unmapped),
		cmocka_unit_test(test_link),
		cmocka_unit_test(test_unsubmitted),
		cmocka_unit_test(test_deferred),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
