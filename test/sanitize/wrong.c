/* SPDX-License-Identifier: MIT */
/*
 * Mistakes that a tool has to report: one each, by name.
 */
#include "common.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#define BUF_SZ 256

static struct io_uring ring;
static int zero_fd;

static void set_up(void)
{
	zero_fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	CHECK(io_uring_queue_init(8, &ring, 0) == 0);
}

static int submit_freed_buffer(void)
{
	char *volatile buf = malloc(BUF_SZ);

	set_up();
	io_uring_prep_read(next_sqe(&ring), zero_fd, buf, BUF_SZ, 0);
	free(buf);
	io_uring_submit(&ring);
	return 0;
}

static int submit_too_long_a_buffer(void)
{
	char *volatile buf = malloc(BUF_SZ);

	set_up();
	io_uring_prep_read(next_sqe(&ring), zero_fd, buf, BUF_SZ + 1, 0);
	io_uring_submit(&ring);
	free(buf);
	return 0;
}

static int submit_freed_iovecs(void)
{
	struct iovec *volatile iov = malloc(sizeof(*iov));
	char buf[BUF_SZ];

	set_up();
	iov->iov_base = buf;
	iov->iov_len = BUF_SZ;
	io_uring_prep_readv(next_sqe(&ring), zero_fd, iov, 1, 0);
	free(iov);
	io_uring_submit_and_wait(&ring, 1);
	return 0;
}

static int submit_freed_buffer_of_an_iovec(void)
{
	struct iovec iov;
	char *volatile buf = malloc(BUF_SZ);

	set_up();
	iov.iov_base = buf;
	iov.iov_len = BUF_SZ;
	io_uring_prep_writev(next_sqe(&ring), zero_fd, &iov, 1, 0);
	free(buf);
	io_uring_submit_and_wait(&ring, 1);
	return 0;
}

static __attribute__((noinline)) void queue_timeout_of_the_stack(void)
{
	struct __kernel_timespec ts[8] = { { .tv_nsec = 1000 } };

	io_uring_prep_timeout(next_sqe(&ring), ts, 0, 0);
}

static int submit_dead_timespec(void)
{
	struct io_uring_cqe *cqe;

	set_up();
	queue_timeout_of_the_stack();
	io_uring_submit_and_wait_timeout(&ring, &cqe, 1, NULL, NULL);
	return 0;
}

static int provide_freed_buffer(void)
{
	struct io_uring_buf_ring *br;
	char *volatile buf = malloc(BUF_SZ);
	int err;

	set_up();
	br = io_uring_setup_buf_ring(&ring, 8, 1, 0, &err);
	CHECK(br);
	free(buf);
	io_uring_buf_ring_add(br, buf, BUF_SZ, 0, io_uring_buf_ring_mask(8), 0);
	return 0;
}

/* Nothing was read into it. */
static int use_unread_buffer(void)
{
	char *volatile buf = malloc(BUF_SZ), *volatile other = malloc(BUF_SZ);

	set_up();
	io_uring_prep_read(next_sqe(&ring), zero_fd, buf, BUF_SZ, 0);
	CHECK(io_uring_submit(&ring) == 1);
	CHECK(take(&ring, 0) == BUF_SZ);
	CHECK(count_odd(buf, BUF_SZ) == 0);
	fprintf(stderr, "so far no report\n");
	count_odd(other, BUF_SZ);
	return 0;
}

static unsigned shared;

static void *use_rings(void *arg)
{
	struct io_uring own;
	unsigned i;

	(void)arg;
	CHECK(io_uring_queue_init(8, &own, 0) == 0);
	for (i = 0; i < 100; i++) {
		io_uring_prep_nop(next_sqe(&own));
		CHECK(io_uring_submit(&own) == 1);
		CHECK(take(&own, 0) == 0);
		shared++;
	}
	/* Not given up here: that would be an order between the threads. */
	usleep(100000);
	return NULL;
}

/* Two rings, and a word that neither hands over. */
static int share_a_word(void)
{
	pthread_t threads[2];
	int i;

	for (i = 0; i < 2; i++)
		CHECK(pthread_create(&threads[i], NULL, use_rings, NULL) == 0);
	for (i = 0; i < 2; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
	return 0;
}

static void *take_and_look(void *arg)
{
	(void)arg;
	take(&ring, 0);
	/* Written by the other thread after its submit. */
	CHECK(shared < 3);
	return NULL;
}

static int write_after_submit(void)
{
	pthread_t thread;

	set_up();
	CHECK(pthread_create(&thread, NULL, take_and_look, NULL) == 0);
	io_uring_prep_nop(next_sqe(&ring));
	io_uring_submit(&ring);
	shared = 1;
	CHECK(pthread_join(thread, NULL) == 0);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct sanitize_case cases[] = {
		{ "submit_freed_buffer", submit_freed_buffer },
		{ "submit_too_long_a_buffer", submit_too_long_a_buffer },
		{ "submit_freed_iovecs", submit_freed_iovecs },
		{ "submit_freed_buffer_of_an_iovec", submit_freed_buffer_of_an_iovec },
		{ "submit_dead_timespec", submit_dead_timespec },
		{ "provide_freed_buffer", provide_freed_buffer },
		{ "use_unread_buffer", use_unread_buffer },
		{ "share_a_word", share_a_word },
		{ "write_after_submit", write_after_submit },
		{ NULL, NULL },
	};

	return run_case(cases, argc > 1 ? argv[1] : NULL);
}
