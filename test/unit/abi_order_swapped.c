/* SPDX-License-Identifier: MIT */
/*
 * As abi_order.c, with a system header that has macros where this library has
 * enumerators, and enumerators where it has macros: kernels changed some names
 * from one to the other.
 */
#define ABI_OLD_HEADER 2
#include "abi_asserts.inc"
#include "test.h"

static void names_lead_to_the_new_definitions(void **state)
{
	(void)state;
	assert_int_equal(IORING_REGISTER_PROBE, 8);
	assert_int_equal(IORING_SETUP_SQE128, 1 << 10);
	assert_int_equal(IO_URING_QUERY_SCQ, 2);
	assert_int_equal(IO_URING_BPF_CMD_FILTER, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_lead_to_the_new_definitions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
