/* SPDX-License-Identifier: MIT */
/*
 * Asking the kernel for its opcodes.
 *
 * Programs free a probe with free(3), so that its memory has to come from the
 * process's malloc wherever there is one. The references are weak: a process
 * without a C library gets a mapping instead.
 */
#include <string.h>
#include "internal.h"

#define NR_PROBE_OPS 256
#define PROBE_SZ (sizeof(struct io_uring_probe) + NR_PROBE_OPS * sizeof(struct io_uring_probe_op))

extern void *malloc(size_t sz) __attribute__((weak));
extern void free(void *ptr) __attribute__((weak));
/*
 * What malloc is to musl itself. A static program that calls free alone has this,
 * and no malloc.
 */
extern void *__libc_malloc_impl(size_t sz) __attribute__((weak, visibility("hidden")));

static bool has_malloc(void)
{
	return free && (malloc || __libc_malloc_impl);
}

static struct io_uring_probe *probe_alloc(void)
{
	void *ptr;

	if (has_malloc()) {
		ptr = malloc ? malloc(PROBE_SZ) : __libc_malloc_impl(PROBE_SZ);
		if (ptr)
			memset(ptr, 0, PROBE_SZ);
		return ptr;
	}
	ptr = iou_sys_mmap(NULL, PROBE_SZ, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			   0);
	return iou_is_err(ptr) ? NULL : ptr;
}

void io_uring_free_probe(struct io_uring_probe *probe)
{
	if (!probe)
		return;
	if (has_malloc())
		free(probe);
	else
		iou_sys_munmap(probe, PROBE_SZ);
}

struct io_uring_probe *io_uring_get_probe_ring(struct io_uring *ring)
{
	struct io_uring_probe *probe = probe_alloc();

	if (!probe)
		return NULL;
	if (io_uring_register_probe(ring, probe, NR_PROBE_OPS) < 0) {
		io_uring_free_probe(probe);
		return NULL;
	}
	return probe;
}

struct io_uring_probe *io_uring_get_probe(void)
{
	struct io_uring_probe *probe;
	struct io_uring ring;

	if (io_uring_queue_init(2, &ring, 0) < 0)
		return NULL;
	probe = io_uring_get_probe_ring(&ring);
	io_uring_queue_exit(&ring);
	return probe;
}
