/* SPDX-License-Identifier: MIT */
/*
 * The checks of a debug build.
 *
 * A library configured with --enable-debug, and a program that is compiled with
 * LIBURING_DEBUG defined (pkg-config gives it) and linked with that library, watch
 * how rings are used. A mistake ends the program with SIGABRT, after a message
 * that names the function and the mistake:
 *   - more CQ slots are released than are filled
 *   - io_uring_cqe_seen is called with a CQE that is not the oldest
 *   - a CQE is read after its slot was released
 *   - an SQE was taken and never prepared
 *   - memory that an SQE leads to is not mapped
 *   - a ring is used by a child of fork while its parent lives, or by a second
 *     thread where it was made for one (IORING_SETUP_SINGLE_ISSUER)
 * and each of these is warned of once a ring:
 *   - a wait without a timeout while SQEs of the same thread are not submitted, and
 *     nothing is in flight
 *   - the last SQE of a submit has a link flag: the chain ends there
 *   - a ring of IORING_SETUP_DEFER_TASKRUN is peeked for what only an enter brings
 *     in, and was made without IORING_SETUP_TASKRUN_FLAG
 *
 * Of a program that is not compiled with LIBURING_DEBUG only the calls into the
 * library are checked. A slot that was released is overwritten.
 */
#ifndef LIBURING_DEBUG_H
#define LIBURING_DEBUG_H

#include <liburing/base.h>
#include <liburing/types.h>

LIBURING_BEGIN_DECLS

/* What a released slot is filled with. */
#define LIBURING_DEBUG_BYTE 0xceU

/* Takes a message about the use of function. The program ends when is_fatal and it returns. */
typedef void liburing_debug_report_fn(const char *function, const char *message, int is_fatal);

/*
 * liburing_debug_report - from here on all messages of the process go to report.
 *
 * NULL is the library's own, which writes them to standard error. Returns the one
 * before. Any thread may call it.
 */
liburing_debug_report_fn *liburing_debug_report(liburing_debug_report_fn *report)
	LIBURING_NOEXCEPT;

/* What inline functions call; function is the one to name. */
void liburing_debug_took_sqe(struct io_uring *ring, const char *function) LIBURING_NOEXCEPT;
void liburing_debug_wait(struct io_uring *ring, unsigned wait_nr, const char *function)
	LIBURING_NOEXCEPT;
void liburing_debug_empty_peek(struct io_uring *ring, const char *function) LIBURING_NOEXCEPT;
void liburing_debug_advance(struct io_uring *ring, unsigned nr, const char *function)
	LIBURING_NOEXCEPT;
void liburing_debug_seen(struct io_uring *ring, const struct io_uring_cqe *cqe,
			 const char *function) LIBURING_NOEXCEPT;
void liburing_debug_read_cqe(const struct io_uring_cqe *cqe, const char *function)
	LIBURING_NOEXCEPT;
void liburing_debug_fail(const char *message, const char *function) LIBURING_NOEXCEPT
	__attribute__((__noreturn__));

LIBURING_END_DECLS

#endif
