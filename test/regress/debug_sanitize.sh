#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A CQE that was read after its slot was released had the content of another request's
# as soon as the ring was busy. With the address sanitizer a debug build reports it.

exec "$SRCDIR/test/sanitize/run.sh" debug
