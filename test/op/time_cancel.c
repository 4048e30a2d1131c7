/* SPDX-License-Identifier: MIT */
/*
 * Cancellation: which requests each way of matching finds, what it answers, and
 * what becomes of the request.
 */
#include "test.h"

#include "op_dir.h"
#include "op_run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#define NR_REQUESTS 6
#define CANCEL 9

/*
 * Requests that wait for ever, by tag: 1 and 2 poll the first pipe, 3 polls the
 * second, 4 reads the second, 5 polls slot 0 of the file table (the third pipe).
 */
struct waiting {
	struct io_uring *ring;
	int fds[3][2];
	bool done[NR_REQUESTS];
};

static void start_waiting(struct waiting *waiting, struct io_uring *ring)
{
	static char byte;
	struct io_uring_sqe *sqe;
	int i;

	*waiting = (struct waiting){ .ring = ring };
	for (i = 0; i < 3; i++)
		assert_int_equal(pipe2(waiting->fds[i], O_CLOEXEC), 0);
	assert_int_equal(io_uring_register_files(ring, &waiting->fds[2][0], 1), 0);
	io_uring_prep_poll_add(op_sqe(ring, 1), waiting->fds[0][0], POLLIN);
	io_uring_prep_poll_add(op_sqe(ring, 2), waiting->fds[0][0], POLLIN);
	io_uring_prep_poll_add(op_sqe(ring, 3), waiting->fds[1][0], POLLIN);
	io_uring_prep_read(op_sqe(ring, 4), waiting->fds[1][0], &byte, 1, 0);
	sqe = op_sqe(ring, 5);
	io_uring_prep_poll_add(sqe, 0, POLLIN);
	io_uring_sqe_set_flags(sqe, IOSQE_FIXED_FILE);
	op_submit(ring);
	no_cqe(ring);
}

/* The cancel that was prepared answers so, and just these requests are cancelled. */
static void expect_cancelled(struct waiting *waiting, int answer, const char *tags)
{
	struct op_result results[CANCEL + 1];
	unsigned nr = (unsigned)strlen(tags);

	op_submit(waiting->ring);
	op_collect(waiting->ring, nr + 1, results);
	op_check(results[CANCEL].res, answer);
	for (; *tags; tags++) {
		op_check(results[*tags - '0'].res, -ECANCELED);
		waiting->done[*tags - '0'] = true;
	}
	no_cqe(waiting->ring);
}

/* What was not cancelled is alive: it sees what comes. */
static void stop_waiting(struct waiting *waiting)
{
	struct op_result results[NR_REQUESTS];
	unsigned nr = 0;
	int i;

	for (i = 0; i < 3; i++)
		assert_int_equal(write(waiting->fds[i][1], "x", 1), 1);
	for (i = 1; i < NR_REQUESTS; i++)
		nr += !waiting->done[i];
	op_collect(waiting->ring, nr, results);
	for (i = 1; i < NR_REQUESTS; i++) {
		if (!waiting->done[i])
			op_check(results[i].res, i == 4 ? 1 : POLLIN);
	}
	assert_int_equal(io_uring_unregister_files(waiting->ring), 0);
	for (i = 0; i < 3; i++) {
		close(waiting->fds[i][0]);
		close(waiting->fds[i][1]);
	}
}

static void test_by_user_data(void **state)
{
	struct io_uring *ring = *state;
	struct waiting waiting;

	start_waiting(&waiting, ring);
	io_uring_prep_cancel64(op_sqe(ring, CANCEL), 2, 0);
	expect_cancelled(&waiting, 0, "2");
	io_uring_prep_cancel64(op_sqe(ring, CANCEL), 2, 0);
	expect_cancelled(&waiting, -ENOENT, "");
	/* The same with the user_data as a pointer. */
	io_uring_prep_cancel(op_sqe(ring, CANCEL), (void *)(uintptr_t)4, 0);
	expect_cancelled(&waiting, 0, "4");
	io_uring_prep_cancel64(op_sqe(ring, CANCEL), 3, IORING_ASYNC_CANCEL_USERDATA);
	expect_cancelled(&waiting, 0, "3");
	io_uring_prep_cancel64(op_sqe(ring, CANCEL), 1, 1 << 30);
	expect_cancelled(&waiting, -EINVAL, "");
	stop_waiting(&waiting);
}

static void test_by_descriptor(void **state)
{
	struct io_uring *ring = *state;
	struct waiting waiting;

	start_waiting(&waiting, ring);
	io_uring_prep_cancel_fd(op_sqe(ring, CANCEL), waiting.fds[1][0],
				IORING_ASYNC_CANCEL_ALL);
	expect_cancelled(&waiting, 2, "34");
	io_uring_prep_cancel_fd(op_sqe(ring, CANCEL), waiting.fds[1][0], 0);
	expect_cancelled(&waiting, -ENOENT, "");
	io_uring_prep_cancel_fd(op_sqe(ring, CANCEL), 0, IORING_ASYNC_CANCEL_FD_FIXED);
	expect_cancelled(&waiting, 0, "5");
	io_uring_prep_cancel_fd(op_sqe(ring, CANCEL), 4095, 0);
	expect_cancelled(&waiting, -EBADF, "");
	stop_waiting(&waiting);
}

/* One descriptor has two requests: the first match is cancelled. */
static void test_first_of_descriptor(void **state)
{
	struct io_uring *ring = *state;
	struct op_result results[CANCEL + 1] = { 0 };
	struct waiting waiting;

	start_waiting(&waiting, ring);
	io_uring_prep_cancel_fd(op_sqe(ring, CANCEL), waiting.fds[0][0], 0);
	op_submit(ring);
	op_collect(ring, 2, results);
	op_check(results[CANCEL].res, 0);
	assert_true((results[1].res == -ECANCELED) != (results[2].res == -ECANCELED));
	waiting.done[results[1].res ? 1 : 2] = true;
	stop_waiting(&waiting);
}

