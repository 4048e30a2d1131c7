/* SPDX-License-Identifier: MIT */
/*
 * A ring for the tests of the reader that no kernel stands behind: requests
 * complete in any order and with any result, enters fail. Include it before
 * sources that are to use it.
 */
#ifndef TEST_URINGX_FAKE_RING_H
#define TEST_URINGX_FAKE_RING_H

#include <liburing.h>
#include <stdbool.h>
#include <stdint.h>

#define FAKE_MAX 64

/* Chances are in 256. */
struct fake_script {
	uint64_t seed;
	unsigned short_chance;		/* a read comes back short */
	unsigned retry_chance;		/* EINTR, EAGAIN or ECANCELED instead of a read */
	unsigned enter_chance;		/* an enter fails, or takes only a part */
	unsigned early_chance;		/* a request completes within the submit */
	unsigned late_chance;		/* one completes though the enter fails */
	unsigned always;		/* if not 0, the errno of every read */
	uint64_t bad_from;		/* bytes from here on cannot be read: EIO */
	unsigned short_request;		/* if not 0, the so-manieth read gives one byte */
	unsigned bad_request;		/* if not 0, the so-manieth read gives EIO */
	int setup_error;		/* of the set-up */
	int enable_error;		/* of the enabling */
	int enter_error;		/* of each enter, from the enter after nr_good_enters on */
	unsigned nr_good_enters;
	bool no_registration;		/* files and buffers cannot be registered */
	bool refuses_direct;		/* EINVAL from every read of a descriptor but plain_fd */
	int plain_fd;
	unsigned features;
};

struct fake_state {
	struct fake_script script;
	uint64_t random;
	struct io_uring_sqe queue[FAKE_MAX];	/* SQEs that were not submitted */
	unsigned nr_queued;
	struct io_uring_sqe flight[FAKE_MAX];
	unsigned nr_flight;
	struct io_uring_cqe cqes[4 * FAKE_MAX];
	unsigned nr_cqes;
	unsigned entries;
	unsigned nr_rings;
	unsigned nr_reads;
	unsigned nr_enters;
	int file;			/* the registered file */
};

extern struct fake_state fake;

void fake_start(const struct fake_script *script);
/* fake_random - the next number below bound of the script's sequence. */
unsigned fake_random(unsigned bound);

int fake_queue_init(unsigned entries, struct io_uring *ring, unsigned flags);
void fake_queue_exit(struct io_uring *ring);
int fake_enable_rings(struct io_uring *ring);
int fake_register_files(struct io_uring *ring, const int *files, unsigned nr);
int fake_register_buffers(struct io_uring *ring, const struct iovec *iovecs, unsigned nr);
int fake_unregister(struct io_uring *ring);
struct io_uring_sqe *fake_get_sqe(struct io_uring *ring);
unsigned fake_sq_ready(const struct io_uring *ring);
int fake_submit(struct io_uring *ring);
int fake_submit_and_wait(struct io_uring *ring, unsigned wait_nr);
int fake_peek_cqe(struct io_uring *ring, struct io_uring_cqe **cqe);
void fake_cqe_seen(struct io_uring *ring, struct io_uring_cqe *cqe);
ssize_t fake_pread(int fd, void *buf, size_t count, off_t offset);
ssize_t fake_read(int fd, void *buf, size_t count);

/* A build with sanitizers has macros of its own. */
#undef io_uring_queue_init
#undef io_uring_queue_exit
#undef io_uring_enable_rings
#undef io_uring_register_ring_fd
#undef io_uring_register_files
#undef io_uring_unregister_files
#undef io_uring_register_buffers
#undef io_uring_unregister_buffers
#undef io_uring_get_sqe
#undef io_uring_sq_ready
#undef io_uring_sqring_wait
#undef io_uring_submit
#undef io_uring_submit_and_wait
#undef io_uring_peek_cqe
#undef io_uring_cqe_seen

#define io_uring_queue_init fake_queue_init
#define io_uring_queue_exit fake_queue_exit
#define io_uring_enable_rings fake_enable_rings
#define io_uring_register_ring_fd fake_unregister
#define io_uring_register_files fake_register_files
#define io_uring_unregister_files fake_unregister
#define io_uring_register_buffers fake_register_buffers
#define io_uring_unregister_buffers fake_unregister
#define io_uring_get_sqe fake_get_sqe
#define io_uring_sq_ready fake_sq_ready
#define io_uring_sqring_wait fake_unregister
#define io_uring_submit fake_submit
#define io_uring_submit_and_wait fake_submit_and_wait
#define io_uring_peek_cqe fake_peek_cqe
#define io_uring_cqe_seen fake_cqe_seen

#endif
