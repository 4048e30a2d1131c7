/* SPDX-License-Identifier: MIT */
/*
 * Why io_uring is refused. The same errno has several causes (a sysctl and a
 * container's seccomp filter both give EPERM), so the system is asked what is
 * in force before anything is named.
 */
#include "refusal.h"

#include <errno.h>
#include <liburing.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>

#define SECCOMP_MODE_FILTERED 2

/* The number after a name at the start of a line of the file, or -1. */
static int read_number(const char *path, const char *name)
{
	FILE *file = fopen(path, "re");
	char line[256];
	int number = -1;

	if (!file)
		return -1;
	while (number < 0 && fgets(line, sizeof(line), file)) {
		if (strncmp(line, name, strlen(name)) == 0)
			number = atoi(line + strlen(name));
	}
	fclose(file);
	return number;
}

static bool explain_sysctl(FILE *out)
{
	int disabled = read_number("/proc/sys/kernel/io_uring_disabled", "");

	if (disabled <= 0)
		return false;
	fprintf(out, "  The sysctl kernel.io_uring_disabled is %d: it is for %s.\n", disabled,
		disabled == 1 ? "CAP_SYS_ADMIN and kernel.io_uring_group only" : "nobody");
	fprintf(out, "  To allow it to all: sysctl kernel.io_uring_disabled=0\n");
	return true;
}

static bool explain_seccomp(FILE *out)
{
	if (read_number("/proc/self/status", "Seccomp:") != SECCOMP_MODE_FILTERED)
		return false;
	fprintf(out,
		"  A seccomp filter is in force here, as in most containers. It must allow\n"
		"  io_uring_setup, io_uring_enter and io_uring_register; for Docker and Podman:\n"
		"  --security-opt seccomp=PROFILE\n");
	return true;
}

static void explain_kernel(FILE *out)
{
	struct utsname name;
	int major = 0;
	int minor = 0;

	if (uname(&name) < 0 || sscanf(name.release, "%d.%d", &major, &minor) != 2)
		return;
	if (major < 5 || (major == 5 && minor < 1))
		fprintf(out, "  Linux %s is too old: io_uring came with 5.1.\n", name.release);
	else
		fprintf(out,
			"  Linux %s is new enough; it was built without CONFIG_IO_URING, or a\n"
			"  sandbox stands before it.\n",
			name.release);
}

static void explain_memory(FILE *out)
{
	struct rlimit limit;

	fprintf(out, "  The memory for the ring is refused. Up to Linux 5.11, and on new kernels\n"
		     "  again, it counts against RLIMIT_MEMLOCK (ulimit -l)");
	if (getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
		fprintf(out, ", which is %llu KiB\n  here,",
			(unsigned long long)limit.rlim_cur / 1024);
	fprintf(out, " of a user without CAP_IPC_LOCK; in between against the\n"
		     "  memory control group only. Raise the limit, or ask for less.\n");
}

static void explain_permission(FILE *out)
{
	bool sysctl = explain_sysctl(out);
	bool seccomp = explain_seccomp(out);

	if (!sysctl && !seccomp)
		fprintf(out,
			"  Neither a sysctl nor a seccomp filter does it. A security module may\n"
			"  (SELinux, AppArmor): its audit log tells.\n");
}

bool explain_refusal(FILE *out, int err, unsigned int setup_flags)
{
	switch (err) {
	case -ENOSYS:
		fprintf(out, "io_uring is refused: ENOSYS, no such system call.\n");
		if (!explain_seccomp(out))
			explain_kernel(out);
		return true;
	case -EPERM:
		fprintf(out, "io_uring is refused: EPERM, not permitted.\n");
		explain_permission(out);
		return true;
	case -EACCES:
		fprintf(out, "io_uring is refused: EACCES, access denied.\n");
		explain_permission(out);
		return true;
	case -ENOMEM:
		fprintf(out, "io_uring is refused: ENOMEM, out of memory.\n");
		explain_memory(out);
		return true;
	case -EINVAL:
		if ((setup_flags & IORING_SETUP_DEFER_TASKRUN) == 0)
			return false;
		fprintf(out, "io_uring is refused: EINVAL, a flag that this kernel lacks.\n"
			     "  IORING_SETUP_DEFER_TASKRUN came with Linux 6.1.\n");
		return true;
	default:
		return false;
	}
}

void explain_refused_enter(FILE *out, int err)
{
	if (err == -ENOSYS || err == -EPERM)
		explain_refusal(out, err, 0);
}
