#!/bin/sh
# SPDX-License-Identifier: MIT
#
# find-cmocka installs cmocka where it may, with each package manager, and says so;
# elsewhere it prints the command and fails. A compiler that works once a file is
# there, package managers that make that file, id and sudo are played by scripts.

set -eu

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bin=$work/bin
mkdir "$bin"
for tool in sh cat dirname env rm tail touch; do
	ln -s "$(command -v $tool)" "$bin/$tool"
done
: >"$work/output"

fail() {
	echo "$*; it said:"
	cat "$work/output"
	exit 1
}

# script NAME LINE...: a program of that name.
script() {
	file=$bin/$1
	shift
	rm -f "$file"
	printf '%s\n' '#!/bin/sh' "$@" >"$file"
	chmod +x "$file"
}

# machine UID SUDO-STATUS MANAGER: what the next runs find. The compiler takes
# cmocka only after its package was installed.
machine() {
	rm -f "$bin/apt-get" "$bin/dnf" "$bin/apk" "$bin/pacman" "$bin/zypper" "$work"/installed
	script cc "[ \"\$1\" != -print-multiarch ] || exit 0" "[ -e $work/installed ]"
	script id "echo $1"
	script sudo "[ $2 -eq 0 ] || exit 1" "[ \"\$1\" != -n ] || exit 0" "echo sudo >>$work/log" "exec \"\$@\""
	script "$3" "echo \"$3 \$*\" >>$work/log" "case \$* in *cmocka*) touch $work/installed ;; esac"
	: >"$work/log"
}

find_cmocka() {
	status=0
	PATH=$bin CMOCKA_INSTALL=$1 "$SRCDIR/tools/find-cmocka" "$work/flags" cc \
		>"$work/output" 2>&1 || status=$?
}

# installs MANAGER COMMAND: as root this command is run and shown.
installs() {
	machine 0 1 "$1"
	find_cmocka yes
	[ $status -eq 0 ] || fail "$1: status $status"
	grep -qx "$1 $2" "$work/log" || fail "$1: not run with '$2'"
	grep -q "^    $1 $2\$" "$work/output" || fail "$1: '$2' not told"
	[ "$(cat "$work/flags.libs")" = ' -lcmocka' ] || fail "$1: no flags written"
	find_cmocka yes
	[ ! -s "$work/output" ] || fail "$1: installed again"
}

# refused WHEN: the last run installed nothing.
refused() {
	[ $status -eq 1 ] || fail "$1: status $status"
	[ ! -s "$work/log" ] || fail "$1: something was run"
}

installs apt-get 'install -y libcmocka-dev'
installs dnf 'install -y libcmocka-devel'
installs apk 'add cmocka-dev'
installs pacman '-S --noconfirm cmocka'
installs zypper '--non-interactive install libcmocka-devel'

machine 0 1 apt-get
find_cmocka yes
grep -qx 'apt-get update' "$work/log" || fail "the package lists are not updated"

machine 1000 0 apt-get
find_cmocka yes
[ $status -eq 0 ] || fail "sudo: status $status"
grep -qx sudo "$work/log" || fail "sudo is not used"

machine 1000 1 apt-get
find_cmocka yes
refused "without sudo"
grep -qx '    sudo apt-get install -y libcmocka-dev' "$work/output" || fail "no command for sudo"

machine 0 1 apt-get
find_cmocka no
refused "with CMOCKA_INSTALL=no"
grep -qx '    apt-get install -y libcmocka-dev' "$work/output" || fail "no command told"

machine 0 1 apt-get
script apt-get 'echo "E: no network" >&2' 'exit 100'
find_cmocka yes
[ $status -eq 1 ] || fail "a failed installation passes"
grep -q 'E: no network' "$work/output" || fail "the package manager's words are lost"
