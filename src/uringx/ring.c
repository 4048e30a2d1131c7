/* SPDX-License-Identifier: MIT */
/*
 * Reads through a ring: the reader's own, or one that the caller uses as well.
 */
#include "reader_impl.h"

#include <errno.h>
#include <pthread.h>
#include <sys/uio.h>
#include <time.h>

#define MAX_STALLS 1000
#define STALL_NSEC 1000000

#define CANCEL_TAG 1

static bool is_own(const struct uringx_reader *reader)
{
	return reader->ring == &reader->own_ring;
}

static void register_buffers(struct uringx_reader *reader)
{
	struct iovec iov;

	/* One buffer for all slots, which must not be larger than the kernel allows. */
	iov.iov_base = reader->slots[0].buf;
	iov.iov_len = (size_t)(reader->slots[reader->depth - 1].buf - reader->slots[0].buf) +
		      reader->block_sz;
	if (iov.iov_len <= 1U << 30)
		reader->fixed_buffers = io_uring_register_buffers(reader->ring, &iov, 1) == 0;
}

/*
 * With deferred task work, completions are worked on only when their thread enters
 * the ring. Without it they interrupt system calls of that thread that have nothing
 * to do with the ring: a write to a pipe comes back short.
 *
 * The ring is enabled by the thread that reads first, and is then its own.
 */
static int make_ring(struct uringx_reader *reader)
{
	int ret = -EINVAL;

	if (!(reader->flags & URINGX_READER_ANY_THREAD))
		ret = io_uring_queue_init(reader->depth, &reader->own_ring,
					  IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN |
						  IORING_SETUP_R_DISABLED);
	reader->one_thread = ret == 0;
	if (ret == -EINVAL)
		ret = io_uring_queue_init(reader->depth, &reader->own_ring, 0);
	return ret;
}

/* Whatever fails here, the reader does without. */
void urx_open_ring(struct uringx_reader *reader)
{
	struct io_uring *ring = &reader->own_ring;
	int ret = make_ring(reader);

	reader->ring_tried = true;
	if (ret < 0) {
		reader->refusal = ret;
		return;
	}
	/* IORING_OP_READ came with the same kernel as this feature. */
	if (!(ring->features & IORING_FEAT_RW_CUR_POS)) {
		io_uring_queue_exit(ring);
		reader->refusal = -EOPNOTSUPP;
		return;
	}
	reader->ring = ring;
	reader->method = URINGX_BY_RING;
	reader->fixed_file = io_uring_register_files(ring, &reader->read_fd, 1) == 0;
	if (reader->flags & URINGX_READER_FIXED)
		register_buffers(reader);
}

static bool is_bound_here(const struct uringx_reader *reader)
{
	return pthread_equal(reader->thread, pthread_self());
}

/* Whether this thread may enter the ring: 0, or a negative errno. */
static int bind_thread(struct uringx_reader *reader)
{
	int ret;

	if (!reader->one_thread)
		return 0;
	if (reader->bound)
		return is_bound_here(reader) ? 0 : -EEXIST;
	ret = io_uring_enable_rings(reader->ring);
	if (ret < 0)
		return ret;
	io_uring_register_ring_fd(reader->ring);
	reader->thread = pthread_self();
	reader->bound = true;
	return 0;
}

/*
 * The kernel frees a ring some time after its end. What is registered is given
 * back before that, so that no file stays open and no memory pinned for longer.
 */
void urx_close_ring(struct uringx_reader *reader)
{
	bool allowed = !reader->bound || is_bound_here(reader);

	if (!reader->ring || !is_own(reader))
		return;
	if (allowed && reader->fixed_file)
		io_uring_unregister_files(reader->ring);
	if (allowed && reader->fixed_buffers)
		io_uring_unregister_buffers(reader->ring);
	io_uring_queue_exit(reader->ring);
	reader->ring = NULL;
}

