/* SPDX-License-Identifier: MIT */
#ifndef TEST_SUPPORT_PROGRAM_H
#define TEST_SUPPORT_PROGRAM_H

#include <stddef.h>

/* How a program ended (128 plus the signal that killed it) and what it said. */
struct program_outcome {
	int status;
	char out[4096];
	char err[4096];
};

/*
 * program_run - run a program to its end, at most a minute, and keep its output.
 *
 * args ends with NULL. Where refused_with is not 0, io_uring_setup gives the
 * program this errno; the test is skipped where no seccomp filter can do that.
 */
void program_run(struct program_outcome *outcome, const char *const *args, int refused_with);

/*
 * program_run_counted - the same under count_enters; returns the number of enters.
 *
 * The test is skipped where nobody may trace a program.
 */
unsigned long program_run_counted(struct program_outcome *outcome, const char *const *args);

/*
 * program_path - the path of a program in the folder that the environment
 * variable names. The test fails where there is no such program.
 */
void program_path(char *path, size_t path_sz, const char *variable, const char *name);

#endif
