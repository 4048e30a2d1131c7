/* SPDX-License-Identifier: MIT */
/*
 * Rings entered by a registered index, also after their real descriptor is
 * closed, on rings of every kind.
 */
#include "test.h"

#include "ring.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#define ONLY_REGISTERED IORING_SETUP_REGISTERED_FD_ONLY
#define REG_RING 0x10
#define REG_REG_RING 0x01
/* The kernel keeps so many registered rings for a thread. */
#define MAX_REGISTERED 16

static void ring_works(struct io_uring *ring)
{
	struct __kernel_timespec ts = { .tv_nsec = 1000000 };
	struct io_uring_cqe *cqe;
	struct io_uring_sqe *sqe = next_sqe(ring);

	io_uring_prep_nop(sqe);
	io_uring_sqe_set_data64(sqe, 5);
	submit_ok(ring, 1);
	assert_int_equal(wait_for_tag(ring, 5), 0);

	io_uring_prep_nop(next_sqe(ring));
	assert_true(io_uring_submit_and_wait(ring, 1) >= 0);
	assert_int_equal(wait_one(ring, NULL), 0);
	assert_int_equal(io_uring_get_events(ring), 0);
	assert_int_equal(io_uring_peek_cqe(ring, &cqe), -EAGAIN);
	assert_int_equal(io_uring_wait_cqe_timeout(ring, &cqe, &ts), -ETIME);
}

static void register_ring(struct io_uring *ring)
{
	int ret = io_uring_register_ring_fd(ring);

	require_ret("a registered ring", ret);
	assert_int_equal(ret, 1);
	assert_true(ring->int_flags & REG_RING);
}

static void test_register(struct io_uring *ring)
{
	int fd = ring->ring_fd;
	unsigned lap;

	assert_int_equal(io_uring_unregister_ring_fd(ring), -EINVAL);
	for (lap = 0; lap < 3; lap++) {
		register_ring(ring);
		assert_int_equal(ring->ring_fd, fd);
		ring_works(ring);
		assert_int_equal(io_uring_register_ring_fd(ring), -EEXIST);
		ring_works(ring);
		assert_int_equal(io_uring_unregister_ring_fd(ring), 1);
		assert_false(ring->int_flags & (REG_RING | REG_REG_RING));
		assert_int_equal(ring->enter_ring_fd, fd);
		ring_works(ring);
		assert_int_equal(io_uring_unregister_ring_fd(ring), -EINVAL);
		ring_works(ring);
	}
}

/* The real descriptor is not looked at: the ring works when it is another file. */
static void test_enters_by_index(struct io_uring *ring)
{
	int fd = ring->ring_fd, kept = dup(fd), other;

	register_ring(ring);
	other = temp_file(0);
	assert_int_equal(dup2(other, fd), fd);
	ring_works(ring);
	assert_int_equal(dup2(kept, fd), fd);
	close(kept);
	close(other);
}

static void test_close(struct io_uring *ring)
{
	struct holdings before, after;

	if (!(ring->features & IORING_FEAT_REG_REG_RING))
		skip_because("the kernel's features have no REG_REG_RING");
	holdings_take(&before);
	if (!(ring->flags & ONLY_REGISTERED)) {
		assert_int_equal(io_uring_close_ring_fd(ring), -EINVAL);
		ring_works(ring);
		register_ring(ring);
		assert_int_equal(io_uring_close_ring_fd(ring), 1);
		holdings_take(&after);
		assert_int_equal(after.nr_fds, before.nr_fds - 1);
	}
	assert_int_equal(ring->ring_fd, -1);
	ring_works(ring);
	assert_int_equal(io_uring_close_ring_fd(ring), -EBADF);
	assert_int_equal(io_uring_register_ring_fd(ring), -EEXIST);
	ring_works(ring);
}

