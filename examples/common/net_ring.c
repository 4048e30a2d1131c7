/* SPDX-License-Identifier: MIT */
#include "net_ring.h"
#include "refusal.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>

#define MAX_RETRIES 1000
#define MIN_ENTRIES 64U
#define MAX_ENTRIES 4096U

/*
 * Returns 0 where the ring has multishot receive, which came with the same kernel as
 * an opcode that can be asked for; -EINVAL where not; or why the ring cannot be asked.
 */
static int check_multishot_recv(struct io_uring *ring)
{
	static const unsigned int nr_ops = IORING_OP_SEND_ZC + 1;
	struct io_uring_probe *probe =
		calloc(1, sizeof(*probe) + nr_ops * sizeof(struct io_uring_probe_op));
	int ret = probe ? io_uring_register_probe(ring, probe, nr_ops) : -ENOMEM;

	if (ret == 0 && !io_uring_opcode_supported(probe, IORING_OP_SEND_ZC))
		ret = -EINVAL;
	free(probe);
	return ret;
}

/* In a round a socket has at most a receive and a send to submit, as a rule. */
static unsigned int choose_entries(unsigned int nr_sockets)
{
	unsigned int entries = 2 * nr_sockets;

	if (entries < MIN_ENTRIES)
		return MIN_ENTRIES;
	return entries < MAX_ENTRIES ? entries : MAX_ENTRIES;
}

static void say_refused(const char *what, int err)
{
	if (!explain_refusal(stderr, err, 0))
		fprintf(stderr, "The ring cannot be %s: %s\n", what, strerror(-err));
}

int net_ring_init(struct io_uring *ring, unsigned int nr_sockets)
{
	static const unsigned int wanted[] = {
		IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN,
		IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_COOP_TASKRUN,
		0,
	};
	unsigned int entries = choose_entries(nr_sockets);
	struct io_uring_params params;
	size_t i = 0;
	int ret;

	do {
		memset(&params, 0, sizeof(params));
		params.flags = wanted[i] | IORING_SETUP_CLAMP | IORING_SETUP_CQSIZE;
		params.cq_entries = 2 * entries + 4 * nr_sockets;
		ret = io_uring_queue_init_params(entries, ring, &params);
	} while (ret == -EINVAL && wanted[i++]);
	if (ret < 0) {
		say_refused("made", ret);
		return ret;
	}
	ret = check_multishot_recv(ring);
	if (ret < 0) {
		if (ret == -EINVAL)
			fprintf(stderr, "This kernel has no multishot receive: it came with "
					"Linux 6.0.\n");
		else
			say_refused("asked", ret);
		io_uring_queue_exit(ring);
		return ret;
	}
	/* Where it fails, every enter looks the descriptor up instead. */
	io_uring_register_ring_fd(ring);
	return 0;
}

void net_ring_init_files(struct io_uring *ring, unsigned int nr)
{
	struct rlimit limit = { 0 };
	int ret = io_uring_register_files_sparse(ring, nr);

	if (ret == -EMFILE && getrlimit(RLIMIT_NOFILE, &limit) == 0)
		fprintf(stderr,
			"A file table of %u slots is more than RLIMIT_NOFILE (ulimit -n), which is "
			"%llu here.\nRaise the limit, or ask for fewer connections.\n",
			nr, (unsigned long long)limit.rlim_cur);
	if (ret < 0)
		net_fail("a file table", ret);
}

struct io_uring_sqe *net_ring_get_sqe(struct io_uring *ring)
{
	struct io_uring_sqe *sqe;
	int i, ret = 0;

	for (i = 0; i < MAX_RETRIES; i++) {
		sqe = io_uring_get_sqe(ring);
		if (sqe)
			return sqe;
		ret = io_uring_submit(ring);
		if (ret < 0 && ret != -EINTR && ret != -EAGAIN && ret != -EBUSY)
			break;
	}
	net_fail("no free SQE", ret);
}

int net_ring_cancel_all(struct io_uring *ring)
{
	struct io_uring_sync_cancel_reg reg = {
		.flags = IORING_ASYNC_CANCEL_ANY | IORING_ASYNC_CANCEL_ALL,
		.timeout = { .tv_sec = -1, .tv_nsec = -1 },
	};
	int ret;

	do {
		ret = io_uring_register_sync_cancel(ring, &reg);
		/* What is cancelled ends in task work, for which this makes an enter. */
		io_uring_get_events(ring);
	} while (ret > 0);
	return ret == -ENOENT ? 0 : ret;
}

int net_ring_signals(void)
{
	sigset_t set;
	int fd;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

void net_ring_fail(int err)
{
	explain_refused_enter(stderr, err);
	net_fail("waiting for completions", err);
}

void net_fail(const char *what, int err)
{
	fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, strerror(-err));
	exit(1);
}

void raise_nofile(unsigned int nr)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= nr)
		return;
	limit.rlim_cur = limit.rlim_max < nr ? limit.rlim_max : nr;
	setrlimit(RLIMIT_NOFILE, &limit);
}
