/* SPDX-License-Identifier: MIT */
/*
 * The echo server and client of the examples: every byte comes back, in order,
 * also where peers reset, close one half, or do not read, and where buffers or
 * slots run out; and SIGINT ends both with status 0.
 */
#include "test.h"

#include "echo_server.h"
#include "process.h"

#include <arpa/inet.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

struct client_totals {
	unsigned long nr_requests;
	unsigned long nr_lost;
};

static void parse_totals(const char *line, struct client_totals *totals)
{
	assert_int_equal(sscanf(line,
				"total req: %lu, seconds: %*f, req/s: %*f, lost connections: %lu",
				&totals->nr_requests, &totals->nr_lost),
			 2);
}

/* Runs the client until it has nr echoes of size bytes on nr_conns connections. */
static void client_run(const struct echo_server *server, const char *nr_conns, const char *size,
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
	pid_t pid = program_start("echo_client", args, &out);

	while (fgets(line, sizeof(line), out))
		memcpy(last, line, sizeof(last));
	fclose(out);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	parse_totals(last, &totals);
	assert_true(totals.nr_requests >= strtoul(nr, NULL, 10));
	assert_int_equal(totals.nr_lost, 0);
}

static void test_messages(void **state)
{
	static const char *const sizes[] = { "1", "16", "777", "20000" };
	static const char *const small_buffers[] = { "-l", "64", NULL };
	unsigned long long nr_bytes, expected;
	struct echo_server server;
	size_t i, j;

	for (i = 0; i < NR_ECHO_MODES; i++) {
		echo_server_start(&server, "0", echo_modes[i], small_buffers);
		expected = 0;
		for (j = 0; j < ARRAY_LEN(sizes); j++) {
			client_run(&server, "50", sizes[j], "500", j % 2);
			expected += 500 * strtoull(sizes[j], NULL, 10);
		}
		nr_bytes = echo_server_stop(&server);
		assert_true(nr_bytes >= expected);
	}
}

static void test_few_buffers(void **state)
{
	static const char *const two_buffers[] = { "-b", "2", NULL };
	struct echo_server server;
	size_t i;

	for (i = 0; i < NR_ECHO_MODES; i++) {
		echo_server_start(&server, "0", echo_modes[i], two_buffers);
		client_run(&server, "100", "16", "2000", false);
		client_run(&server, "20", "1000", "200", false);
		echo_server_stop(&server);
	}
}

static void test_half_closed(void **state)
{
	static char bytes[50000];
	struct echo_server server;
	char byte;
	size_t i;
	int fd;

	pattern_fill(bytes, sizeof(bytes), 0);
	for (i = 0; i < NR_ECHO_MODES; i++) {
		echo_server_start(&server, "0", echo_modes[i], NULL);
		fd = echo_connect(&server);
		assert_int_equal(send(fd, bytes, sizeof(bytes), 0), sizeof(bytes));
		shutdown(fd, SHUT_WR);
		echo_expect_bytes(fd, bytes, sizeof(bytes));
		assert_int_equal(recv(fd, &byte, 1, 0), 0);
		close(fd);
		assert_int_equal(echo_server_stop(&server), sizeof(bytes));
	}
}

/* More resets than the server has connections: each has to be given up whole. */
static void test_resets(void **state)
{
	static const char *const eight[] = { "-n", "8", NULL };
	static const struct linger at_once = { .l_onoff = 1, .l_linger = 0 };
	static char bytes[100000];
	struct echo_server server;
	struct pollfd pollfd;
	int kept, fd, nr;
	size_t i;

	for (i = 0; i < NR_ECHO_MODES; i++) {
		echo_server_start(&server, "0", echo_modes[i], eight);
		kept = echo_connect(&server);
		for (nr = 0; nr < 40; nr++) {
			fd = echo_connect(&server);
			send(fd, bytes, sizeof(bytes), MSG_DONTWAIT | MSG_NOSIGNAL);
			/* Sometimes when the echo is on its way, sometimes before. */
			pollfd = (struct pollfd){ .fd = fd, .events = POLLIN };
			if (nr % 2)
				poll(&pollfd, 1, 1000);
			setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
			close(fd);
			assert_int_equal(send(kept, "still here", 10, MSG_NOSIGNAL), 10);
			echo_expect_bytes(kept, "still here", 10);
		}
		close(kept);
		echo_expect(&server);
		echo_server_stop(&server);
	}
}

