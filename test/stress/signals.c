/* SPDX-License-Identifier: MIT */
/*
 * A signal every 200 microseconds, in the middle of every kind of wait: each wait
 * ends with a CQE or with an error, writes its CQE pointer, and loses no request.
 */
#include "stress.h"
#include "process.h"
#include "ring.h"

#include <signal.h>
#include <time.h>

#define IN_FLIGHT 16
#define PERIOD_NS 200000

static volatile sig_atomic_t nr_signals;
static struct __kernel_timespec brief = { .tv_nsec = 150000 };
static struct __kernel_timespec ample = { .tv_sec = 10 };

/* One way to wait: whether it also submits, and the least it needs in flight. */
struct way {
	int (*wait)(struct io_uring *ring, struct io_uring_cqe **cqe);
	bool submits;
};

static int way_wait(struct io_uring *ring, struct io_uring_cqe **cqe)
{
	return io_uring_wait_cqe(ring, cqe);
}

static int way_wait_nr(struct io_uring *ring, struct io_uring_cqe **cqe)
{
	return io_uring_wait_cqe_nr(ring, cqe, 3);
}

static int way_cqes(struct io_uring *ring, struct io_uring_cqe **cqe)
{
	sigset_t none;

	sigemptyset(&none);
	return io_uring_wait_cqes(ring, cqe, 2, NULL, &none);
}

static int way_cqes_brief(struct io_uring *ring, struct io_uring_cqe **cqe)
{
	return io_uring_wait_cqes(ring, cqe, 4, &brief, NULL);
}

static int way_timeout(struct io_uring *ring, struct io_uring_cqe **cqe)
{
	return io_uring_wait_cqe_timeout(ring, cqe, &ample);
}

static int way_min_timeout(struct io_uring *ring, struct io_uring_cqe **cqe)
{
	return io_uring_wait_cqes_min_timeout(ring, cqe, 4, &ample, 100, NULL);
}

static int way_submit_min_timeout(struct io_uring *ring, struct io_uring_cqe **cqe)
{
	return io_uring_submit_and_wait_min_timeout(ring, cqe, 4, &ample, 100, NULL);
}

static int way_submit_brief(struct io_uring *ring, struct io_uring_cqe **cqe)
{
	return io_uring_submit_and_wait_timeout(ring, cqe, 3, &brief, NULL);
}

static int way_submit_ample(struct io_uring *ring, struct io_uring_cqe **cqe)
{
	return io_uring_submit_and_wait_timeout(ring, cqe, 2, &ample, NULL);
}

static int way_submit_endless(struct io_uring *ring, struct io_uring_cqe **cqe)
{
	return io_uring_submit_and_wait_timeout(ring, cqe, 1, NULL, NULL);
}

static int way_submit(struct io_uring *ring, struct io_uring_cqe **cqe)
{
	int ret = io_uring_submit_and_wait(ring, 2);

	if (ret < 0)
		*cqe = NULL;
	else
		io_uring_peek_cqe(ring, cqe);
	return ret;
}

static int way_get_events(struct io_uring *ring, struct io_uring_cqe **cqe)
{
	int ret = io_uring_submit_and_get_events(ring);

	*cqe = NULL;
	if (ret >= 0)
		ret = io_uring_get_events(ring);
	if (ret >= 0)
		io_uring_peek_cqe(ring, cqe);
	return ret;
}

static int way_registered(struct io_uring *ring, struct io_uring_cqe **cqe)
{
	return io_uring_submit_and_wait_reg(ring, cqe, 2, 0);
}

static const struct way ways[] = {
	{ way_wait, false }, { way_wait_nr, false }, { way_cqes, false },
	{ way_cqes_brief, false }, { way_timeout, false }, { way_min_timeout, false },
	{ way_submit_min_timeout, true }, { way_submit_brief, true },
	{ way_submit_ample, true }, { way_submit_endless, true }, { way_submit, true },
	{ way_get_events, true },
};
static const struct way registered_way = { way_registered, true };

static void on_signal(int signo)
{
	nr_signals++;
}

