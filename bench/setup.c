/* SPDX-License-Identifier: MIT */
/*
 * setup - how long it takes to make a ring and to give it up.
 *
 *	setup [ROUNDS | calls]
 *
 * With ROUNDS it makes so many rings of 256 entries and prints nothing: for
 * counting the system calls from outside. "calls" lists the numbers of those
 * that may be made.
 */
#include <liburing.h>
#include <sys/syscall.h>
#include "common.h"

#define MAX_ROUNDS 400

static void measure(unsigned entries, unsigned flags, const char *name)
{
	static double init_us[MAX_ROUNDS], exit_us[MAX_ROUNDS];
	int i, nr = is_quick() ? 20 : entries > 1024 ? MAX_ROUNDS / 4 : MAX_ROUNDS;
	struct io_uring ring;
	uint64_t start;
	int ret;

	for (i = 0; i < nr; i++) {
		start = now_ns();
		ret = io_uring_queue_init(entries, &ring, flags);
		init_us[i] = (double)(now_ns() - start) / 1e3;
		if (ret == -EINVAL)
			return;
		check(ret, "io_uring_queue_init");
		start = now_ns();
		io_uring_queue_exit(&ring);
		exit_us[i] = (double)(now_ns() - start) / 1e3;
	}
	print_value(median(init_us, nr), "us", "setup/init%s/%u", name, entries);
	print_value(median(exit_us, nr), "us", "setup/exit%s/%u", name, entries);
}

int main(int argc, char **argv)
{
	static const unsigned entries[] = { 1, 8, 64, 256, 1024, 4096, 32768 };
	struct io_uring ring;
	unsigned long nr;
	size_t i;

	if (argc > 1 && strcmp(argv[1], "calls") == 0) {
		printf("%d %d %d %d %d %d\n", SYS_mmap, SYS_munmap, SYS_madvise, SYS_close,
		       __NR_io_uring_setup, __NR_io_uring_register);
		return 0;
	}
	if (argc > 1) {
		for (nr = parse_number(argv[1], 0, 1000000000, "RINGS"); nr > 0; nr--) {
			check(io_uring_queue_init(256, &ring, 0), "io_uring_queue_init");
			io_uring_queue_exit(&ring);
		}
		return 0;
	}
	for (i = 0; i < ARRAY_NR(entries); i++)
		measure(entries[i], 0, "");
	measure(256, IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN, "-defer-taskrun");
	return 0;
}
