/* SPDX-License-Identifier: MIT */
/*
 * Every function that fills an SQE against its rows in sqe-vectors.tsv: from a
 * zeroed SQE the 64 bytes are those of the row. From an SQE full of a pattern,
 * the bytes that the function is there to set are, and all others keep the
 * pattern; so does the SQE after it.
 */
#include "test.h"

#include <sys/epoll.h>
#include <liburing.h>

#define SQE_SZ 64

/* Bytes of an SQE as a bit each. */
#define SPAN(first, nr) (((1ull << (nr)) - 1) << (first))
#define FLAGS SPAN(1, 1)
#define OFF SPAN(8, 8)
#define USER_DATA SPAN(32, 8)
#define BUF_INDEX SPAN(40, 2)
#define PERSONALITY SPAN(42, 2)
#define FILE_INDEX SPAN(44, 4)
#define ADDR_LEN SPAN(44, 2)
#define ADDR3 SPAN(48, 8)
#define PAD2 SPAN(56, 8)

/* opcode, ioprio, and from fd to the operation's flags */
#define BODY (SPAN(0, 1) | SPAN(2, 30))
#define STRICT (BODY | BUF_INDEX | FILE_INDEX)

/*
 * What a function sets. Of the last four fields a helper sets those that some
 * kernel looks at for its operation, be it to refuse the request when they are
 * not zero; buf_group it leaves to the program where that may ask for a buffer.
 */
