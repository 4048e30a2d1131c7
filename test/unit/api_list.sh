#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The list of functions agrees with the headers and the libraries that were built.

exec "$SRCDIR/tools/check-api"
