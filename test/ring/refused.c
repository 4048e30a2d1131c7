/* SPDX-License-Identifier: MIT */
/*
 * Under filters that refuse one of the three calls with ENOSYS or EPERM, as container
 * runtimes have them: every function returns the kernel's error, the ring stays as it
 * was, and no descriptor and no mapping is left over.
 */
#include "test.h"

#include "api_list.h"
#include "process.h"
#include "refusal.h"
#include "ring.h"

#include <stdlib.h>

TEST_NEEDS_NO_RINGS;

/* Bigger than a page: SQEs and rings in the library's own memory. */
#define MANY 64
#define POISON ((struct io_uring_cqe *)0x5a5a5a50)

/* What the functions work on, and what they are refused. */
struct refused {
	struct io_uring ring;
	struct io_uring other;	/* a registered one */
	struct io_uring_params p;
	struct io_uring_cqe *cqe;
	struct __kernel_timespec ts;
	char *mem;
	size_t mem_sz;
	int err;
};

struct refused_row {
	const char *name;
	long (*call)(struct refused *r);
};

static const int files[2];
static const __u64 tags[2];
static const struct iovec iovecs[2];
static unsigned workers[2];

#define DEFINE(name, ...)                          \
	static long call_##name(struct refused *r) \
	{                                          \
		return (long)name(__VA_ARGS__);    \
	}
#define ROW(name, ...) { #name, call_##name },

#define SETUP_CALLS(X)                                          \
	X(io_uring_setup, 4, &r->p)                             \
	X(io_uring_queue_init, 4, &r->ring, 0)                  \
	X(io_uring_queue_init_params, MANY, &r->ring, &r->p)    \
	X(io_uring_queue_init_mem, 4, &r->ring, &r->p, r->mem, r->mem_sz) \
	X(io_uring_mlock_size, 4, 0)                            \
	X(io_uring_mlock_size_params, 4, &r->p)
SETUP_CALLS(DEFINE)

static long init_own_mem(struct refused *r)
{
	return io_uring_queue_init(4, &r->ring, IORING_SETUP_NO_MMAP);
}

/* In huge pages, of which there may be none. */
static long init_own_huge_mem(struct refused *r)
{
	int ret = io_uring_queue_init(MANY, &r->ring, IORING_SETUP_NO_MMAP | IORING_SETUP_SQE128);

	return ret == -ENOMEM ? r->err : ret;
}

static long probe_new_ring(struct refused *r)
{
	return io_uring_get_probe() ? 0 : r->err;
}

static const struct refused_row setup_rows[] = {
	SETUP_CALLS(ROW)
	{ "io_uring_queue_init", init_own_mem },
	{ "io_uring_queue_init", init_own_huge_mem },
	{ "io_uring_get_probe", probe_new_ring },
};

#define RING_FD ((unsigned)r->ring.ring_fd)
#define ENTER_CALLS(X)                                                                 \
	X(io_uring_submit, &r->ring)                                                   \
	X(io_uring_submit_and_wait, &r->ring, 1)                                       \
	X(io_uring_submit_and_get_events, &r->ring)                                    \
	X(io_uring_get_events, &r->ring)                                               \
	X(__io_uring_sqring_wait, &r->ring)                                            \
	X(io_uring_enter, RING_FD, 1, 0, 0, NULL)                                      \
	X(io_uring_enter2, RING_FD, 1, 0, 0, NULL, 0)                                  \
	X(__io_uring_get_cqe, &r->ring, &r->cqe, 1, 1, NULL)                           \
	X(io_uring_wait_cqe, &r->ring, &r->cqe)                                        \
	X(io_uring_wait_cqe_nr, &r->ring, &r->cqe, 2)                                  \
	X(io_uring_wait_cqes, &r->ring, &r->cqe, 2, &r->ts, NULL)                      \
	X(io_uring_wait_cqe_timeout, &r->ring, &r->cqe, &r->ts)                        \
	X(io_uring_submit_and_wait_timeout, &r->ring, &r->cqe, 1, &r->ts, NULL)
