/* SPDX-License-Identifier: MIT */
/*
 * Making sockets and connections, and ending them. What came of it is asked of the
 * sockets with plain system calls.
 */
#include "test.h"

#include "op_net.h"
#include "op_run.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define NOT_OPEN 4095
#define SLOTS 4

static void test_socket(void **state)
{
	struct io_uring *ring = *state;
	int fd;

	require_op(IORING_OP_SOCKET);
	io_uring_prep_socket(op_sqe(ring, 1), AF_UNIX,
			     SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, 0);
	fd = op_run(ring);
	assert_true(fd >= 0);
	assert_int_equal(net_option(fd, SOL_SOCKET, SO_DOMAIN), AF_UNIX);
	assert_int_equal(net_option(fd, SOL_SOCKET, SO_TYPE), SOCK_DGRAM);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	assert_true(fcntl(fd, F_GETFL) & O_NONBLOCK);
	close(fd);
	io_uring_prep_socket(op_sqe(ring, 1), AF_UNIX, SOCK_STREAM, 0, 0);
	fd = op_run(ring);
	assert_true(fd >= 0);
	assert_int_equal(fcntl(fd, F_GETFD), 0);
	assert_int_equal(net_option(fd, SOL_SOCKET, SO_TYPE), SOCK_STREAM);
	close(fd);

	io_uring_prep_socket(op_sqe(ring, 1), 999, SOCK_STREAM, 0, 0);
	op_check(op_run(ring), -EAFNOSUPPORT);
	io_uring_prep_socket(op_sqe(ring, 1), AF_UNIX, SOCK_STREAM, 99, 0);
	op_check(op_run(ring), -EPROTONOSUPPORT);
	io_uring_prep_socket(op_sqe(ring, 1), AF_UNIX, SOCK_STREAM, 0, 1);
	op_check(op_run(ring), -EINVAL);
}

/* Shut the socket in a slot down, which works with a socket only. */
static int try_slot(struct io_uring *ring, int slot)
{
	struct io_uring_sqe *sqe = op_sqe(ring, 200);

	io_uring_prep_shutdown(sqe, slot, SHUT_RDWR);
	io_uring_sqe_set_flags(sqe, IOSQE_FIXED_FILE);
	return op_run(ring);
}

static void test_socket_direct(void **state)
{
	struct io_uring *ring = *state;
	struct holdings before;
	int slot;

	require_op(IORING_OP_SOCKET);
	assert_int_equal(io_uring_register_files_sparse(ring, 2), 0);
	holdings_take(&before);
	io_uring_prep_socket_direct(op_sqe(ring, 1), AF_UNIX, SOCK_STREAM, 0, 1, 0);
	op_check(op_run(ring), 0);
	op_check(try_slot(ring, 0), -EBADF);
	op_check(try_slot(ring, 1), 0);
	io_uring_prep_socket_direct_alloc(op_sqe(ring, 1), AF_UNIX, SOCK_STREAM, 0, 0);
	slot = op_run(ring);
	op_check(slot, 0);
	op_check(try_slot(ring, slot), 0);
	holdings_same(&before);

	io_uring_prep_socket_direct(op_sqe(ring, 1), AF_UNIX, SOCK_STREAM, 0,
				    IORING_FILE_INDEX_ALLOC, 0);
	op_check(op_run(ring), -ENFILE);
	io_uring_prep_socket_direct(op_sqe(ring, 1), AF_UNIX, SOCK_STREAM, 0, 2, 0);
	op_check(op_run(ring), -EINVAL);
	io_uring_prep_socket_direct(op_sqe(ring, 1), AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, 1, 0);
	op_check(op_run(ring), -EINVAL);
}

