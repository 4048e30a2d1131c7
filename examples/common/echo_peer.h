/* SPDX-License-Identifier: MIT */
#ifndef EXAMPLES_COMMON_ECHO_PEER_H
#define EXAMPLES_COMMON_ECHO_PEER_H

#include "buf_pool.h"
#include "echo_options.h"
#include "net_ring.h"

#include <netinet/in.h>
#include <sys/signalfd.h>

/* What a completion is of; the OP_PEER_... ones are a connection's. */
enum echo_peer_op {
	OP_PEER_SOCKET,
	OP_PEER_CONNECT,
	OP_PEER_SEND,
	OP_PEER_RECEIVE,
	OP_PEER_SHUTDOWN,
	OP_PEER_CLOSE,
	OP_TICK,
	OP_STOP,
};

/* A connection that sends a message and waits for it to come back. */
struct echo_peer {
	int fd; /* a descriptor, or a slot of the file table; -1: none */
	char *message;
	__u64 seq; /* of the message; 0: was never connected */
	unsigned int sent;
	unsigned int got;
	unsigned int nr_in_flight;
	bool sending;
	bool receiving;
	bool lost;
	bool starved; /* found no buffer */
	bool waiting; /* for the next tick, to connect again */
};

struct echo_client {
	struct io_uring ring;
	struct buf_pool pool;
	struct echo_options options;
	struct sockaddr_in addr;
	int signal_fd;
	struct signalfd_siginfo siginfo;
	struct __kernel_timespec tick;
	struct echo_peer *peers;
	char *messages;
	bool stopping;
	unsigned int nr_connected; /* that were connected at least once */
	unsigned int nr_starved;
	unsigned long nr_requests;
	unsigned long nr_lost;
	unsigned long nr_reported;
	double start; /* when all were connected, in seconds; 0: not yet */
	double reported; /* when the last line was printed */
};

/* echo_peer_connect - make a socket, connect, and go on with messages. */
void echo_peer_connect(struct echo_client *client, struct echo_peer *peer);

/*
 * echo_peer_handle - a completion of the connection's. Exits the program where
 * what came back differs from what was sent.
 */
void echo_peer_handle(struct echo_client *client, struct echo_peer *peer, enum echo_peer_op op,
		      const struct io_uring_cqe *cqe);

/*
 * echo_feed_peers - after a round of completions: hand buffers back, and let
 * connections that found none try again.
 */
void echo_feed_peers(struct echo_client *client);

#endif
