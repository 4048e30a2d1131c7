#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Programs free a probe with free(3). A static program on musl that calls free and
# not malloc had no malloc for the library to find, and crashed.

set -eu

compiler=${MUSL_CC:-musl-gcc}
command -v "$compiler" >/dev/null 2>&1 || {
	echo "no $compiler here"
	exit 77
}
if LC_ALL=C readelf -W -s "$BUILD_DIR/liburing.a" | grep -qE ' __[a-z]+san_'; then
	echo "the archive needs a sanitizer, which musl has not"
	exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Nothing here but the one call may bring an allocator in.
cat >"$work/program.c" <<'PROGRAM'
#include <liburing.h>
#include <stdlib.h>

int main(void)
{
	struct io_uring_probe *probe = io_uring_get_probe();
	int has_nop;

	if (!probe)
		return 77;
	has_nop = io_uring_opcode_supported(probe, IORING_OP_NOP);
	free(probe);
	return !has_nop;
}
PROGRAM
"$compiler" -O2 -static -I"$SRCDIR/include" "$work/program.c" "$BUILD_DIR/liburing.a" \
	-o "$work/program"
status=0
"$work/program" || status=$?
[ $status -ne 77 ] || echo "no ring can be set up here"
exit $status
