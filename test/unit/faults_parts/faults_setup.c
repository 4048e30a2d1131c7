/* SPDX-License-Identifier: MIT */
/*
 * Making and dropping rings, sizes, and the probe.
 */
#include "faults.h"

#define MEM_SZ (1 << 16)

static char app_mem[MEM_SZ] __attribute__((aligned(MEM_SZ)));

void faults_plain_ring(struct fault_ctx *c)
{
	assert_int_equal(io_uring_queue_init(8, &c->ring, 0), 0);
	c->has_ring = true;
}

static void recent_kernel(struct fault_ctx *c)
{
}

static void old_kernel(struct fault_ctx *c)
{
	fake_be_old();
}

static void two_mappings(struct fault_ctx *c)
{
	fake.features &= ~IORING_FEAT_SINGLE_MMAP;
	fake.layout = FAKE_LAYOUT_320;
}

static void split_ring(struct fault_ctx *c)
{
	fake_be_old();
	faults_plain_ring(c);
}

static void drop_ring(struct fault_ctx *c)
{
	io_uring_queue_exit(&c->ring);
}

static long queue_init(struct fault_ctx *c)
{
	return io_uring_queue_init(8, &c->ring, 0);
}

static long init_with(struct fault_ctx *c, unsigned entries, unsigned flags)
{
	struct io_uring_params p = { .flags = flags, .sq_thread_idle = 77 }, asked = p;
	int ret = io_uring_queue_init_params(entries, &c->ring, &p);

	if (ret < 0)
		assert_memory_equal(&p, &asked, sizeof(p));
	return ret;
}

static long init_big(struct fault_ctx *c)
{
	return init_with(c, 64, IORING_SETUP_SQE128 | IORING_SETUP_CQE32);
}

static long init_no_array(struct fault_ctx *c)
{
	return init_with(c, 8, IORING_SETUP_NO_SQARRAY);
}

static long init_two_pages(struct fault_ctx *c)
{
	return init_with(c, 8, IORING_SETUP_NO_MMAP);
}

static long init_huge_page(struct fault_ctx *c)
{
	return init_with(c, 1024, IORING_SETUP_NO_MMAP);
}

static long init_two_huge_pages(struct fault_ctx *c)
{
	return init_with(c, 32768, IORING_SETUP_NO_MMAP);
}

static long init_no_fd(struct fault_ctx *c)
{
	return init_with(c, 8, IORING_SETUP_NO_MMAP | IORING_SETUP_REGISTERED_FD_ONLY);
}

static long queue_init_mem(struct fault_ctx *c)
{
	struct io_uring_params p = { 0 }, asked = p;
	int ret = io_uring_queue_init_mem(8, &c->ring, &p, app_mem, sizeof(app_mem));

	if (ret < 0)
		assert_memory_equal(&p, &asked, sizeof(p));
	return ret < 0 ? ret : 0;
}

static void large_header(struct fault_ctx *c)
{
	fake.layout = FAKE_LAYOUT_4096;
}

static void ring_of_the_programs(struct fault_ctx *c)
{
	two_mappings(c);
	c->fd = io_uring_setup(8, &c->p);
	assert_true(c->fd >= 0);
}

static long queue_mmap(struct fault_ctx *c)
{
	return io_uring_queue_mmap(c->fd, &c->p, &c->ring);
}

static void registered_ring(struct fault_ctx *c)
{
	faults_plain_ring(c);
	assert_int_equal(io_uring_register_ring_fd(&c->ring), 1);
}

static void three_mappings(struct fault_ctx *c)
{
	two_mappings(c);
	faults_plain_ring(c);
}

static long ring_dontfork(struct fault_ctx *c)
{
	return io_uring_ring_dontfork(&c->ring);
}

static long queue_exit(struct fault_ctx *c)
{
	io_uring_queue_exit(&c->ring);
	c->has_ring = false;
	return 0;
}

static void resizable(struct fault_ctx *c, unsigned no_setup_flags)
{
	struct io_uring_sqe *sqe;

	fake.setup_flags &= ~no_setup_flags;
	assert_int_equal(io_uring_queue_init(8, &c->ring, IORING_SETUP_SINGLE_ISSUER |
							  IORING_SETUP_DEFER_TASKRUN), 0);
	c->has_ring = true;
	sqe = io_uring_get_sqe(&c->ring);
	io_uring_prep_nop(sqe);
	fake_post(fake.ring, 5, 6, 0);
}

static void resizable_ring(struct fault_ctx *c)
{
	resizable(c, 0);
}

static void resizable_with_array(struct fault_ctx *c)
{
	resizable(c, IORING_SETUP_NO_SQARRAY);
}

static long resize_rings(struct fault_ctx *c)
{
	struct io_uring_params p = { .sq_entries = 64 };

	return io_uring_resize_rings(&c->ring, &p);
}

static void use_resized(struct fault_ctx *c)
{
	assert_int_equal(c->ring.sq.ring_entries, 64);
	assert_int_equal(io_uring_submit(&c->ring), 1);
	reap_one(&c->ring, 5, 6);
}

static long setup(struct fault_ctx *c)
{
	c->fd = io_uring_setup(4, &c->p);
	return c->fd < 0 ? c->fd : 0;
}

static void close_fd(struct fault_ctx *c)
{
	struct io_uring ring;

	/* By the library, since the descriptor is the fake kernel's. */
	if (!io_uring_queue_mmap(c->fd, &c->p, &ring))
		io_uring_queue_exit(&ring);
}

