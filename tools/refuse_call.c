/* SPDX-License-Identifier: MIT */
/*
 * refuse_call - run a program to which the kernel refuses a system call of rings.
 *
 *	refuse_call CALL ERROR PROGRAM [ARGUMENT]...
 *	refuse_call --ask
 *
 * CALL is io_uring_setup, io_uring_enter or io_uring_register, and ERROR is ENOSYS
 * or EPERM. The exit status is the program's, 77 where no seccomp filter can be
 * installed, 126 when the program cannot be run.
 *
 * With --ask nothing is run: where the kernel refuses one of the calls the status
 * is 77, and it says which; else it is 0.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "../test/support/refusal.h"

#include <stdio.h>

enum {
	EXIT_REFUSED = 77,
	EXIT_TROUBLE = 125,
	EXIT_NOT_RUN = 126,
};

static const struct {
	const char *name;
	unsigned nr;
} calls[] = {
	{ "io_uring_setup", __NR_io_uring_setup },
	{ "io_uring_enter", __NR_io_uring_enter },
	{ "io_uring_register", __NR_io_uring_register },
};

static int ask(void)
{
	int err;
	const char *name = refused_ring_call(&err);

	if (!name)
		return 0;
	printf("the kernel refuses %s: %s\n", name, strerror(err));
	return EXIT_REFUSED;
}

int main(int argc, char **argv)
{
	size_t i, nr_calls = sizeof(calls) / sizeof(calls[0]);
	int err = 0;

	if (argc == 2 && !strcmp(argv[1], "--ask"))
		return ask();
	if (argc > 3 && !strcmp(argv[2], "ENOSYS"))
		err = ENOSYS;
	else if (argc > 3 && !strcmp(argv[2], "EPERM"))
		err = EPERM;
	for (i = 0; err && i < nr_calls; i++) {
		if (strcmp(argv[1], calls[i].name))
			continue;
		if (refuse_call(calls[i].nr, err) < 0) {
			printf("refuse_call: no seccomp filter here: %s\n", strerror(errno));
			return EXIT_REFUSED;
		}
		execvp(argv[3], argv + 3);
		fprintf(stderr, "refuse_call: %s: %s\n", argv[3], strerror(errno));
		return EXIT_NOT_RUN;
	}
	fputs("usage: refuse_call io_uring_setup|io_uring_enter|io_uring_register ENOSYS|EPERM "
	      "PROGRAM [ARGUMENT]...\n       refuse_call --ask\n", stderr);
	return EXIT_TROUBLE;
}
