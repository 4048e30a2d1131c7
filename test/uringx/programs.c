/* SPDX-License-Identifier: MIT */
/*
 * uring_cat and uring_cp beside cat and cp: the same bytes, the same messages but for
 * the name, the same status, and the same left behind.
 */
#include "test.h"

#include "process.h"
#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define FILE_SZ 1234567

static char dir[] = "/var/tmp/programs.XXXXXX";
static char cat_path[PATH_MAX], cp_path[PATH_MAX];

/* Runs a shell in the folder of the tests, with $cat and $cp as the programs. */
static void run_shell(struct program_outcome *outcome, const char *command, int refused_with)
{
	static char text[4 * PATH_MAX];
	const char *args[] = { "/bin/sh", "-c", text, NULL };

	snprintf(text, sizeof(text), "cd %s && cat=%s && cp=%s && LC_ALL=C && export LC_ALL && %s",
		 dir, cat_path, cp_path, command);
	program_run(outcome, args, refused_with);
}

static void shell_ok(const char *command)
{
	struct program_outcome outcome;

	run_shell(&outcome, command, 0);
	if (outcome.status != 0)
		fail_msg("%s: status %d: %s%s", command, outcome.status, outcome.out, outcome.err);
}

static int setup(void **state)
{
	unsigned char *bytes = malloc(FILE_SZ);
	char path[PATH_MAX];
	int fd;

	program_path(cat_path, sizeof(cat_path), "EXAMPLES_DIR", "uring_cat");
	program_path(cp_path, sizeof(cp_path), "EXAMPLES_DIR", "uring_cp");
	if (!bytes || !mkdtemp(dir))
		return -1;
	pattern_fill(bytes, FILE_SZ, 0);
	snprintf(path, sizeof(path), "%s/file", dir);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0640);
	if (fd < 0 || write(fd, bytes, FILE_SZ) != FILE_SZ || close(fd) < 0)
		return -1;
	free(bytes);
	shell_ok("printf 'a line\\n' >line && : >empty && mkdir folder && head -c 100000 file >odd");
	return 0;
}

static int teardown(void **state)
{
	struct program_outcome outcome;

	run_shell(&outcome, "rm -rf file line empty folder odd made* hole* sparse* full", 0);
	return rmdir(dir);
}

/*
 * Runs the command twice, $p being the program of ours and the usual one, and
 * compares output, status and messages, without the name of the program in these.
 */
static void same_as(const char *ours, const char *usual, const char *command)
{
	struct program_outcome outcomes[2];
	char text[2048], name[16];
	int i;

	for (i = 0; i < 2; i++) {
		snprintf(name, sizeof(name), "%s", i ? usual : ours);
		if (i)
			snprintf(text, sizeof(text), "p=%s; %s", usual, command);
		else
			snprintf(text, sizeof(text), "p=$%s; %s", usual, command);
		run_shell(&outcomes[i], text, 0);
	}
	assert_int_equal(outcomes[0].status, outcomes[1].status);
	assert_string_equal(outcomes[0].out, outcomes[1].out);
	if (outcomes[1].err[0] && (strncmp(outcomes[0].err, "uring_", 6) != 0 ||
				   strncmp(outcomes[0].err + 6, outcomes[1].err,
					   strcspn(outcomes[1].err, "\n")) != 0))
		fail_msg("%s: %snot %s", command, outcomes[0].err, outcomes[1].err);
	assert_int_equal(outcomes[0].err[0] != 0, outcomes[1].err[0] != 0);
}

static void cat_is_cat(void **state)
{
	static const char *const commands[] = {
		"$p file | cksum",
		"$p file odd empty line | cksum",
		"$p <line",
		"$p - <line",
		"$p line - line </dev/null",
		"cat file | $p | cksum",
		"cat file | $p line - | cksum",
		"$p /proc/version",
		"$p missing line",
		"$p folder line",
		"$p line >/dev/full",
		"cp line made && $p made >>made; cat made",
		"cp line made && { $p - line; } <file >made; cksum made",
		"{ head -c 2 >/dev/null; $p; } <line; { $p line -; } </dev/null",
		"$p -- line",
	};
	size_t i;

	for (i = 0; i < ARRAY_LEN(commands); i++)
		same_as("uring_cat", "cat", commands[i]);
	/* The position that it leaves is the one that cat leaves. */
	shell_ok("{ $cat >/dev/null; test \"$(cat | wc -c)\" -eq 0; } <file");
}

static void cat_tells_how(void **state)
{
	struct program_outcome outcome;

	run_shell(&outcome, "$cat --how file | cksum", 0);
	assert_int_equal(outcome.status, 0);
	assert_non_null(strstr(outcome.err, "file: by io_uring, 20 reads"));
	run_shell(&outcome, "$cat --how file | cmp - file", EPERM);
	assert_int_equal(outcome.status, 0);
	assert_non_null(strstr(outcome.err, "by pread"));
	assert_non_null(strstr(outcome.err, "there is no ring: Operation not permitted"));
	run_shell(&outcome, "$cat --how </dev/null", 0);
	assert_non_null(strstr(outcome.err, "-: by read, 1 reads, 1 system calls"));
}

