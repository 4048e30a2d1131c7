/* SPDX-License-Identifier: MIT */
/* cmocka, for the tests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void pass(void **state)
{
	assert_null(*state);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(pass) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
