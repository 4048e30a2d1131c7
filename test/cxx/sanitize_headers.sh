#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What the headers add for sanitizers, valgrind and the debug build compiles without a
# warning in every language mode.

set -u

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
nr=0 nr_failed=0

cat >"$work/use.c" <<'END'
#include <liburing.h>
int use(struct io_uring *ring, struct io_uring_cqe **cqe);
int use(struct io_uring *ring, struct io_uring_cqe **cqe)
{
	int (*submit)(struct io_uring *) = io_uring_submit;
	struct io_uring_sqe *sqe = io_uring_get_sqe(ring);
	unsigned head;

	io_uring_prep_nop(sqe);
	if (submit(ring) < 0 || io_uring_wait_cqe(ring, cqe) || io_uring_peek_cqe(ring, cqe))
		return -1;
	io_uring_for_each_cqe(ring, head, *cqe)
		head += (unsigned)(*cqe)->res;
	io_uring_cqe_seen(ring, *cqe);
	io_uring_queue_exit(ring);
	return (int)head;
}
END
cp "$work/use.c" "$work/use.cc"

# compile COMPILER FILE FLAG...: skipped where the compiler does not know a flag.
compile() {
	compiler=$1 file=$2
	shift 2
	echo 'int empty;' >"$work/empty.${file##*.}"
	$compiler "$@" -c "$work/empty.${file##*.}" -o "$work/out.o" 2>/dev/null || return
	nr=$((nr + 1))
	$compiler "$@" -D_GNU_SOURCE -I"$SRCDIR/include" -O1 -c "$work/$file" -o "$work/out.o" \
		-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wcast-qual -Werror || {
		echo "failed: $compiler $file $*"
		nr_failed=$((nr_failed + 1))
	}
}

tools='-fsanitize=address -fsanitize=thread -fsanitize=memory -DLIBURING_DEBUG'
tools="$tools -fsanitize=undefined"
echo '#include <valgrind/memcheck.h>' | ${CC:-cc} -E - >/dev/null 2>&1 &&
	tools="$tools -DLIBURING_VALGRIND"
for tool in $tools; do
	for std in gnu99 c11 gnu17 c2x; do
		for compiler in gcc clang; do
			compile "$compiler" use.c "-std=$std" "$tool"
		done
	done
	for std in c++11 c++17 c++20 c++23; do
		for compiler in g++ clang++; do
			compile "$compiler" use.cc "-std=$std" "$tool"
		done
	done
done
for compiler in gcc clang; do
	compile $compiler use.c -DLIBURING_DEBUG -fsanitize=address
done
[ $nr -gt 0 ] || {
	echo "neither gcc nor clang is here"
	exit 77
}
echo "$nr compilations, $nr_failed with diagnostics"
[ $nr_failed -eq 0 ]
