/* SPDX-License-Identifier: MIT */
/*
 * Each block has a slot, in which it is first read and then written, both for as
 * often as it takes. Blocks are written in the order in which their reads end.
 */
#include "cp_engine.h"

#include <errno.h>
#include <liburing.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define ALIGN 4096U
#define MAX_RETRIES 16

struct slot {
	unsigned char *buf;
	uint64_t offset;
	unsigned int want;
	unsigned int got; /* bytes read */
	unsigned int put; /* bytes written */
	unsigned int nr_retries;
	bool writing;
	bool buffered; /* direct I/O was refused */
	struct slot *next; /* of the idle ones */
};

struct cp_engine {
	struct io_uring ring;
	struct slot *slots;
	struct slot *idle;
	unsigned char *memory;
	unsigned int depth;
	unsigned int block_sz;
	unsigned int nr_in_flight;
	bool fixed; /* the buffers are registered */
	struct cp_files *files;
	uint64_t next_offset;
	uint64_t data_end; /* of the piece between two holes that next_offset is in */
	uint64_t size;	   /* of the source; less where a read has found the end */
	int err;
	uint64_t good_sz; /* after an error: where the first gap is */
	const volatile sig_atomic_t *stop;
	void (*on_turn)(const struct cp_files *files);
};

static int slot_fd(const struct cp_engine *engine, const struct slot *slot)
{
	const struct cp_files *files = engine->files;
	uint64_t offset = slot->offset + (slot->writing ? slot->put : slot->got);
	unsigned int sz = slot->writing ? slot->got - slot->put : slot->want - slot->got;
	int direct_fd = slot->writing ? files->dst_direct_fd : files->src_direct_fd;

	if (direct_fd >= 0 && !slot->buffered && (offset | sz) % ALIGN == 0)
		return direct_fd;
	return slot->writing ? files->dst_fd : files->src_fd;
}

static void fail(struct cp_engine *engine, const struct slot *slot, int err)
{
	if (engine->err == 0) {
		engine->err = err;
		engine->files->writing = slot->writing;
	}
	if (slot->offset + slot->put < engine->good_sz)
		engine->good_sz = slot->offset + slot->put;
}

static void retire_slot(struct cp_engine *engine, struct slot *slot)
{
	slot->next = engine->idle;
	engine->idle = slot;
}

/* Reads or writes what the slot lacks. There is an SQE for each slot. */
static void queue_slot(struct cp_engine *engine, struct slot *slot)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&engine->ring);
	int fd = slot_fd(engine, slot);
	unsigned char *buf = slot->buf + (slot->writing ? slot->put : slot->got);
	uint64_t offset = slot->offset + (slot->writing ? slot->put : slot->got);

	if (!sqe) {
		fail(engine, slot, -EBUSY);
		retire_slot(engine, slot);
		return;
	}
	if (slot->writing && engine->fixed)
		io_uring_prep_write_fixed(sqe, fd, buf, slot->got - slot->put, offset, 0);
	else if (slot->writing)
		io_uring_prep_write(sqe, fd, buf, slot->got - slot->put, offset);
	else if (engine->fixed)
		io_uring_prep_read_fixed(sqe, fd, buf, slot->want - slot->got, offset, 0);
	else
		io_uring_prep_read(sqe, fd, buf, slot->want - slot->got, offset);
	io_uring_sqe_set_data(sqe, slot);
	engine->nr_in_flight++;
}

static void take_read(struct cp_engine *engine, struct slot *slot, int res)
{
	if (res > 0)
		slot->got += (unsigned int)res;
	if (res == 0 || slot->offset + slot->got >= engine->size)
		slot->want = slot->got;
	/* The source was truncated: what is beyond is not copied. */
	if (res == 0 && slot->offset + slot->got < engine->size)
		engine->size = slot->offset + slot->got;
	slot->writing = slot->got == slot->want;
}

/* A request has ended: go on with the rest, with the write, or not at all. */
static void take_result(struct cp_engine *engine, struct slot *slot, int res)
{
	bool passes = res == -EINTR || res == -EAGAIN;

	engine->nr_in_flight--;
	if (res == -EINVAL && !slot->buffered) {
		slot->buffered = true;
	} else if (res < 0 && !(passes && slot->nr_retries++ < MAX_RETRIES)) {
		fail(engine, slot, res);
	} else if (res >= 0 && slot->writing) {
		slot->put += (unsigned int)res;
		if (res == 0)
			fail(engine, slot, -EIO);
	} else if (res >= 0) {
		take_read(engine, slot, res);
	}
	if (slot->writing && slot->put == slot->got) {
		engine->files->nr_done += slot->got;
		retire_slot(engine, slot);
	} else if (engine->err < 0) {
		fail(engine, slot, engine->err);
		retire_slot(engine, slot);
	} else {
		queue_slot(engine, slot);
	}
}

/* Goes over a hole. Where holes cannot be asked for, all is data. */
static void skip_hole(struct cp_engine *engine)
{
	int fd = engine->files->src_fd;
	off_t data = lseek(fd, (off_t)engine->next_offset, SEEK_DATA);
	off_t hole = -1;

	if (data < 0 && errno == ENXIO)
		data = (off_t)engine->size;
	else if (data < 0)
		data = (off_t)engine->next_offset;
	else
		hole = lseek(fd, data, SEEK_HOLE);
	engine->files->nr_done += (uint64_t)data - engine->next_offset;
	engine->next_offset = (uint64_t)data;
	engine->data_end = hole < 0 ? engine->size : (uint64_t)hole;
}

