#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The examples and count_enters failed without a word on why or what to do, asked for
# memory as for thousands of connections, or printed a count of nothing. uring_cp copied
# nothing where it could have without a ring; step6_stream gave up where the other
# steps read on. What could not be printed was lost without a word.

set -eu

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail()
{
	echo "$1; it says:"
	cat "$work/out"
	exit 1
}

# ends STATUS WORD COMMAND...: it ends with this status and says this.
ends()
{
	want=$1
	word=$2
	shift 2
	status=0
	timeout 60 "$@" >"$work/out" 2>&1 </dev/null || status=$?
	[ "$status" -eq "$want" ] || fail "$*: status $status, not $want"
	grep -q -- "$word" "$work/out" || fail "$*: no word of $word"
}

server=$EXAMPLES_DIR/echo_server
client=$EXAMPLES_DIR/echo_client
counter=$TOOLS_DIR/count_enters

ends 2 "not a power of two: 3" "$server" -b 3
ends 0 "usage: echo_server" "$server" --help
ends 0 "usage: echo_client" "$client" --help
ends 0 "usage: count_enters" "$counter" --help

status=0
"$counter" true >"$work/out" 2>&1 || status=$?
if [ "$status" -ne 77 ]; then
	grep -q "io_uring_enter 0" "$work/out" || fail "count_enters true"
	ends 127 "No such file" "$counter" "$work/none"
	! grep -q io_uring_enter "$work/out" || fail "a count of a program that did not run"
	ends 126 "Permission denied" "$counter" "$work"
	! grep -q io_uring_enter "$work/out" || fail "a count of a program that did not run"
fi

"$TOOLS_DIR/refuse_call" --ask

# started COMMAND...: the server listens; then it is ended.
started()
{
	timeout 60 "$@" >"$work/out" 2>&1 &
	tries=0
	while kill -0 $! 2>/dev/null && ! grep -q listening "$work/out" && [ "$tries" -lt 600 ]; do
		sleep 0.1
		tries=$((tries + 1))
	done
	kill $! 2>/dev/null || true
	wait $! || fail "$*: status $?"
	grep -q listening "$work/out" || fail "$*"
}

for call in io_uring_register io_uring_enter; do
	ends 1 "io_uring is refused" "$TOOLS_DIR/refuse_call" "$call" EPERM "$server" -p 0 -n 4
	ends 1 "io_uring is refused" "$TOOLS_DIR/refuse_call" "$call" ENOSYS "$client" -p 1 -n 4
done

echo "some bytes" >"$work/file"
for err in EPERM ENOSYS; do
	refused="$TOOLS_DIR/refuse_call io_uring_enter $err"
	for program in "read_loop --mode uring" "read_loop --mode uring-batch" \
		porting/step1_one_request porting/step7_epoll; do
		# shellcheck disable=SC2086
		ends 1 "io_uring is refused: $err" $refused "$EXAMPLES_DIR"/$program "$work/file"
	done
	rm -f "$work/copy"
	# shellcheck disable=SC2086
	ends 0 "io_uring is refused: $err" $refused "$EXAMPLES_DIR/uring_cp" "$work/file" "$work/copy"
	cmp "$work/file" "$work/copy"
done

ends 1 "Not a directory" "$EXAMPLES_DIR/uring_cp" "$work/file" "$work/none/"
ends 1 "only regular files" "$EXAMPLES_DIR/read_loop" /dev/null
few="exec 3>&- 4>&- 5>&-; ulimit -n 5"
ends 0 "bytes *11" sh -c "$few && exec '$EXAMPLES_DIR/porting/step6_stream' '$work/file'"
grep -q "read instead" "$work/out" || fail "step6_stream with five descriptors"

# No room for what a program prints is an error.
for program in read_loop porting/step0_read porting/step6_stream; do
	ends 1 "standard output: No space" sh -c "'$EXAMPLES_DIR/$program' '$work/file' >/dev/full"
	ends 1 "standard output: Bad file" sh -c "'$EXAMPLES_DIR/$program' '$work/file' >&-"
done
ends 1 "standard output: No space" sh -c "'$server' -p 0 >/dev/full"

started "$server" -p 0
for program in "$server" "$client"; do
	ends 1 "ulimit -n" sh -c "ulimit -n 64 && exec '$program' -p 12345 -n 1000 -f"
done

# A user whose locked memory counts, where one can be had who can read the programs.
user="setpriv --reuid 64321 --regid 64321 --clear-groups --"
if $user test -x "$server" 2>/dev/null; then
	locked_kb=$((16 * $(getconf PAGESIZE) / 1024))
	# shellcheck disable=SC2086
	started $user sh -c "ulimit -l $locked_kb && exec '$server' -p 0 -n 4"
fi
