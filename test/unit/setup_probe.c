/* SPDX-License-Identifier: MIT */
/*
 * The probe: what it says, whose memory it is, and that a refusal leaves nothing.
 */
#include "fake_test.h"

#include <stdlib.h>

static void a_probe_of_a_ring(void **state)
{
	struct io_uring_probe *probe;
	struct io_uring ring;

	fake.last_op = IORING_OP_SOCKET;
	init_ring(&ring, 8, 0);
	probe = io_uring_get_probe_ring(&ring);
	assert_non_null(probe);
	assert_int_equal(fake_nr(-1), 1);
	assert_int_equal(fake_call(-1, 0)->args[1], IORING_REGISTER_PROBE);
	assert_int_equal(fake_call(-1, 0)->args[3], 256);
	assert_int_equal(probe->last_op, IORING_OP_SOCKET);
	assert_int_equal(io_uring_opcode_supported(probe, IORING_OP_NOP), 1);
	assert_int_equal(io_uring_opcode_supported(probe, IORING_OP_SOCKET), 1);
	assert_int_equal(io_uring_opcode_supported(probe, IORING_OP_SOCKET + 1), 0);
	assert_int_equal(io_uring_opcode_supported(probe, 255), 0);
	assert_int_equal(io_uring_opcode_supported(probe, 256), 0);
	assert_int_equal(io_uring_opcode_supported(probe, INT32_MAX), 0);
	assert_int_equal(io_uring_opcode_supported(probe, -1), 0);
	assert_int_equal(io_uring_opcode_supported(probe, INT32_MIN), 0);
	io_uring_free_probe(probe);
	io_uring_queue_exit(&ring);
}

/* Known to the kernel, but compiled out. */
static void an_opcode_that_is_not_supported(void **state)
{
	struct io_uring_probe *probe = io_uring_get_probe();

	assert_non_null(probe);
	probe->ops[IORING_OP_EPOLL_CTL].flags = 0;
	assert_int_equal(io_uring_opcode_supported(probe, IORING_OP_EPOLL_CTL), 0);
	assert_int_equal(io_uring_opcode_supported(probe, IORING_OP_STATX), 1);
	io_uring_free_probe(probe);
}

/* The ring that was made to ask is gone again. */
static void a_probe_by_a_ring_of_its_own(void **state)
{
	struct io_uring_probe *probe = io_uring_get_probe();

	assert_non_null(probe);
	assert_int_equal(fake_nr_leaks(), 0);
	io_uring_free_probe(probe);
	io_uring_free_probe(NULL);
}

static void free_does_as_well(void **state)
{
	struct io_uring_probe *probe = io_uring_get_probe();

	assert_non_null(probe);
	free(probe);
	assert_int_equal(fake_check(), 0);
}

/* Each call fails in turn; a leak of the memory shows under a sanitizer. */
static void a_probe_that_is_refused(void **state)
{
	struct io_uring_probe *probe;
	struct io_uring ring;
	unsigned nth;

	for (nth = 1; nth <= 4; nth++) {
		fake_forget();
		fake_fail(-1, nth, EPERM);
		assert_null(io_uring_get_probe());
		assert_int_equal(fake_nr_leaks(), 0);
	}
	init_ring(&ring, 8, 0);
	fake_fail(-1, 1, EINVAL);
	assert_null(io_uring_get_probe_ring(&ring));
	probe = io_uring_get_probe_ring(&ring);
	assert_non_null(probe);
	io_uring_free_probe(probe);
	io_uring_queue_exit(&ring);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FAKE_TEST(a_probe_of_a_ring),
		FAKE_TEST(an_opcode_that_is_not_supported),
		FAKE_TEST(a_probe_by_a_ring_of_its_own),
		FAKE_TEST(free_does_as_well),
		FAKE_TEST(a_probe_that_is_refused),
	};

	return RUN_FAKE_TESTS(tests);
}