/* The address in user_data is compared as a number: it may be the caller's. */
static struct urx_slot *slot_of(struct uringx_reader *reader, uint64_t user_data)
{
	uint64_t first = (uintptr_t)reader->slots;
	uint64_t after = (uintptr_t)(reader->slots + reader->depth);

	if (user_data < first || user_data >= after)
		return NULL;
	return &reader->slots[(user_data - first) / sizeof(reader->slots[0])];
}

bool uringx_reader_take(struct uringx_reader *reader,
			const struct io_uring_cqe *cqe) URINGX_NOEXCEPT
{
	uint64_t user_data = io_uring_cqe_get_data64(cqe);
	struct urx_slot *slot = slot_of(reader, user_data);

	if (!slot)
		return false;
	if (user_data & CANCEL_TAG) {
		reader->nr_cancels--;
		return true;
	}
	reader->nr_in_flight--;
	urx_complete_slot(reader, slot, cqe->res);
	return true;
}

/* Returns how many CQEs there were. */
unsigned int urx_reap(struct uringx_reader *reader)
{
	struct io_uring_cqe *cqe;
	unsigned int nr = 0;

	while (io_uring_peek_cqe(reader->ring, &cqe) == 0) {
		if (!uringx_reader_take(reader, cqe) && reader->on_cqe)
			reader->on_cqe(cqe, reader->arg);
		io_uring_cqe_seen(reader->ring, cqe);
		nr++;
	}
	return nr;
}

static void prep_slot(struct uringx_reader *reader, struct urx_slot *slot, struct io_uring_sqe *sqe)
{
	int fd = slot->buffered ? reader->fd : reader->read_fd;
	bool fixed_file = reader->fixed_file && fd == reader->read_fd;
	unsigned int sz = slot->want_sz - slot->req_at;
	unsigned char *buf = slot->buf + slot->req_at;
	uint64_t offset = reader->has_offsets ? slot->offset + slot->req_at : (uint64_t)-1;

	if (fixed_file)
		fd = 0;
	if (reader->fixed_buffers)
		io_uring_prep_read_fixed(sqe, fd, buf, sz, offset, 0);
	else
		io_uring_prep_read(sqe, fd, buf, sz, offset);
	if (fixed_file)
		io_uring_sqe_set_flags(sqe, IOSQE_FIXED_FILE);
	io_uring_sqe_set_data(sqe, slot);
	slot->state = URX_IN_FLIGHT;
	reader->nr_to_issue--;
	reader->nr_in_flight++;
	reader->nr_reads++;
}

/* Takes SQEs for the slots that wait for one, as far as the ring has room. */
static void queue_slots(struct uringx_reader *reader)
{
	struct io_uring_sqe *sqe;
	struct urx_slot *slot;
	unsigned int i;

	for (i = 0; i < reader->nr_used && reader->nr_to_issue > 0; i++) {
		slot = &reader->slots[(reader->head_idx + i) % reader->depth];
		if (slot->state != URX_TO_ISSUE)
			continue;
		sqe = io_uring_get_sqe(reader->ring);
		if (!sqe)
			break;
		prep_slot(reader, slot, sqe);
	}
}

/* The kernel is short of memory, or of room for CQEs: that passes. */
static int note_stall(struct uringx_reader *reader, int err)
{
	struct timespec pause = { .tv_nsec = STALL_NSEC };

	if (reader->nr_stalls++ == MAX_STALLS)
		return err;
	nanosleep(&pause, NULL);
	return 0;
}

/*
 * One enter: submits, waits for a CQE if told to, and reaps. Returns 0, -EINTR
 * where a signal ended the wait, or another negative errno.
 */
