/* SPDX-License-Identifier: MIT */
/*
 * io_uring_get_sqe as a real symbol, for programs that were linked before it
 * became inline (2.2).
 */
#define io_uring_get_sqe inline_get_sqe
#include "internal.h"
#undef io_uring_get_sqe

__attribute__((visibility("default")))
struct io_uring_sqe *io_uring_get_sqe(struct io_uring *ring);

struct io_uring_sqe *io_uring_get_sqe(struct io_uring *ring)
{
	return iou_get_sqe(ring);
}