/* A peer that does not read takes few of the buffers, and gets all in the end. */
static void test_peer_that_does_not_read(void **state)
{
	static const char *const buffers[] = { "-b", "256", "-l", "64", NULL };
	static char bytes[16 << 20];
	struct echo_server server;
	int lazy;
	size_t i, sent;

	pattern_fill(bytes, sizeof(bytes), 0);
	for (i = 0; i < NR_ECHO_MODES; i++) {
		echo_server_start(&server, "0", echo_modes[i], buffers);
		lazy = echo_connect(&server);
		sent = echo_stuff(lazy, bytes, sizeof(bytes));
		client_run(&server, "20", "100", "500", false);
		shutdown(lazy, SHUT_WR);
		echo_expect_bytes(lazy, bytes, sent);
		close(lazy);
		assert_true(echo_server_stop(&server) >= sent + 500 * 100);
	}
}

/* A connection too many is refused, and there is room again when one has left. */
static void test_too_many(void **state)
{
	static const char *const two[] = { "-n", "2", NULL };
	struct echo_server server;
	int first, second, third, tries;
	char byte;
	size_t i;

	for (i = 0; i < NR_ECHO_MODES; i++) {
		echo_server_start(&server, "0", echo_modes[i], two);
		first = echo_connect(&server);
		second = echo_connect(&server);
		assert_int_equal(send(second, "2", 1, 0), 1);
		echo_expect_bytes(second, "2", 1);
		third = echo_connect(&server);
		assert_true(recv(third, &byte, 1, 0) <= 0);
		close(third);
		close(first);
		for (tries = 0, byte = 0; byte != '3' && tries < 100; tries++) {
			third = echo_connect(&server);
			send(third, "3", 1, MSG_NOSIGNAL);
			if (recv(third, &byte, 1, 0) != 1)
				sleep_ms(20);
			close(third);
		}
		assert_int_equal(byte, '3');
		close(second);
		echo_server_stop(&server);
	}
}

/* The client connects again when the server has gone and another has come. */
static void test_client_goes_on(void **state)
{
	const char *args[] = { "-p", NULL, "-n", "4", "-i", "1", NULL };
	struct echo_server first, second;
	struct client_totals totals;
	char line[256] = "";
	FILE *out;
	pid_t pid;

	echo_server_start(&first, "0", echo_modes[0], NULL);
	args[1] = first.port;
	pid = program_start("echo_client", args, &out);
	assert_non_null(fgets(line, sizeof(line), out));
	assert_true(echo_server_stop(&first) > 0);
	echo_server_start(&second, first.port, echo_modes[1], NULL);
	do {
		assert_non_null(fgets(line, sizeof(line), out));
	} while (strstr(line, "req/s: 0"));
	assert_non_null(fgets(line, sizeof(line), out));
	program_interrupt(pid, out, line, sizeof(line));
	parse_totals(line, &totals);
	assert_true(totals.nr_lost >= 4);
	assert_true(echo_server_stop(&second) > 0);
}

/* The backlog is full before all are connected: it says so, and SIGINT ends it. */
static void test_client_waits_for_connections(void **state)
{
	struct sockaddr_in addr = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	const char *args[] = { "-p", NULL, "-n", "16", "-i", "1", NULL };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	socklen_t addr_sz = sizeof(addr);
	unsigned int nr_connected, nr;
	struct client_totals totals;
	char port[16], line[256];
	FILE *out;
	pid_t pid;

	assert_int_equal(bind(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	assert_int_equal(listen(fd, 1), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&addr, &addr_sz), 0);
	snprintf(port, sizeof(port), "%u", ntohs(addr.sin_port));
	args[1] = port;
	pid = program_start("echo_client", args, &out);
	if (!fgets(line, sizeof(line), out)) {
		waitpid(pid, NULL, 0);
		skip_because("echo_client cannot run here, for the reason it has given");
	}
	assert_int_equal(sscanf(line, "%*s connected: %u of %u", &nr_connected, &nr), 2);
	assert_true(nr_connected > 0 && nr_connected < nr);
	assert_int_equal(nr, 16);
	program_interrupt(pid, out, line, sizeof(line));
	parse_totals(line, &totals);
	assert_int_equal(totals.nr_requests, 0);
	close(fd);
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
		timed_test(test_client_waits_for_connections),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
