/* SPDX-License-Identifier: MIT */
/*
 * Step 7 - the reads of step 3 inside an epoll loop that is there already, through an
 * eventfd that the ring signals. The loop never waits anywhere but in epoll_wait.
 *
 * A timer stands for what the loop did before. What differs from step 3 is turn.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "../common/porting.h"

#define DEPTH 16

struct slot {
	unsigned char *buf;
	uint64_t offset;
	unsigned int got;
	unsigned int nr_retries;
	int err;
	bool queued;
};

struct reader {
	int fd, event_fd;
	struct io_uring ring;
	struct slot slots[DEPTH];
	unsigned int head, nr_used, nr_in_flight;
	uint64_t next_offset;
	bool stopping;
};

static void queue_slot(struct reader *reader, struct slot *slot)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&reader->ring);

	if (!sqe) {
		slot->err = -EBUSY;
		return;
	}
	io_uring_prep_read(sqe, reader->fd, slot->buf + slot->got, PORT_BLOCK_SZ - slot->got,
			   slot->offset + slot->got);
	io_uring_sqe_set_data(sqe, slot);
	slot->queued = true;
	reader->nr_in_flight++;
}

static void fill_window(struct reader *reader)
{
	struct slot *slot;

	while (!reader->stopping && reader->nr_used < DEPTH) {
		slot = &reader->slots[(reader->head + reader->nr_used++) % DEPTH];
		slot->offset = reader->next_offset;
		slot->got = slot->nr_retries = 0;
		slot->err = 0;
		reader->next_offset += PORT_BLOCK_SZ;
		queue_slot(reader, slot);
	}
}

static void take_result(struct reader *reader, struct slot *slot, int res)
{
	bool passes = res == -EINTR || res == -EAGAIN;

	slot->queued = false;
	reader->nr_in_flight--;
	if (res > 0)
		slot->got += (unsigned int)res;
	else if (res < 0 && !(passes && slot->nr_retries++ < PORT_MAX_RETRIES))
		slot->err = res;
	if (res != 0 && slot->err == 0 && slot->got < PORT_BLOCK_SZ && !reader->stopping)
		queue_slot(reader, slot);
}

static int deliver(struct port_job *job, struct reader *reader)
{
	struct slot *slot;

	while (reader->nr_used > 0 && !reader->stopping) {
		slot = &reader->slots[reader->head];
		if (slot->queued)
			return 0;
		port_add(job, slot->buf, slot->got);
		if (slot->got < PORT_BLOCK_SZ) {
			reader->stopping = true;
			return slot->err;
		}
		reader->head = (reader->head + 1) % DEPTH;
		reader->nr_used--;
	}
	return 0;
}

/*
 * The eventfd can be read. One signal stands for any number of completions: take all
 * that are there, and do so after the eventfd was read, lest a signal gets lost. What
 * completes within the submit signals again.
 */
static int turn(struct port_job *job, struct reader *reader)
{
	struct io_uring_cqe *cqe;
	eventfd_t count;
	int err, ret;

	eventfd_read(reader->event_fd, &count);
	job->nr_calls += 2;
	while (io_uring_peek_cqe(&reader->ring, &cqe) == 0) {
		take_result(reader, io_uring_cqe_get_data(cqe), cqe->res);
		io_uring_cqe_seen(&reader->ring, cqe);
	}
	err = deliver(job, reader);
	fill_window(reader);
	ret = io_uring_submit(&reader->ring);
	/* Try again in the next turn: what is in flight will bring it about. */
	if ((ret == -EAGAIN || ret == -EBUSY || ret == -EINTR) &&
	    reader->nr_in_flight > io_uring_sq_ready(&reader->ring))
		ret = 0;
	return ret < 0 ? ret : err;
}

/* The loop of a program that has other things to wait for. Returns 0 or a negative errno. */
static int event_loop(struct port_job *job, struct reader *reader, int timer_fd, int epoll_fd)
{
	struct epoll_event events[4];
	unsigned long long nr_ticks = 0;
	uint64_t ticks;
	int nr, i, ret, err = 0;

	ret = turn(job, reader);
	while (ret == 0 && (!reader->stopping || reader->nr_in_flight > 0)) {
		nr = epoll_wait(epoll_fd, events, 4, -1);
		job->nr_calls++;
		if (nr < 0 && errno != EINTR)
			return -errno;
		for (i = 0; i < nr; i++) {
			if (events[i].data.fd == reader->event_fd)
				ret = turn(job, reader);
			else if (read(timer_fd, &ticks, sizeof(ticks)) == sizeof(ticks))
				nr_ticks += ticks;
		}
		/* After an error of a read the others are still waited for. */
		if (ret < 0 && reader->stopping) {
			err = ret;
			ret = 0;
		}
	}
	fprintf(stderr, "The loop has also seen %llu ticks of its timer.\n", nr_ticks);
	return ret < 0 ? ret : err;
}

static int watch(int epoll_fd, int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

	return epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event) < 0 ? -errno : 0;
}

int main(int argc, char **argv)
{
	static const struct itimerspec period = { { 0, 1000000 }, { 0, 1000000 } };
	static struct reader reader;
	struct port_job job;
	void *memory;
	int i, ret, timer_fd, epoll_fd;

	reader.fd = port_start_file(&job, argc, argv);
	timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	timerfd_settime(timer_fd, 0, &period, NULL);
	epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	reader.event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (posix_memalign(&memory, 4096, DEPTH * PORT_BLOCK_SZ) != 0)
		return port_finish(&job, -ENOMEM);
	for (i = 0; i < DEPTH; i++)
		reader.slots[i].buf = (unsigned char *)memory + i * PORT_BLOCK_SZ;
	if (port_open_ring(&reader.ring, DEPTH, 0) == 0) {
		ret = io_uring_register_eventfd(&reader.ring, reader.event_fd);
		if (ret == 0)
			ret = watch(epoll_fd, timer_fd);
		if (ret == 0)
			ret = watch(epoll_fd, reader.event_fd);
		if (ret == 0)
			ret = event_loop(&job, &reader, timer_fd, epoll_fd);
		io_uring_queue_exit(&reader.ring);
	} else {
		ret = port_pread(&job, reader.fd);
	}
	if (reader.nr_in_flight == 0)
		free(memory);
	return port_finish(&job, ret);
}
