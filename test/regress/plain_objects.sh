#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A plain build pays for none of the checks of a debug build, nor for sanitizers.

[ "${DEBUG-}" != yes ] || {
	echo "a debug build is not plain"
	exit 77
}
if nm "$BUILD_DIR/liburing.a" 2>/dev/null | grep -qE ' U __(a|t)san_init'; then
	echo "a library with a sanitizer is not plain"
	exit 77
fi
exec "$SRCDIR/tools/check-plain-objects"
