/* SPDX-License-Identifier: MIT */
/*
 * read_loop - the loop that reads a file to its end, with pread and with a ring.
 *
 *	read_loop [--mode MODE] [--depth N] [--defer] [--buffered] FILE
 *
 *	read         one pread per block: the loop to port
 *	uring        the same loop on a ring: submit, then wait
 *	uring-wait   submit and wait in one system call
 *	uring-batch  submit N blocks and wait for them all in one system call
 *
 * read_file() is the loop, read_block() its body with pread and read_round()
 * its body with a ring. All modes give the same bytes and the same checksum.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#ifndef _FILE_OFFSET_BITS
#define _FILE_OFFSET_BITS 64
#endif
#include <errno.h>
#include <fcntl.h>
#include <liburing.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "common/read_options.h"
#include "common/refusal.h"

#define BLOCK_SZ 4096
#define MAX_RETRIES 16

/* A buffer, and the part of the file that is still to be read into it. */
struct block {
	unsigned char *buf;
	struct iovec rest;
	off_t offset;
	bool direct;
	unsigned int nr_retries;
};

struct reader {
	enum read_mode mode;
	int fd;
	bool direct; /* O_DIRECT is set on fd */
	bool direct_refused;
	bool has_ring;
	struct io_uring ring;
	unsigned int nr_in_flight;
	unsigned char *memory; /* the buffers of all blocks, aligned for O_DIRECT */
	struct block *blocks;
	unsigned int nr_blocks;
};

struct totals {
	unsigned long long bytes;
	unsigned long long nr_blocks;
	uint64_t checksum;
};

static void aim_block(struct block *block, off_t offset)
{
	block->rest.iov_base = block->buf;
	block->rest.iov_len = BLOCK_SZ;
	block->offset = offset;
	block->nr_retries = 0;
}

static int leave_direct(struct reader *reader)
{
	int flags = fcntl(reader->fd, F_GETFL);

	if (flags < 0 || fcntl(reader->fd, F_SETFL, flags & ~O_DIRECT) < 0)
		return -errno;
	reader->direct = false;
	return 0;
}

/*
 * Takes in what one read has answered: a count of bytes or a negative errno.
 * A count below what was asked for is not the end of the file; only 0 is.
 *
 * Returns 1 when the block is full or the file ends in it, 0 when its rest is
 * to be read again, or a negative errno.
 */
static int take_result(struct reader *reader, struct block *block, int res)
{
	if (res == 0)
		return 1;
	if (res > 0) {
		block->rest.iov_base = (unsigned char *)block->rest.iov_base + res;
		block->rest.iov_len -= (size_t)res;
		block->offset += res;
		block->nr_retries = 0;
		if (block->rest.iov_len == 0)
			return 1;
		/* From here on no offset is aligned as direct I/O needs it. */
		return reader->direct ? leave_direct(reader) : 0;
	}
	if ((res == -EINTR || res == -EAGAIN) && block->nr_retries++ < MAX_RETRIES)
		return 0;
	if (res == -EINVAL && block->direct) {
		reader->direct_refused = true;
		return reader->direct ? leave_direct(reader) : 0;
	}
	return res;
}

/* Fills one block with pread. Returns 1, or a negative errno. */
static int read_block(struct reader *reader, struct block *block)
{
	const struct iovec *rest = &block->rest;
	ssize_t res;
	int ret;

	do {
		block->direct = reader->direct;
		res = pread(reader->fd, rest->iov_base, rest->iov_len, block->offset);
		ret = take_result(reader, block, res < 0 ? -errno : (int)res);
	} while (ret == 0);
	return ret;
}

/* The block, its buffer and its iovec are the kernel's until the CQE is here. */
static int queue_block(struct reader *reader, struct block *block)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&reader->ring);

	if (!sqe)
		return -EBUSY;
	block->direct = reader->direct;
	io_uring_prep_readv(sqe, reader->fd, &block->rest, 1, (__u64)block->offset);
	io_uring_sqe_set_data(sqe, block);
	return 0;
}

/*
 * Submits all that is queued. The kernel may take less than that, and has then
 * not waited: the next call passes it the rest, and the wait once more.
 */
