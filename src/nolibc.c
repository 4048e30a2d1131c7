/* SPDX-License-Identifier: MIT */
/*
 * The memory functions that compilers call unasked, for the build without libc
 * (nolibc.h). Only cold paths and unoptimised builds call them: short beats fast.
 */
#include <stddef.h>
#include "nolibc.h"

int iou_memcmp(const void *left, const void *right, size_t sz);
void *iou_memcpy(void *dst, const void *src, size_t sz);
void *iou_memmove(void *dst, const void *src, size_t sz);
void *iou_memset(void *dst, int byte, size_t sz);

/* In a loop, keeps the compiler from replacing it by a call of itself. */
#define IOU_KEEP_LOOP() __asm__ volatile("" ::: "memory")

int iou_memcmp(const void *left, const void *right, size_t sz)
{
	const unsigned char *l = left, *r = right;

	for (; sz; sz--, l++, r++) {
		if (*l != *r)
			return *l - *r;
		IOU_KEEP_LOOP();
	}
	return 0;
}

void *iou_memcpy(void *dst, const void *src, size_t sz)
{
	const unsigned char *from = src;
	unsigned char *to = dst;

	while (sz--) {
		*to++ = *from++;
		IOU_KEEP_LOOP();
	}
	return dst;
}

void *iou_memmove(void *dst, const void *src, size_t sz)
{
	const unsigned char *from = src;
	unsigned char *to = dst;

	if ((size_t)(to - from) >= sz)
		return iou_memcpy(dst, src, sz);
	while (sz--) {
		to[sz] = from[sz];
		IOU_KEEP_LOOP();
	}
	return dst;
}

void *iou_memset(void *dst, int byte, size_t sz)
{
	unsigned char *to = dst;

	while (sz--) {
		*to++ = (unsigned char)byte;
		IOU_KEEP_LOOP();
	}
	return dst;
}
