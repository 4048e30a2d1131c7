/* SPDX-License-Identifier: MIT */
/*
 * Operations on rings and what is registered with them: nop, messages between
 * rings, the file table, provided buffers.
 */
#ifndef LIBURING_PREP_RING_H
#define LIBURING_PREP_RING_H

#include <liburing/prep.h>

LIBURING_BEGIN_DECLS

/*
 * io_uring_prep_nop - does nothing and completes with 0.
 *
 * What IORING_NOP_... bits in nop_flags need (since 6.10), the program fills
 * afterwards.
 */
IOURINGINLINE void io_uring_prep_nop(struct io_uring_sqe *sqe) LIBURING_NOEXCEPT
{
	liburing_sqe_fill(IORING_OP_NOP, sqe, -1, 0, 0, 0);
}

/*
 * io_uring_prep_nop128 - a nop that takes a 128-byte SQE: sqe comes from
 * io_uring_get_sqe128. Since 6.19.
 */
IOURINGINLINE void io_uring_prep_nop128(struct io_uring_sqe *sqe) LIBURING_NOEXCEPT
{
	liburing_sqe_fill(IORING_OP_NOP128, sqe, -1, 0, 0, 0);
}

/*
 * io_uring_prep_msg_ring, io_uring_prep_msg_ring_cqe_flags - post a CQE in the
 * ring whose descriptor is fd. Since 5.18; with cqe_flags 6.3.
 *
 * The CQE there has user_data data and result len. flags is 0: of the
 * IORING_MSG_RING_... bits, CQE_SKIP is for files only and refused here. The second
 * form adds FLAGS_PASS, and that CQE gets cqe_flags as its flags. The sender's own
 * CQE says whether it worked.
 */
IOURINGINLINE void io_uring_prep_msg_ring(struct io_uring_sqe *sqe, int fd, unsigned int len,
					  __u64 data, unsigned int flags) LIBURING_NOEXCEPT
{
	liburing_sqe_fill_strict(IORING_OP_MSG_RING, sqe, fd, IORING_MSG_DATA, len, data);
	sqe->msg_ring_flags = flags;
	sqe->addr3 = 0;
}

IOURINGINLINE void io_uring_prep_msg_ring_cqe_flags(struct io_uring_sqe *sqe, int fd,
						    unsigned int len, __u64 data,
						    unsigned int flags,
						    unsigned int cqe_flags) LIBURING_NOEXCEPT
{
	io_uring_prep_msg_ring(sqe, fd, len, data, IORING_MSG_RING_FLAGS_PASS | flags);
	sqe->file_index = cqe_flags;
}

/*
 * io_uring_prep_msg_ring_fd, io_uring_prep_msg_ring_fd_alloc - send a direct
 * descriptor to the ring whose descriptor is fd. Since 6.0.
 *
 * source_fd is the slot here, target_fd the slot there, or
 * IORING_FILE_INDEX_ALLOC, which the second form stands for. data is the
 * user_data of the CQE there; IORING_MSG_RING_CQE_SKIP in flags posts none.
 */
IOURINGINLINE void io_uring_prep_msg_ring_fd(struct io_uring_sqe *sqe, int fd, int source_fd,
					     int target_fd, __u64 data,
					     unsigned int flags) LIBURING_NOEXCEPT
{
	liburing_sqe_fill_strict(IORING_OP_MSG_RING, sqe, fd, IORING_MSG_SEND_FD, 0, data);
	sqe->msg_ring_flags = flags;
	sqe->addr3 = (__u64)source_fd;
	liburing_sqe_set_slot(sqe, (unsigned int)target_fd);
}

IOURINGINLINE void io_uring_prep_msg_ring_fd_alloc(struct io_uring_sqe *sqe, int fd,
						   int source_fd, __u64 data,
						   unsigned int flags) LIBURING_NOEXCEPT
{
	io_uring_prep_msg_ring_fd(sqe, fd, source_fd, (int)IORING_FILE_INDEX_ALLOC, data, flags);
}

/*
 * io_uring_prep_files_update - io_uring_register_files_update as a request. Since
 * 5.6.
 *
 * nr_fds slots from offset on get the descriptors of fds, which must stay until
 * the CQE; -1 empties a slot. With offset IORING_FILE_INDEX_ALLOC (since 5.19) the
 * kernel picks the slots and writes their numbers into fds.
 */
IOURINGINLINE void io_uring_prep_files_update(struct io_uring_sqe *sqe, int *fds,
					      unsigned int nr_fds, int offset) LIBURING_NOEXCEPT
{
	liburing_sqe_fill(IORING_OP_FILES_UPDATE, sqe, -1, uring_ptr_to_u64(fds), nr_fds,
			  (__u64)offset);
	sqe->splice_fd_in = 0;
}

/*
 * io_uring_prep_provide_buffers - put nr buffers of len bytes each, side by side
 * from addr on, into group bgid under the ids bid, bid + 1, .... Since 5.7.
 *
 * Any result that is not negative is success. A ring of buffers
 * (io_uring_setup_buf_ring) does the same without a request.
 */
IOURINGINLINE void io_uring_prep_provide_buffers(struct io_uring_sqe *sqe, void *addr, int len,
						 int nr, int bgid, int bid) LIBURING_NOEXCEPT
{
	liburing_sqe_fill_strict(IORING_OP_PROVIDE_BUFFERS, sqe, nr, uring_ptr_to_u64(addr),
				 (unsigned int)len, (__u64)bid);
	sqe->buf_group = (__u16)bgid;
}

/*
 * io_uring_prep_remove_buffers - take up to nr buffers out of group bgid; the
 * result is how many there were. Since 5.7.
 */
IOURINGINLINE void io_uring_prep_remove_buffers(struct io_uring_sqe *sqe, int nr,
						int bgid) LIBURING_NOEXCEPT
{
	liburing_sqe_fill_strict(IORING_OP_REMOVE_BUFFERS, sqe, nr, 0, 0, 0);
	sqe->buf_group = (__u16)bgid;
}

LIBURING_END_DECLS

#endif
