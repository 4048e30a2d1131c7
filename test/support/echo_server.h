/* SPDX-License-Identifier: MIT */
/*
 * The examples' echo server as another process, and peers of it that are no
 * echo_client.
 */
#ifndef TEST_SUPPORT_ECHO_SERVER_H
#define TEST_SUPPORT_ECHO_SERVER_H

#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

struct echo_server {
	pid_t pid;
	FILE *out;
	char port[16];
};

/* The options of each way in which the server works. */
#define NR_ECHO_MODES 4
extern const char *const echo_modes[NR_ECHO_MODES][3];

/* program_start - start an example; *out reads what it prints. */
pid_t program_start(const char *name, const char *const *args, FILE **out);

/* program_interrupt - send SIGINT, see that it ends with status 0; last: its last line. */
void program_interrupt(pid_t pid, FILE *out, char *last, size_t last_sz);

/*
 * echo_server_start - start it with these options, and more (NULL is none).
 *
 * The test is skipped where this kernel has not what the server needs.
 */
void echo_server_start(struct echo_server *server, const char *port, const char *const *options,
		       const char *const *more);

/* echo_server_stop - end it; returns how many bytes it has sent back. */
unsigned long long echo_server_stop(struct echo_server *server);

/* echo_connect - a connected socket. */
int echo_connect(const struct echo_server *server);

/* echo_stuff - send without reading, until the server takes no more; how many bytes. */
size_t echo_stuff(int fd, const char *bytes, size_t sz);

/* echo_expect_bytes - receive all of sz bytes and compare them. */
void echo_expect_bytes(int fd, const char *bytes, size_t sz);

/* echo_expect - see that a new connection is served. */
void echo_expect(const struct echo_server *server);

#endif