ENTER_CALLS(DEFINE)

/* As on a kernel whose enter takes no timeout. */
static long wait_by_timeout_sqe(struct refused *r)
{
	unsigned features = r->ring.features;
	int ret;

	r->ring.features &= ~IORING_FEAT_EXT_ARG;
	ret = io_uring_wait_cqe_timeout(&r->ring, &r->cqe, &r->ts);
	r->ring.features = features;
	return ret;
}

/* Functions that make no call where the kernel lacks the feature. */
static long with_feature(struct refused *r, unsigned feature, int ret)
{
	return ret == -EINVAL && !(r->ring.features & feature) ? r->err : ret;
}

static long wait_min_timeout(struct refused *r)
{
	return with_feature(r, IORING_FEAT_MIN_TIMEOUT,
			    io_uring_wait_cqes_min_timeout(&r->ring, &r->cqe, 1, &r->ts, 1, NULL));
}

static long submit_min_timeout(struct refused *r)
{
	return with_feature(r, IORING_FEAT_MIN_TIMEOUT,
			    io_uring_submit_and_wait_min_timeout(&r->ring, &r->cqe, 1, &r->ts, 1,
								 NULL));
}

static long submit_wait_reg(struct refused *r)
{
	return with_feature(r, IORING_FEAT_EXT_ARG,
			    io_uring_submit_and_wait_reg(&r->ring, &r->cqe, 1, 0));
}

static const struct refused_row enter_rows[] = {
	ENTER_CALLS(ROW)
	{ "io_uring_wait_cqe_timeout", wait_by_timeout_sqe },
	{ "io_uring_wait_cqes_min_timeout", wait_min_timeout },
	{ "io_uring_submit_and_wait_min_timeout", submit_min_timeout },
	{ "io_uring_submit_and_wait_reg", submit_wait_reg },
};

#define REGISTER_CALLS(X)                                                       \
	X(io_uring_register, RING_FD, IORING_UNREGISTER_EVENTFD, NULL, 0)       \
	X(io_uring_register_eventfd, &r->ring, 1)                               \
	X(io_uring_register_eventfd_async, &r->ring, 1)                         \
	X(io_uring_unregister_eventfd, &r->ring)                                \
	X(io_uring_register_probe, &r->ring, NULL, 0)                           \
	X(io_uring_register_personality, &r->ring)                              \
	X(io_uring_unregister_personality, &r->ring, 1)                         \
	X(io_uring_register_restrictions, &r->ring, NULL, 0)                    \
	X(io_uring_enable_rings, &r->ring)                                      \
	X(io_uring_register_iowq_aff, &r->ring, 8, NULL)                        \
	X(io_uring_unregister_iowq_aff, &r->ring)                               \
	X(io_uring_register_iowq_max_workers, &r->ring, workers)                \
	X(io_uring_register_ring_fd, &r->ring)                                  \
	X(io_uring_unregister_ring_fd, &r->other)                               \
	X(io_uring_register_sync_cancel, &r->ring, NULL)                        \
	X(io_uring_register_sync_msg, NULL)                                     \
	X(io_uring_register_napi, &r->ring, NULL)                               \
	X(io_uring_unregister_napi, &r->ring, NULL)                             \
	X(io_uring_register_ifq, &r->ring, NULL)                                \
	X(io_uring_register_zcrx_ctrl, &r->ring, NULL)                          \
	X(io_uring_register_clock, &r->ring, NULL)                              \
	X(io_uring_register_bpf_filter, &r->ring, NULL)                         \
	X(io_uring_register_bpf_filter_task, NULL)                              \
	X(io_uring_register_query, NULL)                                        \
	X(io_uring_register_region, &r->ring, NULL)                             \
	X(io_uring_register_files, &r->ring, files, 2)                          \
	X(io_uring_register_files_tags, &r->ring, files, tags, 2)               \
	X(io_uring_register_files_sparse, &r->ring, 2)                          \
	X(io_uring_register_files_update_tag, &r->ring, 0, files, tags, 2)      \
	X(io_uring_register_files_update, &r->ring, 0, files, 2)                \
	X(io_uring_unregister_files, &r->ring)                                  \
	X(io_uring_register_file_alloc_range, &r->ring, 0, 2)                   \
	X(io_uring_clone_buffers_offset, &r->ring, &r->other, 0, 0, 1, 0)       \
	X(__io_uring_clone_buffers_offset, &r->ring, &r->other, 0, 0, 1, 0)     \
	X(io_uring_clone_buffers, &r->ring, &r->other)                          \
	X(__io_uring_clone_buffers, &r->ring, &r->other, 0)                     \
	X(io_uring_register_buffers, &r->ring, iovecs, 2)                       \
	X(io_uring_register_buffers_tags, &r->ring, iovecs, tags, 2)            \
	X(io_uring_register_buffers_sparse, &r->ring, 2)                        \
	X(io_uring_register_buffers_update_tag, &r->ring, 0, iovecs, tags, 2)   \
	X(io_uring_unregister_buffers, &r->ring)                                \
	X(io_uring_unregister_buf_ring, &r->ring, 1)                            \
	X(io_uring_free_buf_ring, &r->ring, NULL, 8, 1)
