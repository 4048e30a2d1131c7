/* SPDX-License-Identifier: MIT */
/*
 * Making, closing and managing descriptors, and what is said about the file
 * behind one.
 */
#ifndef LIBURING_PREP_FILE_H
#define LIBURING_PREP_FILE_H

#include <fcntl.h>
#include <sys/types.h>
#include <liburing/prep.h>

LIBURING_BEGIN_DECLS

/*
 * io_uring_prep_openat, io_uring_prep_open - openat(2), open(2); the result is
 * the descriptor. Since 5.6. On 32-bit systems add O_LARGEFILE.
 */
IOURINGINLINE void io_uring_prep_openat(struct io_uring_sqe *sqe, int dfd, const char *path,
					int flags, mode_t mode) LIBURING_NOEXCEPT
{
	liburing_sqe_fill_strict(IORING_OP_OPENAT, sqe, dfd, uring_ptr_to_u64(path), mode, 0);
	sqe->open_flags = (__u32)flags;
}

IOURINGINLINE void io_uring_prep_open(struct io_uring_sqe *sqe, const char *path, int flags,
				      mode_t mode) LIBURING_NOEXCEPT
{
	io_uring_prep_openat(sqe, AT_FDCWD, path, flags, mode);
}

/*
 * io_uring_prep_openat2 - openat2(2); how is read as path is. Since 5.6.
 */
IOURINGINLINE void io_uring_prep_openat2(struct io_uring_sqe *sqe, int dfd, const char *path,
					 const struct open_how *how) LIBURING_NOEXCEPT
{
	liburing_sqe_fill_strict(IORING_OP_OPENAT2, sqe, dfd, uring_ptr_to_u64(path),
				 (unsigned int)sizeof(*how), uring_ptr_to_u64(how));
}

/*
 * io_uring_prep_openat_direct, io_uring_prep_open_direct,
 * io_uring_prep_openat2_direct - open as a direct descriptor in slot file_index,
 * or with IORING_FILE_INDEX_ALLOC in one that the kernel picks. Since 5.15; ALLOC
 * 5.19.
 *
 * O_CLOEXEC is refused: a direct descriptor is no descriptor of the process.
 */
IOURINGINLINE void io_uring_prep_openat_direct(struct io_uring_sqe *sqe, int dfd,
					       const char *path, int flags, mode_t mode,
					       unsigned int file_index) LIBURING_NOEXCEPT
{
	io_uring_prep_openat(sqe, dfd, path, flags, mode);
	liburing_sqe_set_slot(sqe, file_index);
}

IOURINGINLINE void io_uring_prep_open_direct(struct io_uring_sqe *sqe, const char *path,
					     int flags, mode_t mode,
					     unsigned int file_index) LIBURING_NOEXCEPT
{
	io_uring_prep_openat_direct(sqe, AT_FDCWD, path, flags, mode, file_index);
}

IOURINGINLINE void io_uring_prep_openat2_direct(struct io_uring_sqe *sqe, int dfd,
						const char *path, const struct open_how *how,
						unsigned int file_index) LIBURING_NOEXCEPT
{
	io_uring_prep_openat2(sqe, dfd, path, how);
	liburing_sqe_set_slot(sqe, file_index);
}

/*
 * io_uring_prep_close - close(2). Since 5.6.
 *
 * It cancels nothing that is still using the descriptor.
 */
IOURINGINLINE void io_uring_prep_close(struct io_uring_sqe *sqe, int fd) LIBURING_NOEXCEPT
{
	liburing_sqe_fill_strict(IORING_OP_CLOSE, sqe, fd, 0, 0, 0);
}

/*
 * io_uring_prep_close_direct - empty slot file_index of the file table; without
 * IOSQE_FIXED_FILE. Since 5.15.
 *
 * IORING_FILE_INDEX_ALLOC is no slot: with it the request closes descriptor 0.
 */
IOURINGINLINE void io_uring_prep_close_direct(struct io_uring_sqe *sqe,
					      unsigned int file_index) LIBURING_NOEXCEPT
{
	io_uring_prep_close(sqe, 0);
	__io_uring_set_target_fixed_file(sqe, file_index);
}

/*
 * io_uring_prep_statx - statx(2). Since 5.6.
 *
 * statxbuf is written: it must stay until the CQE. dfd is a plain descriptor.
 */
IOURINGINLINE void io_uring_prep_statx(struct io_uring_sqe *sqe, int dfd, const char *path,
				       int flags, unsigned int mask,
				       struct statx *statxbuf) LIBURING_NOEXCEPT
{
	liburing_sqe_fill_strict(IORING_OP_STATX, sqe, dfd, uring_ptr_to_u64(path), mask,
				 uring_ptr_to_u64(statxbuf));
	sqe->statx_flags = (__u32)flags;
}

/*
 * io_uring_prep_fsync - fsync(2), with IORING_FSYNC_DATASYNC fdatasync(2).
 *
 * It waits for no write that is still in flight: link it, or reap them first.
 */
IOURINGINLINE void io_uring_prep_fsync(struct io_uring_sqe *sqe, int fd,
				       unsigned int fsync_flags) LIBURING_NOEXCEPT
{
	liburing_sqe_fill_strict(IORING_OP_FSYNC, sqe, fd, 0, 0, 0);
	sqe->fsync_flags = fsync_flags;
}

/*
 * io_uring_prep_sync_file_range - sync_file_range(2). Since 5.2. len 0 means up to
 * the end.
 */
