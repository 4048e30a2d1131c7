/* SPDX-License-Identifier: MIT */
/*
 * SQEs on their way to the kernel, and their slots on the way back. The kernel's
 * thread posts no CQE, so that the words of the SQ alone put the two in order.
 */
#include "order_kernel.h"

#define ENTRIES 8
#define FEATURES IORING_FEAT_EXT_ARG

static unsigned nr_seen;	/* of the kernel's thread */

/* Every byte that the two write and read says which SQE it is. */
static void fill(struct io_uring_sqe *sqe, unsigned seq)
{
	io_uring_prep_rw(IORING_OP_READ, sqe, (int)seq, NULL, seq, ~(__u64)seq);
	sqe->user_data = seq;
	sqe->addr3 = seq ^ 0x5a5a5a5a;
}

static void see(const struct io_uring_sqe *sqe)
{
	unsigned seq = nr_seen++;

	order_check(sqe->opcode == IORING_OP_READ);
	order_check(sqe->fd == (int)seq);
	order_check(sqe->len == seq);
	order_check(sqe->off == ~(__u64)seq);
	order_check(sqe->user_data == seq);
	order_check(sqe->addr3 == (seq ^ 0x5a5a5a5a));
}

static void see_double(const struct io_uring_sqe *sqe)
{
	see(sqe);
	order_check(sqe[1].user_data == ~(__u64)(nr_seen - 1));
	order_check(sqe[1].off == nr_seen - 1);
}

static void fill_double(struct io_uring_sqe *sqe, unsigned seq)
{
	fill(sqe, seq);
	sqe[1].user_data = ~(__u64)seq;
	sqe[1].off = seq;
}

/* Now all, now some of what there is; and as if it were about to sleep, sometimes. */
static void poll_sq(void)
{
	unsigned nr_turns = 0;

	while (!order_stopped()) {
		order_take(1 + nr_turns % ENTRIES,
			   order.flags & IORING_SETUP_SQE128 ? see_double : see);
		if (++nr_turns % 16 == 0)
			order_set_flag(IORING_SQ_NEED_WAKEUP, nr_turns % 32 == 0);
		if (nr_turns % 8 == 0)
			order_set_flag(IORING_SQ_CQ_OVERFLOW, nr_turns % 64 == 0);
		order_pause();
	}
}

/* Big SQEs, and the fillers between them, on a ring where most are small. */
static void see_mixed(const struct io_uring_sqe *sqe)
{
	static const struct io_uring_sqe *second;

	if (second) {
		order_check(sqe == second && sqe->user_data == ~(__u64)(nr_seen - 1));
		second = NULL;
	} else if (sqe->opcode != IORING_OP_NOP) {
		see(sqe);
		second = sqe + 1;
	}
}

static void poll_mixed_sq(void)
{
	while (!order_stopped()) {
		order_take(ENTRIES, see_mixed);
		order_pause();
	}
}

static void wait_for_room(struct io_uring *ring)
{
	order_pause();
}

static void ask_for_room(struct io_uring *ring)
{
	while (!io_uring_sq_space_left(ring))
		order_pause();
	assert_in_range(io_uring_sq_ready(ring), 0, ENTRIES - 1);
}

static void sleep_for_room(struct io_uring *ring)
{
	assert_true(io_uring_sqring_wait(ring) >= 0);
}

static int submit_and_wait_none(struct io_uring *ring)
{
	return io_uring_submit_and_wait(ring, 0);
}

static int submit_and_wait_no_time(struct io_uring *ring)
{
	struct __kernel_timespec ts = { .tv_sec = 1 };
	struct io_uring_cqe *cqe;

	return io_uring_submit_and_wait_timeout(ring, &cqe, 0, &ts, NULL);
}

/*
 * SQEs in batches of 1 to ENTRIES / 2, submitted in one way. However fast the
 * thread takes them, each submit counts what is new.
 */
