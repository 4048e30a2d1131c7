/* SPDX-License-Identifier: MIT */
/*
 * Step 5 - past the page cache with O_DIRECT: nothing is copied, and nothing read ahead
 * but by the depth. Buffers, offsets and lengths are multiples of what the file asks
 * for. What differs from step 4: choose_alignment, and the rest of a short read.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "../common/porting.h"

#define DEPTH 16

struct slot {
	unsigned char *buf;
	uint64_t offset;
	unsigned int got; /* bytes of the block that are there */
	unsigned int at; /* where in the block the last request began */
	unsigned int nr_retries;
	int err;
	bool queued; /* has an SQE, or is in flight */
};

struct reader {
	int fd;
	struct io_uring ring;
	struct slot slots[DEPTH];
	unsigned int head, nr_used, nr_in_flight;
	uint64_t next_offset;
	bool stopping, registered;
	unsigned int align; /* 1 where there is no direct I/O */
};

static void queue_slot(struct reader *reader, struct slot *slot)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&reader->ring);

	if (!sqe) {
		slot->err = -EBUSY;
		return;
	}
	/* A short read ends anywhere; the rest begins at the alignment before that. */
	slot->at = slot->got / reader->align * reader->align;
	io_uring_prep_read(sqe, reader->fd, slot->buf + slot->at, PORT_BLOCK_SZ - slot->at,
			   slot->offset + slot->at);
	if (reader->registered) {
		io_uring_prep_read_fixed(sqe, 0, slot->buf + slot->at, PORT_BLOCK_SZ - slot->at,
					 slot->offset + slot->at, 0);
		io_uring_sqe_set_flags(sqe, IOSQE_FIXED_FILE);
	}
	io_uring_sqe_set_data(sqe, slot);
	slot->queued = true;
	reader->nr_in_flight++;
}

static void fill_window(struct reader *reader)
{
	struct slot *slot;

	while (!reader->stopping && reader->nr_used < DEPTH) {
		slot = &reader->slots[(reader->head + reader->nr_used++) % DEPTH];
		slot->offset = reader->next_offset;
		slot->got = 0;
		slot->nr_retries = 0;
		slot->err = 0;
		reader->next_offset += PORT_BLOCK_SZ;
		queue_slot(reader, slot);
	}
}

static void take_result(struct reader *reader, struct slot *slot, int res)
{
	slot->queued = false;
	reader->nr_in_flight--;
	if (res > 0) {
		/* Nothing beyond what was there: as good as 0, the end. */
		if (slot->at + (unsigned int)res <= slot->got)
			return;
		slot->got = slot->at + (unsigned int)res;
		if (slot->got < PORT_BLOCK_SZ && !reader->stopping)
			queue_slot(reader, slot);
	} else if ((res == -EINTR || res == -EAGAIN) &&
		   slot->nr_retries++ < PORT_MAX_RETRIES && !reader->stopping) {
		queue_slot(reader, slot);
	} else if (res < 0) {
		slot->err = res;
	}
}

static int turn(struct port_job *job, struct reader *reader)
{
	struct io_uring_cqe *cqe;
	int ret = io_uring_submit_and_wait(&reader->ring, reader->nr_in_flight > 0);

	job->nr_calls++;
	while (io_uring_peek_cqe(&reader->ring, &cqe) == 0) {
		take_result(reader, io_uring_cqe_get_data(cqe), cqe->res);
		io_uring_cqe_seen(&reader->ring, cqe);
	}
	if ((ret == -EAGAIN || ret == -EBUSY) &&
	    reader->nr_in_flight > io_uring_sq_ready(&reader->ring))
		return 0;
	return ret < 0 && ret != -EINTR ? ret : 0;
}

static int deliver(struct port_job *job, struct reader *reader)
{
	struct slot *slot;

	while (reader->nr_used > 0) {
		slot = &reader->slots[reader->head];
		if (slot->queued)
			return 0;
		port_add(job, slot->buf, slot->got);
		if (slot->got < PORT_BLOCK_SZ) {
			reader->stopping = true;
			return slot->err;
		}
		reader->head = (reader->head + 1) % DEPTH;
		reader->nr_used--;
	}
	return 0;
}

static int read_all(struct port_job *job, struct reader *reader)
{
	int ret, err = 0;

	while (!reader->stopping && err == 0) {
		fill_window(reader);
		err = turn(job, reader);
		if (err == 0)
			err = deliver(job, reader);
	}
	reader->stopping = true;
	while (reader->nr_in_flight > 0) {
		ret = turn(job, reader);
		if (ret < 0)
			return ret;
	}
	return err;
}

/* As the kernel says (since Linux 6.1), or a guess that fits disks of today. */
static void choose_alignment(struct reader *reader)
{
	reader->align = 4096;
#ifdef STATX_DIOALIGN
	struct statx st;

	if (statx(reader->fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &st) == 0 &&
	    (st.stx_mask & STATX_DIOALIGN))
		reader->align = st.stx_dio_offset_align > st.stx_dio_mem_align ?
					st.stx_dio_offset_align : st.stx_dio_mem_align;
#endif
	if (reader->align == 0 || PORT_BLOCK_SZ % reader->align != 0 ||
	    fcntl(reader->fd, F_SETFL, O_DIRECT) < 0) {
		fprintf(stderr, "No direct I/O on this file: buffered reads.\n");
		reader->align = 1;
	}
}

int main(int argc, char **argv)
{
	static struct reader reader;
	struct port_job job;
	struct iovec buffers = { NULL, DEPTH * PORT_BLOCK_SZ };
	int i, ret;

	reader.fd = port_start_file(&job, argc, argv);
	if (posix_memalign(&buffers.iov_base, PORT_BLOCK_SZ, buffers.iov_len) != 0)
		return port_finish(&job, -ENOMEM);
	for (i = 0; i < DEPTH; i++)
		reader.slots[i].buf = (unsigned char *)buffers.iov_base + i * PORT_BLOCK_SZ;
	ret = io_uring_queue_init(DEPTH, &reader.ring,
				  IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN);
	if (ret == 0 || port_open_ring(&reader.ring, DEPTH, 0) == 0) {
		choose_alignment(&reader);
		reader.registered =
			io_uring_register_buffers(&reader.ring, &buffers, 1) == 0 &&
			io_uring_register_files(&reader.ring, &reader.fd, 1) == 0;
		ret = read_all(&job, &reader);
		io_uring_unregister_files(&reader.ring);
		io_uring_unregister_buffers(&reader.ring);
		io_uring_queue_exit(&reader.ring);
	} else {
		ret = port_pread(&job, reader.fd);
	}
	if (reader.nr_in_flight == 0)
		free(buffers.iov_base);
	close(reader.fd);
	return port_finish(&job, ret);
}
