/* SPDX-License-Identifier: MIT */
/*
 * read - megabytes per second of one thread that reads a file from its start to
 * its end: by pread, mmap, libaio, POSIX AIO and io_uring, with blocks of three
 * sizes.
 *
 * direct is O_DIRECT, cold the page cache after the file was dropped from it,
 * warm the page cache that holds all of the file. Each page of the file holds its
 * number, which is compared, so that no way can win by reading something else.
 * A way ends with the file or after a second.
 *
 * BENCH_DIR: where the file is made (/var/tmp); BENCH_READ_MB: its size (1024).
 */
#include <liburing.h>
#include <aio.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#if __has_include(<libaio.h>)
#include <libaio.h>
#define HAVE_LIBAIO
#endif
#include "common.h"

#define MAX_DEPTH 32
#define MAX_BLOCK_SZ (1UL << 20)
#define PAGE_SZ 4096UL
#define MAX_NS NSEC_PER_SEC

struct job {
	int fd;
	size_t file_sz;
	size_t block_sz;
	unsigned depth;
	char *bufs;
	uint64_t deadline;
	size_t done_sz; /* bytes that were read */
};

static char *slot_buf(const struct job *job, unsigned slot)
{
	return job->bufs + slot * job->block_sz;
}

/* Takes a completed block. */
static void take_block(struct job *job, const char *buf, size_t offset, ssize_t res)
{
	uint64_t first = offset / PAGE_SZ, last = (offset + job->block_sz) / PAGE_SZ - 1;
	uint64_t got_first, got_last;

	if (res != (ssize_t)job->block_sz)
		die("%zu bytes at %zu: read %zd", job->block_sz, offset, res);
	memcpy(&got_first, buf, sizeof(got_first));
	memcpy(&got_last, buf + job->block_sz - PAGE_SZ, sizeof(got_last));
	if (got_first != first || got_last != last)
		die("the data at %zu is wrong", offset);
	job->done_sz += job->block_sz;
}

static bool is_over(const struct job *job, size_t offset)
{
	if (offset >= job->file_sz)
		return true;
	return offset % (64 * job->block_sz) == 0 && now_ns() > job->deadline;
}

static bool read_pread(struct job *job)
{
	size_t offset;

	for (offset = 0; !is_over(job, offset); offset += job->block_sz)
		take_block(job, job->bufs, offset,
			   pread(job->fd, job->bufs, job->block_sz, (off_t)offset));
	return true;
}

/* A byte of each page is touched; nothing is copied. */
static bool read_mmap(struct job *job)
{
	char *map = mmap(NULL, job->file_sz, PROT_READ, MAP_SHARED, job->fd, 0);
	volatile char sink;
	size_t offset, i;

	if (map == MAP_FAILED)
		return false;
	madvise(map, job->file_sz, MADV_SEQUENTIAL);
	madvise(map, job->file_sz, MADV_WILLNEED);
	for (offset = 0; !is_over(job, offset); offset += job->block_sz) {
		for (i = 0; i < job->block_sz; i += PAGE_SZ)
			sink = map[offset + i];
		take_block(job, map + offset, offset, (ssize_t)job->block_sz);
	}
	(void)sink;
	munmap(map, job->file_sz);
	return true;
}

static bool read_posix_aio(struct job *job)
{
	static struct aiocb cbs[MAX_DEPTH];
	size_t next = 0, done = 0;
	unsigned slot, i;
	bool over = false;

	/* In a circle: the oldest is waited for, and its slot used again. */
	for (i = 0; !over || done < next; i++) {
		const struct aiocb *cb = &cbs[i % job->depth];

		slot = i % job->depth;
		if (i >= job->depth && done < next) {
			while (aio_error(cb) == EINPROGRESS)
				aio_suspend(&cb, 1, NULL);
			take_block(job, slot_buf(job, slot), (size_t)cb->aio_offset,
				   aio_return(&cbs[slot]));
			done += job->block_sz;
		}
		over = over || is_over(job, next);
		if (over)
			continue;
		cbs[slot] = (struct aiocb){
			.aio_fildes = job->fd,
			.aio_buf = slot_buf(job, slot),
			.aio_nbytes = job->block_sz,
			.aio_offset = (off_t)next,
		};
		check_errno(aio_read(&cbs[slot]), "aio_read");
		next += job->block_sz;
	}
	return true;
}

