/* SPDX-License-Identifier: MIT */
/*
 * Asking the kernel for its opcodes.
 */
#include "test.h"

#include "ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NR_OPS 256

static void check_probe(const struct io_uring_probe *probe)
{
	int op;

	assert_true(probe->ops_len == probe->last_op + 1);
	for (op = 0; op < probe->ops_len; op++)
		assert_int_equal(probe->ops[op].op, op);
	assert_int_equal(io_uring_opcode_supported(probe, IORING_OP_NOP), 1);
	assert_int_equal(io_uring_opcode_supported(probe, IORING_OP_READ), 1);
	assert_int_equal(io_uring_opcode_supported(probe, -1), 0);
	assert_int_equal(io_uring_opcode_supported(probe, -256), 0);
	assert_int_equal(io_uring_opcode_supported(probe, probe->last_op + 1), 0);
	assert_int_equal(io_uring_opcode_supported(probe, 255), 0);
	assert_int_equal(io_uring_opcode_supported(probe, 256), 0);
	assert_int_equal(io_uring_opcode_supported(probe, 0x7fffffff), 0);
}

/* What the probe says of an opcode is what a request of it meets. */
static void test_says_the_truth(void **state)
{
	struct io_uring_probe *probe = io_uring_get_probe();
	struct io_uring_sqe *sqe;
	struct io_uring ring;
	int op;

	if (!probe)
		skip_because("the kernel has no probe");
	check_probe(probe);
	ring_open_flags(&ring, 4, 0);
	for (op = 0; op < 256; op++) {
		if (io_uring_opcode_supported(probe, op))
			continue;
		sqe = next_sqe(&ring);
		sqe->opcode = (__u8)op;
		assert_int_equal(submit_one(&ring, NULL), -EINVAL);
	}
	io_uring_queue_exit(&ring);
	io_uring_free_probe(probe);
}

/* Programs give it to free(3) as well. */
static void test_released_either_way(void **state)
{
	struct holdings before;
	unsigned i;

	for (i = 0; i < 20; i++) {
		/* By then the heap has what it needs. */
		if (i == 2)
			holdings_take(&before);
		free(io_uring_get_probe());
		io_uring_free_probe(io_uring_get_probe());
	}
	io_uring_free_probe(NULL);
	holdings_same(&before);
}

static void test_by_ring(struct io_uring *ring)
{
	struct io_uring_probe *by_ring = io_uring_get_probe_ring(ring);
	struct io_uring_probe *probe = io_uring_get_probe();
	size_t sz;

	if (!probe)
		skip_because("the kernel has no probe");
	assert_non_null(by_ring);
	check_probe(by_ring);
	sz = sizeof(*probe) + probe->ops_len * sizeof(probe->ops[0]);
	assert_memory_equal(probe, by_ring, sz);
	io_uring_free_probe(probe);
	io_uring_free_probe(by_ring);
}

static void test_register_probe(struct io_uring *ring)
{
	size_t sz = sizeof(struct io_uring_probe) + NR_OPS * sizeof(struct io_uring_probe_op);
	struct io_uring_probe *probe = calloc(1, sz);

	assert_non_null(probe);
	assert_int_equal(io_uring_register_probe(ring, probe, 2), 0);
	assert_int_equal(probe->ops_len, 2);
	assert_true(probe->last_op > 2);
	assert_int_equal(probe->ops[1].op, 1);
	assert_int_equal(probe->ops[2].op, 0);

	assert_int_equal(io_uring_register_probe(ring, probe, 2), -EINVAL);
	memset(probe, 0, sz);
	assert_int_equal(io_uring_register_probe(ring, probe, NR_OPS), 0);
	check_probe(probe);
	free(probe);
}

int main(void)
{
	static const struct ring_case cases[] = {
		{ "probe by", test_by_ring, 0, 0 },
		{ "register_probe on", test_register_probe, 0, 0 },
	};
	static const struct CMUnitTest tests[] = {
		timed_test(test_says_the_truth),
		timed_test(test_released_either_way),
	};
	int nr_failed = cmocka_run_group_tests_name("probe", tests, NULL, NULL);

	return nr_failed + ring_run_cases("probe on every kind", cases, ARRAY_LEN(cases));
}
