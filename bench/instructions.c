/* SPDX-License-Identifier: MIT */
/*
 * instructions - loops whose instructions tools/bench-instructions counts.
 *
 *	instructions PATH ROUNDS [BATCH [ENTRIES]]
 *
 * BATCH (128) is how many requests a round has, ENTRIES (BATCH) the size of the
 * ring. Prints the number of requests that were made. What two runs with different
 * ROUNDS differ by is the loop alone, without set-up, exit and start of the
 * program. Each loop is what a careful program writes, its checks included.
 */
#include <liburing.h>
#include "common.h"

#define MAX_BATCH 256

static unsigned batch = 128;
static __u64 sum;

static inline void queue_nop(struct io_uring *ring, __u64 data)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(ring);

	if (!sqe)
		die("no free SQE");
	io_uring_prep_nop(sqe);
	io_uring_sqe_set_data64(sqe, data);
}

static void queue_nops(struct io_uring *ring, unsigned nr)
{
	unsigned i;

	for (i = 0; i < nr; i++)
		queue_nop(ring, i);
}

static void check_nr(unsigned nr, unsigned expected)
{
	if (nr != expected)
		die("%u instead of %u", nr, expected);
}

static void batch_for_each_once(struct io_uring *ring)
{
	struct io_uring_cqe *cqe;
	unsigned head __attribute__((unused)), nr = 0;

	queue_nops(ring, batch);
	check_nr((unsigned)check(io_uring_submit_and_wait(ring, batch), "submit"), batch);
	io_uring_for_each_cqe (ring, head, cqe) {
		sum += cqe->user_data;
		nr++;
	}
	io_uring_cq_advance(ring, nr);
	check_nr(nr, batch);
}

static void batch_peek_batch_once(struct io_uring *ring)
{
	struct io_uring_cqe *cqes[MAX_BATCH];
	unsigned i, nr;

	queue_nops(ring, batch);
	check_nr((unsigned)check(io_uring_submit_and_wait(ring, batch), "submit"), batch);
	nr = io_uring_peek_batch_cqe(ring, cqes, batch);
	for (i = 0; i < nr; i++)
		sum += cqes[i]->user_data;
	io_uring_cq_advance(ring, nr);
	check_nr(nr, batch);
}

static void batch_wait_each_once(struct io_uring *ring)
{
	struct io_uring_cqe *cqe;
	unsigned i;

	queue_nops(ring, batch);
	check_nr((unsigned)check(io_uring_submit(ring), "submit"), batch);
	for (i = 0; i < batch; i++) {
		check(io_uring_wait_cqe(ring, &cqe), "wait");
		sum += cqe->user_data;
		io_uring_cqe_seen(ring, cqe);
	}
}

#define REPEATED(path)                                                       \
	static void path(struct io_uring *ring, unsigned long rounds)        \
	{                                                                    \
		while (rounds--)                                             \
			path##_once(ring);                                   \
	}
REPEATED(batch_for_each)
REPEATED(batch_peek_batch)
REPEATED(batch_wait_each)

static void one_wait(struct io_uring *ring, unsigned long rounds)
{
	struct io_uring_cqe *cqe;

	while (rounds--) {
		queue_nop(ring, 1);
		check_nr((unsigned)check(io_uring_submit(ring), "submit"), 1);
		check(io_uring_wait_cqe(ring, &cqe), "wait");
		sum += cqe->user_data;
		io_uring_cqe_seen(ring, cqe);
	}
}

static void one_submit_and_wait(struct io_uring *ring, unsigned long rounds)
{
	struct io_uring_cqe *cqe;

	while (rounds--) {
		queue_nop(ring, 1);
		check_nr((unsigned)check(io_uring_submit_and_wait(ring, 1), "submit"), 1);
		check(io_uring_peek_cqe(ring, &cqe), "peek");
		sum += cqe->user_data;
		io_uring_cqe_seen(ring, cqe);
	}
}

/* Never called: tools/bench-instructions looks at how large it is. */
int call_site_prep_read(struct io_uring *ring, int fd, void *buf, unsigned len, __u64 offset);

__attribute__((used, noinline)) int call_site_prep_read(struct io_uring *ring, int fd, void *buf,
							unsigned len, __u64 offset)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(ring);

	if (!sqe)
		return -1;
	io_uring_prep_read(sqe, fd, buf, len, offset);
	return 0;
}

static const struct path {
	const char *name;
	void (*run)(struct io_uring *ring, unsigned long rounds);
	bool one; /* a request a round, whatever the batch */
} paths[] = {
	{ "batch-for-each", batch_for_each, false },
	{ "batch-peek-batch", batch_peek_batch, false },
	{ "batch-wait-each", batch_wait_each, false },
	{ "one-wait", one_wait, true },
	{ "one-submit-and-wait", one_submit_and_wait, true },
};

static const struct path *find_path(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_NR(paths); i++) {
		if (strcmp(name, paths[i].name) == 0)
			return &paths[i];
	}
	die("no path %s", name);
}

int main(int argc, char **argv)
{
	unsigned long rounds;
	const struct path *path;
	struct io_uring ring;
	unsigned entries;
	size_t i;

	if (argc == 1) {
		for (i = 0; i < ARRAY_NR(paths); i++)
			puts(paths[i].name);
		return 0;
	}
	if (argc < 3 || argc > 5)
		die("usage: instructions [PATH ROUNDS [BATCH [ENTRIES]]]   (alone: lists the paths)");
	path = find_path(argv[1]);
	if (argc > 3)
		batch = (unsigned)parse_number(argv[3], 1, MAX_BATCH, "BATCH");
	entries = batch;
	if (argc > 4)
		entries = (unsigned)parse_number(argv[4], batch, 32768, "ENTRIES");
	rounds = parse_number(argv[2], 1, 1000000000, "ROUNDS");

	check(io_uring_queue_init(entries, &ring, 0), "io_uring_queue_init");
	path->run(&ring, rounds);
	io_uring_queue_exit(&ring);
	fprintf(stderr, "requests %lu, sum %llu\n", path->one ? rounds : rounds * batch,
		(unsigned long long)sum);
	return 0;
}