REGISTER_CALLS(DEFINE)

static long resize(struct refused *r)
{
	r->p.sq_entries = 16;
	return io_uring_resize_rings(&r->ring, &r->p);
}

static long register_buf_ring(struct refused *r)
{
	struct io_uring_buf_reg reg = { .ring_entries = 8 };

	return io_uring_register_buf_ring(&r->ring, &reg, 0);
}

static long buf_ring_head(struct refused *r)
{
	uint16_t head;

	return io_uring_buf_ring_head(&r->ring, 1, &head);
}

static long setup_buf_ring(struct refused *r)
{
	int err = 0;

	return io_uring_setup_buf_ring(&r->ring, 8, 1, 0, &err) ? 0 : err;
}

static long setup_mapped_buf_ring(struct refused *r)
{
	int err = 0;

	return io_uring_setup_buf_ring(&r->ring, 8, 1, IOU_PBUF_RING_MMAP, &err) ? 0 : err;
}

static long probe_ring(struct refused *r)
{
	return io_uring_get_probe_ring(&r->ring) ? 0 : r->err;
}

static const struct refused_row register_rows[] = {
	REGISTER_CALLS(ROW)
	{ "io_uring_resize_rings", resize },
	{ "io_uring_register_buf_ring", register_buf_ring },
	{ "io_uring_buf_ring_head", buf_ring_head },
	{ "io_uring_setup_buf_ring", setup_buf_ring },
	{ "io_uring_setup_buf_ring", setup_mapped_buf_ring },
	{ "io_uring_get_probe_ring", probe_ring },
	{ "io_uring_get_probe", probe_new_ring },
};

/* Those that make none of the three calls, or only to give something up. */
static const char *const other_functions[] = {
	"io_uring_free_probe", "io_uring_queue_mmap", "io_uring_ring_dontfork",
	"io_uring_queue_exit", "io_uring_memory_size", "io_uring_memory_size_params",
	"io_uring_major_version", "io_uring_minor_version", "io_uring_check_version",
	"io_uring_peek_batch_cqe", "io_uring_register_wait_reg", "io_uring_close_ring_fd",
	"io_uring_set_iowait", "io_uring_get_sqe",
};

static const struct refusal {
	const char *name;
	unsigned nr;
	int err;
	const struct refused_row *rows;
	unsigned nr_rows;
} refusals[] = {
#define REFUSAL(call, err) { #call " " #err, __NR_io_uring_##call, err, call##_rows, ARRAY_LEN(call##_rows) }
	REFUSAL(setup, ENOSYS), REFUSAL(setup, EPERM),
	REFUSAL(enter, ENOSYS), REFUSAL(enter, EPERM),
	REFUSAL(register, ENOSYS), REFUSAL(register, EPERM),
};

