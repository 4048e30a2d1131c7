/* SPDX-License-Identifier: MIT */
/*
 * The read loop of the examples, on real files: how often it enters the kernel,
 * counted by ptrace from outside, and that each mode reads the same bytes.
 */
#include "test.h"

#include "program.h"
#include "ring.h"

#include <errno.h>
#include <fcntl.h>
#include <liburing.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

TEST_NEEDS_NO_RINGS;

#define BLOCK_SZ 4096
#define DEFER (IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN)
#define MAX_ARGS 16
#define MAX_FILE_SZ (256 * 1024)

/* A way to run the loop, and how many enters a file of 16 blocks may cost. */
struct way {
	const char *mode;
	const char *depth;
	bool defer;
	unsigned long min_enters;
	unsigned long max_enters;
};

static char dir[] = "/var/tmp/read_loop_enters.XXXXXX";
static char file_path[sizeof(dir) + 16];
static char fifo_path[sizeof(dir) + 16];
static char read_loop[PATH_MAX];

static int setup_files(void **state)
{
	if (!mkdtemp(dir))
		return -1;
	snprintf(file_path, sizeof(file_path), "%s/file", dir);
	snprintf(fifo_path, sizeof(fifo_path), "%s/fifo", dir);
	program_path(read_loop, sizeof(read_loop), "EXAMPLES_DIR", "read_loop");
	return 0;
}

static int remove_files(void **state)
{
	unlink(file_path);
	unlink(fifo_path);
	return rmdir(dir);
}

/*
 * Makes the file, and returns its checksum: FNV-1a over the 64-bit words, the
 * last one filled up with zeros.
 */
static uint64_t write_file(size_t file_sz)
{
	static uint64_t words[MAX_FILE_SZ / 8];
	size_t nr_words = (file_sz + 7) / 8;
	uint64_t hash = 0xcbf29ce484222325ULL;
	FILE *file = fopen(file_path, "we");
	size_t i;

	assert_in_range(file_sz, 0, MAX_FILE_SZ);
	assert_non_null(file);
	for (i = 0; i < nr_words; i++)
		words[i] = (i + 1) * 0x9e3779b97f4a7c15ULL;
	memset((char *)words + file_sz, 0, nr_words * 8 - file_sz);
	for (i = 0; i < nr_words; i++)
		hash = (hash ^ words[i]) * 0x100000001b3ULL;
	assert_int_equal(fwrite(words, 1, file_sz, file), file_sz);
	assert_int_equal(fflush(file), 0);
	assert_int_equal(fsync(fileno(file)), 0);
	assert_int_equal(fclose(file), 0);
	return hash;
}

/* Puts the command line of one way to read the file at args. */
static void loop_args(const char **args, const struct way *way, bool buffered)
{
	*args++ = read_loop;
	*args++ = "--mode";
	*args++ = way->mode;
	if (way->depth) {
		*args++ = "--depth";
		*args++ = way->depth;
	}
	if (way->defer)
		*args++ = "--defer";
	if (buffered)
		*args++ = "--buffered";
	*args++ = file_path;
	*args = NULL;
}