static void test_bind_listen(void **state)
{
	struct io_uring *ring = *state;
	struct sockaddr_in addr = net_address(0), bound, other;
	socklen_t addr_sz = sizeof(bound);
	int fd, file = temp_file(1);

	require_op(IORING_OP_BIND);
	close(net_bound(SOCK_STREAM, &other));
	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	io_uring_prep_bind(op_sqe(ring, 1), fd, (struct sockaddr *)&addr, sizeof(addr));
	op_check(op_run(ring), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&bound, &addr_sz), 0);
	assert_int_equal(ntohl(bound.sin_addr.s_addr), INADDR_LOOPBACK);
	assert_int_not_equal(bound.sin_port, 0);
	io_uring_prep_bind(op_sqe(ring, 1), fd, (struct sockaddr *)&addr, sizeof(addr));
	op_check(op_run(ring), -EINVAL);

	assert_int_equal(net_option(fd, SOL_SOCKET, SO_ACCEPTCONN), 0);
	io_uring_prep_listen(op_sqe(ring, 1), fd, 5);
	op_check(op_run(ring), 0);
	assert_int_equal(net_option(fd, SOL_SOCKET, SO_ACCEPTCONN), 1);
	close(net_connect(&bound));

	io_uring_prep_bind(op_sqe(ring, 1), file, (struct sockaddr *)&addr, sizeof(addr));
	op_check(op_run(ring), -ENOTSOCK);
	io_uring_prep_bind(op_sqe(ring, 1), NOT_OPEN, (struct sockaddr *)&addr, sizeof(addr));
	op_check(op_run(ring), -EBADF);
	io_uring_prep_bind(op_sqe(ring, 1), fd, (struct sockaddr *)&addr, 4096);
	op_check(op_run(ring), -EINVAL);
	io_uring_prep_listen(op_sqe(ring, 1), file, 5);
	op_check(op_run(ring), -ENOTSOCK);
	io_uring_prep_listen(op_sqe(ring, 1), NOT_OPEN, 5);
	op_check(op_run(ring), -EBADF);
	close(fd);
	close(file);
}

static void test_connect(void **state)
{
	struct io_uring *ring = *state;
	struct sockaddr_in addr, peer;
	socklen_t addr_sz = sizeof(peer);
	int listener = net_listener(&addr);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	io_uring_prep_connect(op_sqe(ring, 1), fd, (struct sockaddr *)&addr, sizeof(addr));
	op_check(op_run(ring), 0);
	assert_int_equal(getpeername(fd, (struct sockaddr *)&peer, &addr_sz), 0);
	assert_true(net_same_address(&peer, &addr));
	io_uring_prep_connect(op_sqe(ring, 1), fd, (struct sockaddr *)&addr, sizeof(addr));
	op_check(op_run(ring), -EISCONN);
	close(fd);
	close(listener);

	/* Nobody listens there any more. */
	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	io_uring_prep_connect(op_sqe(ring, 1), fd, (struct sockaddr *)&addr, sizeof(addr));
	op_check(op_run(ring), -ECONNREFUSED);
	io_uring_prep_connect(op_sqe(ring, 1), fd, (struct sockaddr *)&addr, 4096);
	op_check(op_run(ring), -EINVAL);
	io_uring_prep_connect(op_sqe(ring, 1), NOT_OPEN, (struct sockaddr *)&addr, sizeof(addr));
	op_check(op_run(ring), -EBADF);
	close(fd);
}

static void test_accept(void **state)
{
	struct io_uring *ring = *state;
	struct sockaddr_in addr, peer, own;
	socklen_t peer_sz = sizeof(peer), own_sz = sizeof(own);
	int listener = net_listener(&addr);
	int fd, accepted;

	io_uring_prep_accept(op_sqe(ring, 1), listener, (struct sockaddr *)&peer, &peer_sz,
			     SOCK_CLOEXEC);
	op_submit(ring);
	no_cqe(ring);
	fd = net_connect(&addr);
	accepted = op_take(ring).res;
	assert_true(accepted >= 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&own, &own_sz), 0);
	assert_int_equal(peer_sz, sizeof(peer));
	assert_true(net_same_address(&peer, &own));
	assert_int_equal(fcntl(accepted, F_GETFD), FD_CLOEXEC);
	assert_int_equal(write(fd, "hello", 5), 5);
	assert_int_equal(read(accepted, &peer, 5), 5);
	close(accepted);
	close(fd);

	/* The connection is there already, and nobody wants the address. */
	fd = net_connect(&addr);
	io_uring_prep_accept(op_sqe(ring, 1), listener, NULL, NULL, SOCK_NONBLOCK);
	accepted = op_run(ring);
	assert_true(accepted >= 0);
	assert_true(fcntl(accepted, F_GETFL) & O_NONBLOCK);
	close(accepted);
	close(fd);
	close(listener);
}

