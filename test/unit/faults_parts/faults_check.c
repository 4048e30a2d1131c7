/* SPDX-License-Identifier: MIT */
/*
 * A scenario with one or two of its calls failing: what has to come back, what has
 * to be as before, and that the next try works.
 */
#include "faults.h"

#ifdef __GLIBC__
#if __GLIBC_PREREQ(2, 33)
#include <malloc.h>
#define HEAP_IN_USE() mallinfo2().uordblks
#endif
#endif

#define MAX_FAULTS 2
#define MAX_CALLS 32
#define ERRNO_BEFORE 4711

struct fault {
	unsigned nth;
	long nr;
	int err;
};

static const int setup_errs[] = {
	ENOSYS, EPERM,  EACCES,    ENOMEM, EMFILE,     ENFILE, EFAULT,
	EBUSY,  EINVAL, EOVERFLOW, EBADF,  EOPNOTSUPP, 0,
};
static const int enter_errs[] = {
	EAGAIN, EBUSY,  EBADR, EBADF,      EBADFD,     EEXIST, EFAULT, EINTR,
	EINVAL, ENOMEM, ENXIO, EOPNOTSUPP, EOWNERDEAD, EPERM,  ENOSYS, 0,
};
static const int register_errs[] = {
	EACCES,     EBADF,     EBADFD, EBUSY,  EEXIST, EFAULT, EINVAL, EMFILE, ENOMEM,   ENXIO,
	EOPNOTSUPP, EOVERFLOW, EPERM,  ENOENT, EINTR,  ENOSYS, ETIME,  ENOSPC, EALREADY, 0,
};
static const int mmap_errs[] = { ENOMEM, EAGAIN, EPERM, EACCES, ENODEV, EBADF, EINVAL, 0 };
static const int munmap_errs[] = { ENOMEM, 0 };
static const int madvise_errs[] = { ENOMEM, EINVAL, EAGAIN, 0 };
static const int close_errs[] = { EINTR, EIO, ENOSPC, 0 };
static const int rlimit_errs[] = { EPERM, EINVAL, EFAULT, 0 };

static const int *errs_of(long nr)
{
	switch (nr) {
	case __NR_io_uring_setup:
		return setup_errs;
	case __NR_io_uring_enter:
		return enter_errs;
	case __NR_io_uring_register:
		return register_errs;
	case NR_MMAP:
		return mmap_errs;
	case __NR_munmap:
		return munmap_errs;
	case __NR_madvise:
		return madvise_errs;
	case __NR_close:
		return close_errs;
	case __NR_prlimit64:
		return rlimit_errs;
	default:
		fail_msg("call %ld", nr);
		return NULL;
	}
}

/* One run: the row, its faults, and what it was before. */
struct run {
	const struct fault_row *row;
	const struct fault *faults;
	unsigned nr_faults;
	struct fault_ctx c;
	struct fault_ctx before;
	unsigned sq_head, sq_tail, sq_flags, cq_head, cq_tail;
	uint64_t nofile_soft;
	unsigned nr_held;
	long calls[MAX_CALLS]; /* numbers of the calls that were made */
	unsigned nr_calls;
};

static void fail_run(const struct run *run, const char *what, long is, long expected)
{
	unsigned i;

	for (i = 0; i < run->nr_faults; i++)
		print_error("call %u, of number %ld, fails with %d\n", run->faults[i].nth,
			    run->faults[i].nr, run->faults[i].err);
	fail_msg("%s (%s): %s: %ld and not %ld", run->row->name, run->row->variant, what, is,
		 expected);
}

#define check_equal(run, what, is, expected)                               \
	do {                                                               \
		if ((long)(is) != (long)(expected))                        \
			fail_run(run, what, (long)(is), (long)(expected)); \
	} while (0)

static unsigned opcode_of(const struct fake_call *call)
{
	return (unsigned)call->args[1] & ~(unsigned)IORING_REGISTER_USE_REGISTERED_RING;
}

/* Whether the failing call leaves what it was to give back, and nobody asks again. */
static bool leaves_something(const struct run *run, const struct fake_call *call)
{
	return call->nr == __NR_munmap ||
	       ((run->row->traits & FAULTS_NEVER_FAILS) && call->nr == __NR_io_uring_register &&
		opcode_of(call) == IORING_UNREGISTER_RING_FDS);
}

/*
 * Whether the library asks again, differently, after this failure. A set-up that is
 * refused as invalid is tried without a flag, whichever of its calls said so.
 */
