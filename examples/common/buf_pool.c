/* SPDX-License-Identifier: MIT */
#include "buf_pool.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define MIN_BUFFERS 64U
#define MAX_BUFFERS 32768U

unsigned int buf_pool_enough(unsigned int nr_sockets)
{
	unsigned int nr = MIN_BUFFERS;

	while (nr < MAX_BUFFERS && nr < 2 * nr_sockets)
		nr *= 2;
	return nr;
}

/*
 * The ring of free buffers, which must begin on a page, and the buffers lie in
 * one block. io_uring_setup_buf_ring is for those who need the ring only.
 */
int buf_pool_init(struct buf_pool *pool, struct io_uring *ring, unsigned int nr_buffers,
		  unsigned int buf_sz, int group)
{
	size_t br_sz = nr_buffers * sizeof(struct io_uring_buf);
	struct io_uring_buf_reg reg = { .ring_entries = nr_buffers, .bgid = (__u16)group };
	unsigned int bid;
	void *memory;
	int ret;

	ret = posix_memalign(&memory, (size_t)sysconf(_SC_PAGESIZE),
			     br_sz + (size_t)nr_buffers * buf_sz);
	if (ret)
		return -ret;
	*pool = (struct buf_pool){
		.br = memory,
		.memory = (char *)memory + br_sz,
		.nr_buffers = nr_buffers,
		.buf_sz = buf_sz,
		.group = group,
	};
	io_uring_buf_ring_init(pool->br);
	for (bid = 0; bid < nr_buffers; bid++)
		buf_pool_put(pool, bid);
	buf_pool_publish(pool);

	reg.ring_addr = (__u64)(uintptr_t)pool->br;
	ret = io_uring_register_buf_ring(ring, &reg, 0);
	if (ret < 0)
		free(memory);
	return ret;
}

void buf_pool_exit(struct buf_pool *pool, struct io_uring *ring)
{
	io_uring_unregister_buf_ring(ring, pool->group);
	free(pool->br);
}
