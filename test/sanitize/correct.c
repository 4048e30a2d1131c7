/* SPDX-License-Identifier: MIT */
/*
 * Correct use of rings by one thread: no tool may report anything of it.
 */
#include "common.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/stat.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define BUF_SZ 4096

static void run_nop(struct io_uring *ring)
{
	struct io_uring_sqe *sqe = next_sqe(ring);

	io_uring_prep_nop(sqe);
	io_uring_sqe_set_data64(sqe, 1);
	CHECK(io_uring_submit(ring) == 1);
	CHECK(take(ring, 1) == 0);
}

static int open_file(void)
{
	return open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
}

/* Into memory that nobody has initialised. */
static int reads(void)
{
	struct io_uring ring;
	char *buf = malloc(BUF_SZ);
	int fd = open_file();

	CHECK(io_uring_queue_init(8, &ring, 0) == 0);
	io_uring_prep_read(io_uring_get_sqe(&ring), fd, buf, BUF_SZ, 0);
	CHECK(io_uring_submit_and_wait(&ring, 1) == 1);
	CHECK(take(&ring, 0) == BUF_SZ);
	CHECK(count_odd(buf, BUF_SZ) > 0);
	io_uring_queue_exit(&ring);
	close(fd);
	free(buf);
	return 0;
}

/* The iovecs go before the completion, the buffers after it. */
static int vectored_reads(void)
{
	struct iovec *iov = malloc(2 * sizeof(*iov));
	struct io_uring_sqe *sqe;
	struct io_uring ring;
	char *bufs[2] = { malloc(100), malloc(BUF_SZ) };
	int fd = open_file();

	CHECK(io_uring_queue_init(8, &ring, 0) == 0);
	iov[0].iov_base = bufs[0];
	iov[0].iov_len = 100;
	iov[1].iov_base = bufs[1];
	iov[1].iov_len = BUF_SZ;
	sqe = next_sqe(&ring);
	io_uring_prep_readv(sqe, fd, iov, 2, 0);
	io_uring_sqe_set_data(sqe, bufs);
	CHECK(io_uring_submit(&ring) == 1);
	free(iov);
	CHECK(take(&ring, uring_ptr_to_u64(bufs)) == BUF_SZ + 100);
	CHECK(count_odd(bufs[0], 100) + count_odd(bufs[1], BUF_SZ) > 0);
	io_uring_queue_exit(&ring);
	close(fd);
	free(bufs[0]);
	free(bufs[1]);
	return 0;
}

static int fixed_reads(void)
{
	struct io_uring ring;
	struct iovec iov;
	int fd = open_file();

	CHECK(io_uring_queue_init(8, &ring, 0) == 0);
	iov.iov_base = malloc(BUF_SZ);
	iov.iov_len = BUF_SZ;
	if (io_uring_register_buffers(&ring, &iov, 1) < 0)
		return LACKING;
	io_uring_prep_read_fixed(next_sqe(&ring), fd, (char *)iov.iov_base + 10, 1000, 0, 0);
	CHECK(io_uring_submit(&ring) == 1);
	CHECK(take(&ring, 0) == 1000);
	CHECK(count_odd((char *)iov.iov_base + 10, 1000) > 0);
	io_uring_queue_exit(&ring);
	close(fd);
	free(iov.iov_base);
	return 0;
}

