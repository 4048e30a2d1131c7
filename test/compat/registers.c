/* SPDX-License-Identifier: MIT */
/* What a ring can be told to know: files, buffers, limits, itself. */
#include "compat.h"
#include <fcntl.h>
#include <sys/uio.h>

static void fixed_files(struct io_uring *ring)
{
	struct io_uring_sqe *sqe;
	int first[2], second[2], files[4] = { -1, -1, -1, -1 };
	char byte = 0;

	CHECK_INT(pipe(first), 0);
	CHECK_INT(pipe(second), 0);
	files[1] = first[0];
	CHECK_INT(io_uring_register_files(ring, files, 4), 0);
	CHECK_INT(write(first[1], "a", 1), 1);
	sqe = take_sqe(ring);
	io_uring_prep_read(sqe, 1, &byte, 1, 0);
	io_uring_sqe_set_flags(sqe, IOSQE_FIXED_FILE);
	CHECK_INT(run_one(ring, sqe), 1);
	CHECK_INT(byte, 'a');

	CHECK_INT(io_uring_register_files_update(ring, 2, &second[0], 1), 1);
	CHECK_INT(write(second[1], "b", 1), 1);
	sqe = take_sqe(ring);
	io_uring_prep_read(sqe, 2, &byte, 1, 0);
	io_uring_sqe_set_flags(sqe, IOSQE_FIXED_FILE);
	CHECK_INT(run_one(ring, sqe), 1);
	CHECK_INT(byte, 'b');

	files[0] = -1;
	sqe = take_sqe(ring);
	io_uring_prep_files_update(sqe, files, 1, 1);
	CHECK_INT(run_one(ring, sqe), 1);
	sqe = take_sqe(ring);
	io_uring_prep_read(sqe, 1, &byte, 1, 0);
	io_uring_sqe_set_flags(sqe, IOSQE_FIXED_FILE);
	CHECK_INT(run_one(ring, sqe), -EBADF);
	CHECK_INT(io_uring_unregister_files(ring), 0);

	CHECK_INT(io_uring_register_files_sparse(ring, 8), 0);
	CHECK_INT(io_uring_register_file_alloc_range(ring, 4, 4), 0);
	sqe = take_sqe(ring);
	io_uring_prep_openat(sqe, AT_FDCWD, "/dev/zero", O_RDONLY, 0);
	/* Release 2.3 would store this plus one when told through a helper. */
	sqe->file_index = IORING_FILE_INDEX_ALLOC;
	CHECK_INT(run_one(ring, sqe), 4);
	byte = 1;
	sqe = take_sqe(ring);
	io_uring_prep_read(sqe, 4, &byte, 1, 0);
	io_uring_sqe_set_flags(sqe, IOSQE_FIXED_FILE);
	CHECK_INT(run_one(ring, sqe), 1);
	CHECK_INT(byte, 0);
	sqe = take_sqe(ring);
	io_uring_prep_close_direct(sqe, 4);
	CHECK_INT(run_one(ring, sqe), 0);
	CHECK_INT(io_uring_unregister_files(ring), 0);
	CHECK_INT(io_uring_unregister_files(ring), -ENXIO);
	close(first[0]);
	close(first[1]);
	close(second[0]);
	close(second[1]);
}

static void fixed_buffers(struct io_uring *ring)
{
	char memory[2][64] = { "", "through the fixed buffer" };
	struct iovec iov[2] = { { memory[0], 64 }, { memory[1], 64 } };
	struct io_uring_sqe *sqe;
	int pipefd[2];

	CHECK_INT(pipe(pipefd), 0);
	CHECK_INT(io_uring_register_buffers(ring, iov, 2), 0);
	sqe = take_sqe(ring);
	io_uring_prep_write_fixed(sqe, pipefd[1], memory[1], 25, 0, 1);
	CHECK_INT(run_one(ring, sqe), 25);
	sqe = take_sqe(ring);
	io_uring_prep_read_fixed(sqe, pipefd[0], memory[0], 64, 0, 0);
	CHECK_INT(run_one(ring, sqe), 25);
	CHECK(strcmp(memory[0], memory[1]) == 0);
	sqe = take_sqe(ring);
	io_uring_prep_read_fixed(sqe, pipefd[0], memory[1], 64, 0, 0);
	CHECK_INT(run_one(ring, sqe), -EFAULT);
	CHECK_INT(io_uring_unregister_buffers(ring), 0);
	CHECK_INT(io_uring_unregister_buffers(ring), -ENXIO);
	close(pipefd[0]);
	close(pipefd[1]);
}

