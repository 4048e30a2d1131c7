/* SPDX-License-Identifier: MIT */
/*
 * What the tools are told, in their own terms. Only sanitize.h includes this file,
 * and only where there is a tool.
 */
#ifndef LIBURING_SANITIZE_NOTES_H
#define LIBURING_SANITIZE_NOTES_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <liburing/barrier.h>
#include <liburing/base.h>
#include <liburing/types.h>

#ifdef LIBURING_ASAN
#include <sanitizer/asan_interface.h>
#endif
#ifdef LIBURING_MSAN
#include <sanitizer/msan_interface.h>
#endif
#ifdef LIBURING_TSAN
#include <sanitizer/tsan_interface.h>
#endif
#ifdef LIBURING_VALGRIND
#include <valgrind/memcheck.h>
#endif

LIBURING_BEGIN_DECLS

#if defined(LIBURING_TSAN) && !defined(LIBURING_NO_NOTED_CALLS)
#define LIBURING_HAVE_OUTSIDE 1
/*
 * Stands for all that orders two threads without their using the same ring: a
 * message to a ring, data written to a pipe, a buffer given back, memory of one
 * ring that becomes another's. One for all of them, as the thread sanitizer has
 * one for all sockets: it may miss a race, and reports none that is not there.
 */
extern char liburing_outside;
__attribute__((__weak__)) char liburing_outside;
#endif

/* liburing_note_written - the kernel or the library writes here, unseen. */
IOURINGHELPER void liburing_note_written(const void *ptr, size_t sz) LIBURING_NOEXCEPT
{
	(void)ptr;
	(void)sz;
#ifdef LIBURING_MSAN
	__msan_unpoison(ptr, sz);
#endif
#ifdef LIBURING_VALGRIND
	(void)VALGRIND_MAKE_MEM_DEFINED_IF_ADDRESSABLE(ptr, sz);
#endif
}

/* liburing_note_release, _acquire - what was before the one is before what is after the other. */
IOURINGHELPER void liburing_note_release(void *addr) LIBURING_NOEXCEPT
{
	(void)addr;
#ifdef LIBURING_TSAN
	__tsan_release(addr);
#endif
}

IOURINGHELPER void liburing_note_acquire(void *addr) LIBURING_NOEXCEPT
{
	(void)addr;
#ifdef LIBURING_TSAN
	__tsan_acquire(addr);
#endif
}

/* liburing_note_out, _in - the same where the two may be of different rings. */
IOURINGHELPER void liburing_note_out(void) LIBURING_NOEXCEPT
{
#ifdef LIBURING_HAVE_OUTSIDE
	__tsan_release(&liburing_outside);
#endif
}

IOURINGHELPER void liburing_note_in(void) LIBURING_NOEXCEPT
{
#ifdef LIBURING_HAVE_OUTSIDE
	__tsan_acquire(&liburing_outside);
#endif
}

/* liburing_find_gone - the first byte that the program must not touch, or NULL. */
IOURINGHELPER const void *liburing_find_gone(const void *ptr, size_t sz) LIBURING_NOEXCEPT
{
	(void)ptr;
	(void)sz;
#ifdef LIBURING_ASAN
	return __asan_region_is_poisoned((void *)(uintptr_t)ptr, sz);
#elif defined(LIBURING_VALGRIND)
	return (const void *)(uintptr_t)VALGRIND_CHECK_MEM_IS_ADDRESSABLE(ptr, sz);
#else
	return NULL;
#endif
}

/* liburing_fail_gone - say what is wrong, and end the program. */
IOURINGHELPER LIBURING_COLD void liburing_fail_gone(const char *function, const char *message,
						    const void *gone) LIBURING_NOEXCEPT
{
	(void)gone;
#ifdef LIBURING_ASAN
	fprintf(stderr, "liburing: %s: %s\n", function, message);
	__asan_describe_address((void *)(uintptr_t)gone);
#endif
#ifdef LIBURING_DEBUG
	liburing_debug_fail(message, function);
#elif !defined(LIBURING_ASAN)
	fprintf(stderr, "liburing: %s: %s\n", function, message);
#endif
	abort();
}

