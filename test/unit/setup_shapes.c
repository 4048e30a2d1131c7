/* SPDX-License-Identifier: MIT */
/*
 * Rings as kernels of different age lay them out, from a structure that was full
 * of ones: every field is set, and the ring works.
 */
#include "fake_test.h"

static void be_recent(void)
{
}

static void be_without_no_sqarray(void)
{
	fake.setup_flags &= IORING_SETUP_NO_SQARRAY - 1;
}

static void be_without_single_mmap(void)
{
	fake.features &= ~IORING_FEAT_SINGLE_MMAP;
	fake.layout = FAKE_LAYOUT_320;
	be_without_no_sqarray();
}

static void be_without_ext_arg(void)
{
	fake.features = IORING_FEAT_EXT_ARG - 1;
	fake.layout = FAKE_LAYOUT_320;
	be_without_no_sqarray();
}

static void be_without_cq_flags(void)
{
	fake.features = IORING_FEAT_FAST_POLL - 1;
	fake.layout = FAKE_LAYOUT_320;
	fake.has_cq_flags = false;
	be_without_no_sqarray();
}

static const struct age {
	const char *name;
	void (*be)(void);
	bool has_array;
} ages[] = {
	{ "recent", be_recent, false },
	{ "without NO_SQARRAY", be_without_no_sqarray, true },
	{ "without SINGLE_MMAP", be_without_single_mmap, true },
	{ "without EXT_ARG", be_without_ext_arg, true },
	{ "without CQ flags", be_without_cq_flags, true },
	{ "first", fake_be_old, true },
};

/* A word of the ring's memory, through both its mappings. */
static void check_word(unsigned *word, unsigned *kword)
{
	unsigned was = *kword;

	assert_int_equal(*word, was);
	*kword = was ^ 0x5a5a5a5a;
	assert_int_equal(*word, was ^ 0x5a5a5a5a);
	*kword = was;
}

/* Every field that there is. */
static void check_fields(const struct io_uring *ring, const struct fake_ring *kring,
			 const struct age *age)
{
	const struct io_uring_sq *sq = &ring->sq;
	const struct io_uring_cq *cq = &ring->cq;
	unsigned i;

	check_word(sq->khead, kring->sq_head);
	check_word(sq->ktail, kring->sq_tail);
	check_word(sq->kflags, kring->sq_flags);
	check_word(sq->kdropped, kring->sq_dropped);
	check_word(cq->khead, kring->cq_head);
	check_word(cq->ktail, kring->cq_tail);
	check_word(cq->koverflow, kring->cq_overflow);
	if (kring->cq_flags)
		check_word(cq->kflags, kring->cq_flags);
	else
		assert_null(cq->kflags);
	check_word((unsigned *)cq->cqes, (unsigned *)kring->cqes);
	check_word((unsigned *)sq->sqes, (unsigned *)kring->sqes);

	assert_int_equal(sq->ring_entries, kring->sq_entries);
	assert_int_equal(sq->ring_mask, kring->sq_entries - 1);
	assert_int_equal(*sq->kring_entries, kring->sq_entries);
	assert_int_equal(*sq->kring_mask, kring->sq_entries - 1);
	assert_int_equal(cq->ring_entries, kring->cq_entries);
	assert_int_equal(cq->ring_mask, kring->cq_entries - 1);
	assert_int_equal(*cq->kring_entries, kring->cq_entries);
	assert_int_equal(*cq->kring_mask, kring->cq_entries - 1);

	assert_int_equal(!!sq->array, age->has_array);
	for (i = 0; sq->array && i < sq->ring_entries; i++) {
		check_word(&sq->array[i], &kring->sq_array[i]);
		assert_int_equal(sq->array[i], i);
	}
	assert_int_equal(sq->sqe_head, *kring->sq_tail);
	assert_int_equal(sq->sqe_tail, *kring->sq_tail);
	assert_true(fake_is_mapped(sq->ring_ptr, sq->ring_sz));
	assert_true(fake_is_mapped(cq->ring_ptr, cq->ring_sz));
	assert_true(fake_is_mapped(sq->sqes, sq->sqes_sz));
	assert_int_equal(sq->ring_ptr == cq->ring_ptr,
			 !!(fake.features & IORING_FEAT_SINGLE_MMAP));

	assert_int_equal(ring->ring_fd, kring->fd);
	assert_int_equal(ring->enter_ring_fd, kring->fd);
	assert_int_equal(ring->features, fake.features);
	assert_int_equal(ring->flags, kring->flags);
	for (i = 0; i < 2; i++)
		assert_int_equal(cq->pad[i], 0);
	for (i = 0; i < 3; i++)
		assert_int_equal(ring->pad[i], 0);
	assert_int_equal(ring->pad2, 0);
}

