/* SPDX-License-Identifier: MIT */
/*
 * The library's functions under a tool: each one that hands something over, or
 * fills something in, gets a second one around it, which tells the tool. Macros of
 * the public names lead to these. Only sanitize.h includes this file.
 */
#ifndef LIBURING_SANITIZE_CALLS_H
#define LIBURING_SANITIZE_CALLS_H

#include <stdio.h>
#include <liburing/io_uring/query.h>
#include <liburing/register.h>
#include <liburing/register_buffers.h>
#include <liburing/sanitize_notes.h>
#include <liburing/setup.h>
#include <liburing/sqe_memory.h>
#include <liburing/submit.h>

LIBURING_BEGIN_DECLS

/* Requests by which one thread can tell another that something was done. */
IOURINGHELPER bool liburing_sqe_signals(const struct io_uring_sqe *sqe) LIBURING_NOEXCEPT
{
	switch (sqe->opcode) {
	case IORING_OP_MSG_RING:
	case IORING_OP_FUTEX_WAKE:
	case IORING_OP_WRITE:
	case IORING_OP_WRITEV:
	case IORING_OP_WRITE_FIXED:
	case IORING_OP_WRITEV_FIXED:
	case IORING_OP_SEND:
	case IORING_OP_SEND_ZC:
	case IORING_OP_SENDMSG:
	case IORING_OP_SENDMSG_ZC:
	case IORING_OP_SPLICE:
	case IORING_OP_TEE:
	case IORING_OP_CLOSE:
	case IORING_OP_SHUTDOWN:
	case IORING_OP_PROVIDE_BUFFERS:
		return true;
	default:
		return false;
	}
}

IOURINGHELPER void liburing_note_part(const struct liburing_sqe_part *part) LIBURING_NOEXCEPT
{
	const void *gone = liburing_find_gone(part->ptr, part->is_registered ? 1 : part->sz);
	char message[256];

	if (uring_unlikely(gone != NULL)) {
		snprintf(message, sizeof(message),
			 "IORING_OP_%s (%d), user_data %#llx: the %s at %p, %zu bytes, is not "
			 "addressable at %p",
			 liburing_op_name(part->sqe->opcode), part->sqe->opcode,
			 (unsigned long long)part->sqe->user_data, part->what, part->ptr, part->sz,
			 gone);
		liburing_fail_gone(part->function, message, gone);
	}
	if (part->is_output)
		liburing_note_written(part->ptr, part->sz);
}

/* What a submit is about to publish. */
IOURINGHELPER void liburing_note_submit(const struct io_uring *ring,
					const char *function) LIBURING_NOEXCEPT
{
	unsigned pos, nr_slots, nr = liburing_unpublished(ring, &pos);
	struct liburing_sqe_part part;
	bool signals = false;

	part.function = function;
	part.visit = liburing_note_part;
	for (; nr; nr -= nr_slots < nr ? nr_slots : nr, pos += nr_slots) {
		part.sqe = liburing_sqe_at(ring, pos, &nr_slots);
		signals |= liburing_sqe_signals(part.sqe);
		liburing_visit_sqe(&part);
	}
	if (signals)
		liburing_note_out();
	/* At the address where whoever reaps acquires. */
	liburing_note_release(ring->cq.ktail);
}

/* Set-up */

/* ret is what made the ring; p may be NULL. Returns ret. */
IOURINGHELPER int liburing_note_made(const struct io_uring *ring, const struct io_uring_params *p,
				     int ret) LIBURING_NOEXCEPT
{
	liburing_note_in();
	liburing_note_written(ring, sizeof(*ring));
	if (p)
		liburing_note_written(p, sizeof(*p));
	if (ret < 0)
		return ret;
	liburing_note_written(ring->sq.ring_ptr, ring->sq.ring_sz);
	liburing_note_written(ring->cq.ring_ptr, ring->cq.ring_sz);
	liburing_note_written(ring->sq.sqes, ring->sq.sqes_sz);
	return ret;
}

