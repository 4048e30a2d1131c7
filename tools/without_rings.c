/* SPDX-License-Identifier: MIT */
/*
 * without_rings - run a program to which io_uring is refused with EPERM, as containers do.
 *
 *	without_rings PROGRAM [ARGUMENT]...
 *
 * The exit status is the program's; 77 where such a filter is refused, and 126 when the
 * program cannot be run.
 */
#include <errno.h>
#include <liburing.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define EXIT_REFUSED 77
#define EXIT_NOT_RUN 126

int main(int argc, char **argv)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_io_uring_setup, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = 4, .filter = filter };

	if (argc < 2) {
		fprintf(stderr, "usage: without_rings PROGRAM [ARGUMENT]...\n");
		return EXIT_NOT_RUN;
	}
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
		return EXIT_REFUSED;
	execvp(argv[1], argv + 1);
	fprintf(stderr, "without_rings: %s: %s\n", argv[1], strerror(errno));
	return EXIT_NOT_RUN;
}
