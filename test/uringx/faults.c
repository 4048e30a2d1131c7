/* SPDX-License-Identifier: MIT */
/*
 * The reader over a ring that is no kernel's: short reads, EINTR, EAGAIN and EIO
 * at any request in any order, enters that fail or take a part, refusals.
 */
#include "test.h"

#include "process.h"

#include "fake/reader.c"

#define NR_SEEDS 400

static void random_options(struct uringx_reader_options *options)
{
	static const unsigned blocks[] = { 1000, 512, 4096, 777, 30011, 8192 };
	static const unsigned flags[] = { 0, URINGX_READER_FIXED, URINGX_READER_ANY_THREAD };

	memset(options, 0, sizeof(*options));
	options->block_sz = blocks[fake_random(ARRAY_LEN(blocks))];
	options->depth = 1 + fake_random(20);
	options->flags = URINGX_READER_START | flags[fake_random(ARRAY_LEN(flags))];
	options->start = fake_random(4) ? 0 : fake_random(FILE_SZ);
}

/*
 * Takes all bytes, by next or by read or by both, sees that they are the file's,
 * and returns what came instead of more. Stores how many there were.
 */
static ssize_t drain_reader(struct uringx_reader *reader, size_t start, size_t *sz)
{
	unsigned char buf[5000];
	const void *block;
	ssize_t ret;
	size_t pos = start;

	for (;;) {
		if (fake_random(2)) {
			ret = uringx_reader_next(reader, &block);
		} else {
			errno = 0;
			ret = uringx_reader_read(reader, buf, 1 + fake_random(sizeof(buf)));
			block = buf;
			if (ret < 0)
				ret = -errno;
		}
		if (ret <= 0)
			break;
		assert_in_range(ret, 1, FILE_SZ - pos);
		assert_memory_equal(block, content + pos, (size_t)ret);
		pos += (size_t)ret;
		assert_int_equal(uringx_reader_tell(reader), pos);
	}
	*sz = pos - start;
	return ret;
}

static void close_reader(struct uringx_reader *reader)
{
	assert_int_equal(uringx_reader_close(reader), 0);
	assert_int_equal(fake.nr_rings, 0);
	assert_int_equal(fake.nr_flight, 0);
}

static void any_order_gives_the_file(void **state)
{
	struct uringx_reader_options options;
	struct uringx_reader *reader;
	unsigned seed;
	size_t sz;

	for (seed = 1; seed <= NR_SEEDS; seed++) {
		struct fake_script script = {
			.seed = seed,
			.short_chance = seed % 3 * 60,
			.retry_chance = seed % 5 * 20,
			.enter_chance = seed % 7 == 0 ? 8 : 0,
			.early_chance = seed % 4 * 80,
			.no_registration = seed % 11 == 0,
		};

		fake_start(&script);
		random_options(&options);
		assert_int_equal(uringx_reader_open(&reader, file, &options), 0);
		assert_int_equal(drain_reader(reader, options.start, &sz), 0);
		assert_int_equal(sz, FILE_SZ - options.start);
		/* The end is the end, however often one asks. */
		assert_int_equal(drain_reader(reader, FILE_SZ, &sz), 0);
		assert_int_equal(sz, 0);
		close_reader(reader);
	}
}

/* Only the rest of the block that came short is read again. */
static void short_read_costs_one_more(void **state)
{
	struct uringx_reader_options options = { .block_sz = 1000, .depth = 8 };
	struct uringx_reader_info info;
	struct uringx_reader *reader;
	const void *block;
	unsigned i;

	options.flags = URINGX_READER_START;
	for (i = 0; i <= 31; i++) {
		struct fake_script script = { .seed = i, .short_request = i };

		fake_start(&script);
		assert_int_equal(uringx_reader_open(&reader, file, &options), 0);
		while (uringx_reader_next(reader, &block) > 0)
			;
		assert_int_equal(uringx_reader_tell(reader), FILE_SZ);
		uringx_reader_get_info(reader, &info);
		/* 31 blocks and the end */
		assert_int_equal(info.nr_reads, 32 + (i > 0));
		assert_int_equal(info.nr_reads, fake.nr_reads);
		close_reader(reader);
	}
}

