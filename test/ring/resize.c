/* SPDX-License-Identifier: MIT */
/*
 * Changing the size of a ring in use: what is queued and what is not reaped come
 * along in order, and a resize that fails leaves the ring as it was.
 */
#include "test.h"

#include "ring.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>

#define DEFER (IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN)
#define BIG (IORING_SETUP_SQE128 | IORING_SETUP_CQE32)
#define BAD_OPCODE 250

static const struct ring_kind kinds[] = {
	{ .name = "DEFER_TASKRUN", .flags = DEFER },
	{ .name = "SQE128", .flags = DEFER | IORING_SETUP_SQE128 },
	{ .name = "CQE32", .flags = DEFER | IORING_SETUP_CQE32 },
	{ .name = "SQE128|CQE32", .flags = DEFER | BIG },
	{ .name = "CQE_MIXED", .flags = DEFER | IORING_SETUP_CQE_MIXED },
	{ .name = "index array", .flags = DEFER, .own_setup = true },
	{ .name = "index array, SQE128|CQE32", .flags = DEFER | BIG, .own_setup = true },
};
static struct io_uring ring;
static struct holdings before;

static void open_ring(void **state, unsigned entries)
{
	struct io_uring_params p = { .sq_entries = entries };

	holdings_take(&before);
	ring_open(&ring, entries, *state);
	require_ret("a resize", io_uring_resize_rings(&ring, &p));
}

static void close_ring(void)
{
	io_uring_queue_exit(&ring);
	holdings_same(&before);
}

static int resize(unsigned sq_entries, unsigned cq_entries)
{
	const struct io_uring_params asked = {
		.sq_entries = sq_entries,
		.cq_entries = cq_entries,
		.flags = cq_entries ? IORING_SETUP_CQSIZE : 0,
	};
	struct io_uring_params p;
	unsigned nr_tries = 0;
	int ret;

	do {
		p = asked;
		ret = io_uring_resize_rings(&ring, &p);
		assert_int_equal(p.flags, 0);
	} while (ring_retry(ret, &nr_tries));
	if (!ret) {
		assert_int_equal(p.sq_entries, sq_entries);
		assert_int_equal(p.cq_entries, cq_entries ? cq_entries : 2 * sq_entries);
	}
	return ret;
}

static void queue_nops(unsigned from, unsigned to)
{
	struct io_uring_sqe *sqe;

	for (; from < to; from++) {
		sqe = next_sqe(&ring);
		io_uring_prep_nop(sqe);
		io_uring_sqe_set_data64(sqe, from);
	}
}

static void reap(unsigned from, unsigned to)
{
	for (; from < to; from++)
		assert_int_equal(wait_for_tag(&ring, from), 0);
}

/* Fills the SQ and the CQ to the last slot. */
static void use_all(unsigned sq_entries, unsigned cq_entries)
{
	unsigned i, part = sq_entries < cq_entries ? sq_entries : cq_entries;

	assert_int_equal(ring.sq.ring_entries, sq_entries);
	assert_int_equal(ring.sq.ring_mask, sq_entries - 1);
	assert_int_equal(*ring.sq.kring_entries, sq_entries);
	assert_int_equal(*ring.sq.kring_mask, sq_entries - 1);
	assert_int_equal(ring.cq.ring_entries, cq_entries);
	assert_int_equal(ring.cq.ring_mask, cq_entries - 1);
	assert_int_equal(*ring.cq.kring_entries, cq_entries);
	assert_int_equal(*ring.cq.kring_mask, cq_entries - 1);
	assert_int_equal(io_uring_sq_ready(&ring), 0);
	assert_int_equal(io_uring_sq_space_left(&ring), sq_entries);

	for (i = 0; i < cq_entries; i += part) {
		queue_nops(i, i + part);
		submit_ok(&ring, part);
	}
	assert_int_equal(io_uring_cq_ready(&ring), cq_entries);
	assert_false(io_uring_cq_has_overflow(&ring));
	reap(0, cq_entries);
	queue_nops(0, sq_entries);
	assert_null(io_uring_get_sqe(&ring));
	submit_ok(&ring, sq_entries);
	reap(0, sq_entries);
}

/* The identity, and in its own place: behind the CQEs. */
static void check_array(void)
{
	size_t cqes_sz = (size_t)ring.cq.ring_entries << io_uring_cqe_shift(&ring);
	unsigned i;

	if (ring.flags & IORING_SETUP_NO_SQARRAY)
		return;
	assert_true((char *)ring.sq.array >= (char *)(ring.cq.cqes + cqes_sz));
	for (i = 0; i < ring.sq.ring_entries; i++)
		assert_int_equal(ring.sq.array[i], i);
}

