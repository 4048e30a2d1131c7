/* SPDX-License-Identifier: MIT */
/*
 * A shared library without libc, one that may use malloc where there is one. The sum
 * calls abort with -ftrapv.
 */
#include <stddef.h>

extern void *malloc(size_t size) __attribute__((weak));

void *allocate(size_t size)
{
	return malloc ? malloc(size) : NULL;
}

int add(int a, int b)
{
	return a + b;
}
