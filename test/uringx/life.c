/* SPDX-License-Identifier: MIT */
/*
 * A reader's life: that nothing is left behind whenever it is closed, threads, and
 * refusals.
 */
#include "test.h"

#include "program.h"
#include "ring.h"
#include "source.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
#include <uringx/reader.h>

TEST_NEEDS_NO_RINGS;

#define FILE_SZ 300000

static void no_cqe_of_ours(struct io_uring_cqe *cqe, void *arg)
{
	fail_msg("a CQE that is nobody's");
}

static void close_at_any_time_leaves_nothing(struct io_uring *ring)
{
	static const unsigned flags[] = { 0, URINGX_READER_DIRECT, URINGX_READER_FIXED,
					  URINGX_READER_ANY_THREAD | URINGX_READER_DIRECT };
	struct uringx_reader_options options = { .block_sz = 8192, .depth = 16 };
	struct uringx_reader *reader;
	struct source source;
	struct holdings before, after;
	const void *block;
	unsigned i, nr;

	assert_true(source_open(&source, SOURCE_FILE, FILE_SZ));
	posix_fadvise(source.fd, 0, 0, POSIX_FADV_DONTNEED);
	holdings_take(&before);
	for (i = 0; i < 2 * ARRAY_LEN(flags); i++) {
		for (nr = 0; nr < 4; nr++) {
			source_rewind(&source);
			options.flags = flags[i / 2];
			if (i % 2) {
				options.flags &= URINGX_READER_DIRECT;
				options.ring = ring;
				options.on_cqe = no_cqe_of_ours;
			} else {
				options.ring = NULL;
			}
			assert_int_equal(uringx_reader_open(&reader, source.fd, &options), 0);
			for (unsigned j = 0; j < nr; j++)
				assert_true(uringx_reader_next(reader, &block) > 0);
			assert_int_equal(uringx_reader_close(reader), 0);
			no_cqe(ring);
		}
	}
	/* malloc keeps some of what was freed; for leaks the address sanitizer looks. */
	holdings_take(&after);
	before.mapped_sz = after.mapped_sz;
	holdings_same(&before);
	source_close(&source);
}

/* A lease is given when nobody else has the file open. */
static bool is_open_elsewhere(int fd)
{
	if (fcntl(fd, F_SETLEASE, F_WRLCK) == 0) {
		assert_int_equal(fcntl(fd, F_SETLEASE, F_UNLCK), 0);
		return false;
	}
	assert_int_equal(errno, EAGAIN);
	return true;
}

static void file_is_let_go_at_the_close(void **state)
{
	static const unsigned flags[] = { 0, URINGX_READER_DIRECT, URINGX_READER_ANY_THREAD };
	struct uringx_reader_options options = { .block_sz = 4096, .depth = 4 };
	struct uringx_reader *reader;
	struct source source;
	char path[32];
	const void *block;
	size_t i;
	int fd;

	assert_true(source_open(&source, SOURCE_FILE, 100000));
	if (fcntl(source.fd, F_SETLEASE, F_WRLCK) < 0 ||
	    fcntl(source.fd, F_SETLEASE, F_UNLCK) < 0)
		skip_because("no leases on the file system of /var/tmp: %s", strerror(errno));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", source.fd);
	for (i = 0; i < ARRAY_LEN(flags); i++) {
		options.flags = flags[i];
		fd = open(path, O_RDONLY | O_CLOEXEC);
		assert_true(fd >= 0);
		assert_true(is_open_elsewhere(source.fd));
		assert_int_equal(uringx_reader_open(&reader, fd, &options), 0);
		assert_int_equal(uringx_reader_next(reader, &block), 4096);
		assert_int_equal(uringx_reader_close(reader), 0);
		close(fd);
		assert_false(is_open_elsewhere(source.fd));
	}
	source_close(&source);
}

static void *take_one_block(void *arg)
{
	const void *block;

	return (void *)uringx_reader_next(arg, &block);
}

static ssize_t next_in_thread(struct uringx_reader *reader)
{
	pthread_t thread;
	void *ret;

	assert_int_equal(pthread_create(&thread, NULL, take_one_block, reader), 0);
	assert_int_equal(pthread_join(thread, &ret), 0);
	return (ssize_t)ret;
}

static void a_reader_is_for_one_thread(void **state)
{
	struct uringx_reader_options options = { .block_sz = 1000, .depth = 4 };
	struct uringx_reader *reader;
	struct source source;
	const void *block;

	require_no_checks();
	assert_true(source_open(&source, SOURCE_FILE, 50000));
	require_ret("IORING_SETUP_DEFER_TASKRUN",
		    ring_ask(IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN));
	/* The thread that opens need not be the one that reads. */
	assert_int_equal(uringx_reader_open(&reader, source.fd, &options), 0);
	assert_int_equal(next_in_thread(reader), 1000);
	assert_int_equal(uringx_reader_next(reader, &block), -EEXIST);
	assert_null(block);
	assert_int_equal(uringx_reader_tell(reader), 1000);
	uringx_reader_close(reader);

	source_rewind(&source);
	options.flags = URINGX_READER_ANY_THREAD;
	assert_int_equal(uringx_reader_open(&reader, source.fd, &options), 0);
	while (uringx_reader_tell(reader) < 49000) {
		assert_int_equal(next_in_thread(reader), 1000);
		assert_int_equal(uringx_reader_next(reader, &block), 1000);
		assert_memory_equal(block, source.bytes + uringx_reader_tell(reader) - 1000, 1000);
	}
	assert_int_equal(uringx_reader_close(reader), 0);
	source_close(&source);
}

