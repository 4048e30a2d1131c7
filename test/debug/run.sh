#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh PROGRAM: builds PROGRAM.c for a debug build, and runs it.

set -eu

"$TOOLS_DIR/refuse_call" --ask
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$SRCDIR/test/debug/build-lib" "$work/liburing.a"
# shellcheck disable=SC2086 # a compiler with its options is several words
$CC ${SANITIZE:+-fsanitize=$SANITIZE} -O1 -g -std=gnu11 -D_GNU_SOURCE -DLIBURING_DEBUG -Wall -Wextra -Wno-unused-parameter \
	-I"$SRCDIR/include" -I"$SRCDIR/test/support" -pthread \
	@"$BUILD_DIR/test/cmocka.cflags" "$SRCDIR/test/debug/$1.c" "$SRCDIR/test/debug/mistake.c" \
	"$work/liburing.a" -o "$work/program" @"$BUILD_DIR/test/cmocka.libs"
"$work/program"
