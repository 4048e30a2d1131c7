/* SPDX-License-Identifier: MIT */
/*
 * Where the reader begins and ends, and how it moves: positions, limits, seeks, and
 * offsets that do not fit 32 bits.
 */
#include "test.h"

#include "process.h"
#include "source.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <uringx/reader.h>

TEST_NEEDS_NO_RINGS;

#define GIB (1ULL << 30)

static struct uringx_reader *open_reader(int fd, const struct uringx_reader_options *options)
{
	struct uringx_reader *reader;

	assert_int_equal(uringx_reader_open(&reader, fd, options), 0);
	assert_non_null(reader);
	return reader;
}

static void device_without_end_is_limited(void **state)
{
	struct uringx_reader_options options = { .block_sz = 4096, .limit = 10000 };
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	struct uringx_reader *reader = open_reader(fd, &options);
	const void *block;

	assert_int_equal(uringx_reader_next(reader, &block), 4096);
	assert_true(all_bytes(block, 4096, 0));
	assert_int_equal(uringx_reader_next(reader, &block), 4096);
	assert_int_equal(uringx_reader_next(reader, &block), 10000 - 8192);
	assert_int_equal(uringx_reader_next(reader, &block), 0);
	assert_int_equal(uringx_reader_tell(reader), 10000);
	assert_int_equal(uringx_reader_seek(reader, 0, SEEK_SET), -ESPIPE);
	assert_int_equal(uringx_reader_close(reader), 0);
	close(fd);
}

/* A limited reader of a pipe takes no byte that comes after the limit. */
static void limit_leaves_the_rest_in_the_pipe(void **state)
{
	struct uringx_reader_options options = { .block_sz = 100, .limit = 250 };
	struct source source;
	struct uringx_reader *reader;
	unsigned char rest[1000];
	const void *block;
	size_t pos = 0;
	ssize_t ret;

	assert_true(source_open(&source, SOURCE_PIPE, 1000));
	reader = open_reader(source.fd, &options);
	while ((ret = uringx_reader_next(reader, &block)) > 0)
		pos += (size_t)ret;
	assert_int_equal(pos, 250);
	assert_int_equal(uringx_reader_close(reader), 0);
	while ((ret = read(source.fd, rest, sizeof(rest))) > 0) {
		assert_memory_equal(rest, source.bytes + pos, (size_t)ret);
		pos += (size_t)ret;
	}
	assert_int_equal(pos, 1000);
	source_close(&source);
}

/* Marks at the start, around 4 GiB and at the end of a file of zeros. */
static int make_huge_file(int fd, uint64_t sz)
{
	if (ftruncate(fd, (off_t)sz) < 0) {
		close(fd);
		skip_because("no file of %llu bytes: %s", (unsigned long long)sz, strerror(errno));
	}
	assert_int_equal(pwrite(fd, "start", 5, 0), 5);
	assert_int_equal(pwrite(fd, "border", 6, (off_t)(4 * GIB - 3)), 6);
	assert_int_equal(pwrite(fd, "end", 3, (off_t)sz - 3), 3);
	return fd;
}

static void file_of_5_gib(void **state)
{
	const uint64_t sz = 5 * GIB + 4321;
	struct uringx_reader_options options = { .block_sz = 1 << 17, .depth = 4 };
	/* In memory: the holes of a file on a disk would fill the page cache. */
	int fd = make_huge_file(memfd_create("huge", MFD_CLOEXEC), sz);
	struct uringx_reader *reader;
	uint64_t pos = 0, nr_marks = 0;
	const unsigned char *bytes;
	const void *block;
	ssize_t ret, i;

	reader = open_reader(fd, &options);
	while ((ret = uringx_reader_next(reader, &block)) > 0) {
		bytes = block;
		/* All zeros, unless the first byte or a neighbour differs. */
		if (bytes[0] || memcmp(bytes, bytes + 1, (size_t)ret - 1) != 0) {
			for (i = 0; i < ret; i++)
				nr_marks += bytes[i] != 0;
		}
		pos += (uint64_t)ret;
	}
	assert_int_equal(ret, 0);
	assert_true(pos == sz);
	assert_int_equal(nr_marks, 14);
	assert_int_equal(uringx_reader_close(reader), 0);
	close(fd);
}

static void offsets_beyond_4_gib(void **state)
{
	static const unsigned flags[] = {
		0, URINGX_READER_DIRECT, URINGX_READER_NO_RING,
		URINGX_READER_NO_RING | URINGX_READER_DIRECT,
	};
	const uint64_t sz = 5 * GIB + 4321;
	struct uringx_reader_options options = { .block_sz = 5000, .depth = 4 };
	int fd = make_huge_file(temp_file(0), sz);
	struct uringx_reader *reader;
	unsigned char buf[10000];
	size_t i;

	options.start = 4 * GIB - 5003;
	for (i = 0; i < ARRAY_LEN(flags); i++) {
		options.flags = flags[i] | URINGX_READER_START;
		reader = open_reader(fd, &options);
		assert_int_equal(uringx_reader_tell(reader), options.start);
		assert_int_equal(uringx_reader_read(reader, buf, 10000), 10000);
		assert_true(all_bytes(buf, 5000, 0));
		assert_memory_equal(buf + 5000, "border", 6);
		assert_int_equal(uringx_reader_seek(reader, -3, SEEK_END), sz - 3);
		assert_int_equal(uringx_reader_read(reader, buf, 10000), 3);
		assert_memory_equal(buf, "end", 3);
		assert_int_equal(uringx_reader_read(reader, buf, 10000), 0);
		assert_int_equal(uringx_reader_seek(reader, 0, SEEK_SET), 0);
		assert_int_equal(uringx_reader_read(reader, buf, 6), 6);
		assert_memory_equal(buf, "start", 6);
		assert_int_equal(uringx_reader_close(reader), 0);
		/* With a start of its own it leaves the descriptor's position alone. */
		assert_int_equal(lseek(fd, 0, SEEK_CUR), 0);
	}
	close(fd);
}

