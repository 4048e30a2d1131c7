/* SPDX-License-Identifier: MIT */
/*
 * Commands: those of sockets, compared with what plain system calls say, those of
 * block devices on a loop device, and files that know none.
 */
#include "test.h"

#include "op_net.h"
#include "op_run.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/loop.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define NOT_OPEN 4095
#define NO_COMMAND 0x7777
#define DISK_SZ (1U << 20)

/* The kernel compiled without these commands, or from before it had them. */
static void skip_if_unknown(int res, const char *what)
{
	if (res == -EOPNOTSUPP || res == -ENOSYS)
		skip_because("the kernel does not know %s: %s", what, strerror(-res));
}

/* Bytes to be read, and bytes on their way to a reader who has no room for them. */
static void test_queue_sizes(void **state)
{
	struct io_uring *ring = *state;
	static char bytes[65536];
	int fds[2], res, before = 0, after = 0;

	net_tcp_pair(fds);
	assert_int_equal(send(fds[1], "seven b", 7, 0), 7);
	io_uring_prep_cmd_sock(op_sqe(ring, 1), SOCKET_URING_OP_SIOCINQ, fds[0], 0, 0, NULL, 0);
	res = op_run(ring);
	skip_if_unknown(res, "SOCKET_URING_OP_SIOCINQ");
	op_check(res, 7);

	io_uring_prep_cmd_sock(op_sqe(ring, 1), SOCKET_URING_OP_SIOCOUTQ, fds[0], 0, 0, NULL, 0);
	op_check(op_run(ring), 0);
	while (send(fds[0], bytes, sizeof(bytes), MSG_DONTWAIT) > 0)
		;
	assert_int_equal(ioctl(fds[0], TIOCOUTQ, &before), 0);
	io_uring_prep_cmd_sock(op_sqe(ring, 1), SOCKET_URING_OP_SIOCOUTQ, fds[0], 0, 0, NULL, 0);
	res = op_run(ring);
	assert_int_equal(ioctl(fds[0], TIOCOUTQ, &after), 0);
	/* Acknowledgements may be on their way. */
	assert_true(after > 0);
	assert_in_range(res, after, before);
	net_close_pair(fds);
}

static void test_getsockopt(void **state)
{
	struct io_uring *ring = *state;
	int value = -1, res, fds[2];

	net_unix_pair(fds);
	io_uring_prep_cmd_sock(op_sqe(ring, 1), SOCKET_URING_OP_GETSOCKOPT, fds[0], SOL_SOCKET,
			       SO_RCVBUF, &value, sizeof(value));
	res = op_run(ring);
	skip_if_unknown(res, "SOCKET_URING_OP_GETSOCKOPT");
	op_check(res, sizeof(value));
	assert_int_equal(value, net_option(fds[0], SOL_SOCKET, SO_RCVBUF));

	/* A level that requests may not ask for, and an option that is none. */
	io_uring_prep_cmd_sock(op_sqe(ring, 1), SOCKET_URING_OP_GETSOCKOPT, fds[0], IPPROTO_TCP, 1,
			       &value, sizeof(value));
	op_check(op_run(ring), -EOPNOTSUPP);
	io_uring_prep_cmd_sock(op_sqe(ring, 1), SOCKET_URING_OP_GETSOCKOPT, fds[0], SOL_SOCKET,
			       9999, &value, sizeof(value));
	op_check(op_run(ring), -ENOPROTOOPT);
	net_close_pair(fds);
}

static void test_setsockopt(void **state)
{
	struct io_uring *ring = *state;
	int value = 1, res, fds[2];

	net_tcp_pair(fds);
	assert_int_equal(net_option(fds[0], SOL_SOCKET, SO_KEEPALIVE), 0);
	io_uring_prep_cmd_sock(op_sqe(ring, 1), SOCKET_URING_OP_SETSOCKOPT, fds[0], SOL_SOCKET,
			       SO_KEEPALIVE, &value, sizeof(value));
	res = op_run(ring);
	skip_if_unknown(res, "SOCKET_URING_OP_SETSOCKOPT");
	op_check(res, 0);
	assert_int_equal(net_option(fds[0], SOL_SOCKET, SO_KEEPALIVE), 1);
	value = 11;
	io_uring_prep_cmd_sock(op_sqe(ring, 1), SOCKET_URING_OP_SETSOCKOPT, fds[0], IPPROTO_IP,
			       IP_TTL, &value, sizeof(value));
	op_check(op_run(ring), 0);
	assert_int_equal(net_option(fds[0], IPPROTO_IP, IP_TTL), 11);

	io_uring_prep_cmd_sock(op_sqe(ring, 1), SOCKET_URING_OP_SETSOCKOPT, fds[0], SOL_SOCKET,
			       9999, &value, sizeof(value));
	op_check(op_run(ring), -ENOPROTOOPT);
	io_uring_prep_cmd_sock(op_sqe(ring, 1), SOCKET_URING_OP_SETSOCKOPT, fds[0], SOL_SOCKET,
			       SO_KEEPALIVE, (void *)8, sizeof(value));
	op_check(op_run(ring), -EFAULT);
	net_close_pair(fds);
}

