/* SPDX-License-Identifier: MIT */
/*
 * Makes room for <liburing/io_uring.h> in a translation unit that has seen the
 * system's <linux/io_uring.h> already, most often an older one. Macros are
 * dropped. Types and enumerators cannot be, so from here on their names lead
 * to those of this library: the older definitions stay, out of reach.
 */
#ifndef LIBURING_IO_URING_RENAME_H
#define LIBURING_IO_URING_RENAME_H

#include <liburing/io_uring/rename_enumerators.h>

#undef IORING_ACCEPT_DONTWAIT
#undef IORING_ACCEPT_MULTISHOT
#undef IORING_ACCEPT_POLL_FIRST
#undef IORING_ASYNC_CANCEL_ALL
#undef IORING_ASYNC_CANCEL_ANY
#undef IORING_ASYNC_CANCEL_FD
#undef IORING_ASYNC_CANCEL_FD_FIXED
#undef IORING_ASYNC_CANCEL_OP
#undef IORING_ASYNC_CANCEL_USERDATA
#undef IORING_CQE_BUFFER_SHIFT
#undef IORING_CQE_F_32
#undef IORING_CQE_F_BUFFER
#undef IORING_CQE_F_BUF_MORE
#undef IORING_CQE_F_MORE
#undef IORING_CQE_F_NOTIF
#undef IORING_CQE_F_SKIP
#undef IORING_CQE_F_SOCK_NONEMPTY
#undef IORING_CQE_F_TSTAMP_HW
#undef IORING_CQ_EVENTFD_DISABLED
#undef IORING_ENTER_ABS_TIMER
#undef IORING_ENTER_EXT_ARG
#undef IORING_ENTER_EXT_ARG_REG
#undef IORING_ENTER_GETEVENTS
#undef IORING_ENTER_NO_IOWAIT
#undef IORING_ENTER_REGISTERED_RING
#undef IORING_ENTER_SQ_WAIT
#undef IORING_ENTER_SQ_WAKEUP
#undef IORING_FEAT_CQE_SKIP
#undef IORING_FEAT_CUR_PERSONALITY
#undef IORING_FEAT_EXT_ARG
#undef IORING_FEAT_FAST_POLL
#undef IORING_FEAT_LINKED_FILE
#undef IORING_FEAT_MIN_TIMEOUT
#undef IORING_FEAT_NATIVE_WORKERS
#undef IORING_FEAT_NODROP
#undef IORING_FEAT_NO_IOWAIT
#undef IORING_FEAT_POLL_32BITS
#undef IORING_FEAT_RECVSEND_BUNDLE
#undef IORING_FEAT_REG_REG_RING
#undef IORING_FEAT_RSRC_TAGS
#undef IORING_FEAT_RW_ATTR
#undef IORING_FEAT_RW_CUR_POS
#undef IORING_FEAT_SINGLE_MMAP
#undef IORING_FEAT_SQPOLL_NONFIXED
#undef IORING_FEAT_SUBMIT_STABLE
#undef IORING_FILE_INDEX_ALLOC
#undef IORING_FIXED_FD_NO_CLOEXEC
#undef IORING_FSYNC_DATASYNC
#undef IORING_LINK_TIMEOUT_UPDATE
#undef IORING_MSG_RING_CQE_SKIP
#undef IORING_MSG_RING_FLAGS_PASS
#undef IORING_NOP_CQE32
#undef IORING_NOP_INJECT_RESULT
#undef IORING_NOTIF_USAGE_ZC_COPIED
#undef IORING_OFF_CQ_RING
#undef IORING_OFF_MMAP_MASK
#undef IORING_OFF_PBUF_RING
#undef IORING_OFF_PBUF_SHIFT
#undef IORING_OFF_SQES
#undef IORING_OFF_SQ_RING
#undef IORING_POLL_ADD_LEVEL
#undef IORING_POLL_ADD_MULTI
#undef IORING_POLL_UPDATE_EVENTS
#undef IORING_POLL_UPDATE_USER_DATA
#undef IORING_RECVSEND_BUNDLE
#undef IORING_RECVSEND_FIXED_BUF
#undef IORING_RECVSEND_POLL_FIRST
#undef IORING_RECV_MULTISHOT
#undef IORING_REGISTER_FILES_SKIP
#undef IORING_RSRC_REGISTER_SPARSE
#undef IORING_RW_ATTR_FLAG_PI
#undef IORING_SEND_VECTORIZED
#undef IORING_SEND_ZC_REPORT_USAGE
#undef IORING_SETUP_ATTACH_WQ
#undef IORING_SETUP_CLAMP
#undef IORING_SETUP_COOP_TASKRUN
#undef IORING_SETUP_CQE32
#undef IORING_SETUP_CQE_MIXED
#undef IORING_SETUP_CQSIZE
#undef IORING_SETUP_DEFER_TASKRUN
#undef IORING_SETUP_HYBRID_IOPOLL
#undef IORING_SETUP_IOPOLL
#undef IORING_SETUP_NO_MMAP
#undef IORING_SETUP_NO_SQARRAY
#undef IORING_SETUP_REGISTERED_FD_ONLY
#undef IORING_SETUP_R_DISABLED
#undef IORING_SETUP_SINGLE_ISSUER
#undef IORING_SETUP_SQE128
#undef IORING_SETUP_SQE_MIXED
#undef IORING_SETUP_SQPOLL
#undef IORING_SETUP_SQ_AFF
#undef IORING_SETUP_SQ_REWIND
#undef IORING_SETUP_SUBMIT_ALL
#undef IORING_SETUP_TASKRUN_FLAG
#undef IORING_SQ_CQ_OVERFLOW
#undef IORING_SQ_NEED_WAKEUP
#undef IORING_SQ_TASKRUN
#undef IORING_TIMEOUT_ABS
#undef IORING_TIMEOUT_BOOTTIME
#undef IORING_TIMEOUT_CLOCK_MASK
#undef IORING_TIMEOUT_ETIME_SUCCESS
#undef IORING_TIMEOUT_IMMEDIATE_ARG
#undef IORING_TIMEOUT_MULTISHOT
#undef IORING_TIMEOUT_REALTIME
#undef IORING_TIMEOUT_UPDATE
#undef IORING_TIMEOUT_UPDATE_MASK
#undef IORING_TIMESTAMP_HW_SHIFT
#undef IORING_TIMESTAMP_TYPE_SHIFT
#undef IORING_URING_CMD_FIXED
#undef IORING_URING_CMD_MASK
#undef IORING_ZCRX_AREA_MASK
#undef IORING_ZCRX_AREA_SHIFT
#undef IOSQE_ASYNC
#undef IOSQE_BUFFER_SELECT
#undef IOSQE_CQE_SKIP_SUCCESS
#undef IOSQE_FIXED_FILE
#undef IOSQE_IO_DRAIN
#undef IOSQE_IO_HARDLINK
#undef IOSQE_IO_LINK
#undef IO_URING_OP_SUPPORTED
#undef SPLICE_F_FD_IN_FIXED