static void *slow_drain(void *arg)
{
	char buf[4096];
	int fd = *(int *)arg;

	while (read(fd, buf, sizeof(buf)) > 0)
		;
	return NULL;
}

/*
 * Reads that complete meanwhile do not interrupt the writing of what came before.
 * The end of a ring does, and so does the start of a worker: hence a process that has
 * closed no ring, a file that is on the disk, and room for a few of the 80 writes.
 */
#define MAX_SHORT 3

static int copy_to_pipe(void *arg)
{
	struct uringx_reader_options options = {
		.flags = URINGX_READER_DIRECT, .block_sz = 100 * 1024, .depth = 8,
	};
	struct source *source = arg;
	struct uringx_reader *reader;
	struct uringx_reader_info info;
	const void *block;
	unsigned nr_short = 0;
	pthread_t thread;
	ssize_t ret;
	int fds[2];

	child_check_equal(uringx_reader_open(&reader, source->fd, &options), 0);
	uringx_reader_get_info(reader, &info);
	child_check_equal(pipe2(fds, O_CLOEXEC), 0);
	child_check_equal(pthread_create(&thread, NULL, slow_drain, &fds[0]), 0);
	while ((ret = uringx_reader_next(reader, &block)) > 0)
		nr_short += write(fds[1], block, (size_t)ret) < ret;
	child_check_equal(ret, 0);
	child_check(nr_short <= MAX_SHORT);
	close(fds[1]);
	pthread_join(thread, NULL);
	child_check_equal(uringx_reader_close(reader), 0);
	if (info.direct_align)
		return 0;
	printf("no direct I/O on the file system of /var/tmp\n");
	return CHILD_SKIP;
}

static void writes_to_a_pipe_stay_whole(void **state)
{
	struct source source;

	require_ret("IORING_SETUP_DEFER_TASKRUN",
		    ring_ask(IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN));
	assert_true(source_open(&source, SOURCE_FILE, 8 << 20));
	assert_int_equal(fsync(source.fd), 0);
	in_child(copy_to_pipe, &source);
	source_close(&source);
}

/* The child's part: reads the file at descriptor 0, and says how. */
static int read_standard_input(void)
{
	struct uringx_reader_options options = { .block_sz = 1000, .depth = 4 };
	struct uringx_reader_info info;
	struct uringx_reader *reader;
	const void *block;
	ssize_t ret;

	if (uringx_reader_open(&reader, STDIN_FILENO, &options) != 0)
		return 1;
	uringx_reader_get_info(reader, &info);
	while ((ret = uringx_reader_next(reader, &block)) > 0) {
		if (!pattern_same(block, (size_t)ret, (size_t)(uringx_reader_tell(reader) - ret)))
			return 2;
	}
	printf("method %d refusal %d bytes %lld\n", (int)info.method, info.refusal,
	       (long long)uringx_reader_tell(reader));
	return uringx_reader_close(reader) == 0 && ret == 0 ? 0 : 3;
}

static void refused_ring_is_told(void **state)
{
	static const int errors[] = { ENOSYS, EPERM, ENOMEM };
	char self[PATH_MAX] = "", wanted[64];
	const char *args[] = { self, "read", NULL };
	struct program_outcome outcome;
	int fd = temp_file(34567);
	int saved = dup(STDIN_FILENO);
	size_t i;

	assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	assert_int_equal(dup2(fd, STDIN_FILENO), STDIN_FILENO);
	for (i = 0; i < ARRAY_LEN(errors); i++) {
		assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
		program_run(&outcome, args, errors[i]);
		assert_int_equal(outcome.status, 0);
		snprintf(wanted, sizeof(wanted), "method %d refusal %d bytes 34567\n",
			 URINGX_BY_PREAD, -errors[i]);
		assert_string_equal(outcome.out, wanted);
	}
	if (saved >= 0) {
		dup2(saved, STDIN_FILENO);
		close(saved);
	}
	close(fd);
}

int main(int argc, char **argv)
{
	static const struct ring_case cases[] = {
		{ "close_at_any_time_leaves_nothing", close_at_any_time_leaves_nothing,
		  IORING_SETUP_IOPOLL | IORING_SETUP_SQPOLL, 0 },
	};
	const struct CMUnitTest tests[] = {
		timed_test(file_is_let_go_at_the_close),
		timed_test(a_reader_is_for_one_thread),
		timed_test(writes_to_a_pipe_stay_whole),
		timed_test(refused_ring_is_told),
	};
	int ret;

	if (argc > 1 && strcmp(argv[1], "read") == 0)
		return read_standard_input();
	skip_all_without_rings();
	ret = ring_run_cases("life", cases, ARRAY_LEN(cases));
	return cmocka_run_group_tests(tests, NULL, NULL) + ret;
}
