/* SPDX-License-Identifier: MIT */
/*
 * What the parts of the model share.
 */
#ifndef MODEL_PRIVATE_H
#define MODEL_PRIVATE_H

#include "model.h"
#include "fake_kernel.h"

#include <errno.h>
#include <liburing.h>
#include <setjmp.h>
#include <string.h>

#define MODEL_MAX_SQ 64
#define MODEL_MAX_CQ 256
#define MODEL_MAX_IN_FLIGHT 256
#define MODEL_MAX_HELD 64	/* CQEs that the kernel keeps for want of room */

/* An SQE that the program took and the kernel has not. */
struct model_sqe {
	uint64_t user_data;
	unsigned char image[128];
	unsigned nr_slots;
	bool at_submit;		/* completes during the submission */
};

/* An entry of the CQ that is not released. */
struct model_cqe {
	uint64_t user_data;
	int res;
	unsigned flags;
	unsigned nr_slots;
};

/* The call into the library that is under way, and the enters that it makes. */
struct model_call {
	bool is_wait;		/* by the get-CQE loop */
	bool submits;
	bool gets_events;
	bool timed;		/* with a timeout of the library's own, or in the argument */
	bool has_ext_arg;
	bool sq_wait;
	unsigned wait_nr;
	unsigned nr_enters;
	unsigned nr_taken;	/* slots of the program's */
	bool interrupted;	/* the kernel ended a wait before its time */
	int err;		/* with which the last enter failed */
	unsigned wants;		/* what the last enter was to take, to wait for, its flags */
	unsigned min_complete;
	unsigned flags;
	int64_t time_ns;	/* of a wait: its limit */
	int64_t began_ns;	/* since when it runs; 0: not yet */
	int64_t left_ns;	/* what was left of it at the last enter */
	const struct fake_call *last;
};

struct model {
	struct io_uring ring;
	struct fake_ring *kernel;
	unsigned kind;
	bool is_sqe128, is_cqe32, cqe_mixed, sqe_mixed, sqpoll, old, rewind, deferred;
	bool registered, no_iowait;

	/* The SQ: positions of slots, and what lies between head and tail. */
	unsigned sq_entries;
	unsigned sq_head;
	unsigned sq_slots;
	unsigned published;
	struct model_sqe sq[MODEL_MAX_SQ];
	unsigned sq_first, nr_sq;

	/* The CQ, likewise. */
	unsigned cq_entries;
	unsigned cq_head;
	unsigned cq_slots;
	struct model_cqe cq[MODEL_MAX_CQ];
	unsigned cq_first, nr_cq;

	uint64_t in_flight[MODEL_MAX_IN_FLIGHT];
	unsigned nr_in_flight;
	uint64_t next_id;
	unsigned nr_done;

	const struct model_op *op;
	unsigned rand;		/* of what the kernel does within an operation */
	struct model_call call;
	char *why;
	sigjmp_buf end;
};

extern struct model model;

/* model.c: the end of a walk that went wrong. */
void model_fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
#define model_check(cond, ...) (uring_likely(cond) ? (void)0 : model_fail(__VA_ARGS__))

unsigned model_rand(struct model *m);

/* model_kernel.c: the scripted kernel. */
void model_kernel_hooks(void);
bool model_kernel_act(struct model *m, unsigned what);
bool model_needs_flush(const struct model *m);
int64_t model_time_left(const struct model *m);
void model_check_time(const struct model *m);

/* model_sq.c */
bool model_get_sqes(struct model *m);
bool model_get_sqe128(struct model *m);
bool model_submit(struct model *m);
bool model_sqring_wait(struct model *m);
bool model_resize(struct model *m);
void model_pop_sqe(struct model *m);
unsigned model_sq_tail(const struct model *m);

/* model_cq.c */
const struct model_cqe *model_cqe_at(const struct model *m, unsigned idx);
bool model_is_internal(const struct model *m, const struct model_cqe *cqe);
unsigned model_nr_wanted(const struct model *m);
void model_push_cqe(struct model *m, const struct model_cqe *cqe);
void model_release(struct model *m, unsigned nr);
void model_check_cqe(const struct model *m, const struct io_uring_cqe *cqe, unsigned idx);
bool model_peek(struct model *m);
bool model_seen(struct model *m);
bool model_batch(struct model *m);
bool model_iterate(struct model *m);

/* model_wait.c */
void model_begin_call(struct model *m);
bool model_wait(struct model *m);

/* model_ops.c */
bool model_do_op(struct model *m, const struct model_op *op);
const char *model_op_name(unsigned code);
unsigned model_op_of(unsigned code);

#endif
