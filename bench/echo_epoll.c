/* SPDX-License-Identifier: MIT */
/*
 * echo_epoll - the server that examples/echo_server.c is measured against: the
 * same on epoll, written as well as it goes there.
 *
 *	echo_epoll [-p PORT] [-n CONNECTIONS] [-l SIZE]
 *
 * Level-triggered, many events per epoll_wait, one recv and one send for each:
 * no call fails with EAGAIN in the usual case. What a full socket does not take
 * is kept for the connection until EPOLLOUT.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>
#include "common.h"

#define MAX_EVENTS 1024

struct conn {
	int fd;
	char *buf;
	size_t from, to; /* what of buf has still to be sent */
};

static int epoll_fd, listen_fd, signal_fd;
static size_t buf_sz = 16;
static unsigned nr_conns = 1000, nr_open;
static struct conn **unused, *conns;

static void watch(int fd, void *ptr, uint32_t events, int op)
{
	struct epoll_event event = { .events = events, .data.ptr = ptr };

	check_errno(epoll_ctl(epoll_fd, op, fd, &event), "epoll_ctl");
}

static void accept_all(void)
{
	struct conn *conn;
	int fd;

	while ((fd = accept4(listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
		if (nr_open == nr_conns) {
			close(fd);
			continue;
		}
		conn = unused[nr_open++];
		conn->fd = fd;
		conn->from = conn->to = 0;
		watch(fd, conn, EPOLLIN, EPOLL_CTL_ADD);
	}
}

static void drop(struct conn *conn)
{
	close(conn->fd);
	unused[--nr_open] = conn;
}

/* Returns false when the connection is gone. */
static bool send_rest(struct conn *conn)
{
	ssize_t ret = send(conn->fd, conn->buf + conn->from, conn->to - conn->from, MSG_NOSIGNAL);

	if (ret < 0 && errno != EAGAIN && errno != EINTR) {
		drop(conn);
		return false;
	}
	if (ret > 0)
		conn->from += (size_t)ret;
	return true;
}

static void serve(struct conn *conn, uint32_t events)
{
	ssize_t ret;

	if (conn->from < conn->to) {
		if (send_rest(conn) && conn->from == conn->to)
			watch(conn->fd, conn, EPOLLIN, EPOLL_CTL_MOD);
		return;
	}
	if (!(events & (EPOLLIN | EPOLLHUP | EPOLLERR)))
		return;
	ret = recv(conn->fd, conn->buf, buf_sz, 0);
	if (ret <= 0) {
		if (ret == 0 || (errno != EAGAIN && errno != EINTR))
			drop(conn);
		return;
	}
	conn->from = 0;
	conn->to = (size_t)ret;
	if (send_rest(conn) && conn->from < conn->to)
		watch(conn->fd, conn, EPOLLOUT, EPOLL_CTL_MOD);
}

static void open_listener(uint16_t port)
{
	struct sockaddr_in addr = {
		.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_ANY),
	};
	socklen_t addr_sz = sizeof(addr);
	int one = 1;

	listen_fd = check_errno(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), "socket");
	setsockopt(listen_fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	setsockopt(listen_fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	check_errno(bind(listen_fd, (struct sockaddr *)&addr, sizeof(addr)), "bind");
	check_errno(listen(listen_fd, SOMAXCONN), "listen");
	check_errno(getsockname(listen_fd, (struct sockaddr *)&addr, &addr_sz), "getsockname");
	printf("listening on port %u\n", ntohs(addr.sin_port));
	fflush(stdout);
}

static void init(uint16_t port)
{
	struct rlimit limit;
	sigset_t set;
	unsigned i;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < nr_conns + 16) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
	conns = calloc(nr_conns, sizeof(*conns));
	unused = calloc(nr_conns, sizeof(*unused));
	if (!conns || !unused)
		die("no memory for the connections");
	for (i = 0; i < nr_conns; i++) {
		conns[i].buf = malloc(buf_sz);
		if (!conns[i].buf)
			die("no memory for the buffers");
		unused[i] = &conns[i];
	}
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal_fd = check_errno(signalfd(-1, &set, 0), "signalfd");
	epoll_fd = check_errno(epoll_create1(0), "epoll_create1");
	open_listener(port);
	watch(listen_fd, &listen_fd, EPOLLIN, EPOLL_CTL_ADD);
	watch(signal_fd, &signal_fd, EPOLLIN, EPOLL_CTL_ADD);
}

int main(int argc, char **argv)
{
	static struct epoll_event events[MAX_EVENTS];
	uint16_t port = 12345;
	int i, nr, opt;

	while ((opt = getopt(argc, argv, "p:n:l:")) != -1) {
		if (opt == 'p')
			port = (uint16_t)parse_number(optarg, 0, 65535, "PORT");
		else if (opt == 'n')
			nr_conns = (unsigned)parse_number(optarg, 1, 1 << 20, "CONNECTIONS");
		else if (opt == 'l')
			buf_sz = parse_number(optarg, 1, 1 << 20, "SIZE");
		else
			die("usage: echo_epoll [-p PORT] [-n CONNECTIONS] [-l SIZE]");
	}
	init(port);
	for (;;) {
		nr = epoll_wait(epoll_fd, events, MAX_EVENTS, -1);
		for (i = 0; i < nr; i++) {
			if (events[i].data.ptr == &signal_fd)
				return 0;
			if (events[i].data.ptr == &listen_fd)
				accept_all();
			else
				serve(events[i].data.ptr, events[i].events);
		}
	}
}
