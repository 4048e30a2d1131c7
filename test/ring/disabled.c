/* SPDX-License-Identifier: MIT */
/*
 * Rings that start disabled, and who may use a ring that belongs to one thread.
 */
#include "test.h"

#include "ring.h"

#include <errno.h>
#include <pthread.h>

#define DISABLED IORING_SETUP_R_DISABLED
#define SINGLE IORING_SETUP_SINGLE_ISSUER
#define DEFER (IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN)

/* ring_open enables: here the ring is to stay as it was set up. */
static void open_disabled(struct io_uring *ring, unsigned flags)
{
	int ret = io_uring_queue_init(8, ring, flags | DISABLED);
	int answer = ret ? ring_ask(flags | DISABLED) : 0;

	if (answer)
		skip_because("the kernel refuses a ring of %#x: %s", flags | DISABLED,
			     strerror(-answer));
	assert_int_equal(ret, 0);
}

static void check_enabling(unsigned flags)
{
	struct io_uring_cqe *cqe;
	struct io_uring_sqe *sqe;
	struct io_uring ring;

	open_disabled(&ring, flags);
	sqe = next_sqe(&ring);
	io_uring_prep_nop(sqe);
	io_uring_sqe_set_data64(sqe, 1);
	if (!(flags & IORING_SETUP_SQPOLL)) {
		assert_int_equal(io_uring_submit(&ring), -EBADFD);
		assert_int_equal(io_uring_submit_and_wait(&ring, 1), -EBADFD);
		assert_int_equal(io_uring_wait_cqe(&ring, &cqe), -EBADFD);
		assert_null(cqe);
	}
	assert_int_equal(io_uring_sq_ready(&ring), 1);
	assert_int_equal(io_uring_enable_rings(&ring), 0);
	/* Nothing of it is lost. */
	submit_ok(&ring, 1);
	assert_int_equal(wait_for_tag(&ring, 1), 0);
	assert_int_equal(io_uring_enable_rings(&ring), -EBADFD);
	io_uring_prep_nop(next_sqe(&ring));
	assert_int_equal(submit_one(&ring, NULL), 0);
	io_uring_queue_exit(&ring);
}

static void test_enable(void **state)
{
	check_enabling(0);
}

static void test_enable_deferred(void **state)
{
	check_enabling(DEFER);
}

static void test_enable_sqpoll(void **state)
{
	check_enabling(IORING_SETUP_SQPOLL);
}

static void test_not_disabled(void **state)
{
	struct io_uring ring;

	ring_open_flags(&ring, 8, 0);
	assert_int_equal(io_uring_enable_rings(&ring), -EBADFD);
	io_uring_queue_exit(&ring);
}

/* What the other thread's calls returned. */
struct other_thread {
	struct io_uring *ring;
	bool enables;
	int enabled;
	int submitted;
	int waited;
	int res;
};

static void *use_ring(void *arg)
{
	struct other_thread *other = arg;
	struct io_uring_cqe *cqe;

	if (other->enables)
		other->enabled = io_uring_enable_rings(other->ring);
	io_uring_prep_nop(io_uring_get_sqe(other->ring));
	other->submitted = io_uring_submit(other->ring);
	if (other->submitted < 0)
		return NULL;
	other->waited = io_uring_wait_cqe(other->ring, &cqe);
	if (other->waited)
		return NULL;
	other->res = cqe->res;
	io_uring_cqe_seen(other->ring, cqe);
	return NULL;
}

static void run_other_thread(struct other_thread *other)
{
	pthread_t thread;

	other->res = other->waited = other->enabled = 1;
	assert_int_equal(pthread_create(&thread, NULL, use_ring, other), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
}

/* Whoever enables it is its submitter, whoever made it. */
static void check_hand_over(unsigned flags)
{
	struct other_thread other = { .enables = true };
	struct io_uring ring;

	require_no_checks();
	open_disabled(&ring, flags);
	other.ring = &ring;
	run_other_thread(&other);
	assert_int_equal(other.enabled, 0);
	assert_int_equal(other.submitted, 1);
	assert_int_equal(other.waited, 0);
	assert_int_equal(other.res, 0);

	io_uring_prep_nop(next_sqe(&ring));
	assert_int_equal(io_uring_submit(&ring), -EEXIST);
	assert_int_equal(io_uring_sq_ready(&ring), 1);
	io_uring_queue_exit(&ring);
}

static void test_hand_over(void **state)
{
	check_hand_over(SINGLE);
}

static void test_hand_over_deferred(void **state)
{
	check_hand_over(DEFER);
}

/* Another thread's submit is refused, and costs the owner nothing. */
static void check_owner(unsigned flags, int refusal)
{
	struct other_thread other = { .enables = false };
	struct io_uring ring;

	ring_open_flags(&ring, 8, flags);
	other.ring = &ring;
	run_other_thread(&other);
	assert_int_equal(other.submitted, refusal);
	if (refusal < 0) {
		assert_int_equal(io_uring_sq_ready(&ring), 1);
		assert_int_equal(submit_one(&ring, NULL), 0);
	} else {
		assert_int_equal(other.res, 0);
	}
	io_uring_prep_nop(next_sqe(&ring));
	assert_int_equal(submit_one(&ring, NULL), 0);
	io_uring_queue_exit(&ring);
}

static void test_owner(void **state)
{
	require_no_checks();
	check_owner(0, 1);
	check_owner(SINGLE, -EEXIST);
}

static void test_owner_deferred(void **state)
{
	require_no_checks();
	check_owner(DEFER, -EEXIST);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		timed_test(test_enable),
		timed_test(test_enable_deferred),
		timed_test(test_enable_sqpoll),
		timed_test(test_not_disabled),
		timed_test(test_hand_over),
		timed_test(test_hand_over_deferred),
		timed_test(test_owner),
		timed_test(test_owner_deferred),
	};

	return cmocka_run_group_tests_name("disabled", tests, NULL, NULL);
}
