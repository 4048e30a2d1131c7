/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "source.h"
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#define HOLE_SZ 65536
#define SECTOR_SZ 512

const char *source_name(enum source_kind kind)
{
	static const char *const names[NR_SOURCE_KINDS] = {
		"file", "memory", "sparse file", "pipe", "socket", "terminal", "block device",
	};

	return names[kind];
}

bool source_has_offsets(enum source_kind kind)
{
	return kind != SOURCE_PIPE && kind != SOURCE_SOCKET && kind != SOURCE_TERMINAL;
}

bool source_ends(enum source_kind kind)
{
	return kind != SOURCE_TERMINAL;
}

/* Ends when all is written, or when nobody reads any more. */
static void *feed(void *arg)
{
	static const size_t pieces[] = { 1, 4096, 333, 70000, 12, 8191 };
	struct source *source = arg;
	size_t off = 0, piece_idx = 0, sz;
	ssize_t written;

	while (off < source->sz) {
		sz = pieces[piece_idx++ % ARRAY_LEN(pieces)];
		if (sz > source->sz - off)
			sz = source->sz - off;
		written = write(source->feed_fd, source->bytes + off, sz);
		if (written < 0 && errno != EINTR)
			break;
		off += written > 0 ? (size_t)written : 0;
	}
	if (source_ends(source->kind))
		close(source->feed_fd);
	return NULL;
}

static bool open_terminal(struct source *source)
{
	struct termios attributes;

	source->feed_fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (source->feed_fd < 0)
		return false;
	assert_int_equal(grantpt(source->feed_fd), 0);
	assert_int_equal(unlockpt(source->feed_fd), 0);
	source->fd = open(ptsname(source->feed_fd), O_RDWR | O_NOCTTY | O_CLOEXEC);
	assert_true(source->fd >= 0);
	assert_int_equal(tcgetattr(source->fd, &attributes), 0);
	cfmakeraw(&attributes);
	assert_int_equal(tcsetattr(source->fd, TCSANOW, &attributes), 0);
	return true;
}

static bool open_stream(struct source *source)
{
	int fds[2];

	signal(SIGPIPE, SIG_IGN);
	if (source->kind == SOURCE_TERMINAL) {
		if (!open_terminal(source))
			return false;
	} else {
		if (source->kind == SOURCE_PIPE)
			assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
		else
			assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
		source->fd = fds[0];
		source->feed_fd = fds[1];
	}
	assert_int_equal(pthread_create(&source->feeder, NULL, feed, source), 0);
	return true;
}

/* Gives the file to a loop device. */
static bool open_block_device(struct source *source)
{
	int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
	char path[32];
	int nr;

	source->backing_fd = source->fd;
	source->fd = -1;
	if (control < 0)
		return false;
	nr = ioctl(control, LOOP_CTL_GET_FREE);
	close(control);
	snprintf(path, sizeof(path), "/dev/loop%d", nr);
	if (nr >= 0)
		source->fd = open(path, O_RDWR | O_CLOEXEC);
	if (source->fd < 0)
		return false;
	if (ioctl(source->fd, LOOP_SET_FD, source->backing_fd) == 0)
		return true;
	close(source->fd);
	return false;
}

static void write_file(struct source *source)
{
	size_t off, sz;

	assert_int_equal(ftruncate(source->fd, (off_t)source->sz), 0);
	for (off = 0; off < source->sz; off += sz) {
		sz = source->sz - off < HOLE_SZ ? source->sz - off : HOLE_SZ;
		if (source->kind == SOURCE_SPARSE && off / HOLE_SZ % 2 == 0)
			memset(source->bytes + off, 0, sz);
		else
			assert_int_equal(pwrite(source->fd, source->bytes + off, sz, (off_t)off), sz);
	}
}

bool source_open(struct source *source, enum source_kind kind, size_t sz)
{
	bool opened = true;

	if (kind == SOURCE_BLOCK)
		sz = sz ? (sz + SECTOR_SZ - 1) / SECTOR_SZ * SECTOR_SZ : SECTOR_SZ;
	memset(source, 0, sizeof(*source));
	source->kind = kind;
	source->sz = sz;
	source->backing_fd = -1;
	source->bytes = malloc(sz ? sz : 1);
	assert_non_null(source->bytes);
	pattern_fill(source->bytes, sz, 0);
	if (!source_has_offsets(kind)) {
		opened = open_stream(source);
	} else {
		source->fd = kind == SOURCE_MEMORY ? memfd_create("source", MFD_CLOEXEC) :
						     temp_file(0);
		assert_true(source->fd >= 0);
		write_file(source);
		if (kind == SOURCE_BLOCK)
			opened = open_block_device(source);
	}
	if (!opened) {
		if (source->backing_fd >= 0)
			close(source->backing_fd);
		free(source->bytes);
	}
	return opened;
}

void source_rewind(struct source *source)
{
	assert_int_equal(lseek(source->fd, 0, SEEK_SET), 0);
}

void source_close(struct source *source)
{
	if (source->kind == SOURCE_BLOCK) {
		ioctl(source->fd, LOOP_CLR_FD, 0);
		close(source->backing_fd);
	}
	close(source->fd);
	if (!source_has_offsets(source->kind)) {
		pthread_join(source->feeder, NULL);
		if (!source_ends(source->kind))
			close(source->feed_fd);
	}
	free(source->bytes);
}