/* Data and addresses there and back. */
static int sockets(void)
{
	struct sockaddr_in *name = malloc(sizeof(*name));
	char *buf = malloc(64), *answer = malloc(64);
	struct io_uring ring;
	struct msghdr *msg = malloc(sizeof(*msg));
	struct iovec iov;
	socklen_t *name_sz = malloc(sizeof(*name_sz));
	struct sockaddr_in addr = { .sin_family = AF_INET };
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	socklen_t addr_sz = sizeof(addr);
	int server;

	addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	CHECK(bind(listener, (struct sockaddr *)&addr, sizeof(addr)) == 0);
	CHECK(getsockname(listener, (struct sockaddr *)&addr, &addr_sz) == 0);
	CHECK(listen(listener, 4) == 0);
	CHECK(io_uring_queue_init(8, &ring, 0) == 0);

	io_uring_prep_connect(next_sqe(&ring), client, (struct sockaddr *)&addr, sizeof(addr));
	CHECK(io_uring_submit(&ring) == 1);
	CHECK(take(&ring, 0) == 0);
	*name_sz = sizeof(*name);
	io_uring_prep_accept(next_sqe(&ring), listener, (struct sockaddr *)name, name_sz, 0);
	CHECK(io_uring_submit(&ring) == 1);
	server = take(&ring, 0);
	CHECK(server >= 0);
	CHECK(*name_sz == sizeof(*name) && name->sin_family == AF_INET && name->sin_port);

	strcpy(buf, "there");
	io_uring_prep_send(next_sqe(&ring), client, buf, 5, 0);
	CHECK(io_uring_submit(&ring) == 1);
	CHECK(take(&ring, 0) == 5);
	iov.iov_base = answer;
	iov.iov_len = 64;
	memset(msg, 0, sizeof(*msg));
	msg->msg_iov = &iov;
	msg->msg_iovlen = 1;
	io_uring_prep_recvmsg(next_sqe(&ring), server, msg, 0);
	CHECK(io_uring_submit(&ring) == 1);
	CHECK(take(&ring, 0) == 5);
	CHECK(!msg->msg_flags && memcmp(answer, "there", 5) == 0);

	io_uring_prep_recv(next_sqe(&ring), client, buf, 64, 0);
	io_uring_prep_send(next_sqe(&ring), server, "back", 4, 0);
	CHECK(io_uring_submit_and_wait(&ring, 2) == 2);
	CHECK(take(&ring, 0) == 4 && take(&ring, 0) == 4);
	CHECK(memcmp(buf, "back", 4) == 0);

	io_uring_queue_exit(&ring);
	close(server);
	close(client);
	close(listener);
	free(name);
	free(name_sz);
	free(buf);
	free(answer);
	free(msg);
	return 0;
}

/* What comes back in structures. */
static int structures(void)
{
	struct statx *stx = malloc(sizeof(*stx));
	siginfo_t *info = malloc(sizeof(*info));
	int *fds = malloc(2 * sizeof(*fds));
	struct io_uring ring;
	char *path = strdup("/proc/self/exe");
	pid_t pid;
	int res;

	CHECK(io_uring_queue_init(8, &ring, 0) == 0);
	io_uring_prep_statx(next_sqe(&ring), AT_FDCWD, path, 0, STATX_SIZE, stx);
	CHECK(io_uring_submit(&ring) == 1);
	free(path);
	CHECK(take(&ring, 0) == 0);
	CHECK((stx->stx_mask & STATX_SIZE) && stx->stx_size > 0);

	io_uring_prep_pipe(next_sqe(&ring), fds, O_CLOEXEC);
	CHECK(io_uring_submit(&ring) == 1);
	res = take(&ring, 0);
	if (!res) {
		CHECK(fds[0] >= 0 && fds[1] >= 0 && fds[0] != fds[1]);
		close(fds[0]);
		close(fds[1]);
	}

	pid = fork();
	if (!pid)
		_exit(7);
	io_uring_prep_waitid(next_sqe(&ring), P_PID, (id_t)pid, info, WEXITED, 0);
	CHECK(io_uring_submit(&ring) == 1);
	res = take(&ring, 0);
	if (!res)
		CHECK(info->si_pid == pid && info->si_status == 7);
	else
		CHECK(waitpid(pid, &res, 0) == pid);

	io_uring_queue_exit(&ring);
	free(stx);
	free(info);
	free(fds);
	return 0;
}

/* Every way to be given a CQE, with and without one being there. */
static int waits(void)
{
	struct io_uring_cqe *cqe, *cqes[8];
	struct __kernel_timespec ts = { .tv_nsec = 1000000 };
	unsigned head, nr = 0;
	struct io_uring ring;
	unsigned i;

	CHECK(io_uring_queue_init(8, &ring, 0) == 0);
	CHECK(io_uring_wait_cqe_timeout(&ring, &cqe, &ts) == -ETIME);
	CHECK(!cqe);
	CHECK(io_uring_submit_and_wait_timeout(&ring, &cqe, 1, &ts, NULL) == -ETIME);
	CHECK(!cqe);
	CHECK(io_uring_peek_cqe(&ring, &cqe) == -EAGAIN);
	CHECK(!cqe);
	for (i = 0; i < 30; i++) {
		io_uring_prep_nop(next_sqe(&ring));
		io_uring_prep_nop(next_sqe(&ring));
		io_uring_prep_nop(next_sqe(&ring));
		CHECK(io_uring_submit_and_wait_timeout(&ring, &cqe, 3, &ts, NULL) == 3);
		CHECK(cqe && cqe->res == 0);
		io_uring_cqe_seen(&ring, cqe);
		CHECK(io_uring_peek_batch_cqe(&ring, cqes, 8) == 2);
		CHECK(!cqes[0]->res && !cqes[1]->res);
		io_uring_for_each_cqe(&ring, head, cqe) {
			CHECK(!cqe->res);
			nr++;
		}
		CHECK(io_uring_wait_cqes(&ring, &cqe, 2, &ts, NULL) == 0);
		CHECK(cqe->res == 0);
		io_uring_cq_advance(&ring, io_uring_cq_ready(&ring));
	}
	CHECK(nr == 60);
	io_uring_queue_exit(&ring);
	return 0;
}

