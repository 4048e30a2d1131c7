# SPDX-License-Identifier: MIT
#
# A part of the Makefile. Lines and branches of src/ and of the inline headers that
# the tests run, counted by gcov. What it builds and finds is below build/coverage/.

.PHONY: coverage
coverage:
	@$Stools/check-coverage $(BUILD)/coverage
