/* SPDX-License-Identifier: MIT */
/*
 * One connection of echo_server: what it has received and not sent back yet is a
 * queue of buffers. One send at a time is in flight, as a second might overtake a
 * first that found the socket full.
 *
 * A peer that sends and does not read keeps the buffers of its queue for as long
 * as it likes, and the pool may run out. So each connection has a buffer of its
 * own besides, into which it receives while the pool is empty: nobody can take it
 * away, and every connection goes on.
 */
#include "echo_conn.h"

#include <errno.h>
#include <poll.h>

#define MAX_QUEUED 64U

/*
 * A connection with so much to send receives nothing more until all of it is sent.
 * The fewer buffers are free, the smaller is the share of one connection.
 */
static unsigned int max_queued(const struct echo_server *server)
{
	unsigned int share = (server->pool.nr_buffers - server->nr_held) / 2;

	return share < MAX_QUEUED ? share : MAX_QUEUED;
}

/* The number of the connection's own buffer comes after those of the pool. */
static unsigned int own_bid(const struct echo_server *server, const struct echo_conn *conn)
{
	return server->pool.nr_buffers + (unsigned int)(conn - server->conns);
}

static char *buffer_at(const struct echo_server *server, unsigned int bid)
{
	unsigned int nr = server->pool.nr_buffers;

	if (bid < nr)
		return buf_pool_at(&server->pool, bid);
	return server->own + (size_t)(bid - nr) * server->own_sz;
}

/* An SQE for the connection's socket. */
static struct io_uring_sqe *get_conn_sqe(struct echo_server *server, struct echo_conn *conn,
					 enum echo_op op, unsigned int bid)
{
	struct io_uring_sqe *sqe = net_ring_get_sqe(&server->ring);

	sqe->user_data = echo_pack(op, (size_t)(conn - server->conns), bid);
	return sqe;
}

/* The helpers leave flags as they are, so that this may come after them. */
static void use_socket(struct echo_server *server, struct io_uring_sqe *sqe)
{
	if (server->options.fixed_files)
		sqe->flags |= IOSQE_FIXED_FILE;
}

/*
 * A receive into a buffer of the pool, which the kernel picks when data comes; or,
 * where the pool has none, into the connection's own. That one is free whenever
 * nothing is queued.
 */
static void prep_receive(struct echo_server *server, struct echo_conn *conn,
			 struct io_uring_sqe *sqe, bool multishot, int flags)
{
	bool empty = conn->starved || server->nr_held == server->pool.nr_buffers;

	if (empty && !conn->nr_queued) {
		io_uring_prep_recv(sqe, conn->fd, buffer_at(server, own_bid(server, conn)),
				   server->own_sz, flags);
		conn->starved = false;
		return;
	}
	if (multishot)
		io_uring_prep_recv_multishot(sqe, conn->fd, NULL, 0, flags);
	else
		io_uring_prep_recv(sqe, conn->fd, NULL, 0, flags);
	sqe->flags |= IOSQE_BUFFER_SELECT;
	sqe->buf_group = (__u16)server->pool.group;
}

static void queue_receive(struct echo_server *server, struct echo_conn *conn)
{
	struct io_uring_sqe *sqe = get_conn_sqe(server, conn, OP_CONN_RECEIVE, 0);

	if (server->options.poll_mode)
		io_uring_prep_poll_multishot(sqe, conn->fd, POLLIN | POLLRDHUP);
	else
		prep_receive(server, conn, sqe, true, 0);
	use_socket(server, sqe);
	conn->receiving = true;
}

static void queue_fetch(struct echo_server *server, struct echo_conn *conn)
{
	struct io_uring_sqe *sqe = get_conn_sqe(server, conn, OP_CONN_FETCH, 0);

	prep_receive(server, conn, sqe, false, MSG_DONTWAIT);
	use_socket(server, sqe);
	conn->fetching = true;
	conn->readable = false;
}

static void queue_send(struct echo_server *server, struct echo_conn *conn)
{
	unsigned int bid = conn->first;
	struct io_uring_sqe *sqe = get_conn_sqe(server, conn, OP_CONN_SEND, bid);

	io_uring_prep_send(sqe, conn->fd, buffer_at(server, bid) + conn->sent,
			   server->pieces[bid].len - conn->sent, MSG_WAITALL);
	use_socket(server, sqe);
}

static void queue_cancel(struct echo_server *server, struct echo_conn *conn)
{
	struct io_uring_sqe *sqe = get_conn_sqe(server, conn, OP_CONN_CANCEL, 0);

	io_uring_prep_cancel64(sqe, echo_pack(OP_CONN_RECEIVE, (size_t)(conn - server->conns), 0),
			       0);
	conn->cancelling = true;
}

static void queue_close(struct echo_server *server, struct echo_conn *conn)
{
	struct io_uring_sqe *sqe = get_conn_sqe(server, conn, OP_CONN_CLOSE, 0);

	if (server->options.fixed_files)
		io_uring_prep_close_direct(sqe, (unsigned int)conn->fd);
	else
		io_uring_prep_close(sqe, conn->fd);
	conn->closing = true;
}

/*
 * Brings a connection on whose requests have ended: receives again, or cancels
 * what is left and closes. A connection is forgotten only when no request of it
 * is in flight, so that no completion can meet its successor.
 */
