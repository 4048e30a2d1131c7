/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "op_run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NO_OPCODE 0xffff

/* What was seen of one opcode: successes, and each errno once. */
struct op_notes {
	unsigned nr_good;
	unsigned nr_errors;
	int errors[12];
};

static struct op_notes notes[256];

/* SQEs that were taken and not submitted, and the opcode of each tag in use. */
static struct io_uring_sqe *pending[OP_RING_ENTRIES];
static unsigned nr_pending;
static unsigned short tag_opcodes[OP_MAX_TAGS];
static __u64 last_tag;

static void write_notes(void)
{
	const char *path = getenv("OP_NOTES");
	FILE *file = path ? fopen(path, "ae") : NULL;
	unsigned opcode, i;

	if (!file)
		return;
	for (opcode = 0; opcode < 256; opcode++) {
		const struct op_notes *seen = &notes[opcode];

		if (seen->nr_good)
			fprintf(file, "%u %u\n", opcode, seen->nr_good);
		for (i = 0; i < seen->nr_errors; i++)
			fprintf(file, "%u %d\n", opcode, seen->errors[i]);
	}
	fclose(file);
}

void op_note(unsigned opcode, int res)
{
	struct op_notes *seen = &notes[opcode];
	static bool at_exit;
	unsigned i;

	if (!at_exit)
		atexit(write_notes);
	at_exit = true;

	/* For a timeout, that the time is up is no error. */
	if (res >= 0 || res == -ETIME) {
		seen->nr_good++;
		return;
	}
	for (i = 0; i < seen->nr_errors; i++) {
		if (seen->errors[i] == res)
			return;
	}
	if (i < sizeof(seen->errors) / sizeof(seen->errors[0]))
		seen->errors[seen->nr_errors++] = res;
}

static const char *result_name(int res, char *name, size_t name_sz)
{
	if (res < 0)
		snprintf(name, name_sz, "%d (%s)", res, strerror(-res));
	else
		snprintf(name, name_sz, "%d", res);
	return name;
}

void op_check_at(int got, int wanted, const char *file, int line)
{
	char got_name[128], wanted_name[128];

	if (got == wanted)
		return;
	print_error("result %s, wanted %s\n", result_name(got, got_name, sizeof(got_name)),
		    result_name(wanted, wanted_name, sizeof(wanted_name)));
	_fail(file, line);
}

void op_forget(void)
{
	unsigned i;

	nr_pending = 0;
	for (i = 0; i < OP_MAX_TAGS; i++)
		tag_opcodes[i] = NO_OPCODE;
}

int op_setup(void **state)
{
	struct io_uring *ring = calloc(1, sizeof(*ring));
	int ret;

	if (!ring || time_limit_start(state))
		return -1;
	op_forget();
	ret = io_uring_queue_init(OP_RING_ENTRIES, ring, 0);
	if (ret < 0) {
		print_error("io_uring_queue_init: %s\n", strerror(-ret));
		free(ring);
		return -1;
	}
	*state = ring;
	return 0;
}

int op_teardown(void **state)
{
	struct io_uring *ring = *state;

	io_uring_queue_exit(ring);
	free(ring);
	return time_limit_stop(state);
}

void op_track(struct io_uring_sqe *sqe, __u64 tag)
{
	assert_non_null(sqe);
	assert_in_range(tag, 0, OP_MAX_TAGS - 1);
	assert_true(nr_pending < OP_RING_ENTRIES);
	sqe->user_data = tag;
	pending[nr_pending++] = sqe;
	last_tag = tag;
}

struct io_uring_sqe *op_sqe(struct io_uring *ring, __u64 tag)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(ring);

	op_track(sqe, tag);
	return sqe;
}

void op_submit(struct io_uring *ring)
{
	unsigned i;

	for (i = 0; i < nr_pending; i++)
		tag_opcodes[pending[i]->user_data] = pending[i]->opcode;
	submit_ok(ring, nr_pending);
	nr_pending = 0;
}

struct op_result op_take_at(struct io_uring *ring, const char *file, int line)
{
	struct op_result result = { 0 };
	struct io_uring_cqe cqe;

	wait_one_at(ring, &cqe, file, line);
	result.tag = cqe.user_data;
	result.res = cqe.res;
	result.flags = cqe.flags;
	if (result.tag < OP_MAX_TAGS && tag_opcodes[result.tag] != NO_OPCODE &&
	    !(result.flags & IORING_CQE_F_NOTIF))
		op_note(tag_opcodes[result.tag], result.res);
	return result;
}

unsigned op_expect_at(struct io_uring *ring, __u64 tag, int res, int more, const char *file,
		      int line)
{
	struct op_result result = op_take_at(ring, file, line);

	if (result.tag != tag) {
		print_error("a CQE of tag %llu with result %d, wanted one of tag %llu\n",
			    (unsigned long long)result.tag, result.res, (unsigned long long)tag);
		_fail(file, line);
	}
	op_check_at(result.res, res, file, line);
	if (!(result.flags & IORING_CQE_F_MORE) != !more) {
		print_error("IORING_CQE_F_MORE is %s\n", more ? "missing" : "set");
		_fail(file, line);
	}
	return result.flags;
}

void op_collect_at(struct io_uring *ring, unsigned nr, struct op_result *results,
		   unsigned nr_results, const char *file, int line)
{
	bool seen[OP_MAX_TAGS] = { false };

	while (nr--) {
		struct op_result result = op_take_at(ring, file, line);

		if (result.tag >= nr_results || seen[result.tag]) {
			print_error("an unwanted CQE of tag %llu with result %d\n",
				    (unsigned long long)result.tag, result.res);
			_fail(file, line);
		}
		seen[result.tag] = true;
		results[result.tag] = result;
	}
}

int op_run_at(struct io_uring *ring, const char *file, int line)
{
	struct op_result result;
	__u64 tag = last_tag;

	op_submit(ring);
	result = op_take_at(ring, file, line);
	if (result.tag != tag) {
		print_error("a CQE of tag %llu with result %d, wanted one of tag %llu\n",
			    (unsigned long long)result.tag, result.res, (unsigned long long)tag);
		_fail(file, line);
	}
	return result.res;
}
