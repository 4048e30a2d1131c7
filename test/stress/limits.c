/* SPDX-License-Identifier: MIT */
/*
 * Descriptors and memory that are all but used up: what cannot be made is refused
 * with a reason and leaves nothing behind, what could be made works.
 */
#include "stress.h"
#include "process.h"
#include "ring.h"

#include <fcntl.h>
#include <grp.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#if defined(LIBURING_ASAN) || defined(LIBURING_TSAN) || defined(LIBURING_MSAN)
#define WATCHED 1
#else
#define WATCHED 0
#endif

static unsigned nr_refused, nr_made;

/* Four requests on a ring that could be made. */
static void use(struct io_uring *ring, struct ledger *ledger)
{
	struct io_uring_sqe *sqe;
	struct io_uring_cqe *cqe;
	unsigned i;

	for (i = 0; i < 4 && (sqe = io_uring_get_sqe(ring)); i++) {
		io_uring_prep_nop(sqe);
		sqe->user_data = ledger_issue(ledger);
	}
	child_check(io_uring_submit_and_wait(ring, i) == (int)i);
	while (ledger_in_flight(ledger)) {
		child_check(!io_uring_wait_cqe(ring, &cqe));
		child_check(ledger_done(ledger, cqe->user_data));
		io_uring_cqe_seen(ring, cqe);
	}
}

static bool is_scarce(int ret)
{
	return ret == -ENOMEM || ret == -EMFILE || ret == -EAGAIN || ret == -ENFILE;
}

/* Counts; returns whether it was made. */
static bool made(int ret)
{
	if (ret >= 0)
		nr_made++;
	else
		nr_refused++;
	child_check(ret >= 0 || is_scarce(ret));
	return ret >= 0;
}

static void resize(struct io_uring *ring, struct ledger *ledger)
{
	struct io_uring_params p = { .sq_entries = 512 };
	int ret = io_uring_resize_rings(ring, &p);

	if (ret != -EINVAL)
		made(ret);
	use(ring, ledger);
}

static void register_things(struct io_uring *ring, struct ledger *ledger)
{
	struct io_uring_buf_ring *br;
	struct io_uring_probe *probe;
	int ret = 0;

	ret = io_uring_register_files_sparse(ring, 64);
	if (ret != -EINVAL)
		made(ret);
	br = io_uring_setup_buf_ring(ring, 256, 1, 0, &ret);
	if (br)
		child_check(!io_uring_free_buf_ring(ring, br, 256, 1));
	else
		child_check(is_scarce(ret) || ret == -EINVAL);
	probe = io_uring_get_probe();
	io_uring_free_probe(probe);
	use(ring, ledger);
}

/* Everything that takes descriptors or memory. */
static void make_all(struct ledger *ledger, unsigned nth)
{
	static const unsigned flags[] = {
		0, IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN, IORING_SETUP_CQE32,
		IORING_SETUP_SQE128,
	};
	struct holdings before, now;
	struct io_uring ring;
	int ret;

	holdings_take(&before);
	ret = io_uring_queue_init(4U << nth % 8, &ring, flags[nth % ARRAY_LEN(flags)]);
	if (ret != -EINVAL && made(ret)) {
		use(&ring, ledger);
		if (nth & 8)
			resize(&ring, ledger);
		if (nth & 16)
			register_things(&ring, ledger);
		io_uring_queue_exit(&ring);
	}
	holdings_take(&now);
	child_check_equal(now.nr_fds, before.nr_fds);
	child_check_equal(now.nr_ring_maps, before.nr_ring_maps);
}

static void set_limit(int resource, rlim_t limit)
{
	struct rlimit lim;

	child_check(!getrlimit(resource, &lim));
	lim.rlim_cur = limit < lim.rlim_max ? limit : lim.rlim_max;
	child_check(!setrlimit(resource, &lim));
}

