/* SPDX-License-Identifier: MIT */
/*
 * The reader gives what read(2) gives, byte for byte and return by return at the
 * end: descriptors of every kind, sizes around the block's, depths and flags.
 */
#include "test.h"

#include "ring.h"
#include "source.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <uringx/reader.h>

/* A way to use a reader. */
struct way {
	const char *name;
	unsigned flags;
	bool callers_ring;
	unsigned read_sz;	/* bytes of a uringx_reader_read; 0: uringx_reader_next */
};

static const struct way ways[] = {
	{ "next", 0, false, 0 },
	{ "read", 0, false, 1 },
	{ "read", 0, false, 5000 },
	{ "next, direct", URINGX_READER_DIRECT, false, 0 },
	{ "read, direct", URINGX_READER_DIRECT, false, 3001 },
	{ "next, fixed", URINGX_READER_FIXED, false, 0 },
	{ "next, direct, fixed", URINGX_READER_DIRECT | URINGX_READER_FIXED, false, 0 },
	{ "next, any thread", URINGX_READER_ANY_THREAD, false, 0 },
	{ "next, no ring", URINGX_READER_NO_RING, false, 0 },
	{ "read, no ring", URINGX_READER_NO_RING, false, 777 },
	{ "next, no ring, direct", URINGX_READER_NO_RING | URINGX_READER_DIRECT, false, 0 },
	{ "next, caller's ring", 0, true, 0 },
	{ "read, caller's ring", 0, true, 900 },
	{ "next, caller's ring, direct", URINGX_READER_DIRECT, true, 0 },
	{ "next, caller's ring, no wait", URINGX_READER_NOWAIT, true, 0 },
};

static struct io_uring callers_ring;

static int open_ring(void **state)
{
	return io_uring_queue_init(4, &callers_ring, 0);
}

static int close_ring(void **state)
{
	io_uring_queue_exit(&callers_ring);
	return 0;
}

static void no_cqe_of_ours(struct io_uring_cqe *cqe, void *arg)
{
	fail_msg("a CQE that is nobody's: user_data %llx", (unsigned long long)cqe->user_data);
}

static void wait_for_turn(struct uringx_reader *reader)
{
	struct io_uring_cqe *cqe;

	assert_int_equal(io_uring_wait_cqe(&callers_ring, &cqe), 0);
	assert_true(uringx_reader_take(reader, cqe));
	io_uring_cqe_seen(&callers_ring, cqe);
}

static ssize_t next_bytes(struct uringx_reader *reader, const struct way *way, const void **block)
{
	static unsigned char buf[5000];
	ssize_t ret;

	if (way->read_sz) {
		*block = buf;
		ret = uringx_reader_read(reader, buf, way->read_sz);
		return ret < 0 ? -errno : ret;
	}
	for (;;) {
		ret = uringx_reader_next(reader, block);
		if (ret != -EAGAIN || !(way->flags & URINGX_READER_NOWAIT))
			return ret;
		wait_for_turn(reader);
	}
}

static void read_all(struct source *source, const struct way *way, unsigned block_sz,
		     unsigned depth)
{
	struct uringx_reader_options options = {
		.flags = way->flags,
		.block_sz = block_sz,
		.depth = depth,
	};
	struct uringx_reader_info info;
	struct uringx_reader *reader;
	const void *block;
	size_t pos = 0;
	ssize_t ret = 0;

	if (way->callers_ring) {
		options.ring = &callers_ring;
		options.on_cqe = no_cqe_of_ours;
	}
	assert_int_equal(uringx_reader_open(&reader, source->fd, &options), 0);
	while (pos < source->sz || source_ends(source->kind)) {
		ret = next_bytes(reader, way, &block);
		if (ret <= 0)
			break;
		assert_in_range(ret, 1, source->sz - pos);
		assert_memory_equal(block, source->bytes + pos, (size_t)ret);
		pos += (size_t)ret;
	}
	if (ret < 0 || pos != source->sz)
		fail_msg("%s, block %u, depth %u: %zu of %zu bytes, then %zd", way->name, block_sz,
			 depth, pos, source->sz, ret);
	assert_int_equal(uringx_reader_tell(reader), source->sz);
	if (source_ends(source->kind))
		assert_int_equal(next_bytes(reader, way, &block), 0);
	uringx_reader_get_info(reader, &info);
	if (!way->callers_ring)
		assert_true(info.memory_sz <= (size_t)info.depth * (info.block_sz + 4096) + 65536);
	assert_int_equal(uringx_reader_close(reader), 0);
	/* As read(2) would have left it. */
	if (source_has_offsets(source->kind))
		assert_int_equal(lseek(source->fd, 0, SEEK_CUR), source->sz);
}

