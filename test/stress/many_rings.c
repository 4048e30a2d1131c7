/* SPDX-License-Identifier: MIT */
/*
 * A thousand rings, and a thousand again until the time is over, made, used and
 * dropped by four threads.
 */
#include "stress.h"
#include "process.h"
#include "ring.h"

#include <pthread.h>

#define NR_THREADS 4
#define NR_RINGS 250		/* of each thread */
#define IN_FLIGHT 8
#define MAX_TRIES 1000

struct maker {
	pthread_t thread;
	unsigned first;		/* of its rings */
	unsigned nr_made;
	int err;
	bool all_done;
};

/* Of kinds that every kernel has; the memory of dropped ones comes back a bit later. */
static int make(struct io_uring *ring, unsigned nth)
{
	static const unsigned flags[] = {
		0, IORING_SETUP_CQSIZE, IORING_SETUP_CLAMP, 0, IORING_SETUP_SQPOLL, 0, 0, 0,
	};
	unsigned nr_tries = 0;
	int ret;

	do {
		struct io_uring_params p = {
			.flags = flags[nth % ARRAY_LEN(flags)], .cq_entries = 64,
		};

		if (nr_tries)
			sleep_ms(5);
		ret = io_uring_queue_init_params(1U << nth % 7, ring, &p);
	} while ((ret == -ENOMEM || ret == -EAGAIN) && ++nr_tries < MAX_TRIES);
	return ret;
}

static int use(struct io_uring *ring, struct ledger *ledger)
{
	struct io_uring_sqe *sqe;
	struct io_uring_cqe *cqe;
	int ret;

	while (ledger_has_room(ledger) && (sqe = io_uring_get_sqe(ring))) {
		io_uring_prep_nop(sqe);
		sqe->user_data = ledger_issue(ledger);
	}
	ret = io_uring_submit(ring);
	while (ret >= 0 && ledger_in_flight(ledger)) {
		ret = io_uring_wait_cqe(ring, &cqe);
		if (ret)
			break;
		ledger_done(ledger, cqe->user_data);
		io_uring_cqe_seen(ring, cqe);
	}
	return ret < 0 ? ret : 0;
}

static void *make_rings(void *arg)
{
	struct maker *maker = arg;
	struct ledger ledger;
	struct io_uring ring;
	unsigned i;

	ledger_open(&ledger, IN_FLIGHT);
	for (i = 0; i < NR_RINGS && !maker->err; i++) {
		maker->err = make(&ring, maker->first + i);
		if (maker->err)
			break;
		/* A thread has 16 places for them. */
		if (i % 3 == 0 && io_uring_register_ring_fd(&ring) < 0)
			maker->err = ring.features & IORING_FEAT_EXT_ARG ? 0 : -EINVAL;
		if (!maker->err)
			maker->err = use(&ring, &ledger);
		maker->nr_made++;
		io_uring_queue_exit(&ring);
	}
	maker->all_done = ledger_close(&ledger);
	return NULL;
}

static void test_a_thousand(void **state)
{
	struct maker makers[NR_THREADS];
	struct holdings before;
	struct io_uring ring;
	unsigned i, nr_made = 0;

	require_ret("io_uring_queue_init", io_uring_queue_init(4, &ring, 0));
	io_uring_queue_exit(&ring);
	do {
		memset(makers, 0, sizeof(makers));
		holdings_take(&before);
		for (i = 0; i < NR_THREADS; i++) {
			makers[i].first = i;
			assert_int_equal(pthread_create(&makers[i].thread, NULL, make_rings,
							&makers[i]), 0);
		}
		for (i = 0; i < NR_THREADS; i++) {
			pthread_join(makers[i].thread, NULL);
			assert_int_equal(makers[i].err, 0);
			assert_int_equal(makers[i].nr_made, NR_RINGS);
			assert_true(makers[i].all_done);
			nr_made += makers[i].nr_made;
		}
		{
			struct holdings now;

			/* Stacks of threads come and go. */
			holdings_take(&now);
			assert_int_equal(now.nr_fds, before.nr_fds);
			assert_int_equal(now.nr_ring_maps, before.nr_ring_maps);
		}
	} while (stress_goes_on());
	printf("summary: %u rings made and dropped\n", nr_made);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		stress_test(test_a_thousand),
	};

	return STRESS_RUN("many_rings", tests);
}
