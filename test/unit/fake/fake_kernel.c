/* SPDX-License-Identifier: MIT */
/*
 * The fake kernel's state, its log, the faults it was told to make, and the way
 * from a system call to the part that answers it.
 */
#include "fake_private.h"
#include "syscall.h"

#include <asm/unistd.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define NR_FAULTS 8
#define NR_STEPS 64

struct fault {
	long nr;
	unsigned countdown;	/* 0: unused */
	int err;
};

struct rlimit64_arg {
	uint64_t soft;
	uint64_t hard;
};

struct fake_kernel fake;

/* No program on it asks for rings of the real one (test.h). */
extern const char test_needs_no_rings;
const char test_needs_no_rings = 1;

static struct fake_call calls[FAKE_NR_LOGGED];
static unsigned log_start;
static struct fault faults[NR_FAULTS];
static struct fake_step steps[NR_STEPS];
static unsigned step_head, step_tail;

void fake_boot(void)
{
	unsigned i;

	fake_drop_registered();
	for (i = 0; i < FAKE_NR_RINGS; i++)
		fake_ring_free(&fake_rings[i]);
	fake_drop_mappings();
	memset(faults, 0, sizeof(faults));
	step_head = step_tail = 0;
	log_start = 0;

	fake = (struct fake_kernel){
		.features = (IORING_FEAT_NO_IOWAIT << 1) - 1,
		.setup_flags = (IORING_SETUP_SQ_REWIND << 1) - 1,
		.has_cq_flags = true,
		.resize_keeps_array_off = true,
		.clears_app_mem = true,
		.last_op = IORING_OP_LAST - 1,
		.page_sz = (size_t)sysconf(_SC_PAGESIZE),
		.nr_huge_pages = 8,
		.nofile_soft = 1024,
		.nofile_hard = 4096,
		.due_ns = FAKE_IN_WAIT,
		.now_ns = 1000000000,
	};
}

void fake_be_old(void)
{
	fake.features = 0;
	fake.setup_flags = IORING_SETUP_IOPOLL | IORING_SETUP_SQPOLL | IORING_SETUP_SQ_AFF;
	fake.layout = FAKE_LAYOUT_SPLIT;
	fake.has_cq_flags = false;
	fake.last_op = IORING_OP_TIMEOUT;
}

void fake_wrong(const char *format, ...)
{
	va_list ap;

	fake.nr_wrong++;
	fprintf(stderr, "fake kernel: ");
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fprintf(stderr, "\n");
}

static unsigned report_leaks(bool quiet)
{
	unsigned nr = fake_report_mappings(quiet) + fake_report_registered(quiet);
	unsigned i;

	for (i = 0; i < FAKE_NR_RINGS; i++) {
		if (!fake_rings[i].used || fake_rings[i].fd == -1)
			continue;
		nr++;
		if (!quiet)
			fprintf(stderr, "fake kernel: descriptor %d is open\n", fake_rings[i].fd);
	}
	return nr;
}

unsigned fake_nr_leaks(void)
{
	return report_leaks(true);
}

unsigned fake_check(void)
{
	unsigned nr_steps = step_tail - step_head;

	if (nr_steps)
		fprintf(stderr, "fake kernel: %u enters were expected and not made\n", nr_steps);
	return fake.nr_wrong + report_leaks(false) + nr_steps;
}

void fake_fail(long nr, unsigned nth, int err)
{
	unsigned i;

	for (i = 0; i < NR_FAULTS; i++) {
		if (faults[i].countdown)
			continue;
		faults[i] = (struct fault){ .nr = nr, .countdown = nth, .err = err };
		return;
	}
	fake_wrong("too many faults");
}

void fake_fail_never(void)
{
	memset(faults, 0, sizeof(faults));
}

/* The errno that the call has to fail with, or 0. */
static int take_fault(long nr)
{
	int err = 0;
	unsigned i;

	for (i = 0; i < NR_FAULTS; i++) {
		if (!faults[i].countdown || (faults[i].nr != -1 && faults[i].nr != nr))
			continue;
		if (!--faults[i].countdown && !err) {
			err = faults[i].err;
			fake.nr_faults_hit++;
		}
	}
	return err;
}

void fake_next_enter(struct fake_step step)
{
	if (step_tail - step_head == NR_STEPS) {
		fake_wrong("too many steps");
		return;
	}
	steps[step_tail++ % NR_STEPS] = step;
}

bool fake_take_step(struct fake_step *step)
{
	if (step_head == step_tail)
		return false;
	*step = steps[step_head++ % NR_STEPS];
	return true;
}

