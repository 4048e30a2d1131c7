/* SPDX-License-Identifier: MIT */
/*
 * Which memory an SQE leads to, opcode by opcode: the debug build's checks and the
 * sanitizers' notes go by it.
 */
#include "test.h"

#include <fcntl.h>
#include <liburing.h>
#include <liburing/sqe_memory.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/stat.h>

#define MAX_PARTS 16

struct part {
	const char *what;
	const void *ptr;
	size_t sz;
	bool is_output;
	bool is_registered;
};

static struct part parts[MAX_PARTS];
static unsigned nr_parts;

static struct io_uring_sqe sqe;
static char buf[256], name[] = "/some/name", name2[] = "other", attribute[] = "user.x";
static struct iovec iov[2] = { { buf, 10 }, { buf + 100, 20 } };
static struct sockaddr_in addr;
static socklen_t addr_sz = sizeof(addr);
static struct __kernel_timespec ts;

/* The bytes of a string come one by one, and are one part here. */
static void collect(const struct liburing_sqe_part *part)
{
	struct part *last = nr_parts ? &parts[nr_parts - 1] : NULL;

	assert_ptr_equal(part->sqe, &sqe);
	if (last && part->sz == 1 && !strcmp(last->what, part->what) &&
	    (const char *)last->ptr + last->sz == part->ptr) {
		last->sz++;
		return;
	}
	assert_true(nr_parts < MAX_PARTS);
	parts[nr_parts++] = (struct part){ part->what, part->ptr, part->sz, part->is_output,
					   part->is_registered };
}

static void check_parts(const struct part *wanted, unsigned nr, const char *file, int line)
{
	struct liburing_sqe_part part = { .sqe = &sqe, .function = "test", .visit = collect };
	unsigned i;

	nr_parts = 0;
	liburing_visit_sqe(&part);
	for (i = 0; i < nr || i < nr_parts; i++) {
		if (i < nr && i < nr_parts && !strcmp(parts[i].what, wanted[i].what) &&
		    parts[i].ptr == wanted[i].ptr && parts[i].sz == wanted[i].sz &&
		    parts[i].is_output == wanted[i].is_output &&
		    parts[i].is_registered == wanted[i].is_registered)
			continue;
		print_error("opcode %d, part %u of %u: %s %p %zu %d %d; wanted %u: %s %p %zu\n",
			    sqe.opcode, i, nr_parts, i < nr_parts ? parts[i].what : "none",
			    parts[i].ptr, parts[i].sz, parts[i].is_output, parts[i].is_registered,
			    nr, i < nr ? wanted[i].what : "none", i < nr ? wanted[i].ptr : NULL,
			    i < nr ? wanted[i].sz : 0);
		_fail(file, line);
	}
	memset(&sqe, 0, sizeof(sqe));
}

#define expect(...)                                                            \
	do {                                                                   \
		const struct part wanted[] = { __VA_ARGS__ };                  \
									       \
		check_parts(wanted, ARRAY_LEN(wanted), __FILE__, __LINE__);    \
	} while (0)
#define expect_none() check_parts(NULL, 0, __FILE__, __LINE__)

static void plain_buffers(void **state)
{
	io_uring_prep_read(&sqe, 3, buf, 100, 0);
	expect({ "buffer", buf, 100, true, false });
	io_uring_prep_recv(&sqe, 3, buf, 50, 0);
	expect({ "buffer", buf, 50, true, false });
	io_uring_prep_recv(&sqe, 3, buf, 50, 0);
	sqe.flags |= IOSQE_BUFFER_SELECT;
	expect_none();
	io_uring_prep_write(&sqe, 3, buf, 7, 0);
	expect({ "buffer", buf, 7, false, false });
	io_uring_prep_read_fixed(&sqe, 3, buf, 9, 0, 0);
	expect({ "buffer", buf, 9, true, true });
	io_uring_prep_write_fixed(&sqe, 3, buf, 9, 0, 0);
	expect({ "buffer", buf, 9, false, true });
	io_uring_prep_nop(&sqe);
	expect_none();
}

/* What cannot be memory is left to the kernel. */
static void no_memory(void **state)
{
	io_uring_prep_read(&sqe, 3, NULL, 100, 0);
	expect_none();
	io_uring_prep_read(&sqe, 3, buf, 0, 0);
	expect_none();
	io_uring_prep_read(&sqe, 3, buf, 1, 0);
	sqe.addr = 1ULL << 63;
	expect_none();
	if (UINTPTR_MAX < UINT64_MAX) {
		io_uring_prep_read(&sqe, 3, buf, 1, 0);
		sqe.addr = 1ULL << 40;
		expect_none();
	}
	io_uring_prep_readv(&sqe, 3, NULL, 2, 0);
	expect_none();
	io_uring_prep_unlink(&sqe, NULL, 0);
	expect_none();
	io_uring_prep_sendmsg(&sqe, 3, NULL, 0);
	expect_none();
}

