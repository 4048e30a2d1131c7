/* SPDX-License-Identifier: MIT */
/*
 * Walks: from set-up to the last CQE, and how a failing one is made short.
 */
#include "model_private.h"

#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct model model;

static const char *const kind_names[MODEL_NR_KINDS] = {
	"plain",      "SQE128", "CQE32",      "CQE_MIXED", "SQE_MIXED",
	"both mixed", "SQPOLL", "no EXT_ARG", "SQ_REWIND",
};

const char *model_kind_name(unsigned kind)
{
	return kind_names[kind % MODEL_NR_KINDS];
}

void model_fail(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(model.why, sizeof(((struct model_result *)0)->why), format, ap);
	va_end(ap);
	siglongjmp(model.end, 1);
}

/* A walk that crashes has failed, too. */
static void on_crash(int sig)
{
	model_fail("signal %d", sig);
}

#ifdef LIBURING_DEBUG
/* What a debug build calls a mistake ends the walk; a walk may do what it warns of. */
static void on_debug_report(const char *function, const char *message, int is_fatal)
{
	if (is_fatal)
		model_fail("%s: %s", function, message);
}
#endif

static const int crash_sigs[] = { SIGSEGV, SIGBUS, SIGABRT, SIGFPE };
#define NR_CRASH_SIGS (sizeof(crash_sigs) / sizeof(crash_sigs[0]))

static void catch_crashes(struct sigaction *before)
{
	struct sigaction act = { .sa_flags = SA_NODEFER };
	unsigned i;

	act.sa_handler = on_crash;
	for (i = 0; i < NR_CRASH_SIGS; i++)
		sigaction(crash_sigs[i], &act, &before[i]);
}

static void catch_no_more(const struct sigaction *before)
{
	unsigned i;

	for (i = 0; i < NR_CRASH_SIGS; i++)
		sigaction(crash_sigs[i], &before[i], NULL);
}

static unsigned setup_flags(struct model *m, const struct model_config *config)
{
	unsigned flags = 0;

	m->is_sqe128 = m->kind == MODEL_SQE128;
	m->is_cqe32 = m->kind == MODEL_CQE32;
	m->cqe_mixed = m->kind == MODEL_CQE_MIXED || m->kind == MODEL_BOTH_MIXED;
	m->sqe_mixed = m->kind == MODEL_SQE_MIXED || m->kind == MODEL_BOTH_MIXED;
	m->sqpoll = m->kind == MODEL_SQPOLL;
	m->old = m->kind == MODEL_NO_EXT_ARG;
	m->rewind = m->kind == MODEL_SQ_REWIND;
	m->deferred = !m->sqpoll && !m->old && (config->options & 1);
	flags |= m->is_sqe128 ? IORING_SETUP_SQE128 : 0;
	flags |= m->is_cqe32 ? IORING_SETUP_CQE32 : 0;
	flags |= m->cqe_mixed ? IORING_SETUP_CQE_MIXED : 0;
	flags |= m->sqe_mixed ? IORING_SETUP_SQE_MIXED : 0;
	flags |= m->sqpoll ? IORING_SETUP_SQPOLL : 0;
	flags |= m->rewind ? IORING_SETUP_SQ_REWIND | IORING_SETUP_NO_SQARRAY : 0;
	if (m->deferred)
		flags |= IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_SINGLE_ISSUER |
			 IORING_SETUP_TASKRUN_FLAG;
	return flags;
}

static void set_up(struct model *m, const struct model_config *config)
{
	unsigned sq_entries = 1U << config->sizes % 5;
	struct io_uring_params p = { .flags = IORING_SETUP_CQSIZE };
	int ret;

	fake_boot();
	memset(m, 0, offsetof(struct model, sq));
	m->sq_first = m->nr_sq = m->cq_first = m->nr_cq = m->cq_slots = m->nr_in_flight = 0;
	m->nr_done = 0;
	m->kind = config->kind % MODEL_NR_KINDS;
	m->next_id = 1;
	p.flags |= setup_flags(m, config);
	p.cq_entries = sq_entries << (config->sizes / 8) % 4;
	if (m->cqe_mixed && p.cq_entries < 4)
		p.cq_entries = 4;

	if (m->old)
		fake.features &= IORING_FEAT_EXT_ARG - 1;
	if ((config->options & 2) && !m->rewind)
		fake.setup_flags &= ~IORING_SETUP_NO_SQARRAY;
	if (config->options & 4)
		fake.layout = FAKE_LAYOUT_320;
	fake.start_idx = 0U - config->start % 64;
	model_kernel_hooks();
	ret = io_uring_queue_init_params(sq_entries, &m->ring, &p);
	model_check(!ret, "the set-up: %d", ret);
	m->kernel = fake.ring;
	m->sq_entries = p.sq_entries;
	m->cq_entries = p.cq_entries;
	m->sq_head = m->published = m->rewind ? 0 : fake.start_idx;
	m->cq_head = fake.start_idx;
}

