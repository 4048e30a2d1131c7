/* SPDX-License-Identifier: MIT */
/*
 * The reader over a ring whose enters fail at any time, also while requests are in
 * flight and complete all the same: no byte is lost or comes twice, whatever is
 * called next.
 */
#include "test.h"

#include "process.h"

#include "fake/reader.c"

#define NR_SEEDS 1500

static void ignore_cqe(struct io_uring_cqe *cqe, void *arg)
{
}

/* From here on enters work again: what was told was told. */
static void check_error(int ret)
{
	if (ret != fake.script.enter_error)
		print_error("error %d, where enters fail with %d\n", ret, fake.script.enter_error);
	assert_int_equal(ret, fake.script.enter_error);
	fake.script.enter_error = 0;
}

static void read_some(struct uringx_reader *reader)
{
	static unsigned char buf[FILE_SZ];
	size_t pos = (size_t)uringx_reader_tell(reader);
	const void *block = buf;
	ssize_t ret;

	if (fake_random(2)) {
		ret = uringx_reader_next(reader, &block);
	} else {
		ret = uringx_reader_read(reader, buf, 1 + fake_random(12000));
		if (ret < 0)
			ret = -errno;
	}
	if (ret < 0) {
		check_error((int)ret);
	} else if (pos >= FILE_SZ) {
		assert_int_equal(ret, 0);
	} else {
		assert_in_range(ret, 1, FILE_SZ - pos);
		assert_memory_equal(block, content + pos, (size_t)ret);
	}
}

static void seek_somewhere(struct uringx_reader *reader)
{
	int64_t target = fake_random(FILE_SZ);
	int64_t pos = uringx_reader_tell(reader);
	int64_t ret = uringx_reader_seek(reader, target, SEEK_SET);

	if (ret < 0) {
		check_error((int)ret);
		assert_int_equal(uringx_reader_tell(reader), pos);
		ret = uringx_reader_seek(reader, target, SEEK_SET);
	}
	assert_int_equal(ret, target);
}

static void no_byte_is_lost(void **state)
{
	static const int errors[] = { -EPERM, -ENXIO, -EBADF };
	static const unsigned flags[] = { 0, URINGX_READER_ANY_THREAD };
	struct uringx_reader_options options = { 0 };
	struct uringx_reader *reader;
	struct io_uring ring;
	unsigned seed, nr;
	int ret;

	for (seed = 1; seed <= NR_SEEDS; seed++) {
		struct fake_script script = {
			.seed = seed,
			.short_chance = seed % 3 * 40,
			.retry_chance = seed % 5 * 20,
			.enter_chance = seed % 4 == 0 ? 20 : 0,
			.early_chance = seed % 2 * 40,
			.late_chance = seed % 3 * 100,
			.enter_error = errors[seed % 3],
			.nr_good_enters = seed % 17,
		};

		fake_start(&script);
		options.block_sz = 500 + fake_random(4000);
		options.depth = 1 + fake_random(20);
		options.flags = URINGX_READER_START | flags[fake_random(2)];
		options.ring = NULL;
		if (seed % 5 == 0) {
			fake_queue_init(options.depth, &ring, 0);
			options.ring = &ring;
			options.on_cqe = ignore_cqe;
			options.flags = URINGX_READER_START;
		}
		assert_int_equal(uringx_reader_open(&reader, file, &options), 0);
		for (nr = 2 + fake_random(30); nr > 0; nr--) {
			if (fake_random(6))
				read_some(reader);
			else
				seek_somewhere(reader);
		}
		ret = uringx_reader_close(reader);
		if (ret < 0) {
			check_error(ret);
			assert_int_equal(uringx_reader_close(reader), 0);
		}
		assert_int_equal(fake.nr_flight, 0);
		if (options.ring)
			fake_queue_exit(&ring);
		assert_int_equal(fake.nr_rings, 0);
	}
}

/* The kernel does not let this thread enable the ring: it is done without. */
static void a_ring_that_is_not_enabled(void **state)
{
	const struct uringx_reader_options options = { .block_sz = 1000, .flags = URINGX_READER_START };
	const struct fake_script script = { .seed = 1, .enable_error = -EPERM };
	struct uringx_reader_info info;
	struct uringx_reader *reader;
	const void *block;

	fake_start(&script);
	assert_int_equal(uringx_reader_open(&reader, file, &options), 0);
	assert_int_equal(uringx_reader_next(reader, &block), 1000);
	assert_memory_equal(block, content, 1000);
	uringx_reader_get_info(reader, &info);
	assert_int_equal(info.method, URINGX_BY_PREAD);
	assert_int_equal(info.refusal, -EPERM);
	assert_int_equal(fake.nr_rings, 0);
	assert_int_equal(uringx_reader_close(reader), 0);
}

struct elsewhere {
	struct uringx_reader *reader;
	ssize_t next;
	int64_t seek;
	int close;
};

static void *use_elsewhere(void *arg)
{
	struct elsewhere *e = arg;
	const void *block;

	e->seek = uringx_reader_seek(e->reader, FILE_SZ - 1, SEEK_SET);
	e->close = uringx_reader_close(e->reader);
	e->next = uringx_reader_next(e->reader, &block);
	while (e->next > 0)
		e->next = uringx_reader_next(e->reader, &block);
	return NULL;
}