static void test_getsockname(void **state)
{
	struct io_uring *ring = *state;
	struct sockaddr_in addr, got, wanted;
	socklen_t got_sz, wanted_sz;
	int listener = net_listener(&addr), fd = net_connect(&addr), peer, res;

	for (peer = 0; peer < 2; peer++) {
		got_sz = wanted_sz = sizeof(got);
		memset(&got, 0, sizeof(got));
		io_uring_prep_cmd_getsockname(op_sqe(ring, 1), fd, (struct sockaddr *)&got,
					      &got_sz, peer);
		res = op_run(ring);
		skip_if_unknown(res, "SOCKET_URING_OP_GETSOCKNAME");
		op_check(res, 0);
		if (peer)
			wanted = addr;
		else
			assert_int_equal(getsockname(fd, (struct sockaddr *)&wanted, &wanted_sz),
					 0);
		assert_int_equal(got_sz, sizeof(got));
		assert_true(net_same_address(&got, &wanted));
	}
	close(fd);
	close(listener);
}

static void test_errors(void **state)
{
	struct io_uring *ring = *state;
	int file = temp_file(DISK_SZ), fds[2];
	char byte;

	require_op(IORING_OP_URING_CMD);
	net_unix_pair(fds);
	io_uring_prep_uring_cmd(op_sqe(ring, 1), NO_COMMAND, fds[0]);
	op_check(op_run(ring), -EOPNOTSUPP);
	io_uring_prep_uring_cmd(op_sqe(ring, 1), SOCKET_URING_OP_SIOCINQ, NOT_OPEN);
	op_check(op_run(ring), -EBADF);
	/* Files of most kinds have no commands; this one keeps what is in it. */
	io_uring_prep_uring_cmd(op_sqe(ring, 1), NO_COMMAND, file);
	op_check(op_run(ring), -EOPNOTSUPP);
	io_uring_prep_cmd_discard(op_sqe(ring, 1), file, 0, DISK_SZ);
	op_check(op_run(ring), -EOPNOTSUPP);
	io_uring_prep_cmd_zone_reset_all(op_sqe(ring, 1), file);
	op_check(op_run(ring), -EOPNOTSUPP);
	assert_int_equal(pread(file, &byte, 1, 4097), 1);
	assert_true(pattern_same(&byte, 1, 4097));
	close(file);
	net_close_pair(fds);
}

static void test_cmd128(void **state)
{
	struct io_uring_sqe *sqe;
	struct io_uring ring;
	int fds[2];

	require_op(IORING_OP_URING_CMD128);
	op_forget();
	ring_open_flags(&ring, 8, IORING_SETUP_SQE128);
	net_unix_pair(fds);
	sqe = io_uring_get_sqe128(&ring);
	assert_non_null(sqe);
	io_uring_prep_uring_cmd128(sqe, NO_COMMAND, fds[0]);
	op_track(sqe, 1);
	op_check(op_run(&ring), -EOPNOTSUPP);
	net_close_pair(fds);
	io_uring_queue_exit(&ring);
}

/* A loop device over the file, which goes away when its descriptor is closed. */
static int open_disk(int file)
{
	struct loop_config config = { .fd = (__u32)file };
	int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
	char path[32];
	int fd, idx;

	if (control < 0)
		skip_because("no loop device: /dev/loop-control: %s", strerror(errno));
	idx = ioctl(control, LOOP_CTL_GET_FREE);
	close(control);
	if (idx < 0)
		skip_because("no loop device: %s", strerror(errno));
	snprintf(path, sizeof(path), "/dev/loop%d", idx);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		skip_because("no loop device: %s: %s", path, strerror(errno));
	config.info.lo_flags = LO_FLAGS_AUTOCLEAR;
	if (ioctl(fd, LOOP_CONFIGURE, &config) < 0)
		skip_because("no loop device: LOOP_CONFIGURE: %s", strerror(errno));
	return fd;
}

static void test_discard(void **state)
{
	struct io_uring *ring = *state;
	unsigned char *bytes = page_alloc(65536);
	int file = temp_file(DISK_SZ), disk = open_disk(file), res;
	__u64 range[2] = { 0, 4096 };

	if (ioctl(disk, BLKDISCARD, range) < 0)
		skip_because("the loop device cannot discard: %s", strerror(errno));
	io_uring_prep_cmd_discard(op_sqe(ring, 1), disk, 131072, 65536);
	res = op_run(ring);
	skip_if_unknown(res, "BLOCK_URING_CMD_DISCARD");
	op_check(res, 0);
	assert_int_equal(pread(disk, bytes, 65536, 131072), 65536);
	assert_true(all_bytes(bytes, 65536, 0));
	assert_int_equal(pread(disk, bytes, 65536, 65536), 65536);
	assert_true(pattern_same(bytes, 65536, 65536));
	assert_int_equal(pread(disk, bytes, 65536, 196608), 65536);
	assert_true(pattern_same(bytes, 65536, 196608));

	/* Not whole sectors, beyond the end, no such command, no zones. */
	io_uring_prep_cmd_discard(op_sqe(ring, 1), disk, 1, 4096);
	op_check(op_run(ring), -EINVAL);
	io_uring_prep_cmd_discard(op_sqe(ring, 1), disk, DISK_SZ, 4096);
	op_check(op_run(ring), -EINVAL);
	io_uring_prep_uring_cmd(op_sqe(ring, 1), NO_COMMAND, disk);
	op_check(op_run(ring), -EINVAL);
	io_uring_prep_cmd_zone_reset_all(op_sqe(ring, 1), disk);
	res = op_run(ring);
	assert_true(res == -EINVAL || res == -EOPNOTSUPP);
	close(disk);
	close(file);
	page_free(bytes, 65536);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		op_test(test_queue_sizes),
		op_test(test_getsockopt),
		op_test(test_setsockopt),
		op_test(test_getsockname),
		op_test(test_errors),
		timed_test(test_cmd128),
		op_test(test_discard),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