static void error_comes_in_order_and_once(void **state)
{
	struct uringx_reader_options options;
	struct uringx_reader *reader;
	unsigned seed;
	size_t sz;

	for (seed = 1; seed <= NR_SEEDS; seed++) {
		struct fake_script script = {
			.seed = seed,
			.short_chance = seed % 3 * 60,
			.retry_chance = seed % 5 * 20,
			.early_chance = seed % 4 * 80,
			.bad_from = 1 + seed * 7919 % FILE_SZ,
			.setup_error = seed % 10 == 0 ? -ENOSYS : 0,
		};

		fake_start(&script);
		random_options(&options);
		options.start = options.start % script.bad_from;
		assert_int_equal(uringx_reader_open(&reader, file, &options), 0);
		assert_int_equal(drain_reader(reader, options.start, &sz), -EIO);
		assert_int_equal(sz, script.bad_from - options.start);
		assert_int_equal(drain_reader(reader, options.start, &sz), 0);
		assert_int_equal(sz, 0);
		assert_int_equal(fake.nr_flight, 0);
		/* After a seek it goes on: the disk may have come back. */
		fake.script.bad_from = UINT64_MAX;
		assert_int_equal(uringx_reader_seek(reader, 0, SEEK_SET), 0);
		assert_int_equal(drain_reader(reader, 0, &sz), 0);
		assert_int_equal(sz, FILE_SZ);
		close_reader(reader);
	}
}

static void error_at_any_request(void **state)
{
	struct uringx_reader_options options;
	struct uringx_reader *reader;
	unsigned seed, nr_errors = 0;
	ssize_t ret;
	size_t sz;

	for (seed = 1; seed <= NR_SEEDS; seed++) {
		struct fake_script script = {
			.seed = seed,
			.short_chance = seed % 2 * 60,
			.early_chance = seed % 4 * 80,
			.bad_request = 1 + seed % 40,
		};

		fake_start(&script);
		random_options(&options);
		assert_int_equal(uringx_reader_open(&reader, file, &options), 0);
		ret = drain_reader(reader, options.start, &sz);
		if (ret != 0) {
			assert_int_equal(ret, -EIO);
			nr_errors++;
			assert_int_equal(drain_reader(reader, options.start + sz, &sz), 0);
			assert_int_equal(sz, 0);
		} else {
			assert_int_equal(sz, FILE_SZ - options.start);
		}
		close_reader(reader);
	}
	assert_true(nr_errors > NR_SEEDS / 4);
}

/* What never passes is an error in the end, and never a loop without one. */
static void what_does_not_pass_is_an_error(void **state)
{
	static const int errors[] = { EINTR, EAGAIN, EIO, EINVAL, ECANCELED };
	struct uringx_reader_options options = { .block_sz = 1000, .depth = 4 };
	struct uringx_reader *reader;
	const void *block;
	unsigned i, with_ring;

	for (i = 0; i < 2 * ARRAY_LEN(errors); i++) {
		struct fake_script script = { .seed = i, .always = (unsigned)errors[i / 2] };

		with_ring = i % 2;
		if (errors[i / 2] == ECANCELED && !with_ring)
			continue;
		fake_start(&script);
		options.flags = URINGX_READER_START | (with_ring ? 0 : URINGX_READER_NO_RING);
		assert_int_equal(uringx_reader_open(&reader, file, &options), 0);
		assert_int_equal(uringx_reader_next(reader, &block), -errors[i / 2]);
		assert_null(block);
		assert_int_equal(uringx_reader_next(reader, &block), 0);
		assert_null(block);
		close_reader(reader);
	}
}

static void enter_that_stays_busy_is_an_error(void **state)
{
	struct uringx_reader_options options = { .block_sz = 1000, .depth = 4 };
	struct fake_script script = { .seed = 1, .enter_error = -EBUSY, .nr_good_enters = 1 };
	struct uringx_reader *reader;
	size_t sz;

	options.flags = URINGX_READER_START;
	fake_start(&script);
	assert_int_equal(uringx_reader_open(&reader, file, &options), 0);
	fake_random(2);
	assert_int_equal(drain_reader(reader, 0, &sz), -EBUSY);
	/* Nothing is lost: it goes on as soon as the kernel does. */
	fake.script.enter_error = 0;
	assert_int_equal(drain_reader(reader, sz, &sz), 0);
	close_reader(reader);
}

