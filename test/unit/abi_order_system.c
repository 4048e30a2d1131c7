/* SPDX-License-Identifier: MIT */
/*
 * The library's headers between two includes of this system's
 * <linux/io_uring.h>: all that abi_asserts.inc asserts holds.
 */
#ifdef __has_include
#if __has_include(<linux/io_uring.h>)
#define HAVE_SYSTEM_HEADER 1
#endif
#endif

#ifdef HAVE_SYSTEM_HEADER
#include <linux/io_uring.h>

/* What the system's header says, before the names lead elsewhere. */
static const int system_op_last = IORING_OP_LAST;
static const unsigned long system_sqe_sz = sizeof(struct io_uring_sqe);
#endif

#include "abi_asserts.inc"

#ifdef HAVE_SYSTEM_HEADER
#include <linux/io_uring.h>
#endif

#include "test.h"

static void names_lead_to_the_library_definitions(void **state)
{
	(void)state;
#ifdef HAVE_SYSTEM_HEADER
	print_message("this system's header has %d opcodes\n", system_op_last);
	assert_int_equal(system_sqe_sz, sizeof(struct io_uring_sqe));
	assert_int_equal(IORING_OP_LAST, 65);
#else
	skip_because("this system has no linux/io_uring.h");
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_lead_to_the_library_definitions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
