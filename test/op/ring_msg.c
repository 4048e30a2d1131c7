/* SPDX-License-Identifier: MIT */
/*
 * Messages between rings: CQEs with chosen contents and direct descriptors.
 */
#include "test.h"

#include "op_run.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define DATA 0x1122334455667788ULL
#define SLOTS 4

static void open_target(struct io_uring *target)
{
	require_op(IORING_OP_MSG_RING);
	ring_open_flags(target, 8, 0);
}

/* The one CQE in the target; returns its flags. */
static unsigned expect_message(struct io_uring *target, __u64 data, int res)
{
	struct io_uring_cqe cqe;

	op_check(wait_one(target, &cqe), res);
	assert_true(cqe.user_data == data);
	assert_int_equal(io_uring_cq_ready(target), 0);
	return cqe.flags;
}

static void test_data(void **state)
{
	struct io_uring *ring = *state;
	struct io_uring_sqe *sqe;
	struct io_uring target;
	int fd = temp_file(1);

	open_target(&target);
	io_uring_prep_msg_ring(op_sqe(ring, 1), target.ring_fd, 77, DATA, 0);
	op_check(op_run(ring), 0);
	assert_int_equal(expect_message(&target, DATA, 77), 0);
	/* The result may be any, also a negative one. */
	io_uring_prep_msg_ring(op_sqe(ring, 1), target.ring_fd, (unsigned)-EXDEV, 1, 0);
	op_check(op_run(ring), 0);
	expect_message(&target, 1, -EXDEV);

	/* To itself: a CQE for the message and one for having sent it. */
	io_uring_prep_msg_ring(op_sqe(ring, 1), ring->ring_fd, 78, 2, 0);
	op_submit(ring);
	op_expect(ring, 2, 78);
	op_expect(ring, 1, 0);

	io_uring_prep_msg_ring(op_sqe(ring, 1), fd, 77, DATA, 0);
	op_check(op_run(ring), -EBADFD);
	io_uring_prep_msg_ring(op_sqe(ring, 1), 4095, 77, DATA, 0);
	op_check(op_run(ring), -EBADF);
	io_uring_prep_msg_ring(op_sqe(ring, 1), target.ring_fd, 77, DATA, 1U << 31);
	op_check(op_run(ring), -EINVAL);
	/* No CQE there and none here: nothing would come of it. */
	io_uring_prep_msg_ring(op_sqe(ring, 1), target.ring_fd, 77, DATA,
			       IORING_MSG_RING_CQE_SKIP);
	op_check(op_run(ring), -EINVAL);
	sqe = op_sqe(ring, 1);
	io_uring_prep_msg_ring(sqe, target.ring_fd, 77, DATA, 0);
	sqe->addr = 99;
	op_check(op_run(ring), -EINVAL);
	io_uring_queue_exit(&target);
	close(fd);
}

static void test_cqe_flags(void **state)
{
	struct io_uring *ring = *state;
	struct io_uring target;

	open_target(&target);
	io_uring_prep_msg_ring_cqe_flags(op_sqe(ring, 1), target.ring_fd, 77, DATA, 0,
					 IORING_CQE_F_MORE | 5U << IORING_CQE_BUFFER_SHIFT);
	op_check(op_run(ring), 0);
	assert_int_equal(expect_message(&target, DATA, 77),
			 IORING_CQE_F_MORE | 5U << IORING_CQE_BUFFER_SHIFT);
	io_uring_queue_exit(&target);
}

/*
 * Flags that speak of the size of a CQE and of filler, in a ring that has neither:
 * each is one CQE, to be seen and to be released as one.
 */
static void test_size_flags_mean_nothing(void **state)
{
	struct io_uring *ring = *state;
	const unsigned flags[] = { IORING_CQE_F_32, IORING_CQE_F_SKIP };
	struct io_uring_cqe *cqe, *batch[4];
	struct io_uring target;
	unsigned head, nr = 0;
	size_t i;

	open_target(&target);
	for (i = 0; i < ARRAY_LEN(flags); i++) {
		io_uring_prep_msg_ring_cqe_flags(op_sqe(ring, 1), target.ring_fd, (unsigned)i, i,
						 0, flags[i]);
		op_check(op_run(ring), 0);
	}
	assert_int_equal(io_uring_cq_ready(&target), 2);
	io_uring_for_each_cqe(&target, head, cqe)
		assert_int_equal(cqe->flags, flags[nr++]);
	assert_int_equal(nr, 2);
	assert_int_equal(io_uring_peek_batch_cqe(&target, batch, 4), 2);
	for (i = 0; i < ARRAY_LEN(flags); i++) {
		assert_int_equal(io_uring_wait_cqe(&target, &cqe), 0);
		assert_int_equal(cqe->res, i);
		head = *target.cq.khead;
		io_uring_cqe_seen(&target, cqe);
		assert_int_equal(*target.cq.khead - head, 1);
	}
	assert_int_equal(io_uring_cq_ready(&target), 0);
	io_uring_queue_exit(&target);
}

