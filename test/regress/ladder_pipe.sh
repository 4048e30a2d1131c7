#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Steps of the ladder with several reads in flight lost and mixed the bytes of a pipe.

set -eu

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
head -c 300000 /dev/urandom >"$work/bytes"
want=$("$EXAMPLES_DIR/porting/step0_read" "$work/bytes" | grep checksum)

for step in "$EXAMPLES_DIR"/porting/step[0-9]*_*; do
	case $step in
	*.o | *.d) continue ;;
	esac
	got=$({
		head -c 100000 "$work/bytes"
		sleep 0.1
		tail -c +100001 "$work/bytes"
	} | "$step" /dev/stdin 2>/dev/null | grep checksum) || got="nothing"
	[ "$got" = "$want" ] || {
		echo "${step##*/}: $got instead of $want"
		exit 1
	}
done