#ifdef HAVE_LIBAIO
static bool read_libaio(struct job *job)
{
	static struct iocb cbs[MAX_DEPTH];
	struct iocb *queue[MAX_DEPTH];
	struct io_event events[MAX_DEPTH];
	size_t next = 0;
	unsigned slot, nr_queued = 0, nr_in_flight = 0;
	io_context_t context = 0;
	bool over = false;
	int i, nr = (int)job->depth;

	if (io_setup(MAX_DEPTH, &context) < 0)
		return false;
	for (i = 0; i < nr; i++)
		events[i].obj = &cbs[i];
	for (;;) {
		for (i = 0; i < nr; i++) {
			over = over || is_over(job, next);
			if (over)
				break;
			slot = (unsigned)(events[i].obj - cbs);
			io_prep_pread(&cbs[slot], job->fd, slot_buf(job, slot), job->block_sz,
				      (long long)next);
			queue[nr_queued++] = &cbs[slot];
			next += job->block_sz;
		}
		if (nr_queued) {
			nr = check(io_submit(context, (long)nr_queued, queue), "io_submit");
			nr_in_flight += (unsigned)nr;
			nr_queued -= (unsigned)nr;
			memmove(queue, queue + nr, nr_queued * sizeof(*queue));
		}
		if (!nr_in_flight)
			break;
		nr = check(io_getevents(context, 1, job->depth, events, NULL), "io_getevents");
		nr_in_flight -= (unsigned)nr;
		for (i = 0; i < nr; i++) {
			slot = (unsigned)(events[i].obj - cbs);
			take_block(job, slot_buf(job, slot), (size_t)cbs[slot].u.c.offset,
				   (ssize_t)events[i].res);
		}
	}
	io_destroy(context);
	return true;
}
#endif

static void queue_read(struct job *job, struct io_uring *ring, size_t *offsets, unsigned slot,
		       size_t offset, bool fixed)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(ring);

	if (!sqe)
		die("no free SQE");
	if (fixed)
		io_uring_prep_read_fixed(sqe, job->fd, slot_buf(job, slot), (unsigned)job->block_sz,
					 offset, 0);
	else
		io_uring_prep_read(sqe, job->fd, slot_buf(job, slot), (unsigned)job->block_sz,
				   offset);
	io_uring_sqe_set_data64(sqe, slot);
	offsets[slot] = offset;
}

static bool read_ring(struct job *job, bool fixed)
{
	struct iovec iov = { job->bufs, MAX_DEPTH * MAX_BLOCK_SZ };
	size_t offsets[MAX_DEPTH], next = 0;
	unsigned slot, head, nr, nr_in_flight = 0;
	struct io_uring_cqe *cqe;
	struct io_uring ring;
	bool over = false;

	check(io_uring_queue_init(job->depth, &ring, 0), "io_uring_queue_init");
	if (fixed && io_uring_register_buffers(&ring, &iov, 1) < 0) {
		io_uring_queue_exit(&ring);
		return false;
	}
	for (; nr_in_flight < job->depth && !is_over(job, next); nr_in_flight++) {
		queue_read(job, &ring, offsets, nr_in_flight, next, fixed);
		next += job->block_sz;
	}
	while (nr_in_flight) {
		check(io_uring_submit_and_wait(&ring, 1), "io_uring_submit_and_wait");
		nr = 0;
		io_uring_for_each_cqe (&ring, head, cqe) {
			slot = (unsigned)cqe->user_data;
			nr++;
			nr_in_flight--;
			take_block(job, slot_buf(job, slot), offsets[slot], cqe->res);
			over = over || is_over(job, next);
			if (over)
				continue;
			queue_read(job, &ring, offsets, slot, next, fixed);
			next += job->block_sz;
			nr_in_flight++;
		}
		io_uring_cq_advance(&ring, nr);
	}
	io_uring_queue_exit(&ring);
	return true;
}

static bool read_uring(struct job *job)
{
	return read_ring(job, false);
}

static bool read_uring_fixed(struct job *job)
{
	return read_ring(job, true);
}

static const struct way {
	const char *name;
	bool (*run)(struct job *job);
	unsigned depth;
} ways[] = {
	{ "pread", read_pread, 1 },
	{ "mmap", read_mmap, 1 },
	{ "posix-aio", read_posix_aio, 8 },
#ifdef HAVE_LIBAIO
	{ "libaio", read_libaio, 8 },
	{ "libaio", read_libaio, 32 },
#endif
	{ "uring", read_uring, 1 },
	{ "uring", read_uring, 8 },
	{ "uring", read_uring, 32 },
	{ "uring-fixed", read_uring_fixed, 1 },
	{ "uring-fixed", read_uring_fixed, 8 },
	{ "uring-fixed", read_uring_fixed, 32 },
};