static timer_t start_signals(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	struct itimerspec period = { { 0, PERIOD_NS }, { 0, PERIOD_NS } };
	struct sigaction action = { .sa_handler = on_signal };
	timer_t timer;

	assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
	assert_int_equal(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
	assert_int_equal(timer_settime(timer, 0, &period, NULL), 0);
	return timer;
}

static void wait_once(struct io_uring *ring, struct ledger *ledger, const struct way *way)
{
	struct io_uring_cqe *cqe = STRESS_POISON;
	int ret = way->wait(ring, &cqe);

	assert_ptr_not_equal(cqe, STRESS_POISON);
	if (ret < 0) {
		assert_null(cqe);
		if (ret != -EINTR && ret != -ETIME && ret != -EAGAIN && ret != -EBUSY &&
		    !(ret == -EINVAL && !(ring->features & IORING_FEAT_MIN_TIMEOUT)))
			fail_msg("way %td: %d", way - ways, ret);
	} else if (!way->submits) {
		assert_int_equal(ret, 0);
		assert_non_null(cqe);
	}
	if (cqe)
		stress_see(ring, ledger, cqe);
	stress_reap(ring, ledger);
}

/* With registered_args 0 through every way but the one that needs such. */
static void run(struct io_uring *ring, const struct way *only)
{
	int signals_before = nr_signals;
	timer_t timer = start_signals();
	struct ledger ledger;
	const struct way *way;
	unsigned nr = 0, i;

	ledger_open(&ledger, IN_FLIGHT);
	while (stress_goes_on()) {
		way = only ? only : &ways[nr++ % ARRAY_LEN(ways)];
		for (i = stress_random(IN_FLIGHT); i && ledger_has_room(&ledger); i--)
			stress_any(ring, &ledger);
		/* Enough for the wait that asks for most. */
		while (ledger_in_flight(&ledger) < 4)
			stress_any(ring, &ledger);
		if (!way->submits)
			stress_submit(ring, &ledger);
		wait_once(ring, &ledger, way);
	}
	stress_drain(ring, &ledger);
	timer_delete(timer);
	assert_true(nr_signals > signals_before);
	ledger_check(&ledger);
	io_uring_queue_exit(ring);
}

static void run_flags(unsigned flags, bool as_old)
{
	struct io_uring ring;

	ring_open_flags(&ring, 8, flags);
	if (as_old)
		ring.features &= ~(unsigned)(IORING_FEAT_EXT_ARG | IORING_FEAT_MIN_TIMEOUT);
	run(&ring, NULL);
}

#define DEFER (IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN)
#define COOP (IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG)

static void test_plain(void **state)
{
	run_flags(0, false);
}

static void test_coop(void **state)
{
	run_flags(COOP, false);
}

static void test_defer(void **state)
{
	run_flags(DEFER, false);
}

static void test_sqpoll(void **state)
{
	run_flags(IORING_SETUP_SQPOLL, false);
}

static void test_old(void **state)
{
	run_flags(0, true);
}

static void test_old_big(void **state)
{
	run_flags(IORING_SETUP_CQE32 | IORING_SETUP_SQE128, true);
}

static void test_old_sqpoll(void **state)
{
	run_flags(IORING_SETUP_SQPOLL, true);
}

static void test_registered(void **state)
{
	struct io_uring_mem_region_reg reg = { .flags = IORING_MEM_REGION_REG_WAIT_ARG };
	struct io_uring_region_desc desc = { .flags = IORING_MEM_REGION_TYPE_USER };
	struct io_uring_reg_wait *args = page_alloc(page_size());
	struct io_uring ring;
	int ret;

	args->ts = (struct __kernel_timespec){ .tv_nsec = 300000 };
	args->flags = IORING_REG_WAIT_TS;
	desc.user_addr = (__u64)(uintptr_t)args;
	desc.size = page_size();
	reg.region_uptr = (__u64)(uintptr_t)&desc;
	ret = io_uring_queue_init(8, &ring, IORING_SETUP_R_DISABLED);
	require_ret("io_uring_queue_init", ret);
	ret = io_uring_register_region(&ring, &reg);
	if (ret < 0)
		io_uring_queue_exit(&ring);
	require_ret("io_uring_register_region", ret);
	assert_int_equal(io_uring_enable_rings(&ring), 0);
	run(&ring, &registered_way);
	page_free(args, page_size());
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		stress_test(test_plain),
		stress_test(test_coop),
		stress_test(test_defer),
		stress_test(test_sqpoll),
		stress_test(test_old),
		stress_test(test_old_big),
		stress_test(test_old_sqpoll),
		stress_test(test_registered),
	};

	return STRESS_RUN("signals", tests);
}
