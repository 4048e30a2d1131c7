/* SPDX-License-Identifier: MIT */
/*
 * What the prep helpers do by the names of the fields, so that it counts on every
 * byte order and word size: pointers, order of calls, slots, poll masks, lengths.
 */
#include "test.h"

#include <poll.h>
#include <sys/epoll.h>
#include <liburing.h>

#define DATA 0x1122334455667788ull
#define GROUP 0x4321

static struct io_uring_sqe used_sqe(void)
{
	struct io_uring_sqe sqe;

	memset(&sqe, 0xa5, sizeof(sqe));
	return sqe;
}

/* On 32-bit machines too, the upper half of addr is zero. */
static void pointers_are_not_sign_extended(void **state)
{
	struct io_uring_sqe sqe = used_sqe();
	void *high = (void *)(uintptr_t)-4096;

	io_uring_prep_read(&sqe, 0, high, 1, 0);
	assert_true(sqe.addr == (uintptr_t)-4096);
	io_uring_prep_accept(&sqe, 0, high, high, 0);
	assert_true(sqe.addr == (uintptr_t)-4096 && sqe.addr2 == (uintptr_t)-4096);
	io_uring_prep_getxattr(&sqe, high, high, high, 1);
	assert_true(sqe.addr3 == (uintptr_t)-4096);
	io_uring_prep_cmd_sock(&sqe, 0, 0, 0, 0, high, 0);
	assert_true(sqe.optval == (uintptr_t)-4096);
	io_uring_sqe_set_data(&sqe, high);
	assert_true(sqe.user_data == (uintptr_t)-4096);
}

static void set_all(struct io_uring_sqe *sqe)
{
	io_uring_sqe_set_data64(sqe, DATA);
	io_uring_sqe_set_flags(sqe, IOSQE_BUFFER_SELECT | IOSQE_ASYNC);
	io_uring_sqe_set_buf_group(sqe, GROUP);
	sqe->personality = 7;
}

static void check_all(const struct io_uring_sqe *sqe, int opcode)
{
	assert_int_equal(sqe->opcode, opcode);
	assert_true(sqe->user_data == DATA);
	assert_int_equal(sqe->flags, IOSQE_BUFFER_SELECT | IOSQE_ASYNC);
	assert_int_equal(sqe->buf_group, GROUP);
	assert_int_equal(sqe->personality, 7);
}

/* All operations that can take a buffer from a group, set up on either side. */
#define CHECK_ORDER(opcode, call) do {		\
	struct io_uring_sqe sqe = used_sqe();	\
						\
	set_all(&sqe);				\
	call;					\
	check_all(&sqe, opcode);		\
	sqe = used_sqe();			\
	call;					\
	set_all(&sqe);				\
	check_all(&sqe, opcode);		\
} while (0)

static void setters_may_come_first(void **state)
{
	struct msghdr msg;

	CHECK_ORDER(IORING_OP_READ, io_uring_prep_read(&sqe, 0, NULL, 1, 0));
	CHECK_ORDER(IORING_OP_READV, io_uring_prep_readv(&sqe, 0, NULL, 1, 0));
	CHECK_ORDER(IORING_OP_READV, io_uring_prep_readv2(&sqe, 0, NULL, 1, 0, 0));
	CHECK_ORDER(IORING_OP_RECV, io_uring_prep_recv(&sqe, 0, NULL, 1, 0));
	CHECK_ORDER(IORING_OP_RECV, io_uring_prep_recv_multishot(&sqe, 0, NULL, 0, 0));
	CHECK_ORDER(IORING_OP_RECVMSG, io_uring_prep_recvmsg(&sqe, 0, &msg, 0));
	CHECK_ORDER(IORING_OP_RECVMSG, io_uring_prep_recvmsg_multishot(&sqe, 0, &msg, 0));
	CHECK_ORDER(IORING_OP_SEND, io_uring_prep_send(&sqe, 0, NULL, 1, 0));
	CHECK_ORDER(IORING_OP_SEND, io_uring_prep_send_bundle(&sqe, 0, 0, 0));
	CHECK_ORDER(IORING_OP_SEND, io_uring_prep_sendto(&sqe, 0, NULL, 1, 0, NULL, 0));
	CHECK_ORDER(IORING_OP_READ_MULTISHOT,
		    io_uring_prep_read_multishot(&sqe, 0, 0, 0, GROUP));
}

static void added_flags_keep_those_before(void **state)
{
	struct io_uring_sqe sqe = used_sqe();

	io_uring_sqe_set_flags(&sqe, IOSQE_IO_LINK);
	io_uring_prep_read_multishot(&sqe, 0, 0, 0, 0);
	assert_int_equal(sqe.flags, IOSQE_IO_LINK | IOSQE_BUFFER_SELECT);

	io_uring_sqe_set_flags(&sqe, IOSQE_IO_LINK);
	io_uring_prep_fixed_fd_install(&sqe, 0, 0);
	assert_int_equal(sqe.flags, IOSQE_IO_LINK | IOSQE_FIXED_FILE);
}

