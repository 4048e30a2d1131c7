/* SPDX-License-Identifier: MIT */
/*
 * What the reader does with descriptors that have ways of their own, and what its
 * options mean.
 */
#include "test.h"

#include "ring.h"
#include "source.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <signal.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>
#include <uringx/reader.h>

static struct uringx_reader *open_reader(int fd, const struct uringx_reader_options *options)
{
	struct uringx_reader *reader;

	assert_int_equal(uringx_reader_open(&reader, fd, options), 0);
	assert_non_null(reader);
	return reader;
}

static enum uringx_method method_of(const struct uringx_reader *reader)
{
	struct uringx_reader_info info;

	uringx_reader_get_info(reader, &info);
	return info.method;
}

/* The file is read with read(2), and then with the reader in the same blocks. */
static void compare_with_read(const char *path, unsigned block_sz)
{
	struct uringx_reader_options options = { .block_sz = block_sz, .depth = 8 };
	unsigned char *bytes = malloc(block_sz);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int other_fd = open(path, O_RDONLY | O_CLOEXEC);
	struct uringx_reader *reader;
	const void *block;
	ssize_t ret, wanted;

	assert_non_null(bytes);
	assert_true(fd >= 0 && other_fd >= 0);
	reader = open_reader(fd, &options);
	do {
		wanted = read(other_fd, bytes, block_sz);
		ret = uringx_reader_next(reader, &block);
		assert_int_equal(ret, wanted);
		if (ret > 0)
			assert_memory_equal(block, bytes, (size_t)ret);
	} while (ret > 0);
	assert_int_equal(ret, 0);
	assert_int_equal(uringx_reader_close(reader), 0);
	close(fd);
	close(other_fd);
	free(bytes);
}

static void proc_file_is_read_as_by_read(void **state)
{
	static const char *const paths[] = {
		"/proc/cpuinfo", "/proc/version", "/proc/filesystems", "/proc/self/environ",
		"/proc/kallsyms", "/sys/kernel/mm/transparent_hugepage/enabled",
	};
	static const unsigned blocks[] = { 7, 100, 4096, 65536 };
	size_t i, j;

	for (i = 0; i < ARRAY_LEN(paths); i++) {
		for (j = i == 4 ? 2 : 0; j < ARRAY_LEN(blocks); j++) {
			if (access(paths[i], R_OK) == 0)
				compare_with_read(paths[i], blocks[j]);
		}
	}
}

/* As with read(2): a buffer that is too small now says nothing of the next. */
static void error_of_a_stream_passes(void **state)
{
	struct uringx_reader *reader;
	uint64_t value = 0;
	int fd;

	fd = eventfd(3, EFD_CLOEXEC);
	reader = open_reader(fd, NULL);
	assert_int_equal(uringx_reader_read(reader, &value, 4), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(uringx_reader_read(reader, &value, sizeof(value)), sizeof(value));
	assert_int_equal(value, 3);
	assert_int_equal(uringx_reader_close(reader), 0);
	close(fd);
}

static void error_of_the_descriptor_comes(void **state)
{
	struct uringx_reader *reader;
	const void *block = &reader;
	char byte;
	int fd;

	fd = open("/", O_RDONLY | O_CLOEXEC);
	reader = open_reader(fd, NULL);
	assert_int_equal(uringx_reader_next(reader, &block), -EISDIR);
	assert_null(block);
	assert_int_equal(uringx_reader_close(reader), 0);
	reader = open_reader(fd, NULL);
	errno = 0;
	assert_int_equal(uringx_reader_read(reader, &byte, 1), -1);
	assert_int_equal(errno, EISDIR);
	assert_int_equal(uringx_reader_close(reader), 0);
	close(fd);

	fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	reader = open_reader(fd, NULL);
	assert_int_equal(uringx_reader_next(reader, &block), -EBADF);
	assert_int_equal(uringx_reader_close(reader), 0);
	close(fd);

	reader = (struct uringx_reader *)(void *)&byte;
	assert_int_equal(uringx_reader_open(&reader, fd, NULL), -EBADF);
	assert_null(reader);
}

/* With lines and ^D, as people type: 0 is not for ever. */
static void terminal_goes_on_after_its_end(void **state)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	struct uringx_reader *reader;
	const void *block;
	char buf[16];
	int fd;

	if (master < 0)
		skip_because("no terminal can be had here: %s", strerror(errno));
	assert_int_equal(grantpt(master), 0);
	assert_int_equal(unlockpt(master), 0);
	fd = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
	assert_true(fd >= 0);
	reader = open_reader(fd, NULL);
	assert_int_equal(write(master, "one\ntwo\n\x04three\n", 15), 15);
	assert_int_equal(uringx_reader_next(reader, &block), 4);
	assert_memory_equal(block, "one\n", 4);
	assert_int_equal(uringx_reader_read(reader, buf, sizeof(buf)), 4);
	assert_memory_equal(buf, "two\n", 4);
	assert_int_equal(uringx_reader_next(reader, &block), 0);
	assert_int_equal(uringx_reader_next(reader, &block), 6);
	assert_memory_equal(block, "three\n", 6);
	assert_int_equal(uringx_reader_close(reader), 0);
	close(fd);
	close(master);
}

