/* SPDX-License-Identifier: MIT */
/*
 * Moving bytes between a file and memory, or between two files. An offset of -1
 * means the file's own position, which requests that run at the same time must
 * not share.
 */
#ifndef LIBURING_PREP_RW_H
#define LIBURING_PREP_RW_H

#include <sys/uio.h>
#include <liburing/prep.h>

LIBURING_BEGIN_DECLS

/*
 * liburing_sqe_fill_read - a read that may take its buffer from a group: all that
 * io_uring_prep_rw sets, but buf_group.
 */
IOURINGHELPER void liburing_sqe_fill_read(int op, struct io_uring_sqe *sqe, int fd,
					   const void *addr, unsigned int len,
					   __u64 offset) LIBURING_NOEXCEPT
{
	liburing_sqe_fill(op, sqe, fd, uring_ptr_to_u64(addr), len, offset);
	sqe->file_index = 0;
	sqe->attr_ptr = 0;
	sqe->attr_type_mask = 0;
}

/*
 * io_uring_prep_read - pread(2). Since 5.6.
 *
 * With IOSQE_BUFFER_SELECT, buf is NULL and the buffer comes from buf_group; the
 * CQE's flags say which. The result may be short of nbytes; 0 is the end.
 */
IOURINGINLINE void io_uring_prep_read(struct io_uring_sqe *sqe, int fd, void *buf,
				      unsigned int nbytes, __u64 offset) LIBURING_NOEXCEPT
{
	liburing_sqe_fill_read(IORING_OP_READ, sqe, fd, buf, nbytes, offset);
}

/*
 * io_uring_prep_readv, io_uring_prep_readv2 - preadv(2), preadv2(2).
 *
 * flags are RWF_...; the buffers must stay, the array only as prep.h says.
 */
IOURINGINLINE void io_uring_prep_readv(struct io_uring_sqe *sqe, int fd,
				       const struct iovec *iovecs, unsigned int nr_vecs,
				       __u64 offset) LIBURING_NOEXCEPT
{
	liburing_sqe_fill_read(IORING_OP_READV, sqe, fd, iovecs, nr_vecs, offset);
}

IOURINGINLINE void io_uring_prep_readv2(struct io_uring_sqe *sqe, int fd,
					const struct iovec *iovecs, unsigned int nr_vecs,
					__u64 offset, int flags) LIBURING_NOEXCEPT
{
	io_uring_prep_readv(sqe, fd, iovecs, nr_vecs, offset);
	sqe->rw_flags = flags;
}

/*
 * io_uring_prep_write - pwrite(2). Since 5.6. The result may be short.
 */
IOURINGINLINE void io_uring_prep_write(struct io_uring_sqe *sqe, int fd, const void *buf,
				       unsigned int nbytes, __u64 offset) LIBURING_NOEXCEPT
{
	io_uring_prep_rw(IORING_OP_WRITE, sqe, fd, buf, nbytes, offset);
}

/*
 * io_uring_prep_writev, io_uring_prep_writev2 - pwritev(2), pwritev2(2).
 *
 * flags are RWF_...; the buffers must stay, the array only as prep.h says.
 */
IOURINGINLINE void io_uring_prep_writev(struct io_uring_sqe *sqe, int fd,
					const struct iovec *iovecs, unsigned int nr_vecs,
					__u64 offset) LIBURING_NOEXCEPT
{
	io_uring_prep_rw(IORING_OP_WRITEV, sqe, fd, iovecs, nr_vecs, offset);
}

IOURINGINLINE void io_uring_prep_writev2(struct io_uring_sqe *sqe, int fd,
					 const struct iovec *iovecs, unsigned int nr_vecs,
					 __u64 offset, int flags) LIBURING_NOEXCEPT
{
	io_uring_prep_writev(sqe, fd, iovecs, nr_vecs, offset);
	sqe->rw_flags = flags;
}

/*
 * io_uring_prep_splice - splice(2). Since 5.7.
 *
 * Offsets are -1 for a pipe and for a file's own position. Of the two
 * descriptors IOSQE_FIXED_FILE means fd_out; SPLICE_F_FD_IN_FIXED in
 * splice_flags makes fd_in a slot of the file table.
 */
