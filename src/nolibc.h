/* SPDX-License-Identifier: MIT */
/*
 * Compilers turn loops and assignments into calls of these four functions. The
 * build without libc includes this file before each source, so that such calls
 * go to the library's own ones in nolibc.c. The names differ from libc's, so that
 * a program that links the static archive keeps the fast ones for itself.
 */
#ifndef IOU_NOLIBC_H
#define IOU_NOLIBC_H

__asm__("memcmp = iou_memcmp");
__asm__("memcpy = iou_memcpy");
__asm__("memmove = iou_memmove");
__asm__("memset = iou_memset");

#endif
