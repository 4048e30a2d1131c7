/* SPDX-License-Identifier: MIT */
#ifndef EXAMPLES_COMMON_PORTING_H
#define EXAMPLES_COMMON_PORTING_H

#include <liburing.h>
#include <stddef.h>
#include <stdint.h>

#define PORT_BLOCK_SZ 65536U
/* How often a read may answer EINTR or EAGAIN before that is taken for an error. */
#define PORT_MAX_RETRIES 16

/* What a step of the ladder has done; port_start sets it up. */
struct port_job {
	const char *name;
	uint64_t bytes;
	uint64_t nr_calls; /* system calls that were made to read */
	uint64_t checksum;
	unsigned char word[8]; /* bytes that do not fill a word of the checksum yet */
	unsigned int word_sz;
	double start;
	double cpu_start;
};

/*
 * port_start - open the file that the command line names, and start the clock.
 *
 * Exits with status 2 and the usage, or with 1 and the reason, where there is none.
 * flags are for open(2).
 */
int port_start(struct port_job *job, int argc, char **argv, int flags);

/*
 * port_start_file - the same for what is read at several offsets at once.
 *
 * A pipe, a socket or a terminal has none: reads of them in flight together take
 * pieces in any order, and a short one says nothing of the end. Such a one is read
 * to its end here, a block at a time, and the program ends.
 */
int port_start_file(struct port_job *job, int argc, char **argv);

/* port_add - the next bytes, in order, in pieces of any size. */
void port_add(struct port_job *job, const void *bytes, size_t sz);

/*
 * port_finish - print what was done and what it has saved against one read(2) for
 * each block; err is 0 or a negative errno. Returns the exit status.
 */
int port_finish(const struct port_job *job, int err);

/*
 * port_open_ring - a ring, or the reason why there is none on the standard error.
 *
 * Returns 0 or a negative errno: then there is still port_pread.
 */
int port_open_ring(struct io_uring *ring, unsigned int entries, unsigned int flags);

/*
 * port_pread - read the file, or stream, to its end without a ring. Returns 0 or a negative errno.
 */
int port_pread(struct port_job *job, int fd);

#endif
