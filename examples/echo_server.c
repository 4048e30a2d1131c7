/* SPDX-License-Identifier: MIT */
/*
 * echo_server - sends back what it receives, on one thread and one ring.
 *
 * One multishot accept brings the connections, and on each a multishot receive
 * brings the data: the kernel puts every piece into a buffer of the pool, the
 * piece is sent from there, and the buffer goes back to the pool. No memory is
 * allocated for a message, none is copied, and a turn of the loop is one system
 * call, however many connections it serves. With -P a multishot poll tells of
 * data, and an ordinary receive fetches it. SIGINT ends it.
 *
 * What happens on a connection is in common/echo_conn.c.
 */
#include "common/echo_conn.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MAX_OWN_SZ 4096U

/* What makes the server busy: so many connections, and completions in a round. */
#define BUSY_CONNS 256
#define BUSY_NR 32
/* What a busy server waits for. */
#define BATCH_NR 512

static void queue_accept(struct echo_server *server)
{
	struct io_uring_sqe *sqe = net_ring_get_sqe(&server->ring);

	if (server->options.fixed_files)
		io_uring_prep_multishot_accept_direct(sqe, server->listen_fd, NULL, NULL, 0);
	else
		io_uring_prep_multishot_accept(sqe, server->listen_fd, NULL, NULL, SOCK_CLOEXEC);
	sqe->user_data = echo_pack(OP_ACCEPT, 0, 0);
	server->accepting = true;
}

/* A signal is data on a descriptor: it cannot slip in between a check and a wait. */
static void queue_stop(struct echo_server *server)
{
	struct io_uring_sqe *sqe = net_ring_get_sqe(&server->ring);

	io_uring_prep_read(sqe, server->signal_fd, &server->siginfo, sizeof(server->siginfo), 0);
	sqe->user_data = echo_pack(OP_STOP, 0, 0);
}

/* Starts on a new descriptor or slot; false where there are connections enough. */
static bool open_conn(struct echo_server *server, int fd)
{
	struct echo_conn *conn;

	if (server->options.fixed_files) {
		conn = &server->conns[fd];
	} else {
		conn = server->unused;
		if (!conn)
			return false;
		server->unused = conn->next;
	}
	*conn = (struct echo_conn){ .fd = fd };
	server->nr_open++;
	server->nr_accepted++;
	echo_conn_start(server, conn);
	return true;
}

static void handle_accept(struct echo_server *server, const struct io_uring_cqe *cqe)
{
	struct io_uring_sqe *sqe;
	bool again;

	server->accepting = (cqe->flags & IORING_CQE_F_MORE) != 0;
	if (cqe->res >= 0 && !open_conn(server, cqe->res)) {
		sqe = net_ring_get_sqe(&server->ring);
		io_uring_prep_close(sqe, cqe->res);
		sqe->user_data = echo_pack(OP_REFUSE, 0, 0);
	}
	if (server->accepting)
		return;
	/* Where descriptors or slots have run out, the next close lets it go on. */
	again = cqe->res >= 0 || cqe->res == -ECONNABORTED || cqe->res == -EINTR ||
		cqe->res == -EAGAIN;
	if (again)
		queue_accept(server);
	else if (server->nr_open == 0)
		net_fail("accept", cqe->res);
}

static void handle_close(struct echo_server *server, struct echo_conn *conn)
{
	server->nr_open--;
	if (!server->options.fixed_files) {
		conn->next = server->unused;
		server->unused = conn;
	}
	if (!server->accepting)
		queue_accept(server);
}

static void handle(struct echo_server *server, const struct io_uring_cqe *cqe)
{
	struct echo_conn *conn = &server->conns[(cqe->user_data >> 8) & 0xffffff];
	enum echo_op op = (enum echo_op)(cqe->user_data & 0xff);

	switch (op) {
	case OP_CONN_RECEIVE:
	case OP_CONN_FETCH:
	case OP_CONN_SEND:
	case OP_CONN_CANCEL:
		echo_conn_handle(server, conn, op, cqe);
		break;
	case OP_CONN_CLOSE:
		handle_close(server, conn);
		break;
	case OP_ACCEPT:
		handle_accept(server, cqe);
		break;
	case OP_STOP:
		server->stopping = true;
		break;
	case OP_REFUSE:
		break;
	}
}

/*
 * Submits, and waits: when idle for one completion, and when busy for a batch of
 * them, though not for long. The more there is to do in a round, the less each
 * piece costs.
 */