static void test_sizes(void **state)
{
	static const unsigned sizes[][2] = {
		{ 64, 0 }, { 4, 0 }, { 1024, 0 }, { 8, 4096 }, { 1, 2 }, { 32768, 0 }, { 16, 16 },
	};
	const struct ring_kind *kind = *state;
	struct io_uring_params p = { 0 };
	struct holdings now;
	ssize_t sz;
	unsigned i;

	open_ring(state, 8);
	use_all(8, 16);
	for (i = 0; i < ARRAY_LEN(sizes); i++) {
		assert_int_equal(resize(sizes[i][0], sizes[i][1]), 0);
		check_array();
		use_all(sizes[i][0], sizes[i][1] ? sizes[i][1] : 2 * sizes[i][0]);

		/* Old mappings are gone, new ones are as large as need be. */
		p.flags = kind->flags | (ring.flags & IORING_SETUP_NO_SQARRAY);
		p.flags |= sizes[i][1] ? IORING_SETUP_CQSIZE : 0;
		p.cq_entries = sizes[i][1];
		sz = io_uring_memory_size_params(sizes[i][0], &p);
		holdings_take(&now);
		assert_int_equal(now.mapped_sz - before.mapped_sz, sz);
		assert_int_equal(now.nr_ring_maps, before.nr_ring_maps + 2);
	}
	close_ring();
}

/* Published and not taken, taken and not published, unreaped: all in order. */
static void test_in_flight(void **state)
{
	static const unsigned sizes[][2] = { { 64, 0 }, { 8, 16 }, { 128, 256 }, { 8, 8 } };
	struct io_uring_sqe *sqe;
	unsigned i, lap;

	open_ring(state, 8);
	for (i = 0; i < ARRAY_LEN(sizes); i++) {
		/* From another position of both rings each time. */
		for (lap = 0; lap < 5 + i; lap++) {
			queue_nops(0, 1);
			submit_ok(&ring, 1);
			reap(0, 1);
		}
		queue_nops(100, 104);
		sqe = next_sqe(&ring);
		sqe->opcode = BAD_OPCODE;
		io_uring_sqe_set_data64(sqe, 104);
		queue_nops(105, 107);
		/* The kernel stops at the bad one: two are left, published. */
		assert_int_equal(io_uring_submit(&ring), 5);
		queue_nops(107, 110);
		assert_int_equal(io_uring_sq_ready(&ring), 5);
		assert_int_equal(io_uring_cq_ready(&ring), 5);

		assert_int_equal(resize(sizes[i][0], sizes[i][1]), 0);
		check_array();
		assert_int_equal(io_uring_sq_ready(&ring), 5);
		assert_int_equal(io_uring_sq_space_left(&ring), sizes[i][0] - 5);
		assert_int_equal(io_uring_cq_ready(&ring), 5);
		queue_nops(110, 113);
		reap(100, 104);
		assert_int_equal(wait_for_tag(&ring, 104), -EINVAL);
		no_cqe(&ring);
		submit_ok(&ring, 8);
		reap(105, 113);
		no_cqe(&ring);
	}
	close_ring();
}

/* What an SQE holds beyond its first 64 bytes comes along too. */
static void test_second_half(void **state)
{
	struct io_uring_sqe *sqe;
	unsigned i;

	open_ring(state, 8);
	queue_nops(0, 3);
	submit_ok(&ring, 3);
	for (i = 0; i < 7; i++) {
		sqe = next_sqe(&ring);
		io_uring_prep_nop(sqe);
		memset(sqe + 1, (int)(0x10 + i), 64);
	}
	assert_int_equal(resize(16, 0), 0);
	for (i = 0; i < 7; i++)
		assert_true(all_bytes(&ring.sq.sqes[(i + 3) % 16 * 2 + 1], 64,
				      (unsigned char)(0x10 + i)));
	close_ring();
}

/* What overflowed the CQ comes in after a resize that made room. */
static void test_overflow(void **state)
{
	unsigned i;

	open_ring(state, 8);
	for (i = 0; i < 80; i += 8) {
		queue_nops(i, i + 8);
		submit_ok(&ring, 8);
	}
	assert_true(io_uring_cq_has_overflow(&ring));
	assert_int_equal(resize(8, 32), 0);
	reap(0, 80);
	no_cqe(&ring);
	close_ring();
}

/* The structure, and the queued SQEs, byte for byte. */
static void check_refused(int ret, unsigned sq_entries, unsigned cq_entries, unsigned flags)
{
	struct io_uring_params p = { .sq_entries = sq_entries, .cq_entries = cq_entries };
	struct io_uring old = ring;
	struct holdings now;

	holdings_take(&now);
	p.flags = flags;
	assert_int_equal(io_uring_resize_rings(&ring, &p), ret);
	assert_int_equal(p.flags, 0);
	assert_memory_equal(&ring, &old, sizeof(ring));
	holdings_same(&now);
}

static void test_refused(void **state)
{
	open_ring(state, 8);
	/* Of the CQ 12 are taken, of the SQ 6. */
	queue_nops(0, 8);
	submit_ok(&ring, 8);
	queue_nops(8, 12);
	submit_ok(&ring, 4);
	queue_nops(12, 18);

	check_refused(-EOVERFLOW, 4, 0, 0);
	check_refused(-EOVERFLOW, 4, 64, IORING_SETUP_CQSIZE);
	check_refused(-EOVERFLOW, 8, 8, IORING_SETUP_CQSIZE);
	check_refused(-EINVAL, 0, 0, 0);
	check_refused(-EINVAL, 32769, 0, 0);
	check_refused(-EINVAL, 8, 0, IORING_SETUP_CQSIZE);
	check_refused(-EINVAL, 8, 4, IORING_SETUP_CQSIZE);
	check_refused(-EINVAL, 8, 65537, IORING_SETUP_CQSIZE);
	check_refused(-EINVAL, 8, 0, IORING_SETUP_SQPOLL);
	check_refused(-EINVAL, 8, 0, IORING_SETUP_NO_MMAP);

	submit_ok(&ring, 6);
	reap(0, 18);
	no_cqe(&ring);
	use_all(8, 16);
	close_ring();
}

