/* SPDX-License-Identifier: MIT */
/*
 * eventfd - how long io_uring_register_eventfd and io_uring_unregister_eventfd
 * take on an idle ring, and while another thread keeps the ring full of reads.
 *
 * Kernels before 5.17 let the ring run dry for it, which took milliseconds.
 */
#include <liburing.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include "common.h"

#define ENTRIES 64
#define BLOCK_SZ 4096
#define NR_BLOCKS 256
#define MAX_TIMES 2000
#define PAUSE_US 50

struct reader {
	struct io_uring ring;
	int fd;
	char *buf;
	pthread_t thread;
	atomic_bool stopping;
	atomic_ulong nr_reads;
};

static void open_file(struct reader *reader)
{
	const char *dir = getenv("BENCH_DIR");
	char path[4096];
	void *memory;
	int i, fd;

	if (posix_memalign(&memory, BLOCK_SZ, (size_t)ENTRIES * BLOCK_SZ))
		die("no memory");
	reader->buf = memory;
	memset(reader->buf, 1, (size_t)ENTRIES * BLOCK_SZ);
	snprintf(path, sizeof(path), "%s/eventfd.XXXXXX", dir ? dir : "/var/tmp");
	fd = check_errno(mkstemp(path), path);
	for (i = 0; i < NR_BLOCKS; i++) {
		if (write(fd, reader->buf, BLOCK_SZ) != BLOCK_SZ)
			die("%s: cannot write", path);
	}
	fsync(fd);
	/* Reads that a device serves are in flight for a while; page cache ones are not. */
	reader->fd = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
	if (reader->fd < 0)
		reader->fd = check_errno(open(path, O_RDONLY | O_CLOEXEC), path);
	close(fd);
	unlink(path);
}

static void queue_read(struct reader *reader, unsigned slot, unsigned long nr)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&reader->ring);

	if (!sqe)
		die("no free SQE");
	io_uring_prep_read(sqe, reader->fd, reader->buf + (size_t)slot * BLOCK_SZ, BLOCK_SZ,
			   (nr * 7 % NR_BLOCKS) * BLOCK_SZ);
	io_uring_sqe_set_data64(sqe, slot);
}

static void *keep_full(void *arg)
{
	struct reader *reader = arg;
	struct io_uring_cqe *cqe;
	unsigned long nr = 0;
	unsigned slot;

	for (slot = 0; slot < ENTRIES; slot++)
		queue_read(reader, slot, nr++);
	while (!atomic_load(&reader->stopping)) {
		check(io_uring_submit_and_wait(&reader->ring, 1), "io_uring_submit_and_wait");
		while (io_uring_peek_cqe(&reader->ring, &cqe) == 0) {
			check(cqe->res, "read");
			slot = (unsigned)cqe->user_data;
			io_uring_cqe_seen(&reader->ring, cqe);
			queue_read(reader, slot, nr++);
		}
		atomic_store(&reader->nr_reads, nr);
	}
	for (slot = 0; slot < ENTRIES - io_uring_sq_ready(&reader->ring); slot++) {
		check(io_uring_wait_cqe(&reader->ring, &cqe), "wait");
		io_uring_cqe_seen(&reader->ring, cqe);
	}
	return NULL;
}

static void print_times(const char *call, const char *state, double *us, int nr)
{
	print_value(percentile(us, nr, 0.5), "us", "eventfd/%s-%s/p50", call, state);
	print_value(percentile(us, nr, 0.99), "us", "eventfd/%s-%s/p99", call, state);
}

static void measure(struct io_uring *ring, const char *state)
{
	static double register_us[MAX_TIMES], unregister_us[MAX_TIMES];
	int fd = check_errno(eventfd(0, EFD_CLOEXEC), "eventfd");
	int i, nr = is_quick() ? 200 : MAX_TIMES;
	uint64_t start, middle;

	for (i = 0; i < nr; i++) {
		start = now_ns();
		check(io_uring_register_eventfd(ring, fd), "io_uring_register_eventfd");
		middle = now_ns();
		check(io_uring_unregister_eventfd(ring), "io_uring_unregister_eventfd");
		register_us[i] = (double)(middle - start) / 1e3;
		unregister_us[i] = (double)(now_ns() - middle) / 1e3;
		usleep(PAUSE_US);
	}
	close(fd);
	print_times("register", state, register_us, nr);
	print_times("unregister", state, unregister_us, nr);
}

int main(void)
{
	static struct reader reader;
	uint64_t start;

	open_file(&reader);
	check(io_uring_queue_init(ENTRIES, &reader.ring, 0), "io_uring_queue_init");
	measure(&reader.ring, "idle");

	if (pthread_create(&reader.thread, NULL, keep_full, &reader))
		die("no thread");
	while (!atomic_load(&reader.nr_reads))
		usleep(1000);
	start = now_ns();
	measure(&reader.ring, "busy");
	print_value((double)atomic_load(&reader.nr_reads) * 1e9 / (double)(now_ns() - start),
		    "reads/s", "eventfd/reads-meanwhile");
	atomic_store(&reader.stopping, true);
	pthread_join(reader.thread, NULL);
	io_uring_queue_exit(&reader.ring);
	return 0;
}