static void vectors(void **state)
{
	io_uring_prep_readv(&sqe, 3, iov, 2, 0);
	expect({ "iovec array", iov, sizeof(iov), false, false },
	       { "buffer of an iovec", buf, 10, true, false },
	       { "buffer of an iovec", buf + 100, 20, true, false });
	io_uring_prep_writev(&sqe, 3, iov, 1, 0);
	expect({ "iovec array", iov, sizeof(iov[0]), false, false },
	       { "buffer of an iovec", buf, 10, false, false });
	io_uring_prep_readv_fixed(&sqe, 3, iov, 1, 0, 0, 0);
	expect({ "iovec array", iov, sizeof(iov[0]), false, false },
	       { "buffer of an iovec", buf, 10, true, true });
	io_uring_prep_writev_fixed(&sqe, 3, iov, 1, 0, 0, 0);
	expect({ "iovec array", iov, sizeof(iov[0]), false, false },
	       { "buffer of an iovec", buf, 10, false, true });
	io_uring_prep_readv(&sqe, 3, iov, 1, 0);
	sqe.flags |= IOSQE_BUFFER_SELECT;
	expect({ "iovec array", iov, sizeof(iov[0]), false, false });
	io_uring_prep_readv(&sqe, 3, iov, LIBURING_MAX_IOVECS + 1, 0);
	expect_none();
}

static void sends(void **state)
{
	io_uring_prep_send(&sqe, 3, buf, 30, 0);
	expect({ "buffer", buf, 30, false, false });
	io_uring_prep_send(&sqe, 3, buf, 30, 0);
	io_uring_prep_send_set_addr(&sqe, (struct sockaddr *)&addr, sizeof(addr));
	expect({ "address", &addr, sizeof(addr), false, false }, { "buffer", buf, 30, false, false });
	io_uring_prep_send(&sqe, 3, buf, 30, 0);
	sqe.flags |= IOSQE_BUFFER_SELECT;
	expect_none();
	io_uring_prep_send(&sqe, 3, iov, 2, 0);
	sqe.ioprio |= IORING_SEND_VECTORIZED;
	expect({ "iovec array", iov, sizeof(iov), false, false },
	       { "buffer of an iovec", buf, 10, false, false },
	       { "buffer of an iovec", buf + 100, 20, false, false });
	io_uring_prep_send_zc(&sqe, 3, buf, 30, 0, 0);
	expect({ "buffer", buf, 30, false, false });
	io_uring_prep_send_zc_fixed(&sqe, 3, buf, 30, 0, 0, 0);
	expect({ "buffer", buf, 30, false, true });
}

static void messages(void **state)
{
	struct msghdr msg = {
		.msg_name = &addr, .msg_namelen = sizeof(addr), .msg_control = buf + 200,
		.msg_controllen = 24, .msg_iov = iov, .msg_iovlen = 1,
	};

	io_uring_prep_sendmsg(&sqe, 3, &msg, 0);
	expect({ "msghdr", &msg, sizeof(msg), false, false },
	       { "address", &addr, sizeof(addr), false, false },
	       { "control data", buf + 200, 24, false, false },
	       { "iovec array", iov, sizeof(iov[0]), false, false },
	       { "buffer of an iovec", buf, 10, false, false });
	io_uring_prep_recvmsg(&sqe, 3, &msg, 0);
	expect({ "msghdr", &msg, sizeof(msg), true, false },
	       { "address", &addr, sizeof(addr), true, false },
	       { "control data", buf + 200, 24, true, false },
	       { "iovec array", iov, sizeof(iov[0]), false, false },
	       { "buffer of an iovec", buf, 10, true, false });
	io_uring_prep_recvmsg_multishot(&sqe, 3, &msg, 0);
	expect({ "msghdr", &msg, sizeof(msg), true, false });
	msg.msg_name = msg.msg_control = NULL;
	msg.msg_iovlen = 0;
	io_uring_prep_sendmsg_zc(&sqe, 3, &msg, 0);
	expect({ "msghdr", &msg, sizeof(msg), false, false });
}