static void refused_ring_gives_the_same(void **state)
{
	static const struct {
		int setup_error;
		unsigned features;
		int enter_error;
		int refusal;
	} cases[] = {
		{ .setup_error = -ENOSYS, .refusal = -ENOSYS },
		{ .setup_error = -EPERM, .refusal = -EPERM },
		{ .setup_error = -ENOMEM, .refusal = -ENOMEM },
		{ .setup_error = -EINVAL, .refusal = -EINVAL },
		{ .features = IORING_FEAT_NODROP, .refusal = -EOPNOTSUPP },
		{ .enter_error = -EPERM, .refusal = -EPERM },
		{ .enter_error = -ENOSYS, .refusal = -ENOSYS },
	};
	struct uringx_reader_options options = { .block_sz = 1000, .depth = 4 };
	struct uringx_reader_info info;
	struct uringx_reader *reader;
	unsigned i;
	size_t sz;

	options.flags = URINGX_READER_START;
	for (i = 0; i < ARRAY_LEN(cases); i++) {
		struct fake_script script = {
			.seed = i,
			.setup_error = cases[i].setup_error,
			.features = cases[i].features,
			.enter_error = cases[i].enter_error,
		};

		fake_start(&script);
		assert_int_equal(uringx_reader_open(&reader, file, &options), 0);
		uringx_reader_get_info(reader, &info);
		if (!cases[i].enter_error)
			assert_int_equal(info.refusal, cases[i].refusal);
		assert_int_equal(drain_reader(reader, 0, &sz), 0);
		assert_int_equal(sz, FILE_SZ);
		uringx_reader_get_info(reader, &info);
		assert_int_equal(info.method, URINGX_BY_PREAD);
		assert_int_equal(info.refusal, cases[i].refusal);
		close_reader(reader);
	}
}

/* At any moment: what is in flight is waited for, by the fake's own checks. */
static void close_and_seek_in_the_middle(void **state)
{
	struct uringx_reader_options options;
	struct uringx_reader *reader;
	const void *block;
	unsigned seed, nr;
	size_t target;
	ssize_t ret;

	for (seed = 1; seed <= NR_SEEDS; seed++) {
		struct fake_script script = {
			.seed = seed,
			.short_chance = seed % 3 * 60,
			.retry_chance = seed % 5 * 20,
			.enter_chance = seed % 7 == 0 ? 8 : 0,
			.early_chance = seed % 2 * 40,
		};

		fake_start(&script);
		random_options(&options);
		assert_int_equal(uringx_reader_open(&reader, file, &options), 0);
		for (nr = fake_random(12); nr > 0; nr--) {
			if (fake_random(2)) {
				target = fake_random(FILE_SZ + 100);
				assert_int_equal(uringx_reader_seek(reader, (int64_t)target,
								    SEEK_SET), target);
			}
			target = (size_t)uringx_reader_tell(reader);
			ret = uringx_reader_next(reader, &block);
			if (target >= FILE_SZ) {
				assert_int_equal(ret, 0);
				continue;
			}
			assert_in_range(ret, 1, FILE_SZ - target);
			assert_memory_equal(block, content + target, (size_t)ret);
		}
		close_reader(reader);
	}
}

/* A descriptor of its own for direct I/O, and a file that refuses it when read. */
static void direct_that_is_refused_late(void **state)
{
	struct uringx_reader_options options = { .block_sz = 4096, .depth = 4 };
	struct uringx_reader_info info;
	struct uringx_reader *reader;
	size_t sz;
	unsigned with_ring;

	for (with_ring = 0; with_ring < 2; with_ring++) {
		struct fake_script script = { .seed = with_ring, .plain_fd = file };

		fake_start(&script);
		options.flags = URINGX_READER_START | URINGX_READER_DIRECT |
				(with_ring ? 0 : URINGX_READER_NO_RING);
		assert_int_equal(uringx_reader_open(&reader, file, &options), 0);
		uringx_reader_get_info(reader, &info);
		if (!info.direct_align) {
			assert_int_equal(uringx_reader_close(reader), 0);
			skip_because("no direct I/O on the file system of /var/tmp");
		}
		fake.script.refuses_direct = true;
		assert_int_equal(drain_reader(reader, 0, &sz), 0);
		assert_int_equal(sz, FILE_SZ);
		close_reader(reader);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		timed_test(any_order_gives_the_file),
		timed_test(short_read_costs_one_more),
		timed_test(error_comes_in_order_and_once),
		timed_test(error_at_any_request),
		timed_test(what_does_not_pass_is_an_error),
		timed_test(enter_that_stays_busy_is_an_error),
		timed_test(refused_ring_gives_the_same),
		timed_test(close_and_seek_in_the_middle),
		timed_test(direct_that_is_refused_late),
	};

	return cmocka_run_group_tests(tests, make_file, NULL);
}