static long mlock_size(struct fault_ctx *c)
{
	return io_uring_mlock_size(8, 0);
}

static long mlock_size_params(struct fault_ctx *c)
{
	struct io_uring_params p = { 0 };

	return io_uring_mlock_size_params(8, &p);
}

static long memory_size(struct fault_ctx *c)
{
	return io_uring_memory_size(8, 0) > 0 ? 0 : -EINVAL;
}

static long memory_size_params(struct fault_ctx *c)
{
	struct io_uring_params p = { 0 };

	return io_uring_memory_size_params(8, &p) > 0 ? 0 : -EINVAL;
}

static long get_probe(struct fault_ctx *c)
{
	c->probe = io_uring_get_probe();
	return c->probe ? 0 : FAULTS_NULL;
}

static long get_probe_ring(struct fault_ctx *c)
{
	c->probe = io_uring_get_probe_ring(&c->ring);
	return c->probe ? 0 : FAULTS_NULL;
}

static void use_probe(struct fault_ctx *c)
{
	assert_true(io_uring_opcode_supported(c->probe, IORING_OP_NOP));
	io_uring_free_probe(c->probe);
}

static void with_probe(struct fault_ctx *c)
{
	faults_plain_ring(c);
	assert_int_equal(get_probe_ring(c), 0);
}

static long free_probe(struct fault_ctx *c)
{
	io_uring_free_probe(c->probe);
	return 0;
}

static long versions(struct fault_ctx *c)
{
	return io_uring_check_version(io_uring_major_version(), io_uring_minor_version());
}

#define RING FAULTS_MAKES_RING
#define NONE FAULTS_NO_CALLS

const struct fault_row setup_rows[] = {
	{ "io_uring_queue_init", "", recent_kernel, queue_init, 0, RING, drop_ring },
	{ "io_uring_queue_init", "old", old_kernel, queue_init, 0, RING, drop_ring },
	{ "io_uring_queue_init", "3 mappings", two_mappings, queue_init, 0, RING, drop_ring },
	{ "io_uring_queue_init_params", "big", recent_kernel, init_big, 0, RING, drop_ring },
	{ "io_uring_queue_init_params", "no array", recent_kernel, init_no_array, 0, RING,
	  drop_ring },
	{ "io_uring_queue_init_params", "pages", recent_kernel, init_two_pages, 0, RING,
	  drop_ring },
	{ "io_uring_queue_init_params", "huge page", recent_kernel, init_huge_page, 0, RING,
	  drop_ring },
	{ "io_uring_queue_init_params", "huge pages", recent_kernel, init_two_huge_pages, 0, RING,
	  drop_ring },
	{ "io_uring_queue_init_params", "no fd", recent_kernel, init_no_fd, 0, RING, drop_ring },
	{ "io_uring_queue_init_mem", "", recent_kernel, queue_init_mem, 0, RING, drop_ring },
	{ "io_uring_queue_init_mem", "large header", large_header, queue_init_mem, -ENOMEM, RING,
	  NULL },
	{ "io_uring_queue_mmap", "", ring_of_the_programs, queue_mmap, 0, RING, drop_ring },
	{ "io_uring_ring_dontfork", "", faults_plain_ring, ring_dontfork, 0, 0, NULL },
	{ "io_uring_ring_dontfork", "3 mappings", three_mappings, ring_dontfork, 0, 0, NULL },
	{ "io_uring_queue_exit", "", faults_plain_ring, queue_exit, 0, FAULTS_NEVER_FAILS, NULL },
	{ "io_uring_queue_exit", "old", split_ring, queue_exit, 0, FAULTS_NEVER_FAILS, NULL },
	{ "io_uring_queue_exit", "registered", registered_ring, queue_exit, 0, FAULTS_NEVER_FAILS,
	  NULL },
	{ "io_uring_resize_rings", "", resizable_ring, resize_rings, 0, 0, use_resized },
	{ "io_uring_resize_rings", "array", resizable_with_array, resize_rings, 0, 0,
	  use_resized },
	{ "io_uring_setup", "", recent_kernel, setup, 0, 0, close_fd },
	{ "io_uring_mlock_size", "", recent_kernel, mlock_size, 0, 0, NULL },
	{ "io_uring_mlock_size_params", "", recent_kernel, mlock_size_params, 0, 0, NULL },
	{ "io_uring_memory_size", "", recent_kernel, memory_size, 0, NONE, NULL },
	{ "io_uring_memory_size_params", "", recent_kernel, memory_size_params, 0, NONE, NULL },
	{ "io_uring_get_probe", "", recent_kernel, get_probe, 0, FAULTS_SAYS_NULL, use_probe },
	{ "io_uring_get_probe_ring", "", faults_plain_ring, get_probe_ring, 0, FAULTS_SAYS_NULL,
	  use_probe },
	{ "io_uring_free_probe", "", with_probe, free_probe, 0, NONE, NULL },
	{ "io_uring_major_version", "", recent_kernel, versions, 0, NONE, NULL },
	{ "io_uring_minor_version", "", recent_kernel, versions, 0, NONE, NULL },
	{ "io_uring_check_version", "", recent_kernel, versions, 0, NONE, NULL },
};

const unsigned nr_setup_rows = ARRAY_LEN(setup_rows);