static void cp_is_cp(void **state)
{
	static const char *const commands[] = {
		"umask 022; rm -f made; $p file made && cmp file made && stat -c '%a %s' made",
		"umask 077; rm -f made; $p line made && cmp line made && stat -c '%a %s' made",
		"umask 0; echo longer than a line >made; chmod 604 made; $p line made; stat -c '%a %s' made",
		"$p file line odd folder && cmp file folder/file && cmp odd folder/odd; rm folder/*",
		"$p file folder/ && cmp file folder/file; rm folder/*",
		"rm -f made; $p empty made; stat -c %s made",
		"rm -f made; $p /proc/version made; cmp /proc/version made",
		"rm -f made; printf x | $p /dev/stdin made; cat made",
		"$p missing made",
		"$p missing line folder; ls folder; rm folder/*",
		"$p folder made",
		"$p file folder missing line folder; ls folder; rm folder/*",
		"$p line line",
		"ln -f line made; $p line made; cat made; rm made",
		"$p line missing/made",
		"$p line file odd",
		"$p line file missing",
		"$p line",
		"$p",
		"$p line /dev/full",
		"$p file /dev/null",
		"mkdir made && cp odd made/line && $p line made/line folder; cat folder/*; rm -r folder/* made",
		"rm -f made; ln -s missing made; $p line made; test -e missing; echo $?; rm -f missing made",
		"trap '' INT; rm -f made; { sleep 0.2; cat odd; } | $p /dev/stdin made & sleep 0.1;"
		" kill -INT $!; wait; cmp odd made; rm made",
		"rm -f made; mkfifo made; cat made | cksum & $p file made; wait; rm made",
	};
	size_t i;

	for (i = 0; i < ARRAY_LEN(commands); i++)
		same_as("uring_cp", "cp", commands[i]);
}

static void cp_options(void **state)
{
	static const char *const options[] = {
		"--direct", "--verify", "--direct --verify", "-n 1", "-n 3 -b 4096",
		"-d -V -n 5 -b 8192", "-b 1048576",
	};
	static const char *const names[] = { "file", "odd", "line", "empty" };
	char command[256];
	size_t i, j;

	for (i = 0; i < ARRAY_LEN(options); i++) {
		for (j = 0; j < ARRAY_LEN(names); j++) {
			snprintf(command, sizeof(command), "rm -f made; $cp %s %s made && cmp %s made",
				 options[i], names[j], names[j]);
			shell_ok(command);
		}
	}
	shell_ok("! $cp -n 0 file made 2>/dev/null && ! $cp -b 1000 file made 2>/dev/null");
	shell_ok("! $cp --fast file made 2>/dev/null && $cp --help >/dev/null");
}

static void cp_without_a_ring(void **state)
{
	struct program_outcome outcome;

	run_shell(&outcome, "rm -f made; $cp --verify file made && cmp file made", ENOSYS);
	assert_int_equal(outcome.status, 0);
	assert_non_null(strstr(outcome.err, "io_uring is refused: ENOSYS"));

	run_shell(&outcome,
		  "truncate -s 20M hole; printf data >>hole; truncate -s 40M hole; $cp hole hole2 &&"
		  " cmp hole hole2 && test $(stat -c %b hole2) -lt 2000; rm hole hole2", ENOSYS);
	assert_int_equal(outcome.status, 0);
}

/* Holes stay holes: at the start, in the middle, at the end, and nothing but one. */
static void cp_keeps_holes(void **state)
{
	struct stat st;
	char path[PATH_MAX];

	shell_ok("truncate -s 5G sparse; for at in 10M 200M 4097M; do"
		 " printf data >part; dd if=part of=sparse bs=1 seek=$at conv=notrunc 2>/dev/null;"
		 " done; rm part; $cp sparse sparse2");
	snprintf(path, sizeof(path), "%s/sparse2", dir);
	assert_int_equal(stat(path, &st), 0);
	assert_true(st.st_size == 5LL << 30);
	assert_true(st.st_blocks < 100000);
	shell_ok("for at in 10M 200M 4097M; do test \"$(dd if=sparse2 bs=1 skip=$at count=4"
		 " 2>/dev/null)\" = data; done");
	shell_ok("truncate -s 3000000 hole && $cp hole hole2 && cmp hole hole2");
}

