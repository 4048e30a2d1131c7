/* SPDX-License-Identifier: MIT */
/*
 * The library's submit once more, its full barrier taken out and its functions
 * under other names.
 */
#define io_uring_submit unfenced_submit
#define io_uring_submit_and_wait unfenced_submit_and_wait
#define io_uring_submit_and_get_events unfenced_submit_and_get_events
#define io_uring_get_events unfenced_get_events
#define __io_uring_sqring_wait unfenced_sqring_wait
#define iou_get_sqe unfenced_get_sqe
#define iou_flush_sq unfenced_flush_sq
#define iou_rewind_sq unfenced_rewind_sq

#include <liburing/barrier.h>
#undef io_uring_smp_mb
#define io_uring_smp_mb() __atomic_signal_fence(__ATOMIC_SEQ_CST)

#include "submit.c"