/* The oldest call that is still in the log. */
static unsigned log_begin(void)
{
	if (fake.nr_calls - log_start > FAKE_NR_LOGGED)
		return fake.nr_calls - FAKE_NR_LOGGED;
	return log_start;
}

unsigned fake_nr(long nr)
{
	unsigned i, count = 0;

	for (i = log_begin(); i != fake.nr_calls; i++)
		count += nr == -1 || calls[i % FAKE_NR_LOGGED].nr == nr;
	return count;
}

const struct fake_call *fake_call(long nr, unsigned idx)
{
	static const struct fake_call none = { .nr = -1, .timeout_ns = -1 };
	unsigned i;

	for (i = log_begin(); i != fake.nr_calls; i++)
		if ((nr == -1 || calls[i % FAKE_NR_LOGGED].nr == nr) && !idx--)
			return &calls[i % FAKE_NR_LOGGED];
	fake_wrong("a call of number %ld was expected and not made", nr);
	return &none;
}

void fake_forget(void)
{
	log_start = fake.nr_calls;
	fake.nr_clock_reads = 0;
}

static long get_time(struct __kernel_timespec *ts)
{
	ts->tv_sec = fake.now_ns / 1000000000;
	ts->tv_nsec = fake.now_ns % 1000000000;
	return 0;
}

static long do_rlimit(long pid, long resource, const struct rlimit64_arg *new_limit,
		      struct rlimit64_arg *old_limit)
{
	if (pid || resource != RLIMIT_NOFILE) {
		fake_wrong("limit %ld of process %ld was asked for", resource, pid);
		return -EINVAL;
	}
	if (old_limit)
		*old_limit = (struct rlimit64_arg){ fake.nofile_soft, fake.nofile_hard };
	if (!new_limit)
		return 0;
	if (new_limit->soft > new_limit->hard)
		return -EINVAL;
	if (new_limit->hard > fake.nofile_hard)
		return -EPERM;
	fake.nofile_soft = new_limit->soft;
	fake.nofile_hard = new_limit->hard;
	return 0;
}

static long dispatch(struct fake_call *call)
{
	const long *args = call->args;

	switch (call->nr) {
	case __NR_io_uring_setup:
		return fake_setup((unsigned)args[0], (struct io_uring_params *)args[1]);
	case __NR_io_uring_enter:
		return fake_enter(call);
	case __NR_io_uring_register:
		return fake_register((int)args[0], (unsigned)args[1], (void *)args[2],
				     (unsigned)args[3]);
#ifdef __NR_mmap2
	case __NR_mmap2:
		return fake_mmap((uintptr_t)args[0], (size_t)args[1], (int)args[2], (int)args[3],
				 (int)args[4], (uint64_t)(unsigned long)args[5] << 12);
#else
	case __NR_mmap:
		return fake_mmap((uintptr_t)args[0], (size_t)args[1], (int)args[2], (int)args[3],
				 (int)args[4], (uint64_t)args[5]);
#endif
	case __NR_munmap:
		return fake_munmap((uintptr_t)args[0], (size_t)args[1]);
	case __NR_madvise:
		return fake_madvise((uintptr_t)args[0], (size_t)args[1], (int)args[2]);
	case __NR_close:
		return fake_close((int)args[0]);
	case __NR_prlimit64:
		return do_rlimit(args[0], args[1], (const struct rlimit64_arg *)args[2],
				 (struct rlimit64_arg *)args[3]);
	default:
		fake_wrong("unknown system call %ld", call->nr);
		return -ENOSYS;
	}
}

static bool is_clock(long nr)
{
#ifdef __NR_clock_gettime64
	return nr == __NR_clock_gettime64;
#else
	return nr == __NR_clock_gettime;
#endif
}

long iou_fake_syscall(long nr, long a, long b, long c, long d, long e, long f)
{
	struct fake_call *call = &calls[fake.nr_calls % FAKE_NR_LOGGED];
	int saved_errno = errno;
	int err;

	if (nr == __NR_gettid)
		return syscall(nr);
	if (is_clock(nr)) {
		fake.nr_clock_reads++;
		return get_time((struct __kernel_timespec *)b);
	}
	if (nr == __NR_madvise && !b && c == MADV_NORMAL)
		return (uintptr_t)a % fake.page_sz ? -EINVAL : 0;

	fake.nr_calls++;
	*call = (struct fake_call){
		.nr = nr, .args = { a, b, c, d, e, f }, .timeout_ns = -1
	};
	err = take_fault(nr);
	if (err && nr == __NR_close)
		fake_close((int)a);	/* the kernel closes in any case */
	call->ret = err ? -err : dispatch(call);
	errno = saved_errno;
	return call->ret;
}
