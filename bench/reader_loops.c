/* SPDX-License-Identifier: MIT */
/*
 * reader_loops [ROUNDS] - what uringx/reader.h gains over a loop of read(2), and what
 * others gain: libaio, and a ring with one request at a time.
 *
 * warm-4k   blocks of 4 KiB of a file that the page cache holds; reader depth 32
 * cold-64k  blocks of 64 KiB with O_DIRECT, from the disk; depth 32
 * pipe-64k  blocks of 64 KiB of a pipe that a child fills
 * full-64k, full-4k  blocks of a pipe in which the bytes are already: CPU time, and
 *           without that for putting them there
 *
 * All loops look at the first byte of each block. They take turns, and a gain is
 * the median of the rounds' ratios to the read(2) of the same round: above 1 is
 * faster. BENCH_DIR: where the file is made (/var/tmp).
 */
#include <fcntl.h>
#include <libgen.h>
#include <liburing.h>
#include <linux/aio_abi.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <uringx/reader.h>

#include "common.h"

#define FILE_MB 256
#define PIPE_MB 128
#define DEPTH 32
#define MAX_ROUNDS 31
#define MAX_WAYS 5
#define BUFFER_ALIGN 4096
#define PIPE_SZ 65536

struct job {
	int fd;
	size_t sz;
	size_t block_sz;
	unsigned flags;		/* of the reader */
	unsigned char *memory;	/* DEPTH blocks */
	unsigned sum;
	int fill_fd;		/* of a pipe that is filled when it is empty, or -1 */
	size_t filled_sz;
	uint64_t fill_ns;	/* time that this took */
	clockid_t clock;
};

struct way {
	const char *name;
	void (*run)(struct job *job);
};

/* Puts into the pipe what it holds. */
static void fill(struct job *job)
{
	static const unsigned char bytes[PIPE_SZ];
	uint64_t start = clock_ns(job->clock);

	if (write(job->fill_fd, bytes, PIPE_SZ) != PIPE_SZ)
		die("the pipe does not hold %d bytes", PIPE_SZ);
	job->filled_sz = PIPE_SZ;
	job->fill_ns += clock_ns(job->clock) - start;
}

static void take(struct job *job, const unsigned char *block, ssize_t sz)
{
	check((int)sz, "read");
	if (sz == 0)
		die("the file ends %zu bytes early", job->sz);
	job->sz -= (size_t)sz;
	job->sum += block[0];
	if (job->fill_fd < 0)
		return;
	job->filled_sz -= (size_t)sz;
	if (job->filled_sz == 0 && job->sz > 0)
		fill(job);
}

static void by_read(struct job *job)
{
	while (job->sz > 0)
		take(job, job->memory, read(job->fd, job->memory, job->block_sz));
}

static struct uringx_reader *open_reader(const struct job *job)
{
	struct uringx_reader_options options = {
		.flags = job->flags, .block_sz = (unsigned)job->block_sz, .depth = DEPTH,
	};
	struct uringx_reader *reader;

	check(uringx_reader_open(&reader, job->fd, &options), "uringx_reader_open");
	return reader;
}

static void by_reader_next(struct job *job)
{
	struct uringx_reader *reader = open_reader(job);
	const void *block;
	ssize_t ret;

	while (job->sz > 0) {
		ret = uringx_reader_next(reader, &block);
		take(job, block, ret);
	}
	check(uringx_reader_close(reader), "uringx_reader_close");
}

static void by_reader_read(struct job *job)
{
	struct uringx_reader *reader = open_reader(job);

	while (job->sz > 0)
		take(job, job->memory, uringx_reader_read(reader, job->memory, job->block_sz));
	check(uringx_reader_close(reader), "uringx_reader_close");
}