static void addresses(void **state)
{
	struct sockaddr *any = (struct sockaddr *)&addr;

	io_uring_prep_connect(&sqe, 3, any, sizeof(addr));
	expect({ "address", &addr, sizeof(addr), false, false });
	io_uring_prep_bind(&sqe, 3, any, sizeof(addr));
	expect({ "address", &addr, sizeof(addr), false, false });
	io_uring_prep_connect(&sqe, 3, any, LIBURING_MAX_ADDRESS_SZ + 1);
	expect_none();
	io_uring_prep_accept(&sqe, 3, any, &addr_sz, 0);
	expect({ "length of an address", &addr_sz, sizeof(addr_sz), true, false },
	       { "address", &addr, sizeof(addr), true, false });
	io_uring_prep_accept(&sqe, 3, NULL, NULL, 0);
	expect_none();
	io_uring_prep_accept(&sqe, 3, any, NULL, 0);
	expect_none();
	io_uring_prep_cmd_getsockname(&sqe, 3, any, &addr_sz, 0);
	expect({ "length of an address", &addr_sz, sizeof(addr_sz), true, false },
	       { "address", &addr, sizeof(addr), true, false });
	io_uring_prep_cmd_sock(&sqe, SOCKET_URING_OP_GETSOCKOPT, 3, 1, 2, buf, 4);
	expect({ "socket option", buf, 4, true, false });
	io_uring_prep_cmd_sock(&sqe, SOCKET_URING_OP_SETSOCKOPT, 3, 1, 2, buf, 4);
	expect({ "socket option", buf, 4, false, false });
	io_uring_prep_uring_cmd128(&sqe, SOCKET_URING_OP_SIOCINQ, 3);
	expect_none();
}

static void names(void **state)
{
	struct open_how how = { 0 };
	static char endless[LIBURING_MAX_PATH + 10];
	static struct statx statxbuf;

	io_uring_prep_openat(&sqe, 3, name, 0, 0);
	expect({ "name", name, sizeof(name), false, false });
	io_uring_prep_openat2(&sqe, 3, name, &how);
	expect({ "name", name, sizeof(name), false, false },
	       { "open_how", &how, sizeof(how), false, false });
	io_uring_prep_statx(&sqe, 3, name, 0, 0, &statxbuf);
	expect({ "name", name, sizeof(name), false, false },
	       { "statx buffer", &statxbuf, LIBURING_STATX_SZ, true, false });
	io_uring_prep_unlinkat(&sqe, 3, name, 0);
	expect({ "name", name, sizeof(name), false, false });
	io_uring_prep_mkdirat(&sqe, 3, name, 0);
	expect({ "name", name, sizeof(name), false, false });
	io_uring_prep_renameat(&sqe, 3, name, 3, name2, 0);
	expect({ "name", name, sizeof(name), false, false },
	       { "second name", name2, sizeof(name2), false, false });
	io_uring_prep_linkat(&sqe, 3, name, 3, name2, 0);
	expect({ "name", name, sizeof(name), false, false },
	       { "second name", name2, sizeof(name2), false, false });
	io_uring_prep_symlinkat(&sqe, name, 3, name2);
	expect({ "name", name, sizeof(name), false, false },
	       { "second name", name2, sizeof(name2), false, false });
	memset(endless, 'x', sizeof(endless));
	io_uring_prep_unlinkat(&sqe, 3, endless, 0);
	expect({ "name", endless, LIBURING_MAX_PATH, false, false });
}

static void attributes(void **state)
{
	io_uring_prep_setxattr(&sqe, attribute, buf, name, 0, 12);
	expect({ "name", attribute, sizeof(attribute), false, false },
	       { "path", name, sizeof(name), false, false }, { "value", buf, 12, false, false });
	io_uring_prep_getxattr(&sqe, attribute, buf, name, 12);
	expect({ "name", attribute, sizeof(attribute), false, false },
	       { "path", name, sizeof(name), false, false }, { "value", buf, 12, true, false });
	io_uring_prep_fsetxattr(&sqe, 3, attribute, buf, 0, 12);
	expect({ "name", attribute, sizeof(attribute), false, false },
	       { "value", buf, 12, false, false });
	io_uring_prep_fgetxattr(&sqe, 3, attribute, buf, 12);
	expect({ "name", attribute, sizeof(attribute), false, false },
	       { "value", buf, 12, true, false });
}

static void times(void **state)
{
	io_uring_prep_timeout(&sqe, &ts, 1, 0);
	expect({ "timespec", &ts, sizeof(ts), false, false });
	io_uring_prep_timeout(&sqe, &ts, 1, IORING_TIMEOUT_IMMEDIATE_ARG);
	expect_none();
	io_uring_prep_link_timeout(&sqe, &ts, 0);
	expect({ "timespec", &ts, sizeof(ts), false, false });
	io_uring_prep_timeout_update(&sqe, &ts, 7, 0);
	expect({ "timespec", &ts, sizeof(ts), false, false });
	io_uring_prep_timeout_update(&sqe, &ts, 7, IORING_TIMEOUT_IMMEDIATE_ARG);
	expect_none();
	io_uring_prep_timeout_remove(&sqe, 7, 0);
	expect_none();
}