IOURINGINLINE void io_uring_prep_splice(struct io_uring_sqe *sqe, int fd_in, int64_t off_in,
					int fd_out, int64_t off_out, unsigned int nbytes,
					unsigned int splice_flags) LIBURING_NOEXCEPT
{
	liburing_sqe_fill(IORING_OP_SPLICE, sqe, fd_out, (__u64)off_in, nbytes, (__u64)off_out);
	sqe->splice_flags = splice_flags;
	sqe->splice_fd_in = fd_in;
}

/*
 * io_uring_prep_tee - tee(2). Since 5.8. Descriptors as in io_uring_prep_splice.
 */
IOURINGINLINE void io_uring_prep_tee(struct io_uring_sqe *sqe, int fd_in, int fd_out,
				     unsigned int nbytes,
				     unsigned int splice_flags) LIBURING_NOEXCEPT
{
	liburing_sqe_fill(IORING_OP_TEE, sqe, fd_out, 0, nbytes, 0);
	sqe->splice_flags = splice_flags;
	sqe->splice_fd_in = fd_in;
}

/*
 * io_uring_prep_read_fixed, io_uring_prep_write_fixed - read into, or write
 * from, a registered buffer.
 *
 * buf and nbytes lie within registered buffer number buf_index.
 */
IOURINGINLINE void io_uring_prep_read_fixed(struct io_uring_sqe *sqe, int fd, void *buf,
					    unsigned int nbytes, __u64 offset,
					    int buf_index) LIBURING_NOEXCEPT
{
	io_uring_prep_rw(IORING_OP_READ_FIXED, sqe, fd, buf, nbytes, offset);
	sqe->buf_index = (__u16)buf_index;
}

IOURINGINLINE void io_uring_prep_write_fixed(struct io_uring_sqe *sqe, int fd, const void *buf,
					     unsigned int nbytes, __u64 offset,
					     int buf_index) LIBURING_NOEXCEPT
{
	io_uring_prep_rw(IORING_OP_WRITE_FIXED, sqe, fd, buf, nbytes, offset);
	sqe->buf_index = (__u16)buf_index;
}

/*
 * io_uring_prep_readv_fixed, io_uring_prep_writev_fixed - vectored forms: each
 * iovec lies within registered buffer number buf_index. flags are RWF_.... Since
 * 6.15.
 */
IOURINGINLINE void io_uring_prep_readv_fixed(struct io_uring_sqe *sqe, int fd,
					     const struct iovec *iovecs, unsigned int nr_vecs,
					     __u64 offset, int flags,
					     int buf_index) LIBURING_NOEXCEPT
{
	io_uring_prep_rw(IORING_OP_READV_FIXED, sqe, fd, iovecs, nr_vecs, offset);
	sqe->rw_flags = flags;
	sqe->buf_index = (__u16)buf_index;
}

IOURINGINLINE void io_uring_prep_writev_fixed(struct io_uring_sqe *sqe, int fd,
					      const struct iovec *iovecs, unsigned int nr_vecs,
					      __u64 offset, int flags,
					      int buf_index) LIBURING_NOEXCEPT
{
	io_uring_prep_rw(IORING_OP_WRITEV_FIXED, sqe, fd, iovecs, nr_vecs, offset);
	sqe->rw_flags = flags;
	sqe->buf_index = (__u16)buf_index;
}

/*
 * io_uring_prep_read_multishot - one CQE per read, each into a buffer of group
 * buf_group, until a CQE comes without IORING_CQE_F_MORE. Since 6.7.
 *
 * For files that can be polled (pipes, sockets, tun devices). nbytes is 0: each
 * read may fill its buffer; the kernel refuses a limit. Adds IOSQE_BUFFER_SELECT
 * to flags.
 */
IOURINGINLINE void io_uring_prep_read_multishot(struct io_uring_sqe *sqe, int fd,
						unsigned int nbytes, __u64 offset,
						int buf_group) LIBURING_NOEXCEPT
{
	io_uring_prep_rw(IORING_OP_READ_MULTISHOT, sqe, fd, NULL, nbytes, offset);
	sqe->buf_group = (__u16)buf_group;
	sqe->flags = (__u8)(sqe->flags | IOSQE_BUFFER_SELECT);
}

LIBURING_END_DECLS

#endif
