/* SPDX-License-Identifier: MIT */
/* Every case on every kind of ring. */
#include "compat.h"
#include <setjmp.h>
#include <sys/mman.h>

static const struct {
	const char *name;
	unsigned flags;
	unsigned cq_entries;
} kinds[] = {
	{ "plain", 0, 0 },
	{ "cqsize", IORING_SETUP_CQSIZE, 64 },
	{ "sqpoll", IORING_SETUP_SQPOLL, 0 },
	{ "coop", IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG, 0 },
	{ "defer", IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN, 0 },
	{ "sqe128", IORING_SETUP_SQE128, 0 },
	{ "cqe32", IORING_SETUP_CQE32, 0 },
	{ "sqe128 cqe32", IORING_SETUP_SQE128 | IORING_SETUP_CQE32, 0 },
};

static const struct compat_case *const groups[] = {
	request_cases, queue_cases, wait_cases, register_cases, buffer_cases, setup_cases,
};

static const char *current_case, *current_kind;
static jmp_buf case_end;
static unsigned nr_run, nr_skipped;

void compat_fail(const char *file, int line, const char *what, long value, long expected)
{
	printf("%s:%d: %s on a ring that is %s: %s (%ld, expected %ld)\n", file, line, current_case,
	       current_kind, what, value, expected);
	fflush(stdout);
	_exit(1);
}

void compat_skip(const char *why)
{
	printf("%s on %s: skipped: %s\n", current_case, current_kind, why);
	nr_skipped++;
	longjmp(case_end, 1);
}

struct io_uring_sqe *take_sqe(struct io_uring *ring)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(ring);

	CHECK(sqe != NULL);
	return sqe;
}

void submit_all(struct io_uring *ring)
{
	unsigned nr = io_uring_sq_ready(ring);

	if (ring->flags & IORING_SETUP_SQPOLL)
		CHECK(io_uring_submit(ring) >= 0);
	else
		CHECK_INT(io_uring_submit(ring), nr);
}

int reap(struct io_uring *ring, uint64_t user_data)
{
	struct io_uring_cqe *cqe = NULL;
	int res;

	CHECK_INT(io_uring_wait_cqe(ring, &cqe), 0);
	CHECK(cqe != NULL);
	CHECK_INT(io_uring_cqe_get_data64(cqe), user_data);
	res = cqe->res;
	io_uring_cqe_seen(ring, cqe);
	return res;
}

int run_one(struct io_uring *ring, struct io_uring_sqe *sqe)
{
	static uint64_t tag = 0x1000000000ULL;

	io_uring_sqe_set_data64(sqe, ++tag);
	submit_all(ring);
	return reap(ring, tag);
}

static void run_case(const struct compat_case *c, unsigned kind_idx)
{
	struct io_uring_params p;
	struct io_uring ring;
	int ret;

	current_case = c->name;
	current_kind = kinds[kind_idx].name;
	memset(&p, 0, sizeof(p));
	p.flags = kinds[kind_idx].flags;
	p.cq_entries = kinds[kind_idx].cq_entries;
	p.sq_thread_idle = 1;
	/* What the library does not fill shows. */
	memset(&ring, 0xA5, sizeof(ring));
	ret = io_uring_queue_init_params(NR_ENTRIES, &ring, &p);
	if (ret == -EINVAL && p.flags) {
		printf("%s on %s: skipped: no such ring here\n", current_case, current_kind);
		nr_skipped++;
		return;
	}
	CHECK_INT(ret, 0);
	CHECK_INT(p.sq_entries, NR_ENTRIES);
	alarm(60);
	if (setjmp(case_end) == 0) {
		c->run(&ring);
		printf("%s on %s: ok\n", current_case, current_kind);
		nr_run++;
	}
	alarm(0);
	io_uring_queue_exit(&ring);
}

int main(void)
{
	const struct compat_case *c;
	unsigned group, kind;

	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("struct io_uring has %zu bytes\n", sizeof(struct io_uring));
	for (group = 0; group < sizeof(groups) / sizeof(groups[0]); group++) {
		for (c = groups[group]; c->name; c++) {
			for (kind = 0; kind < sizeof(kinds) / sizeof(kinds[0]); kind++) {
				if (!(kinds[kind].flags & c->not_with))
					run_case(c, kind);
			}
		}
	}
	printf("%u cases ran, %u skipped\n", nr_run, nr_skipped);
	return nr_run == 0;
}
