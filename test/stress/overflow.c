/* SPDX-License-Identifier: MIT */
/*
 * Storms on a CQ with room for four: most CQEs have to wait in the kernel, and each
 * comes out once, in whichever way it is looked for. Where tasks run late, rings say
 * so by a flag: only then does a peek bring CQEs in.
 */
#include "stress.h"
#include "ring.h"

#define CQ_ENTRIES 4
#define IN_FLIGHT 200

static unsigned nr_overflows;

static void reap_one_by_one(struct io_uring *ring, struct ledger *ledger)
{
	struct io_uring_cqe *cqe;
	int ret = io_uring_wait_cqe(ring, &cqe);

	assert_int_equal(ret, 0);
	stress_see(ring, ledger, cqe);
}

static void reap_batch(struct io_uring *ring, struct ledger *ledger)
{
	struct io_uring_cqe *cqes[2 * CQ_ENTRIES];
	unsigned i, nr = io_uring_peek_batch_cqe(ring, cqes, 1 + stress_random(2 * CQ_ENTRIES));

	for (i = 0; i < nr; i++)
		ledger_done(ledger, cqes[i]->user_data);
	io_uring_cq_advance(ring, nr);
}

static void reap_walking(struct io_uring *ring, struct ledger *ledger)
{
	struct io_uring_cqe *cqe;
	unsigned head, nr = 0;

	assert_int_equal(io_uring_get_events(ring), 0);
	io_uring_for_each_cqe(ring, head, cqe) {
		ledger_done(ledger, cqe->user_data);
		nr++;
	}
	io_uring_cq_advance(ring, nr);
}

static void reap_with_a_submit(struct io_uring *ring, struct ledger *ledger)
{
	struct __kernel_timespec ts = { .tv_sec = 10 };
	struct io_uring_cqe *cqe = STRESS_POISON;
	int ret = io_uring_submit_and_wait_timeout(ring, &cqe, CQ_ENTRIES, &ts, NULL);

	if (ret < 0 && ret != -EBUSY)
		fail_msg("io_uring_submit_and_wait_timeout: %d", ret);
	if (cqe)
		stress_see(ring, ledger, cqe);
}

static void storm(unsigned flags)
{
	static void (*const reaps[])(struct io_uring *ring, struct ledger *ledger) = {
		reap_one_by_one, reap_batch, reap_walking, reap_with_a_submit, stress_reap,
	};
	struct io_uring_params p = { .flags = flags | IORING_SETUP_CQSIZE };
	struct ledger ledger;
	struct io_uring ring;
	unsigned nr = 0, i, down_to;

	p.cq_entries = CQ_ENTRIES;
	require_ret("io_uring_queue_init_params", io_uring_queue_init_params(CQ_ENTRIES, &ring, &p));
	ledger_open(&ledger, IN_FLIGHT);
	while (stress_goes_on()) {
		for (i = stress_random(IN_FLIGHT); i && ledger_has_room(&ledger); i--)
			stress_any(&ring, &ledger);
		stress_submit(&ring, &ledger);
		nr_overflows += io_uring_cq_has_overflow(&ring);
		down_to = stress_random(IN_FLIGHT);
		while (ledger_in_flight(&ledger) > down_to)
			reaps[nr % ARRAY_LEN(reaps)](&ring, &ledger);
		nr++;
	}
	stress_drain(&ring, &ledger);
	assert_false(io_uring_cq_has_overflow(&ring));
	ledger_check(&ledger);
	io_uring_queue_exit(&ring);
}

static void test_plain(void **state)
{
	storm(0);
	assert_true(nr_overflows > 0);
}

static void test_coop(void **state)
{
	storm(IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG);
}

static void test_defer(void **state)
{
	storm(IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_TASKRUN_FLAG);
}

static void test_sqpoll(void **state)
{
	storm(IORING_SETUP_SQPOLL);
}

static void test_big(void **state)
{
	storm(IORING_SETUP_CQE32);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		stress_test(test_plain),
		stress_test(test_coop),
		stress_test(test_defer),
		stress_test(test_sqpoll),
		stress_test(test_big),
	};

	return STRESS_RUN("overflow", tests);
}
