/* SPDX-License-Identifier: MIT */
#include "echo_options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

static void print_usage(FILE *out, bool is_server)
{
	fprintf(out,
		"usage: echo_%s [OPTION]...\n"
		"  -p PORT         TCP port, 1 to 65535%s (the default is 12345)\n"
		"  -n CONNECTIONS  %s (1000)\n"
		"  -l SIZE         bytes of %s (16)\n"
		"  -f              sockets in the ring's file table, without descriptors\n",
		is_server ? "server" : "client", is_server ? ", or 0 for a free one" : "",
		is_server ? "at most so many at a time" : "so many, all the time",
		is_server ? "a receive buffer" : "a message");
	if (is_server)
		fprintf(out,
			"  -P              multishot poll, and a receive when it tells of data\n"
			"  -b BUFFERS      receive buffers, a power of two (by CONNECTIONS)\n"
			"  -w MICROSECONDS when busy, wait so long for a batch (500; 0: not at all)\n");
	else
		fprintf(out, "  -a ADDRESS      of the server (127.0.0.1)\n"
			     "  -t SECONDS      end so long after all are connected\n"
			     "  -r REQUESTS     end after so many echoes\n"
			     "  -i SECONDS      print a line so often (2)\n");
	fprintf(out, "  -h, --help      print this\n");
}

static bool parse_number(const char *text, unsigned long min, unsigned long max,
			 unsigned long *value)
{
	char *end;

	errno = 0;
	*value = strtoul(text, &end, 10);
	if (end != text && !*end && !errno && *text != '-' && *value >= min && *value <= max)
		return true;
	fprintf(stderr, "not a number from %lu to %lu: %s\n", min, max, text);
	return false;
}

static bool parse_uint(const char *text, unsigned int min, unsigned int max, unsigned int *value)
{
	unsigned long number;

	if (!parse_number(text, min, max, &number))
		return false;
	*value = (unsigned int)number;
	return true;
}

static bool parse_option(int opt, bool is_server, struct echo_options *options)
{
	switch (opt) {
	case 'p':
		return parse_uint(optarg, !is_server, 65535, &options->port);
	case 'n':
		return parse_uint(optarg, 1, 1U << 20, &options->nr_connections);
	case 'l':
		return parse_uint(optarg, 1, 1U << 20, &options->message_sz);
	case 'f':
		options->fixed_files = true;
		return true;
	case 'P':
		options->poll_mode = true;
		return true;
	case 'b':
		if (!parse_uint(optarg, 1, 1U << 15, &options->nr_buffers))
			return false;
		if ((options->nr_buffers & (options->nr_buffers - 1)) == 0)
			return true;
		fprintf(stderr, "not a power of two: %s\n", optarg);
		return false;
	case 'w':
		return parse_uint(optarg, 0, 1000000 - 1, &options->batch_usec);
	case 'a':
		options->host = optarg;
		return true;
	case 't':
		return parse_uint(optarg, 1, 1U << 20, &options->seconds);
	case 'i':
		return parse_uint(optarg, 1, 1U << 20, &options->interval);
	case 'r':
		return parse_number(optarg, 1, ~0UL, &options->nr_requests);
	case 'h':
		print_usage(stdout, is_server);
		exit(0);
	default:
		return false;
	}
}

void parse_echo_options(int argc, char **argv, bool is_server, struct echo_options *options)
{
	static const struct option long_options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	const char *letters = is_server ? "p:n:l:fPb:w:h" : "p:n:l:fa:t:r:i:h";
	bool good = true;
	int opt;

	*options = (struct echo_options){
		.port = 12345,
		.nr_connections = 1000,
		.message_sz = 16,
		.batch_usec = 500,
		.interval = 2,
		.host = "127.0.0.1",
	};
	while (good && (opt = getopt_long(argc, argv, letters, long_options, NULL)) != -1)
		good = parse_option(opt, is_server, options);
	if (!good || optind != argc) {
		print_usage(stderr, is_server);
		exit(2);
	}
}
