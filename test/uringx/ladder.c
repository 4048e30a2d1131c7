/* SPDX-License-Identifier: MIT */
/*
 * The steps of examples/porting do the same job: files of many sizes, a pipe, a ring
 * that is refused, a file that cannot be read.
 */
#include "test.h"

#include "process.h"
#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define BLOCK_SZ 65536
#define DEPTH 16
#define MAX_FILE_SZ (3 * DEPTH * BLOCK_SZ)

static const char *const steps[] = {
	"step0_read", "step1_one_request", "step2_submit_and_wait", "step3_depth",
	"step4_registered", "step5_direct", "step6_stream", "step7_epoll",
};

static const size_t sizes[] = {
	0, 1, 7, 511, 4096, BLOCK_SZ - 1, BLOCK_SZ, BLOCK_SZ + 1, DEPTH * BLOCK_SZ,
	DEPTH * BLOCK_SZ + 12345, 2 * DEPTH * BLOCK_SZ - 4096, MAX_FILE_SZ,
};

static char path[] = "/var/tmp/ladder.XXXXXX";
static unsigned char bytes[MAX_FILE_SZ + 8];

static int make_file(void **state)
{
	int fd = mkostemp(path, O_CLOEXEC);

	pattern_fill(bytes, MAX_FILE_SZ, 0);
	return fd < 0 || write(fd, bytes, MAX_FILE_SZ) != MAX_FILE_SZ || close(fd) < 0 ? -1 : 0;
}

static int remove_file(void **state)
{
	return unlink(path);
}

/* FNV-1a over 64-bit words, the last one filled up with zeros. */
static uint64_t checksum_of(size_t sz)
{
	uint64_t hash = 0xcbf29ce484222325ULL, word;
	size_t i;

	for (i = 0; i < sz; i += 8) {
		word = 0;
		memcpy(&word, bytes + i, sz - i < 8 ? sz - i : 8);
		hash = (hash ^ word) * 0x100000001b3ULL;
	}
	return hash;
}

static void check_output(const struct program_outcome *outcome, const char *step, size_t sz)
{
	char wanted[128];

	snprintf(wanted, sizeof(wanted), "step      %s\nbytes     %zu\nchecksum  %016llx\n", step, sz,
		 (unsigned long long)checksum_of(sz));
	if (outcome->status != 0 || strncmp(outcome->out, wanted, strlen(wanted)) != 0)
		fail_msg("%s, %zu bytes: status %d, %s%s", step, sz, outcome->status, outcome->out,
			 outcome->err);
}

static void run_step(struct program_outcome *outcome, const char *step, const char *file,
		     int refused_with)
{
	char program[PATH_MAX], name[64];
	const char *args[] = { program, file, NULL };

	snprintf(name, sizeof(name), "porting/%s", step);
	program_path(program, sizeof(program), "EXAMPLES_DIR", name);
	program_run(outcome, args, refused_with);
}

static void all_steps_read_the_same(void **state)
{
	struct program_outcome outcome;
	size_t i, j;

	for (i = ARRAY_LEN(sizes); i-- > 0;) {
		assert_int_equal(truncate(path, (off_t)sizes[i]), 0);
		for (j = 0; j < ARRAY_LEN(steps); j++) {
			run_step(&outcome, steps[j], path, 0);
			check_output(&outcome, steps[j], sizes[i]);
		}
	}
}

static void pipe_gives_the_same(void **state)
{
	struct program_outcome outcome;
	char program[PATH_MAX], command[2 * PATH_MAX];
	const char *args[] = { "/bin/sh", "-c", command, NULL };

	assert_int_equal(truncate(path, 0), 0);
	assert_int_equal(truncate(path, MAX_FILE_SZ), 0);
	memset(bytes, 0, sizeof(bytes));
	program_path(program, sizeof(program), "EXAMPLES_DIR", "porting/step6_stream");
	snprintf(command, sizeof(command), "cat %s | %s /dev/stdin", path, program);
	program_run(&outcome, args, 0);
	check_output(&outcome, "step6_stream", MAX_FILE_SZ);
}

static void refused_ring_is_explained(void **state)
{
	struct program_outcome outcome;
	size_t j;

	for (j = 0; j < ARRAY_LEN(steps); j++) {
		run_step(&outcome, steps[j], path, EPERM);
		check_output(&outcome, steps[j], MAX_FILE_SZ);
		if (j > 0)
			assert_non_null(strstr(outcome.err, "io_uring is refused: EPERM"));
	}
}

static void error_is_told(void **state)
{
	struct program_outcome outcome;
	char wanted[128];
	size_t j;

	for (j = 0; j < ARRAY_LEN(steps); j++) {
		run_step(&outcome, steps[j], "/nowhere/at/all", 0);
		assert_int_equal(outcome.status, 1);
		assert_string_equal(outcome.out, "");
		snprintf(wanted, sizeof(wanted), "%s: /nowhere/at/all: %s\n", steps[j],
			 strerror(ENOENT));
		assert_string_equal(outcome.err, wanted);
		run_step(&outcome, steps[j], "/", 0);
		assert_int_equal(outcome.status, 1);
		assert_string_equal(outcome.out, "");
		snprintf(wanted, sizeof(wanted), "%s: after 0 bytes: %s\n", steps[j],
			 strerror(EISDIR));
		assert_non_null(strstr(outcome.err, wanted));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		timed_test(all_steps_read_the_same),
		timed_test(pipe_gives_the_same),
		timed_test(refused_ring_is_explained),
		timed_test(error_is_told),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
