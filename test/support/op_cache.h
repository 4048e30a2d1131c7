/* SPDX-License-Identifier: MIT */
#ifndef TEST_SUPPORT_OP_CACHE_H
#define TEST_SUPPORT_OP_CACHE_H

#include <linux/types.h>

/* What of a file is in the page cache, in pages; the answer of cachestat(2). */
struct cache_pages {
	__u64 nr_cache;
	__u64 nr_dirty;
	__u64 nr_writeback;
	__u64 nr_evicted;
	__u64 nr_recently_evicted;
};

/*
 * cache_look - of len bytes from off on, or with len 0 of all from there; skips
 * the test where the kernel cannot say (before 6.5).
 */
struct cache_pages cache_look(int fd, __u64 off, __u64 len);

#endif
