/* SPDX-License-Identifier: MIT */
/*
 * Taking multishot recvmsg buffers apart, with honest and with hostile lengths.
 * Each buffer ends where a page that cannot be touched begins, so that a read
 * beyond it ends the test, and it starts at odd addresses.
 */
#include "test.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <liburing.h>

#define HDR_SZ sizeof(struct io_uring_recvmsg_out)
#define CMSG_SZ sizeof(struct cmsghdr)
#define AREA_MAX 256

/* A multishot buffer and the request that it was for. */
struct packet {
	struct msghdr msgh;
	unsigned char *buf;		/* ends at the guard page */
	int len;
	struct io_uring_recvmsg_out *out;
};

static unsigned char *guard;		/* the page that cannot be touched */
static size_t page_sz;

static int map_guard(void **state)
{
	unsigned char *pages;

	page_sz = (size_t)sysconf(_SC_PAGESIZE);
	pages = mmap(NULL, 2 * page_sz, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED)
		return -1;
	guard = pages + page_sz;
	return mprotect(guard, page_sz, PROT_NONE);
}

/* The header's fields are written as the kernel does it: a copy to any address. */
static void set_header(struct packet *p, unsigned namelen, unsigned controllen)
{
	struct io_uring_recvmsg_out out = { namelen, controllen, 0, 0 };

	memcpy(p->buf, &out, sizeof(out));
}

static void make_packet(struct packet *p, unsigned name_sz, unsigned control_sz,
			unsigned payload_sz)
{
	memset(p, 0, sizeof(*p));
	p->msgh.msg_namelen = name_sz;
	p->msgh.msg_controllen = control_sz;
	p->len = (int)(HDR_SZ + name_sz + control_sz + payload_sz);
	p->buf = guard - p->len;
	memset(guard - page_sz, 0xee, page_sz);
	set_header(p, name_sz, control_sz);
	p->out = io_uring_recvmsg_validate(p->buf, p->len, &p->msgh);
	assert_ptr_equal(p->out, p->buf);
}

static unsigned char *control_area(const struct packet *p)
{
	return p->buf + HDR_SZ + p->msgh.msg_namelen;
}

/* Writes only the length of a control message at pos of the control area. */
static void put_cmsg(const struct packet *p, size_t pos, size_t len)
{
	struct cmsghdr hdr;

	memset(&hdr, 0, sizeof(hdr));
	hdr.cmsg_len = len;
	memcpy(control_area(p) + pos, &hdr, sizeof(hdr));
}

static struct cmsghdr *first(struct packet *p)
{
	return io_uring_recvmsg_cmsg_firsthdr(p->out, &p->msgh);
}

static struct cmsghdr *next(struct packet *p, struct cmsghdr *cmsg)
{
	return io_uring_recvmsg_cmsg_nexthdr(p->out, &p->msgh, cmsg);
}

static void areas_are_sized_by_the_request(void **state)
{
	struct packet p;

	make_packet(&p, 28, 48, 100);
	set_header(&p, 16, 24);		/* the packet had less of both */
	assert_ptr_equal(io_uring_recvmsg_name(p.out), p.buf + 16);
	assert_ptr_equal(first(&p), p.buf + 16 + 28);
	assert_ptr_equal(io_uring_recvmsg_payload(p.out, &p.msgh), p.buf + 16 + 28 + 48);
	assert_int_equal(io_uring_recvmsg_payload_length(p.out, p.len, &p.msgh), 100);

	make_packet(&p, 0, 0, 0);
	assert_ptr_equal(io_uring_recvmsg_payload(p.out, &p.msgh), guard);
	assert_int_equal(io_uring_recvmsg_payload_length(p.out, p.len, &p.msgh), 0);
	assert_null(first(&p));
}

