/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "ring.h"

#include <errno.h>
#include <string.h>

struct io_uring_sqe *next_sqe_at(struct io_uring *ring, const char *file, int line)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(ring);

	while (!sqe && (ring->flags & IORING_SETUP_SQPOLL) && io_uring_submit(ring) >= 0 &&
	       io_uring_sqring_wait(ring) >= 0)
		sqe = io_uring_get_sqe(ring);
	if (!sqe) {
		print_error("the SQ is full\n");
		test_failed(file, line);
	}
	return sqe;
}

void queue_nop_at(struct io_uring *ring, __u64 tag, const char *file, int line)
{
	struct io_uring_sqe *sqe = next_sqe_at(ring, file, line);

	io_uring_prep_nop(sqe);
	io_uring_sqe_set_data64(sqe, tag);
}

void taken_ok_at(const struct io_uring *ring, int ret, unsigned nr, const char *file, int line)
{
	if (ret == (int)nr || ((ring->flags & IORING_SETUP_SQPOLL) && ret > (int)nr &&
			       ret <= (int)ring->sq.ring_entries))
		return;
	print_error("submit returned %d, not %u\n", ret, nr);
	test_failed(file, line);
}

void submit_ok_at(struct io_uring *ring, unsigned nr, const char *file, int line)
{
	taken_ok_at(ring, io_uring_submit(ring), nr, file, line);
}

int wait_one_at(struct io_uring *ring, struct io_uring_cqe *copy, const char *file, int line)
{
	struct __kernel_timespec limit = { .tv_sec = WAIT_SECONDS };
	struct io_uring_cqe *cqe;
	int ret, res;

	do {
		ret = io_uring_wait_cqe_timeout(ring, &cqe, &limit);
	} while (ret == -EINTR);
	if (ret || !cqe) {
		print_error("no CQE: %d (%s)\n", ret, strerror(-ret));
		test_failed(file, line);
	}
	res = cqe->res;
	if (copy)
		memcpy(copy, cqe, sizeof(*copy));
	io_uring_cqe_seen(ring, cqe);
	return res;
}

int submit_one_at(struct io_uring *ring, struct io_uring_cqe *copy, const char *file, int line)
{
	submit_ok_at(ring, 1, file, line);
	return wait_one_at(ring, copy, file, line);
}

int wait_for_tag_at(struct io_uring *ring, __u64 user_data, const char *file, int line)
{
	struct io_uring_cqe cqe;
	int res = wait_one_at(ring, &cqe, file, line);

	if (cqe.user_data != user_data) {
		print_error("CQE of %#llx (res %d), not %#llx\n", (unsigned long long)cqe.user_data,
			    res, (unsigned long long)user_data);
		test_failed(file, line);
	}
	return res;
}

void no_cqe_at(struct io_uring *ring, const char *file, int line)
{
	struct io_uring_cqe *cqe;
	int ret = io_uring_get_events(ring);

	if (!ret)
		ret = io_uring_peek_cqe(ring, &cqe);
	if (ret == -EAGAIN && !cqe)
		return;
	if (ret)
		print_error("looking for a CQE: %d (%s)\n", ret, strerror(-ret));
	else
		print_error("CQE of %#llx, res %d\n", (unsigned long long)cqe->user_data, cqe->res);
	test_failed(file, line);
}

bool kernel_has_op(int op)
{
	struct io_uring_probe *probe = io_uring_get_probe();
	bool has = probe && io_uring_opcode_supported(probe, op);

	io_uring_free_probe(probe);
	return has;
}

void require_op(int op)
{
	if (!kernel_has_op(op))
		skip_because("the kernel has no opcode %d", op);
}

void require_ret(const char *what, int ret)
{
	if (ret >= 0)
		return;
	if (ret == -EINVAL || ret == -EOPNOTSUPP || ret == -ENOSYS || ret == -EPERM)
		skip_because("the kernel refuses %s: %s", what, strerror(-ret));
	fail_msg("%s: %s", what, strerror(-ret));
}
