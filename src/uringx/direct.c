/* SPDX-License-Identifier: MIT */
/*
 * Direct I/O: a descriptor for it, and the alignment that it asks for.
 */
#include "reader_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MIN_ALIGN 512
#define MAX_ALIGN 65536

#define MASK_DIOALIGN 0x2000U
#define MASK_DIO_READ_ALIGN 0x20000U

/* What statx answers; C libraries older than the fields at its end do without them. */
struct file_status {
	uint32_t mask;
	uint32_t fields[37];
	uint32_t dio_mem_align;
	uint32_t dio_offset_align;
	uint32_t more_fields[5];
	uint32_t dio_read_offset_align;
	uint32_t rest[18];
};

_Static_assert(offsetof(struct file_status, dio_mem_align) == 0x98, "as in struct statx");
_Static_assert(offsetof(struct file_status, dio_read_offset_align) == 0xb4, "as in struct statx");
_Static_assert(sizeof(struct file_status) == 256, "as struct statx");

static bool is_alignment(uint32_t value)
{
	return value > 0 && value <= MAX_ALIGN && (value & (value - 1)) == 0;
}

/*
 * The alignment that the kernel names (since Linux 6.1), 0 where it says that the
 * file has no direct I/O, or -1 where it does not say.
 */
static int ask_align(int fd)
{
#ifdef SYS_statx
	struct file_status status = { .mask = 0 };
	uint32_t align;

	if (syscall(SYS_statx, fd, "", AT_EMPTY_PATH, MASK_DIOALIGN | MASK_DIO_READ_ALIGN,
		    &status) < 0 ||
	    !(status.mask & MASK_DIOALIGN))
		return -1;
	align = status.dio_offset_align;
	if ((status.mask & MASK_DIO_READ_ALIGN) && is_alignment(status.dio_read_offset_align))
		align = status.dio_read_offset_align;
	if (align < status.dio_mem_align)
		align = status.dio_mem_align;
	return is_alignment(align) ? (int)align : 0;
#else
	return -1;
#endif
}

/* The least alignment with which a read succeeds, or 0. */
static int probe_align(int fd)
{
	unsigned char *memory;
	ssize_t res = -1;
	int align;

	memory = mmap(NULL, 2 * MAX_ALIGN, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	if (memory == MAP_FAILED)
		return 0;
	for (align = MIN_ALIGN; align <= MAX_ALIGN; align *= 2) {
		res = pread(fd, memory + align, (size_t)align, align);
		if (res >= 0 || errno != EINVAL)
			break;
	}
	munmap(memory, 2 * MAX_ALIGN);
	return res >= 0 ? align : 0;
}

static int find_align(const struct uringx_reader *reader, int fd)
{
	int align = ask_align(fd);
	int sector_sz;

	if (align >= 0)
		return align;
	if (reader->is_block_device && ioctl(fd, BLKSSZGET, &sector_sz) == 0 &&
	    is_alignment((uint32_t)sector_sz))
		return sector_sz;
	return probe_align(fd);
}

/* A second descriptor, so that the flags of the caller's stay as they are. */
static int open_direct(int fd)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return open(path, O_RDONLY | O_DIRECT | O_CLOEXEC | O_NOCTTY);
}

void urx_choose_direct(struct uringx_reader *reader)
{
	int flags = fcntl(reader->fd, F_GETFL);
	int align;

	if (!reader->has_offsets || flags < 0)
		return;
	if (flags & O_DIRECT) {
		align = find_align(reader, reader->fd);
		reader->align = align > 0 ? (unsigned int)align : 4096;
		return;
	}
	if (!(reader->flags & URINGX_READER_DIRECT) || (flags & O_ACCMODE) == O_WRONLY)
		return;
	reader->direct_fd = open_direct(reader->fd);
	if (reader->direct_fd < 0)
		return;
	align = find_align(reader, reader->direct_fd);
	if (align > 0) {
		reader->align = (unsigned int)align;
		reader->read_fd = reader->direct_fd;
		return;
	}
	close(reader->direct_fd);
	reader->direct_fd = -1;
}
