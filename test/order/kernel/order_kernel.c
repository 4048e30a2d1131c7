/* SPDX-License-Identifier: MIT */
#include "order_kernel.h"
#include "process.h"
#include "syscall.h"

#include <asm/unistd.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RINGS_SZ 4096
#define RING_FD 1000

/* Where the words are, from the start of the rings on. */
enum {
	SQ_HEAD = 0, SQ_TAIL = 128, SQ_FLAGS = 256, CQ_HEAD = 384, CQ_TAIL = 512,
	CQ_FLAGS = 640, NEVER_CHANGED = 768, CQES = 1024,
};

struct order_kernel order;

static char *memory;
static size_t memory_sz;
static pthread_t thread;
static bool thread_runs;

#define relaxed_load(p) __atomic_load_n((p), __ATOMIC_RELAXED)

/* The kernel's thread */

static struct io_uring_cqe *cqe_at(unsigned pos)
{
	unsigned shift = !!(order.flags & IORING_SETUP_CQE32);

	return &order.cqes[(size_t)(pos & (order.cq_entries - 1)) << shift];
}

unsigned order_take(unsigned max, void (*see)(const struct io_uring_sqe *sqe))
{
	unsigned shift = !!(order.flags & IORING_SETUP_SQE128);
	bool polls = order.flags & IORING_SETUP_SQPOLL;
	unsigned head = *order.sq_head, nr_asked = relaxed_load(&order.nr_asked), tail, nr, i;

	/* Acquire: the SQEs were written before the tail moved. */
	do {
		tail = __atomic_load_n(order.sq_tail, __ATOMIC_ACQUIRE);
	} while (!polls && (int)(tail - nr_asked) < 0 && !order_stopped());
	nr = (polls ? tail : nr_asked) - head;
	order_check(nr <= order.sq_entries);
	if (nr > max)
		nr = max;
	for (i = head; i != head + nr; i++)
		see(&order.sqes[(size_t)(i & (order.sq_entries - 1)) << shift]);
	/* What this thread stands for has read the head in the program just now. */
	__atomic_load_n(&order.nr_asked, __ATOMIC_ACQUIRE);
	/* Release: they have been read before they may be written again. */
	if (nr)
		__atomic_store_n(order.sq_head, head + nr, __ATOMIC_RELEASE);
	return nr;
}

static bool post(__u64 user_data, int res, unsigned flags, bool is_double)
{
	unsigned tail = *order.cq_tail;
	/* Acquire: what is released was read before. */
	unsigned nr_used = tail - __atomic_load_n(order.cq_head, __ATOMIC_ACQUIRE);
	bool straddles = is_double && (tail & (order.cq_entries - 1)) == order.cq_entries - 1;
	unsigned nr = 1U + is_double + straddles;
	struct io_uring_cqe *cqe = cqe_at(tail);

	order_check(nr_used <= order.cq_entries);
	if (order.cq_entries - nr_used < nr)
		return false;
	if (straddles) {
		cqe->flags = IORING_CQE_F_SKIP;
		cqe = cqe_at(tail + 1);
	}
	cqe->user_data = user_data;
	cqe->res = res;
	cqe->flags = flags;
	if (is_double || (order.flags & IORING_SETUP_CQE32))
		cqe->big_cqe[0] = cqe->big_cqe[1] = ~user_data;
	/* Release: the CQE is written before it is shown. */
	__atomic_store_n(order.cq_tail, tail + nr, __ATOMIC_RELEASE);
	return true;
}

bool order_post(__u64 user_data, int res, unsigned flags)
{
	return post(user_data, res, flags, false);
}

bool order_post_big(__u64 user_data, int res, unsigned flags)
{
	return post(user_data, res, flags | IORING_CQE_F_32, true);
}

void order_set_flag(unsigned flag, bool on)
{
	if (on)
		__atomic_fetch_or(order.sq_flags, flag, __ATOMIC_RELAXED);
	else
		__atomic_fetch_and(order.sq_flags, ~flag, __ATOMIC_RELAXED);
}

void order_check(bool right)
{
	if (!right)
		__atomic_fetch_add(&order.nr_wrong, 1, __ATOMIC_RELAXED);
}

bool order_stopped(void)
{
	return relaxed_load(&order.stop);
}

void order_pause(void)
{
	static __thread unsigned nr;

	if (++nr % 64 == 0)
		sched_yield();
}

static void *thread_run(void *arg)
{
	void (*run)(void) = *(void (**)(void))arg;

	run();
	return NULL;
}

/* The system calls, in the thread that makes them */

