/* SPDX-License-Identifier: MIT */
/*
 * The index of a registered ring is one of its thread. An exit, or io_uring_unregister_ring_fd,
 * in another thread dropped the ring that had the same index there.
 */
#include "test.h"

#include <pthread.h>
#include "ring.h"

static struct io_uring theirs;

static void *register_theirs(void *start)
{
	assert_int_equal(io_uring_queue_init(8, &theirs, 0), 0);
	assert_int_equal(io_uring_register_ring_fd(&theirs), 1);
	pthread_barrier_wait(start);
	pthread_barrier_wait(start);
	return NULL;
}

static void test_index_of_another_thread(void **state)
{
	struct io_uring mine;
	struct io_uring_cqe *cqe;
	pthread_barrier_t barrier;
	pthread_t thread;

	require_ret("io_uring_queue_init", io_uring_queue_init(8, &mine, 0));
	require_ret("io_uring_register_ring_fd", io_uring_register_ring_fd(&mine));
	pthread_barrier_init(&barrier, NULL, 2);
	assert_int_equal(pthread_create(&thread, NULL, register_theirs, &barrier), 0);
	pthread_barrier_wait(&barrier);
	assert_int_equal(theirs.enter_ring_fd, mine.enter_ring_fd);

	assert_int_equal(io_uring_unregister_ring_fd(&theirs), -EINVAL);
	io_uring_queue_exit(&theirs);

	io_uring_prep_nop(io_uring_get_sqe(&mine));
	assert_int_equal(io_uring_submit_and_wait(&mine, 1), 1);
	assert_int_equal(io_uring_wait_cqe(&mine, &cqe), 0);
	io_uring_cqe_seen(&mine, cqe);
	assert_int_equal(io_uring_unregister_ring_fd(&mine), 1);
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	pthread_barrier_destroy(&barrier);
	io_uring_queue_exit(&mine);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		timed_test(test_index_of_another_thread),
	};

	return cmocka_run_group_tests_name("exit_in_another_thread", tests, NULL, NULL);
}
