/* SPDX-License-Identifier: MIT */
#ifndef EXAMPLES_COMMON_CP_PROGRESS_H
#define EXAMPLES_COMMON_CP_PROGRESS_H

#include <stdint.h>

/*
 * A line with a bar, the rate and the time left, on a terminal that is the standard
 * error; nothing elsewhere. It comes after half a second and is removed at the end.
 */

/* cp_progress_always - at once, wherever the standard error goes, and the last line stays. */
void cp_progress_always(void);

/* cp_progress_start - what is done next, and of how many bytes. */
void cp_progress_start(const char *what, const char *name, uint64_t total);

/* cp_progress_show - how many bytes are done; may be called at any rate. */
void cp_progress_show(uint64_t nr_done);

/* cp_progress_end - remove the line; before anything else is printed. */
void cp_progress_end(void);

#endif