static void events(void **state)
{
	static struct epoll_event event[3];
	static struct futex_waitv futexes[2];
	static uint32_t futex;
	static siginfo_t info;

	io_uring_prep_epoll_ctl(&sqe, 3, 4, EPOLL_CTL_ADD, event);
	expect({ "epoll_event", event, sizeof(event[0]), false, false });
	io_uring_prep_epoll_ctl(&sqe, 3, 4, EPOLL_CTL_DEL, event);
	expect_none();
	io_uring_prep_epoll_wait(&sqe, 3, event, 3, 0);
	expect({ "epoll_event array", event, sizeof(event), true, false });
	io_uring_prep_waitid(&sqe, P_ALL, 0, &info, 0, 0);
	expect({ "siginfo", &info, sizeof(info), true, false });
	io_uring_prep_futex_wait(&sqe, &futex, 0, 1, 0, 0);
	expect({ "futex", &futex, sizeof(futex), false, false });
	io_uring_prep_futex_wake(&sqe, &futex, 0, 1, 0, 0);
	expect({ "futex", &futex, sizeof(futex), false, false });
	io_uring_prep_futex_waitv(&sqe, futexes, 2, 0);
	expect({ "futex_waitv array", futexes, sizeof(futexes), false, false });
	io_uring_prep_futex_waitv(&sqe, futexes, LIBURING_MAX_FUTEXES + 1, 0);
	expect_none();
}

static void arrays(void **state)
{
	static int fds[4];

	io_uring_prep_files_update(&sqe, fds, 4, 0);
	expect({ "descriptor array", fds, sizeof(fds), true, false });
	io_uring_prep_pipe(&sqe, fds, 0);
	expect({ "descriptor pair", fds, 2 * sizeof(int), true, false });
	io_uring_prep_provide_buffers(&sqe, buf, 16, 4, 0, 0);
	expect({ "buffers", buf, 64, true, false });
}

static void opcodes_have_names(void **state)
{
	assert_string_equal(liburing_op_name(IORING_OP_NOP), "NOP");
	assert_string_equal(liburing_op_name(IORING_OP_SEND_ZC), "SEND_ZC");
	assert_string_equal(liburing_op_name(IORING_OP_LAST - 1), "URING_CMD128");
	assert_string_equal(liburing_op_name(IORING_OP_LAST), "?");
}

static void slots_of_sqes(void **state)
{
	static struct io_uring_sqe sqes[16];
	struct io_uring ring = { .sq = { .sqes = sqes, .ring_mask = 7, .sqe_head = 5, .sqe_tail = 8 } };
	unsigned first, nr_slots;

	assert_int_equal(liburing_unpublished(&ring, &first), 3);
	assert_int_equal(first, 5);
	sqes[1].opcode = IORING_OP_NOP128;
	sqes[2].opcode = IORING_OP_URING_CMD128;
	assert_ptr_equal(liburing_sqe_at(&ring, 9, &nr_slots), &sqes[1]);
	assert_int_equal(nr_slots, 1);
	ring.flags = IORING_SETUP_SQE_MIXED;
	liburing_sqe_at(&ring, 8, &nr_slots);
	assert_int_equal(nr_slots, 1);
	liburing_sqe_at(&ring, 9, &nr_slots);
	assert_int_equal(nr_slots, 2);
	liburing_sqe_at(&ring, 10, &nr_slots);
	assert_int_equal(nr_slots, 2);
	ring.flags = IORING_SETUP_SQE128;
	assert_ptr_equal(liburing_sqe_at(&ring, 10, &nr_slots), &sqes[4]);
	ring.flags = IORING_SETUP_SQ_REWIND;
	assert_int_equal(liburing_unpublished(&ring, &first), 8);
	assert_int_equal(first, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_buffers), cmocka_unit_test(no_memory),
		cmocka_unit_test(vectors), cmocka_unit_test(sends),
		cmocka_unit_test(messages), cmocka_unit_test(addresses),
		cmocka_unit_test(names), cmocka_unit_test(attributes),
		cmocka_unit_test(times), cmocka_unit_test(events),
		cmocka_unit_test(arrays), cmocka_unit_test(opcodes_have_names),
		cmocka_unit_test(slots_of_sqes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