static void settle(struct echo_server *server, struct echo_conn *conn)
{
	if (conn->broken || (conn->at_eof && !conn->nr_queued)) {
		if (conn->receiving && !conn->cancelling)
			queue_cancel(server, conn);
		if (!conn->receiving && !conn->cancelling && !conn->fetching && !conn->nr_queued &&
		    !conn->closing)
			queue_close(server, conn);
		return;
	}
	if (conn->at_eof || conn->cancelling)
		return;
	if (!conn->receiving && !conn->nr_queued)
		queue_receive(server, conn);
	if (conn->readable && !conn->fetching &&
	    (!conn->nr_queued || (!conn->starved && conn->nr_queued < max_queued(server))))
		queue_fetch(server, conn);
}

static void put_buffer(struct echo_server *server, unsigned int bid)
{
	if (bid >= server->pool.nr_buffers)
		return;
	buf_pool_put(&server->pool, bid);
	server->nr_held--;
}

/* After an error: what is not in flight will not be sent. */
static void drop_queue(struct echo_server *server, struct echo_conn *conn)
{
	conn->broken = true;
	for (; conn->nr_queued > 1; conn->nr_queued--) {
		unsigned int bid = server->pieces[conn->first].next;

		server->pieces[conn->first].next = server->pieces[bid].next;
		put_buffer(server, bid);
	}
}

/* Data came in buffer bid. */
static void add_piece(struct echo_server *server, struct echo_conn *conn, unsigned int bid,
		      unsigned int len)
{
	server->pieces[bid].len = len;
	if (bid < server->pool.nr_buffers)
		server->nr_held++;
	if (conn->broken) {
		put_buffer(server, bid);
		return;
	}
	if (conn->nr_queued++) {
		server->pieces[conn->last].next = bid;
		conn->last = bid;
		return;
	}
	conn->first = bid;
	conn->last = bid;
	conn->sent = 0;
	queue_send(server, conn);
}

/* What a receive came to, multishot or not. */
static void take_received(struct echo_server *server, struct echo_conn *conn,
			  const struct io_uring_cqe *cqe)
{
	bool from_pool = (cqe->flags & IORING_CQE_F_BUFFER) != 0;

	if (cqe->res > 0)
		add_piece(server, conn,
			  from_pool ? cqe->flags >> IORING_CQE_BUFFER_SHIFT : own_bid(server, conn),
			  (unsigned int)cqe->res);
	else if (cqe->res == 0)
		conn->at_eof = true;
	else if (cqe->res == -ENOBUFS)
		conn->starved = true;
	else if (cqe->res != -ECANCELED && cqe->res != -EAGAIN && cqe->res != -EINTR)
		drop_queue(server, conn);
}

static void handle_receive(struct echo_server *server, struct echo_conn *conn,
			   const struct io_uring_cqe *cqe)
{
	conn->receiving = (cqe->flags & IORING_CQE_F_MORE) != 0;
	if (server->options.poll_mode) {
		if (cqe->res < 0 && cqe->res != -ECANCELED)
			drop_queue(server, conn);
		conn->readable |= cqe->res > 0;
	} else {
		take_received(server, conn, cqe);
		if (conn->nr_queued >= max_queued(server) && conn->receiving && !conn->cancelling)
			queue_cancel(server, conn);
		if (conn->receiving && !conn->broken)
			return;
	}
	settle(server, conn);
}

static void handle_fetch(struct echo_server *server, struct echo_conn *conn,
			 const struct io_uring_cqe *cqe)
{
	conn->fetching = false;
	conn->readable |= cqe->res == -ENOBUFS || (cqe->flags & IORING_CQE_F_SOCK_NONEMPTY);
	take_received(server, conn, cqe);
	settle(server, conn);
}

static void handle_send(struct echo_server *server, struct echo_conn *conn,
			const struct io_uring_cqe *cqe)
{
	unsigned int bid = conn->first;

	if (cqe->res < 0 && cqe->res != -EAGAIN && cqe->res != -EINTR)
		drop_queue(server, conn);
	if (cqe->res > 0) {
		conn->sent += (unsigned int)cqe->res;
		server->nr_bytes += (unsigned int)cqe->res;
	}
	if (conn->sent < server->pieces[bid].len && !conn->broken) {
		queue_send(server, conn);
		return;
	}
	conn->first = server->pieces[bid].next;
	conn->sent = 0;
	put_buffer(server, bid);
	if (--conn->nr_queued)
		queue_send(server, conn);
	else if (!conn->receiving || conn->readable || conn->at_eof || conn->broken)
		settle(server, conn);
}

void echo_conn_start(struct echo_server *server, struct echo_conn *conn)
{
	queue_receive(server, conn);
}

void echo_conn_handle(struct echo_server *server, struct echo_conn *conn, enum echo_op op,
		      const struct io_uring_cqe *cqe)
{
	if (op == OP_CONN_RECEIVE) {
		handle_receive(server, conn, cqe);
	} else if (op == OP_CONN_SEND) {
		handle_send(server, conn, cqe);
	} else if (op == OP_CONN_FETCH) {
		handle_fetch(server, conn, cqe);
	} else if (op == OP_CONN_CANCEL) {
		conn->cancelling = false;
		settle(server, conn);
	}
}
