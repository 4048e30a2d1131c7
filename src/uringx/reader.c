/* SPDX-License-Identifier: MIT */
/*
 * Taking bytes out of a reader.
 */
#include "reader_impl.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

static const unsigned char *bytes_at_pos(struct uringx_reader *reader)
{
	struct urx_slot *head = urx_head(reader);

	return head->buf + (reader->pos - head->offset);
}

/* Without offsets and without a ring there is no window: a read is a read. */
static bool is_plain_stream(const struct uringx_reader *reader)
{
	return reader->method == URINGX_BY_READ;
}

static ssize_t read_stream(struct uringx_reader *reader, void *buf, size_t count)
{
	ssize_t res;

	if (reader->pos == reader->end)
		return 0;
	count = (size_t)urx_min(count, reader->end - reader->pos);
	reader->nr_reads++;
	reader->nr_calls++;
	res = read(reader->fd, buf, count);
	if (res < 0)
		return -errno;
	reader->pos += (uint64_t)res;
	return res;
}

ssize_t uringx_reader_next(struct uringx_reader *reader, const void **block) URINGX_NOEXCEPT
{
	int saved_errno = errno;
	ssize_t ret;

	*block = NULL;
	if (is_plain_stream(reader)) {
		ret = read_stream(reader, reader->slots[0].buf, reader->block_sz);
		if (ret > 0)
			*block = reader->slots[0].buf;
	} else {
		ret = urx_fill(reader);
		if (ret > 0) {
			*block = bytes_at_pos(reader);
			reader->pos += (uint64_t)ret;
		}
	}
	errno = saved_errno;
	return ret;
}

/* Straight into the caller's memory, where nothing is read ahead. */
static ssize_t read_plainly(struct uringx_reader *reader, void *buf, size_t count)
{
	unsigned int nr_retries = 0;
	int res;

	count = (size_t)urx_min(count, reader->end - reader->pos);
	do {
		res = urx_pread(reader, reader->read_fd, buf, count, reader->pos);
	} while ((res == -EINTR || res == -EAGAIN) && nr_retries++ < URX_MAX_RETRIES);
	if (res > 0)
		reader->pos += (uint64_t)res;
	else if (res == 0)
		urx_ask_size(reader);
	else
		reader->failed = true;
	return res;
}

static ssize_t read_through_window(struct uringx_reader *reader, unsigned char *buf, size_t count)
{
	size_t done = 0;
	ssize_t ret;

	while (done < count) {
		ret = urx_fill(reader);
		if (ret < 0 && done > 0) {
			/* What will pass is found again by the next call. */
			if (reader->failed)
				reader->held_err = (int)ret;
			break;
		}
		if (ret <= 0)
			return done > 0 ? (ssize_t)done : ret;
		if ((size_t)ret > count - done)
			ret = (ssize_t)(count - done);
		memcpy(buf + done, bytes_at_pos(reader), (size_t)ret);
		reader->pos += (uint64_t)ret;
		done += (size_t)ret;
		if (!reader->has_offsets)
			break;
	}
	return (ssize_t)done;
}

ssize_t uringx_reader_read(struct uringx_reader *reader, void *buf, size_t count) URINGX_NOEXCEPT
{
	int saved_errno = errno;
	ssize_t ret;

	if (count > SSIZE_MAX)
		count = SSIZE_MAX;
	if (is_plain_stream(reader)) {
		ret = read_stream(reader, buf, count);
	} else {
		urx_release_slots(reader);
		if (count > 0 && !reader->held_err && !reader->failed &&
		    reader->pos < reader->end && urx_reads_plainly(reader))
			ret = read_plainly(reader, buf, count);
		else
			ret = read_through_window(reader, buf, count);
	}
	errno = ret < 0 ? (int)-ret : saved_errno;
	return ret < 0 ? -1 : ret;
}

/* The offset that is meant, or a negative errno. */
static int64_t seek_target(struct uringx_reader *reader, int64_t offset, int whence)
{
	int64_t base;

	switch (whence) {
	case SEEK_SET:
		base = 0;
		break;
	case SEEK_CUR:
		base = (int64_t)reader->pos;
		break;
	case SEEK_END:
		urx_ask_size(reader);
		base = (int64_t)reader->size;
		break;
	default:
		return -EINVAL;
	}
	if (offset > INT64_MAX - base || offset < -base)
		return -EINVAL;
	return base + offset;
}

int64_t uringx_reader_seek(struct uringx_reader *reader, int64_t offset, int whence) URINGX_NOEXCEPT
{
	int saved_errno = errno;
	int64_t target;
	int ret;

	if (!reader->has_offsets)
		return -ESPIPE;
	target = seek_target(reader, offset, whence);
	errno = saved_errno;
	if (target < 0)
		return target;
	if (reader->nr_used == 0 || (uint64_t)target < urx_head(reader)->offset ||
	    (uint64_t)target >= reader->next_off) {
		ret = urx_drain(reader);
		if (ret < 0)
			return ret;
	}
	reader->pos = (uint64_t)target;
	reader->look_again = false;
	reader->failed = false;
	reader->held_err = 0;
	errno = saved_errno;
	return target;
}

int64_t uringx_reader_tell(const struct uringx_reader *reader) URINGX_NOEXCEPT
{
	return (int64_t)reader->pos;
}