/* A submit and a wait for every block: step 1 of the ladder. */
static void by_single_request(struct job *job)
{
	struct io_uring ring;
	struct io_uring_cqe *cqe;
	uint64_t offset = 0;

	check(io_uring_queue_init(1, &ring, 0), "io_uring_queue_init");
	while (job->sz > 0) {
		io_uring_prep_read(io_uring_get_sqe(&ring), job->fd, job->memory,
				   (unsigned)job->block_sz, offset);
		check(io_uring_submit(&ring), "io_uring_submit");
		check(io_uring_wait_cqe(&ring, &cqe), "io_uring_wait_cqe");
		take(job, job->memory, cqe->res);
		offset += (uint64_t)cqe->res;
		io_uring_cqe_seen(&ring, cqe);
	}
	io_uring_queue_exit(&ring);
}

static void aio_submit_block(struct job *job, aio_context_t context, struct iocb *iocb,
			     unsigned slot, uint64_t offset)
{
	memset(iocb, 0, sizeof(*iocb));
	iocb->aio_lio_opcode = IOCB_CMD_PREAD;
	iocb->aio_fildes = (uint32_t)job->fd;
	iocb->aio_buf = (uintptr_t)(job->memory + slot * job->block_sz);
	iocb->aio_nbytes = job->block_sz;
	iocb->aio_offset = (int64_t)offset;
	iocb->aio_data = slot;
	if (syscall(SYS_io_submit, context, 1L, &iocb) != 1)
		die("io_submit: %s", strerror(errno));
}

/* Kernel AIO, by its own system calls; it is asynchronous with O_DIRECT only. */
static void by_kernel_aio(struct job *job)
{
	struct iocb iocbs[DEPTH];
	struct io_event events[DEPTH];
	aio_context_t context = 0;
	uint64_t offset = 0, file_sz = job->sz;
	long nr, i;

	check_errno((int)syscall(SYS_io_setup, (long)DEPTH, &context), "io_setup");
	for (i = 0; i < DEPTH && offset < file_sz; i++, offset += job->block_sz)
		aio_submit_block(job, context, &iocbs[i], (unsigned)i, offset);
	while (job->sz > 0) {
		/* The end of the ring of the loop before interrupts as a signal does. */
		do {
			nr = syscall(SYS_io_getevents, context, 1L, (long)DEPTH, events, NULL);
		} while (nr < 0 && errno == EINTR);
		check_errno((int)nr, "io_getevents");
		for (i = 0; i < nr; i++) {
			unsigned slot = (unsigned)events[i].data;

			take(job, job->memory + slot * job->block_sz, events[i].res);
			if (offset < file_sz) {
				aio_submit_block(job, context, &iocbs[slot], slot, offset);
				offset += job->block_sz;
			}
		}
	}
	syscall(SYS_io_destroy, context);
}

static int make_file(void)
{
	const char *dir = getenv("BENCH_DIR");
	char path[4096];
	unsigned char *block = malloc(1 << 20);
	uint64_t random = 1;
	int fd, i;
	size_t j;

	snprintf(path, sizeof(path), "%s/reader_loops.XXXXXX", dir ? dir : "/var/tmp");
	fd = check_errno(mkstemp(path), path);
	unlink(path);
	for (i = 0; i < FILE_MB; i++) {
		for (j = 0; j < 1 << 20; j++) {
			random = random * 6364136223846793005ULL + 1442695040888963407ULL;
			block[j] = (unsigned char)(random >> 56);
		}
		if (write(fd, block, 1 << 20) != 1 << 20)
			die("%s: %s", path, strerror(errno));
	}
	check_errno(fsync(fd), "fsync");
	free(block);
	return fd;
}

static int open_again(int fd, int flags)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return open(path, O_RDONLY | flags);
}

/* A child that writes so many bytes into a pipe; returns the end to read from. */
static int start_writer(size_t sz, size_t block_sz, pid_t *pid)
{
	static unsigned char block[65536];
	int fds[2];

	check_errno(pipe(fds), "pipe");
	*pid = check_errno(fork(), "fork");
	if (*pid == 0) {
		close(fds[0]);
		for (; sz > 0; sz -= block_sz) {
			if (write(fds[1], block, block_sz) != (ssize_t)block_sz)
				_exit(1);
		}
		_exit(0);
	}
	close(fds[1]);
	return fds[0];
}

