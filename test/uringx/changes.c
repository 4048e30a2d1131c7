/* SPDX-License-Identifier: MIT */
/*
 * Files that are truncated or grow while they are read ahead: the end is where
 * the file ends when the reader gets there.
 */
#include "test.h"

#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include <uringx/reader.h>

TEST_NEEDS_NO_RINGS;

#define BLOCK_SZ 1024
#define DEPTH 8
/* What may have been read before a change: the window, and the block that is delivered. */
#define AHEAD_SZ ((DEPTH + 1) * BLOCK_SZ)

static const unsigned ways[] = {
	0, URINGX_READER_DIRECT, URINGX_READER_ANY_THREAD, URINGX_READER_NO_RING,
	URINGX_READER_NO_RING | URINGX_READER_DIRECT,
};

static struct uringx_reader *open_reader(int fd, unsigned flags)
{
	struct uringx_reader_options options = {
		.flags = flags | URINGX_READER_START,
		.block_sz = BLOCK_SZ,
		.depth = DEPTH,
	};
	struct uringx_reader *reader;

	assert_int_equal(uringx_reader_open(&reader, fd, &options), 0);
	return reader;
}

/* Appends so many bytes of the pattern. */
static void grow(int fd, size_t sz)
{
	off_t end = lseek(fd, 0, SEEK_END);
	unsigned char *bytes = malloc(sz);

	assert_non_null(bytes);
	pattern_fill(bytes, sz, (size_t)end);
	assert_int_equal(pwrite(fd, bytes, sz, end), sz);
	free(bytes);
}

/* Takes sz bytes, or with SIZE_MAX all, and sees that they are the pattern. */
static size_t take(struct uringx_reader *reader, size_t sz)
{
	size_t pos = (size_t)uringx_reader_tell(reader), start = pos;
	const void *block;
	ssize_t ret;

	while (pos - start < sz) {
		ret = uringx_reader_next(reader, &block);
		assert_true(ret >= 0);
		if (ret == 0)
			break;
		assert_true(pattern_same(block, (size_t)ret, pos));
		pos += (size_t)ret;
	}
	return pos - start;
}

static void truncated_file_ends_early(void **state)
{
	static const size_t new_sizes[] = { 40 * BLOCK_SZ, 40 * BLOCK_SZ + 100, 5 * BLOCK_SZ, 3, 0 };
	struct uringx_reader *reader;
	size_t i, j, taken;
	int fd;

	for (i = 0; i < ARRAY_LEN(ways); i++) {
		for (j = 0; j < ARRAY_LEN(new_sizes); j++) {
			fd = temp_file(100 * BLOCK_SZ);
			reader = open_reader(fd, ways[i]);
			taken = take(reader, 3 * BLOCK_SZ);
			assert_int_equal(ftruncate(fd, (off_t)new_sizes[j]), 0);
			taken += take(reader, SIZE_MAX);
			if (new_sizes[j] >= AHEAD_SZ + 3 * BLOCK_SZ)
				assert_int_equal(taken, new_sizes[j]);
			else
				assert_in_range(taken, new_sizes[j], AHEAD_SZ + 3 * BLOCK_SZ);
			assert_int_equal(take(reader, SIZE_MAX), 0);
			/* And where it is long again, it goes on from there. */
			grow(fd, 200 * BLOCK_SZ - new_sizes[j]);
			assert_int_equal(take(reader, SIZE_MAX), 200 * BLOCK_SZ - taken);
			assert_int_equal(uringx_reader_close(reader), 0);
			close(fd);
		}
	}
}