/* What follows a name at the start of a line of the program's output. */
static const char *value_of(const struct program_outcome *outcome, const char *name)
{
	static char value[64];
	const char *line = outcome->out;

	while (line) {
		if (strncmp(line, name, strlen(name)) == 0 &&
		    sscanf(line + strlen(name), " %63s", value) == 1)
			return value;
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	fail_msg("no line %s in: %s%s", name, outcome->out, outcome->err);
	return NULL;
}

static void assert_whole_file(const struct program_outcome *outcome, size_t file_sz,
			      uint64_t checksum)
{
	if (outcome->status != 0)
		fail_msg("status %d: %s", outcome->status, outcome->err);
	assert_int_equal(strtoul(value_of(outcome, "bytes"), NULL, 10), file_sz);
	assert_int_equal(strtoul(value_of(outcome, "blocks"), NULL, 10),
			 (file_sz + BLOCK_SZ - 1) / BLOCK_SZ);
	assert_int_equal(strtoull(value_of(outcome, "checksum"), NULL, 16), checksum);
}

/* Skips the test where the kernel itself gives no such ring. */
static void require_ring(unsigned int flags)
{
	struct io_uring ring;

	ring_open_flags(&ring, 1, flags);
	io_uring_queue_exit(&ring);
}

static void enters_are_few(void **state)
{
	const struct way *way = *state;
	bool is_ring = way->max_enters > 0;
	const char *args[MAX_ARGS];
	uint64_t checksum = write_file(16 * BLOCK_SZ);
	struct program_outcome outcome;
	unsigned long nr_enters;

	if (is_ring)
		require_ring(way->defer ? DEFER : 0);
	loop_args(args, way, false);
	nr_enters = program_run_counted(&outcome, args);
	assert_whole_file(&outcome, 16 * BLOCK_SZ, checksum);
	assert_string_equal(value_of(&outcome, "through"), is_ring ? "io_uring" : "pread");
	print_message("%s%s: %lu enters, %s reads\n", way->mode, way->defer ? " --defer" : "",
		      nr_enters, value_of(&outcome, "file"));
	assert_in_range(nr_enters, way->min_enters, way->max_enters);
}

/* Makes seven enters that fail at once: in a thread, in a child and here. */
static void *enter_thrice(void *arg)
{
	int i;

	for (i = 0; i < 3; i++)
		syscall(__NR_io_uring_enter, -1, 0, 0, 0, NULL, 0);
	return arg;
}

static int make_seven_enters(void)
{
	pthread_t thread;
	pid_t pid;

	if (pthread_create(&thread, NULL, enter_thrice, NULL) != 0)
		return 1;
	pthread_join(thread, NULL);
	pid = fork();
	if (pid == 0) {
		enter_thrice(NULL);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	syscall(__NR_io_uring_enter, -1, 0, 0, 0, NULL, 0);
	return 5;
}

static void counter_follows_threads_and_children(void **state)
{
	char self[PATH_MAX] = "";
	const char *args[] = { self, "seven-enters", NULL };
	struct program_outcome outcome;

	assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	assert_int_equal(program_run_counted(&outcome, args), 7);
	assert_int_equal(outcome.status, 5);
}

static void all_modes_read_the_same(void **state)
{
	static const struct way ways[] = {
		{ "read", NULL, false, 0, 0 },
		{ "uring", NULL, false, 0, 0 },
		{ "uring", NULL, true, 0, 0 },
		{ "uring-wait", NULL, false, 0, 0 },
		{ "uring-wait", NULL, true, 0, 0 },
		{ "uring-batch", "1", false, 0, 0 },
		{ "uring-batch", "3", false, 0, 0 },
		{ "uring-batch", "16", true, 0, 0 },
		{ "uring-batch", "64", false, 0, 0 },
	};
	static const size_t sizes[] = {
		0, 1, 511, 512, 4095, 4096, 4097, 10000, 16383, 65537, 201000,
		16 * BLOCK_SZ, 49 * BLOCK_SZ,
	};
	const char *args[MAX_ARGS];
	struct program_outcome outcome;
	uint64_t checksum;
	size_t i, j;

	for (i = 0; i < ARRAY_LEN(sizes); i++) {
		checksum = write_file(sizes[i]);
		for (j = 0; j < ARRAY_LEN(ways); j++) {
			loop_args(args, &ways[j], false);
			program_run(&outcome, args, 0);
			assert_whole_file(&outcome, sizes[i], checksum);
			loop_args(args, &ways[j], true);
			program_run(&outcome, args, 0);
			assert_whole_file(&outcome, sizes[i], checksum);
			assert_string_equal(value_of(&outcome, "file"), "buffered");
		}
	}
}

static void assert_complaint(const char *const *args, int status, const char *complaint)
{
	struct program_outcome outcome;

	program_run(&outcome, args, 0);
	assert_int_equal(outcome.status, status);
	assert_string_equal(outcome.out, "");
	if (!strstr(outcome.err, complaint))
		fail_msg("%s not in: %s", complaint, outcome.err);
}

static void bad_input_is_named(void **state)
{
	const char *missing[] = { read_loop, "--mode", "uring", "/nowhere/at/all", NULL };
	const char *folder[] = { read_loop, "--mode", "uring", dir, NULL };
	const char *fifo[] = { read_loop, fifo_path, NULL };
	const char *mode[] = { read_loop, "--mode", "fast", file_path, NULL };
	const char *depth[] = { read_loop, "--depth", "0", file_path, NULL };
	const char *deep[] = { read_loop, "--depth", "1025", file_path, NULL };
	const char *word[] = { read_loop, "--depth", "8x", file_path, NULL };
	const char *nothing[] = { read_loop, NULL };
	const char *two[] = { read_loop, file_path, file_path, NULL };
	const char *option[] = { read_loop, "--fast", file_path, NULL };

	assert_complaint(missing, 1, "/nowhere/at/all: No such file or directory");
	assert_complaint(folder, 1, "Is a directory");
	assert_int_equal(mkfifo(fifo_path, 0600), 0);
	assert_complaint(fifo, 1, "Illegal seek");
	assert_complaint(mode, 2, "unknown mode: fast");
	assert_complaint(depth, 2, "not 0");
	assert_complaint(deep, 2, "not 1025");
	assert_complaint(word, 2, "not 8x");
	assert_complaint(nothing, 2, "usage: ");
	assert_complaint(two, 2, "usage: ");
	assert_complaint(option, 2, "usage: ");
}

static void refusal_is_explained(void **state)
{
	static const struct {
		int err;
		const char *name;
		const char *advice;
	} cases[] = {
		{ ENOSYS, "ENOSYS", "seccomp" },
		{ EPERM, "EPERM", "seccomp" },
		{ EACCES, "EACCES", "seccomp" },
		{ ENOMEM, "ENOMEM", "RLIMIT_MEMLOCK" },
	};
	static const struct way way = { "uring-batch", NULL, false, 0, 0 };
	const char *args[MAX_ARGS];
	uint64_t checksum = write_file(10000);
	struct program_outcome outcome;
	size_t i;

	for (i = 0; i < ARRAY_LEN(cases); i++) {
		loop_args(args, &way, false);
		program_run(&outcome, args, cases[i].err);
		assert_whole_file(&outcome, 10000, checksum);
		assert_string_equal(value_of(&outcome, "through"), "pread");
		if (!strstr(outcome.err, cases[i].name) || !strstr(outcome.err, cases[i].advice))
			fail_msg("%s not explained: %s", cases[i].name, outcome.err);
		assert_non_null(strstr(outcome.err, "reading with pread instead"));
	}
}

static struct way counted_ways[] = {
	{ "read", NULL, false, 0, 0 },
	{ "uring", NULL, false, 17, 33 },
	{ "uring-wait", NULL, false, 17, 17 },
	{ "uring-batch", "16", false, 2, 2 },
	{ "uring", NULL, true, 17, 33 },
	{ "uring-wait", NULL, true, 17, 17 },
	{ "uring-batch", "16", true, 2, 2 },
};

#define COUNTED(title, idx) { title, enters_are_few, NULL, NULL, &counted_ways[idx] }

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counter_follows_threads_and_children),
		COUNTED("enters_of_read", 0),
		COUNTED("enters_of_uring", 1),
		COUNTED("enters_of_uring_wait", 2),
		COUNTED("enters_of_uring_batch", 3),
		COUNTED("enters_of_uring_defer", 4),
		COUNTED("enters_of_uring_wait_defer", 5),
		COUNTED("enters_of_uring_batch_defer", 6),
		cmocka_unit_test(all_modes_read_the_same),
		cmocka_unit_test(bad_input_is_named),
		cmocka_unit_test(refusal_is_explained),
	};

	if (argc == 2 && strcmp(argv[1], "seven-enters") == 0)
		return make_seven_enters();
	skip_all_without_rings();
	return cmocka_run_group_tests(tests, setup_files, remove_files);
}