/* The ring's memory is the program's own. */
static int own_memory(void)
{
	struct io_uring_params p = { .flags = 0 };
	struct io_uring ring;
	void *buf;
	int ret, i;

	CHECK(posix_memalign(&buf, 4096, 65536) == 0);
	ret = io_uring_queue_init_mem(8, &ring, &p, buf, 65536);
	if (ret < 0)
		return LACKING;
	CHECK(p.sq_entries == 8);
	for (i = 0; i < 20; i++)
		run_nop(&ring);
	io_uring_queue_exit(&ring);
	free(buf);
	return 0;
}

/* Taken SQEs and CQEs that are there move with the ring. */
static int resizes(void)
{
	struct io_uring_params p = { .sq_entries = 32 };
	struct io_uring ring;
	unsigned i;

	if (io_uring_queue_init(4, &ring, IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN))
		return LACKING;
	for (i = 0; i < 5; i++) {
		io_uring_prep_nop(next_sqe(&ring));
		CHECK(io_uring_submit(&ring) == 1);
	}
	io_uring_prep_nop(next_sqe(&ring));
	if (io_uring_resize_rings(&ring, &p))
		return LACKING;
	CHECK(p.sq_entries == 32 && ring.sq.ring_entries == 32);
	CHECK(io_uring_submit(&ring) == 1);
	for (i = 0; i < 6; i++)
		CHECK(take(&ring, 0) == 0);
	io_uring_queue_exit(&ring);
	return 0;
}

static int probes(void)
{
	struct io_uring_probe *probe = io_uring_get_probe();

	CHECK(probe);
	CHECK(io_uring_opcode_supported(probe, IORING_OP_NOP));
	io_uring_free_probe(probe);
	return 0;
}

/* Provided buffers, from a ring and by requests. */
static int provided_buffers(void)
{
	struct io_uring_buf_ring *br;
	struct io_uring_cqe *cqe;
	struct io_uring_sqe *sqe;
	struct io_uring ring;
	char *mem = malloc((size_t)8 * 64);
	uint16_t head;
	int err, fds[2], i;
	unsigned bid;

	CHECK(io_uring_queue_init(8, &ring, 0) == 0);
	br = io_uring_setup_buf_ring(&ring, 8, 1, 0, &err);
	if (!br) {
		CHECK(err < 0);
		return LACKING;
	}
	CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == 0);
	for (i = 0; i < 8; i++)
		io_uring_buf_ring_add(br, mem + i * 64, 64, (unsigned short)i,
				      io_uring_buf_ring_mask(8), i);
	io_uring_buf_ring_advance(br, 8);
	for (i = 0; i < 20; i++) {
		sqe = next_sqe(&ring);
		io_uring_prep_recv(sqe, fds[0], NULL, 64, 0);
		io_uring_sqe_set_flags(sqe, IOSQE_BUFFER_SELECT);
		io_uring_sqe_set_buf_group(sqe, 1);
		CHECK(io_uring_submit(&ring) == 1);
		CHECK(write(fds[1], "abcdef", 6) == 6);
		CHECK(io_uring_wait_cqe(&ring, &cqe) == 0);
		CHECK(cqe->res == 6 && (cqe->flags & IORING_CQE_F_BUFFER));
		bid = cqe->flags >> IORING_CQE_BUFFER_SHIFT;
		CHECK(memcmp(mem + bid * 64, "abcdef", 6) == 0);
		io_uring_buf_ring_add(br, mem + bid * 64, 64, (unsigned short)bid,
				      io_uring_buf_ring_mask(8), 0);
		io_uring_buf_ring_cq_advance(&ring, br, 1);
	}
	if (io_uring_buf_ring_head(&ring, 1, &head) == 0)
		CHECK(head == 20);
	CHECK(io_uring_free_buf_ring(&ring, br, 8, 1) == 0);
	io_uring_queue_exit(&ring);
	free(mem);
	close(fds[0]);
	close(fds[1]);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct sanitize_case cases[] = {
		{ "reads", reads },
		{ "vectored_reads", vectored_reads },
		{ "fixed_reads", fixed_reads },
		{ "sockets", sockets },
		{ "structures", structures },
		{ "waits", waits },
		{ "own_memory", own_memory },
		{ "resizes", resizes },
		{ "probes", probes },
		{ "provided_buffers", provided_buffers },
		{ NULL, NULL },
	};

	return run_case(cases, argc > 1 ? argv[1] : NULL);
}
