/* SPDX-License-Identifier: MIT */
/*
 * Registrations: one call each, but for those that ask again or allocate.
 */
#include "faults.h"

/* A function whose scenario is one call, under the name that the table needs. */
#define CALLS(name, ...)                           \
	static long name(struct fault_ctx *c)      \
	{                                          \
		return io_uring_##name(__VA_ARGS__); \
	}

static const int files[80];
static const __u64 tags[80];
static const struct iovec iovecs[4];
static unsigned workers[2];

CALLS(register_eventfd, &c->ring, 5)
CALLS(register_eventfd_async, &c->ring, 5)
CALLS(unregister_eventfd, &c->ring)
CALLS(register_personality, &c->ring)
CALLS(unregister_personality, &c->ring, 1)
CALLS(register_restrictions, &c->ring, NULL, 0)
CALLS(enable_rings, &c->ring)
CALLS(register_iowq_aff, &c->ring, sizeof(cpu_set_t), NULL)
CALLS(unregister_iowq_aff, &c->ring)
CALLS(register_iowq_max_workers, &c->ring, workers)
CALLS(register_ring_fd, &c->ring)
CALLS(unregister_ring_fd, &c->ring)
CALLS(close_ring_fd, &c->ring)
CALLS(register_sync_cancel, &c->ring, NULL)
CALLS(register_sync_msg, NULL)
CALLS(register_napi, &c->ring, NULL)
CALLS(unregister_napi, &c->ring, NULL)
CALLS(register_ifq, &c->ring, NULL)
CALLS(register_zcrx_ctrl, &c->ring, NULL)
CALLS(register_clock, &c->ring, NULL)
CALLS(register_bpf_filter, &c->ring, NULL)
CALLS(register_bpf_filter_task, NULL)
CALLS(register_query, NULL)
CALLS(set_iowait, &c->ring, true)
CALLS(register_files, &c->ring, files, 80)
CALLS(register_files_tags, &c->ring, files, tags, 80)
CALLS(register_files_sparse, &c->ring, 80)
CALLS(register_files_update_tag, &c->ring, 0, files, tags, 4)
CALLS(register_files_update, &c->ring, 0, files, 4)
CALLS(unregister_files, &c->ring)
CALLS(register_file_alloc_range, &c->ring, 0, 8)
CALLS(clone_buffers_offset, &c->ring, &c->other, 0, 0, 1, 0)
CALLS(clone_buffers, &c->ring, &c->other)
CALLS(register_buffers, &c->ring, iovecs, 4)
CALLS(register_buffers_tags, &c->ring, iovecs, tags, 4)
CALLS(register_buffers_sparse, &c->ring, 4)
CALLS(register_buffers_update_tag, &c->ring, 0, iovecs, tags, 4)
CALLS(unregister_buffers, &c->ring)
CALLS(unregister_buf_ring, &c->ring, 7)
CALLS(free_buf_ring, &c->ring, c->br, 8, 7)

static long register_raw(struct fault_ctx *c)
{
	return io_uring_register((unsigned)c->ring.ring_fd, IORING_UNREGISTER_EVENTFD, NULL, 0);
}

static long clone_at(struct fault_ctx *c)
{
	return __io_uring_clone_buffers_offset(&c->ring, &c->other, 0, 0, 1, 0);
}

static long clone_all(struct fault_ctx *c)
{
	return __io_uring_clone_buffers(&c->ring, &c->other, 0);
}

static long register_probe(struct fault_ctx *c)
{
	char space[sizeof(struct io_uring_probe) + 8 * sizeof(struct io_uring_probe_op)]
		__attribute__((aligned(8))) = { 0 };

	return io_uring_register_probe(&c->ring, (struct io_uring_probe *)space, 8);
}

static long register_region(struct fault_ctx *c)
{
	struct io_uring_region_desc desc = { 0 };
	struct io_uring_mem_region_reg reg = {
		.region_uptr = (uintptr_t)&desc,
		.flags = IORING_MEM_REGION_REG_WAIT_ARG,
	};

	return io_uring_register_region(&c->ring, &reg);
}

static long register_wait_reg(struct fault_ctx *c)
{
	return io_uring_register_wait_reg(&c->ring, NULL, 1) == -EINVAL ? 0 : -1;
}

static long register_buf_ring(struct fault_ctx *c)
{
	struct io_uring_buf_reg reg = {
		.ring_addr = 0x10000, .ring_entries = 8, .bgid = 7
	};

	return io_uring_register_buf_ring(&c->ring, &reg, 0);
}

static long setup_buf_ring_with(struct fault_ctx *c, unsigned flags)
{
	int err = 99;

	c->br = io_uring_setup_buf_ring(&c->ring, 8, 7, flags, &err);
	assert_true(c->br ? err == 0 : err < 0);
	return err;
}

static long setup_buf_ring(struct fault_ctx *c)
{
	return setup_buf_ring_with(c, 0);
}

static long setup_buf_ring_mmap(struct fault_ctx *c)
{
	return setup_buf_ring_with(c, IOU_PBUF_RING_MMAP);
}

static void drop_buf_ring(struct fault_ctx *c)
{
	assert_int_equal(c->br->tail, 0);
	assert_int_equal(io_uring_free_buf_ring(&c->ring, c->br, 8, 7), 0);
}

