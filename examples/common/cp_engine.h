/* SPDX-License-Identifier: MIT */
#ifndef EXAMPLES_COMMON_CP_ENGINE_H
#define EXAMPLES_COMMON_CP_ENGINE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct cp_engine;

/* The two regular files of a copy, and how it went. */
struct cp_files {
	int src_fd;
	int dst_fd; /* empty */
	int src_direct_fd; /* the same files with O_DIRECT, or -1 */
	int dst_direct_fd;
	uint64_t nr_done; /* bytes that are copied; holes count */
	bool writing; /* an error is one of writing */
};

/*
 * cp_engine_open - a ring and depth buffers of block_sz bytes, to copy with.
 *
 * block_sz is a multiple of 4096. *stop, once it is not 0, ends a copy: -EINTR. Returns
 * 0 or a negative errno, that of the ring among them.
 */
int cp_engine_open(struct cp_engine **engine, unsigned int depth, unsigned int block_sz,
		   const volatile sig_atomic_t *stop);

/* cp_engine_on_turn - call a function every now and then during copies. */
void cp_engine_on_turn(struct cp_engine *engine, void (*on_turn)(const struct cp_files *files));

/*
 * cp_engine_copy - copy one file, holes as holes, until a read finds its end.
 *
 * Returns 0 or a negative errno. After an error the copy has the bytes up to where
 * it was made without a gap.
 */
int cp_engine_copy(struct cp_engine *engine, struct cp_files *files);

/* cp_engine_close - NULL is ignored. */
void cp_engine_close(struct cp_engine *engine);

#endif
