/* SPDX-License-Identifier: MIT */
/*
 * Rings under the tools that watch a program's memory: the sanitizers of gcc and
 * clang, and valgrind.
 *
 * The kernel writes CQEs and buffers, and what one thread submits another reaps,
 * and the tools see none of it; nor do they see into a library that was built
 * without them. So a program that is built with -fsanitize=address, thread or
 * memory tells them, here: of every CQE that it is given, of every buffer that it
 * hands over, of the order between threads. With the address sanitizer, and under
 * valgrind, a submit also looks at the memory that its SQEs lead to, and ends the
 * program where some of it was freed or has gone out of scope.
 *
 * A program for valgrind defines LIBURING_VALGRIND before the first include, and
 * needs valgrind's headers; and as valgrind (3.19 at least) runs no other thread
 * while one is in io_uring_enter, a thread that waits for what another does waits
 * with poll on ring_fd first.
 *
 * A program that wants none of this, because it puts functions of its own in the
 * place of the library's, defines LIBURING_NO_NOTES.
 *
 * Without a tool LIBURING_NOTE is nothing, and so is LIBURING_CHECK without
 * LIBURING_DEBUG (debug.h).
 */
#ifndef LIBURING_SANITIZE_H
#define LIBURING_SANITIZE_H

#ifdef LIBURING_DEBUG
#include <liburing/debug.h>
#define LIBURING_CHECK(name, ...) liburing_debug_##name(__VA_ARGS__, __func__)
#else
#define LIBURING_CHECK(name, ...) ((void)0)
#endif

#ifndef LIBURING_NO_NOTES
#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define LIBURING_ASAN 1
#endif
#if __has_feature(memory_sanitizer)
#define LIBURING_MSAN 1
#endif
#if __has_feature(thread_sanitizer)
#define LIBURING_TSAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) && !defined(LIBURING_ASAN)
#define LIBURING_ASAN 1
#endif
#if defined(__SANITIZE_THREAD__) && !defined(LIBURING_TSAN)
#define LIBURING_TSAN 1
#endif
#endif

#if !defined(LIBURING_NO_NOTES) && (defined(LIBURING_ASAN) || defined(LIBURING_MSAN) || \
				    defined(LIBURING_TSAN) || defined(LIBURING_VALGRIND))
#define LIBURING_NOTE(name, ...) liburing_note_##name(__VA_ARGS__)
#include <liburing/sanitize_notes.h>
#include <liburing/sanitize_calls.h>
#else
#define LIBURING_NOTE(name, ...) ((void)0)
#endif

#endif
