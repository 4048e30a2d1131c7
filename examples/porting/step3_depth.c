/* SPDX-License-Identifier: MIT */
/*
 * Step 3 - a fixed number of reads in flight. They complete in any order; the bytes
 * are handed on in the order of the file.
 *
 * The slots are a circle: from head on lie the blocks that are asked for, in the
 * order of their offsets. Only the head is handed on, when it is done.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "../common/porting.h"

#define DEPTH 16

struct slot {
	unsigned char *buf; /* the kernel's from the submit until the CQE, whatever happens */
	uint64_t offset;
	unsigned int got; /* bytes of the block that are there */
	unsigned int nr_retries;
	int err;
	bool queued; /* has an SQE, or is in flight */
};

struct reader {
	int fd;
	struct io_uring ring;
	struct slot slots[DEPTH];
	unsigned int head;
	unsigned int nr_used;
	unsigned int nr_in_flight;
	uint64_t next_offset;
	bool stopping; /* end or error: nothing new is asked for */
};

/* Asks for what the slot lacks. The slot's address finds it again when it completes. */
static void queue_slot(struct reader *reader, struct slot *slot)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&reader->ring);

	if (!sqe) {
		slot->err = -EBUSY;
		return;
	}
	io_uring_prep_read(sqe, reader->fd, slot->buf + slot->got, PORT_BLOCK_SZ - slot->got,
			   slot->offset + slot->got);
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

/* A short read is asked to go on; 0 leaves the block as the one in which the file ends. */
static void take_result(struct reader *reader, struct slot *slot, int res)
{
	slot->queued = false;
	reader->nr_in_flight--;
	if (res > 0) {
		slot->got += (unsigned int)res;
		slot->nr_retries = 0;
		if (slot->got < PORT_BLOCK_SZ && !reader->stopping)
			queue_slot(reader, slot);
	} else if ((res == -EINTR || res == -EAGAIN) &&
		   slot->nr_retries++ < PORT_MAX_RETRIES && !reader->stopping) {
		queue_slot(reader, slot);
	} else if (res < 0) {
		slot->err = res;
	}
}

/* One system call: submits what is queued and waits for a completion. */
static int turn(struct port_job *job, struct reader *reader)
{
	struct io_uring_cqe *cqe;
	int ret = io_uring_submit_and_wait(&reader->ring, reader->nr_in_flight > 0);

	job->nr_calls++;
	/* All that are there, since one call can bring many. */
	while (io_uring_peek_cqe(&reader->ring, &cqe) == 0) {
		take_result(reader, io_uring_cqe_get_data(cqe), cqe->res);
		io_uring_cqe_seen(&reader->ring, cqe);
	}
	/*
	 * Short of memory, or of room for CQEs. What is queued stays queued, and as long
	 * as something is in flight, its end makes room.
	 */
	if ((ret == -EAGAIN || ret == -EBUSY) &&
	    reader->nr_in_flight > io_uring_sq_ready(&reader->ring))
		return 0;
	return ret < 0 && ret != -EINTR ? ret : 0;
}

/*
 * Hands on what is complete. The first block that is not full when its reads are
 * done is where the file ends, or fails; later ones do not count, though those
 * beyond the end have come back before it.
 */
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
	int err = 0;
	int ret;

	while (!reader->stopping && err == 0) {
		fill_window(reader);
		err = turn(job, reader);
		if (err == 0)
			err = deliver(job, reader);
	}
	/* The rest is of no use, but its buffers are in use: wait for it. */
	reader->stopping = true;
	while (reader->nr_in_flight > 0) {
		ret = turn(job, reader);
		if (ret < 0)
			return ret;
	}
	return err;
}

int main(int argc, char **argv)
{
	static struct reader reader;
	struct port_job job;
	void *memory;
	int i, ret = 0;

	reader.fd = port_start_file(&job, argc, argv);
	if (posix_memalign(&memory, 4096, DEPTH * PORT_BLOCK_SZ) != 0)
		return port_finish(&job, -ENOMEM);
	for (i = 0; i < DEPTH; i++)
		reader.slots[i].buf = (unsigned char *)memory + i * PORT_BLOCK_SZ;
	if (port_open_ring(&reader.ring, DEPTH, 0) == 0) {
		ret = read_all(&job, &reader);
		io_uring_queue_exit(&reader.ring);
	} else {
		ret = port_pread(&job, reader.fd);
	}
	/* What is still in flight after an error of the ring may still be written to. */
	if (reader.nr_in_flight == 0)
		free(memory);
	close(reader.fd);
	return port_finish(&job, ret);
}
