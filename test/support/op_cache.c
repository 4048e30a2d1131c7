/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "op_cache.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef __NR_cachestat
#define __NR_cachestat 451
#endif

struct cache_pages cache_look(int fd, __u64 off, __u64 len)
{
	struct {
		__u64 off;
		__u64 len;
	} range = { off, len };
	struct cache_pages pages = { 0 };

	if (syscall(__NR_cachestat, fd, &range, &pages, 0) < 0)
		skip_because("the effect cannot be seen: cachestat: %s", strerror(errno));
	return pages;
}