static int submit_queued(struct reader *reader, unsigned int wait_nr)
{
	unsigned int nr_retries = 0;
	int ret;

	while (io_uring_sq_ready(&reader->ring) > 0) {
		if (wait_nr > 0)
			ret = io_uring_submit_and_wait(&reader->ring, wait_nr);
		else
			ret = io_uring_submit(&reader->ring);
		if (ret > 0)
			continue;
		if (ret != 0 && ret != -EINTR && ret != -EAGAIN) {
			explain_refused_enter(stderr, ret);
			return ret;
		}
		if (nr_retries++ == MAX_RETRIES)
			return -EAGAIN;
	}
	return 0;
}

/*
 * Gives the next completed block and its result, waiting only where none is
 * here yet. A signal that interrupts the wait loses nothing: wait again.
 */
static int wait_block(struct reader *reader, struct block **block, int *res)
{
	struct io_uring_cqe *cqe;
	int ret;

	do {
		ret = io_uring_wait_cqe(&reader->ring, &cqe);
	} while (ret == -EINTR);
	if (ret != 0)
		return ret;
	*block = io_uring_cqe_get_data(cqe);
	*res = cqe->res;
	io_uring_cqe_seen(&reader->ring, cqe);
	reader->nr_in_flight--;
	return 0;
}

/*
 * Fills all blocks through the ring. They complete in any order, and those that
 * come back short go into the next turn. After an error nothing more is
 * queued, but what is in flight is still waited for: its buffers are in use.
 */
static int read_round(struct reader *reader)
{
	struct block *block;
	unsigned int nr_queued;
	int err = 0;
	int res;
	int ret;

	for (nr_queued = 0; nr_queued < reader->nr_blocks; nr_queued++) {
		ret = queue_block(reader, &reader->blocks[nr_queued]);
		if (ret < 0)
			return ret;
	}
	while (nr_queued > 0) {
		err = submit_queued(reader, reader->mode == MODE_URING ? 0 : nr_queued);
		reader->nr_in_flight = nr_queued - io_uring_sq_ready(&reader->ring);
		nr_queued = 0;
		while (reader->nr_in_flight > 0) {
			ret = wait_block(reader, &block, &res);
			if (ret != 0)
				return ret;
			ret = take_result(reader, block, res);
			if (ret == 0 && err == 0) {
				ret = queue_block(reader, block);
				nr_queued += ret == 0;
			}
			if (ret < 0 && err == 0)
				err = ret;
		}
		if (err < 0)
			return err;
	}
	return 0;
}

/* FNV-1a over 64-bit words; a last word is filled up with zeros. */
static void add_block(struct totals *totals, struct block *block)
{
	size_t got_sz = BLOCK_SZ - block->rest.iov_len;
	uint64_t hash = totals->checksum;
	uint64_t word;
	size_t i;

	if (got_sz == 0)
		return;
	memset(block->buf + got_sz, 0, BLOCK_SZ - got_sz);
	for (i = 0; i < got_sz; i += sizeof(word)) {
		memcpy(&word, block->buf + i, sizeof(word));
		hash = (hash ^ word) * 0x100000001b3ULL;
	}
	totals->checksum = hash;
	totals->bytes += got_sz;
	totals->nr_blocks++;
}

/* Reads the file from its start to its end, and hands the blocks on in order. */
static int read_file(struct reader *reader, struct totals *totals)
{
	off_t offset = 0;
	unsigned int i;
	int ret;

	for (;;) {
		for (i = 0; i < reader->nr_blocks; i++) {
			aim_block(&reader->blocks[i], offset);
			offset += BLOCK_SZ;
		}
		if (reader->mode == MODE_READ)
			ret = read_block(reader, &reader->blocks[0]);
		else
			ret = read_round(reader);
		if (ret < 0)
			return ret;
		for (i = 0; i < reader->nr_blocks; i++) {
			add_block(totals, &reader->blocks[i]);
			if (reader->blocks[i].rest.iov_len > 0)
				return 0;
		}
	}
}

