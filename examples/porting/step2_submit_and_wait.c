/* SPDX-License-Identifier: MIT */
/*
 * Step 2 - submit and wait in one system call, as many as read(2) makes.
 *
 * What differs from step 1 is the middle of read_at.
 */
#include <errno.h>
#include <unistd.h>

#include "../common/porting.h"

/* Returns what the read has given, as read(2) would, but a negative errno for an error. */
static int read_at(struct port_job *job, struct io_uring *ring, int fd, void *buf,
		   uint64_t offset)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(ring);
	struct io_uring_cqe *cqe;
	unsigned int nr_retries = 0;
	int ret;

	if (!sqe)
		return -EBUSY;
	io_uring_prep_read(sqe, fd, buf, PORT_BLOCK_SZ, offset);

	/*
	 * The count is of requests that the kernel took, not of completions: a signal
	 * may have ended the wait after them. So look, and wait once more if need be.
	 */
	do {
		ret = io_uring_submit_and_wait(ring, 1);
		job->nr_calls++;
		if (ret < 0 && ret != -EINTR && ret != -EAGAIN)
			return ret;
		if (ret == -EAGAIN && nr_retries++ == PORT_MAX_RETRIES)
			return ret;
	} while (io_uring_peek_cqe(ring, &cqe) != 0);

	ret = cqe->res;
	io_uring_cqe_seen(ring, cqe);
	return ret;
}

static int read_all(struct port_job *job, struct io_uring *ring, int fd)
{
	static unsigned char buf[PORT_BLOCK_SZ];
	unsigned int nr_retries = 0;
	uint64_t offset = 0;
	int res;

	for (;;) {
		res = read_at(job, ring, fd, buf, offset);
		if ((res == -EINTR || res == -EAGAIN) && nr_retries++ < PORT_MAX_RETRIES)
			continue;
		if (res <= 0)
			return res;
		port_add(job, buf, (size_t)res);
		offset += (uint64_t)res;
		nr_retries = 0;
	}
}

int main(int argc, char **argv)
{
	struct port_job job;
	struct io_uring ring;
	int fd = port_start(&job, argc, argv, 0);
	int ret;

	if (port_open_ring(&ring, 1, 0) == 0) {
		ret = read_all(&job, &ring, fd);
		io_uring_queue_exit(&ring);
	} else {
		ret = port_pread(&job, fd);
	}
	close(fd);
	return port_finish(&job, ret);
}