/* Everything goes on through the index when the ring is registered in itself. */
static void registered_ring(struct io_uring *ring)
{
	struct __kernel_timespec ts = { 0, 1000 * 1000 };
	struct io_uring_cqe *cqe;
	struct io_uring_sqe *sqe;
	int i;

	CHECK_INT(io_uring_register_ring_fd(ring), 1);
	for (i = 0; i < 3 * NR_ENTRIES; i++) {
		sqe = take_sqe(ring);
		io_uring_prep_nop(sqe);
		CHECK_INT(run_one(ring, sqe), 0);
	}
	CHECK_INT(io_uring_wait_cqe_timeout(ring, &cqe, &ts), -ETIME);
	CHECK_INT(io_uring_register_files_sparse(ring, 4), 0);
	CHECK_INT(io_uring_unregister_files(ring), 0);
	CHECK_INT(io_uring_unregister_ring_fd(ring), 1);
	sqe = take_sqe(ring);
	io_uring_prep_nop(sqe);
	CHECK_INT(run_one(ring, sqe), 0);
}

static void limits(struct io_uring *ring)
{
	unsigned values[2] = { 3, 5 }, old[2] = { 0, 0 };
	int personality;

	CHECK_INT(io_uring_register_iowq_max_workers(ring, values), 0);
	CHECK_INT(io_uring_register_iowq_max_workers(ring, old), 0);
	CHECK_INT(old[0], 3);
	CHECK_INT(old[1], 5);
	personality = io_uring_register_personality(ring);
	CHECK(personality > 0);
	CHECK_INT(io_uring_unregister_personality(ring, personality), 0);
	CHECK_INT(io_uring_unregister_personality(ring, personality), -EINVAL);
}

static void sync_cancel(struct io_uring *ring)
{
	struct io_uring_sync_cancel_reg reg;
	struct io_uring_sqe *sqe;
	int pipefd[2];
	char byte;

	CHECK_INT(pipe(pipefd), 0);
	sqe = take_sqe(ring);
	io_uring_prep_read(sqe, pipefd[0], &byte, 1, 0);
	io_uring_sqe_set_data64(sqe, 20);
	submit_all(ring);
	while (ring->flags & IORING_SETUP_SQPOLL && io_uring_sq_ready(ring))
		CHECK(io_uring_sqring_wait(ring) >= 0);
	memset(&reg, 0, sizeof(reg));
	reg.addr = 20;
	reg.fd = -1;
	reg.timeout.tv_sec = -1;
	reg.timeout.tv_nsec = -1;
	/* A read that the SQ thread has only just taken may not be found yet. */
	do {
		int ret = io_uring_register_sync_cancel(ring, &reg);

		CHECK(ret == 0 || (ret == -ENOENT && ring->flags & IORING_SETUP_SQPOLL));
		if (ret == 0)
			break;
	} while (1);
	CHECK_INT(reap(ring, 20), -ECANCELED);
	close(pipefd[0]);
	close(pipefd[1]);
}

static void message_to_ring(struct io_uring *ring)
{
	struct io_uring_cqe *cqe;
	struct io_uring_sqe *sqe;
	struct io_uring other;

	CHECK_INT(io_uring_queue_init(NR_ENTRIES, &other, 0), 0);
	sqe = take_sqe(ring);
	io_uring_prep_msg_ring(sqe, other.ring_fd, 77, 88, 0);
	CHECK_INT(run_one(ring, sqe), 0);
	CHECK_INT(io_uring_wait_cqe(&other, &cqe), 0);
	CHECK_INT(cqe->res, 77);
	CHECK_INT(cqe->user_data, 88);
	io_uring_cqe_seen(&other, cqe);
	io_uring_queue_exit(&other);
}

const struct compat_case register_cases[] = {
	{ "fixed files", fixed_files, 0 },
	{ "fixed buffers", fixed_buffers, 0 },
	{ "registered ring", registered_ring, 0 },
	{ "limits", limits, 0 },
	{ "synchronous cancel", sync_cancel, 0 },
	/* The size of a CQE must be the same at both ends. */
	{ "message to a ring", message_to_ring, IORING_SETUP_CQE32 },
	{ NULL, NULL, 0 },
};
