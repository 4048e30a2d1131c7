/* SPDX-License-Identifier: MIT */
/*
 * Descriptors of every kind to read from, with bytes that are known.
 */
#ifndef TEST_SUPPORT_SOURCE_H
#define TEST_SUPPORT_SOURCE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum source_kind {
	SOURCE_FILE,		/* on a disk, by the pattern of process.h */
	SOURCE_MEMORY,		/* memfd */
	SOURCE_SPARSE,		/* a file of the pattern with holes in it */
	SOURCE_PIPE,
	SOURCE_SOCKET,
	SOURCE_TERMINAL,	/* raw; it never ends */
	SOURCE_BLOCK,		/* a loop device; whole sectors */
	NR_SOURCE_KINDS,
};

struct source {
	enum source_kind kind;
	int fd;			/* to read from */
	size_t sz;		/* bytes that can be read */
	unsigned char *bytes;	/* what they are */
	int feed_fd;		/* pipe, socket, terminal: a thread writes them there */
	pthread_t feeder;
	int backing_fd;		/* of the loop device */
};

const char *source_name(enum source_kind kind);

/* source_has_offsets - whether pread works on this kind. */
bool source_has_offsets(enum source_kind kind);

/* source_ends - whether 0 is read after the last byte; else nothing more comes. */
bool source_ends(enum source_kind kind);

/*
 * source_open - a new descriptor of that kind at its first byte.
 *
 * The feeder of a pipe, socket or terminal writes in pieces of odd sizes, and then
 * closes where it ends. A block device has the next larger multiple of 512 bytes, at least
 * one. Returns false where the system has none of the kind; whatever else goes
 * wrong fails the test.
 */
bool source_open(struct source *source, enum source_kind kind, size_t sz);

/* source_rewind - to the first byte again; only where it has offsets. */
void source_rewind(struct source *source);

/* source_close - the feeder must be done, or its end of the stream be read by nobody else. */
void source_close(struct source *source);

#endif
