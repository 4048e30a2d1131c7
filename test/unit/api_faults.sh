#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check-api finds each kind of fault: a copy of the tree gets one fault of each
# kind, and the check must name exactly the functions that have them.

set -eu

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/src" "$work/test/data" "$work/build"
cp -r "$SRCDIR/include" "$SRCDIR/tools" "$work/"
cp "$SRCDIR"/src/*.def "$work/src/"
cp "$SRCDIR/test/data/sqe-vectors.tsv" "$work/test/data/"
cp -P "$BUILD_DIR"/liburing*.so* "$BUILD_DIR"/liburing*.a "$work/build/"
list=$work/src/api.def
: >"$work/expected"

# expect FUNCTION TEXT: a line of the check that must come.
expect() {
	echo "check-api: $1: $2" >>"$work/expected"
}

# change FILE SED-COMMAND: must change something.
change() {
	cp "$1" "$work/before"
	sed -i "$2" "$1"
	! cmp -s "$1" "$work/before" || {
		echo "nothing to change in $1 with $2"
		exit 1
	}
}

echo 'int io_uring_stray(void);' >>"$work/include/liburing/setup.h"
expect io_uring_stray 'declared in liburing/setup.h, not listed in src/api.def'

change "$work/include/liburing/submit.h" 's/\bio_uring_get_events(/io_uring_renamed(/'
expect io_uring_get_events 'listed in src/api.def, declared in no header'
expect io_uring_renamed 'declared in liburing/submit.h, not listed in src/api.def'

change "$list" '/^io_uring_submit /s|liburing/submit.h|liburing/setup.h |'
expect io_uring_submit 'declared in liburing/submit.h, listed for liburing/setup.h'

change "$list" '/^io_uring_queue_exit /s/void io_uring/int io_uring/'
expect io_uring_queue_exit 'its type in c is not the listed prototype'
[ -z "$CXX" ] || expect io_uring_queue_exit 'its type in cc is not the listed prototype'

change "$list" '/^io_uring_cqe_seen /s/cqe \*cqe/sqe *cqe/'
expect io_uring_cqe_seen 'its type in c is not the listed prototype'
[ -z "$CXX" ] || expect io_uring_cqe_seen 'its type in cc is not the listed prototype'

change "$list" '/^io_uring_register_files /s/LIBURING_2.0/LIBURING_2.1/'
expect io_uring_register_files 'at node LIBURING_2.0 in liburing.so, listed for LIBURING_2.1'

change "$list" '/^io_uring_prep_nop /s/LIBURING_2.4/LIBURING_2.5/'
expect io_uring_prep_nop 'at node LIBURING_2.4 in liburing-ffi.so, listed for LIBURING_2.5'

change "$list" '/^io_uring_register_clock /d'
expect io_uring_register_clock 'declared in liburing/register.h, not listed in src/api.def'
expect io_uring_register_clock 'exported by liburing.so, not listed for it'
expect io_uring_register_clock 'exported by liburing-ffi.so, not listed for it'
expect io_uring_register_clock 'leaks from liburing.a'
expect io_uring_register_clock 'leaks from liburing-ffi.a'

change "$list" '/^io_uring_setup /s/exported/inline  /'
expect io_uring_setup 'src/api.def:LINE: kind inline does not go with the nodes LIBURING_2.3 and LIBURING_2.4'
expect io_uring_setup 'listed as inline, defined in no header'
expect io_uring_setup 'leaks from liburing.a'

grep '^io_uring_enter ' "$list" >"$work/twice"
cat "$work/twice" >>"$list"
expect io_uring_enter 'src/api.def:LINE: listed twice'

line='exported liburing/setup.h LIBURING_2.0 LIBURING_2.4 - int'
echo "io_uring_absent $line io_uring_absent(void)" >>"$list"
expect io_uring_absent 'listed in src/api.def, declared in no header'
expect io_uring_absent 'not exported by liburing.so, listed for LIBURING_2.0'
expect io_uring_absent 'not exported by liburing-ffi.so, listed for LIBURING_2.4'
expect io_uring_absent 'not in liburing.a'
expect io_uring_absent 'not in liburing-ffi.a'

cat >"$work/leak.c" <<'END'
int leaked_helper(void);
int leaked_helper(void)
{
	return 0;
}
int hidden_helper(void) __attribute__((visibility("hidden")));
int hidden_helper(void)
{
	return 0;
}
END
# shellcheck disable=SC2086 # a compiler with its options is several words
$CC -c "$work/leak.c" -o "$work/leak.o"
ar r "$work/build/liburing.a" "$work/leak.o"
expect leaked_helper 'leaks from liburing.a'
expect hidden_helper 'hidden in liburing.a, and not named iou_...'

change "$work/test/data/sqe-vectors.tsv" '/^io_uring_prep_splice\t/d'
expect io_uring_prep_splice 'no row in test/data/sqe-vectors.tsv'

if SRCDIR=$work BUILD_DIR=$work/build "$work/tools/check-api" >"$work/output"; then
	echo "no fault was found"
	exit 1
fi
sort "$work/expected" >"$work/wanted"
sed -n 's/api.def:[0-9]*:/api.def:LINE:/; /^check-api/p' "$work/output" | sort >"$work/found"
diff "$work/wanted" "$work/found"
