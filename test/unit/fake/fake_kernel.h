/* SPDX-License-Identifier: MIT */
/*
 * A kernel in ordinary memory, for tests of the library's own logic.
 *
 * It answers the system calls that the library makes: the three of io_uring, and
 * mmap, munmap, madvise, close, prlimit64 and clock_gettime. By itself it behaves
 * as a sane and recent kernel with a clock that moves only when somebody waits.
 * A test makes it older (features, setup_flags, layout), tells it what the next
 * enters do (fake_next_enter), lets calls fail (fake_fail), completes requests by
 * hand, and looks at the calls that were made. What no correct library does (an
 * unmap of a wrong length, a close of a foreign descriptor, an index array that
 * is not in order, a wait that nothing can end) is counted and printed, and so is
 * what is left over; fake_check returns the sum.
 *
 * One thread at a time.
 */
#ifndef FAKE_KERNEL_H
#define FAKE_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <liburing.h>

#define FAKE_ALL UINT32_MAX
#define FAKE_NR_LOGGED 1024
#define FAKE_NR_TAKEN 64

/* Where the words of a ring lie. */
enum fake_layout {
	FAKE_LAYOUT_64,		/* CQEs at 64: kernels from 5.18 or so */
	FAKE_LAYOUT_320,	/* each index in its own cache line, CQEs at 320 */
	FAKE_LAYOUT_SPLIT,	/* SQ and CQ ring apart, no CQ flags: before 5.4 */
	FAKE_LAYOUT_4096,	/* a header of a whole page, as no kernel has it yet */
};

/* When a request completes: at this time of the clock, within a wait; or */
#define FAKE_AT_SUBMIT (-1)	/* during the submission */
#define FAKE_IN_WAIT 0		/* in the first wait that needs it */
#define FAKE_NEVER INT64_MAX	/* when the test says so */

/* A request that the kernel took. */
struct fake_req {
	uint64_t user_data;
	int64_t due_ns;
	int res;
	unsigned cqe_flags;
	__u8 opcode;
	__u8 sqe_flags;
	unsigned count_target;	/* of a timeout: the CQE count that ends it */
	bool counts;
};

struct fake_cqe {
	uint64_t user_data;
	int res;
	unsigned flags;
};

struct fake_cqe_list {
	struct fake_cqe *cqes;
	unsigned nr;
	unsigned max;
};

/* Memory that a program can map: the kernel has a mapping of its own. */
struct fake_region {
	int memfd;
	size_t sz;
	char *mem;
};

struct fake_ring {
	bool used;
	int fd;			/* -1: closed */
	int nr_registered;	/* registered indexes that hold it */
	bool disabled;
	unsigned flags;
	unsigned features;
	unsigned sq_entries;
	unsigned cq_entries;
	struct fake_region sq_region;	/* both rings, or the SQ alone */
	struct fake_region cq_region;
	struct fake_region sqe_region;

	/* The shared words, as the kernel sees them. */
	unsigned *sq_head, *sq_tail, *sq_flags, *sq_dropped, *sq_array;
	unsigned *cq_head, *cq_tail, *cq_flags, *cq_overflow;
	struct io_uring_sqe *sqes;
	struct io_uring_cqe *cqes;

	unsigned nr_taken;	/* SQEs consumed so far */
	struct io_uring_sqe taken[FAKE_NR_TAKEN][2];	/* the last of them */
	unsigned nr_posted;	/* CQEs posted so far, fillers not counted */
	unsigned nr_timeouts;	/* of them, of timeouts */
	struct fake_req *reqs;	/* in flight, oldest first */
	unsigned nr_reqs;
	unsigned max_reqs;
	struct fake_cqe_list overflow;
	struct fake_cqe_list task_work;
	const struct io_uring_reg_wait *wait_args;
	size_t wait_args_sz;
};

/* One system call. For an enter also what its argument said. */
struct fake_call {
	long nr;
	long args[6];
	long ret;
	bool has_ext_arg;
	struct io_uring_getevents_arg ext_arg;
	int64_t timeout_ns;	/* -1: none */
};

/* What one enter does instead of the usual. All zero is the usual. */
struct fake_step {
	int err;		/* fails with this errno, and does nothing else */
	unsigned leave;		/* so many SQEs are not taken; FAKE_ALL: none is */
	int64_t advance_ns;	/* time passes */
	void (*then)(struct fake_ring *ring);	/* after the submission, before the wait */
	int wait_err;		/* the wait ends at once: EINTR, ETIME, ... */
	bool early;		/* the wait ends at once, without an error */
};

