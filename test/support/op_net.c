/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "op_net.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

struct sockaddr_in net_address(in_port_t port)
{
	struct sockaddr_in addr = { .sin_family = AF_INET, .sin_port = port };

	addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return addr;
}

int net_bound(int type, struct sockaddr_in *addr)
{
	int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);
	socklen_t addr_sz = sizeof(*addr);

	if (fd < 0)
		skip_because("no internet sockets here: %s", strerror(errno));
	*addr = net_address(0);
	if (bind(fd, (struct sockaddr *)addr, sizeof(*addr)) < 0)
		skip_because("nothing binds to 127.0.0.1 here: %s", strerror(errno));
	assert_int_equal(getsockname(fd, (struct sockaddr *)addr, &addr_sz), 0);
	return fd;
}

int net_listener(struct sockaddr_in *addr)
{
	int fd = net_bound(SOCK_STREAM, addr);

	assert_int_equal(listen(fd, 16), 0);
	return fd;
}

int net_connect(const struct sockaddr_in *addr)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	assert_int_equal(connect(fd, (const struct sockaddr *)addr, sizeof(*addr)), 0);
	return fd;
}

void net_tcp_pair(int fds[2])
{
	struct sockaddr_in addr;
	int listener = net_listener(&addr);

	fds[0] = net_connect(&addr);
	fds[1] = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	assert_true(fds[1] >= 0);
	close(listener);
}

void net_udp_pair(int fds[2])
{
	struct sockaddr_in addr[2];

	fds[0] = net_bound(SOCK_DGRAM, &addr[0]);
	fds[1] = net_bound(SOCK_DGRAM, &addr[1]);
	assert_int_equal(connect(fds[0], (struct sockaddr *)&addr[1], sizeof(addr[1])), 0);
	assert_int_equal(connect(fds[1], (struct sockaddr *)&addr[0], sizeof(addr[0])), 0);
}

void net_unix_pair(int fds[2])
{
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
}

void net_close_pair(int fds[2])
{
	close(fds[0]);
	close(fds[1]);
}

int net_same_address(const struct sockaddr_in *a, const struct sockaddr_in *b)
{
	return a->sin_family == b->sin_family && a->sin_port == b->sin_port &&
	       a->sin_addr.s_addr == b->sin_addr.s_addr;
}

int net_option(int fd, int level, int name)
{
	socklen_t sz = sizeof(int);
	int value = -1;

	assert_int_equal(getsockopt(fd, level, name, &value, &sz), 0);
	return value;
}
