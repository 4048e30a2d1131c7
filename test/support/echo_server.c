/* SPDX-License-Identifier: MIT */
#include "echo_server.h"

#include "process.h"
#include "program.h"
#include "test.h"

#include <arpa/inet.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_ARGS 16

const char *const echo_modes[NR_ECHO_MODES][3] = {
	{ NULL },
	{ "-f", NULL },
	{ "-P", NULL },
	{ "-P", "-f", NULL },
};

pid_t program_start(const char *name, const char *const *args, FILE **out)
{
	const char *argv[MAX_ARGS] = { NULL };
	char path[PATH_MAX];
	int fds[2], i;
	pid_t pid;

	program_path(path, sizeof(path), "EXAMPLES_DIR", name);
	argv[0] = path;
	for (i = 0; args[i]; i++)
		argv[i + 1] = args[i];
	assert_int_equal(pipe(fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		dup2(fds[1], 1);
		close(fds[0]);
		close(fds[1]);
		alarm(TEST_SECONDS);
		execv(path, (char *const *)argv);
		_exit(127);
	}
	close(fds[1]);
	*out = fdopen(fds[0], "r");
	assert_non_null(*out);
	return pid;
}

/* Starts the server; false where it ends with status 1. */
static bool try_server(struct echo_server *server, const char *const *args)
{
	char line[128];
	int status;

	server->pid = program_start("echo_server", args, &server->out);
	if (!fgets(line, sizeof(line), server->out)) {
		fclose(server->out);
		assert_int_equal(waitpid(server->pid, &status, 0), server->pid);
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
		return false;
	}
	assert_int_equal(sscanf(line, "listening on port %15s", server->port), 1);
	return true;
}

void echo_server_start(struct echo_server *server, const char *port, const char *const *options,
		       const char *const *more)
{
	static const char *const plainest[] = { "-p", "0", NULL };
	const char *args[MAX_ARGS] = { "-p", port, NULL };
	int nr = 2;

	for (; *options; options++)
		args[nr++] = *options;
	for (; more && *more; more++)
		args[nr++] = *more;
	if (try_server(server, args))
		return;
	/* A fault of these options, or a kernel that has not what every server needs? */
	if (try_server(server, plainest)) {
		echo_server_stop(server);
		fail_msg("echo_server does not start with these options");
	}
	skip_because("echo_server cannot run here, for the reason it has given");
}

void program_interrupt(pid_t pid, FILE *out, char *last, size_t last_sz)
{
	int status;

	kill(pid, SIGINT);
	while (fgets(last, (int)last_sz, out))
		;
	fclose(out);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

unsigned long long echo_server_stop(struct echo_server *server)
{
	unsigned long long nr_bytes;
	char last[256] = "";

	program_interrupt(server->pid, server->out, last, sizeof(last));
	assert_int_equal(sscanf(last, "echoed %llu bytes", &nr_bytes), 1);
	return nr_bytes;
}

int echo_connect(const struct echo_server *server)
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

void echo_expect_bytes(int fd, const char *bytes, size_t sz)
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

void echo_expect(const struct echo_server *server)
{
	int fd = echo_connect(server);

	assert_int_equal(send(fd, "are you there?", 14, 0), 14);
	echo_expect_bytes(fd, "are you there?", 14);
	close(fd);
}

size_t echo_stuff(int fd, const char *bytes, size_t sz)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLOUT };
	size_t sent = 0;
	ssize_t ret;

	while (sent < sz && poll(&pollfd, 1, 100) == 1) {
		ret = send(fd, bytes + sent, sz - sent, MSG_DONTWAIT);
		assert_true(ret > 0);
		sent += (size_t)ret;
	}
	return sent;
}