static bool may_be_retried(const struct run *run, long nr, int err)
{
	if (nr == __NR_io_uring_setup || nr == NR_MMAP)
		return err == EINVAL;
	return (run->row->traits & FAULTS_RETRIES) && nr == __NR_io_uring_register && err == EMFILE;
}

/* The call in which it then asks, if it does. */
static const struct fake_call *next_try(const struct run *run, unsigned after)
{
	bool registers = fake_call(-1, after)->nr == __NR_io_uring_register;
	const struct fake_call *call;
	unsigned i;

	for (i = after + 1; i < run->nr_calls; i++) {
		call = fake_call(-1, i);
		if (registers ? call->nr == __NR_io_uring_register :
				call->nr == __NR_io_uring_setup || call->nr == NR_MMAP)
			return call;
	}
	return NULL;
}

/*
 * What the function has to return; *decider is the fault that says so, or the
 * number of them where none does.
 */
static long expected_result(const struct run *run, unsigned *decider)
{
	const struct fake_call *again;
	unsigned i;

	*decider = run->nr_faults;
	if (run->row->traits & FAULTS_NEVER_FAILS)
		return run->row->good;
	for (i = 0; i < run->nr_faults; i++) {
		const struct fault *fault = &run->faults[i];

		if (fault->nr == __NR_munmap || fault->nr == __NR_close)
			continue;
		again = NULL;
		if (may_be_retried(run, fault->nr, fault->err))
			again = next_try(run, fault->nth - 1);
		if (again && again->ret >= 0)
			continue;
		*decider = i;
		if (run->row->traits & FAULTS_SAYS_NULL)
			return FAULTS_NULL;
		/* Without a higher limit the first answer stands. */
		if (fault->nr == __NR_prlimit64)
			return -EMFILE;
		return again ? again->ret : -fault->err;
	}
	return run->row->good;
}

/* Once the kernel has swapped the rings of a resize there is no way back. */
static bool is_past_return(const struct run *run)
{
	const struct fake_call *call;
	unsigned i;

	for (i = 0; i < run->nr_calls; i++) {
		call = fake_call(-1, i);
		if (call->nr == __NR_io_uring_register &&
		    opcode_of(call) == IORING_REGISTER_RESIZE_RINGS && call->ret >= 0)
			return true;
	}
	return false;
}

static void check_ring(const struct run *run)
{
	struct io_uring ring = run->c.ring;
	const struct io_uring *before = &run->before.ring;

	if (run->row->traits & FAULTS_MAKES_RING) {
		check_equal(run, "ring_fd", ring.ring_fd, -1);
		check_equal(run, "enter_ring_fd", ring.enter_ring_fd, -1);
		check_equal(run, "the memory of the ring is there",
			    ring.sq.ring_ptr || ring.cq.ring_ptr || ring.sq.sqes, 0);
		return;
	}
	if (!run->c.has_ring)
		return;
	check_equal(run, "the kernel's SQ head", *ring.sq.khead, run->sq_head);
	check_equal(run, "the SQ's flags", *ring.sq.kflags, run->sq_flags);
	check_equal(run, "the CQ's head", *ring.cq.khead, run->cq_head);
	check_equal(run, "the CQ's tail", *ring.cq.ktail, run->cq_tail);
	if (run->row->traits & FAULTS_SUBMITS) {
		ring.sq.sqe_head = before->sq.sqe_head;
		ring.sq.tail_limit = before->sq.tail_limit;
	} else {
		check_equal(run, "the SQ's tail", *ring.sq.ktail, run->sq_tail);
	}
	check_equal(run, "the ring differs", memcmp(&ring, before, sizeof(ring)) != 0, 0);
	check_equal(run, "the other ring differs",
		    memcmp(&run->c.other, &run->before.other, sizeof(ring)) != 0, 0);
	/* Unless it was setting it back that failed. */
	if (run->faults[run->nr_faults - 1].nr != __NR_prlimit64)
		check_equal(run, "the limit of files", fake.nofile_soft, run->nofile_soft);
}

static void prepare(struct run *run)
{
	struct fault_ctx *c = &run->c;

	fake_boot();
	memset(c, 0, sizeof(*c));
	c->fd = -1;
	run->row->prepare(c);
	c->cqe = POISON;
	/* What a failed set-up leaves must come from it. */
	if (run->row->traits & FAULTS_MAKES_RING)
		memset(&c->ring, 0xff, sizeof(c->ring));
	if (c->has_ring) {
		run->sq_head = *c->ring.sq.khead;
		run->sq_tail = *c->ring.sq.ktail;
		run->sq_flags = *c->ring.sq.kflags;
		run->cq_head = *c->ring.cq.khead;
		run->cq_tail = *c->ring.cq.ktail;
	}
	run->nofile_soft = fake.nofile_soft;
	run->nr_held = fake_nr_leaks();
	run->before = *c;
	fake_forget();
}

