/* SPDX-License-Identifier: MIT */
#ifndef EXAMPLES_COMMON_ECHO_CONN_H
#define EXAMPLES_COMMON_ECHO_CONN_H

#include "buf_pool.h"
#include "echo_options.h"
#include "net_ring.h"

#include <sys/signalfd.h>

/* What a completion is of; the OP_CONN_... ones are a connection's. */
enum echo_op {
	OP_CONN_RECEIVE, /* multishot receive, or multishot poll */
	OP_CONN_FETCH, /* receive after a poll */
	OP_CONN_SEND,
	OP_CONN_CANCEL,
	OP_CONN_CLOSE,
	OP_ACCEPT,
	OP_REFUSE,
	OP_STOP,
};

struct echo_conn {
	int fd; /* a descriptor, or a slot of the file table */
	unsigned int first; /* buffers to send, in order; the first is in flight */
	unsigned int last;
	unsigned int nr_queued;
	unsigned int sent; /* bytes of the first */
	bool receiving; /* the multishot receive or poll is there */
	bool fetching; /* poll mode: a receive is in flight */
	bool readable; /* poll mode: there may be more to receive */
	bool cancelling;
	bool at_eof; /* the peer will send no more */
	bool broken; /* nothing can be sent any more */
	bool starved; /* the pool was empty: the next receive is into its own buffer */
	bool closing;
	struct echo_conn *next; /* of the unused */
};

/* A received piece, by the number of its buffer. */
struct echo_piece {
	unsigned int len;
	unsigned int next;
};

struct echo_server {
	struct io_uring ring;
	struct buf_pool pool;
	struct echo_options options;
	int listen_fd;
	int signal_fd;
	struct signalfd_siginfo siginfo;
	struct echo_conn *conns;
	struct echo_conn *unused; /* without a file table; with it the kernel picks */
	char *own; /* a buffer for each connection, for when the pool is empty */
	unsigned int own_sz;
	struct echo_piece *pieces; /* of the pool's buffers, then of the own ones */
	unsigned int nr_held; /* buffers of the pool with data in them */
	unsigned int nr_open;
	bool accepting;
	bool stopping;
	unsigned long nr_accepted;
	unsigned long long nr_bytes;
};

/* echo_pack - user_data: the operation, the connection's index, the buffer's number. */
static inline __u64 echo_pack(enum echo_op op, size_t conn_idx, unsigned int bid)
{
	return (__u64)op | (__u64)conn_idx << 8 | (__u64)bid << 32;
}

/*
 * echo_conn_start - echo what comes on a connection; its fd is set, and nothing
 * else. When it has ended, its OP_CONN_CLOSE completes.
 */
void echo_conn_start(struct echo_server *server, struct echo_conn *conn);

/* echo_conn_handle - a completion of the connection's, but OP_CONN_CLOSE. */
void echo_conn_handle(struct echo_server *server, struct echo_conn *conn, enum echo_op op,
		      const struct io_uring_cqe *cqe);

#endif
