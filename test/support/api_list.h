/* SPDX-License-Identifier: MIT */
#ifndef TEST_API_LIST_H
#define TEST_API_LIST_H

#include <stdbool.h>

/*
 * api_list_check - every symbol of the library that src/api.def names is covered.
 *
 * Each that is not is printed as "NAME COMPLAINT", and fails the test. Skips it where
 * SRCDIR does not say where the list is.
 */
void api_list_check(bool (*is_covered)(const char *function), const char *complaint);

#endif
