/* SPDX-License-Identifier: MIT */
/*
 * Requests about the ring itself: nothing at all, the file table, and buffers
 * that are provided by request.
 */
#include "test.h"

#include "op_run.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define GROUP 7
#define SLOTS 4

static void test_nop(void **state)
{
	struct io_uring *ring = *state;
	struct io_uring_sqe *sqe;

	io_uring_prep_nop(op_sqe(ring, 1));
	op_check(op_run(ring), 0);
	sqe = op_sqe(ring, 1);
	io_uring_prep_nop(sqe);
	sqe->nop_flags = 1U << 31;
	op_check(op_run(ring), -EINVAL);
	sqe = op_sqe(ring, 1);
	io_uring_prep_nop(sqe);
	sqe->nop_flags = IORING_NOP_INJECT_RESULT;
	sqe->len = (unsigned)-EXDEV;
	op_submit(ring);
	op_expect(ring, 1, -EXDEV);
}

/* A nop that brings two words back in a 32-byte CQE. */
static void check_nop_cqe32(unsigned setup_flags)
{
	struct io_uring ring;
	struct io_uring_sqe *sqe;
	struct io_uring_cqe *cqe;
	int ret;

	op_forget();
	ring_open_flags(&ring, 8, setup_flags);
	sqe = op_sqe(&ring, 1);
	io_uring_prep_nop(sqe);
	sqe->nop_flags = IORING_NOP_CQE32;
	sqe->off = 0x1111222233334444ULL;
	sqe->addr = 0x5555666677778888ULL;
	op_submit(&ring);
	assert_int_equal(io_uring_wait_cqe(&ring, &cqe), 0);
	ret = cqe->res;
	if (ret == 0) {
		assert_true(cqe->big_cqe[0] == 0x1111222233334444ULL);
		assert_true(cqe->big_cqe[1] == 0x5555666677778888ULL);
		assert_int_equal(!!(cqe->flags & IORING_CQE_F_32),
				 !!(setup_flags & IORING_SETUP_CQE_MIXED));
	}
	io_uring_cqe_seen(&ring, cqe);
	assert_int_equal(io_uring_cq_ready(&ring), 0);
	io_uring_queue_exit(&ring);
	if (ret == -EINVAL)
		skip_because("the kernel's nop has no 32-byte CQE");
	op_check(ret, 0);
}

static void test_nop_cqe32(void **state)
{
	check_nop_cqe32(IORING_SETUP_CQE32);
}

static void test_nop_cqe_mixed(void **state)
{
	check_nop_cqe32(IORING_SETUP_CQE_MIXED);
}

/* On a ring of 128-byte SQEs, and between 64-byte ones on a mixed ring. */
static void test_nop128(void **state)
{
	const unsigned setup_flags[] = { IORING_SETUP_SQE128, IORING_SETUP_SQE_MIXED };
	struct io_uring_sqe *sqe;
	struct io_uring ring;
	size_t i;

	require_op(IORING_OP_NOP128);
	for (i = 0; i < ARRAY_LEN(setup_flags); i++) {
		op_forget();
		ring_open_flags(&ring, 8, setup_flags[i]);
		io_uring_prep_nop(op_sqe(&ring, 1));
		sqe = io_uring_get_sqe128(&ring);
		assert_non_null(sqe);
		io_uring_prep_nop128(sqe);
		op_track(sqe, 2);
		io_uring_prep_nop(op_sqe(&ring, 3));
		assert_true(io_uring_submit(&ring) >= 3);
		op_expect(&ring, 1, 0);
		op_expect(&ring, 2, 0);
		op_expect(&ring, 3, 0);
		io_uring_queue_exit(&ring);
	}
}

/* What a read of one byte through the slot says. */
static int read_slot(struct io_uring *ring, int slot)
{
	struct io_uring_sqe *sqe = op_sqe(ring, 200);
	char byte;

	io_uring_prep_read(sqe, slot, &byte, 1, 0);
	io_uring_sqe_set_flags(sqe, IOSQE_FIXED_FILE);
	return op_run(ring);
}

static void test_files_update(void **state)
{
	struct io_uring *ring = *state;
	int files[2] = { temp_file(1), temp_file(0) };
	int update[2];

	io_uring_prep_files_update(op_sqe(ring, 1), files, 2, 0);
	op_check(op_run(ring), -ENXIO);
	assert_int_equal(io_uring_register_files_sparse(ring, SLOTS), 0);
	io_uring_prep_files_update(op_sqe(ring, 1), files, 2, 1);
	op_check(op_run(ring), 2);
	op_check(read_slot(ring, 0), -EBADF);
	op_check(read_slot(ring, 1), 1);
	op_check(read_slot(ring, 2), 0);

	/* The first slot is left alone, the second one emptied. */
	update[0] = IORING_REGISTER_FILES_SKIP;
	update[1] = -1;
	io_uring_prep_files_update(op_sqe(ring, 1), update, 2, 1);
	op_check(op_run(ring), 2);
	op_check(read_slot(ring, 1), 1);
	op_check(read_slot(ring, 2), -EBADF);

	io_uring_prep_files_update(op_sqe(ring, 1), files, 2, SLOTS - 1);
	op_check(op_run(ring), -EINVAL);
	update[0] = 4095;
	io_uring_prep_files_update(op_sqe(ring, 1), update, 1, 0);
	op_check(op_run(ring), -EBADF);
	close(files[0]);
	close(files[1]);
}

