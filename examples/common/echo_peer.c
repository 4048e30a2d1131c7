/* SPDX-License-Identifier: MIT */
/*
 * One connection of echo_client: a message goes out, what comes back is compared
 * as it comes, and when all of it is back the next goes out. A connection that is
 * lost is closed when none of its requests is left, and opened again.
 */
#include "echo_peer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct io_uring_sqe *get_sqe(struct echo_client *client, struct echo_peer *peer,
				    enum echo_peer_op op)
{
	struct io_uring_sqe *sqe = net_ring_get_sqe(&client->ring);

	sqe->user_data = (__u64)op;
	if (peer) {
		sqe->user_data |= (__u64)(peer - client->peers) << 8;
		peer->nr_in_flight++;
	}
	return sqe;
}

static void use_socket(struct echo_client *client, struct io_uring_sqe *sqe)
{
	if (client->options.fixed_files)
		sqe->flags |= IOSQE_FIXED_FILE;
}

void echo_peer_connect(struct echo_client *client, struct echo_peer *peer)
{
	struct io_uring_sqe *sqe = get_sqe(client, peer, OP_PEER_SOCKET);

	peer->lost = false;
	peer->waiting = false;
	if (client->options.fixed_files) {
		peer->fd = (int)(peer - client->peers);
		io_uring_prep_socket_direct(sqe, AF_INET, SOCK_STREAM, 0, (unsigned int)peer->fd,
					    0);
	} else {
		io_uring_prep_socket(sqe, AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0, 0);
	}
}

static void queue_connect(struct echo_client *client, struct echo_peer *peer)
{
	struct io_uring_sqe *sqe = get_sqe(client, peer, OP_PEER_CONNECT);

	io_uring_prep_connect(sqe, peer->fd, (struct sockaddr *)&client->addr,
			      sizeof(client->addr));
	use_socket(client, sqe);
}

static void queue_receive(struct echo_client *client, struct echo_peer *peer)
{
	struct io_uring_sqe *sqe = get_sqe(client, peer, OP_PEER_RECEIVE);

	io_uring_prep_recv_multishot(sqe, peer->fd, NULL, 0, 0);
	sqe->flags |= IOSQE_BUFFER_SELECT;
	sqe->buf_group = (__u16)client->pool.group;
	use_socket(client, sqe);
	peer->receiving = true;
}

static void queue_send(struct echo_client *client, struct echo_peer *peer)
{
	struct io_uring_sqe *sqe = get_sqe(client, peer, OP_PEER_SEND);

	io_uring_prep_send(sqe, peer->fd, peer->message + peer->sent,
			   client->options.message_sz - peer->sent, MSG_WAITALL);
	use_socket(client, sqe);
	peer->sending = true;
}

static void send_next(struct echo_client *client, struct echo_peer *peer)
{
	size_t seq_sz = sizeof(peer->seq);

	if (seq_sz > client->options.message_sz)
		seq_sz = client->options.message_sz;
	peer->seq++;
	memcpy(peer->message, &peer->seq, seq_sz);
	peer->sent = 0;
	peer->got = 0;
	queue_send(client, peer);
}

/*
 * A connection that is lost gives its socket up first, so that its requests end,
 * and closes when none is left.
 */
static void settle(struct echo_client *client, struct echo_peer *peer)
{
	struct io_uring_sqe *sqe;

	if (!peer->lost || peer->nr_in_flight || peer->waiting || peer->starved)
		return;
	if (peer->fd < 0) {
		peer->waiting = true;
		return;
	}
	sqe = get_sqe(client, peer, OP_PEER_CLOSE);
	if (client->options.fixed_files)
		io_uring_prep_close_direct(sqe, (unsigned int)peer->fd);
	else
		io_uring_prep_close(sqe, peer->fd);
	peer->fd = -1;
}

static void lose(struct echo_client *client, struct echo_peer *peer)
{
	struct io_uring_sqe *sqe;

	if (peer->lost)
		return;
	peer->lost = true;
	client->nr_lost++;
	if (peer->nr_in_flight) {
		sqe = get_sqe(client, peer, OP_PEER_SHUTDOWN);
		io_uring_prep_shutdown(sqe, peer->fd, SHUT_RDWR);
		use_socket(client, sqe);
	}
}