IOURINGINLINE void io_uring_prep_sync_file_range(struct io_uring_sqe *sqe, int fd,
						 unsigned int len, __u64 offset,
						 int flags) LIBURING_NOEXCEPT
{
	liburing_sqe_fill_strict(IORING_OP_SYNC_FILE_RANGE, sqe, fd, 0, len, offset);
	sqe->sync_range_flags = (__u32)flags;
}

/*
 * io_uring_prep_fallocate - fallocate(2). Since 5.6. In the SQE, len holds the mode
 * and addr the length.
 */
IOURINGINLINE void io_uring_prep_fallocate(struct io_uring_sqe *sqe, int fd, int mode,
					   __u64 offset, __u64 len) LIBURING_NOEXCEPT
{
	liburing_sqe_fill_strict(IORING_OP_FALLOCATE, sqe, fd, len, (unsigned int)mode, offset);
}

/*
 * io_uring_prep_ftruncate - ftruncate(2). Since 6.9. len is a loff_t.
 */
IOURINGINLINE void io_uring_prep_ftruncate(struct io_uring_sqe *sqe, int fd,
					   liburing_loff_t len) LIBURING_NOEXCEPT
{
	liburing_sqe_fill_strict(IORING_OP_FTRUNCATE, sqe, fd, 0, 0, (__u64)len);
	sqe->addr3 = 0;
}

/*
 * io_uring_prep_fadvise, io_uring_prep_fadvise64 - posix_fadvise(3). Since 5.6;
 * lengths beyond 32 bits, the second form, 6.11.
 *
 * Older kernels look for the length in sqe->len, where the second form has 0.
 */
IOURINGINLINE void io_uring_prep_fadvise(struct io_uring_sqe *sqe, int fd, __u64 offset,
					 __u32 len, int advice) LIBURING_NOEXCEPT
{
	liburing_sqe_fill_strict(IORING_OP_FADVISE, sqe, fd, 0, len, offset);
	sqe->fadvise_advice = (__u32)advice;
}

IOURINGINLINE void io_uring_prep_fadvise64(struct io_uring_sqe *sqe, int fd, __u64 offset,
					   off_t len, int advice) LIBURING_NOEXCEPT
{
	liburing_sqe_fill_strict(IORING_OP_FADVISE, sqe, fd, (__u64)len, 0, offset);
	sqe->fadvise_advice = (__u32)advice;
}

/*
 * io_uring_prep_madvise, io_uring_prep_madvise64 - madvise(2) on this process's
 * memory. Since 5.6; lengths beyond 32 bits, the second form, 6.11.
 */
IOURINGINLINE void io_uring_prep_madvise(struct io_uring_sqe *sqe, void *addr, __u32 length,
					 int advice) LIBURING_NOEXCEPT
{
	liburing_sqe_fill_strict(IORING_OP_MADVISE, sqe, -1, uring_ptr_to_u64(addr), length, 0);
	sqe->fadvise_advice = (__u32)advice;
}

IOURINGINLINE void io_uring_prep_madvise64(struct io_uring_sqe *sqe, void *addr, off_t length,
					   int advice) LIBURING_NOEXCEPT
{
	liburing_sqe_fill_strict(IORING_OP_MADVISE, sqe, -1, uring_ptr_to_u64(addr), 0,
				 (__u64)length);
	sqe->fadvise_advice = (__u32)advice;
}

/*
 * io_uring_prep_pipe - pipe2(2): fds[0] and fds[1] are written, and must stay until
 * the CQE. Since 6.16.
 */
IOURINGINLINE void io_uring_prep_pipe(struct io_uring_sqe *sqe, int *fds,
				      int pipe_flags) LIBURING_NOEXCEPT
{
	liburing_sqe_fill(IORING_OP_PIPE, sqe, 0, uring_ptr_to_u64(fds), 0, 0);
	sqe->pipe_flags = (__u32)pipe_flags;
	sqe->file_index = 0;
	sqe->addr3 = 0;
}

/*
 * io_uring_prep_pipe_direct - the ends become direct descriptors in slots
 * file_index and file_index + 1, or with IORING_FILE_INDEX_ALLOC in two that the
 * kernel picks; fds gets the slots. Since 6.16.
 */
IOURINGINLINE void io_uring_prep_pipe_direct(struct io_uring_sqe *sqe, int *fds, int pipe_flags,
					     unsigned int file_index) LIBURING_NOEXCEPT
{
	io_uring_prep_pipe(sqe, fds, pipe_flags);
	liburing_sqe_set_slot(sqe, file_index);
}

/*
 * io_uring_prep_fixed_fd_install - make a plain descriptor, the result, of the
 * direct descriptor in slot fd. Since 6.8.
 *
 * Close-on-exec unless flags hold IORING_FIXED_FD_NO_CLOEXEC. Adds
 * IOSQE_FIXED_FILE to the SQE's flags.
 */
IOURINGINLINE void io_uring_prep_fixed_fd_install(struct io_uring_sqe *sqe, int fd,
						  unsigned int flags) LIBURING_NOEXCEPT
{
	liburing_sqe_fill_strict(IORING_OP_FIXED_FD_INSTALL, sqe, fd, 0, 0, 0);
	sqe->install_fd_flags = flags;
	sqe->addr3 = 0;
	sqe->flags = (__u8)(sqe->flags | IOSQE_FIXED_FILE);
}

LIBURING_END_DECLS

#endif
