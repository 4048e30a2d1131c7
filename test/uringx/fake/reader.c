/* SPDX-License-Identifier: MIT */
/*
 * A part of a test program: the reader's sources over the fake ring, and a file for it.
 */
#include "ring.h"
#include "ring.c"

#define pread fake_pread
#define read fake_read
#include "../../../src/uringx/direct.c"
#include "../../../src/uringx/open.c"
#include "../../../src/uringx/reader.c"
#include "../../../src/uringx/ring.c"
#include "../../../src/uringx/window.c"
#undef pread
#undef read

TEST_NEEDS_NO_RINGS;

#define FILE_SZ 30011

static unsigned char content[FILE_SZ];
static int file;

static int make_file(void **state)
{
	pattern_fill(content, sizeof(content), 0);
	file = temp_file(FILE_SZ);
	return 0;
}