/* What read(2) gives is what the tables of bytes say. */
static void check_source(struct source *source)
{
	unsigned char buf[4096];
	size_t pos = 0;
	ssize_t ret = 0;

	while (pos < source->sz || source_ends(source->kind)) {
		ret = read(source->fd, buf, sizeof(buf));
		if (ret <= 0)
			break;
		assert_in_range(ret, 1, source->sz - pos);
		assert_memory_equal(buf, source->bytes + pos, (size_t)ret);
		pos += (size_t)ret;
	}
	assert_true(ret >= 0);
	assert_int_equal(pos, source->sz);
}

/* Files are read in every way one after the other, streams are made anew. */
static bool try_size(enum source_kind kind, size_t sz, unsigned block_sz)
{
	static const unsigned depths[] = { 16, 1, 3 };
	bool has_offsets = source_has_offsets(kind);
	struct source source;
	size_t i, j;

	if (!source_open(&source, kind, sz))
		return false;
	check_source(&source);
	for (i = 0; i < ARRAY_LEN(ways); i++) {
		/* Streams have one read at a time, whatever the depth; files a deep and a shallow run. */
		for (j = 0; j < (has_offsets ? 2 : 1); j++) {
			if (has_offsets) {
				source_rewind(&source);
			} else {
				source_close(&source);
				if (!source_open(&source, kind, sz))
					return false;
			}
			read_all(&source, &ways[i], block_sz, depths[j ? 1 + (i + sz) % 2 : 0]);
		}
	}
	source_close(&source);
	return true;
}

static void gives_what_read_gives(void **state)
{
	static const unsigned blocks[] = { 1000, 4096, 65536 };
	enum source_kind kind = *(const enum source_kind *)*state;
	size_t i, j;

	for (i = 0; i < ARRAY_LEN(blocks); i++) {
		const size_t block_sz = blocks[i];
		const size_t sizes[] = {
			0, 1, block_sz - 1, block_sz, block_sz + 1, 3 * block_sz + block_sz / 3,
			blocks[i] < 65536 ? 70 * block_sz + 11 : 5 * block_sz + 7,
		};

		for (j = 0; j < ARRAY_LEN(sizes); j++) {
			if (!try_size(kind, sizes[j], blocks[i]))
				skip_because("no %s can be had here", source_name(kind));
		}
	}
}

static enum source_kind kinds[NR_SOURCE_KINDS];

#define KIND(name, number)                                                                    \
	{                                                                                     \
		name, gives_what_read_gives, time_limit_start, time_limit_stop, &kinds[number] \
	}

/* With an argument, only the kind of that name. */
int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		KIND("file", SOURCE_FILE),	   KIND("memory", SOURCE_MEMORY),
		KIND("sparse", SOURCE_SPARSE),	   KIND("pipe", SOURCE_PIPE),
		KIND("socket", SOURCE_SOCKET),	   KIND("terminal", SOURCE_TERMINAL),
		KIND("block_device", SOURCE_BLOCK),
	};
	int i;

	for (i = 0; i < NR_SOURCE_KINDS; i++)
		kinds[i] = (enum source_kind)i;
	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	return cmocka_run_group_tests(tests, open_ring, close_ring);
}
