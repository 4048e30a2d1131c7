/* SPDX-License-Identifier: MIT */
/*
 * A reader on a ring that its caller uses as well: requests of both, several readers,
 * and what is in flight at the close.
 */
#include "test.h"

#include "ring.h"
#include "source.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include <uringx/reader.h>

#define FILE_SZ 300000

/* Below and above every address that the reader's own requests can have. */
static const __u64 own_tags[] = { 77, ~(__u64)77 };
static unsigned nr_own_requests, nr_own_cqes;

static void count_own_cqe(struct io_uring_cqe *cqe, void *arg)
{
	assert_true(cqe->user_data == own_tags[0] || cqe->user_data == own_tags[1]);
	assert_ptr_equal(arg, &nr_own_cqes);
	nr_own_cqes++;
}

static struct uringx_reader *open_on_ring(struct io_uring *ring, int fd, unsigned flags)
{
	struct uringx_reader_options options = {
		.flags = flags,
		.block_sz = 4096,
		.depth = 6,
		.ring = ring,
		.on_cqe = count_own_cqe,
		.arg = &nr_own_cqes,
	};
	struct uringx_reader *reader;

	assert_int_equal(uringx_reader_open(&reader, fd, &options), 0);
	return reader;
}

static void queue_own_request(struct io_uring *ring)
{
	struct io_uring_sqe *sqe = next_sqe(ring);

	io_uring_prep_nop(sqe);
	io_uring_sqe_set_data64(sqe, own_tags[nr_own_requests++ % 2]);
}

/* A whole file with requests of the caller's in between, each seen just once. */
static void callers_requests_are_handed_on(struct io_uring *ring)
{
	struct source source;
	struct uringx_reader *reader;
	const void *block;
	unsigned nr_queued = 0;
	size_t pos = 0;
	ssize_t ret;

	nr_own_cqes = 0;
	assert_true(source_open(&source, SOURCE_FILE, FILE_SZ));
	reader = open_on_ring(ring, source.fd, 0);
	do {
		queue_own_request(ring);
		nr_queued++;
		ret = uringx_reader_next(reader, &block);
		assert_true(ret >= 0);
		assert_memory_equal(block, source.bytes + pos, (size_t)ret);
		pos += (size_t)ret;
	} while (ret > 0);
	assert_int_equal(pos, FILE_SZ);
	assert_int_equal(uringx_reader_close(reader), 0);
	submit_ok(ring, 1 * (io_uring_sq_ready(ring) > 0));
	while (nr_own_cqes < nr_queued) {
		assert_int_equal(wait_one(ring, NULL), 0);
		nr_own_cqes++;
	}
	no_cqe(ring);
	source_close(&source);
}

/*
 * The read of a pipe on which nothing comes is cancelled: bytes that come after the
 * close stay in the pipe, so that none is written to memory that was the reader's.
 */
static void close_cancels_on_a_silent_pipe(struct io_uring *ring)
{
	struct uringx_reader *reader;
	struct uringx_reader_info info;
	const void *block;
	char buf[8];
	int fds[2];

	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	reader = open_on_ring(ring, fds[0], URINGX_READER_NOWAIT);
	assert_int_equal(write(fds[1], "abcd", 4), 4);
	while (uringx_reader_next(reader, &block) == -EAGAIN) {
		struct io_uring_cqe *cqe;

		assert_int_equal(io_uring_wait_cqe(ring, &cqe), 0);
		assert_true(uringx_reader_take(reader, cqe));
		io_uring_cqe_seen(ring, cqe);
	}
	assert_memory_equal(block, "abcd", 4);
	assert_int_equal(uringx_reader_next(reader, &block), -EAGAIN);
	uringx_reader_get_info(reader, &info);
	assert_int_equal(info.nr_reads, 2);

	assert_int_equal(uringx_reader_close(reader), 0);
	no_cqe(ring);
	assert_int_equal(write(fds[1], "efgh", 4), 4);
	sleep_ms(5);
	no_cqe(ring);
	assert_int_equal(read(fds[0], buf, sizeof(buf)), 4);
	assert_memory_equal(buf, "efgh", 4);
	close(fds[0]);
	close(fds[1]);
}

static unsigned nr_offered;

/* What one reader finds is offered to the other. */
static void offer_to_other(struct io_uring_cqe *cqe, void *arg)
{
	struct uringx_reader **readers = arg;

	nr_offered++;
	assert_true((readers[0] && uringx_reader_take(readers[0], cqe)) ||
		    (readers[1] && uringx_reader_take(readers[1], cqe)));
}

static void two_readers_share_the_ring(struct io_uring *ring)
{
	struct uringx_reader_options options = {
		.flags = URINGX_READER_NOWAIT,
		.block_sz = 4096,
		.depth = 6,
		.ring = ring,
		.on_cqe = offer_to_other,
	};
	struct uringx_reader *readers[2];
	struct source sources[2];
	size_t pos[2] = { 0, 0 };
	struct io_uring_cqe *cqe;
	unsigned nr_open = 2, i;
	const void *block;
	ssize_t ret = 0;

	for (i = 0; i < 2; i++) {
		assert_true(source_open(&sources[i], i ? SOURCE_PIPE : SOURCE_FILE, FILE_SZ));
		options.arg = readers;
		assert_int_equal(uringx_reader_open(&readers[i], sources[i].fd, &options), 0);
	}
	while (nr_open > 0) {
		nr_offered = 0;
		for (i = 0; i < 2; i++) {
			while (readers[i] && (ret = uringx_reader_next(readers[i], &block)) > 0) {
				assert_memory_equal(block, sources[i].bytes + pos[i], (size_t)ret);
				pos[i] += (size_t)ret;
			}
			if (readers[i] && ret == 0) {
				assert_int_equal(pos[i], FILE_SZ);
				assert_int_equal(uringx_reader_close(readers[i]), 0);
				readers[i] = NULL;
				nr_open--;
			}
			assert_true(!readers[i] || ret == -EAGAIN);
		}
		/* One that had its turn may have got its last CQE in that of the other. */
		if (nr_open == 0 || nr_offered > 0)
			continue;
		assert_int_equal(io_uring_wait_cqe(ring, &cqe), 0);
		offer_to_other(cqe, readers);
		io_uring_cqe_seen(ring, cqe);
	}
	no_cqe(ring);
	for (i = 0; i < 2; i++)
		source_close(&sources[i]);
}

int main(void)
{
	static const struct ring_case cases[] = {
		{ "callers_requests_are_handed_on", callers_requests_are_handed_on,
		  IORING_SETUP_IOPOLL, 0 },
		{ "close_cancels_on_a_silent_pipe", close_cancels_on_a_silent_pipe,
		  IORING_SETUP_IOPOLL, 0 },
		{ "two_readers_share_the_ring", two_readers_share_the_ring, IORING_SETUP_IOPOLL, 0 },
	};

	return ring_run_cases("callers_ring", cases, ARRAY_LEN(cases));
}
