/* SPDX-License-Identifier: MIT */
#ifndef WAKEUP_UNFENCED_H
#define WAKEUP_UNFENCED_H

#include <liburing.h>

/* unfenced_submit - io_uring_submit, compiled without its full barrier. */
int unfenced_submit(struct io_uring *ring);

#endif