static void run(unsigned flags, int (*submit)(struct io_uring *ring),
		void (*make_room)(struct io_uring *ring))
{
	struct io_uring_sqe *sqe;
	struct io_uring ring;
	unsigned seq, nr_new = 0;

	nr_seen = 0;
	order_open(&ring, ENTRIES, 2 * ENTRIES, flags, FEATURES);
	order_start(poll_sq);
	for (seq = 0; seq < ORDER_TIMES;) {
		sqe = io_uring_get_sqe(&ring);
		if (!sqe) {
			make_room(&ring);
			continue;
		}
		if (flags & IORING_SETUP_SQE128)
			fill_double(sqe, seq);
		else
			fill(sqe, seq);
		seq++;
		nr_new++;
		if (seq % (1 + seq / 16 % (ENTRIES / 2)) == 0) {
			assert_in_range(submit(&ring), nr_new, ENTRIES);
			nr_new = 0;
		}
	}
	assert_in_range(io_uring_submit(&ring), nr_new, ENTRIES);
	order_close(&ring);
	assert_int_equal(nr_seen, ORDER_TIMES);
}

static void test_submit(void **state)
{
	run(IORING_SETUP_SQPOLL, io_uring_submit, wait_for_room);
}

static void test_submit_big(void **state)
{
	run(IORING_SETUP_SQPOLL | IORING_SETUP_SQE128, io_uring_submit, wait_for_room);
}

static void test_submit_and_wait(void **state)
{
	run(IORING_SETUP_SQPOLL, submit_and_wait_none, wait_for_room);
}

static void test_submit_and_get_events(void **state)
{
	run(IORING_SETUP_SQPOLL, io_uring_submit_and_get_events, wait_for_room);
}

static void test_submit_and_wait_timeout(void **state)
{
	run(IORING_SETUP_SQPOLL, submit_and_wait_no_time, wait_for_room);
}

static void test_room_that_is_counted(void **state)
{
	run(IORING_SETUP_SQPOLL, io_uring_submit, ask_for_room);
}

static void test_room_that_is_waited_for(void **state)
{
	run(IORING_SETUP_SQPOLL, io_uring_submit, sleep_for_room);
}

/* No polling thread: the enter takes the SQEs, and the program's head is plain. */
static void test_plain(void **state)
{
	run(0, io_uring_submit, wait_for_room);
}

static void test_plain_and_wait(void **state)
{
	run(0, submit_and_wait_none, wait_for_room);
}

static void test_plain_big(void **state)
{
	run(IORING_SETUP_SQE128, io_uring_submit, wait_for_room);
}

static void test_mixed(void **state)
{
	struct io_uring_sqe *sqe;
	struct io_uring ring;
	unsigned seq;

#ifdef LIBURING_DEBUG
	skip_because("a debug build knows big SQEs by their opcodes, and reads are not among them");
#endif
	nr_seen = 0;
	order_open(&ring, ENTRIES, 2 * ENTRIES, IORING_SETUP_SQPOLL | IORING_SETUP_SQE_MIXED,
		   FEATURES);
	order_start(poll_mixed_sq);
	/* Small ones, of which the thread sees nothing, so that big ones meet the end. */
	for (seq = 0; seq < ORDER_TIMES;) {
		if (seq % 3 == 0) {
			sqe = io_uring_get_sqe(&ring);
			if (sqe)
				io_uring_prep_nop(sqe);
		}
		sqe = io_uring_get_sqe128(&ring);
		if (sqe)
			fill_double(sqe, seq++);
		else
			order_pause();
		assert_true(io_uring_submit(&ring) >= 0);
	}
	order_close(&ring);
	assert_int_equal(nr_seen, ORDER_TIMES);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		order_test(test_submit),
		order_test(test_submit_big),
		order_test(test_submit_and_wait),
		order_test(test_submit_and_get_events),
		order_test(test_submit_and_wait_timeout),
		order_test(test_room_that_is_counted),
		order_test(test_room_that_is_waited_for),
		order_test(test_plain),
		order_test(test_plain_and_wait),
		order_test(test_plain_big),
		order_test(test_mixed),
	};

	return cmocka_run_group_tests_name("submit", tests, NULL, NULL);
}