static void initialize_clears_all_but_user_data(void **state)
{
	struct io_uring_sqe sqe = used_sqe(), zero;

	memset(&zero, 0, sizeof(zero));
	zero.user_data = sqe.user_data;
	io_uring_initialize_sqe(&sqe);
	assert_memory_equal(&sqe, &zero, sizeof(sqe));
}

/* Each form that takes a slot: from 0 on, plus one; ALLOC as it is. */
static void slots_are_counted_from_one(void **state)
{
	static const struct {
		unsigned slot;
		unsigned file_index;
	} cases[] = {
		{ 0, 1 },
		{ 1, 2 },
		{ 0x7fffffff, 0x80000000 },
		{ 0xfffffffe, 0xffffffff },
		{ IORING_FILE_INDEX_ALLOC, IORING_FILE_INDEX_ALLOC },
	};
	struct io_uring_sqe sqe = used_sqe();
	struct open_how how;
	unsigned idx;

	for (idx = 0; idx < ARRAY_LEN(cases); idx++) {
		unsigned slot = cases[idx].slot, want = cases[idx].file_index;

		io_uring_prep_accept_direct(&sqe, 0, NULL, NULL, 0, slot);
		assert_true(sqe.file_index == want);
		io_uring_prep_openat_direct(&sqe, 0, NULL, 0, 0, slot);
		assert_true(sqe.file_index == want);
		io_uring_prep_open_direct(&sqe, NULL, 0, 0, slot);
		assert_true(sqe.file_index == want);
		io_uring_prep_openat2_direct(&sqe, 0, NULL, &how, slot);
		assert_true(sqe.file_index == want);
		io_uring_prep_socket_direct(&sqe, 0, 0, 0, slot, 0);
		assert_true(sqe.file_index == want);
		io_uring_prep_pipe_direct(&sqe, NULL, 0, slot);
		assert_true(sqe.file_index == want);
		io_uring_prep_msg_ring_fd(&sqe, 0, 0, (int)slot, 0, 0);
		assert_true(sqe.file_index == want);
	}
	/* Closing knows no ALLOC. */
	io_uring_prep_close_direct(&sqe, IORING_FILE_INDEX_ALLOC);
	assert_true(sqe.file_index == 0);
}

/* Kernels with 16-bit masks read poll_events: the low half, on every byte order. */
static void poll_masks_keep_the_low_half_in_place(void **state)
{
	unsigned mask = POLLIN | EPOLLEXCLUSIVE | EPOLLET;
	struct io_uring_sqe sqe = used_sqe();

	io_uring_prep_poll_add(&sqe, 0, mask);
	assert_int_equal(sqe.poll_events, POLLIN);
	assert_true(__io_uring_prep_poll_mask(sqe.poll32_events) == mask);

	io_uring_prep_poll_multishot(&sqe, 0, mask);
	assert_int_equal(sqe.poll_events, POLLIN);
	io_uring_prep_poll_update(&sqe, 0, 0, mask, 0);
	assert_int_equal(sqe.poll_events, POLLIN);
}

static void lengths_keep_their_32_bits(void **state)
{
	struct io_uring_sqe sqe = used_sqe();
	size_t longer = (size_t)0x100000005ull;

	io_uring_prep_send(&sqe, 0, NULL, longer, 0);
	assert_int_equal(sqe.len, 5);
	io_uring_prep_recv(&sqe, 0, NULL, longer, 0);
	assert_int_equal(sqe.len, 5);

	/* The 64-bit forms of advice put the length elsewhere. */
	io_uring_prep_fadvise64(&sqe, 0, 0, (off_t)longer, 0);
	assert_true(sqe.len == 0 && sqe.addr == (__u64)(off_t)longer);
	io_uring_prep_madvise64(&sqe, NULL, (off_t)longer, 0);
	assert_true(sqe.len == 0 && sqe.off == (__u64)(off_t)longer);
	io_uring_prep_ftruncate(&sqe, 0, 0x100000005ll);
	assert_true(sqe.off == 0x100000005ull);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pointers_are_not_sign_extended),
		cmocka_unit_test(setters_may_come_first),
		cmocka_unit_test(added_flags_keep_those_before),
		cmocka_unit_test(initialize_clears_all_but_user_data),
		cmocka_unit_test(slots_are_counted_from_one),
		cmocka_unit_test(poll_masks_keep_the_low_half_in_place),
		cmocka_unit_test(lengths_keep_their_32_bits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
