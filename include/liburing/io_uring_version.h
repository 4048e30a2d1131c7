/* SPDX-License-Identifier: MIT */
/*
 * The version of these headers; io_uring_major_version and
 * io_uring_minor_version tell the version of the library that was loaded.
 */
#ifndef LIBURING_IO_URING_VERSION_H
#define LIBURING_IO_URING_VERSION_H

#define IO_URING_VERSION_MAJOR 2
#define IO_URING_VERSION_MINOR 15

#endif
