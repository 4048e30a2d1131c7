/* SPDX-License-Identifier: MIT */
/*
 * count_enters - run a program and count some of its system calls from outside.
 *
 *	count_enters [-s] [-o FILE] [-c CALL]... [--] PROGRAM [ARGUMENT]...
 *
 * Threads and child processes are followed. Without -c the call counted is
 * io_uring_enter; CALL is one of the names below or a system call number. When
 * the last process is gone, one line "CALL COUNT" for each goes to FILE, or to
 * the standard error. With -s the counter and the program share one CPU, which
 * makes each stop of a program with a single thread cheaper.
 *
 * The exit status is the program's, or 128 plus the number of the signal that
 * ended it. No count is written where the program does not run: the status is 77
 * where ptrace is refused, 126 and 127 where it cannot be run or found; 125 is any
 * other failure of the counter.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <getopt.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Alpha and MIPS have no common numbers: they need headers that know the call. */
#ifndef SYS_io_uring_setup
#define SYS_io_uring_setup 425
#endif
#ifndef SYS_io_uring_enter
#define SYS_io_uring_enter 426
#endif
#ifndef SYS_io_uring_register
#define SYS_io_uring_register 427
#endif

/* C libraries differ in which of these they name, and how. */
#define REQUEST_GET_SYSCALL_INFO 0x420e
#define INFO_OP_ENTRY 1
#define EVENT_STOP 128
#define TRACE_OPTIONS                                                                            \
	(PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | \
	 PTRACE_O_TRACEVFORK | PTRACE_O_EXITKILL)

#define MAX_CALLS 8

enum {
	EXIT_REFUSED = 77,
	EXIT_TROUBLE = 125,
	EXIT_NOT_RUN = 126,
	EXIT_NOT_FOUND = 127,
};

/* The start of the kernel's answer to PTRACE_GET_SYSCALL_INFO. */
struct syscall_info {
	uint8_t op;
	uint8_t pad[3];
	uint32_t arch;
	uint64_t instruction_pointer;
	uint64_t stack_pointer;
	uint64_t nr;
	uint64_t args[6];
};

struct counted_call {
	const char *name;
	uint64_t nr;
	unsigned long count;
};

static const struct counted_call known_calls[] = {
	{ "io_uring_setup", SYS_io_uring_setup, 0 },
	{ "io_uring_enter", SYS_io_uring_enter, 0 },
	{ "io_uring_register", SYS_io_uring_register, 0 },
	{ "read", SYS_read, 0 },
	{ "readv", SYS_readv, 0 },
	{ "pread64", SYS_pread64, 0 },
	{ "preadv", SYS_preadv, 0 },
};

static struct counted_call calls[MAX_CALLS];
static unsigned int nr_calls;
static bool started; /* the program runs: what came before its exec is ours */

static void usage(FILE *out)
{
	fputs("usage: count_enters [-s] [-o FILE] [-c CALL]... [--] PROGRAM [ARGUMENT]...\n"
	      "  -s, --same-cpu     on one CPU with the program\n"
	      "  -o, --output FILE  the counts go there (the default is the standard error)\n"
	      "  -c, --call CALL    a name or a number, again and again (io_uring_enter)\n"
	      "  -h, --help         print this\n",
	      out);
}

/* Adds a call, by name or by number, to those that are counted. */
static int add_call(const char *name)
{
	char *end;
	size_t i;

	if (nr_calls == MAX_CALLS) {
		fprintf(stderr, "count_enters: at most %d calls can be counted\n", MAX_CALLS);
		return -1;
	}
	for (i = 0; i < sizeof(known_calls) / sizeof(known_calls[0]); i++) {
		if (strcmp(name, known_calls[i].name) == 0) {
			calls[nr_calls++] = known_calls[i];
			return 0;
		}
	}
	errno = 0;
	calls[nr_calls].nr = strtoul(name, &end, 10);
	if (errno || end == name || *end || *name == '-') {
		fprintf(stderr, "count_enters: unknown system call: %s\n", name);
		return -1;
	}
	calls[nr_calls++].name = name;
	return 0;
}

/* The leak check of the address sanitizer traces too, and fails when it cannot. */
static void turn_leak_check_off(void)
{
	const char *options = getenv("ASAN_OPTIONS");
	char *with_ours;

	if (asprintf(&with_ours, "%s:detect_leaks=0", options ? options : "") < 0)
		return;
	setenv("ASAN_OPTIONS", with_ours, 1);
	free(with_ours);
}

/*
 * Starts the program, stopped short of its exec until the tracer has let go of
 * the other end of the pipe. Returns the process, or -1.
 */
static pid_t start_program(char **argv, int gate[2])
{
	pid_t pid;
	char byte;

	if (pipe(gate) < 0)
		return -1;
	pid = fork();
	if (pid != 0)
		return pid;

	close(gate[1]);
	if (read(gate[0], &byte, 1) != 1)
		_exit(EXIT_TROUBLE);
	close(gate[0]);
	turn_leak_check_off();
	execvp(argv[0], argv);
	fprintf(stderr, "count_enters: %s: %s\n", argv[0], strerror(errno));
	_exit(errno == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_RUN);
}

