/* SPDX-License-Identifier: MIT */
/*
 * A table of the public functions, each with a scenario in which every one of its
 * system calls is made to fail.
 */
#ifndef FAULTS_H
#define FAULTS_H

#include "fake_test.h"

/* What the scenarios work on: set by prepare, changed by call. */
struct fault_ctx {
	struct io_uring ring;
	struct io_uring other;
	bool has_ring;
	bool has_other;
	struct io_uring_params p;
	struct io_uring_cqe *cqe;
	struct io_uring_cqe *cqes[8];
	struct io_uring_probe *probe;
	struct io_uring_buf_ring *br;
	int fd;
	char *mem;
};

/* How a function differs from: the error of the call that failed is its result. */
#define FAULTS_MAKES_RING 1	/* after a failure the ring is empty */
#define FAULTS_SUBMITS 2	/* what was taken may be published, also in a failure */
#define FAULTS_RETRIES 4	/* -EMFILE: once more with a higher limit */
#define FAULTS_SAYS_NULL 8	/* the error is not told */
#define FAULTS_NEVER_FAILS 16	/* goes on after a failure */
#define FAULTS_NO_CALLS 32	/* makes none */
#define FAULTS_GIVES_CQE 64	/* writes c->cqe in any case: NULL with an error */

/* A call that gave NULL where no error is told. */
#define FAULTS_NULL (-1000)

struct fault_row {
	const char *name;
	const char *variant;
	/* The kernel as it is to be, and a ring; no fault happens here. */
	void (*prepare)(struct fault_ctx *c);
	long (*call)(struct fault_ctx *c);
	long good;		/* what call returns where nothing fails */
	unsigned traits;
	void (*undo)(struct fault_ctx *c);	/* after a success; may be NULL */
};

extern const struct fault_row setup_rows[], submit_rows[], register_rows[];
extern const unsigned nr_setup_rows, nr_submit_rows, nr_register_rows;

/* prepare: a ring of a recent kernel. */
void faults_plain_ring(struct fault_ctx *c);

/* faults_check_row - fail each call of the row's function. Returns how often one failed. */
unsigned faults_check_row(const struct fault_row *row);

#endif
