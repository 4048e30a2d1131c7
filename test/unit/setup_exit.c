/* SPDX-License-Identifier: MIT */
/*
 * Giving rings up, in every state: exactly what was mapped is unmapped, the
 * descriptor is closed once, and the registered index is dropped.
 */
#include "fake_test.h"

#include <sys/mman.h>

static void check_gone(unsigned nr_unmaps, unsigned nr_closes)
{
	assert_int_equal(fake_nr(__NR_munmap), nr_unmaps);
	assert_int_equal(fake_nr(__NR_close), nr_closes);
	assert_int_equal(fake_check(), 0);
}

/* What the mappings measured is what is unmapped. */
static void check_exit(unsigned entries, unsigned flags, bool single_mmap, bool has_array)
{
	struct io_uring ring;

	fake_boot();
	if (has_array)
		fake.setup_flags &= ~IORING_SETUP_NO_SQARRAY;
	if (!single_mmap)
		fake.features &= ~IORING_FEAT_SINGLE_MMAP;
	assert_int_equal(io_uring_queue_init(entries, &ring, flags), 0);
	assert_int_equal(fake_nr_leaks(), single_mmap ? 3 : 4);
	assert_int_equal(!!ring.sq.array, has_array);
	assert_true(!has_array || ring.sq.array[entries - 1] == entries - 1);
	memset(ring.sq.sqes, 0, ring.sq.sqes_sz);
	memset(ring.cq.cqes, 0, (size_t)2 * entries * (flags & IORING_SETUP_CQE32 ? 32 : 16));
	io_uring_queue_exit(&ring);
	check_gone(single_mmap ? 2 : 3, 1);
}

static void every_size(void **state)
{
	static const unsigned flags[] = {
		0, IORING_SETUP_SQE128, IORING_SETUP_CQE32,
		IORING_SETUP_SQE128 | IORING_SETUP_CQE32, IORING_SETUP_CQE_MIXED,
	};
	unsigned entries, f;

	for (entries = 1; entries <= 32768; entries *= 2) {
		for (f = 0; f < ARRAY_LEN(flags); f++) {
			check_exit(entries, flags[f], true, false);
			check_exit(entries, flags[f], false, false);
			check_exit(entries, flags[f], true, true);
			check_exit(entries, flags[f], false, true);
		}
	}
}

static void the_mappings_are_populated_and_shared(void **state)
{
	static const uint64_t offs[] = {
		IORING_OFF_SQ_RING, IORING_OFF_CQ_RING, IORING_OFF_SQES,
	};
	struct io_uring ring;
	unsigned i;

	fake.features &= ~IORING_FEAT_SINGLE_MMAP;
	assert_int_equal(io_uring_queue_init(8, &ring, 0), 0);
	assert_int_equal(fake_nr(NR_MMAP), 3);
	for (i = 0; i < 3; i++) {
		const struct fake_call *call = fake_call(NR_MMAP, i);

		assert_int_equal(call->args[2], PROT_READ | PROT_WRITE);
		assert_int_equal(call->args[3], MAP_SHARED | MAP_POPULATE);
		assert_int_equal(call->args[4], ring.ring_fd);
		assert_int_equal(call->args[5] * MMAP_OFF_UNIT, offs[i]);
	}
	io_uring_queue_exit(&ring);
}

static void a_registered_descriptor_is_dropped(void **state)
{
	struct io_uring ring;
	unsigned features;

	for (features = 0; features < 2; features++) {
		fake_boot();
		if (!features)
			fake.features &= ~IORING_FEAT_REG_REG_RING;
		init_ring(&ring, 8, 0);
		assert_int_equal(io_uring_register_ring_fd(&ring), 1);
		assert_int_equal(fake.ring->nr_registered, 1);
		io_uring_queue_exit(&ring);
		check_gone(2, 1);
	}
}

static void a_closed_descriptor_is_not_closed_again(void **state)
{
	struct io_uring ring;

	init_ring(&ring, 8, 0);
	assert_int_equal(io_uring_register_ring_fd(&ring), 1);
	assert_int_equal(io_uring_close_ring_fd(&ring), 1);
	queue_nops(&ring, 1, 1);
	assert_int_equal(io_uring_submit_and_wait(&ring, 1), 1);
	io_uring_queue_exit(&ring);
	check_gone(2, 1);
}