static void wait_for_work(struct echo_server *server, unsigned int nr_last)
{
	struct __kernel_timespec ts = { .tv_nsec = server->options.batch_usec * 1000LL };
	bool busy = server->nr_open >= BUSY_CONNS && nr_last >= BUSY_NR;
	struct io_uring_cqe *cqe;
	int ret;

	if (busy && server->options.batch_usec)
		ret = io_uring_submit_and_wait_timeout(&server->ring, &cqe, BATCH_NR, &ts, NULL);
	else
		ret = io_uring_submit_and_wait(&server->ring, 1);
	if (ret < 0 && ret != -EINTR && ret != -EAGAIN && ret != -EBUSY && ret != -ETIME)
		net_ring_fail(ret);
}

static void serve(struct echo_server *server)
{
	struct io_uring_cqe *cqe;
	unsigned int head, nr = 0;

	queue_stop(server);
	queue_accept(server);
	while (!server->stopping) {
		wait_for_work(server, nr);
		nr = 0;
		io_uring_for_each_cqe (&server->ring, head, cqe) {
			handle(server, cqe);
			nr++;
		}
		io_uring_cq_advance(&server->ring, nr);
		buf_pool_publish(&server->pool);
	}
}

/* Returns a listening socket and its port. */
static int open_listener(unsigned int *port)
{
	struct sockaddr_in addr = {
		.sin_family = AF_INET,
		.sin_port = htons((uint16_t)*port),
		.sin_addr.s_addr = htonl(INADDR_ANY),
	};
	socklen_t addr_sz = sizeof(addr);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int one = 1;

	if (fd < 0)
		net_fail("socket", -errno);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	/* Accepted sockets inherit it: no piece waits for the one before it. */
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (bind(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0)
		net_fail("bind", -errno);
	if (listen(fd, SOMAXCONN) < 0)
		net_fail("listen", -errno);
	if (getsockname(fd, (struct sockaddr *)&addr, &addr_sz) < 0)
		net_fail("getsockname", -errno);
	*port = ntohs(addr.sin_port);
	return fd;
}

static void init_server(struct echo_server *server)
{
	unsigned int nr_conns = server->options.nr_connections;
	unsigned int nr_buffers = server->options.nr_buffers;
	unsigned int buf_sz = server->options.message_sz;
	unsigned int i;
	int ret;

	if (!nr_buffers)
		nr_buffers = buf_pool_enough(nr_conns);
	server->own_sz = buf_sz < MAX_OWN_SZ ? buf_sz : MAX_OWN_SZ;
	server->own = calloc(nr_conns, server->own_sz);
	server->conns = calloc(nr_conns, sizeof(*server->conns));
	server->pieces = calloc(nr_buffers + nr_conns, sizeof(*server->pieces));
	if (!server->own || !server->conns || !server->pieces)
		net_fail("memory for the connections", -ENOMEM);
	for (i = 0; i < nr_conns; i++) {
		server->conns[i].next = server->unused;
		server->unused = &server->conns[i];
	}
	raise_nofile(nr_conns + 16);
	server->signal_fd = net_ring_signals();
	if (server->signal_fd < 0)
		net_fail("signalfd", server->signal_fd);
	server->listen_fd = open_listener(&server->options.port);

	if (net_ring_init(&server->ring, nr_conns) < 0)
		exit(1);
	ret = buf_pool_init(&server->pool, &server->ring, nr_buffers, buf_sz, 0);
	if (ret < 0)
		net_fail("a ring of buffers", ret);
	if (server->options.fixed_files)
		net_ring_init_files(&server->ring, nr_conns);
}

static void exit_server(struct echo_server *server)
{
	/* The kernel may use the buffers until every request has ended. */
	if (net_ring_cancel_all(&server->ring) == 0) {
		buf_pool_exit(&server->pool, &server->ring);
		io_uring_queue_exit(&server->ring);
		free(server->own);
	}
	close(server->listen_fd);
	close(server->signal_fd);
	free(server->conns);
	free(server->pieces);
}

int main(int argc, char **argv)
{
	static struct echo_server server;

	parse_echo_options(argc, argv, true, &server.options);
	init_server(&server);
	printf("listening on port %u\n", server.options.port);
	if (fflush(stdout) != 0)
		net_fail("standard output", -errno);
	serve(&server);
	printf("echoed %llu bytes on %lu connections\n", server.nr_bytes, server.nr_accepted);
	exit_server(&server);
	return 0;
}