static int enter(struct uringx_reader *reader, bool wait)
{
	struct io_uring *ring = reader->ring;
	unsigned int nr_queued = io_uring_sq_ready(ring);
	unsigned int nr_reaped;
	int ret;

	reader->nr_calls++;
	ret = wait ? io_uring_submit_and_wait(ring, 1) : io_uring_submit(ring);
	nr_reaped = urx_reap(reader);
	if (nr_reaped > 0 && (ret >= 0 || ret == -EAGAIN || ret == -EBUSY || ret == -EINTR)) {
		reader->nr_stalls = 0;
		return 0;
	}
	if (ret == -EAGAIN || ret == -EBUSY)
		return note_stall(reader, ret);
	if (ret == 0 && nr_queued > 0 && io_uring_sq_ready(ring) == nr_queued)
		return note_stall(reader, -EAGAIN);
	if (ret < 0)
		return ret;
	reader->nr_stalls = 0;
	/* A signal after a submit is not reported. */
	return wait && ret > 0 && io_uring_sq_ready(ring) == 0 ? -EINTR : 0;
}

/*
 * The ring is there and cannot be entered, as under some seccomp filters. Nothing
 * is in flight that the kernel has taken, so that pread can take over.
 */
static bool give_ring_up(struct uringx_reader *reader, int err)
{
	if (!is_own(reader) || (reader->bound && err == -EEXIST) ||
	    reader->nr_in_flight + reader->nr_cancels > io_uring_sq_ready(reader->ring))
		return false;
	urx_close_ring(reader);
	reader->refusal = err;
	reader->method = URINGX_BY_PREAD;
	reader->nr_in_flight = 0;
	reader->nr_to_issue = 0;
	reader->nr_cancels = 0;
	reader->nr_used = 0;
	return true;
}

int urx_run_ring(struct uringx_reader *reader, struct urx_slot *head)
{
	bool nowait = reader->flags & URINGX_READER_NOWAIT;
	unsigned int nr_in_flight;
	int ret = bind_thread(reader);

	if (ret < 0)
		return give_ring_up(reader, ret) ? 0 : ret;
	for (;;) {
		nr_in_flight = reader->nr_in_flight;
		queue_slots(reader);
		if (head->state == URX_DONE && nr_in_flight == reader->nr_in_flight)
			return 0;
		if (nowait && nr_in_flight == reader->nr_in_flight &&
		    io_uring_sq_ready(reader->ring) == 0)
			return -EAGAIN;
		ret = enter(reader, !nowait && head->state == URX_IN_FLIGHT);
		/* With a polling thread, it is this that makes room for more SQEs. */
		if (head->state == URX_TO_ISSUE)
			io_uring_sqring_wait(reader->ring);
		if (head->state == URX_DONE)
			return 0;
		if (ret == -EINTR && reader->has_offsets)
			continue;
		if (ret < 0)
			return give_ring_up(reader, ret) ? 0 : ret;
	}
}

static int queue_cancels(struct uringx_reader *reader)
{
	struct io_uring_sqe *sqe;
	struct urx_slot *slot;
	unsigned int i;
	int ret = 0;

	for (i = 0; i < reader->nr_used && ret == 0; i++) {
		slot = &reader->slots[(reader->head_idx + i) % reader->depth];
		while (slot->state == URX_IN_FLIGHT && ret == 0) {
			sqe = io_uring_get_sqe(reader->ring);
			if (sqe) {
				io_uring_prep_cancel(sqe, slot, 0);
				io_uring_sqe_set_data64(sqe, (uintptr_t)slot | CANCEL_TAG);
				reader->nr_cancels++;
				break;
			}
			ret = enter(reader, false);
			if (ret == -EINTR)
				ret = 0;
		}
	}
	return ret;
}

int urx_settle_ring(struct uringx_reader *reader, bool cancel)
{
	int ret;

	if (!reader->ring || reader->nr_in_flight == 0)
		return 0;
	ret = bind_thread(reader);
	if (ret < 0)
		return ret;
	reader->draining = true;
	urx_reap(reader);
	if (cancel)
		ret = queue_cancels(reader);
	while (ret == 0 && reader->nr_in_flight + reader->nr_cancels > 0) {
		ret = enter(reader, true);
		if (ret == -EINTR)
			ret = 0;
	}
	if (ret < 0 && give_ring_up(reader, ret))
		ret = 0;
	reader->draining = false;
	return ret;
}
