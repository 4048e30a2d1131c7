/* SPDX-License-Identifier: MIT */
/*
 * Step 1 - the same loop on a ring: one request at a time, submitted, then waited for.
 *
 * The offset is the program's now. The result is in cqe->res: a count or a negative
 * errno, and errno itself is not touched.
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

	/* No room in the ring. With one request at a time it cannot be; ask all the same. */
	if (!sqe)
		return -EBUSY;
	io_uring_prep_read(sqe, fd, buf, PORT_BLOCK_SZ, offset);

	/* A submit that fails leaves the request queued: submit it again. */
	do {
		ret = io_uring_submit(ring);
		job->nr_calls++;
	} while ((ret == -EINTR || ret == -EAGAIN) && nr_retries++ < PORT_MAX_RETRIES);
	if (ret < 0)
		return ret;
	/* Until here the read may have ended already: a page in the cache is copied at once. */
	do {
		job->nr_calls += io_uring_cq_ready(ring) == 0;
		/* A signal interrupts the wait, not the read: nothing is lost. */
		ret = io_uring_wait_cqe(ring, &cqe);
	} while (ret == -EINTR);
	if (ret < 0)
		return ret;
	/* Two results: that of the wait, and that of the read. */
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
		/* Rare, but both are answers of reads as well: bounded, lest it spins. */
		if ((res == -EINTR || res == -EAGAIN) && nr_retries++ < PORT_MAX_RETRIES)
			continue;
		/* 0 is the end of the file. A short count is not. */
		if (res <= 0)
			return res;
		port_add(job, buf, (size_t)res);
		/* By what came, not by what was asked for. */
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
