/* SPDX-License-Identifier: MIT */
/*
 * The echo server and client of the examples: every byte comes back, in order,
 * also where peers reset, close one half, or do not read, and where buffers or
 * slots run out; and SIGINT ends both with status 0.
 */
#include "test.h"

#include "process.h"
#include "program.h"

#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_OPTIONS 8

struct server {
	pid_t pid;
	FILE *out;
	char port[16];
};

struct client_totals {
	unsigned long nr_requests;
	unsigned long nr_lost;
};

static const char *const modes[][3] = {
	{ NULL },
	{ "-f", NULL },
	{ "-P", NULL },
	{ "-P", "-f", NULL },
};

static bool can_serve;

static pid_t start_program(const char *name, const char *const *options, FILE **out)
{
	const char *args[2 * MAX_OPTIONS] = { NULL };
	char path[PATH_MAX];
	int fds[2], i;
	pid_t pid;

	program_path(path, sizeof(path), "EXAMPLES_DIR", name);
	args[0] = path;
	for (i = 0; options[i]; i++)
		args[i + 1] = options[i];
	assert_int_equal(pipe(fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		dup2(fds[1], 1);
		close(fds[0]);
		close(fds[1]);
		alarm(TEST_SECONDS);
		execv(path, (char *const *)args);
		_exit(127);
	}
	close(fds[1]);
	*out = fdopen(fds[0], "r");
	assert_non_null(*out);
	return pid;
}

/* Starts the server with options and more options; false where it ends with status 1. */
static bool server_try(struct server *server, const char *port, const char *const *options,
		       const char *const *more)
{
	const char *args[2 * MAX_OPTIONS] = { "-p", port, NULL };
	char line[128];
	int status, nr = 2;

	for (; *options; options++)
		args[nr++] = *options;
	for (; more && *more; more++)
		args[nr++] = *more;
	server->pid = start_program("echo_server", args, &server->out);
	if (!fgets(line, sizeof(line), server->out)) {
		fclose(server->out);
		assert_int_equal(waitpid(server->pid, &status, 0), server->pid);
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
		return false;
	}
	assert_int_equal(sscanf(line, "listening on port %15s", server->port), 1);
	return true;
}

static void server_start(struct server *server, const char *port, const char *const *options,
			 const char *const *more)
{
	if (!can_serve)
		skip_because("echo_server cannot run here, for the reason it has given");
	assert_true(server_try(server, port, options, more));
}

static void end_with_sigint(pid_t pid, FILE *out, char *last, size_t last_sz)
{
	int status;

	kill(pid, SIGINT);
	while (fgets(last, (int)last_sz, out))
		;
	fclose(out);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* Ends the server and returns how many bytes it has sent back. */
static unsigned long long server_stop(struct server *server)
{
	unsigned long long nr_bytes;
	char last[256] = "";

	end_with_sigint(server->pid, server->out, last, sizeof(last));
	assert_int_equal(sscanf(last, "echoed %llu bytes", &nr_bytes), 1);
	return nr_bytes;
}

static void parse_totals(const char *line, struct client_totals *totals)
{
	assert_int_equal(sscanf(line,
				"total req: %lu, seconds: %*f, req/s: %*f, lost connections: %lu",
				&totals->nr_requests, &totals->nr_lost),
			 2);
}

/* Runs the client until it has nr echoes of size bytes on nr_conns connections. */
static void client_run(const struct server *server, const char *nr_conns, const char *size,
		       const char *nr, bool fixed_files)
{
	const char *args[] = { "-p",     server->port, "-n",
			       nr_conns, "-l",         size,
			       "-r",     nr,           fixed_files ? "-f" : NULL,
			       NULL };
	struct client_totals totals;
	char line[256], last[256] = "";
	FILE *out;
	int status;
	pid_t pid = start_program("echo_client", args, &out);

	while (fgets(line, sizeof(line), out))
		memcpy(last, line, sizeof(last));
	fclose(out);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	parse_totals(last, &totals);
	assert_true(totals.nr_requests >= strtoul(nr, NULL, 10));
	assert_int_equal(totals.nr_lost, 0);
}

static int connect_to(const struct server *server)
{
	struct sockaddr_in addr = {
		.sin_family = AF_INET,
		.sin_port = htons((uint16_t)atoi(server->port)),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	return fd;
}

/* Receives all of sz bytes and compares them. */
static void expect_bytes(int fd, const char *bytes, size_t sz)
{
	char buf[4096];
	size_t got = 0;
	ssize_t ret;

	while (got < sz) {
		ret = recv(fd, buf, sz - got < sizeof(buf) ? sz - got : sizeof(buf), 0);
		assert_true(ret > 0);
		assert_memory_equal(buf, bytes + got, (size_t)ret);
		got += (size_t)ret;
	}
}

static void expect_echo(const struct server *server)
{
	int fd = connect_to(server);

	assert_int_equal(send(fd, "are you there?", 14, 0), 14);
	expect_bytes(fd, "are you there?", 14);
	close(fd);
}

/* Sends without reading, until the server takes no more; returns how many bytes. */
static size_t stuff(int fd, const char *bytes, size_t sz)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLOUT };
	size_t sent = 0;
	ssize_t ret;

	while (sent < sz && poll(&pollfd, 1, 300) == 1) {
		ret = send(fd, bytes + sent, sz - sent, MSG_DONTWAIT);
		assert_true(ret > 0);
		sent += (size_t)ret;
	}
	return sent;
}

static int ask_server(void **state)
{
	struct server server;

	can_serve = server_try(&server, "0", modes[0], NULL);
	if (can_serve)
		server_stop(&server);
	return 0;
}

static void test_messages(void **state)
{
	static const char *const sizes[] = { "1", "16", "777", "20000" };
	static const char *const small_buffers[] = { "-l", "64", NULL };
	unsigned long long nr_bytes, expected;
	struct server server;
	size_t i, j;

	for (i = 0; i < ARRAY_LEN(modes); i++) {
		server_start(&server, "0", modes[i], small_buffers);
		expected = 0;
		for (j = 0; j < ARRAY_LEN(sizes); j++) {
			client_run(&server, "50", sizes[j], "500", j % 2);
			expected += 500 * strtoull(sizes[j], NULL, 10);
		}
		nr_bytes = server_stop(&server);
		assert_true(nr_bytes >= expected);
	}
}

static void test_few_buffers(void **state)
{
	static const char *const two_buffers[] = { "-b", "2", NULL };
	struct server server;
	size_t i;

	for (i = 0; i < ARRAY_LEN(modes); i++) {
		server_start(&server, "0", modes[i], two_buffers);
		client_run(&server, "100", "16", "2000", false);
		client_run(&server, "20", "1000", "200", false);
		server_stop(&server);
	}
}

static void test_half_closed(void **state)
{
	static char bytes[50000];
	struct server server;
	char byte;
	size_t i;
	int fd;

	pattern_fill(bytes, sizeof(bytes), 0);
	for (i = 0; i < ARRAY_LEN(modes); i++) {
		server_start(&server, "0", modes[i], NULL);
		fd = connect_to(&server);
		assert_int_equal(send(fd, bytes, sizeof(bytes), 0), sizeof(bytes));
		shutdown(fd, SHUT_WR);
		expect_bytes(fd, bytes, sizeof(bytes));
		assert_int_equal(recv(fd, &byte, 1, 0), 0);
		close(fd);
		assert_int_equal(server_stop(&server), sizeof(bytes));
	}
}

/* More resets than the server has connections: each has to be given up whole. */
static void test_resets(void **state)
{
	static const char *const eight[] = { "-n", "8", NULL };
	static const struct linger at_once = { .l_onoff = 1, .l_linger = 0 };
	static char bytes[100000];
	struct server server;
	struct pollfd pollfd;
	int kept, fd, nr;
	size_t i;

	for (i = 0; i < ARRAY_LEN(modes); i++) {
		server_start(&server, "0", modes[i], eight);
		kept = connect_to(&server);
		for (nr = 0; nr < 40; nr++) {
			fd = connect_to(&server);
			send(fd, bytes, sizeof(bytes), MSG_DONTWAIT | MSG_NOSIGNAL);
			/* Sometimes when the echo is on its way, sometimes before. */
			pollfd = (struct pollfd){ .fd = fd, .events = POLLIN };
			if (nr % 2)
				poll(&pollfd, 1, 1000);
			setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
			close(fd);
			assert_int_equal(send(kept, "still here", 10, MSG_NOSIGNAL), 10);
			expect_bytes(kept, "still here", 10);
		}
		close(kept);
		expect_echo(&server);
		server_stop(&server);
	}
}

/* A peer that does not read takes few of the buffers, and gets all in the end. */
static void test_peer_that_does_not_read(void **state)
{
	static const char *const buffers[] = { "-b", "256", "-l", "64", NULL };
	static char bytes[16 << 20];
	struct server server;
	int lazy;
	size_t i, sent;

	pattern_fill(bytes, sizeof(bytes), 0);
	for (i = 0; i < ARRAY_LEN(modes); i++) {
		server_start(&server, "0", modes[i], buffers);
		lazy = connect_to(&server);
		sent = stuff(lazy, bytes, sizeof(bytes));
		client_run(&server, "20", "100", "500", false);
		shutdown(lazy, SHUT_WR);
		expect_bytes(lazy, bytes, sent);
		close(lazy);
		assert_true(server_stop(&server) >= sent + 500 * 100);
	}
}

/* A connection too many is refused, and there is room again when one has left. */
static void test_too_many(void **state)
{
	static const char *const two[] = { "-n", "2", NULL };
	struct server server;
	int first, second, third, tries;
	char byte;
	size_t i;

	for (i = 0; i < ARRAY_LEN(modes); i++) {
		server_start(&server, "0", modes[i], two);
		first = connect_to(&server);
		second = connect_to(&server);
		assert_int_equal(send(second, "2", 1, 0), 1);
		expect_bytes(second, "2", 1);
		third = connect_to(&server);
		assert_true(recv(third, &byte, 1, 0) <= 0);
		close(third);
		close(first);
		for (tries = 0, byte = 0; byte != '3' && tries < 100; tries++) {
			third = connect_to(&server);
			send(third, "3", 1, MSG_NOSIGNAL);
			if (recv(third, &byte, 1, 0) != 1)
				sleep_ms(20);
			close(third);
		}
		assert_int_equal(byte, '3');
		close(second);
		server_stop(&server);
	}
}

/* The client connects again when the server has gone and another has come. */
static void test_client_goes_on(void **state)
{
	const char *args[] = { "-p", NULL, "-n", "4", "-i", "1", NULL };
	struct server first, second;
	struct client_totals totals;
	char line[256] = "";
	FILE *out;
	pid_t pid;

	server_start(&first, "0", modes[0], NULL);
	args[1] = first.port;
	pid = start_program("echo_client", args, &out);
	assert_non_null(fgets(line, sizeof(line), out));
	assert_true(server_stop(&first) > 0);
	server_start(&second, first.port, modes[1], NULL);
	do {
		assert_non_null(fgets(line, sizeof(line), out));
	} while (strstr(line, "req/s: 0"));
	assert_non_null(fgets(line, sizeof(line), out));
	end_with_sigint(pid, out, line, sizeof(line));
	parse_totals(line, &totals);
	assert_true(totals.nr_lost >= 4);
	assert_true(server_stop(&second) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		timed_test(test_messages),
		timed_test(test_few_buffers),
		timed_test(test_half_closed),
		timed_test(test_resets),
		timed_test(test_peer_that_does_not_read),
		timed_test(test_too_many),
		timed_test(test_client_goes_on),
	};

	return cmocka_run_group_tests(tests, ask_server, NULL);
}
