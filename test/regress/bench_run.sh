#!/bin/sh
# SPDX-License-Identifier: MIT
#
# bench-run took settings that make no sense, measured nothing, and wrote an empty table
# over the last one with status 0. The charts of its page shared their ids. A quick run
# took eleven seconds for each echo server, and a failed one left its server running. A
# signal to bench-run alone was acted on when the running benchmark had ended, and one to
# make not at all.

set -eu

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo "the last results" >"$work/bench.tsv"
cp "$work/bench.tsv" "$work/bench.json"

# refused STATUS WORD SETTING...: with these settings it ends so, says WORD, writes nothing.
refused()
{
	want=$1
	word=$2
	shift 2
	status=0
	env BENCH_QUICK=1 BUILD_DIR="$work" "$@" "$SRCDIR/tools/bench-run" >"$work/out" 2>&1 || status=$?
	if [ "$status" != "$want" ] || ! grep -q -- "$word" "$work/out"; then
		echo "$*: status $status, and it says:"
		cat "$work/out"
		exit 1
	fi
	if [ "$(cat "$work/bench.tsv" "$work/bench.json" | grep -c "the last results")" -ne 2 ]; then
		echo "$*: the last results are gone"
		exit 1
	fi
}

# gone PID MESSAGE: the process ends soon.
gone()
{
	tries=0
	while grep -q '^State:[[:space:]]*[^XZ]' "/proc/$1/status" 2>/dev/null; do
		tries=$((tries + 1))
		[ "$tries" -lt 100 ] || {
			echo "$2"
			exit 1
		}
		sleep 0.1
	done
}

refused 2 "no benchmark nob:" BENCH="nop nob"
refused 2 "not 0" BENCH_ROUNDS=0
refused 2 "not three" BENCH_ROUNDS=three
refused 2 "not -1" BENCH_ROUNDS=-1
refused 2 "$work/none" BENCH_DIR="$work/none"
refused 2 "$work/none" BUILD_DIR="$work/none"
# No benchmark has been built here.
refused 1 "nothing was measured" BENCH="nop setup"

# The echo benchmark itself, with programs that stand in for the server and the client.
mkdir "$work/bench" "$work/examples"
# shellcheck disable=SC2086
$CC -D_GNU_SOURCE -I"$SRCDIR/bench" "$SRCDIR/bench/echo.c" -o "$work/bench/echo"
cat >"$work/bench/echo_epoll" <<SERVER
#!/bin/sh
echo \$\$ >"$work/server"
echo listening on port 1
exec sleep 60 >/dev/null
SERVER
cat >"$work/examples/echo_client" <<CLIENT
#!/bin/sh
echo "\$*" >"$work/client"
exit 1
CLIENT
chmod +x "$work/bench/echo_epoll" "$work/examples/echo_client"
refused 1 "nothing was measured" BENCH=echo
grep -q -- "-n 1000 .*-t 1$" "$work/client"
gone "$(cat "$work/server")" "the server goes on without the benchmark"

# A benchmark that takes a while, in a process below it.
cat >"$work/bench/nop" <<BENCHMARK
#!/bin/sh
echo nop/row 1 us
sleep 60 &
echo \$! >"$work/sleeper"
wait
BENCHMARK
chmod +x "$work/bench/nop"
# ends_all COMMAND...: a signal to the command, which runs it, ends both.
ends_all()
{
	rm -f "$work/sleeper"
	BENCH=nop BUILD_DIR="$work" "$@" >"$work/out" 2>&1 &
	tries=0
	until [ -s "$work/sleeper" ] || [ "$tries" -eq 100 ]; do
		tries=$((tries + 1))
		sleep 0.1
	done
	kill $!
	gone $! "$1 goes on after a signal"
	status=0
	wait $! || status=$?
	[ "$status" -eq 143 ]
	gone "$(cat "$work/sleeper")" "a benchmark goes on without $1"
}
ends_all "$SRCDIR/tools/bench-run"
grep -q "the last results" "$work/bench.tsv"

# make passes a signal on to the shell that it has started, not to what that runs.
cd "$work"
"$SRCDIR/configure" >/dev/null
unset MAKEFLAGS MAKELEVEL
ends_all make BUILD="$work" -o bench-build bench

command -v gnuplot >/dev/null || exit 0
row() {
	printf '%s\tus\t10\t9\t11\t0.2\t8\t1.2\t-\t-\n' "$1"
}
for name in nop/one/1 nop/one/2 setup/plain/1 setup/plain/2; do
	row "$name"
done >"$work/bench.tsv"
echo "kernel	Linux" >"$work/bench.facts"
"$SRCDIR/tools/bench-charts" "$work/bench.tsv" "$work/bench.facts" >"$work/bench.html"
[ "$(grep -c '<svg' "$work/bench.html")" -eq 2 ]
grep -o " id=['\"][^'\"]*" "$work/bench.html" | sort | uniq -d >"$work/twice"
if [ -s "$work/twice" ]; then
	echo "two elements have the same id:"
	cat "$work/twice"
	exit 1
fi
