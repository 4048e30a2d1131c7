/* SPDX-License-Identifier: MIT */
/*
 * What the sources of the reader share.
 *
 * The blocks from the one that is delivered now up to the last one asked for
 * are the window: slots in a circle, in the order of their offsets. Each has
 * its own buffer. A slot is filled by one read or, where reads come back short,
 * by several; the slot at the head is delivered when it is done.
 */
#ifndef URINGX_READER_IMPL_H
#define URINGX_READER_IMPL_H

#include <liburing.h>
#include <pthread.h>
#include <uringx/reader.h>

#define URX_MAX_RETRIES 16
/* The least alignment of the buffers. */
#define URX_PAGE_SZ 4096

enum urx_state {
	URX_TO_ISSUE,	/* waits for an SQE, or for a pread */
	URX_IN_FLIGHT,	/* from the taking of the SQE to the CQE */
	URX_DONE,
};

struct urx_slot {
	unsigned char *buf;
	uint64_t offset;	/* in the file, of buf[0]; in a stream the bytes before it */
	unsigned int want_sz;	/* the slot is full then */
	unsigned int got_sz;
	unsigned int before_sz;	/* leading bytes that nobody asked for */
	unsigned int req_at;	/* where in buf the last request began */
	unsigned int nr_retries;
	int err;		/* negative; comes after the got_sz bytes */
	enum urx_state state;
	bool fresh;		/* asked for when all before it was delivered: 0 is the end */
	bool buffered;		/* direct I/O has refused it */
};

struct uringx_reader {
	int fd;			/* the caller's */
	int direct_fd;		/* the same file opened with O_DIRECT, or -1 */
	int read_fd;		/* the one of the two to read from */
	bool has_offsets;
	bool is_block_device;
	enum uringx_method method;
	unsigned int flags;
	unsigned int block_sz;
	unsigned int depth;
	unsigned int align;	/* of offsets, lengths and addresses; a power of two */

	uint64_t pos;		/* of the next byte to deliver */
	uint64_t end;		/* where the limit is */
	uint64_t size;		/* of the file when last asked; 0 where unknown */
	uint64_t next_off;	/* where the window ends */
	unsigned int head_idx;
	unsigned int nr_used;
	bool look_again;	/* the end was read ahead: ask again before saying so */
	bool failed;		/* the error was delivered */
	int held_err;		/* an error after bytes that uringx_reader_read gave */

	struct io_uring *ring;	/* NULL without */
	struct io_uring own_ring;
	bool ring_tried;
	bool one_thread;	/* the ring is for the thread that uses it first */
	bool bound;
	pthread_t thread;
	bool fixed_buffers;
	bool fixed_file;
	bool draining;		/* results are only waited for */
	int refusal;
	unsigned int nr_in_flight;
	unsigned int nr_to_issue;
	unsigned int nr_cancels;
	unsigned int nr_stalls;
	void (*on_cqe)(struct io_uring_cqe *cqe, void *arg);
	void *arg;

	uint64_t nr_reads;
	uint64_t nr_calls;
	size_t memory_sz;	/* of the piece of memory that all of this is in */
	struct urx_slot slots[];
};

#pragma GCC visibility push(hidden)

/* direct.c: choose read_fd and align. */
void urx_choose_direct(struct uringx_reader *reader);

/* window.c */
struct urx_slot *urx_head(struct uringx_reader *reader);
void urx_clear_window(struct uringx_reader *reader);
void urx_release_slots(struct uringx_reader *reader);
void urx_complete_slot(struct uringx_reader *reader, struct urx_slot *slot, int res);
/*
 * The number of bytes that lie at pos in the head's buffer, 0 at the end, or a
 * negative errno. Waits for them.
 */
ssize_t urx_fill(struct uringx_reader *reader);
/* Waits for all that is in flight and empties the window. 0 or a negative errno. */
int urx_drain(struct uringx_reader *reader);
void urx_ask_size(struct uringx_reader *reader);
/* Makes a ring where one is worth it: there is more than one block to read. */
void urx_want_ring(struct uringx_reader *reader);
/* Whether pread into the caller's memory is the way. */
bool urx_reads_plainly(struct uringx_reader *reader);
int urx_pread(struct uringx_reader *reader, int fd, void *buf, size_t count, uint64_t offset);

/* ring.c */
void urx_open_ring(struct uringx_reader *reader);
void urx_close_ring(struct uringx_reader *reader);
/* Takes in the CQEs that are there; returns how many. */
unsigned int urx_reap(struct uringx_reader *reader);
/* Brings the head slot to URX_DONE, or returns a negative errno. */
int urx_run_ring(struct uringx_reader *reader, struct urx_slot *head);
/* Waits until nothing is in flight, after cancelling it if that is asked for. */
int urx_settle_ring(struct uringx_reader *reader, bool cancel);

#pragma GCC visibility pop

static inline uint64_t urx_align_down(const struct uringx_reader *reader, uint64_t value)
{
	return value & ~((uint64_t)reader->align - 1);
}

static inline uint64_t urx_align_up(const struct uringx_reader *reader, uint64_t value)
{
	return urx_align_down(reader, value + reader->align - 1);
}

static inline uint64_t urx_min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

#endif