/* Opens the file, for direct I/O where the file system has it. Returns 0 or -errno. */
static int open_file(struct reader *reader, const struct read_options *options)
{
	struct stat st;

	if (stat(options->path, &st) < 0)
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (!S_ISREG(st.st_mode) && !S_ISBLK(st.st_mode)) {
		fprintf(stderr, "read_loop: only regular files and disks have offsets to read at\n");
		return -ESPIPE;
	}

	reader->fd = -1;
	if (!options->buffered) {
		reader->fd = open(options->path, O_RDONLY | O_CLOEXEC | O_DIRECT);
		reader->direct = reader->fd >= 0;
		reader->direct_refused = reader->fd < 0 && errno == EINVAL;
	}
	if (options->buffered || reader->direct_refused)
		reader->fd = open(options->path, O_RDONLY | O_CLOEXEC);
	return reader->fd < 0 ? -errno : 0;
}

static int alloc_blocks(struct reader *reader, unsigned int nr_blocks)
{
	unsigned int i;
	void *memory;

	if (posix_memalign(&memory, BLOCK_SZ, (size_t)nr_blocks * BLOCK_SZ) != 0)
		return -ENOMEM;
	reader->memory = memory;
	reader->blocks = calloc(nr_blocks, sizeof(*reader->blocks));
	if (!reader->blocks)
		return -ENOMEM;
	for (i = 0; i < nr_blocks; i++)
		reader->blocks[i].buf = reader->memory + (size_t)i * BLOCK_SZ;
	reader->nr_blocks = nr_blocks;
	return 0;
}

static void free_blocks(struct reader *reader)
{
	free(reader->blocks);
	free(reader->memory);
}

/*
 * Makes the ring, with room for a whole batch. Where io_uring may not be used
 * this says why, and the file is read with pread. Returns 0 or -errno.
 */
static int setup_ring(struct reader *reader, const struct read_options *options)
{
	unsigned int flags = 0;
	int ret;

	if (options->defer)
		flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN;
	ret = io_uring_queue_init(reader->nr_blocks, &reader->ring, flags);
	if (ret == 0) {
		reader->has_ring = true;
		return 0;
	}
	if (!explain_refusal(stderr, ret, flags)) {
		fprintf(stderr, "read_loop: the ring cannot be made: %s\n", strerror(-ret));
		return ret;
	}
	fprintf(stderr, "read_loop: reading with pread instead\n");
	reader->mode = MODE_READ;
	reader->nr_blocks = 1;
	return 0;
}

static double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void print_totals(const struct read_options *options, const struct reader *reader,
			 const struct totals *totals, double seconds)
{
	if (reader->direct_refused)
		fprintf(stderr, "read_loop: no direct I/O on this file: buffered reads\n");
	printf("mode      %s\n", read_mode_name(options->mode));
	printf("through   %s\n", reader->has_ring ? "io_uring" : "pread");
	printf("file      %s\n",
	       options->buffered || reader->direct_refused ? "buffered" : "direct");
	printf("bytes     %llu\n", totals->bytes);
	printf("checksum  %016llx\n", (unsigned long long)totals->checksum);
	printf("blocks    %llu\n", totals->nr_blocks);
	printf("MB/s      %.1f\n", (double)totals->bytes / 1e6 / seconds);
}

/* Returns 0 or a negative errno. */
static int run(const struct read_options *options)
{
	struct totals totals = { .checksum = 0xcbf29ce484222325ULL };
	struct reader reader = { .mode = options->mode, .fd = -1 };
	double start;
	int ret;

	ret = open_file(&reader, options);
	if (ret < 0)
		return ret;
	ret = alloc_blocks(&reader, options->mode == MODE_URING_BATCH ? options->depth : 1);
	if (ret == 0 && options->mode != MODE_READ)
		ret = setup_ring(&reader, options);
	if (ret == 0) {
		start = seconds_now();
		ret = read_file(&reader, &totals);
		if (ret == 0)
			print_totals(options, &reader, &totals, seconds_now() - start);
	}
	if (reader.has_ring)
		io_uring_queue_exit(&reader.ring);
	/* Where a wait has failed, the kernel may still write to the buffers. */
	if (reader.nr_in_flight == 0)
		free_blocks(&reader);
	close(reader.fd);
	return ret;
}

int main(int argc, char **argv)
{
	struct read_options options;
	int ret;

	parse_options(argc, argv, &options);
	ret = run(&options);
	if (ret < 0) {
		fprintf(stderr, "read_loop: %s: %s\n", options.path, strerror(-ret));
		return 1;
	}
	if (fflush(stdout) != 0) {
		fprintf(stderr, "read_loop: standard output: %s\n", strerror(errno));
		return 1;
	}
	return 0;
}