static void test_by_opcode(void **state)
{
	struct io_uring *ring = *state;
	struct io_uring_sqe *sqe;
	struct op_result result;
	struct waiting waiting;

	start_waiting(&waiting, ring);
	sqe = op_sqe(ring, CANCEL);
	io_uring_prep_cancel64(sqe, 0, IORING_ASYNC_CANCEL_OP);
	sqe->len = IORING_OP_ACCEPT;
	op_submit(ring);
	result = op_take(ring);
	if (result.res == -EINVAL)
		skip_because("the kernel does not cancel by opcode");
	op_check(result.res, -ENOENT);

	sqe = op_sqe(ring, CANCEL);
	io_uring_prep_cancel64(sqe, 0, IORING_ASYNC_CANCEL_OP);
	sqe->len = IORING_OP_READ;
	expect_cancelled(&waiting, 0, "4");
	sqe = op_sqe(ring, CANCEL);
	io_uring_prep_cancel64(sqe, 0, IORING_ASYNC_CANCEL_OP | IORING_ASYNC_CANCEL_ALL);
	sqe->len = IORING_OP_POLL_ADD;
	expect_cancelled(&waiting, 4, "1235");
	stop_waiting(&waiting);
}

/* Whatever there is; one that matches anything stands for all. */
static void test_all(void **state)
{
	struct io_uring *ring = *state;
	const int flags[] = { IORING_ASYNC_CANCEL_ANY,
			      IORING_ASYNC_CANCEL_ANY | IORING_ASYNC_CANCEL_ALL };
	struct waiting waiting;
	size_t i;

	for (i = 0; i < ARRAY_LEN(flags); i++) {
		start_waiting(&waiting, ring);
		io_uring_prep_cancel64(op_sqe(ring, CANCEL), 0, flags[i]);
		expect_cancelled(&waiting, 5, "12345");
		io_uring_prep_cancel64(op_sqe(ring, CANCEL), 0, flags[i]);
		expect_cancelled(&waiting, 0, "");
		stop_waiting(&waiting);
	}
}

/* One user_data three times over: one cancel for one, or for all that are left. */
static void test_same_user_data(void **state)
{
	struct io_uring *ring = *state;
	int fds[2], i;

	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	for (i = 0; i < 3; i++)
		io_uring_prep_poll_add(op_sqe(ring, 1), fds[0], POLLIN);
	op_submit(ring);
	io_uring_prep_cancel64(op_sqe(ring, 1), 1, 0);
	op_submit(ring);
	assert_int_equal(op_take(ring).res + op_take(ring).res, -ECANCELED);
	no_cqe(ring);
	io_uring_prep_cancel64(op_sqe(ring, 1), 1, IORING_ASYNC_CANCEL_ALL);
	op_submit(ring);
	assert_int_equal(op_take(ring).res + op_take(ring).res + op_take(ring).res,
			 2 - 2 * ECANCELED);
	no_cqe(ring);
	close(fds[0]);
	close(fds[1]);
}

/* Closing the descriptor ends nothing: the request has the file, and goes on. */
static void test_close_cancels_nothing(void **state)
{
	struct io_uring *ring = *state;
	int fds[2];
	char byte;

	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	io_uring_prep_read(op_sqe(ring, 1), fds[0], &byte, 1, 0);
	op_submit(ring);
	close(fds[0]);
	no_cqe(ring);
	assert_int_equal(write(fds[1], "x", 1), 1);
	op_expect(ring, 1, 1);
	assert_int_equal(byte, 'x');
	close(fds[1]);
}

/*
 * A worker that sits in a system call can only be interrupted: -EALREADY. Opening
 * a FIFO is such a call, until there is a writer.
 */
static void test_running(void **state)
{
	struct io_uring *ring = *state;
	struct op_result results[CANCEL + 1];
	struct io_uring_sqe *sqe;
	unsigned ms;

	assert_int_equal(mkfifo("fifo", 0600), 0);
	for (ms = 1; ms < 5000; ms *= 2) {
		sqe = op_sqe(ring, 1);
		io_uring_prep_open(sqe, "fifo", O_RDONLY | O_CLOEXEC, 0);
		io_uring_sqe_set_flags(sqe, IOSQE_ASYNC);
		op_submit(ring);
		sleep_ms(ms);
		io_uring_prep_cancel64(op_sqe(ring, CANCEL), 1, 0);
		op_submit(ring);
		op_collect(ring, 2, results);
		if (results[CANCEL].res == -EALREADY)
			break;
		/* Something else had interrupted it. */
		if (results[CANCEL].res == -ENOENT && results[1].res < 0)
			continue;
		/* It had not begun. */
		op_check(results[CANCEL].res, 0);
		op_check(results[1].res, -ECANCELED);
	}
	op_check(results[CANCEL].res, -EALREADY);
	/* Interrupted, by whatever errno: kernels let ERESTARTSYS through here. */
	assert_true(results[1].res < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		op_test(test_by_user_data),
		op_test(test_by_descriptor),
		op_test(test_first_of_descriptor),
		op_test(test_by_opcode),
		op_test(test_all),
		op_test(test_same_user_data),
		op_test(test_close_cancels_nothing),
		op_test(test_running),
	};

	return cmocka_run_group_tests(tests, op_dir_setup, op_dir_teardown);
}