static long call(struct run *run)
{
	long ret;

	errno = ERRNO_BEFORE;
	ret = run->row->call(&run->c);
	check_equal(run, "errno", errno, ERRNO_BEFORE);
	return ret;
}

/* The call with its faults, and what they leave that nobody can take back. */
static long call_with_faults(struct run *run, unsigned *nr_left)
{
	unsigned i;
	long ret;

	for (i = 0; i < run->nr_faults; i++)
		fake_fail(-1, run->faults[i].nth, run->faults[i].err);
	ret = call(run);
	fake_fail_never();
	check_equal(run, "failed calls", fake.nr_faults_hit, run->nr_faults);
	run->nr_calls = fake_nr(-1);
	check_equal(run, "calls", run->nr_calls <= MAX_CALLS, true);
	for (i = 0; i < run->nr_calls; i++)
		run->calls[i] = fake_call(-1, i)->nr;
	*nr_left = 0;
	for (i = 0; i < run->nr_faults; i++)
		*nr_left += leaves_something(run, fake_call(-1, run->faults[i].nth - 1));
	return ret;
}

static void check_run(struct run *run)
{
	const struct fault_row *row = run->row;
	bool past_return, cleanup_failed;
	unsigned nr_left, decider;
	long ret, expected;

	prepare(run);
	ret = call_with_faults(run, &nr_left);
	expected = expected_result(run, &decider);
	check_equal(run, "the result", ret, expected);
	if (row->traits & FAULTS_NO_CALLS)
		check_equal(run, "calls", run->nr_calls, 0);
	if (decider < run->nr_faults) {
		past_return = is_past_return(run);
		check_equal(run, "what is held", fake_nr_leaks(), run->nr_held + nr_left);
		if (row->traits & FAULTS_GIVES_CQE)
			check_equal(run, "the CQE", (uintptr_t)run->c.cqe, 0);
		if (!past_return)
			check_ring(run);
		/* What could not be given back may be in the way of the next try. */
		cleanup_failed = decider + 1 < run->nr_faults &&
				 run->faults[decider + 1].nr == __NR_io_uring_register;
		if (!past_return && !cleanup_failed) {
			ret = call(run);
			check_equal(run, "the next result", ret, row->good);
		}
	}
	if (row->undo && ret == row->good)
		row->undo(&run->c);
	if (run->c.has_ring)
		io_uring_queue_exit(&run->c.ring);
	if (run->c.has_other)
		io_uring_queue_exit(&run->c.other);
	check_equal(run, "what is held at the end", fake_nr_leaks(), nr_left);
	check_equal(run, "wrong calls", fake.nr_wrong, 0);
}

/* Bytes that malloc has handed out, where that can be asked. */
static size_t heap_in_use(void)
{
#ifdef HEAP_IN_USE
	return HEAP_IN_USE();
#else
	return 0;
#endif
}

/* Each call after the last that fails, with each errno; then the next, with that one failed. */
static unsigned explore(const struct fault_row *row, const struct fault *given, unsigned nr_given)
{
	struct fault faults[MAX_FAULTS];
	struct run run = { .row = row, .faults = faults, .nr_faults = nr_given };
	unsigned nth, nr = nr_given;
	size_t heap;
	const int *err;

	if (nr_given)
		memcpy(faults, given, nr_given * sizeof(*faults));
	check_run(&run);
	/* Where it allocates: once more, now that malloc has its caches filled. */
	if (row->traits & FAULTS_SAYS_NULL) {
		fake_boot();
		heap = heap_in_use();
		check_run(&run);
		fake_boot();
		check_equal(&run, "bytes of malloc's in use", heap_in_use(), heap);
	}
	if (nr_given == MAX_FAULTS)
		return nr;
	for (nth = nr_given ? faults[nr_given - 1].nth + 1 : 1; nth <= run.nr_calls; nth++)
		for (err = errs_of(run.calls[nth - 1]); *err; err++) {
			faults[nr_given] = (struct fault){ nth, run.calls[nth - 1], *err };
			nr += explore(row, faults, nr_given + 1);
		}
	return nr;
}

unsigned faults_check_row(const struct fault_row *row)
{
	return explore(row, NULL, 0);
}