static void a_ring_without_a_descriptor(void **state)
{
	struct io_uring_params p = {
		.flags = IORING_SETUP_NO_MMAP | IORING_SETUP_REGISTERED_FD_ONLY
	};
	struct io_uring ring, other;
	int idx;

	init_ring(&other, 8, 0);
	assert_int_equal(io_uring_register_ring_fd(&other), 1);
	fake_forget();
	idx = io_uring_queue_init_params(8, &ring, &p);
	assert_int_equal(idx, 1);
	assert_int_equal(ring.ring_fd, -1);
	assert_int_equal(ring.enter_ring_fd, idx);
	assert_int_equal(ring.int_flags, IORING_ENTER_REGISTERED_RING | 1);
	queue_nops(&ring, 1, 1);
	assert_int_equal(io_uring_submit_and_wait(&ring, 1), 1);
	assert_enter(0, 1, 1, IORING_ENTER_GETEVENTS | IORING_ENTER_REGISTERED_RING);
	assert_int_equal(io_uring_register_ring_fd(&ring), -EEXIST);
	assert_int_equal(io_uring_close_ring_fd(&ring), -EBADF);
	io_uring_queue_exit(&ring);
	assert_int_equal(fake_nr(__NR_close), 0);
	io_uring_queue_exit(&other);
	check_gone(4, 1);
}

static void registered_only_needs_no_mmap(void **state)
{
	struct io_uring_params p = { .flags = IORING_SETUP_REGISTERED_FD_ONLY };
	struct io_uring ring;

	memset(&ring, 0xff, sizeof(ring));
	assert_int_equal(io_uring_queue_init_params(8, &ring, &p), -EINVAL);
	assert_int_equal(io_uring_queue_init(8, &ring, p.flags), -EINVAL);
	assert_int_equal(p.flags, IORING_SETUP_REGISTERED_FD_ONLY);
	assert_int_equal(ring.ring_fd, -1);
	assert_int_equal(fake_nr(-1), 0);
	io_uring_queue_exit(&ring);
	assert_int_equal(fake_nr(-1), 0);
}

static void application_memory_stays(void **state)
{
	static char mem[1 << 17] __attribute__((aligned(1 << 16)));
	struct io_uring_params p = { .flags = 0 };
	struct io_uring ring;

	assert_true(io_uring_queue_init_mem(8, &ring, &p, mem, sizeof(mem)) > 0);
	fake_forget();
	io_uring_queue_exit(&ring);
	check_gone(0, 1);
	memset(mem, 0, sizeof(mem));
}

static void registering_the_descriptor(void **state)
{
	struct io_uring ring;
	const struct fake_call *call;

	init_ring(&ring, 8, 0);
	assert_int_equal(io_uring_unregister_ring_fd(&ring), -EINVAL);
	assert_int_equal(fake_nr(-1), 0);
	assert_int_equal(io_uring_register_ring_fd(&ring), 1);
	assert_int_equal(ring.enter_ring_fd, 0);
	assert_int_equal(ring.int_flags, IORING_ENTER_REGISTERED_RING | 1);
	assert_int_equal(io_uring_register_ring_fd(&ring), -EEXIST);
	assert_int_equal(ring.int_flags, IORING_ENTER_REGISTERED_RING | 1);

	/* Register calls go by the index, too. */
	fake_forget();
	assert_int_equal(io_uring_unregister_ring_fd(&ring), 1);
	call = fake_call(__NR_io_uring_register, 0);
	assert_int_equal(call->args[0], 0);
	assert_int_equal((unsigned)call->args[1],
			 IORING_UNREGISTER_RING_FDS | IORING_REGISTER_USE_REGISTERED_RING);
	assert_int_equal(ring.enter_ring_fd, ring.ring_fd);
	assert_int_equal(ring.int_flags, 0);
	assert_int_equal(io_uring_unregister_ring_fd(&ring), -EINVAL);
	io_uring_queue_exit(&ring);
}

static void registering_fails(void **state)
{
	struct io_uring ring;

	init_ring(&ring, 8, 0);
	fake_fail(__NR_io_uring_register, 1, EINVAL);
	assert_int_equal(io_uring_register_ring_fd(&ring), -EINVAL);
	assert_int_equal(ring.enter_ring_fd, ring.ring_fd);
	assert_int_equal(ring.int_flags, 0);
	assert_int_equal(io_uring_register_ring_fd(&ring), 1);
	fake_fail(__NR_io_uring_register, 1, ENXIO);
	assert_int_equal(io_uring_unregister_ring_fd(&ring), -ENXIO);
	assert_int_equal(ring.int_flags, IORING_ENTER_REGISTERED_RING | 1);
	assert_int_equal(io_uring_get_events(&ring), 0);
	io_uring_queue_exit(&ring);
}