static void test_clamp(void **state)
{
	struct io_uring_params p = { 0 };
	unsigned nr_tries = 0;
	int ret;

	open_ring(state, 8);
	do {
		p.sq_entries = 100000;
		p.flags = IORING_SETUP_CLAMP;
		ret = io_uring_resize_rings(&ring, &p);
	} while (ring_retry(ret, &nr_tries));
	assert_int_equal(ret, 0);
	use_all(32768, 65536);
	p.sq_entries = 5;
	p.flags = 0;
	assert_int_equal(io_uring_resize_rings(&ring, &p), 0);
	assert_int_equal(p.sq_entries, 8);
	use_all(8, 16);
	close_ring();
}

static int resize_without_space(void *arg)
{
	struct io_uring_params p = { .sq_entries = 32768 };
	struct io_uring_cqe *cqe;
	struct io_uring old;
	struct holdings now;
	struct rlimit limit;
	unsigned i, nr_failed = 0;
	size_t extra_sz;

	ring_open(&ring, 8, arg);
	for (i = 0; i < 3; i++)
		io_uring_prep_nop(next_sqe(&ring));
	old = ring;
	holdings_take(&now);
	for (extra_sz = 64 << 10; extra_sz < 8U << 20; extra_sz += 512 << 10) {
		limit.rlim_cur = now.mapped_sz + extra_sz;
		limit.rlim_max = RLIM_INFINITY;
		child_check_equal(setrlimit(RLIMIT_AS, &limit), 0);
		if (!io_uring_resize_rings(&ring, &p))
			break;
		nr_failed++;
		child_check(!memcmp(&ring, &old, sizeof(ring)));
		child_check_equal(p.flags, 0);
		p.sq_entries = 32768;
	}
	child_check(nr_failed > 1 && extra_sz < 8U << 20);
	limit.rlim_cur = RLIM_INFINITY;
	child_check_equal(setrlimit(RLIMIT_AS, &limit), 0);
	child_check_equal(ring.sq.ring_entries, 32768);
	child_check_equal(io_uring_submit_and_wait(&ring, 3), 3);
	for (i = 0; i < 3; i++) {
		child_check_equal(io_uring_peek_cqe(&ring, &cqe), 0);
		child_check_equal(cqe->res, 0);
		io_uring_cqe_seen(&ring, cqe);
	}
	return 0;
}

static void test_no_address_space(void **state)
{
	open_ring(state, 8);
	close_ring();
	in_child(resize_without_space, *state);
}

static void test_closed(void **state)
{
	open_ring(state, 8);
	require_ret("a registered ring", io_uring_register_ring_fd(&ring));
	assert_int_equal(resize(16, 0), 0);
	use_all(16, 32);
	require_ret("close_ring_fd", io_uring_close_ring_fd(&ring));
	check_refused(-EBADF, 32, 0, 0);
	use_all(16, 32);
	close_ring();
}

/* Kinds that cannot be resized, whatever the kernel. */
static void test_wrong_ring(void **state)
{
	static const unsigned flags[] = { 0, IORING_SETUP_SINGLE_ISSUER,
					  DEFER | IORING_SETUP_NO_MMAP };
	unsigned i;

	for (i = 0; i < ARRAY_LEN(flags); i++) {
		holdings_take(&before);
		ring_open_flags(&ring, 8, flags[i]);
		check_refused(-EINVAL, 16, 0, 0);
		use_all(8, 16);
		close_ring();
	}
}

int main(void)
{
	static const struct CMUnitTest once[] = { timed_test(test_wrong_ring) };
	static const struct CMUnitTest for_each[] = {
		timed_test(test_sizes), timed_test(test_in_flight),
		timed_test(test_overflow), timed_test(test_refused), timed_test(test_clamp),
		timed_test(test_no_address_space), timed_test(test_closed),
		timed_test(test_second_half), /* last: left out where there is none */
	};
	struct CMUnitTest tests[ARRAY_LEN(for_each)];
	int nr_failed = cmocka_run_group_tests_name("resize", once, NULL, NULL);
	unsigned i, t;

	for (i = 0; i < ARRAY_LEN(kinds); i++) {
		memcpy(tests, for_each, sizeof(tests));
		for (t = 0; t < ARRAY_LEN(tests); t++)
			tests[t].initial_state = (void *)(uintptr_t)&kinds[i];
		t -= !(kinds[i].flags & IORING_SETUP_SQE128);
		nr_failed += _cmocka_run_group_tests(kinds[i].name, tests, t, NULL, NULL);
	}
	return nr_failed;
}
