/* SPDX-License-Identifier: MIT */
/*
 * The reader, and what systems answer to its questions: alignments of direct I/O by
 * every way to learn of them, sizes that are not told, memory that is not there.
 */
#include "test.h"

#include "process.h"

#include "fake/ring.h"
#include "fake/ring.c"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>

TEST_NEEDS_NO_RINGS;

#define FILE_SZ 30011
#define KNOWS_ALIGN 0x2000U
#define KNOWS_READ_ALIGN 0x20000U

/* What the system says; all zero: nothing unusual, and nothing about alignments. */
static struct {
	uint32_t mask, mem_align, offset_align, read_align;	/* statx */
	bool no_statx;
	int sector_sz;		/* of a block device; -1: not told */
	bool is_block_device;
	uint64_t sz;		/* of the file; 0: as it is */
	bool no_sz;		/* told once only */
	int fd_flags;		/* to F_GETFL, if not 0; -1: an error */
	bool no_open, no_mmap, no_memory;
	size_t min_read;	/* shorter reads are refused */
	int read_errno;
	unsigned nr_stats;
	int opened;		/* the descriptor for direct I/O */
} answers;

static unsigned char content[FILE_SZ + 1];
static int file;

static long answer_statx(long nr, int fd, const char *path, int flags, unsigned mask, void *status)
{
	const struct { size_t off; uint32_t value; } fields[] = {
		{ 0, answers.mask }, { 0x98, answers.mem_align }, { 0x9c, answers.offset_align },
		{ 0xb4, answers.read_align },
	};
	size_t i;

	assert_int_equal(nr, SYS_statx);
	if (answers.no_statx)
		return -1;
	memset(status, 0, 256);
	for (i = 0; i < ARRAY_LEN(fields); i++)
		memcpy((char *)status + fields[i].off, &fields[i].value, 4);
	return 0;
}

static int answer_ioctl(int fd, unsigned long request, void *arg)
{
	if (request == BLKGETSIZE64 && !answers.no_sz) {
		*(uint64_t *)arg = FILE_SZ;
		return 0;
	}
	if (request != BLKSSZGET || answers.sector_sz < 0)
		return -1;
	*(int *)arg = answers.sector_sz;
	return 0;
}

static int answer_fstat(int fd, struct stat *st)
{
	if (answers.nr_stats++ && answers.no_sz)
		return -1;
	if (fstat(fd, st) < 0)
		return -1;
	if (answers.is_block_device)
		st->st_mode = S_IFBLK;
	if (answers.sz)
		st->st_size = (off_t)answers.sz;
	return 0;
}

static int answer_fcntl(int fd, int request)
{
	assert_int_equal(request, F_GETFL);
	return answers.fd_flags ? answers.fd_flags : fcntl(fd, F_GETFL);
}

static int answer_open(const char *path, int flags)
{
	assert_true(flags & O_DIRECT);
	answers.opened = answers.no_open ? -1 : dup(file);
	return answers.opened;
}

static void *answer_mmap(void *addr, size_t sz, int prot, int flags, int fd, off_t off)
{
	return answers.no_mmap ? MAP_FAILED : mmap(addr, sz, prot, flags, fd, off);
}

static int answer_memalign(void **memory, size_t align, size_t sz)
{
	return answers.no_memory ? ENOMEM : posix_memalign(memory, align, sz);
}

static ssize_t answer_pread(int fd, void *buf, size_t count, off_t offset)
{
	if (count < answers.min_read || answers.read_errno) {
		errno = answers.read_errno ? answers.read_errno : EINVAL;
		return -1;
	}
	assert_in_range(count, 0, 0x7ffff000);
	return pread(fd, buf, count, offset);
}

#define syscall answer_statx
#define ioctl answer_ioctl
#define fstat answer_fstat
#define fcntl answer_fcntl
#define open answer_open
#define mmap answer_mmap
#define posix_memalign answer_memalign
#define pread answer_pread
#include "../../src/uringx/direct.c"
#include "../../src/uringx/open.c"
#include "../../src/uringx/reader.c"
#include "../../src/uringx/ring.c"
#include "../../src/uringx/window.c"
#undef syscall
#undef ioctl
#undef fstat
#undef fcntl
#undef open
#undef mmap
#undef posix_memalign
#undef pread

