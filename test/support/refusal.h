/* SPDX-License-Identifier: MIT */
/*
 * Kernels that refuse rings, as container runtimes and administrators have them.
 */
#ifndef TEST_SUPPORT_REFUSAL_H
#define TEST_SUPPORT_REFUSAL_H

#include <errno.h>
#include <liburing.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * refuse_call - from here on a system call gives this process, and all that it
 * starts, nothing but the errno. Returns 0, or -1 where no filter can be installed.
 */
static inline int refuse_call(unsigned nr, int err)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)err),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = 4, .filter = filter };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* The errors of a call that is refused as such, whatever it asks for. */
static inline int is_refusal(int err)
{
	return err == ENOSYS || err == EPERM || err == EACCES;
}

/*
 * refused_ring_call - which of the three calls of rings this kernel refuses, by its
 * name, with the errno in *err; NULL when they all work.
 */
static inline const char *refused_ring_call(int *err)
{
	struct io_uring_params p;
	const char *name = NULL;
	int fd;

	memset(&p, 0, sizeof(p));
	fd = (int)syscall(__NR_io_uring_setup, 2, &p);
	if (fd < 0) {
		*err = errno;
		return is_refusal(errno) ? "io_uring_setup" : NULL;
	}
	if (syscall(__NR_io_uring_enter, fd, 0, 0, 0, NULL, 0) < 0 && is_refusal(errno)) {
		*err = errno;
		name = "io_uring_enter";
	} else if (syscall(__NR_io_uring_register, fd, IORING_UNREGISTER_EVENTFD, NULL, 0) < 0 &&
		   is_refusal(errno)) {
		*err = errno;
		name = "io_uring_register";
	}
	close(fd);
	return name;
}

#endif
