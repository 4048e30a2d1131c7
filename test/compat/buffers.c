/* SPDX-License-Identifier: MIT */
/* Buffers that the kernel chooses: rings of them, lists of them, messages in them. */
#include "compat.h"
#include <sys/mman.h>
#include <sys/socket.h>

#define NR_BUFS 4
#define BUF_SZ 256
#define GROUP 7

struct pool {
	struct io_uring_buf_ring *br;
	char (*memory)[BUF_SZ];
	int pair[2];
};

static void open_pool(struct io_uring *ring, struct pool *pool, int type)
{
	struct io_uring_buf_reg reg;
	int i, mask = io_uring_buf_ring_mask(NR_BUFS);

	CHECK_INT(mask, NR_BUFS - 1);
	pool->br = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_PRIVATE, -1, 0);
	CHECK(pool->br != MAP_FAILED);
	pool->memory = calloc(NR_BUFS, BUF_SZ);
	CHECK(pool->memory != NULL);
	memset(&reg, 0, sizeof(reg));
	reg.ring_addr = (uintptr_t)pool->br;
	reg.ring_entries = NR_BUFS;
	reg.bgid = GROUP;
	CHECK_INT(io_uring_register_buf_ring(ring, &reg, 0), 0);
	io_uring_buf_ring_init(pool->br);
	for (i = 0; i < NR_BUFS; i++)
		io_uring_buf_ring_add(pool->br, pool->memory[i], BUF_SZ, 10 + i, mask, i);
	io_uring_buf_ring_advance(pool->br, NR_BUFS);
	CHECK_INT(socketpair(AF_UNIX, type, 0, pool->pair), 0);
}

static void close_pool(struct io_uring *ring, struct pool *pool)
{
	CHECK_INT(io_uring_unregister_buf_ring(ring, GROUP), 0);
	munmap(pool->br, 4096);
	free(pool->memory);
	close(pool->pair[0]);
	close(pool->pair[1]);
}

static unsigned buffer_of(const struct io_uring_cqe *cqe)
{
	CHECK(cqe->flags & IORING_CQE_F_BUFFER);
	return cqe->flags >> IORING_CQE_BUFFER_SHIFT;
}

static void buffer_ring(struct io_uring *ring)
{
	struct io_uring_cqe *cqe;
	struct io_uring_sqe *sqe;
	struct pool pool;
	char text[16];
	int i;

	open_pool(ring, &pool, SOCK_STREAM);
	/* Three times around the ring of buffers. */
	for (i = 0; i < 3 * NR_BUFS; i++) {
		snprintf(text, sizeof(text), "text %d", i);
		CHECK_INT(write(pool.pair[0], text, 8), 8);
		sqe = take_sqe(ring);
		io_uring_prep_recv(sqe, pool.pair[1], NULL, BUF_SZ, 0);
		io_uring_sqe_set_flags(sqe, IOSQE_BUFFER_SELECT);
		sqe->buf_group = GROUP;
		io_uring_sqe_set_data64(sqe, 30 + i);
		submit_all(ring);
		CHECK_INT(io_uring_wait_cqe(ring, &cqe), 0);
		CHECK_INT(cqe->user_data, 30 + i);
		CHECK_INT(cqe->res, 8);
		CHECK_INT(buffer_of(cqe), 10 + i % NR_BUFS);
		CHECK(memcmp(pool.memory[i % NR_BUFS], text, strlen(text)) == 0);
		io_uring_buf_ring_add(pool.br, pool.memory[i % NR_BUFS], BUF_SZ, 10 + i % NR_BUFS,
				      io_uring_buf_ring_mask(NR_BUFS), 0);
		io_uring_buf_ring_cq_advance(ring, pool.br, 1);
		CHECK_INT(io_uring_cq_ready(ring), 0);
	}
	close_pool(ring, &pool);
}

static void buffer_list(struct io_uring *ring)
{
	char memory[2][BUF_SZ];
	struct io_uring_cqe *cqe;
	struct io_uring_sqe *sqe;
	int pipefd[2];
	unsigned id;

	CHECK_INT(pipe(pipefd), 0);
	sqe = take_sqe(ring);
	io_uring_prep_provide_buffers(sqe, memory, BUF_SZ, 2, GROUP, 100);
	CHECK(run_one(ring, sqe) >= 0);
	CHECK_INT(write(pipefd[1], "word", 5), 5);
	sqe = take_sqe(ring);
	io_uring_prep_read(sqe, pipefd[0], NULL, BUF_SZ, 0);
	io_uring_sqe_set_flags(sqe, IOSQE_BUFFER_SELECT);
	sqe->buf_group = GROUP;
	submit_all(ring);
	CHECK_INT(io_uring_wait_cqe(ring, &cqe), 0);
	CHECK_INT(cqe->res, 5);
	id = buffer_of(cqe);
	CHECK(id == 100 || id == 101);
	CHECK(strcmp(memory[id - 100], "word") == 0);
	io_uring_cqe_seen(ring, cqe);
	sqe = take_sqe(ring);
	io_uring_prep_remove_buffers(sqe, 2, GROUP);
	CHECK_INT(run_one(ring, sqe), 1);
	close(pipefd[0]);
	close(pipefd[1]);
}

static void recvmsg_multishot(struct io_uring *ring)
{
	struct io_uring_recvmsg_out *out;
	struct io_uring_cqe *cqe;
	struct io_uring_sqe *sqe;
	struct msghdr msgh;
	struct pool pool;
	int i;

	open_pool(ring, &pool, SOCK_DGRAM);
	memset(&msgh, 0, sizeof(msgh));
	msgh.msg_controllen = 32;
	sqe = take_sqe(ring);
	io_uring_prep_recvmsg_multishot(sqe, pool.pair[1], &msgh, 0);
	io_uring_sqe_set_flags(sqe, IOSQE_BUFFER_SELECT);
	sqe->buf_group = GROUP;
	io_uring_sqe_set_data64(sqe, 50);
	submit_all(ring);
	for (i = 0; i < 3; i++) {
		CHECK_INT(write(pool.pair[0], "datagram", 5 + i), 5 + i);
		CHECK_INT(io_uring_wait_cqe(ring, &cqe), 0);
		CHECK_INT(cqe->user_data, 50);
		CHECK(cqe->res > 0);
		CHECK(cqe->flags & IORING_CQE_F_MORE);
		CHECK_INT(buffer_of(cqe), 10 + i);
		out = io_uring_recvmsg_validate(pool.memory[i], cqe->res, &msgh);
		CHECK(out != NULL);
		CHECK_INT(io_uring_recvmsg_payload_length(out, cqe->res, &msgh), 5 + i);
		CHECK(memcmp(io_uring_recvmsg_payload(out, &msgh), "datagram", 5 + i) == 0);
		CHECK(io_uring_recvmsg_cmsg_firsthdr(out, &msgh) == NULL);
		CHECK(io_uring_recvmsg_validate(pool.memory[i], 8, &msgh) == NULL);
		io_uring_cqe_seen(ring, cqe);
	}
	sqe = take_sqe(ring);
	io_uring_prep_cancel_fd(sqe, pool.pair[1], 0);
	io_uring_sqe_set_flags(sqe, IOSQE_CQE_SKIP_SUCCESS);
	submit_all(ring);
	CHECK_INT(reap(ring, 50), -ECANCELED);
	close_pool(ring, &pool);
}

const struct compat_case buffer_cases[] = {
	{ "ring of buffers", buffer_ring, 0 },
	{ "list of buffers", buffer_list, 0 },
	{ "recvmsg multishot", recvmsg_multishot, 0 },
	{ NULL, NULL, 0 },
};
