#!/bin/sh
# SPDX-License-Identifier: MIT
#
# uringx/reader.h alone, in every language mode, without a warning.

set -eu

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo '#include <uringx/reader.h>' >"$work/alone.c"
echo 'int check_header_nonempty;' >>"$work/alone.c"
cp "$work/alone.c" "$work/alone.cc"
nr=0

# compile COMPILER MODE SOURCE
compile() {
	# shellcheck disable=SC2086 # a compiler may come with options
	if ! $1 -std="$2" -fsyntax-only -x c /dev/null 2>/dev/null &&
		! $1 -std="$2" -fsyntax-only -x c++ /dev/null 2>/dev/null; then
		return 0
	fi
	# shellcheck disable=SC2086
	$1 -std="$2" -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Wpedantic -Wconversion -Wshadow \
		-Wcast-qual -Werror -I"$SRCDIR/include" -fsyntax-only "$3" || {
		echo "$1 -std=$2"
		exit 1
	}
	nr=$((nr + 1))
}

for mode in gnu99 c11 gnu11 c17 gnu17 c2x; do
	compile "$CC" $mode "$work/alone.c"
done
if [ -n "${CXX:-}" ]; then
	for mode in c++11 c++14 c++17 c++20 c++2b; do
		compile "$CXX" $mode "$work/alone.cc"
	done
fi
echo "$nr compilations"
[ "$nr" -gt 0 ]
