/* SPDX-License-Identifier: MIT */
/*
 * A table of files and a group of buffers that change all the time, under requests
 * that use them: a request finds its file or none, and no buffer has two owners.
 */
#include "stress.h"
#include "process.h"
#include "ring.h"

#include <sys/socket.h>
#include <unistd.h>

#define IN_FLIGHT 64
#define NR_FILES 16
#define BLOCK 64

#define NR_BUFFERS 16
#define GROUP 7

/* Requests that read from the table: of a file that is there, or is not. */
static void read_slot(struct io_uring *ring, struct ledger *ledger, unsigned char *buf)
{
	struct io_uring_sqe *sqe = stress_sqe(ring, ledger);
	__u64 tag = sqe->user_data;

	io_uring_prep_read(sqe, (int)stress_random(NR_FILES), buf + (tag % LEDGER_SLOTS) * BLOCK,
			   BLOCK, stress_random(4) * BLOCK);
	sqe->flags |= IOSQE_FIXED_FILE;
	if (stress_random(4) == 0)
		sqe->flags |= IOSQE_ASYNC;
}

static void change_slot(struct io_uring *ring, struct ledger *ledger, int *fds)
{
	unsigned slot = stress_random(NR_FILES);
	int *fd = &fds[stress_random(2)];

	if (stress_random(2)) {
		assert_int_equal(io_uring_register_files_update(ring, slot, fd, 1), 1);
		return;
	}
	io_uring_prep_files_update(stress_sqe(ring, ledger), fd, 1, (int)slot);
}

static void see_files(struct io_uring *ring, struct ledger *ledger)
{
	struct io_uring_cqe *cqe;

	while (!io_uring_peek_cqe(ring, &cqe)) {
		if (cqe->res != BLOCK && cqe->res != -EBADF && cqe->res != 1)
			fail_msg("result %d", cqe->res);
		ledger_done(ledger, cqe->user_data);
		io_uring_cqe_seen(ring, cqe);
	}
}

static void test_files(void **state)
{
	unsigned char *buf = page_alloc(LEDGER_SLOTS * BLOCK);
	int fds[2] = { temp_file(4 * BLOCK), -1 };
	struct ledger ledger;
	struct io_uring ring;
	unsigned i;

	ring_open_flags(&ring, 16, 0);
	require_ret("io_uring_register_files_sparse",
		    io_uring_register_files_sparse(&ring, NR_FILES));
	ledger_open(&ledger, IN_FLIGHT);
	while (stress_goes_on()) {
		for (i = 0; i < 8 && ledger_has_room(&ledger); i++)
			read_slot(&ring, &ledger, buf);
		if (ledger_has_room(&ledger))
			change_slot(&ring, &ledger, fds);
		stress_submit(&ring, &ledger);
		see_files(&ring, &ledger);
		/* A whole table goes and comes. */
		if (stress_random(64) == 0) {
			assert_int_equal(io_uring_unregister_files(&ring), 0);
			assert_int_equal(io_uring_register_files_sparse(&ring, NR_FILES), 0);
		}
	}
	while (ledger_in_flight(&ledger)) {
		assert_true(io_uring_submit_and_wait(&ring, 1) >= 0);
		see_files(&ring, &ledger);
	}
	ledger_check(&ledger);
	io_uring_queue_exit(&ring);
	close(fds[0]);
	page_free(buf, LEDGER_SLOTS * BLOCK);
}

/* A group of buffers, and which of them the program has just now. */
struct group {
	struct io_uring_buf_ring *br;
	unsigned char *mem;
	bool is_ours[NR_BUFFERS];
	unsigned nr_none_left;
	unsigned nr_sends;	/* in flight, so that receives end */
};

static void give(struct group *group, unsigned bid)
{
	assert_true(group->is_ours[bid]);
	group->is_ours[bid] = false;
	io_uring_buf_ring_add(group->br, group->mem + bid * BLOCK, BLOCK, (unsigned short)bid,
			      io_uring_buf_ring_mask(NR_BUFFERS), 0);
	io_uring_buf_ring_advance(group->br, 1);
}

