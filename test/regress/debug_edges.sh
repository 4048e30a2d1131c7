#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What only looks like a mistake is no message in a debug build, and a program with
# more rings than it can tell apart is not ended for it.

exec "$SRCDIR/test/debug/run.sh" edges
