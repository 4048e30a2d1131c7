#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The kernel's writes, and the order that a ring makes between threads, were invisible
# to the tools that watch memory: correct programs got reports, and wrong ones none.

exec "$SRCDIR/test/sanitize/run.sh" address
