#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run-tests with its output in a file lost the lines of some programs: two cats at the
# same time wrote to the same place. A cat that takes its time shows that it is alone.

set -eu

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

mkdir bin
cat >bin/cat <<'END'
#!/bin/sh
mkdir printing || echo "two at the same time" >>faults
sleep 0.1
PATH=${PATH#*:} cat "$@"
echo once >>printed
rmdir printing || :
END
chmod +x bin/cat

for idx in 1 2 3 4 5 6 7 8; do
	printf '#!/bin/sh\necho no such kernel\nexit 77\n' >"test$idx"
	chmod +x "test$idx"
done

PATH=$work/bin:$PATH TEST_JOBS=4 "$SRCDIR/tools/run-tests" ./test* >output 2>errors || :
if [ "$(grep -c '^skip ./test' output)" != 8 ] ||
	[ "$(tail -n 1 output)" != '0 passed, 0 failed, 8 skipped' ]; then
	echo "8 programs and their sum were to come:"
	cat output errors
	exit 1
fi
[ "$(wc -l <printed)" = 8 ] || {
	echo "not printed by this cat: this test sees nothing"
	exit 1
}
if [ -e faults ]; then
	cat faults
	exit 1
fi
