#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh address|thread|memory|valgrind|debug: builds the programs of this folder
# with that tool, once with each compiler that has it, links them with the library as
# it was built, and runs their cases. What correct programs do must not be reported,
# and each mistake must be. "debug" is the address sanitizer and the debug build's
# checks at once. Speaks TAP.

set -u

tool=$1
lib=$BUILD_DIR/liburing.a
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
nr=0

case $tool in
address)
	flags='-fsanitize=address,undefined -fno-sanitize-recover=all'
	mistakes='submit_freed_buffer submit_too_long_a_buffer submit_freed_iovecs
		submit_freed_buffer_of_an_iovec submit_dead_timespec provide_freed_buffer'
	report='is not addressable at'
	;;
thread)
	flags=-fsanitize=thread
	mistakes='share_a_word write_after_submit'
	report='ThreadSanitizer: data race'
	;;
memory)
	flags=-fsanitize=memory
	mistakes=use_unread_buffer
	report='use-of-uninitialized-value'
	;;
debug)
	flags='-fsanitize=address,undefined -fno-sanitize-recover=all -DLIBURING_DEBUG'
	mistakes='read_released read_batch_released'
	report=use-after-poison
	;;
valgrind)
	flags=-DLIBURING_VALGRIND
	mistakes='submit_freed_buffer submit_freed_iovecs use_unread_buffer'
	report='Unaddressable byte|uninitialised value'
	;;
esac

result() {
	nr=$((nr + 1))
	echo "$1 $nr - $2"
	shift 2
	for output; do
		sed 's/^/# /' "$output"
	done
}

skip_all() {
	echo "$1"
	exit 77
}

# run PROGRAM CASE: its output goes to $work/out.
run() {
	if [ "$tool" = valgrind ]; then
		set -- valgrind -q --error-exitcode=99 "$@"
	fi
	timeout -k 5 60 "$@" </dev/null >"$work/out" 2>&1
}

# shellcheck disable=SC2086 # flags is a list of words
build() {
	$1 -D_GNU_SOURCE -I"$SRCDIR/include" -g -O1 -Wall -Wextra -Werror $flags -pthread \
		"$SRCDIR/test/sanitize/$2.c" "$lib" -o "$work/$2" >"$work/out" 2>&1
}

try_programs() {
	programs='correct threads'
	wrong=wrong
	case $tool in
	# valgrind runs no thread while another is in io_uring_enter.
	valgrind) programs=correct ;;
	debug) wrong=released ;;
	esac
	for program in $programs; do
		build "$1" "$program" || {
			result 'not ok' "$1: $program.c is built" "$work/out"
			continue
		}
		for name in $("$work/$program"); do
			run "$work/$program" "$name"
			case $? in
			0) result ok "$1: $name" ;;
			42) result ok "$1: $name # SKIP the kernel lacks what it needs" ;;
			*) result 'not ok' "$1: $name" "$work/out" ;;
			esac
		done
	done
	build "$1" $wrong || result 'not ok' "$1: $wrong.c is built" "$work/out"
	for name in $mistakes; do
		if ! run "$work/$wrong" "$name" && grep -qE "$report" "$work/out"; then
			result ok "$1: $name is reported"
		else
			result 'not ok' "$1: $name is reported" "$work/out"
		fi
	done
	if [ "$tool" = debug ]; then
		if run "$work/released" read_copied; then
			result ok "$1: read_copied"
		else
			result 'not ok' "$1: read_copied" "$work/out"
		fi
	fi
}

"$TOOLS_DIR/refuse_call" --ask || exit
if nm "$lib" 2>/dev/null | grep -qE ' U __(a|t)san_init'; then
	skip_all "the library is itself built with a sanitizer"
fi
if [ "$tool" = debug ]; then
	lib=$work/liburing.a
	"$SRCDIR/test/debug/build-lib" "$lib" || exit 1
fi
if [ "$tool" = valgrind ]; then
	command -v valgrind >/dev/null || skip_all "there is no valgrind"
	echo '#include <valgrind/memcheck.h>' | gcc -E - >/dev/null 2>&1 ||
		skip_all "valgrind's headers are not there"
fi

echo 'int main(void) { return 0; }' >"$work/empty.c"
echo '#include <liburing.h>
int main(void) { struct io_uring ring; return io_uring_queue_init(2, &ring, 0) != 0; }' >"$work/ring.c"
for compiler in gcc clang; do
	[ "$tool $compiler" != 'valgrind clang' ] || continue
	# shellcheck disable=SC2086
	$compiler $flags "$work/empty.c" -o "$work/empty" 2>/dev/null || continue
	"$work/empty" || continue
	$compiler -D_GNU_SOURCE -I"$SRCDIR/include" "$work/ring.c" "$lib" -o "$work/ring" 2>/dev/null ||
		continue
	"$work/ring" || skip_all "no rings here"
	try_programs $compiler
done
[ $nr -gt 0 ] || skip_all "no compiler has $tool and takes the library"
echo "1..$nr"