static bool answer_status(struct fake_ring *ring, unsigned opcode, void *arg, unsigned nr_args,
			  long *ret)
{
	if (opcode != IORING_REGISTER_PBUF_STATUS)
		return false;
	((struct io_uring_buf_status *)arg)->head = 0x1234;
	*ret = 0;
	return true;
}

/* The head is written on success only. */
static long buf_ring_head(struct fault_ctx *c)
{
	uint16_t head = 77;
	int ret = io_uring_buf_ring_head(&c->ring, 7, &head);

	assert_int_equal(head, ret ? 77 : 0x1234);
	return ret;
}

static void with_buf_ring(struct fault_ctx *c)
{
	faults_plain_ring(c);
	assert_int_equal(setup_buf_ring(c), 0);
	fake.on_register = answer_status;
}

static void with_buf_group(struct fault_ctx *c)
{
	faults_plain_ring(c);
	assert_int_equal(register_buf_ring(c), 0);
}

static void low_limit(struct fault_ctx *c)
{
	faults_plain_ring(c);
	fake.nofile_soft = 64;
	fake.nofile_hard = 1000;
}

static void registered_ring(struct fault_ctx *c)
{
	faults_plain_ring(c);
	assert_int_equal(io_uring_register_ring_fd(&c->ring), 1);
}

static void disabled_ring(struct fault_ctx *c)
{
	assert_int_equal(io_uring_queue_init(8, &c->ring, IORING_SETUP_R_DISABLED), 0);
	c->has_ring = true;
}

static void two_rings(struct fault_ctx *c)
{
	faults_plain_ring(c);
	assert_int_equal(io_uring_queue_init(8, &c->other, 0), 0);
	c->has_other = true;
}

#define ROW(name, prepare, good, traits) \
	{ "io_uring_" #name, "", prepare, name, good, traits, NULL }
#define PLAIN(name) ROW(name, faults_plain_ring, 0, 0)

const struct fault_row register_rows[] = {
	PLAIN(register_eventfd),
	PLAIN(register_eventfd_async),
	PLAIN(unregister_eventfd),
	PLAIN(register_probe),
	PLAIN(register_personality),
	PLAIN(unregister_personality),
	PLAIN(register_restrictions),
	ROW(enable_rings, disabled_ring, 0, 0),
	PLAIN(register_iowq_aff),
	PLAIN(unregister_iowq_aff),
	PLAIN(register_iowq_max_workers),
	ROW(register_ring_fd, faults_plain_ring, 1, 0),
	ROW(unregister_ring_fd, registered_ring, 1, 0),
	ROW(close_ring_fd, registered_ring, 1, FAULTS_NEVER_FAILS),
	PLAIN(register_sync_cancel),
	PLAIN(register_sync_msg),
	PLAIN(register_napi),
	PLAIN(unregister_napi),
	PLAIN(register_ifq),
	PLAIN(register_zcrx_ctrl),
	PLAIN(register_clock),
	PLAIN(register_bpf_filter),
	PLAIN(register_bpf_filter_task),
	PLAIN(register_query),
	{ "io_uring_register", "", faults_plain_ring, register_raw, 0, 0, NULL },
	PLAIN(register_region),
	ROW(register_wait_reg, faults_plain_ring, 0, FAULTS_NO_CALLS),
	ROW(set_iowait, faults_plain_ring, 0, FAULTS_NO_CALLS),
	ROW(register_files, low_limit, 0, FAULTS_RETRIES),
	ROW(register_files_tags, low_limit, 0, FAULTS_RETRIES),
	ROW(register_files_sparse, low_limit, 0, FAULTS_RETRIES),
	PLAIN(register_files_update_tag),
	PLAIN(register_files_update),
	PLAIN(unregister_files),
	PLAIN(register_file_alloc_range),
	ROW(clone_buffers_offset, two_rings, 0, 0),
	ROW(clone_buffers, two_rings, 0, 0),
	{ "__io_uring_clone_buffers_offset", "", two_rings, clone_at, 0, 0, NULL },
	{ "__io_uring_clone_buffers", "", two_rings, clone_all, 0, 0, NULL },
	PLAIN(register_buffers),
	PLAIN(register_buffers_tags),
	PLAIN(register_buffers_sparse),
	PLAIN(register_buffers_update_tag),
	PLAIN(unregister_buffers),
	{ "io_uring_register_buffers", "registered", registered_ring, register_buffers, 0, 0,
	  NULL },
	PLAIN(register_buf_ring),
	ROW(unregister_buf_ring, with_buf_group, 0, 0),
	{ "io_uring_buf_ring_head", "", with_buf_ring, buf_ring_head, 0, 0, drop_buf_ring },
	{ "io_uring_setup_buf_ring", "", faults_plain_ring, setup_buf_ring, 0, 0, drop_buf_ring },
	{ "io_uring_setup_buf_ring", "mmap", faults_plain_ring, setup_buf_ring_mmap, 0, 0,
	  drop_buf_ring },
	ROW(free_buf_ring, with_buf_ring, 0, 0),
};

const unsigned nr_register_rows = ARRAY_LEN(register_rows);
