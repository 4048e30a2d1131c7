/* SPDX-License-Identifier: MIT */
/*
 * Step 4 - the same with what each request needs registered once: the file, so that it
 * is not looked up for each, and the buffers, so that their pages are not.
 *
 * What differs from step 3 is queue_slot, register_all and the ring's flags.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

#include "../common/porting.h"

#define DEPTH 16

struct slot {
	unsigned char *buf;
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
	bool registered;
};

/* A registered file goes by its index in the table, and so does a registered buffer. */
static void queue_slot(struct reader *reader, struct slot *slot)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&reader->ring);
	unsigned char *buf = slot->buf + slot->got;
	unsigned int sz = PORT_BLOCK_SZ - slot->got;
	uint64_t offset = slot->offset + slot->got;

	if (!sqe) {
		slot->err = -EBUSY;
		return;
	}
	if (reader->registered) {
		io_uring_prep_read_fixed(sqe, 0, buf, sz, offset, 0);
		/* After the prep function, which in other versions clears the flags. */
		io_uring_sqe_set_flags(sqe, IOSQE_FIXED_FILE);
	} else {
		io_uring_prep_read(sqe, reader->fd, buf, sz, offset);
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
	int err = 0;
	int ret;

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

/*
 * Registered memory is pinned, and counts against RLIMIT_MEMLOCK (8 MiB for most
 * users): where it is refused, do without. All buffers are one here, index 0.
 */
static void register_all(struct reader *reader, void *memory)
{
	struct iovec buffers = { memory, DEPTH * PORT_BLOCK_SZ };

	if (io_uring_register_buffers(&reader->ring, &buffers, 1) < 0)
		return;
	reader->registered = io_uring_register_files(&reader->ring, &reader->fd, 1) == 0;
}

/* The ring is taken down some time after its exit: give back now what it holds. */
static void unregister_all(struct reader *reader)
{
	io_uring_unregister_buffers(&reader->ring);
	io_uring_unregister_files(&reader->ring);
}

int main(int argc, char **argv)
{
	/* For a ring of one thread: completions wait until it asks for them. Linux 6.1. */
	const unsigned int flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN;
	static struct reader reader;
	struct port_job job;
	void *memory;
	int i, ret;

	reader.fd = port_start_file(&job, argc, argv);
	if (posix_memalign(&memory, 4096, DEPTH * PORT_BLOCK_SZ) != 0)
		return port_finish(&job, -ENOMEM);
	for (i = 0; i < DEPTH; i++)
		reader.slots[i].buf = (unsigned char *)memory + i * PORT_BLOCK_SZ;
	ret = io_uring_queue_init(DEPTH, &reader.ring, flags);
	if (ret == 0 || port_open_ring(&reader.ring, DEPTH, 0) == 0) {
		register_all(&reader, memory);
		ret = read_all(&job, &reader);
		unregister_all(&reader);
		io_uring_queue_exit(&reader.ring);
	} else {
		ret = port_pread(&job, reader.fd);
	}
	if (reader.nr_in_flight == 0)
		free(memory);
	close(reader.fd);
	return port_finish(&job, ret);
}
