/* SPDX-License-Identifier: MIT */
/*
 * Step 6 - sockets and pipes have no offsets, so that only one read can be under way.
 * A multishot receive stays that one: it is submitted once, and posts a CQE whenever
 * something came. The kernel takes a buffer for it from those that it was given. On a
 * pipe a read does the same once.
 *
 * FILE may be a pipe, as in: cat file | step6_stream /dev/stdin. A regular file is sent
 * through a socket by a child, so that there is something to receive.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../common/porting.h"

#define NR_BUFFERS 16 /* a power of two */
#define GROUP 0

struct stream {
	int fd;
	bool is_socket;
	struct io_uring ring;
	struct io_uring_buf_ring *buffers;
	unsigned char *memory;
	bool armed; /* the request is there */
	bool at_end;
	unsigned int nr_retries;
};

/* Gives a buffer to the kernel; until it comes back in a CQE, it is the kernel's. */
static void give_buffer(struct stream *stream, unsigned int id)
{
	io_uring_buf_ring_add(stream->buffers, stream->memory + (size_t)id * PORT_BLOCK_SZ,
			      PORT_BLOCK_SZ, (unsigned short)id,
			      io_uring_buf_ring_mask(NR_BUFFERS), 0);
	io_uring_buf_ring_advance(stream->buffers, 1);
}

static int give_all_buffers(struct stream *stream)
{
	void *memory;
	unsigned int id;
	int ret;

	if (posix_memalign(&memory, 4096, NR_BUFFERS * PORT_BLOCK_SZ) != 0)
		return -ENOMEM;
	stream->memory = memory;
	stream->buffers = io_uring_setup_buf_ring(&stream->ring, NR_BUFFERS, GROUP, 0, &ret);
	if (!stream->buffers)
		return ret;
	for (id = 0; id < NR_BUFFERS; id++)
		give_buffer(stream, id);
	return 0;
}

static int arm(struct stream *stream)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&stream->ring);

	if (!sqe)
		return -EBUSY;
	if (stream->is_socket)
		io_uring_prep_recv_multishot(sqe, stream->fd, NULL, 0, 0);
	else
		/* Not io_uring_prep_read_multishot: with a FIFO it misses the end. */
		io_uring_prep_read(sqe, stream->fd, NULL, PORT_BLOCK_SZ, 0);
	io_uring_sqe_set_flags(sqe, IOSQE_BUFFER_SELECT);
	io_uring_sqe_set_buf_group(sqe, GROUP);
	stream->armed = true;
	return 0;
}

/* Returns 0, or a negative errno for which the stream is given up. */
static int take_cqe(struct port_job *job, struct stream *stream, const struct io_uring_cqe *cqe)
{
	unsigned int id = cqe->flags >> IORING_CQE_BUFFER_SHIFT;

	/* Without this flag the request has ended, for whatever reason: arm it again. */
	if (!(cqe->flags & IORING_CQE_F_MORE))
		stream->armed = false;
	if (cqe->res > 0)
		port_add(job, stream->memory + (size_t)id * PORT_BLOCK_SZ, (size_t)cqe->res);
	if (cqe->flags & IORING_CQE_F_BUFFER)
		give_buffer(stream, id);
	if (cqe->res >= 0) {
		stream->at_end = cqe->res == 0;
		stream->nr_retries = 0;
		return 0;
	}
	/* All buffers were taken, which is over by now; or what passes anyway. */
	if ((cqe->res == -ENOBUFS || cqe->res == -EINTR || cqe->res == -EAGAIN) &&
	    stream->nr_retries++ < PORT_MAX_RETRIES)
		return 0;
	return cqe->res;
}

static int receive_all(struct port_job *job, struct stream *stream)
{
	struct io_uring_cqe *cqe;
	int ret = 0;

	while (!stream->at_end) {
		if (!stream->armed)
			ret = arm(stream);
		if (ret < 0)
			return ret;
		ret = io_uring_submit_and_wait(&stream->ring, 1);
		job->nr_calls++;
		if (ret < 0 && ret != -EINTR)
			return ret;
		ret = 0;
		while (ret == 0 && io_uring_peek_cqe(&stream->ring, &cqe) == 0) {
			ret = take_cqe(job, stream, cqe);
			io_uring_cqe_seen(&stream->ring, cqe);
		}
	}
	return ret;
}

/* Where the kernel has none of this: the loop of step 0. */
static int read_all(struct port_job *job, int fd)
{
	static unsigned char buf[PORT_BLOCK_SZ];
	ssize_t res;

	while ((res = read(fd, buf, sizeof(buf))) != 0) {
		job->nr_calls++;
		if (res > 0)
			port_add(job, buf, (size_t)res);
		else if (errno != EINTR)
			return -errno;
	}
	return 0;
}

/* Returns the end of a socket that gives what is in the file. */
static int send_through_socket(int file_fd)
{
	int fds[2];
	int err;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0)
		return -errno;
	pid = fork();
	if (pid < 0) {
		err = -errno;
		close(fds[0]);
		close(fds[1]);
		return err;
	}
	if (pid == 0) {
		close(fds[0]);
		while (sendfile(fds[1], file_fd, NULL, 1 << 20) > 0)
			;
		_exit(0);
	}
	close(fds[1]);
	return fds[0];
}

int main(int argc, char **argv)
{
	struct stream stream = { .armed = false };
	struct port_job job;
	struct stat st;
	int fd = port_start(&job, argc, argv, 0);
	int ret;

	stream.fd = fd;
	if (fstat(fd, &st) < 0 || S_ISDIR(st.st_mode))
		return port_finish(&job, -EISDIR);
	if (S_ISREG(st.st_mode)) {
		stream.fd = send_through_socket(fd);
		stream.is_socket = true;
	}
	if (stream.fd < 0) {
		fprintf(stderr, "The file cannot be sent: %s\nReading with read instead.\n",
			strerror(-stream.fd));
		return port_finish(&job, read_all(&job, fd));
	}
	/* With O_NONBLOCK, some kernels answer EAGAIN where they should wait. */
	fcntl(stream.fd, F_SETFL, fcntl(stream.fd, F_GETFL) & ~O_NONBLOCK);
	ret = port_open_ring(&stream.ring, 8, 0);
	if (ret == 0) {
		ret = give_all_buffers(&stream);
		if (ret == 0)
			ret = receive_all(&job, &stream);
		if (stream.buffers)
			io_uring_free_buf_ring(&stream.ring, stream.buffers, NR_BUFFERS, GROUP);
		io_uring_queue_exit(&stream.ring);
		/* A request that is still armed may be writing to them. */
		if (!stream.armed)
			free(stream.memory);
	}
	/* Before Linux 6.0; nothing has been taken then. */
	if (ret < 0 && job.bytes == 0)
		ret = read_all(&job, stream.fd);
	if (stream.is_socket)
		wait(NULL);
	return port_finish(&job, ret);
}
