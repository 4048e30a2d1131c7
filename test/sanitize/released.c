/* SPDX-License-Identifier: MIT */
/*
 * A CQE is read after its slot was released. The address sanitizer knows it of a
 * program that is built for the debug build; "copied" is the correct use.
 */
#include "common.h"

static struct io_uring ring;

static struct io_uring_cqe *next_cqe(void)
{
	struct io_uring_cqe *cqe;

	CHECK(io_uring_wait_cqe(&ring, &cqe) == 0);
	return cqe;
}

static void run_nops(void)
{
	int i;

	CHECK(io_uring_queue_init(8, &ring, 0) == 0);
	for (i = 0; i < 8; i++)
		io_uring_prep_nop(next_sqe(&ring));
	CHECK(io_uring_submit_and_wait(&ring, 8) == 8);
}

static int read_released(void)
{
	struct io_uring_cqe *cqe;

	run_nops();
	cqe = next_cqe();
	io_uring_cqe_seen(&ring, cqe);
	return cqe->res;
}

static int read_batch_released(void)
{
	struct io_uring_cqe *cqes[8];

	run_nops();
	CHECK(io_uring_peek_batch_cqe(&ring, cqes, 8) == 8);
	io_uring_cq_advance(&ring, 8);
	return (int)cqes[7]->flags;
}

/* Also without a look at the CQEs, and where the memory becomes another ring's. */
static int read_copied(void)
{
	struct io_uring_cqe *cqe;
	int lap, i, res;

	for (lap = 0; lap < 4; lap++) {
		run_nops();
		for (i = 0; i < 4; i++) {
			cqe = next_cqe();
			res = cqe->res;
			io_uring_cqe_seen(&ring, cqe);
			CHECK(res == 0);
		}
		io_uring_cq_advance(&ring, io_uring_cq_ready(&ring));
		io_uring_prep_nop(next_sqe(&ring));
		CHECK(io_uring_submit_and_wait(&ring, 1) == 1);
		io_uring_cq_advance(&ring, 1);
		io_uring_queue_exit(&ring);
	}
	return 0;
}

int main(int argc, char **argv)
{
	static const struct sanitize_case cases[] = {
		{ "read_released", read_released },
		{ "read_batch_released", read_batch_released },
		{ "read_copied", read_copied },
		{ NULL, NULL },
	};

	return run_case(cases, argc > 1 ? argv[1] : NULL);
}
