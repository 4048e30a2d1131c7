#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run-tests counts what passes, fails, is skipped, crashes or does not end.

set -eu

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# program NAME LINE...: a test program of that name.
program() {
	file=$work/$1
	shift
	printf '%s\n' '#!/bin/sh' "$@" >"$file"
	chmod +x "$file"
}

# Seconds that a program may take.
limit=60

# expect STATUS LAST-LINE TEXT PROGRAM...: how these programs are reported.
expect() {
	wanted_status=$1 wanted_line=$2 text=$3
	shift 3
	status=0
	(cd "$work" && TEST_TIMEOUT=$limit "$SRCDIR/tools/run-tests" "$@") >"$work/output" 2>&1 || status=$?
	if [ $status -ne "$wanted_status" ] || [ "$(tail -n 1 "$work/output")" != "$wanted_line" ] ||
		! grep -qF -e "$text" "$work/output"; then
		echo "for $*, status $status, where $wanted_status, '$wanted_line', '$text' was to come:"
		cat "$work/output"
		exit 1
	fi
}

program tap 'echo 1..3' 'echo ok 1 - a' 'echo the reason' 'echo "not ok 2 # SKIP b"' 'echo ok 3 - c'
program newer 'echo TAP version 14' 'echo 1..1' 'echo "ok 1 # SKIP b"'
program bad 'echo 1..2' 'echo said before' 'echo not ok 1 - a' 'echo "# assertion"' 'echo ok 2 - b' 'exit 1'
program two 'echo 1..1' 'echo ok 1 - a' 'echo "# ok - tests"' 'echo 1..1' 'echo ok 1 - b'
program crash 'echo 1..4' 'echo ok 1 - a' "kill -s SEGV \$\$"
program hang 'echo 1..2' 'echo ok 1 - a' 'sleep 20'
program short 'echo 1..3' 'echo ok 1 - a'
program leak 'echo 1..1' 'echo ok 1 - a' 'echo leaked' 'exit 23'
program plain 'exit 0'
program plain_bad 'echo words' 'exit 3'
program plain_skip 'echo words' 'echo no such kernel' 'exit 77'

expect 0 '2 passed, 0 failed, 1 skipped' 'b: the reason' ./tap
expect 0 '0 passed, 0 failed, 1 skipped' 'b: no reason given' ./newer
expect 1 '1 passed, 1 failed, 0 skipped' 'said before' ./bad
expect 1 '1 passed, 1 failed, 0 skipped' '# assertion' ./bad
expect 0 '2 passed, 0 failed, 0 skipped' two ./two
expect 1 '1 passed, 3 failed, 0 skipped' 'ended by signal 11: 3 of 4' ./crash
expect 1 '1 passed, 2 failed, 0 skipped' 'ended early: 2 of 3' ./short
expect 1 '1 passed, 1 failed, 0 skipped' 'leaked' ./leak
expect 0 '1 passed, 0 failed, 0 skipped' plain ./plain
expect 1 '0 passed, 1 failed, 0 skipped' words ./plain_bad
expect 0 '0 passed, 0 failed, 1 skipped' 'no such kernel' ./plain_skip
expect 1 '0 passed, 1 failed, 0 skipped' 'absent' ./absent
expect 1 '0 passed, 0 failed, 0 skipped' passed
expect 1 '4 passed, 1 failed, 2 skipped' bad ./tap ./bad ./plain ./plain_skip
limit=1
expect 1 '1 passed, 1 failed, 0 skipped' 'more than 1 seconds' ./hang