static void test_files_alloc(void **state)
{
	struct io_uring *ring = *state;
	int fd = temp_file(1);
	int files[SLOTS] = { fd, fd, fd, fd };
	int i;

	assert_int_equal(io_uring_register_files_sparse(ring, SLOTS), 0);
	assert_int_equal(io_uring_register_files_update(ring, 1, &fd, 1), 1);
	io_uring_prep_files_update(op_sqe(ring, 1), files, 3, (int)IORING_FILE_INDEX_ALLOC);
	op_check(op_run(ring), 3);
	/* The slots come back in the array: all but 1, which is in use. */
	assert_int_equal(1 << files[0] | 1 << files[1] | 1 << files[2], 0xd);
	for (i = 0; i < SLOTS; i++)
		op_check(read_slot(ring, i), 1);
	files[0] = fd;
	io_uring_prep_files_update(op_sqe(ring, 1), files, 1, (int)IORING_FILE_INDEX_ALLOC);
	op_check(op_run(ring), -ENFILE);
	close(fd);
}

/* A read of up to 100 bytes at off into a buffer of the group. */
static struct op_result read_into_group(struct io_uring *ring, int fd, __u64 off)
{
	struct io_uring_sqe *sqe = op_sqe(ring, 1);

	io_uring_prep_read(sqe, fd, NULL, 100, off);
	io_uring_sqe_set_flags(sqe, IOSQE_BUFFER_SELECT);
	io_uring_sqe_set_buf_group(sqe, GROUP);
	op_submit(ring);
	return op_take(ring);
}

static void test_provide_buffers(void **state)
{
	struct io_uring *ring = *state;
	unsigned char mem[3][64];
	int fd = temp_file(1000);
	struct op_result result;
	unsigned seen = 0, bid, i;

	op_check(read_into_group(ring, fd, 0).res, -ENOBUFS);
	io_uring_prep_provide_buffers(op_sqe(ring, 2), mem, 64, 3, GROUP, 10);
	assert_true(op_run(ring) >= 0);
	for (i = 0; i < 3; i++) {
		result = read_into_group(ring, fd, 100 * i);
		op_check(result.res, 64);
		assert_true(result.flags & IORING_CQE_F_BUFFER);
		bid = result.flags >> IORING_CQE_BUFFER_SHIFT;
		assert_in_range(bid, 10, 12);
		assert_true(pattern_same(mem[bid - 10], 64, 100 * i));
		seen |= 1U << (bid - 10);
	}
	assert_int_equal(seen, 7);
	op_check(read_into_group(ring, fd, 0).res, -ENOBUFS);

	/* One of another length and id. */
	io_uring_prep_provide_buffers(op_sqe(ring, 2), mem[1], 10, 1, GROUP, 500);
	assert_true(op_run(ring) >= 0);
	result = read_into_group(ring, fd, 5);
	op_check(result.res, 10);
	assert_int_equal(result.flags >> IORING_CQE_BUFFER_SHIFT, 500);
	assert_true(pattern_same(mem[1], 10, 5));

	io_uring_prep_provide_buffers(op_sqe(ring, 2), mem, 64, 0, GROUP, 0);
	op_check(op_run(ring), -E2BIG);
	io_uring_prep_provide_buffers(op_sqe(ring, 2), mem, 64, 2, GROUP, 65535);
	op_check(op_run(ring), -EINVAL);
	io_uring_prep_provide_buffers(op_sqe(ring, 2), (void *)-8192L, 64, 100, GROUP, 0);
	op_check(op_run(ring), -EFAULT);
	close(fd);
}

static void test_remove_buffers(void **state)
{
	struct io_uring *ring = *state;
	unsigned char mem[5][64];
	int fd = temp_file(1000);

	io_uring_prep_remove_buffers(op_sqe(ring, 2), 1, GROUP);
	op_check(op_run(ring), -ENOENT);
	io_uring_prep_provide_buffers(op_sqe(ring, 2), mem, 64, 5, GROUP, 0);
	assert_true(op_run(ring) >= 0);
	io_uring_prep_remove_buffers(op_sqe(ring, 2), 3, GROUP);
	op_check(op_run(ring), 3);
	op_check(read_into_group(ring, fd, 0).res, 64);
	/* Only what is left. */
	io_uring_prep_remove_buffers(op_sqe(ring, 2), 3, GROUP);
	op_check(op_run(ring), 1);
	op_check(read_into_group(ring, fd, 0).res, -ENOBUFS);
	io_uring_prep_remove_buffers(op_sqe(ring, 2), 0, GROUP);
	op_check(op_run(ring), -EINVAL);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		op_test(test_nop),
		timed_test(test_nop_cqe32),
		timed_test(test_nop_cqe_mixed),
		timed_test(test_nop128),
		op_test(test_files_update),
		op_test(test_files_alloc),
		op_test(test_provide_buffers),
		op_test(test_remove_buffers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