static void test_accept_errors(void **state)
{
	struct io_uring *ring = *state;
	struct sockaddr_in addr;
	int listener = net_listener(&addr), bound = net_bound(SOCK_STREAM, &addr);
	struct op_result results[3];
	struct io_uring_sqe *sqe;

	io_uring_prep_accept(op_sqe(ring, 1), listener, NULL, NULL, 0);
	op_submit(ring);
	io_uring_prep_cancel64(op_sqe(ring, 2), 1, 0);
	op_submit(ring);
	op_collect(ring, 2, results);
	op_check(results[1].res, -ECANCELED);
	op_check(results[2].res, 0);

	sqe = op_sqe(ring, 1);
	io_uring_prep_accept(sqe, listener, NULL, NULL, 0);
	sqe->ioprio |= IORING_ACCEPT_DONTWAIT;
	op_check(op_run(ring), -EAGAIN);
	io_uring_prep_accept(op_sqe(ring, 1), bound, NULL, NULL, 0);
	op_check(op_run(ring), -EINVAL);
	io_uring_prep_accept(op_sqe(ring, 1), NOT_OPEN, NULL, NULL, 0);
	op_check(op_run(ring), -EBADF);
	close(bound);
	close(listener);
}

static void test_accept_direct(void **state)
{
	struct io_uring *ring = *state;
	struct io_uring_sqe *sqe;
	struct sockaddr_in addr;
	int listener = net_listener(&addr);
	char bytes[8];
	int fds[3], i;

	assert_int_equal(io_uring_register_files_sparse(ring, 2), 0);
	for (i = 0; i < 3; i++) {
		fds[i] = net_connect(&addr);
		assert_int_equal(write(fds[i], &"012"[i], 1), 1);
	}
	io_uring_prep_accept_direct(op_sqe(ring, 1), listener, NULL, NULL, 0, 1);
	op_check(op_run(ring), 0);
	io_uring_prep_accept_direct(op_sqe(ring, 1), listener, NULL, NULL, 0,
				    IORING_FILE_INDEX_ALLOC);
	op_check(op_run(ring), 0);
	/* The first connection is in slot 1, the second in slot 0. */
	for (i = 0; i < 2; i++) {
		sqe = op_sqe(ring, 1);
		io_uring_prep_read(sqe, 1 - i, bytes, sizeof(bytes), 0);
		io_uring_sqe_set_flags(sqe, IOSQE_FIXED_FILE);
		op_check(op_run(ring), 1);
		assert_int_equal(bytes[0], '0' + i);
	}
	io_uring_prep_accept_direct(op_sqe(ring, 1), listener, NULL, NULL, 0,
				    IORING_FILE_INDEX_ALLOC);
	op_check(op_run(ring), -ENFILE);
	io_uring_prep_accept_direct(op_sqe(ring, 1), listener, NULL, NULL, SOCK_CLOEXEC, 1);
	op_check(op_run(ring), -EINVAL);
	for (i = 0; i < 3; i++)
		close(fds[i]);
	close(listener);
}

static void test_shutdown(void **state)
{
	struct io_uring *ring = *state;
	int fds[2], file = temp_file(1);
	char byte;

	net_tcp_pair(fds);
	io_uring_prep_shutdown(op_sqe(ring, 1), fds[0], SHUT_WR);
	op_check(op_run(ring), 0);
	/* One direction is closed, the other is not. */
	assert_int_equal(read(fds[1], &byte, 1), 0);
	assert_int_equal(send(fds[0], "x", 1, MSG_NOSIGNAL), -1);
	assert_int_equal(errno, EPIPE);
	assert_int_equal(write(fds[1], "y", 1), 1);
	assert_int_equal(read(fds[0], &byte, 1), 1);

	io_uring_prep_shutdown(op_sqe(ring, 1), fds[0], 99);
	op_check(op_run(ring), -EINVAL);
	io_uring_prep_shutdown(op_sqe(ring, 1), file, SHUT_WR);
	op_check(op_run(ring), -ENOTSOCK);
	io_uring_prep_shutdown(op_sqe(ring, 1), NOT_OPEN, SHUT_WR);
	op_check(op_run(ring), -EBADF);
	net_close_pair(fds);
	close(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		op_test(test_socket),
		op_test(test_socket_direct),
		op_test(test_bind_listen),
		op_test(test_connect),
		op_test(test_accept),
		op_test(test_accept_errors),
		op_test(test_accept_direct),
		op_test(test_shutdown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
