/* SPDX-License-Identifier: MIT */
/*
 * The window of blocks: what is asked for, what a result means, what is next.
 */
#include "reader_impl.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

/* More than this in one call the kernel does not read. */
#define MAX_COUNT 0x7ffff000U

struct urx_slot *urx_head(struct uringx_reader *reader)
{
	return &reader->slots[reader->head_idx];
}

static void pop_head(struct uringx_reader *reader)
{
	reader->head_idx = (reader->head_idx + 1) % reader->depth;
	/* Where nothing is read ahead, one buffer does, and stays in the CPU's cache. */
	if (--reader->nr_used == 0)
		reader->head_idx = 0;
}

void urx_clear_window(struct uringx_reader *reader)
{
	reader->nr_used = 0;
	reader->nr_to_issue = 0;
}

/* Drops the slots that are done and lie before pos. */
void urx_release_slots(struct uringx_reader *reader)
{
	struct urx_slot *head = urx_head(reader);

	while (reader->nr_used > 0 && head->state == URX_DONE &&
	       reader->pos >= head->offset + head->want_sz) {
		pop_head(reader);
		head = urx_head(reader);
	}
}

int urx_drain(struct uringx_reader *reader)
{
	int ret = urx_settle_ring(reader, false);

	if (ret == 0)
		urx_clear_window(reader);
	return ret;
}

void urx_ask_size(struct uringx_reader *reader)
{
	struct stat st;
	uint64_t sz;

	if (!reader->has_offsets)
		return;
	reader->nr_calls++;
	if (reader->is_block_device) {
		if (ioctl(reader->fd, BLKGETSIZE64, &sz) == 0)
			reader->size = sz;
	} else if (fstat(reader->fd, &st) == 0) {
		reader->size = (uint64_t)st.st_size;
	}
}

/* Up to where there is something to read ahead. */
static uint64_t known_end(const struct uringx_reader *reader)
{
	return urx_min(reader->size, reader->end);
}

void urx_want_ring(struct uringx_reader *reader)
{
	if (reader->ring_tried || reader->depth == 1 || known_end(reader) <= reader->pos ||
	    known_end(reader) - reader->pos <= reader->block_sz)
		return;
	urx_open_ring(reader);
}

/* The request is to be made (again), for what is not there yet. */
static void issue_slot(struct uringx_reader *reader, struct urx_slot *slot)
{
	slot->req_at = (unsigned int)urx_align_down(reader, slot->got_sz);
	slot->state = URX_TO_ISSUE;
	reader->nr_to_issue++;
}

static void add_slot(struct uringx_reader *reader, bool fresh)
{
	struct urx_slot *slot =
		&reader->slots[(reader->head_idx + reader->nr_used) % reader->depth];

	slot->offset = urx_align_down(reader, reader->next_off);
	slot->before_sz = (unsigned int)(reader->next_off - slot->offset);
	slot->want_sz = (unsigned int)urx_min(reader->block_sz,
					      urx_align_up(reader, reader->end - slot->offset));
	slot->got_sz = 0;
	slot->nr_retries = 0;
	slot->err = 0;
	slot->fresh = fresh;
	slot->buffered = false;
	reader->nr_used++;
	reader->next_off = slot->offset + slot->want_sz;
	issue_slot(reader, slot);
}

/*
 * Adds slots to the window. Ahead of pos, half of the depth at a time, so that
 * one enter is made for many blocks; or a single one, where nothing is known
 * to lie ahead.
 */
static void refill(struct uringx_reader *reader)
{
	uint64_t known = known_end(reader);
	unsigned int nr_free = reader->depth - reader->nr_used;

	if (reader->nr_used == 0)
		reader->next_off = reader->pos;
	if (reader->method == URINGX_BY_RING && !reader->look_again) {
		if (reader->nr_used > 0 && nr_free < (reader->depth + 1) / 2 &&
		    urx_head(reader)->state == URX_DONE)
			return;
		while (reader->nr_used < reader->depth && reader->next_off < known)
			add_slot(reader, false);
	}
	if (reader->nr_used == 0)
		add_slot(reader, true);
}

static bool may_retry(const struct uringx_reader *reader, int res)
{
	if (res == -ECANCELED)
		return true;
	return reader->has_offsets && (res == -EINTR || res == -EAGAIN);
}