static void validate_adds_without_overflow(void **state)
{
	static const struct {
		int len;
		socklen_t name_sz;
		size_t control_sz;
		bool valid;
		unsigned payload_len;
	} cases[] = {
		{ 16, 0, 0, true, 0 },
		{ 17, 0, 0, true, 1 },
		{ 15, 0, 0, false, 0 },
		{ 1, 0, 0, false, 0 },
		{ 0, 0, 0, false, 0 },
		{ -1, 0, 0, false, 0 },
		{ -ENOBUFS, 16, 0, false, 0 },
		{ INT_MIN, 0, 0, false, 0 },
		{ 92, 28, 48, true, 0 },
		{ 91, 28, 48, false, 0 },
		{ 93, 28, 48, true, 1 },
		{ 100, 84, 0, true, 0 },
		{ 100, 85, 0, false, 0 },
		{ 100, 0, 84, true, 0 },
		{ 100, 0, 85, false, 0 },
		{ 100, 84, 1, false, 0 },
		{ 100, 1, 84, false, 0 },
		{ 100, INT_MAX, 0, false, 0 },
		{ 100, UINT_MAX, 0, false, 0 },
		{ 100, UINT_MAX - 15, 0, false, 0 },	/* 2^32 with the header */
		{ 100, UINT_MAX, 1, false, 0 },		/* 2^32 together */
		{ 100, UINT_MAX - 15, UINT_MAX, false, 0 },
#if SIZE_MAX > UINT_MAX
		{ 100, 0, (size_t)UINT_MAX + 1, false, 0 },
#endif
		{ 100, 0, SIZE_MAX, false, 0 },
		{ 100, 0, SIZE_MAX - 15, false, 0 },	/* 0 with the header */
		{ 100, 0, SIZE_MAX - 7, false, 0 },
		{ 100, 28, SIZE_MAX - 27, false, 0 },	/* 0 together */
		{ 100, 28, SIZE_MAX - 43, false, 0 },	/* 0 all three */
		{ 100, UINT_MAX, SIZE_MAX, false, 0 },
		{ INT_MAX, INT_MAX - 16, 0, true, 0 },
		{ INT_MAX, 0, INT_MAX - 16, true, 0 },
		{ INT_MAX, 0, INT_MAX - 15, false, 0 },
		{ INT_MAX, 1, 1, true, INT_MAX - 18 },
	};
	unsigned char buf[HDR_SZ];
	struct msghdr msgh;
	unsigned idx;

	memset(buf, 0xff, sizeof(buf));
	for (idx = 0; idx < ARRAY_LEN(cases); idx++) {
		memset(&msgh, 0, sizeof(msgh));
		msgh.msg_namelen = cases[idx].name_sz;
		msgh.msg_controllen = cases[idx].control_sz;
		/* musl's field has 32 bits: 2^32 does not get through. */
		if (!msgh.msg_controllen && cases[idx].control_sz)
			continue;
		if (io_uring_recvmsg_validate(buf, cases[idx].len, &msgh) !=
		    (cases[idx].valid ? (void *)buf : NULL))
			fail_msg("case %u: taken for %s", idx, cases[idx].valid ? "bad" : "good");
		if (io_uring_recvmsg_payload_length((void *)buf, cases[idx].len, &msgh) !=
		    cases[idx].payload_len)
			fail_msg("case %u: wrong payload length", idx);
	}
}

/* Three messages of uneven lengths, at every alignment of the buffer. */
static void messages_are_walked(void **state)
{
	const size_t step = sizeof(long);
	const size_t second = CMSG_SZ + step, third = second + CMSG_SZ + 2 * step;
	struct cmsghdr *cmsg;
	struct packet p;
	unsigned odd;

	for (odd = 0; odd < 16; odd++) {
		make_packet(&p, odd, 128, 16 - odd);
		put_cmsg(&p, 0, CMSG_SZ + 4);
		put_cmsg(&p, second, CMSG_SZ + step + 1);
		put_cmsg(&p, third, CMSG_SZ + 1);
		/* The last one is not padded. */
		set_header(&p, 0, (unsigned)(third + CMSG_SZ + 1));

		cmsg = first(&p);
		assert_ptr_equal(cmsg, control_area(&p));
		cmsg = next(&p, cmsg);
		assert_ptr_equal(cmsg, control_area(&p) + second);
		cmsg = next(&p, cmsg);
		assert_ptr_equal(cmsg, control_area(&p) + third);
		assert_null(next(&p, cmsg));
	}
}

static void control_length_is_cut_to_the_area(void **state)
{
	static const unsigned controllens[] = {
		64, 65, 4096, INT_MAX, (unsigned)INT_MAX + 1, UINT_MAX - 15, UINT_MAX,
	};
	struct cmsghdr *cmsg;
	struct packet p;
	unsigned idx;

	for (idx = 0; idx < ARRAY_LEN(controllens); idx++) {
		make_packet(&p, 3, 64, 0);
		set_header(&p, UINT_MAX, controllens[idx]);
		put_cmsg(&p, 0, 32);
		put_cmsg(&p, 32, 32);
		cmsg = next(&p, first(&p));
		assert_ptr_equal(cmsg, control_area(&p) + 32);
		assert_null(next(&p, cmsg));
		assert_ptr_equal(io_uring_recvmsg_name(p.out), p.buf + HDR_SZ);
		assert_ptr_equal(io_uring_recvmsg_payload(p.out, &p.msgh), guard);
	}
}

static void no_message_without_a_header(void **state)
{
	struct packet p;
	unsigned len;

	for (len = 0; len < CMSG_SZ; len++) {
		/* Short in the packet, though the area has room. */
		make_packet(&p, 5, 64, 0);
		set_header(&p, 5, len);
		assert_null(first(&p));
		/* Short in the area, whatever the packet says. */
		make_packet(&p, 5, len, 0);
		set_header(&p, 5, UINT_MAX);
		assert_null(first(&p));
	}
	make_packet(&p, 5, CMSG_SZ, 0);
	put_cmsg(&p, 0, CMSG_SZ);
	assert_ptr_equal(first(&p), control_area(&p));
	assert_null(next(&p, first(&p)));
}