static void take_echo(struct echo_client *client, struct echo_peer *peer, const char *data,
		      unsigned int len)
{
	if (len > client->options.message_sz - peer->got ||
	    memcmp(data, peer->message + peer->got, len) != 0) {
		fprintf(stderr, "echo_client: connection %td, message %llu: wrong at byte %u\n",
			peer - client->peers, (unsigned long long)peer->seq, peer->got);
		exit(1);
	}
	peer->got += len;
	if (peer->got < client->options.message_sz)
		return;
	client->nr_requests++;
	if (client->nr_requests == client->options.nr_requests)
		client->stopping = true;
	else if (!peer->sending && !peer->lost)
		send_next(client, peer);
}

static void handle_receive(struct echo_client *client, struct echo_peer *peer,
			   const struct io_uring_cqe *cqe)
{
	unsigned int bid = cqe->flags >> IORING_CQE_BUFFER_SHIFT;

	peer->receiving = (cqe->flags & IORING_CQE_F_MORE) != 0;
	if (cqe->res > 0) {
		take_echo(client, peer, buf_pool_at(&client->pool, bid), (unsigned int)cqe->res);
		buf_pool_put(&client->pool, bid);
	} else if (cqe->res == -ENOBUFS) {
		peer->starved = true;
		client->nr_starved++;
	} else if (cqe->res != -EINTR && cqe->res != -EAGAIN) {
		lose(client, peer);
	}
	if (!peer->receiving && !peer->lost && !peer->starved)
		queue_receive(client, peer);
}

static void handle_send(struct echo_client *client, struct echo_peer *peer,
			const struct io_uring_cqe *cqe)
{
	peer->sending = false;
	if (cqe->res > 0)
		peer->sent += (unsigned int)cqe->res;
	else if (cqe->res != -EINTR && cqe->res != -EAGAIN)
		lose(client, peer);
	if (peer->lost)
		return;
	if (peer->sent < client->options.message_sz)
		queue_send(client, peer);
	else if (peer->got == client->options.message_sz)
		send_next(client, peer);
}

static void handle_socket(struct echo_client *client, struct echo_peer *peer,
			  const struct io_uring_cqe *cqe)
{
	if (cqe->res < 0)
		net_fail("socket", cqe->res);
	if (!client->options.fixed_files)
		peer->fd = cqe->res;
	queue_connect(client, peer);
}

static void handle_connect(struct echo_client *client, struct echo_peer *peer,
			   const struct io_uring_cqe *cqe)
{
	if (cqe->res < 0) {
		if (peer->seq == 0 && client->nr_connected == 0 && cqe->res != -EINTR)
			net_fail("connect", cqe->res);
		lose(client, peer);
		return;
	}
	client->nr_connected += peer->seq == 0;
	queue_receive(client, peer);
	send_next(client, peer);
}

void echo_peer_handle(struct echo_client *client, struct echo_peer *peer, enum echo_peer_op op,
		      const struct io_uring_cqe *cqe)
{
	if (!(cqe->flags & IORING_CQE_F_MORE))
		peer->nr_in_flight--;
	if (op == OP_PEER_RECEIVE)
		handle_receive(client, peer, cqe);
	else if (op == OP_PEER_SEND)
		handle_send(client, peer, cqe);
	else if (op == OP_PEER_SOCKET)
		handle_socket(client, peer, cqe);
	else if (op == OP_PEER_CONNECT)
		handle_connect(client, peer, cqe);
	if (peer->lost)
		settle(client, peer);
}

void echo_feed_peers(struct echo_client *client)
{
	struct echo_peer *peer = client->peers;

	buf_pool_publish(&client->pool);
	for (; client->nr_starved; peer++) {
		if (!peer->starved)
			continue;
		peer->starved = false;
		client->nr_starved--;
		if (peer->lost)
			settle(client, peer);
		else
			queue_receive(client, peer);
	}
}