enum cache { DIRECT, COLD, WARM };
static const char *const cache_names[] = { "direct", "cold", "warm" };

/* Makes the page cache what the run wants; false where it cannot. */
static bool prepare_cache(enum cache cache, int fd, size_t file_sz, char *buf)
{
	unsigned char vec[64];
	size_t offset, i;
	void *map;

	if (cache == WARM) {
		for (offset = 0; offset < file_sz; offset += MAX_BLOCK_SZ) {
			if (pread(fd, buf, MAX_BLOCK_SZ, (off_t)offset) <= 0)
				return false;
		}
		return true;
	}
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	map = mmap(NULL, sizeof(vec) * PAGE_SZ, PROT_READ, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED || mincore(map, sizeof(vec) * PAGE_SZ, vec) < 0)
		return false;
	munmap(map, sizeof(vec) * PAGE_SZ);
	for (i = 0; i < sizeof(vec); i++) {
		if (vec[i] & 1)
			return cache == DIRECT;
	}
	return true;
}

static void measure(const struct way *way, enum cache cache, size_t block_sz, int fd,
		    size_t file_sz, char *bufs)
{
	struct job job = {
		.fd = fd,
		.file_sz = file_sz,
		.block_sz = block_sz,
		.depth = way->depth,
		.bufs = bufs,
	};
	uint64_t start;

	if (cache == DIRECT && way->run == read_mmap)
		return;
	if (!prepare_cache(cache, fd, file_sz, bufs))
		return;
	start = now_ns();
	job.deadline = start + MAX_NS;
	if (!way->run(&job))
		return;
	print_value((double)job.done_sz * 1e3 / (double)(now_ns() - start), "MB/s",
		    "read-%s/%s-%u/%zuK", cache_names[cache], way->name, way->depth,
		    block_sz / 1024);
}

static void write_file(int fd, size_t file_sz, char *buf)
{
	uint64_t page = 0, state = 1;
	size_t i, done;
	ssize_t sz;

	for (done = 0; done < file_sz; done += MAX_BLOCK_SZ) {
		for (i = 0; i < MAX_BLOCK_SZ; i += sizeof(state)) {
			state = state * 6364136223846793005ULL + 1442695040888963407ULL;
			memcpy(buf + i, i % PAGE_SZ ? &state : &page, sizeof(state));
			page += i % PAGE_SZ == 0;
		}
		sz = write(fd, buf, MAX_BLOCK_SZ);
		if (sz != (ssize_t)MAX_BLOCK_SZ)
			die("cannot write %zu bytes: %s", file_sz,
			    sz < 0 ? strerror(errno) : "no room");
	}
	fsync(fd);
}

int main(void)
{
	static const size_t block_szs[] = { 4096, 65536, MAX_BLOCK_SZ };
	const char *dir = getenv("BENCH_DIR"), *mb = getenv("BENCH_READ_MB");
	size_t file_sz, file_mb = is_quick() ? 16 : 1024;
	char path[4096];
	int fds[3], cache;
	void *bufs;
	size_t i, j;

	if (mb)
		file_mb = parse_number(mb, 1, 1 << 20, "BENCH_READ_MB");
	file_sz = file_mb << 20;
	if (posix_memalign(&bufs, MAX_BLOCK_SZ, MAX_DEPTH * MAX_BLOCK_SZ))
		die("no memory");
	snprintf(path, sizeof(path), "%s/read.XXXXXX", dir ? dir : "/var/tmp");
	fds[COLD] = check_errno(mkstemp(path), path);
	fds[WARM] = fds[COLD];
	fds[DIRECT] = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
	unlink(path);
	write_file(fds[COLD], file_sz, bufs);

	for (cache = DIRECT; cache <= WARM; cache++) {
		for (i = is_quick() ? 1 : 0; i < (is_quick() ? 2 : ARRAY_NR(block_szs)); i++) {
			if (fds[cache] < 0)
				continue;
			for (j = 0; j < ARRAY_NR(ways); j++)
				measure(&ways[j], (enum cache)cache, block_szs[i], fds[cache],
					file_sz, bufs);
		}
	}
	return 0;
}
