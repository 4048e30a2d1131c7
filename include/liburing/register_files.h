/* SPDX-License-Identifier: MIT */
/*
 * The table of registered ("fixed") files: SQEs with IOSQE_FIXED_FILE name an
 * index of it instead of a descriptor. Returns and threads as in register.h.
 *
 * The table holds its own reference: a descriptor may be closed after the call.
 * A slot of -1 is empty. Where the kernel says -EMFILE, the soft limit of open
 * files (RLIMIT_NOFILE) of the process is raised by the number of files, within
 * the hard limit, and the call made once more; where the number does not fit the
 * hard limit, the limits stay as they are.
 */
#ifndef LIBURING_REGISTER_FILES_H
#define LIBURING_REGISTER_FILES_H

#include <liburing/io_uring.h>
#include <liburing/types.h>

LIBURING_BEGIN_DECLS

/* io_uring_register_files - register nr_files descriptors, index by index. Since 5.1. */
int io_uring_register_files(struct io_uring *ring, const int *files, unsigned nr_files)
	LIBURING_NOEXCEPT;

/*
 * io_uring_register_files_tags - the same with a tag for each, or NULL.
 *
 * When a tagged (not 0) file has left the table and no request uses it any more,
 * a CQE with the tag as user_data says so. Since kernel 5.13.
 */
int io_uring_register_files_tags(struct io_uring *ring, const int *files, const __u64 *tags,
				 unsigned nr) LIBURING_NOEXCEPT;

/* io_uring_register_files_sparse - a table of nr empty slots. Since kernel 5.19. */
int io_uring_register_files_sparse(struct io_uring *ring, unsigned nr) LIBURING_NOEXCEPT;

/*
 * io_uring_register_files_update - replace nr_files slots from off on.
 *
 * -1 empties a slot, IORING_REGISTER_FILES_SKIP leaves it. Returns the number
 * done, which is short where a later one failed; the slot that failed is empty
 * then. Since kernel 5.5.
 */
int io_uring_register_files_update(struct io_uring *ring, unsigned off, const int *files,
				   unsigned nr_files) LIBURING_NOEXCEPT;

/* io_uring_register_files_update_tag - the same, with tags. Since kernel 5.13. */
int io_uring_register_files_update_tag(struct io_uring *ring, unsigned off, const int *files,
				       const __u64 *tags, unsigned nr_files) LIBURING_NOEXCEPT;

/* io_uring_unregister_files - drop the table; -ENXIO when there is none. */
int io_uring_unregister_files(struct io_uring *ring) LIBURING_NOEXCEPT;

/*
 * io_uring_register_file_alloc_range - the slots that IORING_FILE_INDEX_ALLOC
 * chooses from: len of them from off on, until there is another table. Since
 * kernel 6.0.
 */
int io_uring_register_file_alloc_range(struct io_uring *ring, unsigned off, unsigned len)
	LIBURING_NOEXCEPT;

LIBURING_END_DECLS

#endif
