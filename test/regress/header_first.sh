#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A program that includes <liburing.h> before all else lost what only _GNU_SOURCE
# declares, which every version of the header defined for it, and in a strict mode it
# was an error; so it was then with the other headers that every version has. One
# that has included another header first keeps what it chose.

set -eu

work=$(mktemp -d "${TMPDIR:-/var/tmp}/header_first.XXXXXX")
trap 'rm -rf "$work"' EXIT

cat >"$work/first.c" <<'PROGRAM'
#include <liburing.h>
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

int flags[2] = { O_DIRECT, CPU_SETSIZE };

int make_pipe(int *fds)
{
	return pipe2(fds, O_CLOEXEC);
}
PROGRAM
for header in barrier compat io_uring io_uring_version; do
	{
		echo "#include <liburing/$header.h>"
		cat "$work/first.c"
	} >"$work/first_$header.c"
done
cat >"$work/later.c" <<'PROGRAM'
#include <fcntl.h>
#include <liburing.h>

#if defined(O_DIRECT) || defined(_GNU_SOURCE)
#error "more is declared than the program asked for"
#endif
int flags = O_RDONLY;
PROGRAM
for mode in gnu11 c99 c11; do
	for source in "$work"/first*.c; do
		# shellcheck disable=SC2086
		$CC -std=$mode -Wall -Wextra -Werror -I"$SRCDIR/include" -c "$source" \
			-o "$work/first.o"
	done
	# shellcheck disable=SC2086
	$CC -std=$mode -Wall -Wextra -Werror -D_POSIX_C_SOURCE=200809L -I"$SRCDIR/include" \
		-c "$work/later.c" -o "$work/later.o"
done
