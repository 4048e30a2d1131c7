/* SPDX-License-Identifier: MIT */
/*
 * echo_client - keeps an echo server busy, and checks what comes back.
 *
 * Each connection sends a message, waits until all of it is back, compares it
 * byte by byte, and sends the next, which differs. A lost connection is opened
 * again. Every few seconds comes a line with the number of echoes so far and the
 * rate since the line before. A byte that differs ends the program with status 1.
 */
#include "common/echo_peer.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void print_line(struct echo_client *client)
{
	double now = seconds_now();
	time_t clock = time(NULL);
	char text[16];

	if (now - client->reported < client->options.interval - 0.5)
		return;
	strftime(text, sizeof(text), "%H:%M:%S", localtime(&clock));
	if (client->start == 0)
		printf("%s connected: %u of %u\n", text, client->nr_connected,
		       client->options.nr_connections);
	else
		printf("%s req: %lu, req/s: %.0f\n", text, client->nr_requests,
		       (double)(client->nr_requests - client->nr_reported) /
			       (now - client->reported));
	fflush(stdout);
	client->reported = now;
	client->nr_reported = client->nr_requests;
}

static void queue_tick(struct echo_client *client)
{
	struct io_uring_sqe *sqe = net_ring_get_sqe(&client->ring);

	client->tick.tv_sec = 1;
	io_uring_prep_timeout(sqe, &client->tick, 0, 0);
	sqe->user_data = OP_TICK;
}

static void handle_tick(struct echo_client *client)
{
	unsigned int i;

	print_line(client);
	if (client->start != 0 && client->options.seconds &&
	    seconds_now() - client->start >= client->options.seconds - 0.05)
		client->stopping = true;
	for (i = 0; i < client->options.nr_connections; i++) {
		if (client->peers[i].waiting)
			echo_peer_connect(client, &client->peers[i]);
	}
	queue_tick(client);
}

static void handle(struct echo_client *client, const struct io_uring_cqe *cqe)
{
	enum echo_peer_op op = (enum echo_peer_op)(cqe->user_data & 0xff);

	if (op == OP_STOP)
		client->stopping = true;
	else if (op == OP_TICK)
		handle_tick(client);
	else
		echo_peer_handle(client, &client->peers[cqe->user_data >> 8], op, cqe);
}

/* The time counts from when all are connected. */
static void start_clock(struct echo_client *client)
{
	client->start = seconds_now();
	client->reported = client->start;
	client->nr_requests = 0;
	client->nr_reported = 0;
}

static void run(struct echo_client *client)
{
	struct io_uring_sqe *sqe = net_ring_get_sqe(&client->ring);
	struct io_uring_cqe *cqe;
	unsigned int i, head, nr;
	int ret;

	io_uring_prep_read(sqe, client->signal_fd, &client->siginfo, sizeof(client->siginfo), 0);
	sqe->user_data = OP_STOP;
	queue_tick(client);
	client->reported = seconds_now();
	for (i = 0; i < client->options.nr_connections; i++)
		echo_peer_connect(client, &client->peers[i]);
	while (!client->stopping) {
		ret = io_uring_submit_and_wait(&client->ring, 1);
		if (ret < 0 && ret != -EINTR && ret != -EAGAIN && ret != -EBUSY)
			net_ring_fail(ret);
		nr = 0;
		io_uring_for_each_cqe (&client->ring, head, cqe) {
			handle(client, cqe);
			nr++;
		}
		io_uring_cq_advance(&client->ring, nr);
		echo_feed_peers(client);
		if (client->start == 0 && client->nr_connected == client->options.nr_connections)
			start_clock(client);
	}
}

/* Bytes without a pattern, so that pieces in a wrong order show. */
static void fill_messages(char *messages, size_t messages_sz)
{
	__u64 state = 0x9e3779b97f4a7c15ULL;
	size_t i;

	for (i = 0; i < messages_sz; i++) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		messages[i] = (char)state;
	}
}

static void init_client(struct echo_client *client)
{
	unsigned int nr_conns = client->options.nr_connections, i;
	size_t message_sz = client->options.message_sz;
	int ret;

	client->addr.sin_family = AF_INET;
	client->addr.sin_port = htons((uint16_t)client->options.port);
	if (inet_pton(AF_INET, client->options.host, &client->addr.sin_addr) != 1)
		net_fail(client->options.host, -EINVAL);
	client->peers = calloc(nr_conns, sizeof(*client->peers));
	client->messages = malloc(nr_conns * message_sz);
	if (!client->peers || !client->messages)
		net_fail("memory for the connections", -ENOMEM);
	fill_messages(client->messages, nr_conns * message_sz);
	for (i = 0; i < nr_conns; i++) {
		client->peers[i].message = client->messages + i * message_sz;
		client->peers[i].fd = -1;
	}

	raise_nofile(nr_conns + 16);
	client->signal_fd = net_ring_signals();
	if (client->signal_fd < 0)
		net_fail("signalfd", client->signal_fd);
	if (net_ring_init(&client->ring, nr_conns) < 0)
		exit(1);
	ret = buf_pool_init(&client->pool, &client->ring, buf_pool_enough(nr_conns),
			    client->options.message_sz, 0);
	if (ret < 0)
		net_fail("a ring of buffers", ret);
	if (client->options.fixed_files)
		net_ring_init_files(&client->ring, nr_conns);
}

int main(int argc, char **argv)
{
	static struct echo_client client;
	double seconds;

	parse_echo_options(argc, argv, false, &client.options);
	init_client(&client);
	run(&client);
	seconds = client.start != 0 ? seconds_now() - client.start : 0;
	printf("total req: %lu, seconds: %.3f, req/s: %.0f, lost connections: %lu\n",
	       client.nr_requests, seconds, seconds > 0 ? (double)client.nr_requests / seconds : 0,
	       client.nr_lost);
	if (fflush(stdout) != 0)
		net_fail("standard output", -errno);
	/* The kernel may use the buffers until every request has ended. */
	if (net_ring_cancel_all(&client.ring) == 0) {
		buf_pool_exit(&client.pool, &client.ring);
		io_uring_queue_exit(&client.ring);
		free(client.peers);
		free(client.messages);
	}
	close(client.signal_fd);
	return 0;
}
