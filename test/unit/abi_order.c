/* SPDX-License-Identifier: MIT */
/*
 * The library's headers after a system header in which every name of the ABI
 * has an older shape: abi_asserts.inc plays that header and then asserts that
 * all names lead to the library's definitions.
 */
#define ABI_OLD_HEADER 1
#include "abi_asserts.inc"
#include "test.h"

/* The function's own symbol, whatever its name has become in this file. */
extern int clone_buffers_symbol(struct io_uring *dst, struct io_uring *src)
	__asm__("io_uring_clone_buffers");

/* Code that follows gets this library's layouts and values. */
static void names_lead_to_the_new_definitions(void **state)
{
	struct io_uring_clone_buffers arg = { 0 };
	struct io_uring_sqe sqe = { 0 };
	enum io_uring_op op = IORING_OP_URING_CMD128;

	(void)state;
	sqe.opcode = (__u8)op;
	arg.nr = 1;
	assert_int_equal(sqe.opcode, 64);
	assert_int_equal(sizeof(sqe), 64);
	assert_int_equal(sizeof(arg), 32);
}

/* A structure and a function share this name: the function must still link. */
static void function_keeps_its_symbol(void **state)
{
	int (*function)(struct io_uring *, struct io_uring *) = io_uring_clone_buffers;

	(void)state;
	assert_true(function == clone_buffers_symbol);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_lead_to_the_new_definitions),
		cmocka_unit_test(function_keeps_its_symbol),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
