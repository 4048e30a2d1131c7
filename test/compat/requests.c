/* SPDX-License-Identifier: MIT */
/* Requests of the usual kinds, by what they did. */
#include "compat.h"
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>

static int temporary_file(char *path)
{
	int fd;

	strcpy(path, "/tmp/compat_XXXXXX");
	fd = mkstemp(path);
	CHECK(fd >= 0);
	return fd;
}

static void run_nop(struct io_uring *ring)
{
	struct io_uring_sqe *sqe = take_sqe(ring);
	int nr;

	io_uring_prep_nop(sqe);
	CHECK_INT(run_one(ring, sqe), 0);

	for (nr = 0; nr < 5 * NR_ENTRIES; nr++) {
		sqe = take_sqe(ring);
		io_uring_prep_nop(sqe);
		CHECK_INT(run_one(ring, sqe), 0);
	}
}

static void run_file(struct io_uring *ring)
{
	char path[32], in[64] = "", text[] = "written through one ring";
	struct iovec iov[2];
	struct io_uring_sqe *sqe;
	int fd = temporary_file(path);

	sqe = take_sqe(ring);
	io_uring_prep_write(sqe, fd, text, sizeof(text), 100);
	CHECK_INT(run_one(ring, sqe), sizeof(text));

	sqe = take_sqe(ring);
	io_uring_prep_read(sqe, fd, in, sizeof(in), 100);
	CHECK_INT(run_one(ring, sqe), sizeof(text));
	CHECK(strcmp(in, text) == 0);

	iov[0].iov_base = text;
	iov[0].iov_len = 8;
	iov[1].iov_base = text + 8;
	iov[1].iov_len = 8;
	sqe = take_sqe(ring);
	io_uring_prep_writev(sqe, fd, iov, 2, 0);
	CHECK_INT(run_one(ring, sqe), 16);

	memset(in, 0, sizeof(in));
	iov[0].iov_base = in;
	iov[0].iov_len = 3;
	iov[1].iov_base = in + 3;
	iov[1].iov_len = 13;
	sqe = take_sqe(ring);
	io_uring_prep_readv2(sqe, fd, iov, 2, 0, 0);
	CHECK_INT(run_one(ring, sqe), 16);
	CHECK(memcmp(in, text, 16) == 0);

	sqe = take_sqe(ring);
	io_uring_prep_fsync(sqe, fd, IORING_FSYNC_DATASYNC);
	CHECK_INT(run_one(ring, sqe), 0);
	close(fd);
	unlink(path);
}

static void run_path(struct io_uring *ring)
{
	char path[32], other[40];
	struct io_uring_sqe *sqe;
	struct stat st;
	int fd = temporary_file(path);
#ifdef STATX_SIZE
	struct statx stx;
#endif

	CHECK_INT(write(fd, "12345", 5), 5);
	close(fd);

	sqe = take_sqe(ring);
	io_uring_prep_openat(sqe, AT_FDCWD, path, O_RDWR, 0);
	fd = run_one(ring, sqe);
	CHECK(fd >= 0);

#ifdef STATX_SIZE
	memset(&stx, 0, sizeof(stx));
	sqe = take_sqe(ring);
	io_uring_prep_statx(sqe, AT_FDCWD, path, 0, STATX_SIZE, &stx);
	CHECK_INT(run_one(ring, sqe), 0);
	CHECK_INT(stx.stx_size, 5);
#endif

	sqe = take_sqe(ring);
	io_uring_prep_fallocate(sqe, fd, 0, 0, 4096);
	CHECK_INT(run_one(ring, sqe), 0);
	CHECK_INT(fstat(fd, &st), 0);
	CHECK_INT(st.st_size, 4096);

	sqe = take_sqe(ring);
	io_uring_prep_close(sqe, fd);
	CHECK_INT(run_one(ring, sqe), 0);
	CHECK(fcntl(fd, F_GETFD) == -1);

	snprintf(other, sizeof(other), "%s.new", path);
	sqe = take_sqe(ring);
	io_uring_prep_renameat(sqe, AT_FDCWD, path, AT_FDCWD, other, 0);
	CHECK_INT(run_one(ring, sqe), 0);
	CHECK(access(path, F_OK) == -1 && access(other, F_OK) == 0);

	sqe = take_sqe(ring);
	io_uring_prep_unlink(sqe, other, 0);
	CHECK_INT(run_one(ring, sqe), 0);
	CHECK(access(other, F_OK) == -1);
}

