/* SPDX-License-Identifier: MIT */
#include <sys/resource.h>
#include "internal.h"

/*
 * Registers, and where the kernel takes so many files for too many raises the
 * soft limit within the hard one and tries once more. A try that fails leaves
 * the limit as it was.
 */
static int register_raising_limit(struct io_uring *ring, unsigned opcode, const void *arg,
				  unsigned nr_args, unsigned nr_files)
{
	int ret = iou_do_register(ring, opcode, arg, nr_args);
	struct iou_rlimit old_limit, new_limit;

	if (ret != -EMFILE || iou_sys_rlimit(RLIMIT_NOFILE, NULL, &old_limit))
		return ret;
	if (nr_files > old_limit.hard || old_limit.soft >= old_limit.hard)
		return ret;

	new_limit = old_limit;
	new_limit.soft = nr_files < old_limit.hard - old_limit.soft ? old_limit.soft + nr_files :
								      old_limit.hard;
	if (iou_sys_rlimit(RLIMIT_NOFILE, &new_limit, NULL))
		return ret;
	ret = iou_do_register(ring, opcode, arg, nr_args);
	if (ret < 0)
		iou_sys_rlimit(RLIMIT_NOFILE, &old_limit, NULL);
	return ret;
}

int io_uring_register_files(struct io_uring *ring, const int *files, unsigned nr_files)
{
	return register_raising_limit(ring, IORING_REGISTER_FILES, files, nr_files, nr_files);
}

int io_uring_register_files_tags(struct io_uring *ring, const int *files, const __u64 *tags,
				 unsigned nr)
{
	const struct io_uring_rsrc_register reg = {
		.nr = nr,
		.data = uring_ptr_to_u64(files),
		.tags = uring_ptr_to_u64(tags),
	};

	return register_raising_limit(ring, IORING_REGISTER_FILES2, &reg, sizeof(reg), nr);
}

int io_uring_register_files_sparse(struct io_uring *ring, unsigned nr)
{
	const struct io_uring_rsrc_register reg = {
		.nr = nr,
		.flags = IORING_RSRC_REGISTER_SPARSE,
	};

	return register_raising_limit(ring, IORING_REGISTER_FILES2, &reg, sizeof(reg), nr);
}

int io_uring_register_files_update(struct io_uring *ring, unsigned off, const int *files,
				   unsigned nr_files)
{
	const struct io_uring_files_update up = {
		.offset = off,
		.fds = uring_ptr_to_u64(files),
	};

	return iou_do_register(ring, IORING_REGISTER_FILES_UPDATE, &up, nr_files);
}

int io_uring_register_files_update_tag(struct io_uring *ring, unsigned off, const int *files,
				       const __u64 *tags, unsigned nr_files)
{
	const struct io_uring_rsrc_update2 up = {
		.offset = off,
		.data = uring_ptr_to_u64(files),
		.tags = uring_ptr_to_u64(tags),
		.nr = nr_files,
	};

	return iou_do_register(ring, IORING_REGISTER_FILES_UPDATE2, &up, sizeof(up));
}

int io_uring_unregister_files(struct io_uring *ring)
{
	return iou_do_register(ring, IORING_UNREGISTER_FILES, NULL, 0);
}

int io_uring_register_file_alloc_range(struct io_uring *ring, unsigned off, unsigned len)
{
	const struct io_uring_file_index_range range = {
		.off = off,
		.len = len,
	};

	return iou_do_register(ring, IORING_REGISTER_FILE_ALLOC_RANGE, &range, 0);
}