/* The memory of a ring's slots will be something else's. */
IOURINGHELPER void liburing_note_unmade(const struct io_uring *ring) LIBURING_NOEXCEPT
{
	unsigned shift = !!(ring->flags & IORING_SETUP_CQE32);

	if (ring->cq.cqes)
		liburing_open_slots(ring->cq.cqes, ((size_t)ring->cq.ring_entries << shift) *
							   sizeof(struct io_uring_cqe));
	liburing_note_out();
}

IOURINGHELPER int liburing_noted_queue_init(unsigned entries, struct io_uring *ring,
					    unsigned flags) LIBURING_NOEXCEPT
{
	return liburing_note_made(ring, NULL, io_uring_queue_init(entries, ring, flags));
}

IOURINGHELPER int liburing_noted_queue_init_params(unsigned entries, struct io_uring *ring,
						   struct io_uring_params *p) LIBURING_NOEXCEPT
{
	return liburing_note_made(ring, p, io_uring_queue_init_params(entries, ring, p));
}

IOURINGHELPER int liburing_noted_queue_init_mem(unsigned entries, struct io_uring *ring,
						struct io_uring_params *p, void *buf,
						size_t buf_size) LIBURING_NOEXCEPT
{
	ssize_t sz = io_uring_memory_size_params(entries, p);

	/* Before the call: the library reads what the kernel has written there. */
	if (sz > 0 && (size_t)sz <= buf_size)
		liburing_note_written(buf, (size_t)sz);
	return liburing_note_made(ring, p, io_uring_queue_init_mem(entries, ring, p, buf, buf_size));
}

IOURINGHELPER int liburing_noted_queue_mmap(int fd, struct io_uring_params *p,
					    struct io_uring *ring) LIBURING_NOEXCEPT
{
	return liburing_note_made(ring, NULL, io_uring_queue_mmap(fd, p, ring));
}

IOURINGHELPER void liburing_noted_queue_exit(struct io_uring *ring) LIBURING_NOEXCEPT
{
	liburing_note_unmade(ring);
	io_uring_queue_exit(ring);
}

IOURINGHELPER int liburing_noted_resize_rings(struct io_uring *ring,
					      struct io_uring_params *p) LIBURING_NOEXCEPT
{
	int ret;

	liburing_note_unmade(ring);
	ret = io_uring_resize_rings(ring, p);
	return liburing_note_made(ring, p, ret);
}

IOURINGHELPER int liburing_noted_setup(unsigned entries,
				       struct io_uring_params *p) LIBURING_NOEXCEPT
{
	int ret = io_uring_setup(entries, p);

	liburing_note_written(p, sizeof(*p));
	return ret;
}

/* Submitting, without a look at the CQ: another thread may be reaping. */

