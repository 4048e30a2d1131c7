#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Where libaio is not installed "make bench" linked with it all the same, and failed: the
# question to the compiler had a backslash too many, which it took for text.

set -eu

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
unset CPPFLAGS MAKEFLAGS MAKELEVEL
"$SRCDIR/configure" >/dev/null

# A compiler that finds headers below folder/ only.
cat >cc <<'END'
#!/bin/sh
exec "${REAL_CC:?}" -nostdinc "$@"
END
chmod +x cc
mkdir folder
export REAL_CC="${CC%% *}"

link_command() {
	make -n CC="$work/cc" CPPFLAGS="-I$work/folder" build/bench/read 2>&1 | grep -- '-o build/bench/read$'
}

! link_command | grep -q -- -laio || {
	echo "linked with a library that is not there"
	exit 1
}
touch folder/libaio.h
link_command | grep -q -- -laio || {
	echo "not linked with a library that is there"
	exit 1
}
