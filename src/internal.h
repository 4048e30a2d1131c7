/* SPDX-License-Identifier: MIT */
/*
 * What the library's sources share and programs do not see. The build hides
 * every symbol that the linker map does not name.
 */
#ifndef IOU_INTERNAL_H
#define IOU_INTERNAL_H

#include <errno.h>
/* What a program's sanitizer is told, the library does, and does not call. */
#define LIBURING_NO_NOTED_CALLS 1
/* The build hides what is not declared here; public functions stay visible. */
#pragma GCC visibility push(default)
#include <liburing.h>
#pragma GCC visibility pop
#include "sys.h"

/*
 * Bits of struct io_uring's int_flags. Old and new code may share a ring, so
 * that a bit keeps its meaning; two are the enter flags of the same name.
 */
#define IOU_INT_REG_REG_RING 0x01	/* register calls go by the registered ring */
#define IOU_INT_APP_MEM 0x02		/* ring memory is the application's */
#define IOU_INT_CQ_ENTER 0x04		/* always enter to reap: IOPOLL without SQPOLL */
#define IOU_INT_REG_RING IORING_ENTER_REGISTERED_RING
#define IOU_INT_NO_IOWAIT IORING_ENTER_NO_IOWAIT
#define IOU_INT_ENTER_FLAGS (IOU_INT_REG_RING | IOU_INT_NO_IOWAIT)

/* What a ring's memory measures, before and after the kernel was asked. */
struct iou_ring_size {
	unsigned sq_entries;
	unsigned cq_entries;
	size_t array_off;	/* of the SQ index array; 0 without one */
	size_t rings_sz;	/* ring header, CQEs, index array */
	size_t sqes_sz;
};

/* memory_size.c */
size_t iou_get_page_size(void);
size_t iou_round_to_page(size_t sz);
int iou_size_ring(unsigned entries, const struct io_uring_params *p, size_t hdr_sz,
		  struct iou_ring_size *size);
size_t iou_get_sq_map_sz(const struct io_uring_params *p);
size_t iou_get_cq_map_sz(const struct io_uring_params *p);
size_t iou_get_sqes_sz(const struct io_uring_params *p);

/* ring_map.c */
int iou_map_ring(int fd, const struct io_uring_params *p, struct io_uring *ring);
void iou_unmap_ring(struct io_uring *ring);
void iou_set_pointers(const struct io_uring_params *p, struct io_uring *ring);
void iou_fill_sq_array(struct io_uring *ring);

/* peek.c */
int iou_peek_cqe(struct io_uring *ring, struct io_uring_cqe **cqe_ptr, unsigned *nr_ready);

/* syscall.c */
int iou_do_register(const struct io_uring *ring, unsigned opcode, const void *arg,
		    unsigned nr_args);

/*
 * IOU_CHECK - in the debug build, one of the checks of debug*.c in the name of the
 * function that it stands in; else nothing.
 */
#ifdef LIBURING_DEBUG
#define IOU_CHECK(name, ...) iou_check_##name(__VA_ARGS__, __func__)
void iou_check_made(const struct io_uring *ring, const char *function);
void iou_check_mapped(const struct io_uring *ring, const char *function);
void iou_check_exit(struct io_uring *ring, const char *function);
void iou_check_moved(const struct io_uring *from, const struct io_uring *to, const char *function);
void iou_check_use(const struct io_uring *ring, const char *function);
void iou_check_submit(const struct io_uring *ring, bool reaps, const char *function);
void iou_check_empty_peek(struct io_uring *ring, const char *function);
void iou_check_reap(const struct io_uring *ring, const char *function);
void iou_check_wait(const struct io_uring *ring, unsigned wait_nr, bool is_timed,
		    const char *function);
int iou_check_register(const struct io_uring *ring, unsigned opcode, const void *arg,
		       unsigned nr_args, const char *function);
#define iou_do_register(ring, opcode, arg, nr_args) \
	iou_check_register((ring), (opcode), (arg), (nr_args), __func__)
#else
#define IOU_CHECK(name, ...) ((void)0)
#endif

/* submit.c */
struct io_uring_sqe *iou_get_sqe(struct io_uring *ring);
unsigned iou_flush_sq(struct io_uring *ring);
void iou_rewind_sq(struct io_uring *ring, int nr_taken);

/*
 * What io_uring_get_sqe may take without a look at the kernel's head: all that
 * head leaves free, or nothing where its quick path does not know the ring.
 */
static inline void iou_set_tail_limit(struct io_uring *ring, unsigned head)
{
	struct io_uring_sq *sq = &ring->sq;

	if (uring_unlikely(ring->flags & IORING_SETUP_SQE128))
		sq->tail_limit = sq->sqe_tail - 1;
	else
		sq->tail_limit = head + sq->ring_mask;
}

/*
 * Whether submit SQEs need an enter to be taken; adds to flags what it has to
 * carry.
 */
static inline bool iou_sq_needs_enter(const struct io_uring *ring, unsigned submit,
				      unsigned *flags)
{
	if (!submit)
		return false;
	if (uring_likely(!(ring->flags & IORING_SETUP_SQPOLL)))
		return true;
	/*
	 * Full barrier: the tail's store must not pass this load. The polling
	 * thread sets NEED_WAKEUP, and after a full barrier looks at the tail
	 * once more before it sleeps: one of the two sees the other.
	 */
	io_uring_smp_mb();
	if (uring_unlikely(IO_URING_READ_ONCE(*ring->sq.kflags) & IORING_SQ_NEED_WAKEUP)) {
		*flags |= IORING_ENTER_SQ_WAKEUP;
		return true;
	}
	return false;
}

static inline int iou_enter_plain(const struct io_uring *ring, unsigned to_submit,
				  unsigned min_complete, unsigned flags, const void *arg,
				  size_t sz)
{
	flags |= ring->int_flags & IOU_INT_ENTER_FLAGS;
	/* To the kernel the number has a sign. */
	if (min_complete > INT32_MAX)
		min_complete = INT32_MAX;
	return iou_sys_enter(ring->enter_ring_fd, to_submit, min_complete, flags, arg, sz);
}

static inline int iou_enter(struct io_uring *ring, unsigned to_submit, unsigned min_complete,
			    unsigned flags, const void *arg, size_t sz)
{
	int ret = iou_enter_plain(ring, to_submit, min_complete, flags, arg, sz);

	if (ring->flags & IORING_SETUP_SQ_REWIND)
		iou_rewind_sq(ring, ret);
	return ret;
}

/*
 * Whether the kernel has CQEs that only an enter brings into the ring, or may
 * have them. Relaxed: a flag set a moment later is seen by the next call.
 */
static inline bool iou_cq_needs_enter(const struct io_uring *ring)
{
	return (ring->int_flags & IOU_INT_CQ_ENTER) ||
	       (IO_URING_READ_ONCE(*ring->sq.kflags) &
		(IORING_SQ_CQ_OVERFLOW | IORING_SQ_TASKRUN));
}

#endif
