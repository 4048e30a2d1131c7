#!/bin/sh
# SPDX-License-Identifier: MIT
#
# configure's options in both forms, its errors, and what it writes elsewhere.

set -eu

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
unset CC CXX AR CPPFLAGS CFLAGS CXXFLAGS LDFLAGS

fail() {
	echo "$*"
	[ ! -e output ] || cat output
	exit 1
}

# refuses WORD OPTION...: an error that has the word in it, and nothing written.
refuses() {
	word=$1
	shift
	! "$SRCDIR/configure" "$@" >output 2>&1 || fail "configure $* passes"
	grep -qF -e "$word" output || fail "configure $* does not say $word"
	[ ! -e config.mk ] || fail "configure $* wrote config.mk"
}

# says NAME VALUE: a line of config.mk.
says() {
	grep -qxF "$1 := $2" config.mk || fail "$1 is not '$2': $(grep "^$1 " config.mk)"
}

refuses --with-magic --with-magic
refuses --with-magic=1 --with-magic=1
refuses magic magic
refuses '--prefix needs a value' --prefix
refuses '--prefix needs a value' --prefix=
refuses 'absolute path, not here' --prefix=here
refuses no-such-compiler --cc=no-such-compiler
refuses exclude --enable-tsan --enable-sanitizer

"$SRCDIR/configure" --prefix=/p --libdir /l --mandir=/m >output 2>&1 || fail "plain options"
says PREFIX /p
says INCLUDEDIR /p/include
says LIBDIR /l
says LIBDEVDIR /l
says DATADIR /p/share
says MANDIR /m
says CFLAGS '-O2 -g'
says SANITIZE ''
[ -s config.log ] || fail "no config.log"
grep -qxF "SRCDIR := $SRCDIR" Makefile || fail "no makefile for here"

"$SRCDIR/configure" --use-libc --enable-debug --libdevdir=/usr/local/dev >output 2>&1 || fail "flags"
says ARCH libc
says DEBUG yes
says LIBDIR /usr/local/lib
says DEVLINK ../lib/

# Slashes too many led links nowhere.
"$SRCDIR/configure" --libdir=/usr//lib/x --libdevdir=/usr/lib/x/ >output 2>&1 || fail "slashes"
says LIBDIR /usr/lib/x
says LIBDEVDIR /usr/lib/x
says DEVLINK ''
# These would be read by sed when the pkg-config files are made, by make or by the shell.
for name in 'r&d' 'a|b' 'a\b' "a'b" 'a"b' 'a`b' 'a%b' 'a*' 'a?' 'a[b'; do
	! "$SRCDIR/configure" "--prefix=/opt/$name" >output 2>&1 || fail "--prefix=/opt/$name passes"
	grep -qF "please: /opt/$name" output || fail "--prefix=/opt/$name is not named"
done
# Names of the folder itself that make or the shell would read.
for name in 'a(b' 'a&b' 'a;b' 'a[b' 'a b'; do
	mkdir "$name"
	! (cd "$name" && "$SRCDIR/configure") >output 2>&1 || fail "a build in $name passes"
	grep -q "in its name" output || fail "a build in $name is refused without a word"
done
# shellcheck disable=SC2016
for name in 'a$b' 'a#b' 'a:b' 'a%b'; do
	mkdir "$name"
	ln -s "$SRCDIR/configure" "$name/configure"
	! "./$name/configure" >output 2>&1 || fail "sources in $name pass"
	grep -q "in its name" output || fail "sources in $name are refused without a word"
done

# shellcheck disable=SC2016
CFLAGS='-O1 -DX=$Y#' "$SRCDIR/configure" --enable-tsan >output 2>&1 || fail "tsan"
says SANITIZE thread
says ARCH libc
# shellcheck disable=SC2016
says CFLAGS '-O1 -DX=$$Y\#'
make -n help >output 2>&1 || fail "the makefile does not work"

# It installed below /usr/local all the same.
for name in prefix PREFIX libdir; do
	! make -n install "$name=$work/elsewhere" >output 2>&1 || fail "make install $name= passes"
	grep -qF "configure --prefix" output || fail "make install $name= does not say what to do"
done

# It went elsewhere, too.
! make -n install "DESTDIR=$work/d'q" >output 2>&1 || fail "a quote in DESTDIR passes"
grep -q "DESTDIR is" output || fail "a quote in DESTDIR is refused without a word"

# Asked with the options that the library is compiled with.
if "$SRCDIR/configure" 2>/dev/null | grep -q inline; then
	CFLAGS='-O2 -fstack-protector-all' "$SRCDIR/configure" >output 2>&1 || fail "stack protector"
	grep -q inline output || fail "the stack protector needs libc"
fi

# make configures anew, with the same options, when configure has changed.
touch -d '+1 minute' config.mk
cp config.mk before
touch -d '1 January 2000' config.mk
make config.mk >output 2>&1 || fail "make does not configure anew"
cmp -s before config.mk || fail "configured otherwise the second time"