static long do_setup(unsigned entries, struct io_uring_params *p)
{
	char *rings = (char *)(uintptr_t)p->cq_off.user_addr;
	unsigned *never_changed = (unsigned *)(rings + NEVER_CHANGED);

	p->sq_entries = entries;
	p->features = order.features;
	p->sq_off.head = SQ_HEAD;
	p->sq_off.tail = SQ_TAIL;
	p->sq_off.flags = SQ_FLAGS;
	p->sq_off.ring_mask = NEVER_CHANGED;
	p->sq_off.ring_entries = NEVER_CHANGED + 4;
	p->sq_off.dropped = NEVER_CHANGED + 8;
	p->cq_off.head = CQ_HEAD;
	p->cq_off.tail = CQ_TAIL;
	p->cq_off.flags = CQ_FLAGS;
	p->cq_off.ring_mask = NEVER_CHANGED + 12;
	p->cq_off.ring_entries = NEVER_CHANGED + 16;
	p->cq_off.overflow = NEVER_CHANGED + 20;
	p->cq_off.cqes = CQES;
	never_changed[0] = entries - 1;
	never_changed[1] = entries;
	never_changed[3] = p->cq_entries - 1;
	never_changed[4] = p->cq_entries;

	order.sq_head = (unsigned *)(rings + SQ_HEAD);
	order.sq_tail = (unsigned *)(rings + SQ_TAIL);
	order.sq_flags = (unsigned *)(rings + SQ_FLAGS);
	order.cq_head = (unsigned *)(rings + CQ_HEAD);
	order.cq_tail = (unsigned *)(rings + CQ_TAIL);
	order.cq_flags = (unsigned *)(rings + CQ_FLAGS);
	order.cqes = (struct io_uring_cqe *)(rings + CQES);
	order.sqes = (struct io_uring_sqe *)(uintptr_t)p->sq_off.user_addr;
	order.sq_entries = entries;
	order.cq_entries = p->cq_entries;
	order.flags = p->flags;
	return RING_FD;
}

/*
 * Where no thread polls, the other thread stands for this one in the kernel: it
 * learns without any order how far to take, acquires what was before the enter only
 * when it has looked at the SQEs, and is done when this returns.
 */
static long do_enter(unsigned to_submit, unsigned min_complete, unsigned flags)
{
	unsigned target;

	if (flags & IORING_ENTER_SQ_WAKEUP)
		__atomic_fetch_add(&order.nr_wakeups, 1, __ATOMIC_RELAXED);
	if (to_submit && !(order.flags & IORING_SETUP_SQPOLL)) {
		target = order.nr_asked + to_submit;
		__atomic_store_n(&order.nr_asked, target, __ATOMIC_RELEASE);
		while (__atomic_load_n(order.sq_head, __ATOMIC_ACQUIRE) != target)
			order_pause();
	}
	while ((flags & IORING_ENTER_SQ_WAIT) &&
	       relaxed_load(order.sq_tail) - relaxed_load(order.sq_head) == order.sq_entries)
		order_pause();
	while ((flags & IORING_ENTER_GETEVENTS) &&
	       relaxed_load(order.cq_tail) - relaxed_load(order.cq_head) < min_complete)
		order_pause();
	return to_submit;
}

long iou_fake_syscall(long nr, long a, long b, long c, long d, long e, long f)
{
	switch (nr) {
	case __NR_io_uring_setup:
		return do_setup((unsigned)a, (struct io_uring_params *)b);
	case __NR_io_uring_enter:
		return do_enter((unsigned)b, (unsigned)c, (unsigned)d);
	case __NR_close:
		return 0;
	default:
		return syscall(nr, a, b, c, d, e, f) < 0 ? -errno : 0;
	}
}

/* The test's thread */

void order_open(struct io_uring *ring, unsigned entries, unsigned cq_entries, unsigned flags,
		unsigned features)
{
	struct io_uring_params p = { .flags = flags | IORING_SETUP_CQSIZE };

	p.cq_entries = cq_entries;
	memory_sz = RINGS_SZ + (size_t)entries * 128 + 4096;
	memory_sz -= memory_sz % 4096;
	memory = aligned_alloc(4096, memory_sz);
	assert_non_null(memory);
	memset(memory, 0, memory_sz);
	memset(&order, 0, sizeof(order));
	order.features = features;
	assert_true(io_uring_queue_init_mem(entries, ring, &p, memory, memory_sz) > 0);
	assert_int_equal(ring->features, features);
}

void order_start(void (*run)(void))
{
	static void (*to_run)(void);

	to_run = run;
	assert_int_equal(pthread_create(&thread, NULL, thread_run, &to_run), 0);
	thread_runs = true;
}

static void thread_end(void)
{
	if (!thread_runs)
		return;
	__atomic_store_n(&order.stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	thread_runs = false;
}

void order_close(struct io_uring *ring)
{
	while (thread_runs && relaxed_load(order.sq_head) != relaxed_load(order.sq_tail))
		order_pause();
	thread_end();
	assert_int_equal(order.nr_wrong, 0);
	io_uring_queue_exit(ring);
}

int order_begin(void **state)
{
	return time_limit_start(state);
}

int order_end(void **state)
{
	thread_end();
	free(memory);
	memory = NULL;
	return time_limit_stop(state);
}