/* The slots from position head on; a walk over them has two parts where they wrap. */
IOURINGHELPER struct io_uring_cqe *liburing_slots_at(const struct io_uring *ring, unsigned head,
						     unsigned nr, size_t *sz) LIBURING_NOEXCEPT
{
	unsigned shift = !!(ring->flags & IORING_SETUP_CQE32);
	unsigned idx = head & ring->cq.ring_mask;
	unsigned nr_to_end = ring->cq.ring_entries - idx;

	*sz = ((size_t)(nr < nr_to_end ? nr : nr_to_end) << shift) * sizeof(struct io_uring_cqe);
	return &ring->cq.cqes[(size_t)idx << shift];
}

IOURINGHELPER void liburing_open_slots(struct io_uring_cqe *cqe, size_t sz) LIBURING_NOEXCEPT
{
	liburing_note_written(cqe, sz);
#if defined(LIBURING_ASAN) && defined(LIBURING_DEBUG)
	__asan_unpoison_memory_region(cqe, sz);
#endif
}

/*
 * liburing_note_ready - the program has looked at the CQ's tail, and may read
 * every CQE before it. Only the reaping thread calls this.
 */
IOURINGHELPER void liburing_note_ready(const struct io_uring *ring) LIBURING_NOEXCEPT
{
	/* Plain: only the reaping thread writes the head. */
	unsigned head = *ring->cq.khead;
	/* Acquire: of what the submitting thread released at this address, as well. */
	unsigned nr = io_uring_smp_load_acquire(ring->cq.ktail) - head;
	struct io_uring_cqe *cqe;
	size_t sz;

	if (!nr)
		return;
	if (nr > ring->cq.ring_entries)
		nr = ring->cq.ring_entries;
	liburing_note_in();
	cqe = liburing_slots_at(ring, head, nr, &sz);
	liburing_open_slots(cqe, sz);
	if ((head & ring->cq.ring_mask) + nr > ring->cq.ring_entries) {
		nr -= ring->cq.ring_entries - (head & ring->cq.ring_mask);
		cqe = liburing_slots_at(ring, 0, nr, &sz);
		liburing_open_slots(cqe, sz);
	}
}

/*
 * liburing_note_released - the nr slots from the head on are about to be released.
 *
 * In a debug build a CQE in them must not be read any more.
 */
IOURINGHELPER void liburing_note_released(const struct io_uring *ring,
					  unsigned nr) LIBURING_NOEXCEPT
{
#ifdef LIBURING_DEBUG
	/* Plain: as above. */
	unsigned head = *ring->cq.khead;
	struct io_uring_cqe *cqe;
	size_t sz;

	for (; nr; nr--, head++) {
		cqe = liburing_slots_at(ring, head, 1, &sz);
#ifdef LIBURING_ASAN
		__asan_poison_memory_region(cqe, sz);
#endif
#ifdef LIBURING_MSAN
		__msan_poison(cqe, sz);
#endif
		(void)cqe;
	}
#endif
	(void)ring;
	(void)nr;
}

/* liburing_note_buffer - a buffer goes to the kernel, to be filled. */
IOURINGHELPER void liburing_note_buffer(const void *ptr, size_t sz) LIBURING_NOEXCEPT
{
	const void *gone = sz ? liburing_find_gone(ptr, sz) : NULL;
	char message[128];

	if (uring_unlikely(gone != NULL)) {
		snprintf(message, sizeof(message),
			 "the buffer at %p, %zu bytes, is not addressable at %p", ptr, sz, gone);
		liburing_fail_gone("io_uring_buf_ring_add", message, gone);
	}
	liburing_note_written(ptr, sz);
}

/* liburing_note_given - the buffers that were added to br become the kernel's. */
IOURINGHELPER void liburing_note_given(const void *br) LIBURING_NOEXCEPT
{
	(void)br;
	liburing_note_out();
}

LIBURING_END_DECLS

#endif
