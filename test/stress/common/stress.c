/* SPDX-License-Identifier: MIT */
#include "stress.h"
#include "process.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Each test may take so much longer than its share. */
#define EXTRA_SECONDS 100

/* Shared with children. */
static __u64 *nr_all_done;

static unsigned share_ms;
static unsigned long long end_ms;
static unsigned random_state = 1;

void ledger_open(struct ledger *ledger, unsigned max)
{
	memset(ledger, 0, sizeof(*ledger));
	ledger->max = max < LEDGER_SLOTS ? max : LEDGER_SLOTS;
}

unsigned ledger_in_flight(const struct ledger *ledger)
{
	return __atomic_load_n(&ledger->nr_in_flight, __ATOMIC_ACQUIRE);
}

bool ledger_has_room(const struct ledger *ledger)
{
	return ledger_in_flight(ledger) < ledger->max;
}

__u64 ledger_issue(struct ledger *ledger)
{
	unsigned idx;

	assert_true(ledger_has_room(ledger));
	do {
		idx = ledger->next++ % LEDGER_SLOTS;
	} while (__atomic_load_n(&ledger->slots[idx].in_flight, __ATOMIC_ACQUIRE));
	ledger->slots[idx].turn++;
	__atomic_add_fetch(&ledger->nr_in_flight, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&ledger->slots[idx].in_flight, 1, __ATOMIC_RELEASE);
	return (__u64)ledger->slots[idx].turn << 32 | idx;
}

bool ledger_done(struct ledger *ledger, __u64 user_data)
{
	unsigned idx = (unsigned)user_data;

	if (idx >= LEDGER_SLOTS || !__atomic_load_n(&ledger->slots[idx].in_flight, __ATOMIC_ACQUIRE) ||
	    ledger->slots[idx].turn != user_data >> 32) {
		print_error("a CQE of user_data %#llx, which is not in flight\n",
			    (unsigned long long)user_data);
		ledger->nr_wrong++;
		return false;
	}
	ledger->nr_done++;
	__atomic_store_n(&ledger->slots[idx].in_flight, 0, __ATOMIC_RELEASE);
	__atomic_sub_fetch(&ledger->nr_in_flight, 1, __ATOMIC_RELEASE);
	return true;
}

bool ledger_close(struct ledger *ledger)
{
	__u64 nr_issued = 0;
	unsigned i;

	for (i = 0; i < LEDGER_SLOTS; i++)
		nr_issued += ledger->slots[i].turn;
	__atomic_add_fetch(nr_all_done, ledger->nr_done, __ATOMIC_RELAXED);
	if (!ledger->nr_wrong && ledger->nr_done == nr_issued && !ledger->nr_in_flight)
		return true;
	print_error("%llu requests, %llu completed, %u in flight, %u CQEs of none\n",
		    (unsigned long long)nr_issued, (unsigned long long)ledger->nr_done,
		    ledger->nr_in_flight, ledger->nr_wrong);
	return false;
}

void ledger_check_at(struct ledger *ledger, const char *file, int line)
{
	if (!ledger_close(ledger))
		test_failed(file, line);
}

void stress_share(unsigned nr_tests)
{
	const char *text = getenv("STRESS_MS");
	unsigned all_ms = text && *text ? (unsigned)strtoul(text, NULL, 10) : STRESS_DEFAULT_MS;

	share_ms = all_ms / nr_tests;
	nr_all_done = mmap(NULL, sizeof(*nr_all_done), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (nr_all_done == MAP_FAILED)
		abort();
}

int stress_begin(void **state)
{
	end_ms = now_ms() + share_ms;
	alarm(EXTRA_SECONDS + 2 * share_ms / 1000);
	return 0;
}

int stress_end(void **state)
{
	alarm(0);
	return 0;
}

int stress_finish(int ret)
{
	printf("summary: stress: %llu requests, each completed once\n",
	       (unsigned long long)*nr_all_done);
	return ret;
}

bool stress_goes_on(void)
{
	return now_ms() < end_ms;
}

unsigned stress_random(unsigned max)
{
	unsigned x = __atomic_fetch_add(&random_state, 0x9e3779b9, __ATOMIC_RELAXED);

	x ^= x >> 16;
	x *= 0x85ebca6b;
	x ^= x >> 13;
	x *= 0xc2b2ae35;
	x ^= x >> 16;
	return x % max;
}

void stress_submit(struct io_uring *ring, struct ledger *ledger)
{
	int ret;

	do {
		ret = io_uring_submit(ring);
		if (ret == -EBUSY || ret == -EAGAIN)
			stress_reap(ring, ledger);
		else if (ret < 0 && ret != -EINTR)
			fail_msg("io_uring_submit: %d", ret);
	} while (ret < 0 || (!(ring->flags & IORING_SETUP_SQPOLL) && io_uring_sq_ready(ring)));
}

struct io_uring_sqe *stress_sqe(struct io_uring *ring, struct ledger *ledger)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(ring);

	while (!sqe) {
		stress_submit(ring, ledger);
		assert_true(io_uring_sqring_wait(ring) >= -EINTR);
		sqe = io_uring_get_sqe(ring);
	}
	sqe->user_data = ledger_issue(ledger);
	return sqe;
}

void stress_nop(struct io_uring *ring, struct ledger *ledger)
{
	io_uring_prep_nop(stress_sqe(ring, ledger));
}

void stress_async_nop(struct io_uring *ring, struct ledger *ledger)
{
	struct io_uring_sqe *sqe = stress_sqe(ring, ledger);

	io_uring_prep_nop(sqe);
	sqe->flags |= IOSQE_ASYNC;
}

void stress_timeout(struct io_uring *ring, struct ledger *ledger)
{
	static struct __kernel_timespec times[] = {
		{ 0, 20000 }, { 0, 100000 }, { 0, 180000 }, { 0, 250000 }, { 0, 700000 },
	};

	io_uring_prep_timeout(stress_sqe(ring, ledger),
			      &times[stress_random(ARRAY_LEN(times))], 0, 0);
}

void stress_any(struct io_uring *ring, struct ledger *ledger)
{
	unsigned kind = stress_random(8);

	if (kind < 4)
		stress_timeout(ring, ledger);
	else if (kind < 5)
		stress_async_nop(ring, ledger);
	else
		stress_nop(ring, ledger);
}

void stress_see(struct io_uring *ring, struct ledger *ledger, struct io_uring_cqe *cqe)
{
	if (cqe->res && cqe->res != -ETIME)
		fail_msg("user_data %#llx: result %d", (unsigned long long)cqe->user_data, cqe->res);
	ledger_done(ledger, cqe->user_data);
	io_uring_cqe_seen(ring, cqe);
}

void stress_reap(struct io_uring *ring, struct ledger *ledger)
{
	struct io_uring_cqe *cqe;

	while (!io_uring_peek_cqe(ring, &cqe))
		stress_see(ring, ledger, cqe);
}

void stress_drain(struct io_uring *ring, struct ledger *ledger)
{
	struct io_uring_cqe *cqe;
	int ret;

	stress_submit(ring, ledger);
	while (ledger_in_flight(ledger)) {
		ret = io_uring_wait_cqe(ring, &cqe);
		if (!ret)
			stress_see(ring, ledger, cqe);
		else if (ret != -EINTR && ret != -EAGAIN)
			fail_msg("io_uring_wait_cqe: %d", ret);
	}
	assert_int_equal(io_uring_peek_cqe(ring, &cqe), -EAGAIN);
	assert_null(cqe);
}
