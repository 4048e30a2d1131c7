/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "ring.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DEFER (IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN)
#define BIG (IORING_SETUP_SQE128 | IORING_SETUP_CQE32)
#define CASE_ENTRIES 8
/* How long a polling thread spins before it sleeps. */
#define SQ_IDLE_MS 20
#define MAX_TRIES 200
#define TRY_MS 5
/* Enough for two of the largest rings. */
#define AMPLE_MEMLOCK (64UL << 20)

const struct ring_kind ring_kinds[] = {
	{ .name = "plain" },
	{ .name = "index array", .own_setup = true },
	{ .name = "NO_SQARRAY", .flags = IORING_SETUP_NO_SQARRAY, .own_setup = true },
	{ .name = "CLAMP", .flags = IORING_SETUP_CLAMP },
	{ .name = "SUBMIT_ALL", .flags = IORING_SETUP_SUBMIT_ALL },
	{ .name = "R_DISABLED", .flags = IORING_SETUP_R_DISABLED },
	{ .name = "COOP_TASKRUN", .flags = IORING_SETUP_COOP_TASKRUN },
	{ .name = "COOP_TASKRUN|TASKRUN_FLAG",
	  .flags = IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG },
	{ .name = "SINGLE_ISSUER", .flags = IORING_SETUP_SINGLE_ISSUER },
	{ .name = "DEFER_TASKRUN", .flags = DEFER },
	{ .name = "DEFER_TASKRUN|TASKRUN_FLAG", .flags = DEFER | IORING_SETUP_TASKRUN_FLAG },
	{ .name = "DEFER_TASKRUN|R_DISABLED", .flags = DEFER | IORING_SETUP_R_DISABLED },
	{ .name = "SQPOLL", .flags = IORING_SETUP_SQPOLL },
	{ .name = "SQPOLL|SQE128|CQE32", .flags = IORING_SETUP_SQPOLL | BIG },
	{ .name = "SQE128", .flags = IORING_SETUP_SQE128 },
	{ .name = "CQE32", .flags = IORING_SETUP_CQE32 },
	{ .name = "SQE128|CQE32", .flags = BIG },
	{ .name = "SQE128|CQE32, index array", .flags = BIG, .own_setup = true },
	{ .name = "CQE_MIXED", .flags = IORING_SETUP_CQE_MIXED },
	{ .name = "SQE_MIXED", .flags = IORING_SETUP_SQE_MIXED },
	{ .name = "SQE_MIXED|CQE_MIXED", .flags = IORING_SETUP_SQE_MIXED | IORING_SETUP_CQE_MIXED },
	{ .name = "NO_MMAP", .flags = IORING_SETUP_NO_MMAP },
	{ .name = "NO_MMAP|SQE128|CQE32", .flags = IORING_SETUP_NO_MMAP | BIG },
	{ .name = "NO_MMAP|REGISTERED_FD_ONLY",
	  .flags = IORING_SETUP_NO_MMAP | IORING_SETUP_REGISTERED_FD_ONLY },
	{ .name = "IOPOLL", .flags = IORING_SETUP_IOPOLL },
	{ .name = "HYBRID_IOPOLL", .flags = IORING_SETUP_IOPOLL | IORING_SETUP_HYBRID_IOPOLL },
	{ .name = "SQ_REWIND", .flags = IORING_SETUP_SQ_REWIND },
	{ .name = "DEFER_TASKRUN|SQ_REWIND", .flags = DEFER | IORING_SETUP_SQ_REWIND },
};
const unsigned nr_ring_kinds = ARRAY_LEN(ring_kinds);

static int own_setup(struct io_uring *ring, unsigned entries, struct io_uring_params *p)
{
	int fd = io_uring_setup(entries, p);
	int ret;

	if (fd < 0)
		return fd;
	ret = io_uring_queue_mmap(fd, p, ring);
	if (ret)
		close(fd);
	return ret;
}

int ring_try(struct io_uring *ring, unsigned entries, const struct ring_kind *kind)
{
	struct io_uring_params p = { .flags = kind->flags, .sq_thread_idle = SQ_IDLE_MS };
	int ret;

	if (kind->own_setup)
		ret = own_setup(ring, entries, &p);
	else
		ret = io_uring_queue_init_params(entries, ring, &p);
	if (ret < 0)
		return ret;
	if (kind->flags & IORING_SETUP_R_DISABLED)
		return io_uring_enable_rings(ring);
	return 0;
}

/* The child's half of ring_ask: the ring goes away with the child. */
static int ask_in_child(unsigned flags)
{
	struct io_uring_params p = { .flags = flags };
	size_t page_sz = page_size();
	char *mem;

	if (flags & IORING_SETUP_NO_MMAP) {
		mem = page_alloc(2 * page_sz);
		p.sq_off.user_addr = (uintptr_t)mem;
		p.cq_off.user_addr = (uintptr_t)(mem + page_sz);
	}
	/* What a rewinding SQ needs, and the library adds. */
	if (flags & IORING_SETUP_SQ_REWIND)
		p.flags |= IORING_SETUP_NO_SQARRAY;
	return syscall(__NR_io_uring_setup, 4, &p) < 0 ? errno : 0;
}

static int ask_and_report(void *arg)
{
	int *answer = arg;

	*answer = ask_in_child((unsigned)*answer);
	return 0;
}