static int make_file(void **state)
{
	pattern_fill(content, FILE_SZ, 0);
	file = temp_file(FILE_SZ);
	return 0;
}

static int begin(void **state)
{
	const struct fake_script script = { .seed = 1 };

	memset(&answers, 0, sizeof(answers));
	fake_start(&script);
	return 0;
}

static struct uringx_reader *open_reader(unsigned flags)
{
	const struct uringx_reader_options options = {
		.flags = URINGX_READER_START | URINGX_READER_NO_RING | flags
	};
	struct uringx_reader *reader;

	assert_int_equal(uringx_reader_open(&reader, file, &options), 0);
	return reader;
}

/* The alignment that a reader finds; none stays open for direct I/O without one. */
static unsigned found_align(unsigned flags)
{
	struct uringx_reader *reader;
	struct uringx_reader_info info;

	answers.opened = -1;
	reader = open_reader(flags);
	uringx_reader_get_info(reader, &info);
	if (!info.direct_align && answers.opened >= 0)
		assert_int_equal(fcntl(answers.opened, F_GETFD), -1);
	assert_int_equal(uringx_reader_close(reader), 0);
	return info.direct_align;
}

static void the_kernel_names_the_alignment(void **state)
{
	static const struct {
		uint32_t mask, mem_align, offset_align, read_align;
		unsigned found;
	} cases[] = {
		{ KNOWS_ALIGN, 4, 512, 0, 512 },
		{ KNOWS_ALIGN, 4096, 512, 0, 4096 },
		{ KNOWS_ALIGN, 4, 65536, 0, 65536 },
		{ KNOWS_ALIGN, 4, 4096, 1024, 4096 },
		{ KNOWS_ALIGN | KNOWS_READ_ALIGN, 4, 4096, 1024, 1024 },
		{ KNOWS_ALIGN | KNOWS_READ_ALIGN, 4, 4096, 0, 4096 },
		{ KNOWS_ALIGN | KNOWS_READ_ALIGN, 4, 4096, 3, 4096 },
		/* No direct I/O, or an answer that is none. */
		{ KNOWS_ALIGN, 0, 0, 0, 0 },
		{ KNOWS_ALIGN, 4, 768, 0, 0 },
		{ KNOWS_ALIGN, 4, 131072, 0, 0 },
	};
	unsigned i;

	for (i = 0; i < ARRAY_LEN(cases); i++) {
		answers.mask = cases[i].mask;
		answers.mem_align = cases[i].mem_align;
		answers.offset_align = cases[i].offset_align;
		answers.read_align = cases[i].read_align;
		assert_int_equal(found_align(URINGX_READER_DIRECT), cases[i].found);
	}
}

static void reads_tell_the_alignment(void **state)
{
	assert_int_equal(found_align(URINGX_READER_DIRECT), 512);
	answers.no_statx = true;
	assert_int_equal(found_align(URINGX_READER_DIRECT), 512);
	answers.min_read = 2048;
	assert_int_equal(found_align(URINGX_READER_DIRECT), 2048);
	answers.min_read = 65537;
	assert_int_equal(found_align(URINGX_READER_DIRECT), 0);
	answers.read_errno = EIO;
	assert_int_equal(found_align(URINGX_READER_DIRECT), 0);
	answers.read_errno = 0;
	answers.min_read = 0;
	answers.no_mmap = true;
	assert_int_equal(found_align(URINGX_READER_DIRECT), 0);
}

static void a_device_tells_the_alignment(void **state)
{
	answers.is_block_device = true;
	answers.min_read = 1024;
	answers.sector_sz = 4096;
	assert_int_equal(found_align(URINGX_READER_DIRECT), 4096);
	answers.sector_sz = 0;
	assert_int_equal(found_align(URINGX_READER_DIRECT), 1024);
	answers.sector_sz = -1;
	assert_int_equal(found_align(URINGX_READER_DIRECT), 1024);
}

