/* SPDX-License-Identifier: MIT */
#ifndef EXAMPLES_COMMON_BUF_POOL_H
#define EXAMPLES_COMMON_BUF_POOL_H

#include <liburing.h>

/*
 * Equal buffers from which the kernel takes one for each piece of data that it
 * receives. Until it is put back, a buffer belongs to the program.
 */
struct buf_pool {
	struct io_uring_buf_ring *br;
	char *memory;
	unsigned int nr_buffers;
	unsigned int buf_sz;
	int group;
	int nr_put; /* put back, and not yet published */
};

/* buf_pool_enough - a number of buffers for so many sockets, two for each where it can be. */
unsigned int buf_pool_enough(unsigned int nr_sockets);

/*
 * buf_pool_init - register nr_buffers (a power of two, at most 32768) of buf_sz
 * bytes each as a buffer group of the ring, all of them free.
 *
 * Returns 0, or a negative errno with nothing left behind.
 */
int buf_pool_init(struct buf_pool *pool, struct io_uring *ring, unsigned int nr_buffers,
		  unsigned int buf_sz, int group);

/* buf_pool_exit - free what buf_pool_init has made; before the ring's exit. */
void buf_pool_exit(struct buf_pool *pool, struct io_uring *ring);

static inline char *buf_pool_at(const struct buf_pool *pool, unsigned int bid)
{
	return pool->memory + (size_t)bid * pool->buf_sz;
}

/* buf_pool_put - give a buffer back; the kernel sees it after buf_pool_publish. */
static inline void buf_pool_put(struct buf_pool *pool, unsigned int bid)
{
	io_uring_buf_ring_add(pool->br, buf_pool_at(pool, bid), pool->buf_sz, (unsigned short)bid,
			      io_uring_buf_ring_mask(pool->nr_buffers), pool->nr_put++);
}

/* buf_pool_publish - hand what was put back to the kernel; returns how many. */
static inline int buf_pool_publish(struct buf_pool *pool)
{
	int nr = pool->nr_put;

	if (nr)
		io_uring_buf_ring_advance(pool->br, nr);
	pool->nr_put = 0;
	return nr;
}

#endif
