/* SPDX-License-Identifier: MIT */
#ifndef EXAMPLES_COMMON_NET_RING_H
#define EXAMPLES_COMMON_NET_RING_H

#include <liburing.h>

/*
 * net_ring_init - a ring for a single thread that serves nr_sockets sockets.
 *
 * With the flags that save work for such a thread, or without those that the
 * kernel lacks. Where a ring, or multishot receive, is not to be had it says
 * why on the standard error. Returns 0 or a negative errno.
 */
int net_ring_init(struct io_uring *ring, unsigned int nr_sockets);

/*
 * net_ring_init_files - an empty file table for nr sockets.
 *
 * Exits the program, and says what to do, where it is refused.
 */
void net_ring_init_files(struct io_uring *ring, unsigned int nr);

/*
 * net_ring_get_sqe - an SQE, after a submit where the ring is full.
 *
 * Exits the program where the kernel takes no SQEs any more.
 */
struct io_uring_sqe *net_ring_get_sqe(struct io_uring *ring);

/*
 * net_ring_cancel_all - cancel every request, and wait until none is left.
 *
 * Their buffers are the program's again then. Where it fails (before Linux 6.0)
 * they are not: returns a negative errno.
 */
int net_ring_cancel_all(struct io_uring *ring);

/*
 * net_ring_signals - block SIGINT and SIGTERM, and return a descriptor that
 * can be read when one of them comes, or a negative errno.
 *
 * SIGPIPE is ignored: a send to a peer that is gone fails instead.
 */
int net_ring_signals(void);

/* net_ring_fail - net_fail for a wait on a ring; says more where rings are refused. */
__attribute__((noreturn)) void net_ring_fail(int err);

/* net_fail - say what failed and with which negative errno, and exit with status 1. */
__attribute__((noreturn)) void net_fail(const char *what, int err);

/* raise_nofile - allow nr descriptors, as far as the hard limit goes. */
void raise_nofile(unsigned int nr);

#endif