/* As with cp, what was copied stays, and it is the start of the file. */
static void cp_on_a_full_disk(void **state)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/full", dir);
	assert_int_equal(mkdir(path, 0700), 0);
	if (mount("tmpfs", path, "tmpfs", 0, "size=512k") < 0) {
		rmdir(path);
		skip_because("no file system can be mounted here: %s", strerror(errno));
	}
	same_as("uring_cp", "cp", "$p file full/made; stat -c %s full/made; rm full/made");
	shell_ok("! $cp file full/made 2>/dev/null;"
		 " cmp -n $(stat -c %s full/made) file full/made; rm full/made");
	assert_int_equal(umount(path), 0);
	rmdir(path);
}

static pid_t start_cp(const char *src, const char *dst)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		if (chdir(dir) == 0)
			execl(cp_path, cp_path, "-n", "4", "-b", "4096", src, dst, NULL);
		_exit(1);
	}
	return pid;
}

static void wait_for_size(const char *name, off_t sz)
{
	char path[PATH_MAX];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	while (stat(path, &st) < 0 || st.st_size < sz)
		sleep_ms(1);
}

/* From a FIFO on which no more comes, so that it is sure to be there still. */
static void cp_ends_by_the_signal(void **state)
{
	char path[PATH_MAX];
	int status, fd;
	pid_t pid;

	shell_ok("rm -f made made2 && mkfifo made");
	pid = start_cp("made", "made2");
	snprintf(path, sizeof(path), "%s/made", dir);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "begun", 5), 5);
	wait_for_size("made2", 5);
	assert_int_equal(kill(pid, SIGINT), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGINT);
	close(fd);
	shell_ok("test \"$(cat made2)\" = begun; rm made made2");
}

/* Where the copy is not over before, what is there is the start of the file. */
static void cp_leaves_a_start(void **state)
{
	int status;
	pid_t pid;

	shell_ok("rm -f made made2 && head -c 50000000 /dev/urandom >made");
	pid = start_cp("made", "made2");
	wait_for_size("made2", 1);
	assert_int_equal(kill(pid, SIGTERM), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(status == 0 || (WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM));
	shell_ok("cmp -n $(stat -c %s made2) made made2; rm made made2");
}

/* Runs the program with its standard error on a terminal, and keeps what it says there. */
static void run_on_terminal(const char *const *args, char *text, size_t text_sz)
{
	struct winsize size = { .ws_row = 24, .ws_col = 100 };
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	size_t sz = 0;
	int slave, status;
	ssize_t ret;
	pid_t pid;

	if (master < 0)
		skip_because("no terminal can be had here: %s", strerror(errno));
	assert_int_equal(grantpt(master), 0);
	assert_int_equal(unlockpt(master), 0);
	assert_int_equal(ioctl(master, TIOCSWINSZ, &size), 0);
	slave = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
	assert_true(slave >= 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		dup2(slave, STDERR_FILENO);
		if (chdir(dir) == 0)
			execv(args[0], (char *const *)(uintptr_t)args);
		_exit(1);
	}
	/* The end that is open here keeps what was said before the program's end. */
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(fcntl(master, F_SETFL, O_NONBLOCK), 0);
	while ((ret = read(master, text + sz, text_sz - 1 - sz)) > 0)
		sz += (size_t)ret;
	text[sz] = '\0';
	close(slave);
	close(master);
}

static void cp_shows_how_far_it_is(void **state)
{
	const char *asked[] = { cp_path, "-p", "-V", "file", "made", NULL };
	const char *plain[] = { cp_path, "file", "made", NULL };
	struct program_outcome outcome;
	char text[4096];

	run_on_terminal(asked, text, sizeof(text));
	assert_non_null(strstr(text, "\rcopying file 100% "));
	assert_non_null(strstr(text, "\rverifying made 100% "));
	assert_non_null(strstr(text, " MB/s   0:00 left [########################################]"));
	/* A copy that is over at once needs none, nor does one that nobody sees. */
	run_on_terminal(plain, text, sizeof(text));
	assert_null(strstr(text, "MB/s"));
	run_shell(&outcome, "$cp file made", 0);
	assert_string_equal(outcome.err, "");
}

/* What reads differently each time cannot be verified. */
static void cp_finds_what_is_wrong(void **state)
{
	struct program_outcome outcome;

	run_shell(&outcome, "rm -f made; $cp -V /proc/sys/kernel/random/uuid made", 0);
	assert_int_equal(outcome.status, 1);
	assert_non_null(strstr(outcome.err, "'made' differs from '/proc/sys/kernel/random/uuid' at "
					    "byte "));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		timed_test(cat_is_cat),
		timed_test(cat_tells_how),
		timed_test(cp_is_cp),
		timed_test(cp_options),
		timed_test(cp_without_a_ring),
		timed_test(cp_keeps_holes),
		timed_test(cp_on_a_full_disk),
		timed_test(cp_ends_by_the_signal),
		timed_test(cp_leaves_a_start),
		timed_test(cp_shows_how_far_it_is),
		timed_test(cp_finds_what_is_wrong),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
