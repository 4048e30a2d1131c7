#!/bin/sh
# SPDX-License-Identifier: MIT
#
# make check-man finds each kind of fault in a page that is sound otherwise.

set -u

command -v mandoc >/dev/null || {
	echo "there is no mandoc here"
	exit 77
}
if nm "$BUILD_DIR/liburing.a" 2>/dev/null | grep -qE ' U __(a|t)san_init'; then
	echo "the examples are linked without a sanitizer"
	exit 77
fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
page=io_uring_setup_buf_ring.3
functions="io_uring_free_buf_ring io_uring_register_buf_ring io_uring_unregister_buf_ring"
functions="$functions io_uring_buf_ring_head"
mkdir -p "$work/man" "$work/root/man3"
cat >"$work/sound" <<'END_OF_PAGE'
.\" SPDX-License-Identifier: MIT
.TH io_uring_setup_buf_ring 3 "" "liburing VERSION" "liburing manual"
.SH NAME
io_uring_setup_buf_ring, io_uring_free_buf_ring, io_uring_register_buf_ring,
io_uring_unregister_buf_ring, io_uring_buf_ring_head \- buffer rings
.SH SYNOPSIS
.nf
.B #include <liburing.h>
.PP
.BI "struct io_uring_buf_ring *io_uring_setup_buf_ring(struct io_uring *" ring ,
.BI "                        unsigned int " nentries ", int " bgid ,
.BI "                        unsigned int " flags ", int *" err );
.BI "int io_uring_free_buf_ring(struct io_uring *" ring ", struct io_uring_buf_ring *" br ,
.BI "                        unsigned int " nentries ", int " bgid );
.BI "int io_uring_register_buf_ring(struct io_uring *" ring ,
.BI "                        struct io_uring_buf_reg *" reg ", unsigned int " flags );
.BI "int io_uring_unregister_buf_ring(struct io_uring *" ring ", int " bgid );
.BI "int io_uring_buf_ring_head(struct io_uring *" ring ", int " buf_group ", uint16_t *" head );
.fi
.SH DESCRIPTION
With \fBIOU_PBUF_RING_INC\fR and \fBO_DIRECT\fR, as
.BR mmap (2)
and
.BR io_uring_buf_ring_add (3)
say.
.SH ERRORS
.SS From the library
.TP
.B EINVAL
The number is wrong.
.SH EXAMPLES
.EX
ret = io_uring_unregister_buf_ring(ring, 1);
.EE
.PP
.EX
#include <liburing.h>

int main(void)
{
	return 0;
}
.EE
.SH SEE ALSO
.BR io_uring_buf_ring_add (3)
END_OF_PAGE
version=$(awk '/define IO_URING_VERSION_M(AJ|IN)OR/ { printf "%s%s", dot, $3; dot = "." }' \
	"$SRCDIR/include/liburing/io_uring_version.h")
sed -i "s/VERSION/$version/" "$work/sound"

# Called by check, by their names.
# shellcheck disable=SC2317
drop_link() {
	rm "$work/root/man3/io_uring_free_buf_ring.3"
}

# shellcheck disable=SC2317
turn_link() {
	echo '.TH other' >"$work/root/man3/other.3"
	echo '.so man3/other.3' >"$work/root/man3/io_uring_buf_ring_head.3"
}

# check SED: the page with this change; its links are those of the sound one.
check() {
	sed "$1" "$work/sound" >"$work/man/$page"
	cp "$work/man/$page" "$work/root/man3/$page"
	for function in $functions; do
		echo ".so man3/$page" >"$work/root/man3/$function.3"
	done
	${2-:}
	MAN_DIR=$work/man MAN_ROOT=$work/root M=${page%.3} "$SRCDIR/tools/check-man" >"$work/output" 2>&1
}

# finds FAULT SED [COMMAND]: that this change makes is a fault; COMMAND goes before the check.
finds() {
	if check "$2" "${3-}"; then
		echo "not found: $1"
		failed=1
	elif ! grep -q "^check-man: $page.*$1" "$work/output"; then
		echo "found, but not as: $1"
		cat "$work/output"
		failed=1
	fi
}

failed=0
check '' || {
	echo "the sound page is not accepted:"
	cat "$work/output"
	exit 1
}
finds 'io_uring_free_buf_ring: no page' '' drop_link
finds 'io_uring_buf_ring_head: the installed page is that of' '' turn_link
finds 'not in its NAME' 's/io_uring_free_buf_ring, //'
finds 'the header has' 's/nentries ", int "/nr ", int "/'
finds 'not in the SYNOPSIS' '/int io_uring_unregister_buf_ring/d'
finds 'declares what no header does' 's/^\.fi/.B int io_uring_no_such(int x);\n.fi/'
finds 'example:.*error' 's/(ring, 1)/(ring)/'
finds 'ends with status 1' 's/return 0/return 1/'
finds 'ends with status 1' \
	's/return 0/struct io_uring ring; return io_uring_queue_init(2, \&ring, 0) < 0/'
finds 'invalid escape\|unterminated\|unknown\|WARNING\|ERROR\|STYLE' 's/^say\.$/.BX say./'
finds 'comes too late' 's/SH ERRORS/SH NOTES/; s/SH EXAMPLES/SH FLAGS/'
finds 'refers to mmapp.2' 's/mmap/mmapp/'
finds 'IOU_PBUF_RING_INK stands in no header' 's/RING_INC/RING_INK/'
finds 'O_DIRECTOR stands in no header' 's/O_DIRECT/O_DIRECTOR/'
finds 'no code of this page returns EXDEV' 's/EINVAL/EXDEV/'
exit "$failed"