/* Nothing is left to enter by, and nothing else is harmed. */
static void test_unregister_closed(struct io_uring *ring)
{
	if (!(ring->features & IORING_FEAT_REG_REG_RING))
		skip_because("the kernel's features have no REG_REG_RING");
	if (!(ring->flags & ONLY_REGISTERED)) {
		register_ring(ring);
		assert_int_equal(io_uring_close_ring_fd(ring), 1);
	}
	assert_int_equal(io_uring_unregister_ring_fd(ring), 1);
	assert_int_equal(io_uring_unregister_ring_fd(ring), -EINVAL);
	assert_int_equal(io_uring_get_events(ring), -EBADF);
	assert_int_equal(io_uring_close_ring_fd(ring), -EINVAL);
}

struct other_thread {
	struct io_uring *ring;
	int enter_ret;
	int own_ret;
	int own_res;
};

static void *use_from_other_thread(void *arg)
{
	struct other_thread *other = arg;
	struct io_uring_cqe *cqe;
	struct io_uring own;

	/* The index is the registering thread's: this one has no such ring. */
	other->enter_ret = io_uring_get_events(other->ring);

	other->own_ret = io_uring_queue_init(4, &own, 0);
	if (other->own_ret)
		return NULL;
	other->own_ret = io_uring_register_ring_fd(&own);
	io_uring_prep_nop(io_uring_get_sqe(&own));
	io_uring_submit(&own);
	other->own_res = io_uring_wait_cqe(&own, &cqe);
	if (!other->own_res)
		other->own_res = cqe->res;
	io_uring_queue_exit(&own);
	return NULL;
}

static void test_other_thread(struct io_uring *ring)
{
	struct other_thread other = { .ring = ring, .own_res = 1 };
	pthread_t thread;

	if (ring->flags & IORING_SETUP_SINGLE_ISSUER)
		require_no_checks();
	register_ring(ring);
	assert_int_equal(pthread_create(&thread, NULL, use_from_other_thread, &other), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_true(other.enter_ret == -EINVAL || other.enter_ret == -EBADF);
	assert_int_equal(other.own_ret, 1);
	assert_int_equal(other.own_res, 0);
	ring_works(ring);
}

/* There is an index for so many; the next ring stays usable without. */
static void test_too_many(void **state)
{
	struct io_uring rings[MAX_REGISTERED + 1];
	struct holdings before;
	unsigned i;

	holdings_take(&before);
	for (i = 0; i <= MAX_REGISTERED; i++)
		ring_open_flags(&rings[i], 4, 0);
	for (i = 0; i < MAX_REGISTERED; i++)
		register_ring(&rings[i]);
	assert_true(io_uring_register_ring_fd(&rings[i]) < 0);
	assert_false(rings[i].int_flags & REG_RING);
	assert_int_equal(rings[i].enter_ring_fd, rings[i].ring_fd);
	for (i = 0; i <= MAX_REGISTERED; i++)
		ring_works(&rings[i]);

	/* An exit gives the index back. */
	io_uring_queue_exit(&rings[3]);
	register_ring(&rings[MAX_REGISTERED]);
	ring_works(&rings[MAX_REGISTERED]);
	ring_open_flags(&rings[3], 4, 0);
	for (i = 0; i <= MAX_REGISTERED; i++)
		io_uring_queue_exit(&rings[i]);
	holdings_same(&before);
}

int main(void)
{
	static const struct ring_case cases[] = {
		{ "registered ring of", test_register, ONLY_REGISTERED, 0 },
		{ "registered index alone on", test_enters_by_index, ONLY_REGISTERED, 0 },
		{ "closed descriptor of", test_close, 0, 0 },
		{ "closed and unregistered on", test_unregister_closed, 0, 0 },
		{ "other thread on", test_other_thread, ONLY_REGISTERED, 0 },
	};
	static const struct CMUnitTest tests[] = { timed_test(test_too_many) };
	int nr_failed = cmocka_run_group_tests_name("registered", tests, NULL, NULL);

	return nr_failed + ring_run_cases("registered on every kind", cases, ARRAY_LEN(cases));
}