/* The rings that the functions work on, made before the refusal. */
static void open_rings(struct refused *r)
{
	child_check_equal(io_uring_queue_init(8, &r->ring, 0), 0);
	child_check_equal(io_uring_queue_init(8, &r->other, 0), 0);
	if (io_uring_register_ring_fd(&r->other) != 1) {
		printf("a ring cannot be registered here\n");
		fflush(stdout);
		_exit(CHILD_SKIP);
	}
	io_uring_prep_nop(io_uring_get_sqe(&r->ring));
}

static void check_row(struct refused *r, const struct refused_row *row, bool has_rings)
{
	struct io_uring_params none = { 0 };
	struct holdings held;
	long ret;

	r->p = none;
	r->cqe = POISON;
	holdings_take(&held);
	ret = row->call(r);
	if (ret != r->err)
		print_error("%s: %ld, not %d\n", row->name, ret, r->err);
	child_check_equal(ret, r->err);
	holdings_same(&held);
	child_check(r->cqe == POISON || !r->cqe);
	if (!has_rings) {
		child_check_equal(r->p.flags, 0);
		return;
	}
	child_check_equal(io_uring_sq_ready(&r->ring), 1);
	child_check_equal(io_uring_cq_ready(&r->ring), 0);
	child_check(r->other.int_flags & IORING_ENTER_REGISTERED_RING);
}

static int check_refusal(void *arg)
{
	const struct refusal *refusal = arg;
	struct holdings held;
	bool has_rings = refusal->nr != __NR_io_uring_setup;
	struct refused r = { .err = -refusal->err, .ts.tv_sec = WAIT_SECONDS };
	unsigned i;

	r.mem_sz = 8 * page_size();
	r.mem = page_alloc(r.mem_sz);
	/* What the first use of the heap and of a probe maps stays. */
	free(malloc(4096));
	holdings_take(&held);
	if (has_rings)
		open_rings(&r);
	if (refuse_call(refusal->nr, refusal->err) < 0) {
		printf("no seccomp filter can be installed here\n");
		fflush(stdout);
		return CHILD_SKIP;
	}
	for (i = 0; i < refusal->nr_rows; i++)
		check_row(&r, &refusal->rows[i], has_rings);
	if (has_rings) {
		io_uring_queue_exit(&r.ring);
		io_uring_queue_exit(&r.other);
	}
	holdings_same(&held);
	return 0;
}

static void each_function_says_so(void **state)
{
	const struct refusal *refusal = *state;
	const char *name;
	int err;

	name = refused_ring_call(&err);
	if (name && refusal->nr != __NR_io_uring_setup)
		skip_because("the kernel refuses %s: %s", name, strerror(err));
	in_child(check_refusal, (void *)(uintptr_t)refusal);
}

static bool is_covered(const char *function)
{
	unsigned i, k;

	for (i = 0; i < ARRAY_LEN(refusals); i++)
		for (k = 0; k < refusals[i].nr_rows; k++)
			if (!strcmp(refusals[i].rows[k].name, function))
				return true;
	for (i = 0; i < ARRAY_LEN(other_functions); i++)
		if (!strcmp(other_functions[i], function))
			return true;
	return false;
}

static void every_function_is_here(void **state)
{
	api_list_check(is_covered, "is not refused anything");
}

int main(void)
{
	struct CMUnitTest tests[ARRAY_LEN(refusals) + 1] = { 0 };
	unsigned i;

	for (i = 0; i < ARRAY_LEN(refusals); i++) {
		tests[i].name = refusals[i].name;
		tests[i].test_func = each_function_says_so;
		tests[i].setup_func = time_limit_start;
		tests[i].teardown_func = time_limit_stop;
		tests[i].initial_state = (void *)(uintptr_t)&refusals[i];
	}
	tests[i] = (struct CMUnitTest)cmocka_unit_test(every_function_is_here);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
