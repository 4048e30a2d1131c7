/* SPDX-License-Identifier: MIT */
/*
 * cmocka with what it needs included first, and how a test says that it cannot
 * be run here.
 */
#ifndef TEST_SUPPORT_TEST_H
#define TEST_SUPPORT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

/*
 * skip_because - end the test as skipped, with the reason as for printf.
 *
 * The reason is one line, and the last that the test prints.
 */
#define skip_because(...)		\
	do {				\
		printf(__VA_ARGS__);	\
		printf("\n");		\
		fflush(stdout);		\
		skip();			\
	} while (0)

/*
 * require_no_checks - of a test that makes a mistake on purpose, for which a debug
 * build ends the program.
 */
#ifdef LIBURING_DEBUG
#define require_no_checks() skip_because("a debug build ends a program that does this")
#else
#define require_no_checks() ((void)0)
#endif

/*
 * TEST_NEEDS_NO_RINGS - in a program that is of use where the kernel refuses rings; of
 * all others no test is run there. skip_all_without_rings ends a program there that
 * finds out only in main that it needs them.
 */
#define TEST_NEEDS_NO_RINGS                    \
	extern const char test_needs_no_rings; \
	const char test_needs_no_rings = 1

#ifdef __cplusplus
extern "C"
#endif
void skip_all_without_rings(void);

#define ARRAY_LEN(array) (sizeof(array) / sizeof((array)[0]))

#endif