/* All that was taken is submitted, all that was submitted completes, all of it is seen. */
static void drain(struct model *m)
{
	struct model_op op = { 0 };
	unsigned i;

	m->op = &op;
	for (i = 0; i < 4 * MODEL_MAX_IN_FLIGHT; i++) {
		model_begin_call(m);
		if (m->nr_in_flight)
			fake_complete(m->kernel, m->in_flight[--m->nr_in_flight], 0);
		op.a = 0;
		if (m->nr_sq && i % 4 == 0)
			model_submit(m);
		op.a = 2;
		model_seen(m);
		if (m->sqpoll && !(*m->kernel->sq_flags & IORING_SQ_NEED_WAKEUP)) {
			model_begin_call(m);
			fake_sq_thread_run(m->kernel, FAKE_ALL);
		}
		if (!m->nr_sq && !m->nr_in_flight && !m->nr_cq && !m->kernel->overflow.nr &&
		    !m->kernel->task_work.nr)
			break;
	}
	model_check(!m->nr_sq && !m->nr_in_flight && !m->nr_cq && !m->kernel->overflow.nr,
		    "left at the end: %u SQEs, %u CQEs, %u held back", m->nr_sq, m->nr_cq,
		    m->kernel->overflow.nr);
	io_uring_queue_exit(&m->ring);
	model_check(!fake_check(), "something is left after the exit");
}

bool model_run(const struct model_config *config, const struct model_op *ops, unsigned nr,
	       struct model_result *result)
{
	struct model *m = &model;
	struct sigaction before[NR_CRASH_SIGS];
	static volatile unsigned at;

	memset(result, 0, sizeof(*result));
	model.why = result->why;
	at = 0;
	catch_crashes(before);
	if (sigsetjmp(model.end, 1)) {
		result->failed = true;
		result->failed_at = at;
	} else {
#ifdef LIBURING_DEBUG
		liburing_debug_report(on_debug_report);
#endif
		set_up(m, config);
		for (at = 0; at < nr; at++)
			m->nr_done += model_do_op(m, &ops[at]);
		drain(m);
	}
	catch_no_more(before);
	result->nr_done = m->nr_done;
	return !result->failed;
}

/* What a failing walk says over and over is heard once, at the end. */
static int be_quiet(void)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	int saved = dup(STDERR_FILENO);

	if (null >= 0) {
		dup2(null, STDERR_FILENO);
		close(null);
	}
	return saved;
}

static void be_heard(int saved)
{
	if (saved >= 0) {
		dup2(saved, STDERR_FILENO);
		close(saved);
	}
}

unsigned model_shrink(const struct model_config *config, struct model_op *ops, unsigned nr,
		      struct model_result *result)
{
	struct model_op *tried = malloc((nr + 1) * sizeof(*tried));
	unsigned chunk, from, len;
	struct model_result now;
	int saved = be_quiet();

	if (result->failed_at < nr)
		nr = result->failed_at + 1;
	for (chunk = nr; tried && chunk; chunk = chunk > 1 ? (chunk + 1) / 2 : 0) {
		for (from = 0; from < nr;) {
			len = chunk < nr - from ? chunk : nr - from;
			memcpy(tried, ops, from * sizeof(*ops));
			memcpy(tried + from, ops + from + len, (nr - from - len) * sizeof(*ops));
			if (model_run(config, tried, nr - len, &now)) {
				from += len;
				continue;
			}
			*result = now;
			nr -= len;
			if (now.failed_at < nr)
				nr = now.failed_at + 1;
			memcpy(ops, tried, nr * sizeof(*ops));
			/* What could not be spared before may be now. */
			if (chunk == 1)
				from = 0;
		}
	}
	be_heard(saved);
	free(tried);
	return nr;
}

void model_print(const struct model_config *config, const struct model_op *ops, unsigned nr,
		 const struct model_result *result)
{
	unsigned i;

	fprintf(stderr, "%s ring, sizes %#x, options %#x, start at -%u: fails at %u of %u: %s\n",
		model_kind_name(config->kind), config->sizes, config->options, config->start % 64U,
		result->failed_at, nr, result->why);
	for (i = 0; i < nr; i++)
		fprintf(stderr,
			"%4u  %-16s  %02x %02x %02x %02x  submit %02x  then %02x  wait %02x"
			"  seed %02x\n",
			i, model_op_name(ops[i].code), ops[i].code, ops[i].a, ops[i].b, ops[i].c,
			ops[i].submit, ops[i].then, ops[i].wait, ops[i].seed);
}
