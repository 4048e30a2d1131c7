/* SPDX-License-Identifier: MIT */
/*
 * Making a reader and giving it up.
 */
#include "reader_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEFAULT_BLOCK_SZ 65536
#define DEFAULT_DEPTH 16
#define MAX_BLOCK_SZ (1U << 30)
#define MAX_DEPTH 4096
#define CACHE_LINE 64

#define ALL_FLAGS                                                           \
	(URINGX_READER_START | URINGX_READER_DIRECT | URINGX_READER_FIXED | \
	 URINGX_READER_ANY_THREAD | URINGX_READER_NOWAIT | URINGX_READER_NO_RING)

static bool options_are_valid(const struct uringx_reader_options *options)
{
	size_t i;

	for (i = 0; i < sizeof(options->resv) / sizeof(options->resv[0]); i++) {
		if (options->resv[i])
			return false;
	}
	if ((options->flags & ~ALL_FLAGS) || options->pad || options->block_sz > MAX_BLOCK_SZ ||
	    options->depth > MAX_DEPTH || options->start > INT64_MAX)
		return false;
	if (options->start && !(options->flags & URINGX_READER_START))
		return false;
	if (!options->ring)
		return !(options->flags & URINGX_READER_NOWAIT);
	return options->on_cqe && !(options->ring->flags & IORING_SETUP_IOPOLL) &&
	       !(options->flags & (URINGX_READER_FIXED | URINGX_READER_NO_RING));
}

/* Finds out what the descriptor is, and where reading begins. */
static int look_at_file(struct uringx_reader *reader, const struct uringx_reader_options *options)
{
	struct stat st;
	off_t pos;

	if (fstat(reader->fd, &st) < 0)
		return -errno;
	reader->is_block_device = S_ISBLK(st.st_mode);
	pos = lseek(reader->fd, 0, SEEK_CUR);
	reader->has_offsets = pos >= 0 && (S_ISREG(st.st_mode) || reader->is_block_device);
	if (reader->has_offsets) {
		reader->pos = (uint64_t)pos;
		if (options->flags & URINGX_READER_START)
			reader->pos = options->start;
	} else if ((options->flags & URINGX_READER_START) &&
		   lseek(reader->fd, (off_t)options->start, SEEK_SET) < 0) {
		return -errno;
	}
	reader->end = INT64_MAX;
	if (options->limit && options->limit < INT64_MAX - reader->pos)
		reader->end = reader->pos + options->limit;
	urx_ask_size(reader);
	reader->nr_calls = 0;
	return 0;
}

static size_t round_up(size_t value, size_t multiple)
{
	return (value + multiple - 1) / multiple * multiple;
}

/* All memory in one piece: the reader, its slots, and from an aligned address on the buffers. */
static struct uringx_reader *alloc_reader(const struct uringx_reader *draft)
{
	size_t align = draft->align > URX_PAGE_SZ ? draft->align : URX_PAGE_SZ;
	size_t head_sz = round_up(sizeof(*draft) + draft->depth * sizeof(draft->slots[0]), align);
	size_t stride = round_up(draft->block_sz, CACHE_LINE);
	struct uringx_reader *reader;
	size_t memory_sz, i;
	void *memory;

	if (__builtin_mul_overflow(stride, draft->depth, &memory_sz) ||
	    __builtin_add_overflow(memory_sz, head_sz, &memory_sz) ||
	    posix_memalign(&memory, align, memory_sz) != 0)
		return NULL;
	memset(memory, 0, head_sz);
	reader = memory;
	memcpy(reader, draft, sizeof(*draft));
	reader->memory_sz = memory_sz;
	for (i = 0; i < draft->depth; i++)
		reader->slots[i].buf = (unsigned char *)memory + head_sz + i * stride;
	return reader;
}

/* The memory is measured by what the file turns out to be: until then there is a draft. */
static int make_reader(struct uringx_reader *draft, const struct uringx_reader_options *options,
		       struct uringx_reader **made)
{
	unsigned int block_sz = options->block_sz ? options->block_sz : DEFAULT_BLOCK_SZ;
	int ret;

	ret = look_at_file(draft, options);
	if (ret < 0)
		return ret;
	urx_choose_direct(draft);
	draft->block_sz = (unsigned int)round_up(block_sz, draft->align);
	draft->depth = 1;
	if (draft->has_offsets)
		draft->depth = options->depth ? options->depth : DEFAULT_DEPTH;
	*made = alloc_reader(draft);
	return *made ? 0 : -ENOMEM;
}

int uringx_reader_open(struct uringx_reader **reader, int fd,
		       const struct uringx_reader_options *options) URINGX_NOEXCEPT
{
	static const struct uringx_reader_options defaults;
	struct uringx_reader draft;
	int saved_errno = errno;
	int ret = -EINVAL;

	*reader = NULL;
	if (!options)
		options = &defaults;
	memset(&draft, 0, sizeof(draft));
	draft.fd = fd;
	draft.read_fd = fd;
	draft.direct_fd = -1;
	draft.align = 1;
	draft.flags = options->flags;
	draft.ring = options->ring;
	draft.on_cqe = options->on_cqe;
	draft.arg = options->arg;
	draft.ring_tried = options->ring || (options->flags & URINGX_READER_NO_RING);
	if (options_are_valid(options))
		ret = make_reader(&draft, options, reader);
	if (ret < 0 && draft.direct_fd >= 0)
		close(draft.direct_fd);
	if (ret == 0) {
		if (options->ring)
			(*reader)->method = URINGX_BY_RING;
		else if ((*reader)->has_offsets)
			(*reader)->method = URINGX_BY_PREAD;
		urx_want_ring(*reader);
	}
	errno = saved_errno;
	return ret;
}

void uringx_reader_get_info(const struct uringx_reader *reader,
			    struct uringx_reader_info *info) URINGX_NOEXCEPT
{
	memset(info, 0, sizeof(*info));
	info->method = reader->method;
	info->refusal = reader->refusal;
	info->block_sz = reader->block_sz;
	info->depth = reader->depth;
	info->direct_align = reader->align > 1 ? reader->align : 0;
	info->fixed = reader->fixed_buffers;
	info->memory_sz = reader->memory_sz;
	info->nr_reads = reader->nr_reads;
	info->nr_calls = reader->nr_calls;
}

int uringx_reader_close(struct uringx_reader *reader) URINGX_NOEXCEPT
{
	int saved_errno = errno;
	int ret;

	if (!reader)
		return 0;
	ret = urx_settle_ring(reader, true);
	if (reader->has_offsets && !(reader->flags & URINGX_READER_START))
		lseek(reader->fd, (off_t)reader->pos, SEEK_SET);
	if (ret == 0) {
		urx_close_ring(reader);
		if (reader->direct_fd >= 0)
			close(reader->direct_fd);
		free(reader);
	}
	errno = saved_errno;
	return ret;
}
