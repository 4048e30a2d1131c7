/* SPDX-License-Identifier: MIT */
#include "internal.h"

int io_uring_major_version(void)
{
	return IO_URING_VERSION_MAJOR;
}

int io_uring_minor_version(void)
{
	return IO_URING_VERSION_MINOR;
}

bool io_uring_check_version(int major, int minor)
{
	return IO_URING_CHECK_VERSION(major, minor);
}