static void starts_at_the_position_and_leaves_it_behind(void **state)
{
	static const unsigned flags[] = { 0, URINGX_READER_DIRECT, URINGX_READER_NO_RING };
	struct uringx_reader_options options = { .block_sz = 1000, .depth = 4, .limit = 5000 };
	struct source source;
	struct uringx_reader *reader;
	unsigned char buf[7000];
	const void *block;
	ssize_t ret;
	size_t i;

	assert_true(source_open(&source, SOURCE_FILE, 20000));
	for (i = 0; i < ARRAY_LEN(flags); i++) {
		options.flags = flags[i];
		assert_int_equal(lseek(source.fd, 3333, SEEK_SET), 3333);
		reader = open_reader(source.fd, &options);
		ret = uringx_reader_next(reader, &block);
		assert_in_range(ret, 1, 5000);
		assert_memory_equal(block, source.bytes + 3333, (size_t)ret);
		assert_int_equal(uringx_reader_read(reader, buf, 100), 100);
		assert_memory_equal(buf, source.bytes + 3333 + ret, 100);
		assert_int_equal(uringx_reader_close(reader), 0);
		assert_int_equal(lseek(source.fd, 0, SEEK_CUR), 3333 + ret + 100);

		assert_int_equal(lseek(source.fd, 3333, SEEK_SET), 3333);
		reader = open_reader(source.fd, &options);
		assert_int_equal(uringx_reader_read(reader, buf, sizeof(buf)), 5000);
		assert_memory_equal(buf, source.bytes + 3333, 5000);
		assert_int_equal(uringx_reader_read(reader, buf, sizeof(buf)), 0);
		assert_int_equal(uringx_reader_next(reader, &block), 0);
		assert_int_equal(uringx_reader_close(reader), 0);
		assert_int_equal(lseek(source.fd, 0, SEEK_CUR), 8333);
	}
	source_close(&source);
}

static void seek_is_lseek(void **state)
{
	struct uringx_reader_options options = { .block_sz = 512, .depth = 8 };
	struct source source;
	struct uringx_reader *reader;
	const void *block;

	assert_true(source_open(&source, SOURCE_FILE, 20000));
	reader = open_reader(source.fd, &options);
	assert_int_equal(uringx_reader_seek(reader, -1, SEEK_SET), -EINVAL);
	assert_int_equal(uringx_reader_seek(reader, -1, SEEK_CUR), -EINVAL);
	assert_int_equal(uringx_reader_seek(reader, -20001, SEEK_END), -EINVAL);
	assert_int_equal(uringx_reader_seek(reader, 0, 99), -EINVAL);
	assert_int_equal(uringx_reader_seek(reader, 1, SEEK_SET), 1);
	assert_int_equal(uringx_reader_seek(reader, INT64_MAX, SEEK_CUR), -EINVAL);
	assert_int_equal(uringx_reader_seek(reader, 1000, SEEK_CUR), 1001);
	assert_true(uringx_reader_next(reader, &block) > 0);
	assert_memory_equal(block, source.bytes + 1001, 1);
	assert_int_equal(uringx_reader_seek(reader, 1001, SEEK_SET), 1001);
	assert_true(uringx_reader_next(reader, &block) > 0);
	assert_memory_equal(block, source.bytes + 1001, 1);
	/* Into what is in flight, and far beyond it. */
	assert_int_equal(uringx_reader_seek(reader, 3000, SEEK_SET), 3000);
	assert_true(uringx_reader_next(reader, &block) > 0);
	assert_memory_equal(block, source.bytes + 3000, 1);
	assert_int_equal(uringx_reader_seek(reader, -1, SEEK_END), 19999);
	assert_int_equal(uringx_reader_next(reader, &block), 1);
	assert_memory_equal(block, source.bytes + 19999, 1);
	assert_int_equal(uringx_reader_seek(reader, 100, SEEK_END), 20100);
	assert_int_equal(uringx_reader_next(reader, &block), 0);
	assert_int_equal(uringx_reader_close(reader), 0);
	source_close(&source);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		timed_test(device_without_end_is_limited),
		timed_test(limit_leaves_the_rest_in_the_pipe),
		timed_test(file_of_5_gib),
		timed_test(offsets_beyond_4_gib),
		timed_test(starts_at_the_position_and_leaves_it_behind),
		timed_test(seek_is_lseek),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
