/* SPDX-License-Identifier: MIT */
/*
 * What can go wrong on one CPU or C library and not on another. The first part needs
 * no io_uring, so that it runs under an emulator that has none; there the program
 * ends with status 77 and the kernel's answer.
 */
#include <errno.h>
#include <fcntl.h>
#include <liburing.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define NR_ENTRIES 8
#define BEYOND_4G (5LL * 1024 * 1024 * 1024)

#define CHECK(condition)                                                       \
	do {                                                                   \
		if (!(condition)) {                                            \
			printf("%s:%d: %s\n", __FILE__, __LINE__, #condition); \
			exit(1);                                               \
		}                                                              \
	} while (0)

/* A ring in a file: where the library maps what, and what it leaves behind. */
static void map_a_file(int fd)
{
	const off_t sqes_off = IORING_OFF_SQES;
	struct io_uring_sqe *sqe, stored;
	struct io_uring_params p;
	struct io_uring_cqe *cqe;
	struct io_uring ring;
	uint32_t words[16] = { 0 };

	/* Heads and tails, masks, numbers of entries, flags; the array and CQEs behind. */
	words[4] = NR_ENTRIES - 1;
	words[5] = NR_ENTRIES;
	words[6] = 2 * NR_ENTRIES - 1;
	words[7] = 2 * NR_ENTRIES;
	CHECK(ftruncate(fd, sqes_off + NR_ENTRIES * 64) == 0);
	CHECK(pwrite(fd, words, sizeof(words), 0) == (ssize_t)sizeof(words));

	memset(&p, 0, sizeof(p));
	p.features = IORING_FEAT_SINGLE_MMAP;
	p.sq_entries = NR_ENTRIES;
	p.cq_entries = 2 * NR_ENTRIES;
	p.sq_off.tail = 4;
	p.sq_off.ring_mask = 16;
	p.sq_off.ring_entries = 20;
	p.sq_off.dropped = 32;
	p.sq_off.flags = 36;
	p.sq_off.array = 64;
	p.cq_off.head = 8;
	p.cq_off.tail = 12;
	p.cq_off.ring_mask = 24;
	p.cq_off.ring_entries = 28;
	p.cq_off.overflow = 40;
	p.cq_off.flags = 44;
	p.cq_off.cqes = 128;
	memset(&ring, 0xA5, sizeof(ring));
	CHECK(io_uring_queue_mmap(fd, &p, &ring) == 0);
	CHECK(io_uring_ring_dontfork(&ring) == 0);

	CHECK(io_uring_sq_space_left(&ring) == NR_ENTRIES);
	sqe = io_uring_get_sqe(&ring);
	CHECK(sqe != NULL);
	io_uring_prep_poll_add(sqe, 3, POLLIN | POLLRDHUP);
	io_uring_sqe_set_data64(sqe, 0x0123456789ABCDEFULL);
	sqe = io_uring_get_sqe(&ring);
	/* An address in the upper half of 32 bits is extended with zeros. */
	io_uring_prep_read(sqe, 4, (void *)(uintptr_t)0xF0001000U, 4096, BEYOND_4G);
	CHECK(io_uring_sq_ready(&ring) == 2);

	CHECK(pread(fd, &stored, sizeof(stored), sqes_off) == (ssize_t)sizeof(stored));
	CHECK(stored.opcode == IORING_OP_POLL_ADD);
	CHECK(stored.fd == 3);
	CHECK(stored.user_data == 0x0123456789ABCDEFULL);
	/* These 16 bits are the low ones whatever the order of bytes: halves are swapped. */
	CHECK(stored.poll_events == (POLLIN | POLLRDHUP));
	CHECK(pread(fd, &stored, sizeof(stored), sqes_off + 64) == (ssize_t)sizeof(stored));
	CHECK(stored.addr == 0xF0001000U);
	CHECK(stored.off == (uint64_t)BEYOND_4G);

	/* The file's CQE 0, as if a kernel had put it there. */
	memset(words, 0, sizeof(words));
	words[0] = 77;
	words[2] = (uint32_t)-ETIME;
	CHECK(pwrite(fd, words, 16, 128) == 16);
	words[0] = 1;
	CHECK(pwrite(fd, words, 4, 12) == 4);
	CHECK(io_uring_cq_ready(&ring) == 1);
	CHECK(io_uring_peek_cqe(&ring, &cqe) == 0);
	CHECK(cqe->res == -ETIME);
	io_uring_cqe_seen(&ring, cqe);
	CHECK(pread(fd, words, 4, 8) == 4);
	CHECK(words[0] == 1);
	CHECK(io_uring_peek_cqe(&ring, &cqe) == -EAGAIN);
	io_uring_queue_exit(&ring);
	CHECK(fcntl(fd, F_GETFD) == -1);
}

static void without_a_ring(void)
{
	struct io_uring_buf bufs[4];
	struct io_uring_buf_ring *br = (struct io_uring_buf_ring *)(void *)bufs;
	struct io_uring ring;

	CHECK(io_uring_major_version() == IO_URING_VERSION_MAJOR);
	CHECK(io_uring_minor_version() == IO_URING_VERSION_MINOR);
	CHECK(!io_uring_check_version(IO_URING_VERSION_MAJOR, IO_URING_VERSION_MINOR));
	CHECK(io_uring_memory_size(NR_ENTRIES, 0) > 0);
	CHECK(io_uring_memory_size(0, 0) == -EINVAL);
	CHECK(io_uring_queue_init(0, &ring, 0) < 0);
	errno = 0;
	CHECK(io_uring_enter(-1, 1, 0, 0, NULL) < 0);
	CHECK(errno == 0);

	memset(bufs, 0, sizeof(bufs));
	io_uring_buf_ring_init(br);
	io_uring_buf_ring_add(br, (void *)(uintptr_t)0xF0001000U, 100, 9, 3, 1);
	io_uring_buf_ring_advance(br, 2);
	CHECK(bufs[1].addr == 0xF0001000U);
	CHECK(bufs[1].len == 100);
	CHECK(bufs[1].bid == 9);
	CHECK(br->tail == 2);
}

static int run_one(struct io_uring *ring)
{
	struct io_uring_cqe *cqe;
	int res;

	CHECK(io_uring_submit_and_wait(ring, 1) == 1);
	CHECK(io_uring_wait_cqe(ring, &cqe) == 0);
	res = cqe->res;
	io_uring_cqe_seen(ring, cqe);
	return res;
}

static void with_a_ring(struct io_uring *ring, int fd)
{
	struct __kernel_timespec ts = { 0, 1000 * 1000 };
	struct io_uring_probe *probe;
	struct io_uring_buf_ring *br;
	struct io_uring_cqe *cqe;
	char in[8] = "";
	sigset_t none;
	int err = 0;

	io_uring_prep_write(io_uring_get_sqe(ring), fd, "beyond", 7, BEYOND_4G);
	CHECK(run_one(ring) == 7);
	CHECK(lseek(fd, 0, SEEK_END) == BEYOND_4G + 7);
	CHECK(io_uring_register_files(ring, &fd, 1) == 0);
	io_uring_prep_read(io_uring_get_sqe(ring), fd, in, 7, BEYOND_4G);
	CHECK(run_one(ring) == 7);
	CHECK(strcmp(in, "beyond") == 0);
	CHECK(io_uring_unregister_files(ring) == 0);

	io_uring_prep_timeout(io_uring_get_sqe(ring), &ts, 0, 0);
	CHECK(run_one(ring) == -ETIME);
	sigemptyset(&none);
	CHECK(io_uring_wait_cqes(ring, &cqe, 1, &ts, &none) == -ETIME);
	CHECK(cqe == NULL);
	CHECK(io_uring_wait_cqe_timeout(ring, &cqe, &ts) == -ETIME);

	br = io_uring_setup_buf_ring(ring, 4, 1, 0, &err);
	CHECK(br != NULL || err == -EINVAL);
	CHECK(!br || io_uring_free_buf_ring(ring, br, 4, 1) == 0);

	probe = io_uring_get_probe();
	CHECK(probe != NULL);
	CHECK(io_uring_opcode_supported(probe, IORING_OP_READ));
	free(probe);
}

int main(void)
{
	char path[] = "/tmp/portable_XXXXXX";
	struct io_uring ring;
	int fd = mkstemp(path), ret;

	CHECK(fd >= 0);
	unlink(path);
	without_a_ring();
	map_a_file(dup(fd));
	ret = io_uring_queue_init(NR_ENTRIES, &ring, 0);
	if (ret < 0) {
		printf("set-up: %s\n", strerror(-ret));
		return 77;
	}
	with_a_ring(&ring, fd);
	io_uring_queue_exit(&ring);
	return 0;
}