static void direct_is_for_those_who_can(void **state)
{
	answers.fd_flags = O_DIRECT;
	assert_int_equal(found_align(0), 512);
	answers.min_read = 65537;
	assert_int_equal(found_align(0), 4096);
	answers.min_read = 0;
	answers.fd_flags = -1;
	assert_int_equal(found_align(URINGX_READER_DIRECT), 0);
	answers.fd_flags = O_WRONLY;
	assert_int_equal(found_align(URINGX_READER_DIRECT), 0);
	assert_int_equal(answers.opened, -1);
	answers.fd_flags = 0;
	assert_int_equal(found_align(0), 0);
	assert_int_equal(answers.opened, -1);
	answers.no_open = true;
	assert_int_equal(found_align(URINGX_READER_DIRECT), 0);
}

static void no_memory_leaves_nothing(void **state)
{
	const struct uringx_reader_options options = { .flags = URINGX_READER_DIRECT };
	struct uringx_reader *reader = (void *)0x1000;

	answers.no_memory = true;
	assert_int_equal(uringx_reader_open(&reader, file, &options), -ENOMEM);
	assert_null(reader);
	assert_true(answers.opened >= 0);
	assert_int_equal(fcntl(answers.opened, F_GETFD), -1);
	answers.fd_flags = -1;
	assert_int_equal(uringx_reader_open(&reader, file, NULL), -ENOMEM);
	assert_null(reader);
}

/* The size serves only to read ahead: without one all is read all the same. */
static void a_size_that_is_not_told(void **state)
{
	struct uringx_reader_options options = { .flags = URINGX_READER_START, .block_sz = 4096 };
	struct uringx_reader *reader;
	const void *block;
	size_t got_sz;
	ssize_t ret;
	unsigned i;

	for (i = 0; i < 2; i++) {
		begin(state);
		answers.no_sz = true;
		answers.is_block_device = i;
		assert_int_equal(uringx_reader_open(&reader, file, &options), 0);
		for (got_sz = 0; (ret = uringx_reader_next(reader, &block)) > 0;
		     got_sz += (size_t)ret)
			assert_memory_equal(block, content + got_sz, (size_t)ret);
		assert_int_equal(ret, 0);
		assert_int_equal(got_sz, FILE_SZ);
		assert_int_equal(uringx_reader_close(reader), 0);
	}
}

/* More than a read may have, and more than the kernel reads at once. */
static void the_largest_count(void **state)
{
	struct uringx_reader *reader = open_reader(0);
	static unsigned char buf[FILE_SZ + 100];
	volatile size_t count = SIZE_MAX;

	assert_int_equal(uringx_reader_read(reader, buf, count), FILE_SZ);
	assert_memory_equal(buf, content, FILE_SZ);
	assert_int_equal(uringx_reader_read(reader, buf, count), 0);
	assert_int_equal(uringx_reader_close(reader), 0);
}

static void limits(void **state)
{
	struct uringx_reader_options options = {
		.flags = URINGX_READER_START | URINGX_READER_NO_RING, .limit = UINT64_MAX
	};
	struct uringx_reader *reader;
	unsigned char buf[100];

	assert_int_equal(uringx_reader_open(&reader, file, &options), 0);
	assert_int_equal(uringx_reader_read(reader, buf, 10), 10);
	assert_int_equal(uringx_reader_read(reader, buf, 0), 0);
	assert_int_equal(uringx_reader_close(reader), 0);
	options.limit = 7;
	assert_int_equal(uringx_reader_open(&reader, file, &options), 0);
	assert_int_equal(uringx_reader_read(reader, buf, 10), 7);
	assert_int_equal(uringx_reader_read(reader, buf, 10), 0);
	assert_int_equal(uringx_reader_close(reader), 0);
}

