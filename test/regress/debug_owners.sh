#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A ring that is used by a child of fork, or by a second thread where it was made for
# one, broke its owner. A debug build tells the one from the other.

exec "$SRCDIR/test/debug/run.sh" owners