/* A second thread is told, and the first goes on. */
static void another_thread_is_told(void **state)
{
	const struct uringx_reader_options options = {
		.block_sz = 1000, .depth = 8, .flags = URINGX_READER_START
	};
	const struct fake_script script = { .seed = 1 };
	struct elsewhere e;
	const void *block;
	pthread_t thread;
	int64_t pos;

	fake_start(&script);
	assert_int_equal(uringx_reader_open(&e.reader, file, &options), 0);
	assert_int_equal(uringx_reader_next(e.reader, &block), 1000);
	assert_int_equal(pthread_create(&thread, NULL, use_elsewhere, &e), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(e.seek, -EEXIST);
	assert_int_equal(e.close, -EEXIST);
	assert_int_equal(e.next, -EEXIST);
	pos = uringx_reader_tell(e.reader);
	assert_true(uringx_reader_next(e.reader, &block) > 0);
	assert_memory_equal(block, content + pos, 100);
	assert_int_equal(uringx_reader_close(e.reader), 0);
}

/* On a stream a wait may end, or find nothing; other errors are the end of it. */
static void errors_of_a_stream(void **state)
{
	static const int errors[] = { EAGAIN, EINTR, EIO };
	struct uringx_reader_options options = { .on_cqe = ignore_cqe };
	struct uringx_reader *reader;
	const void *block;
	struct io_uring ring;
	int fds[2];
	unsigned i;

	for (i = 0; i < ARRAY_LEN(errors); i++) {
		const struct fake_script script = { .seed = i, .always = (unsigned)errors[i] };

		fake_start(&script);
		fake_queue_init(4, &ring, 0);
		options.ring = &ring;
		assert_int_equal(pipe(fds), 0);
		assert_int_equal(write(fds[1], content, 100), 100);
		close(fds[1]);
		assert_int_equal(uringx_reader_open(&reader, fds[0], &options), 0);
		assert_int_equal(uringx_reader_next(reader, &block), -errors[i]);
		assert_null(block);
		fake.script.always = 0;
		if (errors[i] != EIO) {
			assert_int_equal(uringx_reader_next(reader, &block), 100);
			assert_memory_equal(block, content, 100);
		}
		assert_int_equal(uringx_reader_next(reader, &block), 0);
		assert_int_equal(uringx_reader_close(reader), 0);
		close(fds[0]);
		fake_queue_exit(&ring);
	}
}

/* Reads to the end, past errors of enters, and returns what came first in its place. */
static ssize_t read_to_the_end(struct uringx_reader *reader)
{
	const void *block;
	ssize_t ret, first = 0;
	unsigned nr;

	for (nr = 0; nr < 200; nr++) {
		ret = uringx_reader_next(reader, &block);
		if (ret == 0)
			return first;
		if (ret < 0) {
			fake.script.enter_error = 0;
			first = first ? first : ret;
		}
	}
	fail_msg("it never ends");
	return 0;
}

/* An error, or an end that came early, is told when all in flight has been waited for. */
static void enters_fail_at_the_end(void **state)
{
	struct uringx_reader_options options = { .block_sz = 1000, .flags = URINGX_READER_START };
	struct uringx_reader *reader;
	unsigned seed, nr_errors[2] = { 0, 0 };
	const void *block;
	int shrinking;

	for (seed = 1; seed <= NR_SEEDS; seed++) {
		struct fake_script script = {
			.seed = seed,
			.enter_error = -ENXIO,
			.nr_good_enters = 1 + seed % 9,
			.bad_request = seed % 2 ? 1 + seed % 23 : 0,
		};

		fake_start(&script);
		shrinking = temp_file(FILE_SZ);
		options.depth = 2 + seed % 16;
		assert_int_equal(uringx_reader_open(&reader, shrinking, &options), 0);
		if (uringx_reader_next(reader, &block) > 0 && seed % 2 == 0)
			assert_int_equal(ftruncate(shrinking, 1000 + fake_random(9000)), 0);
		nr_errors[seed % 2] += read_to_the_end(reader) != 0;
		assert_int_equal(uringx_reader_close(reader), 0);
		assert_int_equal(fake.nr_rings, 0);
		close(shrinking);
	}
	assert_true(nr_errors[0] > 10 && nr_errors[1] > 10);
}

/* The SQ has no room for the cancels, and enters are interrupted. */
static void closing_with_a_full_queue(void **state)
{
	struct uringx_reader_options options = { .block_sz = 1000, .flags = URINGX_READER_START };
	struct uringx_reader *reader;
	const void *block;
	unsigned seed;

	for (seed = 1; seed <= NR_SEEDS; seed++) {
		struct fake_script script = { .seed = seed, .enter_chance = 40 + seed % 3 * 60 };

		fake_start(&script);
		options.depth = 2 + seed % 6;
		assert_int_equal(uringx_reader_open(&reader, file, &options), 0);
		assert_int_equal(uringx_reader_next(reader, &block), 1000);
		assert_int_equal(uringx_reader_close(reader), 0);
		assert_int_equal(fake.nr_flight, 0);
		assert_int_equal(fake.nr_rings, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		timed_test(no_byte_is_lost),
		timed_test(a_ring_that_is_not_enabled),
		timed_test(another_thread_is_told),
		timed_test(errors_of_a_stream),
		timed_test(enters_fail_at_the_end),
		timed_test(closing_with_a_full_queue),
	};

	return cmocka_run_group_tests(tests, make_file, NULL);
}