/* Puts idle slots to work, as long as there is something to copy. */
static void start_slots(struct cp_engine *engine)
{
	struct slot *slot;
	uint64_t left;

	while (engine->idle && engine->err == 0 && engine->next_offset < engine->size) {
		if (engine->next_offset >= engine->data_end) {
			skip_hole(engine);
			continue;
		}
		slot = engine->idle;
		engine->idle = slot->next;
		slot->offset = engine->next_offset;
		left = engine->data_end - engine->next_offset;
		slot->want = engine->block_sz;
		if (left < engine->block_sz)
			slot->want = ((unsigned int)left + ALIGN - 1) / ALIGN * ALIGN;
		slot->got = 0;
		slot->put = 0;
		slot->nr_retries = 0;
		slot->writing = false;
		slot->buffered = false;
		engine->next_offset += slot->want;
		queue_slot(engine, slot);
	}
}

/* One system call, and what it brings. */
static int turn(struct cp_engine *engine)
{
	struct io_uring_cqe *cqe;
	int ret = io_uring_submit_and_wait(&engine->ring, 1);

	while (io_uring_peek_cqe(&engine->ring, &cqe) == 0) {
		take_result(engine, io_uring_cqe_get_data(cqe), cqe->res);
		io_uring_cqe_seen(&engine->ring, cqe);
	}
	if (*engine->stop && engine->err == 0)
		engine->err = -EINTR;
	if (engine->on_turn)
		engine->on_turn(engine->files);
	if (ret == -EINTR || ((ret == -EAGAIN || ret == -EBUSY) &&
			      engine->nr_in_flight > io_uring_sq_ready(&engine->ring)))
		return 0;
	return ret;
}

/* Copies up to the size that is known. Returns an error of the ring. */
static int copy_known(struct cp_engine *engine)
{
	int ret = 0;

	start_slots(engine);
	while (ret >= 0 && engine->nr_in_flight > 0) {
		ret = turn(engine);
		start_slots(engine);
	}
	return ret < 0 ? ret : 0;
}

int cp_engine_copy(struct cp_engine *engine, struct cp_files *files)
{
	struct stat st;
	uint64_t old_size;
	int ret = 0;

	engine->files = files;
	engine->next_offset = 0;
	engine->data_end = 0;
	engine->size = 0;
	engine->err = 0;
	engine->good_sz = UINT64_MAX;
	files->nr_done = 0;
	files->writing = false;
	/* Until it has not grown meanwhile, or has no more to give than before. */
	do {
		if (fstat(files->src_fd, &st) < 0)
			return -errno;
		old_size = engine->size;
		if ((uint64_t)st.st_size <= old_size)
			break;
		if (engine->next_offset > old_size)
			engine->next_offset = old_size;
		engine->data_end = engine->next_offset;
		engine->size = (uint64_t)st.st_size;
		ret = copy_known(engine);
	} while (ret == 0 && engine->err == 0 && engine->size > old_size);
	if (ret < 0)
		return ret;
	if (engine->err < 0 && engine->good_sz > engine->next_offset)
		engine->good_sz = engine->next_offset;
	if (ftruncate(files->dst_fd,
		      (off_t)(engine->err < 0 ? engine->good_sz : engine->size)) < 0 &&
	    engine->err == 0) {
		files->writing = true;
		return -errno;
	}
	return engine->err;
}

int cp_engine_open(struct cp_engine **made, unsigned int depth, unsigned int block_sz,
		   const volatile sig_atomic_t *stop)
{
	struct cp_engine *engine = calloc(1, sizeof(*engine));
	void *memory = NULL;
	struct iovec buffers;
	unsigned int i;
	int ret = -ENOMEM;

	if (!engine)
		return ret;
	engine->slots = calloc(depth, sizeof(*engine->slots));
	if (!engine->slots || posix_memalign(&memory, ALIGN, (size_t)depth * block_sz) != 0)
		goto free_memory;
	ret = io_uring_queue_init(depth, &engine->ring,
				  IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN);
	if (ret == -EINVAL)
		ret = io_uring_queue_init(depth, &engine->ring, 0);
	if (ret < 0)
		goto free_memory;
	/* An enter that does nothing: a filter may allow set-up and refuse what comes after it. */
	ret = io_uring_get_events(&engine->ring);
	if (ret < 0) {
		io_uring_queue_exit(&engine->ring);
		goto free_memory;
	}
	buffers.iov_base = memory;
	buffers.iov_len = (size_t)depth * block_sz;
	/* Refused where RLIMIT_MEMLOCK is small: it works without. */
	engine->fixed = io_uring_register_buffers(&engine->ring, &buffers, 1) == 0;
	engine->memory = memory;
	engine->depth = depth;
	engine->block_sz = block_sz;
	engine->stop = stop;
	for (i = 0; i < depth; i++) {
		engine->slots[i].buf = engine->memory + (size_t)i * block_sz;
		retire_slot(engine, &engine->slots[i]);
	}
	*made = engine;
	return 0;

free_memory:
	free(memory);
	free(engine->slots);
	free(engine);
	return ret;
}

void cp_engine_on_turn(struct cp_engine *engine, void (*on_turn)(const struct cp_files *files))
{
	engine->on_turn = on_turn;
}

void cp_engine_close(struct cp_engine *engine)
{
	if (!engine)
		return;
	if (engine->fixed)
		io_uring_unregister_buffers(&engine->ring);
	io_uring_queue_exit(&engine->ring);
	/* After an error of the ring, the kernel may still write to the buffers. */
	if (engine->nr_in_flight == 0)
		free(engine->memory);
	free(engine->slots);
	free(engine);
}
