/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "program.h"
#include "refusal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define TIME_LIMIT_SECONDS 60
#define MAX_ARGS 32

/* Statuses of a child that did not become the program, and of the counter's refusal. */
#define EXIT_NO_FILTER 99
#define EXIT_NO_PTRACE 77

static const char capture_template[] = "/tmp/program_output.XXXXXX";

/* A file that has no name any more. */
static int open_capture(void)
{
	char path[sizeof(capture_template)];
	int fd;

	memcpy(path, capture_template, sizeof(path));
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		fail_msg("%s: %s", path, strerror(errno));
	unlink(path);
	return fd;
}

static void read_capture(int fd, char *text, size_t text_sz)
{
	ssize_t got_sz = pread(fd, text, text_sz - 1, 0);

	assert_true(got_sz >= 0);
	text[got_sz] = '\0';
	close(fd);
}

void program_run(struct program_outcome *outcome, const char *const *args, int refused_with)
{
	int out = open_capture();
	int err = open_capture();
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		alarm(TIME_LIMIT_SECONDS);
		dup2(out, STDOUT_FILENO);
		dup2(err, STDERR_FILENO);
		if (refused_with && refuse_call(__NR_io_uring_setup, refused_with) < 0)
			_exit(EXIT_NO_FILTER);
		execv(args[0], (char *const *)(uintptr_t)args);
		_exit(127);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	outcome->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	read_capture(out, outcome->out, sizeof(outcome->out));
	read_capture(err, outcome->err, sizeof(outcome->err));
	if (refused_with && outcome->status == EXIT_NO_FILTER)
		skip_because("no seccomp filter can be installed here");
}

unsigned long program_run_counted(struct program_outcome *outcome, const char *const *args)
{
	char path[sizeof(capture_template)];
	char counter[PATH_MAX];
	const char *counted[MAX_ARGS] = { counter, "-o", path, "--" };
	char counts[64];
	unsigned long nr_enters;
	size_t i;
	int fd;

	memcpy(path, capture_template, sizeof(path));
	fd = mkostemp(path, O_CLOEXEC);
	assert_true(fd >= 0);
	program_path(counter, sizeof(counter), "TOOLS_DIR", "count_enters");
	for (i = 0; args[i]; i++) {
		assert_true(i + 5 < MAX_ARGS);
		counted[i + 4] = args[i];
	}
	program_run(outcome, counted, 0);
	unlink(path);
	read_capture(fd, counts, sizeof(counts));
	if (outcome->status == EXIT_NO_PTRACE && counts[0] == '\0')
		skip_because("%.*s", (int)strcspn(outcome->err, "\n"), outcome->err);
	if (sscanf(counts, "io_uring_enter %lu", &nr_enters) != 1)
		fail_msg("nothing counted, status %d: %s", outcome->status, outcome->err);
	return nr_enters;
}

void program_path(char *path, size_t path_sz, const char *variable, const char *name)
{
	const char *folder = getenv(variable);

	if (!folder)
		fail_msg("%s is not set: run the tests with make test", variable);
	snprintf(path, path_sz, "%s/%s", folder, name);
	if (access(path, X_OK) < 0)
		fail_msg("%s: %s", path, strerror(errno));
}