static void see_receives(struct io_uring *ring, struct ledger *ledger, struct group *group)
{
	struct io_uring_cqe *cqe;
	unsigned bid;

	while (!io_uring_peek_cqe(ring, &cqe)) {
		if (cqe->flags & IORING_CQE_F_BUFFER) {
			bid = cqe->flags >> IORING_CQE_BUFFER_SHIFT;
			assert_in_range(bid, 0, NR_BUFFERS - 1);
			if (group->is_ours[bid])
				fail_msg("buffer %u was taken twice", bid);
			group->is_ours[bid] = true;
		} else if (cqe->res == -ENOBUFS) {
			group->nr_none_left++;
		} else if (cqe->res != BLOCK && cqe->res != -EAGAIN) {
			fail_msg("result %d", cqe->res);
		}
		ledger_done(ledger, cqe->user_data);
		io_uring_cqe_seen(ring, cqe);
	}
}

static void open_group(struct io_uring *ring, struct group *group)
{
	unsigned bid;
	int ret = 0;

	group->br = io_uring_setup_buf_ring(ring, NR_BUFFERS, GROUP, 0, &ret);
	if (!group->br)
		require_ret("io_uring_setup_buf_ring", ret);
	for (bid = 0; bid < NR_BUFFERS; bid++) {
		group->is_ours[bid] = true;
		give(group, bid);
	}
}

/* Blocks to receive, and receives that do not wait for one. */
static void send_and_receive(struct io_uring *ring, struct ledger *ledger, const int *fds,
			     const unsigned char *block)
{
	struct io_uring_sqe *sqe = stress_sqe(ring, ledger);

	if (stress_random(2)) {
		io_uring_prep_send(sqe, fds[0], block, BLOCK, MSG_DONTWAIT);
		return;
	}
	io_uring_prep_recv(sqe, fds[1], NULL, BLOCK, MSG_DONTWAIT);
	sqe->buf_group = GROUP;
	sqe->flags |= IOSQE_BUFFER_SELECT;
	if (stress_random(4) == 0)
		sqe->flags |= IOSQE_ASYNC;
}

static void test_buffers(void **state)
{
	struct group group = { .mem = page_alloc(NR_BUFFERS * BLOCK) };
	static unsigned char block[BLOCK];
	struct ledger ledger;
	struct io_uring ring;
	unsigned i;
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds), 0);
	ring_open_flags(&ring, 16, 0);
	open_group(&ring, &group);
	ledger_open(&ledger, IN_FLIGHT);
	while (stress_goes_on()) {
		for (i = 0; i < 12 && ledger_has_room(&ledger); i++)
			send_and_receive(&ring, &ledger, fds, block);
		stress_submit(&ring, &ledger);
		see_receives(&ring, &ledger, &group);
		/* Not always, so that they run out. */
		if (stress_random(3) == 0)
			for (i = stress_random(NR_BUFFERS); i < NR_BUFFERS; i++)
				if (group.is_ours[i])
					give(&group, i);
		if (stress_random(200) == 0) {
			while (ledger_in_flight(&ledger)) {
				assert_true(io_uring_submit_and_wait(&ring, 1) >= 0);
				see_receives(&ring, &ledger, &group);
			}
			assert_int_equal(io_uring_free_buf_ring(&ring, group.br, NR_BUFFERS,
								GROUP), 0);
			open_group(&ring, &group);
		}
	}
	while (ledger_in_flight(&ledger)) {
		assert_true(io_uring_submit_and_wait(&ring, 1) >= 0);
		see_receives(&ring, &ledger, &group);
	}
	assert_true(group.nr_none_left > 0);
	assert_int_equal(io_uring_free_buf_ring(&ring, group.br, NR_BUFFERS, GROUP), 0);
	ledger_check(&ledger);
	io_uring_queue_exit(&ring);
	close(fds[0]);
	close(fds[1]);
	page_free(group.mem, NR_BUFFERS * BLOCK);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		stress_test(test_files),
		stress_test(test_buffers),
	};

	return STRESS_RUN("churn", tests);
}