static const struct {
	const char *name;
	unsigned long long set;
	bool adds_flags;		/* keeps the flags that were there */
} touched[] = {
	{ "io_uring_sqe_set_data", USER_DATA, false },
	{ "io_uring_sqe_set_data64", USER_DATA, false },
	{ "io_uring_sqe_set_flags", FLAGS, false },
	{ "io_uring_sqe_set_buf_group", BUF_INDEX, false },
	{ "io_uring_initialize_sqe", ~USER_DATA, false },
	{ "__io_uring_set_target_fixed_file", FILE_INDEX, false },
	{ "io_uring_prep_rw", STRICT | ADDR3 | PAD2, false },

	{ "io_uring_prep_read", BODY | FILE_INDEX | ADDR3 | PAD2, false },
	{ "io_uring_prep_readv", BODY | FILE_INDEX | ADDR3 | PAD2, false },
	{ "io_uring_prep_readv2", BODY | FILE_INDEX | ADDR3 | PAD2, false },
	{ "io_uring_prep_write", STRICT | ADDR3 | PAD2, false },
	{ "io_uring_prep_writev", STRICT | ADDR3 | PAD2, false },
	{ "io_uring_prep_writev2", STRICT | ADDR3 | PAD2, false },
	{ "io_uring_prep_splice", BODY | FILE_INDEX, false },
	{ "io_uring_prep_tee", BODY | FILE_INDEX, false },
	{ "io_uring_prep_read_fixed", STRICT | ADDR3 | PAD2, false },
	{ "io_uring_prep_write_fixed", STRICT | ADDR3 | PAD2, false },
	{ "io_uring_prep_readv_fixed", STRICT | ADDR3 | PAD2, false },
	{ "io_uring_prep_writev_fixed", STRICT | ADDR3 | PAD2, false },
	{ "io_uring_prep_read_multishot", STRICT | ADDR3 | PAD2, true },

	{ "io_uring_prep_socket", STRICT, false },
	{ "io_uring_prep_socket_direct", STRICT, false },
	{ "io_uring_prep_socket_direct_alloc", STRICT, false },
	{ "io_uring_prep_bind", STRICT, false },
	{ "io_uring_prep_listen", STRICT, false },
	{ "io_uring_prep_accept", STRICT, false },
	{ "io_uring_prep_accept_direct", STRICT, false },
	{ "io_uring_prep_multishot_accept", STRICT, false },
	{ "io_uring_prep_multishot_accept_direct", STRICT, false },
	{ "io_uring_prep_connect", STRICT, false },
	{ "io_uring_prep_shutdown", STRICT, false },
	{ "io_uring_prep_send", BODY | FILE_INDEX, false },
	{ "io_uring_prep_send_set_addr", OFF | ADDR_LEN, false },
	{ "io_uring_prep_sendto", BODY | FILE_INDEX, false },
	{ "io_uring_prep_sendmsg", BODY | FILE_INDEX, false },
	{ "io_uring_prep_send_zc", STRICT | ADDR3 | PAD2, false },
	{ "io_uring_prep_send_zc_fixed", STRICT | ADDR3 | PAD2, false },
	{ "io_uring_prep_sendmsg_zc", STRICT | ADDR3 | PAD2, false },
	{ "io_uring_prep_sendmsg_zc_fixed", STRICT | ADDR3 | PAD2, false },
	{ "io_uring_prep_send_bundle", BODY | FILE_INDEX, false },
	{ "io_uring_prep_recv", BODY | FILE_INDEX, false },
	{ "io_uring_prep_recvmsg", BODY | FILE_INDEX, false },
	{ "io_uring_prep_recv_multishot", BODY | FILE_INDEX, false },
	{ "io_uring_prep_recvmsg_multishot", BODY | FILE_INDEX, false },

	{ "io_uring_prep_openat", STRICT, false },
	{ "io_uring_prep_open", STRICT, false },
	{ "io_uring_prep_openat2", STRICT, false },
	{ "io_uring_prep_openat_direct", STRICT, false },
	{ "io_uring_prep_open_direct", STRICT, false },
	{ "io_uring_prep_openat2_direct", STRICT, false },
	{ "io_uring_prep_close", STRICT, false },
	{ "io_uring_prep_close_direct", STRICT, false },
	{ "io_uring_prep_statx", STRICT, false },
	{ "io_uring_prep_fsync", STRICT, false },
	{ "io_uring_prep_sync_file_range", STRICT, false },
	{ "io_uring_prep_fallocate", STRICT, false },
	{ "io_uring_prep_ftruncate", STRICT | ADDR3, false },
	{ "io_uring_prep_fadvise", STRICT, false },
	{ "io_uring_prep_fadvise64", STRICT, false },
	{ "io_uring_prep_madvise", STRICT, false },
	{ "io_uring_prep_madvise64", STRICT, false },
	{ "io_uring_prep_pipe", BODY | FILE_INDEX | ADDR3, false },
	{ "io_uring_prep_pipe_direct", BODY | FILE_INDEX | ADDR3, false },
	{ "io_uring_prep_fixed_fd_install", STRICT | ADDR3, true },

	{ "io_uring_prep_mkdirat", STRICT, false },
	{ "io_uring_prep_mkdir", STRICT, false },
	{ "io_uring_prep_linkat", STRICT, false },
	{ "io_uring_prep_link", STRICT, false },
	{ "io_uring_prep_symlinkat", STRICT, false },
	{ "io_uring_prep_symlink", STRICT, false },
	{ "io_uring_prep_renameat", STRICT, false },
	{ "io_uring_prep_rename", STRICT, false },
	{ "io_uring_prep_unlinkat", STRICT, false },
	{ "io_uring_prep_unlink", STRICT, false },
	{ "io_uring_prep_getxattr", BODY | ADDR3, false },
	{ "io_uring_prep_setxattr", BODY | ADDR3, false },
	{ "io_uring_prep_fgetxattr", BODY, false },
	{ "io_uring_prep_fsetxattr", BODY, false },

	{ "io_uring_prep_poll_add", BODY | BUF_INDEX, false },
	{ "io_uring_prep_poll_multishot", BODY | BUF_INDEX, false },
	{ "io_uring_prep_poll_remove", STRICT, false },
	{ "io_uring_prep_poll_update", STRICT, false },
	{ "io_uring_prep_epoll_ctl", STRICT, false },
	{ "io_uring_prep_epoll_wait", STRICT, false },
	{ "io_uring_prep_futex_wait", STRICT | ADDR3, false },
	{ "io_uring_prep_futex_wake", STRICT | ADDR3, false },
	{ "io_uring_prep_futex_waitv", STRICT | ADDR3, false },
	{ "io_uring_prep_waitid", STRICT | ADDR3, false },

	{ "io_uring_prep_timeout", STRICT | ADDR3 | PAD2, false },
	{ "io_uring_prep_timeout_remove", STRICT | ADDR3 | PAD2, false },
	{ "io_uring_prep_timeout_update", STRICT | ADDR3 | PAD2, false },
	{ "io_uring_prep_link_timeout", STRICT | ADDR3 | PAD2, false },
	{ "io_uring_prep_cancel64", BODY | FILE_INDEX, false },
	{ "io_uring_prep_cancel", BODY | FILE_INDEX, false },
	{ "io_uring_prep_cancel_fd", BODY | FILE_INDEX, false },

	{ "io_uring_prep_nop", BODY, false },
	{ "io_uring_prep_nop128", BODY, false },
	{ "io_uring_prep_msg_ring", STRICT | ADDR3, false },
	{ "io_uring_prep_msg_ring_cqe_flags", STRICT | ADDR3, false },
	{ "io_uring_prep_msg_ring_fd", STRICT | ADDR3, false },
	{ "io_uring_prep_msg_ring_fd_alloc", STRICT | ADDR3, false },
	{ "io_uring_prep_files_update", BODY | FILE_INDEX, false },
	{ "io_uring_prep_provide_buffers", STRICT, false },
	{ "io_uring_prep_remove_buffers", STRICT, false },

	{ "__io_uring_prep_uring_cmd", STRICT, false },
	{ "io_uring_prep_uring_cmd", STRICT, false },
	{ "io_uring_prep_uring_cmd128", STRICT, false },
	{ "io_uring_prep_cmd_sock", STRICT | ADDR3, false },
	{ "io_uring_prep_cmd_getsockname", STRICT | ADDR3, false },
	{ "io_uring_prep_cmd_discard", STRICT | ADDR3, false },
	{ "io_uring_prep_cmd_zone_reset_all", STRICT | ADDR3, false },
};