static void run_socket(struct io_uring *ring)
{
	struct io_uring_sqe *sqe;
	struct msghdr msgh;
	struct iovec iov;
	char in[16] = "";
	int pair[2];

	CHECK_INT(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	sqe = take_sqe(ring);
	io_uring_prep_send(sqe, pair[0], "message", 8, 0);
	CHECK_INT(run_one(ring, sqe), 8);
	sqe = take_sqe(ring);
	io_uring_prep_recv(sqe, pair[1], in, sizeof(in), 0);
	CHECK_INT(run_one(ring, sqe), 8);
	CHECK(strcmp(in, "message") == 0);

	memset(&msgh, 0, sizeof(msgh));
	iov.iov_base = in;
	iov.iov_len = 8;
	msgh.msg_iov = &iov;
	msgh.msg_iovlen = 1;
	sqe = take_sqe(ring);
	io_uring_prep_sendmsg(sqe, pair[1], &msgh, 0);
	CHECK_INT(run_one(ring, sqe), 8);
	CHECK_INT(recv(pair[0], in, sizeof(in), MSG_DONTWAIT), 8);

	sqe = take_sqe(ring);
	io_uring_prep_shutdown(sqe, pair[0], SHUT_WR);
	CHECK_INT(run_one(ring, sqe), 0);
	CHECK_INT(recv(pair[1], in, sizeof(in), 0), 0);
	close(pair[0]);
	close(pair[1]);
}

static void run_poll(struct io_uring *ring)
{
	struct io_uring_sqe *sqe;
	int pipefd[2];

	CHECK_INT(pipe(pipefd), 0);
	sqe = take_sqe(ring);
	io_uring_prep_poll_add(sqe, pipefd[0], POLLIN);
	io_uring_sqe_set_data64(sqe, 1);
	submit_all(ring);
	CHECK_INT(write(pipefd[1], "x", 1), 1);
	CHECK_INT(reap(ring, 1), POLLIN);

	/* A poll that is cancelled answers before or after the request that did it. */
	CHECK_INT(read(pipefd[0], &(char){ 0 }, 1), 1);
	sqe = take_sqe(ring);
	io_uring_prep_poll_add(sqe, pipefd[0], POLLIN);
	io_uring_sqe_set_data64(sqe, 2);
	submit_all(ring);
	sqe = take_sqe(ring);
	io_uring_prep_cancel64(sqe, 2, 0);
	io_uring_sqe_set_flags(sqe, IOSQE_CQE_SKIP_SUCCESS);
	io_uring_sqe_set_data64(sqe, 3);
	submit_all(ring);
	CHECK_INT(reap(ring, 2), -ECANCELED);
	close(pipefd[0]);
	close(pipefd[1]);
}

static void run_links(struct io_uring *ring)
{
	struct io_uring_cqe *cqe;
	struct io_uring_sqe *sqe;
	unsigned head, nr = 0;
	int res[4] = { 1, 1, 1, 1 };

	sqe = take_sqe(ring);
	io_uring_prep_read(sqe, -1, NULL, 1, 0);
	io_uring_sqe_set_flags(sqe, IOSQE_IO_LINK);
	io_uring_sqe_set_data64(sqe, 0);
	sqe = take_sqe(ring);
	io_uring_prep_nop(sqe);
	io_uring_sqe_set_data64(sqe, 1);
	sqe = take_sqe(ring);
	io_uring_prep_nop(sqe);
	io_uring_sqe_set_flags(sqe, IOSQE_IO_LINK);
	io_uring_sqe_set_data64(sqe, 2);
	sqe = take_sqe(ring);
	io_uring_prep_nop(sqe);
	io_uring_sqe_set_data64(sqe, 3);
	submit_all(ring);
	CHECK_INT(io_uring_wait_cqe_nr(ring, &cqe, 4), 0);
	io_uring_for_each_cqe (ring, head, cqe) {
		CHECK(cqe->user_data < 4);
		res[cqe->user_data] = cqe->res;
		nr++;
	}
	io_uring_cq_advance(ring, nr);
	CHECK_INT(nr, 4);
	CHECK_INT(res[0], -EBADF);
	CHECK_INT(res[1], -ECANCELED);
	CHECK_INT(res[2], 0);
	CHECK_INT(res[3], 0);
}

const struct compat_case request_cases[] = {
	{ "nop", run_nop, 0 },
	{ "file", run_file, 0 },
	{ "path", run_path, 0 },
	{ "socket", run_socket, 0 },
	{ "poll and cancel", run_poll, 0 },
	{ "links", run_links, 0 },
	{ NULL, NULL, 0 },
};
