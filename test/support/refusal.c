/* SPDX-License-Identifier: MIT */
/*
 * A test program asks the kernel once, before its first test, whether there are
 * rings to test with. Programs that need none say so by TEST_NEEDS_NO_RINGS.
 */
#include "test.h"

#include "refusal.h"

#include <stdlib.h>

/* The exit status that the runner takes for a skipped program. */
#define EXIT_SKIPPED 77

extern const char test_needs_no_rings __attribute__((weak));

void skip_all_without_rings(void)
{
	int err;
	const char *name = refused_ring_call(&err);

	if (!name)
		return;
	printf("the kernel refuses %s: %s\n", name, strerror(err));
	exit(EXIT_SKIPPED);
}

static __attribute__((constructor)) void ask_for_rings(void)
{
	if (!&test_needs_no_rings)
		skip_all_without_rings();
}