struct fake_kernel {
	/* What kind of kernel it is: set before a ring is made. */
	unsigned features;
	unsigned setup_flags;
	enum fake_layout layout;
	bool has_cq_flags;
	bool resize_keeps_array_off;	/* a resize leaves sq_off.array as it was passed */
	bool clears_app_mem;		/* the header of a ring in the program's memory */
	unsigned start_idx;		/* of heads and tails */
	unsigned last_op;		/* for the probe */
	size_t page_sz;
	unsigned nr_huge_pages;
	uint64_t nofile_soft;
	uint64_t nofile_hard;

	/* What becomes of requests. */
	int64_t due_ns;			/* of each, unless on_sqe says otherwise */
	void (*on_sqe)(struct fake_ring *ring, const struct io_uring_sqe *sqe,
		       struct fake_req *req);
	/* Answers a register call; false: the usual way. */
	bool (*on_register)(struct fake_ring *ring, unsigned opcode, void *arg, unsigned nr_args,
			    long *ret);
	/* Says what an enter without a step of its own does. */
	void (*on_enter)(struct fake_ring *ring, const struct fake_call *call,
			 struct fake_step *step);
	/* Is told of each CQE, fillers included, when the ring shows it. */
	void (*on_cqe)(struct fake_ring *ring, const struct fake_cqe *cqe, unsigned nr_slots);

	/* What happened. */
	int64_t now_ns;
	struct fake_ring *ring;		/* the newest */
	unsigned nr_calls;
	unsigned nr_clock_reads;	/* since fake_forget; not among the calls */
	unsigned nr_faults_hit;
	unsigned nr_wrong;		/* things that no correct library does */
};

extern struct fake_kernel fake;

/*
 * fake_boot - forget everything, and be a recent kernel again.
 *
 * Whatever the previous one still held is given back.
 */
void fake_boot(void);

/* fake_be_old - a kernel as of 5.1: three flags, no features, rings apart. */
void fake_be_old(void);

/*
 * fake_check - the number of wrong calls since the boot, of descriptors,
 * mappings and huge pages that are left, and of steps that no enter came to.
 */
unsigned fake_check(void);

/* fake_nr_leaks - descriptors, registered indexes and mappings that are left. */
unsigned fake_nr_leaks(void);

/*
 * fake_fail - the nth call (from 1) from here on with this number fails with err.
 *
 * Number -1 stands for any call. What the library asks without being able to
 * fail is not counted: the time, and whether an address is page-aligned.
 */
void fake_fail(long nr, unsigned nth, int err);

/* fake_fail_never - drop the faults that were not hit. */
void fake_fail_never(void);

/* fake_next_enter - what the next enter without a step of its own does. */
void fake_next_enter(struct fake_step step);

/* fake_nr - how many calls with this number were made since fake_forget. */
unsigned fake_nr(long nr);

/* fake_call - call idx (from 0) with this number since fake_forget. */
const struct fake_call *fake_call(long nr, unsigned idx);

/* fake_forget - start counting and logging anew. */
void fake_forget(void);

/* fake_wrong - count and print a mistake of the library's or the test's. */
void fake_wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* fake_is_mapped - whether all of this memory was mapped by the library, and still is. */
bool fake_is_mapped(const void *ptr, size_t sz);

/* fake_is_dontfork - whether MADV_DONTFORK was said of the mapping that starts there. */
bool fake_is_dontfork(const void *ptr);

/*
 * fake_post - a CQE, now. Where there is no room the kernel keeps it, and says
 * so. IORING_CQE_F_32 makes it a big one on a mixed ring. The second half of a
 * big CQE is ~user_data, twice.
 */
void fake_post(struct fake_ring *ring, uint64_t user_data, int res, unsigned flags);

/* fake_post_skip - a filler of one slot, as a mixed ring has them. */
void fake_post_skip(struct fake_ring *ring);

/* fake_defer - a CQE that an enter has to bring in: deferred task work. */
void fake_defer(struct fake_ring *ring, uint64_t user_data, int res);

/* fake_complete - end the oldest request in flight that has this user_data. */
bool fake_complete(struct fake_ring *ring, uint64_t user_data, int res);

/* fake_sq_thread_run - the polling thread takes up to nr SQEs. Returns how many. */
unsigned fake_sq_thread_run(struct fake_ring *ring, unsigned nr);

/* fake_sq_thread_sleep - the polling thread goes to sleep: IORING_SQ_NEED_WAKEUP. */
void fake_sq_thread_sleep(struct fake_ring *ring);

/* fake_taken - the SQE that the kernel consumed as its nth, from 0; of the last 64. */
const struct io_uring_sqe *fake_taken(const struct fake_ring *ring, unsigned nth);

/* fake_find_ring - the ring of a descriptor or a registered index; NULL without one. */
struct fake_ring *fake_find_ring(long fd, bool registered);

#endif
