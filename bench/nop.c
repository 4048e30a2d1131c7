/* SPDX-License-Identifier: MIT */
/*
 * nop - how many NOPs a second go through a ring, by batch and by the calls used,
 * and how far that is from the floor.
 *
 * A NOP does nothing, so that what is measured is the way there and back. The
 * floor is the least that any program can do for the same: SQEs prepared once,
 * the tail stored, one bare system call, the head moved without a look at what
 * completed. Every way takes turns with the floor of a ring with the same flags,
 * and the median of the ratios counts.
 */
#include <liburing.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "common.h"

#define ENTRIES 256
#define MAX_SLICES 301
#define SLICE_NS 200000
#define DEFER (IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN)

/* Newer than the header of some installations that this is built against. */
#define SETUP_NO_SQARRAY (1U << 16)

static __u64 sum;

static void queue_nops(struct io_uring *ring, unsigned nr)
{
	struct io_uring_sqe *sqe;
	unsigned i;

	for (i = 0; i < nr; i++) {
		/* A polling thread may post a CQE before it gives the slot back. */
		while (!(sqe = io_uring_get_sqe(ring))) {
			if (!(ring->flags & IORING_SETUP_SQPOLL))
				die("no free SQE");
			check(io_uring_sqring_wait(ring), "io_uring_sqring_wait");
		}
		io_uring_prep_nop(sqe);
		io_uring_sqe_set_data64(sqe, i);
	}
}

static unsigned reap(struct io_uring *ring)
{
	struct io_uring_cqe *cqe;
	unsigned head, nr = 0;

	io_uring_for_each_cqe (ring, head, cqe) {
		sum += cqe->user_data;
		nr++;
	}
	io_uring_cq_advance(ring, nr);
	return nr;
}

static void check_nr(unsigned nr, unsigned expected)
{
	if (nr != expected)
		die("%u completions instead of %u", nr, expected);
}

static void submit_and_wait(struct io_uring *ring, unsigned batch)
{
	queue_nops(ring, batch);
	check(io_uring_submit_and_wait(ring, batch), "io_uring_submit_and_wait");
	check_nr(reap(ring), batch);
}

static void submit_and_get_events(struct io_uring *ring, unsigned batch)
{
	unsigned nr = 0;

	queue_nops(ring, batch);
	do {
		check(io_uring_submit_and_get_events(ring), "io_uring_submit_and_get_events");
		nr += reap(ring);
	} while (nr < batch);
}

static void submit_then_wait(struct io_uring *ring, unsigned batch)
{
	struct io_uring_cqe *cqe;

	queue_nops(ring, batch);
	check(io_uring_submit(ring), "io_uring_submit");
	check(io_uring_wait_cqe_nr(ring, &cqe, batch), "io_uring_wait_cqe_nr");
	check_nr(reap(ring), batch);
}

static long enter_bare(int fd, unsigned nr)
{
	unsigned flags = IORING_ENTER_GETEVENTS;
	long ret;
#ifdef __x86_64__
	register unsigned long r10 __asm__("r10") = flags;
	register unsigned long r8 __asm__("r8") = 0;
	register unsigned long r9 __asm__("r9") = 0;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(__NR_io_uring_enter), "D"(fd), "S"(nr), "d"(nr), "r"(r10), "r"(r8),
			   "r"(r9)
			 : "rcx", "r11", "memory");
#else
	ret = syscall(__NR_io_uring_enter, fd, nr, nr, flags, NULL, 0);
#endif
	return ret;
}

/* The ring's slots hold NOPs already. */
static void floor_batch(struct io_uring *ring, unsigned batch)
{
	io_uring_smp_store_release(ring->sq.ktail, *ring->sq.ktail + batch);
	if (enter_bare(ring->ring_fd, batch) != batch)
		die("the floor's enter has failed");
	io_uring_smp_store_release(ring->cq.khead, *ring->cq.khead + batch);
}

static const struct way {
	const char *name;
	void (*run)(struct io_uring *ring, unsigned batch);
	unsigned flags;
	bool registered_fd;
	bool with_sqarray; /* the program's own set-up, without NO_SQARRAY */
} ways[] = {
	{ "submit-and-wait", submit_and_wait, 0, false, false },
	{ "get-events", submit_and_get_events, 0, false, false },
	{ "submit-then-wait", submit_then_wait, 0, false, false },
	{ "registered-fd", submit_and_wait, 0, true, false },
	{ "sqarray", submit_and_wait, 0, false, true },
	{ "defer-taskrun", submit_and_wait, DEFER, false, false },
	{ "sqpoll", submit_then_wait, IORING_SETUP_SQPOLL, false, false },
};