/* Lengths that no message can have which starts AREA bytes before the end. */
#define AREA 64
static const size_t hostile_lens[] = {
	0, 1, CMSG_SZ - 1, AREA + 1, AREA + 8, 4096,
	INT_MAX, (size_t)INT_MAX + 1, UINT_MAX - 7, UINT_MAX, SIZE_MAX / 2, SIZE_MAX / 2 + 1,
	SIZE_MAX - 63, SIZE_MAX - 31, SIZE_MAX - 16, SIZE_MAX - 15, SIZE_MAX - 8, SIZE_MAX - 7,
	SIZE_MAX - 6, SIZE_MAX - 1, SIZE_MAX,
};

static void a_hostile_length_ends_the_walk(void **state)
{
	struct packet p;
	unsigned idx;

	for (idx = 0; idx < ARRAY_LEN(hostile_lens); idx++) {
		/* Of the message that is there: nothing comes after it. */
		make_packet(&p, 28, AREA, 8);
		put_cmsg(&p, 32, 32);
		put_cmsg(&p, 0, hostile_lens[idx]);
		assert_ptr_equal(first(&p), control_area(&p));
		if (next(&p, first(&p)))
			fail_msg("a message follows one of length %zu", hostile_lens[idx]);

		/* Of the message that would come next: it does not. */
		make_packet(&p, 28, 32 + AREA, 8);
		put_cmsg(&p, 0, 32);
		put_cmsg(&p, 32, hostile_lens[idx]);
		if (next(&p, first(&p)))
			fail_msg("a message of length %zu is shown", hostile_lens[idx]);
	}
	/* The same place with a length that fits. */
	put_cmsg(&p, 32, AREA);
	assert_ptr_equal(next(&p, first(&p)), control_area(&p) + 32);
}

static void a_message_from_elsewhere_has_no_next(void **state)
{
	struct packet p;

	make_packet(&p, 28, 96, 8);
	put_cmsg(&p, 0, 32);
	put_cmsg(&p, 32, 32);
	assert_non_null(next(&p, (struct cmsghdr *)(void *)control_area(&p)));
	assert_null(next(&p, (struct cmsghdr *)(void *)p.buf));
	assert_null(next(&p, (struct cmsghdr *)(void *)(control_area(&p) - 1)));
	assert_null(next(&p, (struct cmsghdr *)(void *)(control_area(&p) + 96)));
	assert_null(next(&p, (struct cmsghdr *)(void *)(control_area(&p) + 96 - CMSG_SZ + 1)));
	assert_null(next(&p, (struct cmsghdr *)(void *)guard));
}

static void check_inside(const struct packet *p, const struct cmsghdr *cmsg, size_t area_sz)
{
	size_t pos = (size_t)((const unsigned char *)cmsg - control_area(p));

	assert_true(pos <= area_sz && area_sz - pos >= CMSG_SZ);
}

/* Random areas and bytes, with lengths that are near the truth often enough. */
static void random_buffers_stay_inside(void **state)
{
	const char *seed_text = getenv("TEST_SEED");
	unsigned seed, round, nr_walked = 0;

	seed = seed_text ? (unsigned)strtoul(seed_text, NULL, 0) : 20240229;
	print_message("seed %u\n", seed);
	srand(seed);

	for (round = 0; round < 200000; round++) {
		unsigned name_sz = (unsigned)rand() % 40;
		unsigned area_sz = (unsigned)rand() % AREA_MAX;
		struct cmsghdr *cmsg, *last = NULL;
		struct packet p;
		size_t pos;

		make_packet(&p, name_sz, area_sz, (unsigned)rand() % 20);
		set_header(&p, (unsigned)rand() * 2u, rand() % 4 ? area_sz : (unsigned)rand() * 3u);
		for (pos = 0; pos + CMSG_SZ <= area_sz; pos += sizeof(long))
			put_cmsg(&p, pos, rand() % 8 ? CMSG_SZ + (unsigned)rand() % 24 :
				 hostile_lens[(unsigned)rand() % ARRAY_LEN(hostile_lens)]);

		for (cmsg = first(&p); cmsg; cmsg = next(&p, cmsg)) {
			check_inside(&p, cmsg, area_sz);
			assert_true(!last || (unsigned char *)cmsg - (unsigned char *)last >=
				    (ptrdiff_t)CMSG_SZ);
			last = cmsg;
			nr_walked++;
		}
		assert_ptr_equal((unsigned char *)io_uring_recvmsg_payload(p.out, &p.msgh) +
				 io_uring_recvmsg_payload_length(p.out, p.len, &p.msgh), guard);
	}
	assert_true(nr_walked > round);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(areas_are_sized_by_the_request),
		cmocka_unit_test(validate_adds_without_overflow),
		cmocka_unit_test(messages_are_walked),
		cmocka_unit_test(control_length_is_cut_to_the_area),
		cmocka_unit_test(no_message_without_a_header),
		cmocka_unit_test(a_hostile_length_ends_the_walk),
		cmocka_unit_test(a_message_from_elsewhere_has_no_next),
		cmocka_unit_test(random_buffers_stay_inside),
	};

	return cmocka_run_group_tests(tests, map_guard, NULL);
}