/* The rows are of a little-endian machine with 64-bit pointers, off_t and size_t. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && __SIZEOF_POINTER__ == 8

struct golden_row {
	unsigned line;
	void (*call)(struct io_uring_sqe *sqe);
	unsigned char bytes[SQE_SZ];
};

struct golden_fn {
	const char *name;
	const struct golden_row *rows;
	unsigned nr_rows;
};

/* The SQE under test, with one after it that nothing may touch. */
union sqe_bytes {
	struct io_uring_sqe sqe[2];
	unsigned char bytes[2 * SQE_SZ];
};

static void compare(const struct golden_row *row, const union sqe_bytes *got,
		    const unsigned char *want, unsigned char pattern)
{
	unsigned idx;

	for (idx = 0; idx < SQE_SZ; idx++) {
		if (got->bytes[idx] != want[idx])
			fail_msg("line %u, from 0x%02x: byte %u is 0x%02x, not 0x%02x", row->line,
				 pattern, idx, got->bytes[idx], want[idx]);
	}
	for (; idx < 2 * SQE_SZ; idx++) {
		if (got->bytes[idx] != pattern)
			fail_msg("line %u, from 0x%02x: byte %u of the next SQE is 0x%02x",
				 row->line, pattern, idx - SQE_SZ, got->bytes[idx]);
	}
}

static void check_from_pattern(const struct golden_row *row, unsigned char pattern,
			       unsigned long long set, bool adds_flags)
{
	unsigned char want[SQE_SZ];
	union sqe_bytes got;
	unsigned idx;

	for (idx = 0; idx < SQE_SZ; idx++)
		want[idx] = set >> idx & 1 ? row->bytes[idx] : pattern;
	if (adds_flags) {
		assert_int_not_equal(row->bytes[1], 0);
		want[1] = pattern | row->bytes[1];
	}

	memset(&got, pattern, sizeof(got));
	row->call(got.sqe);
	compare(row, &got, want, pattern);
}

static void check_golden(void **state)
{
	const struct golden_fn *fn = *state;
	unsigned row, entry;

	for (entry = 0; entry < ARRAY_LEN(touched); entry++) {
		if (!strcmp(touched[entry].name, fn->name))
			break;
	}
	if (entry == ARRAY_LEN(touched))
		fail_msg("%s: this test does not know which bytes it sets", fn->name);

	for (row = 0; row < fn->nr_rows; row++) {
		check_from_pattern(&fn->rows[row], 0, ~0ull, false);
		check_from_pattern(&fn->rows[row], 0xa5, touched[entry].set,
				   touched[entry].adds_flags);
		check_from_pattern(&fn->rows[row], 0x5a, touched[entry].set,
				   touched[entry].adds_flags);
	}
}

#include "prep_golden.inc"

/* A row that the table lost would let its function go unchecked. */
static void table_is_whole(void **state)
{
	unsigned entry, fn;

	for (entry = 0; entry < ARRAY_LEN(touched); entry++) {
		for (fn = 0; fn < ARRAY_LEN(golden_fns); fn++) {
			if (!strcmp(touched[entry].name, golden_fns[fn].name))
				break;
		}
		if (fn == ARRAY_LEN(golden_fns) || golden_fns[fn].nr_rows < 2)
			fail_msg("%s: fewer than two rows", touched[entry].name);
		/* Prep helpers leave these to the program, and the credentials. */
		if (strstr(touched[entry].name, "_prep_"))
			assert_int_equal(touched[entry].set & (FLAGS | USER_DATA | PERSONALITY), 0);
	}
	assert_int_equal(ARRAY_LEN(touched), ARRAY_LEN(golden_fns));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		GOLDEN_TESTS
		cmocka_unit_test(table_is_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

static void golden_bytes(void **state)
{
	skip_because("the golden bytes of %zu functions are of little-endian 64-bit machines",
		     ARRAY_LEN(touched));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(golden_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
