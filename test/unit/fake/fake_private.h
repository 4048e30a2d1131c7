/* SPDX-License-Identifier: MIT */
/*
 * What the parts of the fake kernel share. Calls return a negative errno, as
 * the kernel's do.
 */
#ifndef FAKE_PRIVATE_H
#define FAKE_PRIVATE_H

#include "fake_kernel.h"

#define FAKE_NR_RINGS 64
#define HUGE_PAGE_SZ ((size_t)2 * 1024 * 1024)

extern struct fake_ring fake_rings[FAKE_NR_RINGS];

/* fake_kernel.c */
bool fake_take_step(struct fake_step *step);

/* fake_memory.c */
size_t fake_round_to_page(size_t sz);
int fake_region_make(struct fake_region *region, size_t sz);
void fake_region_drop(struct fake_region *region);
long fake_mmap(uintptr_t addr, size_t len, int prot, int flags, int fd, uint64_t off);
long fake_munmap(uintptr_t addr, size_t len);
long fake_madvise(uintptr_t addr, size_t len, int advice);
unsigned fake_report_mappings(bool quiet);
void fake_drop_mappings(void);

/* fake_setup.c */
long fake_setup(unsigned entries, struct io_uring_params *p);
long fake_close(int fd);
int fake_resize(struct fake_ring *ring, struct io_uring_params *p);
void fake_ring_put(struct fake_ring *ring);
void fake_ring_free(struct fake_ring *ring);

/* fake_enter.c */
long fake_enter(struct fake_call *call);
long fake_poll_thread_enter(struct fake_ring *ring, unsigned to_submit, unsigned flags);

/* fake_sq.c */
unsigned fake_take_sqes(struct fake_ring *ring, unsigned max);

/* fake_cq.c */
unsigned fake_nr_ready(const struct fake_ring *ring);
void fake_flush(struct fake_ring *ring);
void fake_finish(struct fake_ring *ring, struct fake_req *req, int res);
struct fake_req *fake_next_due(struct fake_ring *ring);

/* fake_register.c */
long fake_register(int fd, unsigned opcode, void *arg, unsigned nr_args);
struct fake_region *fake_find_pbuf_region(const struct fake_ring *ring, unsigned bgid);
void fake_drop_pbuf_rings(const struct fake_ring *ring);
struct fake_ring *fake_find_registered(long idx);
int fake_register_ring(struct fake_ring *ring, uint32_t *idx);
unsigned fake_report_registered(bool quiet);
void fake_drop_registered(void);

#endif