#define io_uring_sqe_flags_bit liburing_io_uring_sqe_flags_bit
#define io_uring_op liburing_io_uring_op
#define io_uring_msg_ring_flags liburing_io_uring_msg_ring_flags
#define io_uring_register_op liburing_io_uring_register_op
#define io_wq_type liburing_io_wq_type
#define io_uring_register_pbuf_ring_flags liburing_io_uring_register_pbuf_ring_flags
#define io_uring_register_restriction_op liburing_io_uring_register_restriction_op
#define io_uring_socket_op liburing_io_uring_socket_op
#define io_uring_zcrx_area_flags liburing_io_uring_zcrx_area_flags
#define zcrx_reg_flags liburing_zcrx_reg_flags
#define zcrx_features liburing_zcrx_features
#define zcrx_ctrl_op liburing_zcrx_ctrl_op
#define io_uring_sqe liburing_io_uring_sqe
#define io_uring_attr_pi liburing_io_uring_attr_pi
#define io_uring_cqe liburing_io_uring_cqe
#define io_sqring_offsets liburing_io_sqring_offsets
#define io_cqring_offsets liburing_io_cqring_offsets
#define io_uring_params liburing_io_uring_params
#define io_uring_files_update liburing_io_uring_files_update
#define io_uring_region_desc liburing_io_uring_region_desc
#define io_uring_mem_region_reg liburing_io_uring_mem_region_reg
#define io_uring_rsrc_register liburing_io_uring_rsrc_register
#define io_uring_rsrc_update liburing_io_uring_rsrc_update
#define io_uring_rsrc_update2 liburing_io_uring_rsrc_update2
#define io_uring_probe_op liburing_io_uring_probe_op
#define io_uring_probe liburing_io_uring_probe
#define io_uring_restriction liburing_io_uring_restriction
#define io_uring_task_restriction liburing_io_uring_task_restriction
#define io_uring_clock_register liburing_io_uring_clock_register
#define io_uring_clone_buffers liburing_io_uring_clone_buffers
#define io_uring_buf liburing_io_uring_buf
#define io_uring_buf_ring liburing_io_uring_buf_ring
#define io_uring_buf_reg liburing_io_uring_buf_reg
#define io_uring_buf_status liburing_io_uring_buf_status
#define io_uring_napi liburing_io_uring_napi
#define io_uring_reg_wait liburing_io_uring_reg_wait
#define io_uring_getevents_arg liburing_io_uring_getevents_arg
#define io_uring_sync_cancel_reg liburing_io_uring_sync_cancel_reg
#define io_uring_file_index_range liburing_io_uring_file_index_range
#define io_uring_recvmsg_out liburing_io_uring_recvmsg_out
#define io_timespec liburing_io_timespec
#define io_uring_zcrx_rqe liburing_io_uring_zcrx_rqe
#define io_uring_zcrx_cqe liburing_io_uring_zcrx_cqe
#define io_uring_zcrx_offsets liburing_io_uring_zcrx_offsets
#define io_uring_zcrx_area_reg liburing_io_uring_zcrx_area_reg
#define io_uring_zcrx_ifq_reg liburing_io_uring_zcrx_ifq_reg
#define zcrx_ctrl_flush_rq liburing_zcrx_ctrl_flush_rq
#define zcrx_ctrl_export liburing_zcrx_ctrl_export
#define zcrx_ctrl liburing_zcrx_ctrl

/*
 * One structure shares its name with a function of the library; the function
 * keeps its symbol.
 */
#ifdef __cplusplus
extern "C" {
#endif
struct io_uring;
int io_uring_clone_buffers(struct io_uring *dst, struct io_uring *src)
#if defined(__cplusplus) && __cplusplus >= 201103L
	noexcept
#endif
	__asm__("io_uring_clone_buffers");
#ifdef __cplusplus
}
#endif

#endif
