#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The usual mistakes in the use of a ring showed long after they were made, as a hang,
# a wrong handler or a result of nobody's. A debug build names each when it happens.

exec "$SRCDIR/test/debug/run.sh" checks
