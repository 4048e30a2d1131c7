#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The porting ladder: every step reads the same bytes, of files whose sizes are no
# multiple of anything, of none, and of one that is not there.

set -eu

"$TOOLS_DIR/refuse_call" --ask

# The programs end with their buffers, as programs do.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"

work=$(mktemp -d "${TMPDIR:-/var/tmp}/porting.XXXXXX")
trap 'rm -rf "$work"' EXIT

checksum_of() {
	timeout 60 "$1" "$2" | awk '$1 == "bytes" || $1 == "checksum" { print $2 }'
}

for sz in 0 1 65535 65536 1000003; do
	head -c "$sz" /dev/urandom >"$work/file"
	wanted=$(checksum_of "$EXAMPLES_DIR/porting/step0_read" "$work/file")
	case $wanted in
	"$sz"*) ;;
	*)
		echo "step0_read: $sz bytes, and it says $wanted"
		exit 1
		;;
	esac
	for step in "$EXAMPLES_DIR"/porting/step[0-9]*_*; do
		case $step in *.o | *.d) continue ;; esac
		got=$(checksum_of "$step" "$work/file")
		[ "$got" = "$wanted" ] || {
			echo "${step##*/}: $sz bytes give $got, not $wanted"
			exit 1
		}
	done
done
for step in "$EXAMPLES_DIR"/porting/step[0-9]*_*; do
	case $step in *.o | *.d) continue ;; esac
	! "$step" "$work/none" >"$work/out" 2>&1 || {
		echo "${step##*/}: succeeds on a file that is not there"
		exit 1
	}
done
