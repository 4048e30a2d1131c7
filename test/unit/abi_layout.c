/* SPDX-License-Identifier: MIT */
/*
 * The kernel ABI headers against the tables: abi_asserts.inc does not compile
 * where a constant, size, offset or type differs. At run time, each integer
 * field is set through its name, and the bytes that changed are looked at.
 */
#include "abi_asserts.inc"
#include "test.h"

#define MAX_STRUCT_SZ 256

/* Sets one field of a zeroed structure to all ones, and checks the others. */
#define CHECK_SCALAR(tag, field, offset, size) do {			\
	union {								\
		struct tag s;						\
		unsigned char bytes[MAX_STRUCT_SZ];			\
	} u;								\
									\
	memset(&u, 0, sizeof(u));					\
	u.s.field = (__typeof__(u.s.field))-1;				\
	check_span(#tag "." #field, u.bytes, offset, size);		\
	nr_checked++;							\
} while (0);

static void check_span(const char *name, const unsigned char *bytes, size_t offset, size_t size)
{
	size_t idx;

	for (idx = 0; idx < MAX_STRUCT_SZ; idx++) {
		bool inside = idx >= offset && idx < offset + size;

		if (bytes[idx] != (inside ? 0xff : 0))
			fail_msg("%s: byte %zu is 0x%02x", name, idx, bytes[idx]);
	}
}

static void fields_land_at_their_offsets(void **state)
{
	unsigned nr_checked = 0;

	(void)state;
	ABI_SCALARS(CHECK_SCALAR)
	assert_int_equal(nr_checked, 232);
}

/* A table that lost rows would make the asserts pass by checking less. */
static void tables_are_whole(void **state)
{
	(void)state;
	assert_int_equal(ABI_NR_CONSTANTS, 277);
	assert_int_equal(ABI_NR_STRUCTS, 49);
	assert_int_equal(ABI_NR_FIELDS, 322);
}

/* The members without a length begin where the kernel puts their first element. */
static void trailing_arrays_begin_at_their_place(void **state)
{
	unsigned char memory[2 * MAX_STRUCT_SZ] __attribute__((__aligned__(8)));
	struct io_uring_sqe *sqe = (void *)memory;
	struct io_uring_cqe *cqe = (void *)memory;
	struct io_uring_probe *probe = (void *)memory;
	struct io_uring_task_restriction *task = (void *)memory;
	struct io_uring_buf_ring *br = (void *)memory;

	(void)state;
	assert_ptr_equal(&sqe->cmd[0], memory + 48);
	assert_ptr_equal(&sqe->cmd[79], memory + 127);
	assert_ptr_equal(&cqe->big_cqe[1], memory + 24);
	assert_ptr_equal(&probe->ops[2], memory + 32);
	assert_ptr_equal(&task->restrictions[1], memory + 32);
	assert_ptr_equal(&br->bufs[0], memory);
	assert_ptr_equal(&br->bufs[3].resv, memory + 3 * 16 + 14);
	assert_ptr_equal(&br->tail, &br->bufs[0].resv);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_are_whole),
		cmocka_unit_test(fields_land_at_their_offsets),
		cmocka_unit_test(trailing_arrays_begin_at_their_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
