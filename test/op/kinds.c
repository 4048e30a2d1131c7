/* SPDX-License-Identifier: MIT */
/*
 * The common requests on rings of every kind of set-up: nop, read, write, poll,
 * send and receive, several at once and more than the ring holds.
 */
#include "test.h"

#include "op_net.h"
#include "op_run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#define BLOCK_SZ 4096U
#define NR_BLOCKS 6U
#define FILE_SZ (NR_BLOCKS * BLOCK_SZ)

static void case_nop(struct io_uring *ring)
{
	int round, i;

	op_forget();
	for (round = 0; round < 5; round++) {
		for (i = 0; i < 4; i++)
			io_uring_prep_nop(op_sqe(ring, (__u64)i));
		op_submit(ring);
		for (i = 0; i < 4; i++)
			op_expect(ring, (__u64)i, 0);
	}
	no_cqe(ring);
}

/* Polled completions need direct I/O, which not every file or device does. */
static void make_direct(struct io_uring *ring, int fd)
{
	if (!(ring->flags & IORING_SETUP_IOPOLL))
		return;
	if (fcntl(fd, F_SETFL, O_DIRECT) < 0) {
		close(fd);
		skip_because("/var/tmp has no direct I/O: %s", strerror(errno));
	}
}

static void skip_unless_polled(struct io_uring *ring, int res, int fd)
{
	if (res != -EOPNOTSUPP || !(ring->flags & IORING_SETUP_IOPOLL))
		return;
	close(fd);
	skip_because("the disk of /var/tmp cannot be polled");
}

static void case_read(struct io_uring *ring)
{
	struct op_result results[NR_BLOCKS];
	unsigned char *mem = page_alloc(FILE_SZ);
	int fd = temp_file(FILE_SZ);
	unsigned i;

	op_forget();
	make_direct(ring, fd);
	for (i = 0; i < NR_BLOCKS; i++)
		io_uring_prep_read(op_sqe(ring, i), fd, mem + i * BLOCK_SZ, BLOCK_SZ,
				   i * BLOCK_SZ);
	op_submit(ring);
	op_collect(ring, NR_BLOCKS, results);
	for (i = 0; i < NR_BLOCKS; i++) {
		skip_unless_polled(ring, results[i].res, fd);
		op_check(results[i].res, BLOCK_SZ);
	}
	assert_true(pattern_same(mem, FILE_SZ, 0));
	page_free(mem, FILE_SZ);
	close(fd);
}

static void case_write(struct io_uring *ring)
{
	struct op_result results[NR_BLOCKS];
	unsigned char *mem = page_alloc(FILE_SZ), *back = page_alloc(FILE_SZ);
	int fd = temp_file(FILE_SZ);
	unsigned i;

	op_forget();
	make_direct(ring, fd);
	pattern_fill(mem, FILE_SZ, 1000);
	for (i = 0; i < NR_BLOCKS; i++)
		io_uring_prep_write(op_sqe(ring, i), fd, mem + i * BLOCK_SZ, BLOCK_SZ,
				    i * BLOCK_SZ);
	op_submit(ring);
	op_collect(ring, NR_BLOCKS, results);
	for (i = 0; i < NR_BLOCKS; i++) {
		skip_unless_polled(ring, results[i].res, fd);
		op_check(results[i].res, BLOCK_SZ);
	}
	assert_int_equal(pread(fd, back, FILE_SZ, 0), FILE_SZ);
	assert_memory_equal(back, mem, FILE_SZ);
	page_free(mem, FILE_SZ);
	page_free(back, FILE_SZ);
	close(fd);
}

static void case_poll(struct io_uring *ring)
{
	int fds[2];

	op_forget();
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	io_uring_prep_poll_add(op_sqe(ring, 1), fds[0], POLLIN);
	io_uring_prep_poll_multishot(op_sqe(ring, 2), fds[1], POLLOUT);
	op_submit(ring);
	op_expect_more(ring, 2, POLLOUT);
	no_cqe(ring);
	assert_int_equal(write(fds[1], "x", 1), 1);
	op_expect(ring, 1, POLLIN);
	io_uring_prep_poll_remove(op_sqe(ring, 3), 2);
	op_submit(ring);
	op_take(ring);
	op_take(ring);
	no_cqe(ring);
	close(fds[0]);
	close(fds[1]);
}

/* A receive that has to wait, and the send that it waits for. */
static void case_send_recv(struct io_uring *ring)
{
	struct op_result results[3];
	char bytes[16];
	int fds[2], i;

	op_forget();
	net_tcp_pair(fds);
	for (i = 0; i < 3; i++) {
		io_uring_prep_recv(op_sqe(ring, 1), fds[i % 2], bytes, sizeof(bytes), 0);
		op_submit(ring);
		no_cqe(ring);
		io_uring_prep_send(op_sqe(ring, 2), fds[1 - i % 2], &"some text"[i], 9 - (size_t)i,
				   0);
		op_submit(ring);
		op_collect(ring, 2, results);
		op_check(results[1].res, 9 - i);
		op_check(results[2].res, 9 - i);
		assert_memory_equal(bytes, &"some text"[i], 9 - (size_t)i);
	}
	net_close_pair(fds);
}

/* A chain that ends with an error, and a request that is cancelled. */
static void case_errors(struct io_uring *ring)
{
	struct op_result results[4];
	struct io_uring_sqe *sqe;
	char byte;
	int fds[2];

	op_forget();
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	sqe = op_sqe(ring, 1);
	io_uring_prep_read(sqe, -1, &byte, 1, 0);
	io_uring_sqe_set_flags(sqe, IOSQE_IO_LINK);
	io_uring_prep_nop(op_sqe(ring, 2));
	op_submit(ring);
	op_expect(ring, 1, -EBADF);
	op_expect(ring, 2, -ECANCELED);

	io_uring_prep_read(op_sqe(ring, 1), fds[0], &byte, 1, 0);
	op_submit(ring);
	no_cqe(ring);
	io_uring_prep_cancel64(op_sqe(ring, 2), 1, 0);
	op_submit(ring);
	op_collect(ring, 2, results);
	op_check(results[1].res, -ECANCELED);
	op_check(results[2].res, 0);
	close(fds[0]);
	close(fds[1]);
}

int main(void)
{
	const struct ring_case cases[] = {
		{ .name = "nop", .run = case_nop },
		{ .name = "read", .run = case_read },
		{ .name = "write", .run = case_write },
		{ .name = "poll", .run = case_poll, .not_with = IORING_SETUP_IOPOLL },
		{ .name = "send and recv", .run = case_send_recv, .not_with = IORING_SETUP_IOPOLL },
		{ .name = "errors", .run = case_errors, .not_with = IORING_SETUP_IOPOLL },
	};

	return ring_run_cases("kinds", cases, ARRAY_LEN(cases));
}
