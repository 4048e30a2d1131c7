/* SPDX-License-Identifier: MIT */
#include "cp_verify.h"

#include <stddef.h>
#include <string.h>

#include "cp_progress.h"

static int64_t compare(struct uringx_reader *a, struct uringx_reader *b)
{
	struct uringx_reader *readers[2] = { a, b };
	const unsigned char *at[2] = { NULL, NULL };
	ssize_t sz[2] = { 0, 0 };
	ssize_t nr, i;
	const void *block;
	int side;

	for (;;) {
		for (side = 0; side < 2; side++) {
			if (sz[side] > 0)
				continue;
			sz[side] = uringx_reader_next(readers[side], &block);
			at[side] = block;
			if (sz[side] < 0)
				return sz[side] - 1;
		}
		if (sz[0] == 0 && sz[1] == 0)
			return -1;
		nr = sz[0] < sz[1] ? sz[0] : sz[1];
		if (nr == 0 || memcmp(at[0], at[1], (size_t)nr) != 0) {
			for (i = 0; i < nr && at[0][i] == at[1][i]; i++)
				;
			return uringx_reader_tell(a) - sz[0] + i;
		}
		for (side = 0; side < 2; side++) {
			at[side] += nr;
			sz[side] -= nr;
		}
		cp_progress_show((uint64_t)uringx_reader_tell(a));
	}
}

int64_t cp_find_difference(int a_fd, int b_fd, const struct uringx_reader_options *how)
{
	struct uringx_reader *readers[2] = { NULL, NULL };
	int64_t where;
	int ret;

	ret = uringx_reader_open(&readers[0], a_fd, how);
	if (ret == 0)
		ret = uringx_reader_open(&readers[1], b_fd, how);
	where = ret < 0 ? ret - 1 : compare(readers[0], readers[1]);
	uringx_reader_close(readers[0]);
	uringx_reader_close(readers[1]);
	return where;
}