/* What is read: a file, or how a pipe is filled. */
enum { FD_WRITER = -1, FD_FULL_PIPE = -2 };

static double run_once(const struct way *way, int fd, size_t sz, size_t block_sz, unsigned flags,
		       unsigned char *memory)
{
	struct job job = {
		.fd = fd, .sz = sz, .block_sz = block_sz, .flags = flags, .memory = memory,
		.fill_fd = -1,
		.clock = fd == FD_FULL_PIPE ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC,
	};
	double seconds;
	uint64_t start;
	int fds[2];
	pid_t pid = 0;

	if (fd == FD_WRITER) {
		job.fd = start_writer(sz, block_sz, &pid);
	} else if (fd == FD_FULL_PIPE) {
		check_errno(pipe(fds), "pipe");
		job.fd = fds[0];
		job.fill_fd = fds[1];
	} else {
		check_errno(lseek(fd, 0, SEEK_SET) < 0 ? -1 : 0, "lseek");
	}
	start = clock_ns(job.clock);
	if (job.fill_fd >= 0)
		fill(&job);
	way->run(&job);
	seconds = (double)(clock_ns(job.clock) - start - job.fill_ns) / 1e9;
	if (fd < 0)
		close(job.fd);
	if (job.fill_fd >= 0)
		close(job.fill_fd);
	if (pid)
		waitpid(pid, NULL, 0);
	return (double)sz / 1e6 / seconds;
}

/* The first way is what the others are compared with. */
static void compare(const char *name, const struct way *ways, int nr_ways, int fd, size_t sz,
		    size_t block_sz, unsigned flags, int nr_rounds)
{
	static double rates[MAX_WAYS][MAX_ROUNDS], gains[MAX_WAYS][MAX_ROUNDS];
	void *memory;
	int round, i, way;

	if (posix_memalign(&memory, BUFFER_ALIGN, DEPTH * block_sz) != 0)
		die("no memory");
	memset(memory, 0, DEPTH * block_sz);
	for (round = 0; round < nr_rounds; round++) {
		for (i = 0; i < nr_ways; i++) {
			way = (i + round) % nr_ways;
			rates[way][round] = run_once(&ways[way], fd, sz, block_sz, flags, memory);
		}
		for (way = 0; way < nr_ways; way++)
			gains[way][round] = rates[way][round] / rates[0][round];
	}
	for (way = 0; way < nr_ways; way++)
		print_value(median(rates[way], nr_rounds), "MB/s", "reader/%s/%s", name,
			    ways[way].name);
	for (way = 1; way < nr_ways; way++)
		print_value(median(gains[way], nr_rounds), "x-read", "reader-gain/%s/%s", name,
			    ways[way].name);
	free(memory);
}

int main(int argc, char **argv)
{
	static const struct way ways[] = {
		{ "read", by_read },
		{ "next", by_reader_next },
		{ "uringx_reader_read", by_reader_read },
		{ "step1", by_single_request },
		{ "aio", by_kernel_aio },
	};
	int nr_rounds = is_quick() ? 1 : 9;
	size_t file_sz = (size_t)FILE_MB << 20, pipe_sz = (size_t)PIPE_MB << 20;
	int fd, direct_fd;

	if (argc > 1)
		nr_rounds = (int)parse_number(argv[1], 1, MAX_ROUNDS, "ROUNDS");
	fd = make_file();
	direct_fd = open_again(fd, O_DIRECT);
	compare("warm-4k", ways, 4, fd, file_sz, 4096, URINGX_READER_FIXED, nr_rounds);
	if (direct_fd >= 0)
		compare("cold-64k", ways, 5, direct_fd, file_sz, 65536, URINGX_READER_FIXED,
			nr_rounds);
	compare("pipe-64k", ways, 4, FD_WRITER, pipe_sz, 65536, 0, nr_rounds);
	compare("full-64k", ways, 4, FD_FULL_PIPE, pipe_sz, 65536, 0, nr_rounds);
	compare("full-4k", ways, 4, FD_FULL_PIPE, pipe_sz / 4, 4096, 0, nr_rounds);
	return 0;
}
