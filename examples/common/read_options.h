/* SPDX-License-Identifier: MIT */
#ifndef EXAMPLES_COMMON_READ_OPTIONS_H
#define EXAMPLES_COMMON_READ_OPTIONS_H

#include <stdbool.h>

enum read_mode { MODE_READ, MODE_URING, MODE_URING_WAIT, MODE_URING_BATCH, NR_MODES };

struct read_options {
	enum read_mode mode;
	unsigned int depth; /* blocks in one batch */
	bool defer;
	bool buffered;
	const char *path;
};

const char *read_mode_name(enum read_mode mode);

/*
 * parse_options - fill *options from the command line of read_loop.
 *
 * Exits with status 0 after --help, and with 2 and the usage on the standard
 * error where the command line makes no sense.
 */
void parse_options(int argc, char **argv, struct read_options *options);

#endif
