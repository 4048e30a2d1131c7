/* SPDX-License-Identifier: MIT */
#include "read_options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 1024

static const char *const mode_names[NR_MODES] = { "read", "uring", "uring-wait", "uring-batch" };

const char *read_mode_name(enum read_mode mode)
{
	return mode_names[mode];
}

static void print_usage(FILE *out)
{
	fprintf(out,
		"usage: read_loop [--mode MODE] [--depth N] [--defer] [--buffered] FILE\n"
		"  --mode MODE  read (the default), uring, uring-wait or uring-batch\n"
		"  --depth N    blocks in one batch, 1 to %d (the default is 16)\n"
		"  --defer      a ring with SINGLE_ISSUER and DEFER_TASKRUN\n"
		"  --buffered   read through the page cache, without O_DIRECT\n"
		"  --help       print this\n",
		MAX_DEPTH);
}

static int parse_mode(const char *name, enum read_mode *mode)
{
	unsigned int i;

	for (i = 0; i < NR_MODES; i++) {
		if (strcmp(name, mode_names[i]) == 0) {
			*mode = (enum read_mode)i;
			return 0;
		}
	}
	fprintf(stderr, "read_loop: unknown mode: %s\n", name);
	return -1;
}

static int parse_depth(const char *text, unsigned int *depth)
{
	char *end;
	long value = strtol(text, &end, 10);

	if (end == text || *end || value < 1 || value > MAX_DEPTH) {
		fprintf(stderr, "read_loop: the depth is 1 to %d, not %s\n", MAX_DEPTH, text);
		return -1;
	}
	*depth = (unsigned int)value;
	return 0;
}

static int parse_option(int opt, struct read_options *options)
{
	switch (opt) {
	case 'm':
		return parse_mode(optarg, &options->mode);
	case 'n':
		return parse_depth(optarg, &options->depth);
	case 'd':
		options->defer = true;
		return 0;
	case 'b':
		options->buffered = true;
		return 0;
	case 'h':
		print_usage(stdout);
		exit(0);
	default:
		return -1;
	}
}

void parse_options(int argc, char **argv, struct read_options *options)
{
	static const struct option names[] = {
		{ "mode", required_argument, NULL, 'm' },
		{ "depth", required_argument, NULL, 'n' },
		{ "defer", no_argument, NULL, 'd' },
		{ "buffered", no_argument, NULL, 'b' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int ret = 0;
	int opt;

	*options = (struct read_options){ .mode = MODE_READ, .depth = 16 };
	while (ret == 0 && (opt = getopt_long(argc, argv, "", names, NULL)) != -1)
		ret = parse_option(opt, options);
	if (ret < 0 || optind + 1 != argc) {
		print_usage(stderr);
		exit(2);
	}
	options->path = argv[optind];
}