/* On a mixed ring they mean what they say: a message of two slots, and filler. */
static void test_size_flags_on_mixed_ring(void **state)
{
	struct io_uring *ring = *state;
	const unsigned flags[] = { IORING_CQE_F_32, IORING_CQE_F_SKIP, 0 };
	struct io_uring target;
	size_t i;

	ring_open_flags(&target, 8, IORING_SETUP_CQE_MIXED);
	for (i = 0; i < ARRAY_LEN(flags); i++) {
		io_uring_prep_msg_ring_cqe_flags(op_sqe(ring, 1), target.ring_fd, (unsigned)i, i,
						 0, flags[i]);
		op_check(op_run(ring), 0);
	}
	assert_int_equal(io_uring_cq_ready(&target), 4);
	op_check(wait_one(&target, NULL), 0);
	assert_int_equal(io_uring_cq_ready(&target), 2);
	op_check(wait_one(&target, NULL), 2);
	assert_int_equal(io_uring_cq_ready(&target), 0);
	io_uring_queue_exit(&target);
}

static int read_slot(struct io_uring *ring, int slot, char *byte)
{
	struct io_uring_sqe *sqe = next_sqe(ring);

	io_uring_prep_read(sqe, slot, byte, 1, 0);
	io_uring_sqe_set_flags(sqe, IOSQE_FIXED_FILE);
	return submit_one(ring, NULL);
}

static void assert_slot_reads(struct io_uring *ring, int slot, char wanted)
{
	char byte;

	op_check(read_slot(ring, slot, &byte), 1);
	assert_int_equal(byte, wanted);
}

/* Files of one byte each, in slots 0 and 1 of the sender. */
static void register_ab(struct io_uring *ring)
{
	int files[2] = { temp_file(0), temp_file(0) };

	assert_int_equal(pwrite(files[0], "a", 1, 0), 1);
	assert_int_equal(pwrite(files[1], "b", 1, 0), 1);
	assert_int_equal(io_uring_register_files(ring, files, 2), 0);
	close(files[0]);
	close(files[1]);
}

static void test_fd(void **state)
{
	struct io_uring *ring = *state;
	struct io_uring target;
	char byte;

	open_target(&target);
	register_ab(ring);
	/* The target has no table yet. */
	io_uring_prep_msg_ring_fd(op_sqe(ring, 1), target.ring_fd, 0, 2, DATA, 0);
	op_check(op_run(ring), -ENXIO);
	assert_int_equal(io_uring_register_files_sparse(&target, SLOTS), 0);

	io_uring_prep_msg_ring_fd(op_sqe(ring, 1), target.ring_fd, 0, 2, DATA, 0);
	op_check(op_run(ring), 0);
	expect_message(&target, DATA, 0);
	assert_slot_reads(&target, 2, 'a');
	op_check(read_slot(&target, 1, &byte), -EBADF);
	op_check(read_slot(&target, 3, &byte), -EBADF);

	/* Without a CQE there. */
	io_uring_prep_msg_ring_fd(op_sqe(ring, 1), target.ring_fd, 1, 3, DATA,
				  IORING_MSG_RING_CQE_SKIP);
	op_check(op_run(ring), 0);
	no_cqe(&target);
	assert_slot_reads(&target, 3, 'b');
	/* The sender keeps its own. */
	assert_slot_reads(ring, 1, 'b');

	io_uring_prep_msg_ring_fd(op_sqe(ring, 1), target.ring_fd, 2, 0, DATA, 0);
	op_check(op_run(ring), -EBADF);
	io_uring_prep_msg_ring_fd(op_sqe(ring, 1), target.ring_fd, 0, SLOTS, DATA, 0);
	op_check(op_run(ring), -EINVAL);
	io_uring_prep_msg_ring_fd(op_sqe(ring, 1), ring->ring_fd, 0, 0, DATA, 0);
	op_check(op_run(ring), -EINVAL);
	io_uring_queue_exit(&target);
}

static void test_fd_alloc(void **state)
{
	struct io_uring *ring = *state;
	struct io_uring target;
	int slots[2], i;
	struct io_uring_cqe cqe;

	open_target(&target);
	register_ab(ring);
	assert_int_equal(io_uring_register_files_sparse(&target, 2), 0);
	for (i = 0; i < 2; i++) {
		io_uring_prep_msg_ring_fd_alloc(op_sqe(ring, 1), target.ring_fd, i, DATA, 0);
		slots[i] = op_run(ring);
		assert_in_range(slots[i], 0, 1);
		wait_one(&target, &cqe);
		assert_true(cqe.user_data == DATA);
		assert_int_equal(cqe.res, slots[i]);
		assert_slot_reads(&target, slots[i], i ? 'b' : 'a');
	}
	assert_int_not_equal(slots[0], slots[1]);
	io_uring_prep_msg_ring_fd_alloc(op_sqe(ring, 1), target.ring_fd, 0, DATA, 0);
	op_check(op_run(ring), -ENFILE);
	io_uring_queue_exit(&target);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		op_test(test_data),
		op_test(test_cqe_flags),
		op_test(test_size_flags_mean_nothing),
		op_test(test_size_flags_on_mixed_ring),
		op_test(test_fd),
		op_test(test_fd_alloc),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