static int end_child(struct ledger *ledger)
{
	child_check(ledger_close(ledger));
	child_check(nr_refused > 0);
	child_check(nr_made > 0);
	return 0;
}

/* From room for none to room for a few; holdings_take needs one itself. */
static int use_up_fds(void *arg)
{
	int fds[64], nr_fds = 0, nr_closed;
	struct ledger ledger;
	unsigned nr = 0;

	ledger_open(&ledger, 4);
	set_limit(RLIMIT_NOFILE, 64);
	while (nr_fds < 64 && (fds[nr_fds] = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0)
		nr_fds++;
	child_check(nr_fds > 4);
	close(fds[--nr_fds]);
	while (stress_goes_on() || nr < 64) {
		/* With one left, a ring takes it, and the second one finds none. */
		struct io_uring first;
		int ret = io_uring_queue_init(4, &first, 0);

		if (ret != -ENOMEM)
			child_check_equal(ret, 0);
		if (!ret) {
			struct io_uring second;

			child_check_equal(io_uring_queue_init(4, &second, 0), -EMFILE);
			child_check_equal(second.ring_fd, -1);
			nr_refused++;
			nr_made++;
			use(&first, &ledger);
			io_uring_queue_exit(&first);
		}
		nr_closed = (int)(nr % 3);
		for (; nr_closed; nr_closed--)
			close(fds[nr_fds - nr_closed]);
		make_all(&ledger, nr);
		for (nr_closed = (int)(nr % 3); nr_closed; nr_closed--)
			fds[nr_fds - nr_closed] = open("/dev/null", O_RDONLY | O_CLOEXEC);
		nr++;
	}
	return end_child(&ledger);
}

static size_t address_space_sz(void)
{
	struct holdings now;

	holdings_take(&now);
	return now.mapped_sz;
}

/* A few pages more than what is in use. */
static int use_up_address_space(void *arg)
{
	size_t used_sz = address_space_sz();
	struct ledger ledger;
	unsigned nr;

	ledger_open(&ledger, 4);
	for (nr = 0; stress_goes_on() || nr < 256; nr++) {
		set_limit(RLIMIT_AS, used_sz + page_size() * (stress_random(64)));
		make_all(&ledger, nr);
	}
	set_limit(RLIMIT_AS, RLIM_INFINITY);
	return end_child(&ledger);
}

/* As a user whom the kernel charges; not all do. */
static int use_up_locked_memory(void *arg)
{
	struct ledger ledger;
	unsigned nr;

	if (!geteuid() && (setgroups(0, NULL) || setresgid(65534, 65534, 65534) ||
			   setresuid(65534, 65534, 65534))) {
		printf("this user cannot become another\n");
		fflush(stdout);
		return CHILD_SKIP;
	}
	ledger_open(&ledger, 4);
	for (nr = 0; stress_goes_on() || nr < 64; nr++) {
		set_limit(RLIMIT_MEMLOCK, page_size() * stress_random(40));
		make_all(&ledger, nr);
	}
	child_check(ledger_close(&ledger));
	return 0;
}

static void test_descriptors(void **state)
{
	struct io_uring ring;

	ring_open_flags(&ring, 4, 0);
	io_uring_queue_exit(&ring);
	in_child(use_up_fds, NULL);
}

static void test_address_space(void **state)
{
	struct io_uring ring;

	ring_open_flags(&ring, 4, 0);
	io_uring_queue_exit(&ring);
	if (WATCHED)
		skip_because("a sanitizer takes all of the address space");
	in_child(use_up_address_space, NULL);
}

static void test_locked_memory(void **state)
{
	struct io_uring ring;

	ring_open_flags(&ring, 4, 0);
	io_uring_queue_exit(&ring);
	in_child(use_up_locked_memory, NULL);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		stress_test(test_descriptors),
		stress_test(test_address_space),
		stress_test(test_locked_memory),
	};

	return STRESS_RUN("limits", tests);
}
