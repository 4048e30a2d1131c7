/* SPDX-License-Identifier: MIT */
/*
 * echo [CONNECTIONS [SECONDS [ROUNDS]]] - requests per second, and per second of the server's CPU, of
 * examples/echo_server in its modes and of the same server on epoll.
 *
 * Client and server run on a CPU each, if there are two. The servers take turns
 * a few times and the median counts, so that what else the machine does meets
 * all of them. The load is always examples/echo_client, which checks every byte.
 * The server's CPU time is what the kernel charged to its process, from start to
 * end, the work of its kernel threads included.
 */
#include <libgen.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "common.h"

#define MAX_ROUNDS 9

struct server {
	const char *name;
	const char *program; /* below the folder of all that is built */
	const char *option;
	double per_sec[MAX_ROUNDS];
	double per_cpu_sec[MAX_ROUNDS];
};

static char build_dir[4096];

static void pin(int cpu)
{
	cpu_set_t set;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		return;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* Starts a program whose output comes through a pipe, and which ends with this one. */
static pid_t start(int cpu, const char **argv, FILE **out)
{
	const pid_t parent = getpid();
	int pipe_fds[2];
	pid_t pid;

	check_errno(pipe(pipe_fds), "pipe");
	pid = check_errno(fork(), "fork");
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(1);
		pin(cpu);
		dup2(pipe_fds[1], 1);
		close(pipe_fds[0]);
		close(pipe_fds[1]);
		execv(argv[0], (char *const *)argv);
		die("%s: %s", argv[0], strerror(errno));
	}
	close(pipe_fds[1]);
	*out = fdopen(pipe_fds[0], "r");
	return pid;
}

static double seconds_of(struct timeval tv)
{
	return (double)tv.tv_sec + (double)tv.tv_usec / 1e6;
}

static void run_client(const char *port, const char *nr_conns, const char *size,
		       const char *seconds, unsigned long *nr_requests, double *per_sec)
{
	char path[4200], line[256];
	const char *argv[] = { path, "-p", port, "-n", nr_conns, "-l", size, "-t", seconds, NULL };
	unsigned long nr_lost = 0;
	int status, nr_read = 0;
	FILE *out;
	pid_t pid;

	snprintf(path, sizeof(path), "%s/examples/echo_client", build_dir);
	pid = start(1, argv, &out);
	while (fgets(line, sizeof(line), out))
		nr_read |= sscanf(line,
				  "total req: %lu, seconds: %*f, req/s: %lf, lost connections: %lu",
				  nr_requests, per_sec, &nr_lost);
	fclose(out);
	waitpid(pid, &status, 0);
	if (status || nr_read != 3)
		die("echo_client has failed");
	if (nr_lost)
		die("echo_client has lost %lu connections", nr_lost);
}

static void run_pair(struct server *server, int round, const char *nr_conns, const char *size,
		     const char *seconds)
{
	char path[4200], line[256], port[16];
	const char *argv[] = { path, "-p", "0", "-n", nr_conns, "-l", size, server->option, NULL };
	unsigned long nr_requests;
	struct rusage usage;
	int status;
	FILE *out;
	pid_t pid;

	snprintf(path, sizeof(path), "%s/%s", build_dir, server->program);
	pid = start(0, argv, &out);
	if (!fgets(line, sizeof(line), out) || sscanf(line, "listening on port %15s", port) != 1)
		die("%s does not start", path);
	run_client(port, nr_conns, size, seconds, &nr_requests, &server->per_sec[round]);
	kill(pid, SIGINT);
	wait4(pid, &status, 0, &usage);
	fclose(out);
	if (status)
		die("%s ended with status %#x", path, status);
	server->per_cpu_sec[round] =
		(double)nr_requests / (seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime));
}

static void print_server(struct server *server, int nr_rounds, const char *nr_conns)
{
	print_value(median(server->per_sec, nr_rounds), "req/s", "echo/%s/%s", server->name,
		    nr_conns);
	print_value(median(server->per_cpu_sec, nr_rounds), "req/cpu-s", "echo-cpu/%s/%s",
		    server->name, nr_conns);
}

int main(int argc, char **argv)
{
	static struct server servers[] = {
		{ .name = "epoll", .program = "bench/echo_epoll" },
		{ .name = "multishot", .program = "examples/echo_server" },
		{ .name = "multishot-fixed", .program = "examples/echo_server", .option = "-f" },
		{ .name = "poll", .program = "examples/echo_server", .option = "-P" },
	};
	const char *nr_conns = argc > 1 ? argv[1] : "1000";
	const char *seconds = argc > 2 ? argv[2] : is_quick() ? "1" : "3";
	int i, round, nr_rounds = is_quick() ? 1 : 3;
	double ratios[MAX_ROUNDS];

	if (argc > 4)
		die("usage: echo [CONNECTIONS [SECONDS [ROUNDS]]]");
	parse_number(nr_conns, 1, 1 << 20, "CONNECTIONS");
	parse_number(seconds, 1, 1 << 20, "SECONDS");
	if (argc > 3)
		nr_rounds = (int)parse_number(argv[3], 1, MAX_ROUNDS, "ROUNDS");
	snprintf(build_dir, sizeof(build_dir), "%s/..", dirname(argv[0]));
	for (round = 0; round < nr_rounds; round++) {
		for (i = 0; i < (int)ARRAY_NR(servers); i++)
			run_pair(&servers[i], round, nr_conns, "16", seconds);
	}
	for (i = 0; i < (int)ARRAY_NR(servers); i++)
		print_server(&servers[i], nr_rounds, nr_conns);
	for (i = 1; i < (int)ARRAY_NR(servers); i++) {
		for (round = 0; round < nr_rounds; round++)
			ratios[round] =
				servers[i].per_cpu_sec[round] / servers[0].per_cpu_sec[round];
		print_value(median(ratios, nr_rounds), "x-epoll", "echo-gain/%s/%s",
			    servers[i].name, nr_conns);
	}
	return 0;
}
