/* SPDX-License-Identifier: MIT */
/*
 * The same checks for each way into the kernel: each of the arguments arrives, and
 * an error comes back as such, with errno as it was.
 */
#include "test.h"

#include <errno.h>
#include <stdlib.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static long arg(const void *ptr)
{
	return (long)(uintptr_t)ptr;
}

static void arguments_arrive(void **state)
{
	char template[] = "/tmp/syscall.XXXXXX", byte = 'x', got[2] = "";
	int fd = mkstemp(template);

	assert_true(fd >= 0);
	assert_int_equal(unlink(template), 0);
	assert_int_equal(iou_syscall0(__NR_getpid), getpid());
	assert_int_equal(iou_syscall3(__NR_write, fd, arg(&byte), 1), 1);
	assert_int_equal(iou_syscall2(__NR_ftruncate, fd, 1), 0);
#ifdef __LP64__
	assert_int_equal(iou_syscall4(__NR_pread64, fd, arg(got), 2, 0), 1);
	assert_int_equal(got[0], 'x');
	assert_int_equal(iou_syscall4(__NR_pread64, fd, arg(got), 2, 1), 0);
#else
	assert_int_equal(iou_syscall4(__NR_openat, AT_FDCWD, arg(""), O_RDONLY, 0), -ENOENT);
	(void)got;
#endif
	assert_int_equal(iou_syscall1(__NR_close, fd), 0);
	assert_int_equal(fcntl(fd, F_GETFD), -1);
}

/* Five: a name relative to a folder. */
static void five_arrive(void **state)
{
	assert_int_equal(iou_syscall5(__NR_linkat, AT_FDCWD, arg("/dev/null/no"), AT_FDCWD,
				      arg("/dev/null/none"), 0), -ENOTDIR);
	assert_int_equal(iou_syscall5(__NR_linkat, AT_FDCWD, arg("/"), AT_FDCWD,
				      arg("/dev/null/none"), ~0L), -EINVAL);
}

static void six_arrive(void **state)
{
	const long flags = MAP_PRIVATE | MAP_ANONYMOUS, prot = PROT_READ | PROT_WRITE;
#ifdef __NR_mmap2
	const long nr = __NR_mmap2;
#else
	const long nr = __NR_mmap;
#endif
	long mem;

#ifdef __s390__
	skip_because("mmap takes the address of its six arguments on s390");
#endif
	mem = iou_syscall6(nr, 0, 4096, prot, flags, -1, 0);
	assert_true((unsigned long)mem < -4095UL);
	memset((void *)(uintptr_t)(unsigned long)mem, 1, 4096);
	assert_int_equal(iou_syscall2(__NR_munmap, mem, 4096), 0);
#ifndef __NR_mmap2
	/* The last argument has to be a multiple of the page. */
	assert_int_equal(iou_syscall6(nr, 0, 4096, prot, flags, -1, 1), -EINVAL);
#endif
	assert_int_equal(iou_syscall6(nr, 0, 4096, prot, MAP_PRIVATE, -1, 0), -EBADF);
}

static void errors_come_back(void **state)
{
	errno = 77;
	assert_int_equal(iou_syscall1(__NR_close, -1), -EBADF);
	assert_int_equal(iou_syscall2(__NR_munmap, 1, 4096), -EINVAL);
	assert_int_equal(errno, 77);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arguments_arrive),
		cmocka_unit_test(five_arrive),
		cmocka_unit_test(six_arrive),
		cmocka_unit_test(errors_come_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
