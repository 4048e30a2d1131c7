#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Each prep helper of src/api.def is called by a test of this folder.

set -eu
cd "${SRCDIR:-$(dirname "$0")/../..}"

helpers=$(grep -o '\bio_uring_prep_[a-z0-9_]*' src/api.def | sort -u)
[ "$(echo "$helpers" | wc -l)" -gt 90 ] || {
	echo "src/api.def does not list the prep helpers as this test expects"
	exit 1
}
missing=0
for helper in $helpers; do
	grep -q "\b$helper(" test/op/*.c || {
		echo "no test in test/op calls $helper"
		missing=1
	}
done
exit $missing