/* Returns false where the kernel lacks the flags; the first way has none. */
static bool init_ring(struct io_uring *ring, unsigned flags, bool with_sqarray)
{
	struct io_uring_params params;
	int ret;

	memset(&params, 0, sizeof(params));
	params.flags = flags;
	params.sq_thread_idle = 1000;
	if (with_sqarray) {
		ret = (int)syscall(__NR_io_uring_setup, ENTRIES, &params);
		if (ret < 0)
			return false;
		check(io_uring_queue_mmap(ret, &params, ring), "io_uring_queue_mmap");
		return true;
	}
	ret = io_uring_queue_init_params(ENTRIES, ring, &params);
	if (flags && (ret == -EINVAL || ret == -EPERM))
		return false;
	check(ret, "io_uring_queue_init_params");
	return true;
}

/* A ring for the floor: set up as the kernel's interface says, and all slots NOPs. */
static bool init_floor(struct io_uring *ring, unsigned flags, bool with_sqarray)
{
	struct io_uring_params params;
	unsigned i;
	int fd;

	memset(&params, 0, sizeof(params));
	params.flags = flags | (with_sqarray ? 0 : SETUP_NO_SQARRAY);
	fd = (int)syscall(__NR_io_uring_setup, ENTRIES, &params);
	if (fd < 0 && !with_sqarray)
		return init_floor(ring, flags, true);
	if (fd < 0)
		return false;
	check(io_uring_queue_mmap(fd, &params, ring), "io_uring_queue_mmap");
	for (i = 0; i < ENTRIES; i++) {
		memset(&ring->sq.sqes[i], 0, sizeof(ring->sq.sqes[i]));
		ring->sq.sqes[i].opcode = IORING_OP_NOP;
		ring->sq.sqes[i].fd = -1;
		if (with_sqarray)
			ring->sq.array[i] = i;
	}
	return true;
}

/* Returns nanoseconds for so many rounds. */
static uint64_t time_rounds(void (*run)(struct io_uring *ring, unsigned batch),
			    struct io_uring *ring, unsigned batch, unsigned nr_rounds)
{
	uint64_t start = now_ns();

	while (nr_rounds--)
		run(ring, batch);
	return now_ns() - start;
}

/* How many rounds make a slice: so short that seldom something comes in between. */
static unsigned calibrate(const struct way *way, struct io_uring *ring, unsigned batch)
{
	uint64_t best = UINT64_MAX, ns;
	int i;

	for (i = 0; i < 20; i++) {
		ns = time_rounds(way->run, ring, batch, 1);
		best = ns < best ? ns : best;
	}
	return (unsigned)(SLICE_NS / (best + 1)) + 1;
}

static void measure(const struct way *way, struct io_uring *ring, struct io_uring *floor_ring,
		    unsigned batch)
{
	static double ns[MAX_SLICES], floor_ns[MAX_SLICES], ratios[MAX_SLICES];
	int nr_slices = is_quick() ? 31 : MAX_SLICES, i;
	unsigned nr_rounds = calibrate(way, ring, batch);
	double nr = (double)nr_rounds * batch;

	for (i = 0; i < nr_slices; i++) {
		ns[i] = (double)time_rounds(way->run, ring, batch, nr_rounds);
		if (floor_ring) {
			floor_ns[i] =
				(double)time_rounds(floor_batch, floor_ring, batch, nr_rounds);
			ratios[i] = ns[i] / floor_ns[i];
		}
	}
	print_value(nr * 1e6 / median(ns, nr_slices), "KIOPS", "nop/%s/%u", way->name, batch);
	if (!floor_ring)
		return;
	if (way == ways)
		print_value(nr * 1e6 / median(floor_ns, nr_slices), "KIOPS", "nop/floor/%u", batch);
	print_value(median(ratios, nr_slices), "x-floor", "nop-time/%s/%u", way->name, batch);
}

static void measure_way(const struct way *way)
{
	struct io_uring ring, floor_ring;
	bool has_floor = !(way->flags & IORING_SETUP_SQPOLL);
	unsigned batch, step = is_quick() ? 3 : 1;

	if (!init_ring(&ring, way->flags, way->with_sqarray))
		return;
	if (has_floor)
		has_floor = init_floor(&floor_ring, way->flags, way->with_sqarray);
	if (way->registered_fd && io_uring_register_ring_fd(&ring) != 1)
		goto out;
	for (batch = is_quick() ? 2 : 1; batch <= ENTRIES; batch <<= step)
		measure(way, &ring, has_floor ? &floor_ring : NULL, batch);
out:
	if (has_floor)
		io_uring_queue_exit(&floor_ring);
	io_uring_queue_exit(&ring);
}

int main(void)
{
	size_t i;

	for (i = 0; i < ARRAY_NR(ways); i++)
		measure_way(&ways[i]);
	return sum == 1;
}
