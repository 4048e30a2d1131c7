/* SPDX-License-Identifier: MIT */
#ifndef EXAMPLES_COMMON_CP_VERIFY_H
#define EXAMPLES_COMMON_CP_VERIFY_H

#include <stdint.h>
#include <uringx/reader.h>

/*
 * cp_find_difference - compare two files to their ends, and show how far that is.
 *
 * Returns where they differ first, -1 where they do not, or below that an error: a
 * negative errno less 1.
 */
int64_t cp_find_difference(int a_fd, int b_fd, const struct uringx_reader_options *how);

#endif