/* An end that was read ahead is none any more when the reader gets there. */
static void growth_before_the_end_is_seen(void **state)
{
	static const size_t sizes[] = { 1, 100, BLOCK_SZ, 4 * BLOCK_SZ, 6 * BLOCK_SZ + 100 };
	static const size_t growths[] = { 1, 411, 5 * BLOCK_SZ, 40 * BLOCK_SZ + 7 };
	struct uringx_reader *reader;
	size_t i, j, k;
	int fd;

	for (i = 0; i < ARRAY_LEN(ways); i++) {
		for (j = 0; j < ARRAY_LEN(sizes); j++) {
			for (k = 0; k < ARRAY_LEN(growths); k++) {
				fd = temp_file(sizes[j]);
				reader = open_reader(fd, ways[i]);
				assert_true(take(reader, 1) > 0);
				grow(fd, growths[k]);
				take(reader, SIZE_MAX);
				assert_int_equal(uringx_reader_tell(reader), sizes[j] + growths[k]);
				assert_int_equal(uringx_reader_close(reader), 0);
				close(fd);
			}
		}
	}
}

/* As tail -f does it. */
static void follows_a_file_that_grows(void **state)
{
	static const size_t growths[] = { 1, 100, 411, 512, 1, 5000, BLOCK_SZ, 30 * BLOCK_SZ + 5, 3 };
	struct uringx_reader *reader;
	size_t i, j;
	int fd;

	for (i = 0; i < ARRAY_LEN(ways); i++) {
		fd = temp_file(0);
		reader = open_reader(fd, ways[i]);
		assert_int_equal(take(reader, SIZE_MAX), 0);
		for (j = 0; j < ARRAY_LEN(growths); j++) {
			grow(fd, growths[j]);
			assert_int_equal(take(reader, SIZE_MAX), growths[j]);
			assert_int_equal(take(reader, SIZE_MAX), 0);
		}
		assert_int_equal(uringx_reader_close(reader), 0);
		close(fd);
	}
}

/* It grows by less than a block each time that a byte is read. */
static void grows_as_fast_as_it_is_read(void **state)
{
	struct uringx_reader *reader;
	unsigned char buf[300];
	size_t i, pos;
	ssize_t ret;
	int fd, j;

	for (i = 0; i < ARRAY_LEN(ways); i++) {
		fd = temp_file(1);
		reader = open_reader(fd, ways[i]);
		pos = 0;
		for (j = 0; j < 200; j++) {
			ret = uringx_reader_read(reader, buf, sizeof(buf));
			assert_in_range(ret, 1, sizeof(buf));
			assert_true(pattern_same(buf, (size_t)ret, pos));
			pos += (size_t)ret;
			grow(fd, (size_t)j % 7 * 100 + 1);
		}
		take(reader, SIZE_MAX);
		assert_int_equal(uringx_reader_tell(reader), lseek(fd, 0, SEEK_END));
		assert_int_equal(uringx_reader_close(reader), 0);
		close(fd);
	}
}

/* What the reader learns of the size on the way leaves no gap in what it reads ahead. */
static void looks_at_the_end_of_a_growing_file(void **state)
{
	const size_t start_sz = 3 * BLOCK_SZ + 10;
	struct uringx_reader *reader;
	unsigned char buf[100];
	size_t i;
	int fd;

	for (i = 0; i < ARRAY_LEN(ways); i++) {
		fd = temp_file(start_sz);
		reader = open_reader(fd, ways[i]);
		assert_int_equal(take(reader, SIZE_MAX), start_sz);
		grow(fd, 400);
		assert_int_equal(uringx_reader_read(reader, buf, sizeof(buf)), sizeof(buf));
		grow(fd, 20 * BLOCK_SZ);
		assert_int_equal(uringx_reader_seek(reader, -300 - 20 * BLOCK_SZ, SEEK_END),
				 start_sz + 100);
		assert_int_equal(take(reader, SIZE_MAX), 300 + 20 * BLOCK_SZ);
		assert_int_equal(uringx_reader_close(reader), 0);
		close(fd);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		timed_test(truncated_file_ends_early),
		timed_test(growth_before_the_end_is_seen),
		timed_test(follows_a_file_that_grows),
		timed_test(grows_as_fast_as_it_is_read),
		timed_test(looks_at_the_end_of_a_growing_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
