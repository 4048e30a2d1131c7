/* SPDX-License-Identifier: MIT */
/*
 * liburing: io_uring for programs. This header is all that a program includes;
 * what is where is written in each of the headers below.
 */
#ifndef LIB_URING_H
#define LIB_URING_H

/* The first, before any header of the C library. */
#include <liburing/compat.h>
#include <liburing/io_uring.h>
#include <liburing/io_uring/query.h>
#include <liburing/io_uring/bpf_filter.h>
#include <liburing/io_uring_version.h>
#include <liburing/base.h>
#include <liburing/barrier.h>
#include <liburing/types.h>
#include <liburing/setup.h>
#include <liburing/submit.h>
#include <liburing/register.h>
#include <liburing/register_files.h>
#include <liburing/register_buffers.h>
#include <liburing/prep.h>
#include <liburing/prep/rw.h>
#include <liburing/prep/net.h>
#include <liburing/prep/file.h>
#include <liburing/prep/path.h>
#include <liburing/prep/event.h>
#include <liburing/prep/time.h>
#include <liburing/prep/ring.h>
#include <liburing/prep/cmd.h>
#include <liburing/sq.h>
#include <liburing/cq.h>
#include <liburing/buf_ring.h>
#include <liburing/recvmsg.h>

#endif