/*
 * Takes in what a read has answered. A count below what was asked for is not the
 * end; only 0 is. With direct I/O the rest is asked for from the alignment
 * before it on, and there it is the end when nothing beyond comes.
 */
void urx_complete_slot(struct uringx_reader *reader, struct urx_slot *slot, int res)
{
	unsigned int got_sz;

	slot->state = URX_DONE;
	if (res > 0) {
		slot->nr_retries = 0;
		got_sz = slot->req_at + (unsigned int)res;
		if (got_sz <= slot->got_sz)
			return;
		slot->got_sz = got_sz;
		if (slot->fresh && got_sz > slot->before_sz) {
			slot->want_sz = got_sz;
			reader->next_off = slot->offset + got_sz;
		} else if (!slot->fresh && got_sz < slot->want_sz &&
			   slot->offset + got_sz != reader->size && !reader->draining) {
			issue_slot(reader, slot);
		}
	} else if (res < 0 && !reader->draining && may_retry(reader, res) &&
		   slot->nr_retries < URX_MAX_RETRIES) {
		slot->nr_retries++;
		issue_slot(reader, slot);
	} else if (res == -EINVAL && !reader->draining && reader->direct_fd >= 0 &&
		   !slot->buffered) {
		slot->buffered = true;
		issue_slot(reader, slot);
	} else if (res < 0) {
		slot->err = res;
	}
}

bool urx_reads_plainly(struct uringx_reader *reader)
{
	urx_want_ring(reader);
	return !reader->ring && reader->align == 1 && reader->nr_used == 0;
}

int urx_pread(struct uringx_reader *reader, int fd, void *buf, size_t count, uint64_t offset)
{
	ssize_t res;

	if (count > MAX_COUNT)
		count = MAX_COUNT;
	reader->nr_reads++;
	reader->nr_calls++;
	res = pread(fd, buf, count, (off_t)offset);
	return res < 0 ? -errno : (int)res;
}

/* Fills the slot without a ring. */
static void read_slot(struct uringx_reader *reader, struct urx_slot *slot)
{
	int fd, res;

	while (slot->state != URX_DONE) {
		fd = slot->buffered ? reader->fd : reader->read_fd;
		reader->nr_to_issue--;
		res = urx_pread(reader, fd, slot->buf + slot->req_at, slot->want_sz - slot->req_at,
				slot->offset + slot->req_at);
		urx_complete_slot(reader, slot, res);
	}
}

static int deliver_error(struct uringx_reader *reader, int err)
{
	int ret;

	if (!reader->has_offsets && (err == -EAGAIN || err == -EINTR)) {
		urx_clear_window(reader);
		return err;
	}
	ret = urx_drain(reader);
	if (ret < 0)
		return ret;
	reader->failed = true;
	return err;
}

/* The end has come, as the head says. Returns 1 where that is not certain. */
static int deliver_end(struct uringx_reader *reader, bool fresh)
{
	int ret = urx_drain(reader);

	if (ret < 0)
		return ret;
	urx_ask_size(reader);
	reader->look_again = !fresh;
	return fresh ? 0 : 1;
}

ssize_t urx_fill(struct uringx_reader *reader)
{
	struct urx_slot *head;
	int ret;

	for (;;) {
		if (reader->held_err)
			break;
		if (reader->failed || reader->pos >= reader->end)
			return 0;
		urx_release_slots(reader);
		if (reader->nr_used > 0 && urx_head(reader)->state == URX_IN_FLIGHT)
			urx_reap(reader);
		urx_want_ring(reader);
		refill(reader);
		head = urx_head(reader);
		if (reader->ring) {
			ret = urx_run_ring(reader, head);
			if (ret < 0)
				return ret;
			if (reader->nr_used == 0)
				continue;
		} else {
			read_slot(reader, head);
		}
		if (reader->pos >= head->offset + head->want_sz)
			continue;
		if (head->offset + head->got_sz > reader->pos) {
			reader->look_again = false;
			if (head->fresh && head->offset + head->got_sz > reader->size)
				urx_ask_size(reader);
			return (ssize_t)(urx_min(head->offset + head->got_sz, reader->end) -
					 reader->pos);
		}
		if (head->err)
			return deliver_error(reader, head->err);
		ret = deliver_end(reader, head->fresh);
		if (ret <= 0)
			return ret;
	}
	ret = reader->held_err;
	reader->held_err = 0;
	reader->failed = true;
	return ret;
}