#define LIBURING_NOTED_SUBMIT(name, params, args)                      \
	IOURINGHELPER int liburing_noted_##name params LIBURING_NOEXCEPT \
	{                                                              \
		liburing_note_submit(ring, "io_uring_" #name);         \
		return io_uring_##name args;                           \
	}

LIBURING_NOTED_SUBMIT(submit, (struct io_uring * ring), (ring))
LIBURING_NOTED_SUBMIT(submit_and_wait, (struct io_uring * ring, unsigned wait_nr), (ring, wait_nr))
LIBURING_NOTED_SUBMIT(submit_and_get_events, (struct io_uring * ring), (ring))

/* Waiting; submits says whether the call submits as well. */

IOURINGHELPER int liburing_note_waited(const struct io_uring *ring, struct io_uring_cqe **cqe_ptr,
				       int ret) LIBURING_NOEXCEPT
{
	liburing_note_written((const void *)cqe_ptr, sizeof(*cqe_ptr));
	if (*cqe_ptr)
		liburing_note_ready(ring);
	return ret;
}

#define LIBURING_NOTED_WAIT(prefix, name, submits, params, args)                \
	IOURINGHELPER int liburing_noted_##name params LIBURING_NOEXCEPT        \
	{                                                                       \
		if (submits)                                                    \
			liburing_note_submit(ring, #prefix #name);              \
		return liburing_note_waited(ring, cqe_ptr, prefix##name args);  \
	}

LIBURING_NOTED_WAIT(__io_uring_, get_cqe, submit,
		    (struct io_uring * ring, struct io_uring_cqe **cqe_ptr, unsigned submit,
		     unsigned wait_nr, sigset_t *sigmask),
		    (ring, cqe_ptr, submit, wait_nr, sigmask))
LIBURING_NOTED_WAIT(io_uring_, wait_cqes, ts && !(ring->features & IORING_FEAT_EXT_ARG),
		    (struct io_uring * ring, struct io_uring_cqe **cqe_ptr, unsigned wait_nr,
		     struct __kernel_timespec *ts, sigset_t *sigmask),
		    (ring, cqe_ptr, wait_nr, ts, sigmask))
LIBURING_NOTED_WAIT(io_uring_, wait_cqe_timeout, ts && !(ring->features & IORING_FEAT_EXT_ARG),
		    (struct io_uring * ring, struct io_uring_cqe **cqe_ptr,
		     struct __kernel_timespec *ts),
		    (ring, cqe_ptr, ts))
LIBURING_NOTED_WAIT(io_uring_, wait_cqes_min_timeout, false,
		    (struct io_uring * ring, struct io_uring_cqe **cqe_ptr, unsigned wait_nr,
		     struct __kernel_timespec *ts, unsigned min_ts_usec, sigset_t *sigmask),
		    (ring, cqe_ptr, wait_nr, ts, min_ts_usec, sigmask))
LIBURING_NOTED_WAIT(io_uring_, submit_and_wait_timeout, true,
		    (struct io_uring * ring, struct io_uring_cqe **cqe_ptr, unsigned wait_nr,
		     struct __kernel_timespec *ts, sigset_t *sigmask),
		    (ring, cqe_ptr, wait_nr, ts, sigmask))
LIBURING_NOTED_WAIT(io_uring_, submit_and_wait_min_timeout, true,
		    (struct io_uring * ring, struct io_uring_cqe **cqe_ptr, unsigned wait_nr,
		     struct __kernel_timespec *ts, unsigned min_wait, sigset_t *sigmask),
		    (ring, cqe_ptr, wait_nr, ts, min_wait, sigmask))
LIBURING_NOTED_WAIT(io_uring_, submit_and_wait_reg, true,
		    (struct io_uring * ring, struct io_uring_cqe **cqe_ptr, unsigned wait_nr,
		     int reg_index),
		    (ring, cqe_ptr, wait_nr, reg_index))

IOURINGHELPER unsigned liburing_noted_peek_batch_cqe(struct io_uring *ring,
						     struct io_uring_cqe **cqes,
						     unsigned count) LIBURING_NOEXCEPT
{
	unsigned nr = io_uring_peek_batch_cqe(ring, cqes, count);

	liburing_note_written((const void *)cqes, nr * sizeof(*cqes));
	if (nr)
		liburing_note_ready(ring);
	return nr;
}

/* Registering: what comes back in memory that the caller need not have set. */

IOURINGHELPER struct io_uring_probe *
liburing_note_probe(struct io_uring_probe *probe) LIBURING_NOEXCEPT
{
	if (!probe)
		return NULL;
	liburing_note_written(probe, sizeof(*probe));
	liburing_note_written(probe->ops, probe->ops_len * sizeof(probe->ops[0]));
	return probe;
}

IOURINGHELPER struct io_uring_probe *liburing_noted_get_probe(void) LIBURING_NOEXCEPT
{
	return liburing_note_probe(io_uring_get_probe());
}

IOURINGHELPER struct io_uring_probe *
liburing_noted_get_probe_ring(struct io_uring *ring) LIBURING_NOEXCEPT
{
	return liburing_note_probe(io_uring_get_probe_ring(ring));
}

IOURINGHELPER struct io_uring_buf_ring *
liburing_noted_setup_buf_ring(struct io_uring *ring, unsigned nentries, int bgid, unsigned flags,
			      int *err) LIBURING_NOEXCEPT
{
	struct io_uring_buf_ring *br;

	br = io_uring_setup_buf_ring(ring, nentries, bgid, flags, err);
	liburing_note_in();
	liburing_note_written(err, sizeof(*err));
	if (br)
		liburing_note_written(br, nentries * sizeof(struct io_uring_buf));
	return br;
}

IOURINGHELPER int liburing_noted_free_buf_ring(struct io_uring *ring, struct io_uring_buf_ring *br,
					       unsigned nentries, int bgid) LIBURING_NOEXCEPT
{
	liburing_note_out();
	return io_uring_free_buf_ring(ring, br, nentries, bgid);
}

IOURINGHELPER int liburing_noted_buf_ring_head(struct io_uring *ring, int buf_group,
					       uint16_t *head) LIBURING_NOEXCEPT
{
	int ret = io_uring_buf_ring_head(ring, buf_group, head);

	if (!ret)
		liburing_note_written(head, sizeof(*head));
	return ret;
}

IOURINGHELPER int liburing_noted_unregister_napi(struct io_uring *ring,
						 struct io_uring_napi *napi) LIBURING_NOEXCEPT
{
	int ret = io_uring_unregister_napi(ring, napi);

	if (napi && !ret)
		liburing_note_written(napi, sizeof(*napi));
	return ret;
}

IOURINGHELPER int liburing_noted_register_query(struct io_uring_query_hdr *query) LIBURING_NOEXCEPT
{
	struct io_uring_query_hdr *hdr = query;
	int ret = io_uring_register_query(query);

	for (; !ret && hdr; hdr = (struct io_uring_query_hdr *)(uintptr_t)hdr->next_entry)
		liburing_note_written((const void *)(uintptr_t)hdr->query_data, hdr->size);
	return ret;
}

IOURINGHELPER int liburing_noted_register_sync_msg(struct io_uring_sqe *sqe) LIBURING_NOEXCEPT
{
	liburing_note_out();
	return io_uring_register_sync_msg(sqe);
}

#ifndef LIBURING_NO_NOTED_CALLS
#define io_uring_queue_init liburing_noted_queue_init
#define io_uring_queue_init_params liburing_noted_queue_init_params
#define io_uring_queue_init_mem liburing_noted_queue_init_mem
#define io_uring_queue_mmap liburing_noted_queue_mmap
#define io_uring_queue_exit liburing_noted_queue_exit
#define io_uring_resize_rings liburing_noted_resize_rings
#define io_uring_setup liburing_noted_setup
#define io_uring_submit liburing_noted_submit
#define io_uring_submit_and_wait liburing_noted_submit_and_wait
#define io_uring_submit_and_get_events liburing_noted_submit_and_get_events
#define __io_uring_get_cqe liburing_noted_get_cqe
#define io_uring_wait_cqes liburing_noted_wait_cqes
#define io_uring_wait_cqe_timeout liburing_noted_wait_cqe_timeout
#define io_uring_wait_cqes_min_timeout liburing_noted_wait_cqes_min_timeout
#define io_uring_submit_and_wait_timeout liburing_noted_submit_and_wait_timeout
#define io_uring_submit_and_wait_min_timeout liburing_noted_submit_and_wait_min_timeout
#define io_uring_submit_and_wait_reg liburing_noted_submit_and_wait_reg
#define io_uring_peek_batch_cqe liburing_noted_peek_batch_cqe
#define io_uring_get_probe liburing_noted_get_probe
#define io_uring_get_probe_ring liburing_noted_get_probe_ring
#define io_uring_setup_buf_ring liburing_noted_setup_buf_ring
#define io_uring_free_buf_ring liburing_noted_free_buf_ring
#define io_uring_buf_ring_head liburing_noted_buf_ring_head
#define io_uring_unregister_napi liburing_noted_unregister_napi
#define io_uring_register_query liburing_noted_register_query
#define io_uring_register_sync_msg liburing_noted_register_sync_msg
#endif

LIBURING_END_DECLS

#endif