int ring_ask(unsigned flags)
{
	int *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int answer;

	assert_ptr_not_equal(shared, MAP_FAILED);
	*shared = (int)flags;
	in_child(ask_and_report, shared);
	answer = -*shared;
	munmap(shared, sizeof(*shared));
	return answer;
}

void ring_open(struct io_uring *ring, unsigned entries, const struct ring_kind *kind)
{
	int ret = ring_try(ring, entries, kind);
	int answer;

	if (!ret)
		return;
	answer = ring_ask(kind->flags);
	if (answer)
		skip_because("the kernel refuses a ring of %s (%#x): %s", kind->name, kind->flags,
			     strerror(-answer));
	fail_msg("set-up of %s: %s, which the kernel does not say", kind->name, strerror(-ret));
}

void ring_open_flags(struct io_uring *ring, unsigned entries, unsigned flags)
{
	const struct ring_kind kind = { .name = "these flags", .flags = flags };

	ring_open(ring, entries, &kind);
}

/* Whether RLIMIT_MEMLOCK holds for this process: CAP_IPC_LOCK is bit 14. */
static bool is_charged(void)
{
	FILE *status = fopen("/proc/self/status", "re");
	unsigned long long caps = 0;
	char line[256];

	while (status && fgets(line, sizeof(line), status))
		if (sscanf(line, "CapEff: %llx", &caps) == 1)
			break;
	if (status)
		fclose(status);
	return !(caps & 1ULL << 14);
}

bool ring_retry(int ret, unsigned *nr_tries)
{
	struct rlimit limit;

	if (ret != -ENOMEM || !is_charged())
		return false;
	if ((*nr_tries)++ < MAX_TRIES) {
		sleep_ms(TRY_MS);
		return true;
	}
	if (!getrlimit(RLIMIT_MEMLOCK, &limit) && limit.rlim_cur < AMPLE_MEMLOCK)
		skip_because("no memory: RLIMIT_MEMLOCK is %llu",
			     (unsigned long long)limit.rlim_cur);
	return false;
}

/* One case on one kind. */
struct ring_run {
	const struct ring_kind *kind;
	const struct ring_case *ring_case;
	struct io_uring ring;
	bool open;
};

static const struct ring_kind *current_kind;

const struct ring_kind *ring_current_kind(void)
{
	return current_kind;
}

static int run_start(void **state)
{
	const struct ring_run *run = *state;

	current_kind = run->kind;
	return time_limit_start(state);
}

static void run_case(void **state)
{
	struct ring_run *run = *state;
	struct holdings before, after;

	holdings_take(&before);
	ring_open(&run->ring, CASE_ENTRIES, run->kind);
	run->open = true;
	run->ring_case->run(&run->ring);
	io_uring_queue_exit(&run->ring);
	run->open = false;
	holdings_take(&after);
	assert_int_equal(after.nr_fds, before.nr_fds);
	assert_int_equal(after.nr_ring_maps, before.nr_ring_maps);
}

static int run_stop(void **state)
{
	struct ring_run *run = *state;

	if (run->open)
		io_uring_queue_exit(&run->ring);
	run->open = false;
	return time_limit_stop(state);
}

/* The kinds that the kernel lacks are one skipped test, which names them. */
static void skip_kinds(void **state)
{
	char text[1024] = "";
	size_t len = 0;
	unsigned i;
	int answer;

	for (i = 0; i < nr_ring_kinds && len < sizeof(text); i++) {
		answer = ring_ask(ring_kinds[i].flags);
		if (answer)
			len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s (%s)",
						len ? ", " : "", ring_kinds[i].name,
						strerror(-answer));
	}
	skip_because("the kernel refuses %s", text);
}

static char *join(const char *first, const char *last)
{
	char *text;

	assert_true(asprintf(&text, "%s %s", first, last) > 0);
	return text;
}

int ring_run_cases(const char *group, const struct ring_case *cases, unsigned nr_cases)
{
	size_t nr_runs = (size_t)nr_cases * nr_ring_kinds;
	struct ring_run *runs = calloc(nr_runs, sizeof(*runs));
	struct CMUnitTest *tests = calloc(nr_runs + 1, sizeof(*tests));
	const struct ring_kind *kind;
	bool lacks_some = false;
	size_t i, nr = 0;
	int nr_failed;
	unsigned c;

	for (kind = ring_kinds; kind < ring_kinds + nr_ring_kinds; kind++) {
		if (ring_ask(kind->flags)) {
			lacks_some = true;
			continue;
		}
		for (c = 0; c < nr_cases; c++) {
			if ((cases[c].not_with & kind->flags) ||
			    (cases[c].only_with & ~kind->flags))
				continue;
			runs[nr].kind = kind;
			runs[nr].ring_case = &cases[c];
			tests[nr].name = join(cases[c].name, kind->name);
			tests[nr].test_func = run_case;
			tests[nr].setup_func = run_start;
			tests[nr].teardown_func = run_stop;
			tests[nr].initial_state = &runs[nr];
			nr++;
		}
	}
	if (lacks_some) {
		tests[nr].name = join("every case on", "other kinds");
		tests[nr++].test_func = skip_kinds;
	}
	nr_failed = _cmocka_run_group_tests(group, tests, nr, NULL, NULL);
	for (i = 0; i < nr; i++)
		free((void *)tests[i].name);
	free(tests);
	free(runs);
	return nr_failed;
}