/* More than two laps of both rings. */
static void check_works(struct io_uring *ring)
{
	unsigned i, n;

	for (i = 0; i < 3 * ring->cq.ring_entries; i += n) {
		n = ring->sq.ring_entries;
		queue_nops(ring, n, i);
		assert_null(io_uring_get_sqe(ring));
		assert_int_equal(io_uring_submit_and_wait(ring, n), n);
		for (n = 0; n < ring->sq.ring_entries; n++)
			reap_one(ring, i + n, 0);
	}
}

static void check_age(const struct age *age, unsigned flags, unsigned start_idx)
{
	struct io_uring_params p = { .flags = flags };
	struct io_uring ring;

	fake_boot();
	age->be();
	fake.start_idx = start_idx;
	if (flags & ~fake.setup_flags)
		return;
	memset(&ring, 0xff, sizeof(ring));
	assert_int_equal(io_uring_queue_init_params(5, &ring, &p), 0);
	assert_int_equal(p.sq_entries, 8);
	assert_int_equal(p.cq_entries, 16);
	assert_int_equal(p.features, fake.features);
	assert_int_equal(p.flags, flags | (age->has_array ? 0 : IORING_SETUP_NO_SQARRAY));
	check_fields(&ring, fake.ring, age);
	assert_int_equal(ring.int_flags, flags & IORING_SETUP_IOPOLL ? 4 : 0);
	check_works(&ring);
	io_uring_queue_exit(&ring);
	if (fake_check())
		fail_msg("kernel %s, flags %#x", age->name, flags);
}

static void every_age_and_size(void **state)
{
	static const unsigned flags[] = {
		0, IORING_SETUP_IOPOLL, IORING_SETUP_SQE128, IORING_SETUP_CQE32,
		IORING_SETUP_SQE128 | IORING_SETUP_CQE32, IORING_SETUP_CQE_MIXED,
		IORING_SETUP_SQE_MIXED, IORING_SETUP_SUBMIT_ALL,
	};
	unsigned i, f;

	for (i = 0; i < ARRAY_LEN(ages); i++) {
		for (f = 0; f < ARRAY_LEN(flags); f++) {
			check_age(&ages[i], flags[f], 0);
			check_age(&ages[i], flags[f], 0U - 12);
		}
	}
}

/* The first try is with NO_SQARRAY, the second as the program asked. */
static void without_no_sqarray_it_falls_back(void **state)
{
	struct io_uring_params p = { .flags = IORING_SETUP_CQSIZE, .cq_entries = 32 };
	struct io_uring ring;
	unsigned i;

	be_without_no_sqarray();
	assert_int_equal(io_uring_queue_init_params(8, &ring, &p), 0);
	assert_int_equal(fake_nr(__NR_io_uring_setup), 2);
	assert_int_equal(p.cq_entries, 32);
	assert_int_equal(p.flags, IORING_SETUP_CQSIZE);
	assert_int_equal(ring.flags, IORING_SETUP_CQSIZE);
	for (i = 0; i < 8; i++)
		assert_int_equal(ring.sq.array[i], i);
	io_uring_queue_exit(&ring);
}

static void iopoll_with_sqpoll_is_not_entered_to_reap(void **state)
{
	struct io_uring ring;

	init_ring(&ring, 8, IORING_SETUP_IOPOLL | IORING_SETUP_SQPOLL);
	assert_int_equal(ring.int_flags, 0);
	io_uring_queue_exit(&ring);
}

/* A ring that the program made itself, with an array or without. */
static void a_ring_of_the_programs_own_making(void **state)
{
	static const unsigned flags[] = { 0, IORING_SETUP_NO_SQARRAY, IORING_SETUP_IOPOLL };
	unsigned i, a;

	for (a = 0; a < ARRAY_LEN(ages); a++) {
		for (i = 0; i < ARRAY_LEN(flags); i++) {
			struct io_uring_params p = { .flags = flags[i] };
			struct age age = ages[a];
			struct io_uring ring;
			int fd;

			fake_boot();
			age.be();
			age.has_array = !(flags[i] & IORING_SETUP_NO_SQARRAY);
			fd = io_uring_setup(8, &p);
			if (fd < 0)
				continue;
			memset(&ring, 0xff, sizeof(ring));
			assert_int_equal(io_uring_queue_mmap(fd, &p, &ring), 0);
			check_fields(&ring, fake.ring, &age);
			assert_int_equal(ring.int_flags, flags[i] & IORING_SETUP_IOPOLL ? 4 : 0);
			check_works(&ring);
			io_uring_queue_exit(&ring);
			assert_int_equal(fake_check(), 0);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FAKE_TEST(every_age_and_size),
		FAKE_TEST(without_no_sqarray_it_falls_back),
		FAKE_TEST(iopoll_with_sqpoll_is_not_entered_to_reap),
		FAKE_TEST(a_ring_of_the_programs_own_making),
	};

	return RUN_FAKE_TESTS(tests);
}