static void nothing_there_yet_is_eagain(void **state)
{
	struct uringx_reader *reader;
	const void *block;
	char buf[8];
	int fds[2];

	assert_int_equal(pipe2(fds, O_CLOEXEC | O_NONBLOCK), 0);
	reader = open_reader(fds[0], NULL);
	assert_int_equal(uringx_reader_next(reader, &block), -EAGAIN);
	assert_int_equal(uringx_reader_next(reader, &block), -EAGAIN);
	assert_int_equal(uringx_reader_read(reader, buf, sizeof(buf)), -1);
	assert_int_equal(errno, EAGAIN);
	assert_int_equal(write(fds[1], "abcd", 4), 4);
	assert_int_equal(uringx_reader_next(reader, &block), 4);
	assert_memory_equal(block, "abcd", 4);
	close(fds[1]);
	assert_int_equal(uringx_reader_next(reader, &block), 0);
	assert_int_equal(uringx_reader_close(reader), 0);
	close(fds[0]);
}

static void on_alarm(int number)
{
}

static void on_no_cqe(struct io_uring_cqe *cqe, void *arg)
{
	fail_msg("a CQE that is nobody's");
}

/* Also through a ring: the read stays in flight, and its bytes come later. */
static void signal_ends_a_wait_for_data(void **state)
{
	struct sigaction action = { .sa_handler = on_alarm };
	struct uringx_reader_options options = { .on_cqe = on_no_cqe };
	struct uringx_reader *reader;
	struct io_uring ring;
	const void *block;
	unsigned with_ring;
	int fds[2];

	ring_open_flags(&ring, 4, 0);
	for (with_ring = 0; with_ring < 2; with_ring++) {
		options.ring = with_ring ? &ring : NULL;
		assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
		reader = open_reader(fds[0], &options);
		assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
		ualarm(20000, 0);
		assert_int_equal(uringx_reader_next(reader, &block), -EINTR);
		assert_int_equal(signal(SIGALRM, SIG_DFL) == SIG_ERR, 0);
		alarm(TEST_SECONDS);
		assert_int_equal(write(fds[1], "abcd", 4), 4);
		assert_int_equal(uringx_reader_next(reader, &block), 4);
		assert_memory_equal(block, "abcd", 4);
		assert_int_equal(uringx_reader_close(reader), 0);
		close(fds[0]);
		close(fds[1]);
	}
	io_uring_queue_exit(&ring);
}

static void finds_the_method(void **state)
{
	struct uringx_reader_options options = { .block_sz = 1000, .depth = 4 };
	struct source source;
	struct uringx_reader *reader;
	struct io_uring ring;

	ring_open_flags(&ring, 4, 0);
	assert_true(source_open(&source, SOURCE_FILE, 5000));
	reader = open_reader(source.fd, &options);
	assert_int_equal(method_of(reader), URINGX_BY_RING);
	assert_int_equal(uringx_reader_close(reader), 0);
	/* One block: nothing to read ahead. */
	options.block_sz = 5000;
	reader = open_reader(source.fd, &options);
	assert_int_equal(method_of(reader), URINGX_BY_PREAD);
	assert_int_equal(uringx_reader_close(reader), 0);
	source_close(&source);
	assert_true(source_open(&source, SOURCE_PIPE, 0));
	reader = open_reader(source.fd, &options);
	assert_int_equal(method_of(reader), URINGX_BY_READ);
	assert_int_equal(uringx_reader_close(reader), 0);
	options.ring = &ring;
	options.on_cqe = on_no_cqe;
	reader = open_reader(source.fd, &options);
	assert_int_equal(method_of(reader), URINGX_BY_RING);
	assert_int_equal(uringx_reader_close(reader), 0);
	source_close(&source);
	io_uring_queue_exit(&ring);
}

static void bad_options_are_refused(void **state)
{
	static struct io_uring ring, iopoll_ring = { .flags = IORING_SETUP_IOPOLL };
	const struct uringx_reader_options bad[] = {
		{ .flags = 1U << 31 },
		{ .pad = 1 },
		{ .resv = { 0, 0, 0, 1 } },
		{ .block_sz = (1U << 30) + 1 },
		{ .depth = 4097 },
		{ .start = 1ULL << 63, .flags = URINGX_READER_START },
		{ .start = 1 },
		{ .flags = URINGX_READER_NOWAIT },
		{ .ring = &ring },
		{ .ring = &iopoll_ring, .on_cqe = on_no_cqe },
		{ .ring = &ring, .on_cqe = on_no_cqe, .flags = URINGX_READER_FIXED },
		{ .ring = &ring, .on_cqe = on_no_cqe, .flags = URINGX_READER_NO_RING },
	};
	struct uringx_reader_options start = { .flags = URINGX_READER_START, .start = 1 };
	struct uringx_reader *reader;
	struct holdings before;
	int fd = temp_file(10000);
	int fds[2];
	size_t i;

	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	holdings_take(&before);
	for (i = 0; i < ARRAY_LEN(bad); i++) {
		reader = (struct uringx_reader *)(void *)&ring;
		assert_int_equal(uringx_reader_open(&reader, fd, &bad[i]), -EINVAL);
		assert_null(reader);
	}
	assert_int_equal(uringx_reader_open(&reader, fds[0], &start), -ESPIPE);
	assert_null(reader);
	assert_int_equal(uringx_reader_close(NULL), 0);
	holdings_same(&before);
	close(fds[0]);
	close(fds[1]);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		timed_test(proc_file_is_read_as_by_read),
		timed_test(error_of_the_descriptor_comes),
		timed_test(error_of_a_stream_passes),
		timed_test(terminal_goes_on_after_its_end),
		timed_test(nothing_there_yet_is_eagain),
		timed_test(signal_ends_a_wait_for_data),
		timed_test(finds_the_method),
		timed_test(bad_options_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
