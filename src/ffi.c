/* SPDX-License-Identifier: MIT */
/*
 * The headers once more, with every inline function as a real one, for
 * languages that cannot include them: this file and the library's other objects
 * are liburing-ffi.
 */
#define IOURINGINLINE
#define IOURINGHELPER static inline
#define LIBURING_NO_NOTED_CALLS 1

/* The build hides what is not declared here; public functions stay visible. */
#pragma GCC visibility push(default)
#include <liburing.h>
#pragma GCC visibility pop