/* A device that has an offset to start at, and no bytes at offsets. */
static void a_start_without_offsets(void **state)
{
	const struct uringx_reader_options options = { .flags = URINGX_READER_START };
	int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC), fds[2];
	struct uringx_reader *reader;
	unsigned char buf[10];

	assert_true(zero >= 0);
	assert_int_equal(uringx_reader_open(&reader, zero, &options), 0);
	assert_int_equal(uringx_reader_read(reader, buf, 10), 10);
	assert_true(all_bytes(buf, 10, 0));
	assert_int_equal(uringx_reader_close(reader), 0);
	close(zero);
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(uringx_reader_open(&reader, fds[0], &options), -ESPIPE);
	assert_null(reader);
	close(fds[0]);
	close(fds[1]);
}

/* A read that never passes is tried again for a while, and then is an error. */
static void a_read_that_never_passes(void **state)
{
	static const int errors[] = { EINTR, EAGAIN, EIO };
	struct uringx_reader *reader;
	unsigned char byte;
	unsigned i;

	for (i = 0; i < ARRAY_LEN(errors); i++) {
		reader = open_reader(0);
		answers.read_errno = errors[i];
		errno = 0;
		assert_int_equal(uringx_reader_read(reader, &byte, 1), -1);
		assert_int_equal(errno, errors[i]);
		answers.read_errno = 0;
		assert_int_equal(uringx_reader_read(reader, &byte, 1), 0);
		assert_int_equal(uringx_reader_seek(reader, 5, SEEK_SET), 5);
		assert_int_equal(uringx_reader_read(reader, &byte, 1), 1);
		assert_int_equal(byte, content[5]);
		assert_int_equal(uringx_reader_close(reader), 0);
	}
}

/* One registered buffer is at most a GiB. */
static void buffers_too_large_to_register(void **state)
{
	struct uringx_reader_options options = {
		.flags = URINGX_READER_START | URINGX_READER_FIXED, .block_sz = 400U << 20,
	};
	struct uringx_reader_info info;
	struct uringx_reader *reader;
	int ret;

	answers.sz = 4ULL << 30;
	for (options.depth = 2; options.depth <= 3; options.depth++) {
		ret = uringx_reader_open(&reader, file, &options);
		if (ret == -ENOMEM)
			skip_because("no address space for three blocks of 400 MiB");
		assert_int_equal(ret, 0);
		uringx_reader_get_info(reader, &info);
		assert_int_equal(info.method, URINGX_BY_RING);
		assert_int_equal(info.fixed, options.depth == 2);
		assert_int_equal(uringx_reader_close(reader), 0);
	}
}

/* What is refused through both descriptors is an error, and not tried for ever. */
static void refused_directly_and_else(void **state)
{
	struct uringx_reader_options options = { .block_sz = 4096 };
	struct uringx_reader *reader;
	const void *block;
	unsigned with_ring;

	for (with_ring = 0; with_ring < 2; with_ring++) {
		begin(state);
		options.flags = URINGX_READER_START | URINGX_READER_DIRECT |
				(with_ring ? 0 : URINGX_READER_NO_RING);
		assert_int_equal(uringx_reader_open(&reader, file, &options), 0);
		fake.script.always = EINVAL;
		answers.read_errno = EINVAL;
		assert_int_equal(uringx_reader_next(reader, &block), -EINVAL);
		assert_null(block);
		assert_int_equal(uringx_reader_next(reader, &block), 0);
		assert_int_equal(uringx_reader_close(reader), 0);
	}
}

#define ANSWER_TEST(name) cmocka_unit_test_setup(name, begin)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ANSWER_TEST(the_kernel_names_the_alignment),
		ANSWER_TEST(reads_tell_the_alignment),
		ANSWER_TEST(a_device_tells_the_alignment),
		ANSWER_TEST(direct_is_for_those_who_can),
		ANSWER_TEST(no_memory_leaves_nothing),
		ANSWER_TEST(a_size_that_is_not_told),
		ANSWER_TEST(the_largest_count),
		ANSWER_TEST(limits),
		ANSWER_TEST(a_start_without_offsets),
		ANSWER_TEST(a_read_that_never_passes),
		ANSWER_TEST(buffers_too_large_to_register),
		ANSWER_TEST(refused_directly_and_else),
	};

	return cmocka_run_group_tests(tests, make_file, NULL);
}
