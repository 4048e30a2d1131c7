/* SPDX-License-Identifier: MIT */
/*
 * Sockets on the loopback device, where the test is skipped if there is none.
 */
#ifndef TEST_SUPPORT_OP_NET_H
#define TEST_SUPPORT_OP_NET_H

#include <netinet/in.h>
#include <sys/socket.h>

/* net_address - 127.0.0.1 and a port, 0 for one that the kernel picks. */
struct sockaddr_in net_address(in_port_t port);

/* net_bound - a socket of that type bound to a free port; addr says which. */
int net_bound(int type, struct sockaddr_in *addr);

/* net_listener - a TCP socket that listens on a free port. */
int net_listener(struct sockaddr_in *addr);

/* net_connect - a plain connect to there, on a new TCP socket. */
int net_connect(const struct sockaddr_in *addr);

/* Two connected sockets: TCP, UDP, stream sockets of the Unix domain. */
void net_tcp_pair(int fds[2]);
void net_udp_pair(int fds[2]);
void net_unix_pair(int fds[2]);
void net_close_pair(int fds[2]);

/* net_same_address - whether both are the same address and port. */
int net_same_address(const struct sockaddr_in *a, const struct sockaddr_in *b);

/* net_option - an integer socket option. */
int net_option(int fd, int level, int name);

#endif
