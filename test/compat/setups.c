/* SPDX-License-Identifier: MIT */
/* Ways to a ring and out of it, and what is known without one. */
#include "compat.h"
#include <fcntl.h>

static void probes(struct io_uring *ring)
{
	struct io_uring_probe *probe = io_uring_get_probe_ring(ring);

	CHECK(probe != NULL);
	CHECK(io_uring_opcode_supported(probe, IORING_OP_NOP));
	CHECK(io_uring_opcode_supported(probe, IORING_OP_READ));
	CHECK(!io_uring_opcode_supported(probe, 255));
	io_uring_free_probe(probe);

	/* Programs release it with free as well, since the first release. */
	probe = io_uring_get_probe();
	CHECK(probe != NULL);
	CHECK(io_uring_opcode_supported(probe, IORING_OP_WRITE));
	free(probe);
	probe = io_uring_get_probe_ring(ring);
	CHECK(probe != NULL);
	free(probe);
}

static void own_mapping(struct io_uring *ring)
{
	struct io_uring_params p;
	struct io_uring_sqe *sqe;
	struct io_uring own;
	int fd;

	memset(&p, 0, sizeof(p));
	p.flags = ring->flags & (IORING_SETUP_SQE128 | IORING_SETUP_CQE32);
	fd = io_uring_setup(NR_ENTRIES, &p);
	CHECK(fd >= 0);
	memset(&own, 0xA5, sizeof(own));
	CHECK_INT(io_uring_queue_mmap(fd, &p, &own), 0);
	CHECK_INT(own.ring_fd, fd);
	sqe = take_sqe(&own);
	io_uring_prep_nop(sqe);
	CHECK_INT(run_one(&own, sqe), 0);
	CHECK_INT(io_uring_enter(fd, 0, 0, IORING_ENTER_GETEVENTS, NULL), 0);
	CHECK_INT(io_uring_register(fd, IORING_UNREGISTER_FILES, NULL, 0), -ENXIO);
	CHECK_INT(io_uring_enter2(-1, 0, 0, 0, NULL, 0), -EBADF);
	io_uring_queue_exit(&own);
	CHECK(fcntl(fd, F_GETFD) == -1);
}

static void restricted(struct io_uring *ring)
{
	struct io_uring_restriction allow;
	struct io_uring_params p;
	struct io_uring_sqe *sqe;
	struct io_uring own;

	(void)ring;
	memset(&p, 0, sizeof(p));
	p.flags = IORING_SETUP_R_DISABLED;
	CHECK_INT(io_uring_queue_init_params(NR_ENTRIES, &own, &p), 0);
	memset(&allow, 0, sizeof(allow));
	allow.opcode = IORING_RESTRICTION_SQE_OP;
	allow.sqe_op = IORING_OP_NOP;
	CHECK_INT(io_uring_register(own.ring_fd, IORING_REGISTER_RESTRICTIONS, &allow, 1), 0);
	CHECK_INT(io_uring_register(own.ring_fd, IORING_REGISTER_ENABLE_RINGS, NULL, 0), 0);
	sqe = take_sqe(&own);
	io_uring_prep_nop(sqe);
	CHECK_INT(run_one(&own, sqe), 0);
	sqe = take_sqe(&own);
	io_uring_prep_read(sqe, 0, NULL, 0, 0);
	CHECK_INT(run_one(&own, sqe), -EACCES);
	io_uring_queue_exit(&own);
}

static void refusals(struct io_uring *ring)
{
	struct io_uring own;

	CHECK_INT(io_uring_queue_init(0, &own, 0), -EINVAL);
	CHECK_INT(io_uring_queue_init(65537, &own, 0), -EINVAL);
	CHECK_INT(io_uring_queue_init(NR_ENTRIES, &own, 1U << 31), -EINVAL);
	CHECK_INT(io_uring_ring_dontfork(ring), 0);
	CHECK(io_uring_mlock_size(NR_ENTRIES, 0) >= 0);
}

const struct compat_case setup_cases[] = {
	{ "probes", probes, 0 },
	{ "own mapping", own_mapping, 0 },
	{ "restrictions", restricted, 0 },
	{ "refusals", refusals, 0 },
	{ NULL, NULL, 0 },
};