static void closing_the_descriptor(void **state)
{
	struct io_uring ring;

	fake.features &= ~IORING_FEAT_REG_REG_RING;
	init_ring(&ring, 8, 0);
	assert_int_equal(io_uring_register_ring_fd(&ring), 1);
	assert_int_equal(ring.int_flags, IORING_ENTER_REGISTERED_RING);
	fake_forget();
	assert_int_equal(io_uring_close_ring_fd(&ring), -EOPNOTSUPP);
	io_uring_queue_exit(&ring);
	assert_int_equal(fake_nr(__NR_close), 1);

	fake_boot();
	init_ring(&ring, 8, 0);
	assert_int_equal(io_uring_close_ring_fd(&ring), -EINVAL);
	assert_int_equal(fake_nr(__NR_close), 0);
	assert_int_equal(io_uring_register_ring_fd(&ring), 1);
	assert_int_equal(io_uring_close_ring_fd(&ring), 1);
	assert_int_equal(ring.ring_fd, -1);
	assert_int_equal(io_uring_close_ring_fd(&ring), -EBADF);
	assert_int_equal(fake_nr(__NR_close), 1);
	io_uring_queue_exit(&ring);
}

static void dontfork_on_each_mapping(void **state)
{
	struct io_uring ring;
	unsigned apart;

	for (apart = 0; apart < 2; apart++) {
		if (apart)
			fake.features &= ~IORING_FEAT_SINGLE_MMAP;
		init_ring(&ring, 8, 0);
		assert_int_equal(io_uring_ring_dontfork(&ring), 0);
		assert_true(fake_is_dontfork(ring.sq.ring_ptr));
		assert_true(fake_is_dontfork(ring.cq.ring_ptr));
		assert_true(fake_is_dontfork(ring.sq.sqes));
		assert_int_equal(fake_nr(__NR_madvise), 2 + apart);
		io_uring_queue_exit(&ring);
	}
	init_ring(&ring, 8, IORING_SETUP_NO_MMAP);
	assert_int_equal(io_uring_ring_dontfork(&ring), 0);
	assert_true(fake_is_dontfork(ring.sq.ring_ptr));
	assert_true(fake_is_dontfork(ring.sq.sqes));
	io_uring_queue_exit(&ring);
}

static void dontfork_of_what_is_not_mapped(void **state)
{
	static char mem[1 << 17] __attribute__((aligned(1 << 16)));
	struct io_uring_params p = { .flags = 0 };
	struct io_uring ring;

	assert_int_equal(io_uring_queue_init(0, &ring, 0), -EINVAL);
	assert_int_equal(io_uring_ring_dontfork(&ring), -EINVAL);
	memset(&ring, 0, sizeof(ring));
	assert_int_equal(io_uring_ring_dontfork(&ring), -EINVAL);
	assert_true(io_uring_queue_init_mem(8, &ring, &p, mem, sizeof(mem)) > 0);
	assert_int_equal(io_uring_ring_dontfork(&ring), -EINVAL);
	assert_int_equal(fake_nr(__NR_madvise), 0);
	io_uring_queue_exit(&ring);
}

static void dontfork_fails(void **state)
{
	struct io_uring ring;
	unsigned nth;

	fake.features &= ~IORING_FEAT_SINGLE_MMAP;
	init_ring(&ring, 8, 0);
	for (nth = 1; nth <= 3; nth++) {
		fake_fail(__NR_madvise, nth, ENOMEM);
		assert_int_equal(io_uring_ring_dontfork(&ring), -ENOMEM);
	}
	assert_int_equal(io_uring_ring_dontfork(&ring), 0);
	io_uring_queue_exit(&ring);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FAKE_TEST(every_size),
		FAKE_TEST(the_mappings_are_populated_and_shared),
		FAKE_TEST(a_registered_descriptor_is_dropped),
		FAKE_TEST(a_closed_descriptor_is_not_closed_again),
		FAKE_TEST(a_ring_without_a_descriptor),
		FAKE_TEST(registered_only_needs_no_mmap),
		FAKE_TEST(application_memory_stays),
		FAKE_TEST(registering_the_descriptor),
		FAKE_TEST(registering_fails),
		FAKE_TEST(closing_the_descriptor),
		FAKE_TEST(dontfork_on_each_mapping),
		FAKE_TEST(dontfork_of_what_is_not_mapped),
		FAKE_TEST(dontfork_fails),
	};

	return RUN_FAKE_TESTS(tests);
}
