/* SPDX-License-Identifier: MIT */
/*
 * Every register call on a ring whose real descriptor is closed: each goes by
 * the registered index, and none by a descriptor. On rings of every kind.
 */
#include "test.h"

#include "ring.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#define NO_MMAP IORING_SETUP_NO_MMAP
#define GROUP 5

/* The ring is entered by its index alone from here on. */
static void close_descriptor(struct io_uring *ring)
{
	if (!(ring->features & IORING_FEAT_REG_REG_RING))
		skip_because("the kernel's features have no REG_REG_RING");
	if (!(ring->flags & IORING_SETUP_REGISTERED_FD_ONLY)) {
		assert_int_equal(io_uring_register_ring_fd(ring), 1);
		assert_int_equal(io_uring_close_ring_fd(ring), 1);
	}
	assert_int_equal(ring->ring_fd, -1);
}

static void works(struct io_uring *ring)
{
	io_uring_prep_nop(next_sqe(ring));
	assert_int_equal(submit_one(ring, NULL), 0);
}

static void test_buffers(struct io_uring *ring)
{
	static const __u64 tags[] = { 11 };
	static char mem[256];
	struct iovec iov = { mem, sizeof(mem) };

	close_descriptor(ring);
	assert_int_equal(io_uring_register_buffers(ring, &iov, 1), 0);
	assert_int_equal(io_uring_unregister_buffers(ring), 0);
	assert_int_equal(io_uring_register_buffers_tags(ring, &iov, tags, 1), 0);
	assert_int_equal(io_uring_unregister_buffers(ring), 0);
	assert_int_equal(wait_for_tag(ring, 11), 0);
	assert_int_equal(io_uring_register_buffers_sparse(ring, 4), 0);
	assert_int_equal(io_uring_register_buffers_update_tag(ring, 2, &iov, NULL, 1), 1);
	assert_int_equal(io_uring_unregister_buffers(ring), 0);
	works(ring);
}

static void test_files(struct io_uring *ring)
{
	static const __u64 tags[] = { 12 };
	int fd = STDERR_FILENO;

	close_descriptor(ring);
	assert_int_equal(io_uring_register_files(ring, &fd, 1), 0);
	assert_int_equal(io_uring_register_files_update(ring, 0, &fd, 1), 1);
	assert_int_equal(io_uring_unregister_files(ring), 0);
	assert_int_equal(io_uring_register_files_tags(ring, &fd, tags, 1), 0);
	assert_int_equal(io_uring_register_files_update_tag(ring, 0, &fd, NULL, 1), 1);
	assert_int_equal(wait_for_tag(ring, 12), 0);
	assert_int_equal(io_uring_unregister_files(ring), 0);
	assert_int_equal(io_uring_register_files_sparse(ring, 4), 0);
	require_ret("an allocation range", io_uring_register_file_alloc_range(ring, 1, 2));
	assert_int_equal(io_uring_unregister_files(ring), 0);
	works(ring);
}

static void test_buf_rings(struct io_uring *ring)
{
	struct io_uring_buf_ring *br;
	struct io_uring_buf_reg reg;
	struct holdings before;
	uint16_t head = 1;
	int ret = 1;

	close_descriptor(ring);
	holdings_take(&before);
	br = io_uring_setup_buf_ring(ring, 4, GROUP, 0, &ret);
	assert_non_null(br);
	require_ret("the status of a buffer ring", io_uring_buf_ring_head(ring, GROUP, &head));
	assert_int_equal(head, 0);
	assert_int_equal(io_uring_buf_ring_available(ring, br, GROUP), 0);
	assert_int_equal(io_uring_free_buf_ring(ring, br, 4, GROUP), 0);
	holdings_same(&before);

	/* The kernel's memory can only be mapped by a descriptor. */
	ret = 0;
	assert_null(io_uring_setup_buf_ring(ring, 4, GROUP, IOU_PBUF_RING_MMAP, &ret));
	assert_int_equal(ret, -EBADF);
	assert_true(io_uring_unregister_buf_ring(ring, GROUP) < 0);
	holdings_same(&before);
	memset(&reg, 0, sizeof(reg));
	reg.ring_entries = 4;
	reg.bgid = GROUP;
	assert_int_equal(io_uring_register_buf_ring(ring, &reg, IOU_PBUF_RING_MMAP), 0);
	assert_int_equal(io_uring_unregister_buf_ring(ring, GROUP), 0);
	works(ring);
}

static void test_eventfd(struct io_uring *ring)
{
	int fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);

	close_descriptor(ring);
	assert_int_equal(io_uring_register_eventfd(ring, fd), 0);
	assert_int_equal(io_uring_unregister_eventfd(ring), 0);
	assert_int_equal(io_uring_register_eventfd_async(ring, fd), 0);
	assert_int_equal(io_uring_unregister_eventfd(ring), 0);
	close(fd);
	works(ring);
}

