/* SPDX-License-Identifier: MIT */
#ifndef TEST_SUPPORT_COVERAGE_H
#define TEST_SUPPORT_COVERAGE_H

/*
 * coverage_dump - write what gcov has counted, before an end of the process that
 * runs no exit functions. Of a program that is not built for it: nothing.
 */
extern void __gcov_dump(void) __attribute__((weak));

static inline void coverage_dump(void)
{
	if (__gcov_dump)
		__gcov_dump();
}

#endif
