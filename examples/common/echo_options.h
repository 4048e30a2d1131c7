/* SPDX-License-Identifier: MIT */
#ifndef EXAMPLES_COMMON_ECHO_OPTIONS_H
#define EXAMPLES_COMMON_ECHO_OPTIONS_H

#include <stdbool.h>

struct echo_options {
	unsigned int port;
	unsigned int nr_connections;
	unsigned int message_sz; /* bytes of a message, and of a buffer */
	bool fixed_files;
	bool poll_mode; /* server: wait with poll, then receive */
	unsigned int nr_buffers; /* server: 0 leaves it to the server */
	unsigned int batch_usec; /* server: how long a batch may take to gather */
	unsigned int seconds; /* client: 0 goes on until SIGINT */
	unsigned int interval; /* client: seconds between two lines */
	unsigned long nr_requests; /* client: 0 is without bound */
	const char *host; /* client: an IPv4 address */
};

/*
 * parse_echo_options - fill *options from the command line of echo_server or
 * echo_client, after their defaults.
 *
 * Exits with status 0 after -h, and with 2 and the usage on the standard error
 * where the command line makes no sense.
 */
void parse_echo_options(int argc, char **argv, bool is_server, struct echo_options *options);

#endif
