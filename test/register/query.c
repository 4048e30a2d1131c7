/* SPDX-License-Identifier: MIT */
/*
 * Asking the kernel what it has, and registrations that this kernel or this
 * machine cannot have: its own answer comes back, and nothing has changed.
 */
#include "test.h"

#include "ring.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int query(struct io_uring_query_hdr *hdr, unsigned op, void *data, size_t sz)
{
	memset(hdr, 0, sizeof(*hdr));
	hdr->query_op = op;
	hdr->query_data = (__u64)(uintptr_t)data;
	hdr->size = (__u32)sz;
	return io_uring_register_query(hdr);
}

static void query_opcodes(struct io_uring_query_hdr *hdr, struct io_uring_query_opcode *opcodes)
{
	memset(opcodes, 0, sizeof(*opcodes));
	require_ret("a query", query(hdr, IO_URING_QUERY_OPCODES, opcodes, sizeof(*opcodes)));
	assert_int_equal(hdr->result, 0);
}

static void test_opcodes(void **state)
{
	struct io_uring_probe *probe;
	struct io_uring_query_opcode opcodes;
	struct io_uring_query_hdr hdr;
	struct io_uring ring;
	unsigned i;

	query_opcodes(&hdr, &opcodes);
	probe = io_uring_get_probe();
	assert_non_null(probe);
	assert_int_equal(opcodes.nr_request_opcodes, probe->last_op + 1);
	io_uring_free_probe(probe);
	assert_true(opcodes.nr_register_opcodes > IORING_REGISTER_QUERY);
	assert_true(opcodes.nr_query_opcodes > 0);
	assert_true(opcodes.enter_flags & IORING_ENTER_GETEVENTS);
	assert_true(opcodes.sqe_flags & IOSQE_ASYNC);
	ring_open_flags(&ring, 4, 0);
	assert_int_equal(opcodes.feature_flags, ring.features);
	io_uring_queue_exit(&ring);

	/* What it says of the set-up flags is what set-up says. */
	for (i = 0; i < nr_ring_kinds; i++)
		if (ring_kinds[i].flags & ~opcodes.ring_setup_flags)
			assert_int_equal(ring_ask(ring_kinds[i].flags), -EINVAL);
		else
			assert_int_equal(ring_ask(ring_kinds[i].flags), 0);
}

/* Several questions in one call, also one that the kernel does not know. */
static void test_chain(void **state)
{
	struct io_uring_query_opcode first, second;
	struct io_uring_query_hdr hdrs[3];

	query_opcodes(&hdrs[0], &first);
	memset(&first, 0, sizeof(first));
	memset(&second, 0, sizeof(second));
	memset(hdrs, 0, sizeof(hdrs));
	hdrs[0].next_entry = (__u64)(uintptr_t)&hdrs[1];
	hdrs[0].query_op = IO_URING_QUERY_OPCODES;
	hdrs[0].query_data = (__u64)(uintptr_t)&first;
	hdrs[0].size = sizeof(first);
	hdrs[1].next_entry = (__u64)(uintptr_t)&hdrs[2];
	hdrs[1].query_op = 1 << 20;
	hdrs[2] = hdrs[0];
	hdrs[2].next_entry = 0;
	hdrs[2].query_data = (__u64)(uintptr_t)&second;
	assert_int_equal(io_uring_register_query(&hdrs[0]), 0);
	assert_int_equal(hdrs[0].result, 0);
	assert_true(hdrs[1].result < 0);
	assert_int_equal(hdrs[2].result, 0);
	assert_true(first.nr_request_opcodes > 0);
	assert_memory_equal(&first, &second, sizeof(first));
}

/* The answer is as long as was asked for. */
static void test_short_answer(void **state)
{
	struct io_uring_query_opcode whole, part;
	struct io_uring_query_hdr hdr;

	query_opcodes(&hdr, &whole);
	memset(&part, 0xa5, sizeof(part));
	assert_int_equal(query(&hdr, IO_URING_QUERY_OPCODES, &part, 8), 0);
	assert_int_equal(hdr.result, 0);
	assert_memory_equal(&part, &whole, 8);
	assert_true(all_bytes((char *)&part + 8, sizeof(part) - 8, 0xa5));
	assert_int_equal(io_uring_register_query((void *)8), -EFAULT);
}

/* Registrations whose argument no kernel accepts, or none on this machine. */
union argument {
	struct io_uring_zcrx_ifq_reg ifq;
	struct zcrx_ctrl ctrl;
	struct io_uring_bpf bpf;
	char bytes[256];
};

typedef int refused_call(struct io_uring *ring, union argument *arg);

static int call_ifq(struct io_uring *ring, union argument *arg)
{
	return io_uring_register_ifq(ring, &arg->ifq);
}

static int call_ctrl(struct io_uring *ring, union argument *arg)
{
	return io_uring_register_zcrx_ctrl(ring, &arg->ctrl);
}

static int call_filter(struct io_uring *ring, union argument *arg)
{
	return io_uring_register_bpf_filter(ring, &arg->bpf);
}

static int call_filter_task(struct io_uring *ring, union argument *arg)
{
	return io_uring_register_bpf_filter_task(&arg->bpf);
}

struct refused {
	const char *name;
	refused_call *call;
	unsigned opcode;
	unsigned nr_args;
	bool without_ring;
};

static void test_refused(struct io_uring *ring)
{
	static const struct refused calls[] = {
		{ "ifq", call_ifq, IORING_REGISTER_ZCRX_IFQ, 1, false },
		{ "zcrx_ctrl", call_ctrl, IORING_REGISTER_ZCRX_CTRL, 0, false },
		{ "bpf_filter", call_filter, IORING_REGISTER_BPF_FILTER, 1, false },
		{ "bpf_filter_task", call_filter_task, IORING_REGISTER_BPF_FILTER, 1, true },
	};
	struct io_uring before;
	struct holdings held;
	union argument arg, same;
	unsigned i, opcode;
	long raw;
	int fd;

	for (i = 0; i < ARRAY_LEN(calls); i++) {
		/* No interface, no area, no filter, no command has such numbers. */
		memset(&arg, 0xff, sizeof(arg));
		same = arg;
		before = *ring;
		holdings_take(&held);
		opcode = calls[i].opcode;
		fd = calls[i].without_ring ? -1 : ring->ring_fd;
		if (!calls[i].without_ring && ring->ring_fd < 0) {
			opcode |= IORING_REGISTER_USE_REGISTERED_RING;
			fd = ring->enter_ring_fd;
		}
		raw = syscall(__NR_io_uring_register, fd, opcode, &same, calls[i].nr_args);
		assert_int_equal(raw, -1);
		if (calls[i].call(ring, &arg) != -errno)
			fail_msg("%s: not what the kernel says (%s)", calls[i].name,
				 strerror(errno));
		assert_memory_equal(&arg, &same, sizeof(arg));
		assert_memory_equal(ring, &before, sizeof(before));
		holdings_same(&held);
	}
	io_uring_prep_nop(next_sqe(ring));
	assert_int_equal(submit_one(ring, NULL), 0);
}

int main(void)
{
	static const struct ring_case cases[] = {
		{ "refused registrations on", test_refused, 0, 0 },
	};
	static const struct CMUnitTest tests[] = {
		timed_test(test_opcodes),
		timed_test(test_chain),
		timed_test(test_short_answer),
	};
	int nr_failed = cmocka_run_group_tests_name("query", tests, NULL, NULL);

	return nr_failed + ring_run_cases("refused", cases, ARRAY_LEN(cases));
}
