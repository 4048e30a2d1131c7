/* SPDX-License-Identifier: MIT */
/*
 * Names in directories, and extended attributes. The forms without "at" take
 * relative paths from the current directory.
 */
#ifndef LIBURING_PREP_PATH_H
#define LIBURING_PREP_PATH_H

#include <fcntl.h>
#include <sys/types.h>
#include <liburing/prep.h>

LIBURING_BEGIN_DECLS

/*
 * io_uring_prep_mkdirat, io_uring_prep_mkdir - mkdirat(2), mkdir(2). Since 5.15.
 */
IOURINGINLINE void io_uring_prep_mkdirat(struct io_uring_sqe *sqe, int dfd, const char *path,
					 mode_t mode) LIBURING_NOEXCEPT
{
	liburing_sqe_fill_strict(IORING_OP_MKDIRAT, sqe, dfd, uring_ptr_to_u64(path), mode, 0);
}

IOURINGINLINE void io_uring_prep_mkdir(struct io_uring_sqe *sqe, const char *path,
				       mode_t mode) LIBURING_NOEXCEPT
{
	io_uring_prep_mkdirat(sqe, AT_FDCWD, path, mode);
}

/*
 * io_uring_prep_linkat, io_uring_prep_link - linkat(2), link(2) with linkat's
 * flags. Since 5.15. In the SQE, len holds newdfd.
 */
IOURINGINLINE void io_uring_prep_linkat(struct io_uring_sqe *sqe, int olddfd,
					const char *oldpath, int newdfd, const char *newpath,
					int flags) LIBURING_NOEXCEPT
{
	liburing_sqe_fill_strict(IORING_OP_LINKAT, sqe, olddfd, uring_ptr_to_u64(oldpath),
				 (unsigned int)newdfd, uring_ptr_to_u64(newpath));
	sqe->hardlink_flags = (__u32)flags;
}

IOURINGINLINE void io_uring_prep_link(struct io_uring_sqe *sqe, const char *oldpath,
				      const char *newpath, int flags) LIBURING_NOEXCEPT
{
	io_uring_prep_linkat(sqe, AT_FDCWD, oldpath, AT_FDCWD, newpath, flags);
}

/*
 * io_uring_prep_symlinkat, io_uring_prep_symlink - symlinkat(2), symlink(2). Since
 * 5.15.
 */
IOURINGINLINE void io_uring_prep_symlinkat(struct io_uring_sqe *sqe, const char *target,
					   int newdirfd, const char *linkpath) LIBURING_NOEXCEPT
{
	liburing_sqe_fill_strict(IORING_OP_SYMLINKAT, sqe, newdirfd, uring_ptr_to_u64(target), 0,
				 uring_ptr_to_u64(linkpath));
}

IOURINGINLINE void io_uring_prep_symlink(struct io_uring_sqe *sqe, const char *target,
					 const char *linkpath) LIBURING_NOEXCEPT
{
	io_uring_prep_symlinkat(sqe, target, AT_FDCWD, linkpath);
}

/*
 * io_uring_prep_renameat, io_uring_prep_rename - renameat2(2), rename(2). Since
 * 5.11. In the SQE, len holds newdfd.
 */
IOURINGINLINE void io_uring_prep_renameat(struct io_uring_sqe *sqe, int olddfd,
					  const char *oldpath, int newdfd, const char *newpath,
					  unsigned int flags) LIBURING_NOEXCEPT
{
	liburing_sqe_fill_strict(IORING_OP_RENAMEAT, sqe, olddfd, uring_ptr_to_u64(oldpath),
				 (unsigned int)newdfd, uring_ptr_to_u64(newpath));
	sqe->rename_flags = flags;
}

IOURINGINLINE void io_uring_prep_rename(struct io_uring_sqe *sqe, const char *oldpath,
					const char *newpath) LIBURING_NOEXCEPT
{
	io_uring_prep_renameat(sqe, AT_FDCWD, oldpath, AT_FDCWD, newpath, 0);
}

/*
 * io_uring_prep_unlinkat, io_uring_prep_unlink - unlinkat(2), unlink(2) with
 * unlinkat's flags: AT_REMOVEDIR removes a directory. Since 5.11.
 */
IOURINGINLINE void io_uring_prep_unlinkat(struct io_uring_sqe *sqe, int dfd, const char *path,
					  int flags) LIBURING_NOEXCEPT
{
	liburing_sqe_fill_strict(IORING_OP_UNLINKAT, sqe, dfd, uring_ptr_to_u64(path), 0, 0);
	sqe->unlink_flags = (__u32)flags;
}

IOURINGINLINE void io_uring_prep_unlink(struct io_uring_sqe *sqe, const char *path,
					int flags) LIBURING_NOEXCEPT
{
	io_uring_prep_unlinkat(sqe, AT_FDCWD, path, flags);
}

/*
 * io_uring_prep_getxattr, io_uring_prep_fgetxattr - getxattr(2), fgetxattr(2); the
 * result is the size of the value. Since 5.19.
 *
 * value is written: it must stay until the CQE.
 */
IOURINGINLINE void io_uring_prep_getxattr(struct io_uring_sqe *sqe, const char *name,
					  char *value, const char *path,
					  unsigned int len) LIBURING_NOEXCEPT
{
	liburing_sqe_fill(IORING_OP_GETXATTR, sqe, 0, uring_ptr_to_u64(name), len,
			  uring_ptr_to_u64(value));
	sqe->addr3 = uring_ptr_to_u64(path);
}

IOURINGINLINE void io_uring_prep_fgetxattr(struct io_uring_sqe *sqe, int fd, const char *name,
					   char *value, unsigned int len) LIBURING_NOEXCEPT
{
	liburing_sqe_fill(IORING_OP_FGETXATTR, sqe, fd, uring_ptr_to_u64(name), len,
			  uring_ptr_to_u64(value));
}

/*
 * io_uring_prep_setxattr, io_uring_prep_fsetxattr - setxattr(2), fsetxattr(2).
 * Since 5.19. flags are XATTR_....
 */
IOURINGINLINE void io_uring_prep_setxattr(struct io_uring_sqe *sqe, const char *name,
					  const char *value, const char *path, int flags,
					  unsigned int len) LIBURING_NOEXCEPT
{
	liburing_sqe_fill(IORING_OP_SETXATTR, sqe, 0, uring_ptr_to_u64(name), len,
			  uring_ptr_to_u64(value));
	sqe->addr3 = uring_ptr_to_u64(path);
	sqe->xattr_flags = (__u32)flags;
}

IOURINGINLINE void io_uring_prep_fsetxattr(struct io_uring_sqe *sqe, int fd, const char *name,
					   const char *value, int flags,
					   unsigned int len) LIBURING_NOEXCEPT
{
	liburing_sqe_fill(IORING_OP_FSETXATTR, sqe, fd, uring_ptr_to_u64(name), len,
			  uring_ptr_to_u64(value));
	sqe->xattr_flags = (__u32)flags;
}

LIBURING_END_DECLS

#endif
