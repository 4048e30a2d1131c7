/* SPDX-License-Identifier: MIT */
/*
 * As in a program that was linked before io_uring_get_sqe became inline.
 */
struct io_uring;
struct io_uring_sqe;

struct io_uring_sqe *io_uring_get_sqe(struct io_uring *ring);
struct io_uring_sqe *linked_get_sqe(struct io_uring *ring);

struct io_uring_sqe *linked_get_sqe(struct io_uring *ring)
{
	return io_uring_get_sqe(ring);
}