static void test_workers(struct io_uring *ring)
{
	unsigned values[2] = { 0, 0 };
	cpu_set_t cpus;

	close_descriptor(ring);
	assert_int_equal(sched_getaffinity(0, sizeof(cpus), &cpus), 0);
	require_ret("the affinity of worker threads",
		    io_uring_register_iowq_aff(ring, sizeof(cpus), &cpus));
	assert_int_equal(io_uring_unregister_iowq_aff(ring), 0);
	require_ret("the limit of worker threads",
		    io_uring_register_iowq_max_workers(ring, values));
	assert_true(values[0] > 0);
	works(ring);
}

static void test_rights(struct io_uring *ring)
{
	struct io_uring_restriction res;
	struct io_uring_probe *probe;
	int id;

	close_descriptor(ring);
	probe = io_uring_get_probe_ring(ring);
	assert_non_null(probe);
	assert_int_equal(io_uring_opcode_supported(probe, IORING_OP_NOP), 1);
	io_uring_free_probe(probe);
	id = io_uring_register_personality(ring);
	assert_true(id > 0);
	assert_int_equal(io_uring_unregister_personality(ring, id), 0);
	memset(&res, 0, sizeof(res));
	/* What the kernel says to a ring that is not disabled. */
	assert_int_equal(io_uring_register_restrictions(ring, &res, 1), -EBADFD);
	assert_int_equal(io_uring_enable_rings(ring), -EBADFD);
	works(ring);
}

static void test_cancel(struct io_uring *ring)
{
	struct io_uring_sync_cancel_reg reg;

	close_descriptor(ring);
	memset(&reg, 0, sizeof(reg));
	reg.addr = 99;
	reg.fd = -1;
	reg.timeout.tv_sec = reg.timeout.tv_nsec = -1;
	assert_int_equal(io_uring_register_sync_cancel(ring, &reg), -ENOENT);
	works(ring);
}

static void test_settings(struct io_uring *ring)
{
	struct io_uring_clock_register clock;
	struct io_uring_mem_region_reg reg;
	struct io_uring_region_desc desc;
	struct io_uring_napi napi;
	void *mem = page_alloc(page_size());

	close_descriptor(ring);
	memset(&clock, 0, sizeof(clock));
	clock.clockid = CLOCK_BOOTTIME;
	require_ret("a clock", io_uring_register_clock(ring, &clock));
	memset(&desc, 0, sizeof(desc));
	desc.user_addr = (__u64)(uintptr_t)mem;
	desc.size = page_size();
	desc.flags = IORING_MEM_REGION_TYPE_USER;
	memset(&reg, 0, sizeof(reg));
	reg.region_uptr = (__u64)(uintptr_t)&desc;
	require_ret("a region", io_uring_register_region(ring, &reg));
	if (!(ring->flags & IORING_SETUP_IOPOLL)) {
		memset(&napi, 0, sizeof(napi));
		napi.busy_poll_to = 10;
		require_ret("busy polling", io_uring_register_napi(ring, &napi));
		assert_int_equal(io_uring_unregister_napi(ring, &napi), 0);
		assert_int_equal(napi.busy_poll_to, 10);
	}
	works(ring);
	/* The ring keeps the pages for as long as it lives. */
	page_free(mem, page_size());
}

/* New mappings need the descriptor: refused before anything has happened. */
static void test_resize(struct io_uring *ring)
{
	struct io_uring_params p = { .sq_entries = 16 };
	struct io_uring before;

	close_descriptor(ring);
	before = *ring;
	assert_int_equal(io_uring_resize_rings(ring, &p), ring->flags & NO_MMAP ? -EINVAL : -EBADF);
	assert_memory_equal(ring, &before, sizeof(before));
	works(ring);
}

int main(void)
{
	static const struct ring_case cases[] = {
		{ "buffers of closed", test_buffers, 0, 0 },
		{ "files of closed", test_files, 0, 0 },
		{ "buffer rings of closed", test_buf_rings, 0, 0 },
		{ "eventfd of closed", test_eventfd, 0, 0 },
		{ "workers of closed", test_workers, 0, 0 },
		{ "probe and rights of closed", test_rights, 0, 0 },
		{ "cancel on closed", test_cancel, IORING_SETUP_IOPOLL, 0 },
		{ "settings of closed", test_settings, 0, 0 },
		{ "resize of closed", test_resize, 0, 0 },
	};

	return ring_run_cases("closed_ring", cases, ARRAY_LEN(cases));
}