/* Counts the call that a stopped thread is about to make, if it makes one. */
static int count_call(pid_t tid)
{
	struct syscall_info info;
	unsigned int i;

	memset(&info, 0, sizeof(info));
	if (ptrace(REQUEST_GET_SYSCALL_INFO, tid, (void *)sizeof(info), &info) < 0)
		return errno == ESRCH ? 0 : -1;
	if (info.op != INFO_OP_ENTRY)
		return 0;
	for (i = 0; i < nr_calls; i++) {
		if (calls[i].nr == info.nr)
			calls[i].count++;
	}
	return 0;
}

/*
 * Lets a stopped thread go on to its next system call. A thread that was
 * killed in the meantime (ESRCH) is reported by a later wait.
 */
static int resume_thread(pid_t tid, int status)
{
	int sig = WSTOPSIG(status);
	int event = status >> 16;
	long deliver = 0;
	long ret;

	if (sig == (SIGTRAP | 0x80)) {
		if (started && count_call(tid) < 0)
			return -1;
	} else if (event == PTRACE_EVENT_EXEC) {
		started = true;
	} else if (event == 0) {
		deliver = sig;
	}

	/* A job-control stop must last until SIGCONT. */
	if (event == EVENT_STOP && sig != SIGTRAP)
		ret = ptrace(PTRACE_LISTEN, tid, NULL, NULL);
	else
		ret = ptrace(PTRACE_SYSCALL, tid, NULL, (void *)deliver);
	return ret < 0 && errno != ESRCH ? -1 : 0;
}

/*
 * Follows the program, and all that it starts, to the end. Returns 0 with the
 * program's exit status in *result, or -1 with the cause in errno.
 */
static int follow_program(pid_t program, int *result)
{
	int status;
	pid_t tid;

	for (;;) {
		tid = waitpid(-1, &status, __WALL);
		if (tid < 0 && errno == ECHILD)
			return 0;
		if (tid < 0 && errno != EINTR)
			return -1;
		if (tid < 0)
			continue;
		if (WIFSTOPPED(status)) {
			if (resume_thread(tid, status) < 0)
				return -1;
		} else if (tid == program) {
			*result = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
		}
	}
}

static int write_counts(const char *path)
{
	FILE *out = path ? fopen(path, "we") : stderr;
	unsigned int i;

	if (!out) {
		fprintf(stderr, "count_enters: %s: %s\n", path, strerror(errno));
		return -1;
	}
	for (i = 0; i < nr_calls; i++)
		fprintf(out, "%s %lu\n", calls[i].name, calls[i].count);
	return path ? fclose(out) : fflush(out);
}

/* Says why nothing can be counted; the kernel ends a program that had started. */
static int report_refusal(void)
{
	fprintf(stderr, "count_enters: ptrace is refused here: %s%s\n", strerror(errno),
		errno == EIO ? " (it needs Linux 5.3)" : "");
	return EXIT_REFUSED;
}

/* Only speed hangs on it, so a refusal goes by unheeded. */
static void stay_on_this_cpu(void)
{
	int cpu = sched_getcpu();
	cpu_set_t set;

	if (cpu < 0 || cpu >= CPU_SETSIZE)
		return;
	CPU_ZERO(&set);
	CPU_SET((unsigned int)cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static int run_counted(char **argv, const char *path)
{
	int result = EXIT_TROUBLE;
	int gate[2];
	pid_t pid;

	pid = start_program(argv, gate);
	if (pid < 0) {
		fprintf(stderr, "count_enters: cannot start a process: %s\n", strerror(errno));
		return EXIT_TROUBLE;
	}
	close(gate[0]);
	if (ptrace(PTRACE_SEIZE, pid, NULL, (void *)(long)TRACE_OPTIONS) < 0)
		return report_refusal();
	if (write(gate[1], "", 1) != 1)
		return EXIT_TROUBLE;
	close(gate[1]);

	if (follow_program(pid, &result) < 0)
		return report_refusal();
	if (!started)
		return result;
	return write_counts(path) == 0 ? result : EXIT_TROUBLE;
}

int main(int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "same-cpu", no_argument, NULL, 's' },
		{ "output", required_argument, NULL, 'o' },
		{ "call", required_argument, NULL, 'c' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	const char *path = NULL;
	int opt;

	while ((opt = getopt_long(argc, argv, "+so:c:h", long_options, NULL)) != -1) {
		switch (opt) {
		case 's':
			stay_on_this_cpu();
			break;
		case 'o':
			path = optarg;
			break;
		case 'c':
			if (add_call(optarg) < 0)
				return EXIT_TROUBLE;
			break;
		case 'h':
			usage(stdout);
			return 0;
		default:
			usage(stderr);
			return EXIT_TROUBLE;
		}
	}
	if (optind == argc) {
		usage(stderr);
		return EXIT_TROUBLE;
	}
	if (nr_calls == 0 && add_call("io_uring_enter") < 0)
		return EXIT_TROUBLE;
	return run_counted(argv + optind, path);
}
