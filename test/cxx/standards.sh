#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The C++ tests in every C++ standard that the compiler knows, and a program of one
# C and two C++ units that all include the headers, linked to one executable.

set -eu

"$TOOLS_DIR/refuse_call" --ask
[ -n "${CXX-}" ] || {
	echo "no C++ compiler here"
	exit 77
}
if LC_ALL=C readelf -W -s "$BUILD_DIR/liburing.a" | grep -qE ' __[a-z]+san_'; then
	echo "the archive needs a sanitizer: done by the other builds"
	exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/main.cc" <<'PROGRAM'
#include <liburing.h>
#include <stdio.h>
#include <string.h>

void cxx_unit_queue(io_uring *ring, __u64 user_data);
extern "C" void c_unit_queue(io_uring *ring, __u64 user_data);

int main()
{
	io_uring_cqe *cqe;
	__u64 sum = 0;
	io_uring ring;
	unsigned head;
	int ret = io_uring_queue_init(8, &ring, 0);

	if (ret < 0) {
		printf("no ring: %s\n", strerror(-ret));
		return 77;
	}
	cxx_unit_queue(&ring, 1);
	c_unit_queue(&ring, 20);
	io_uring_prep_nop(io_uring_get_sqe(&ring));
	if (io_uring_submit_and_wait(&ring, 3) != 3)
		return 1;
	io_uring_for_each_cqe(&ring, head, cqe)
		sum += cqe->user_data;
	io_uring_queue_exit(&ring);
	return sum != 21;
}
PROGRAM
unit='{
	struct io_uring_sqe *sqe = io_uring_get_sqe(ring);

	io_uring_prep_nop(sqe);
	io_uring_sqe_set_data64(sqe, user_data);
}'
{
	printf '#include <liburing.h>\nvoid cxx_unit_queue(io_uring *ring, __u64 user_data);\n'
	printf 'void cxx_unit_queue(io_uring *ring, __u64 user_data)\n%s\n' "$unit"
} >"$work/unit.cc"
{
	printf '#include <liburing.h>\nvoid c_unit_queue(struct io_uring *ring, __u64 user_data);\n'
	printf 'void c_unit_queue(struct io_uring *ring, __u64 user_data)\n%s\n' "$unit"
} >"$work/unit.c"
# shellcheck disable=SC2086 # a compiler with its options is several words
$CC -O2 -Wall -Wextra -Werror -I"$SRCDIR/include" -c "$work/unit.c" -o "$work/unit.o"

# build STANDARD OUTPUT SOURCE...
build() {
	standard=$1 output=$2
	shift 2
	# shellcheck disable=SC2046,SC2086
	$CXX -std="$standard" -O0 -Wall -Wextra -Wshadow -Wno-unused-parameter -Werror \
		-D_FILE_OFFSET_BITS=64 -pthread -I"$SRCDIR/include" -I"$SRCDIR/test/support" \
		$(cat "$BUILD_DIR/test/cmocka.cflags") "$@" "$BUILD_DIR/liburing.a" \
		$(cat "$BUILD_DIR/test/cmocka.libs") -o "$output"
}

echo 'int main() { return 0; }' >"$work/empty.cc"
nr=0
for alternatives in c++11 c++14 c++17 c++20 c++23/c++2b; do
	for standard in $(echo "$alternatives" | tr / ' '); do
		build "$standard" "$work/empty" "$work/empty.cc" 2>/dev/null && break
		standard=''
	done
	[ -n "$standard" ] || continue
	build "$standard" "$work/units" "$work/main.cc" "$work/unit.cc" "$work/unit.o"
	status=0
	"$work/units" || status=$?
	[ $status -eq 0 ] || {
		echo "$standard: the program of three units ended with status $status"
		exit $status
	}
	for test in "$SRCDIR"/test/cxx/*.cc; do
		build "$standard" "$work/test" "$test" "$BUILD_DIR"/test/support/*.o
		"$work/test" >"$work/output" 2>&1 || {
			echo "$standard: $test:"
			cat "$work/output"
			exit 1
		}
	done
	nr=$((nr + 1))
done
echo "$nr standards"
[ $nr -gt 0 ]
