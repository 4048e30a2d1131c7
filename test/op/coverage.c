/* SPDX-License-Identifier: MIT */
/*
 * Every opcode that the kernel has is exercised by the test that is named here: it
 * was issued, and the result of its CQE was checked. The tests are run once more,
 * and what they note of their requests is counted.
 */
#include "test.h"

#include "op_run.h"
#include "program.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* An opcode and the program in this folder that exercises it. */
struct op_test {
	const char *name;
	const char *program;
};

/* A new opcode does not compile until it is in this switch. */
#pragma GCC diagnostic error "-Wswitch"

#define OP(op, test)              \
	case IORING_OP_##op:      \
		found.name = #op; \
		found.program = test; \
		break

static struct op_test test_of(enum io_uring_op op)
{
	struct op_test found = { NULL, NULL };

	switch (op) {
	OP(NOP, "ring");
	OP(READV, "rw");
	OP(WRITEV, "rw");
	OP(FSYNC, "file");
	OP(READ_FIXED, "rw_fixed");
	OP(WRITE_FIXED, "rw_fixed");
	OP(POLL_ADD, "event_poll");
	OP(POLL_REMOVE, "event_poll");
	OP(SYNC_FILE_RANGE, "file");
	OP(SENDMSG, "net_data");
	OP(RECVMSG, "net_data");
	OP(TIMEOUT, "time");
	OP(TIMEOUT_REMOVE, "time");
	OP(ACCEPT, "net");
	OP(ASYNC_CANCEL, "time_cancel");
	OP(LINK_TIMEOUT, "time");
	OP(CONNECT, "net");
	OP(FALLOCATE, "file");
	OP(OPENAT, "file_open");
	OP(CLOSE, "file_open");
	OP(FILES_UPDATE, "ring");
	OP(STATX, "file");
	OP(READ, "rw");
	OP(WRITE, "rw");
	OP(FADVISE, "file_advice");
	OP(MADVISE, "file_advice");
	OP(SEND, "net_data");
	OP(RECV, "net_data");
	OP(OPENAT2, "file_open");
	OP(EPOLL_CTL, "event_poll");
	OP(SPLICE, "rw_pipe");
	OP(PROVIDE_BUFFERS, "ring");
	OP(REMOVE_BUFFERS, "ring");
	OP(TEE, "rw_pipe");
	OP(SHUTDOWN, "net");
	OP(RENAMEAT, "path");
	OP(UNLINKAT, "path");
	OP(MKDIRAT, "path");
	OP(SYMLINKAT, "path");
	OP(LINKAT, "path");
	OP(MSG_RING, "ring_msg");
	OP(FSETXATTR, "path_xattr");
	OP(SETXATTR, "path_xattr");
	OP(FGETXATTR, "path_xattr");
	OP(GETXATTR, "path_xattr");
	OP(SOCKET, "net");
	OP(URING_CMD, "cmd");
	OP(SEND_ZC, "net_zc");
	OP(SENDMSG_ZC, "net_zc");
	OP(READ_MULTISHOT, "rw_pipe");
	OP(WAITID, "event_wait");
	OP(FUTEX_WAIT, "event_wait");
	OP(FUTEX_WAKE, "event_wait");
	OP(FUTEX_WAITV, "event_wait");
	OP(FIXED_FD_INSTALL, "file_fd");
	OP(FTRUNCATE, "file");
	OP(BIND, "net");
	OP(LISTEN, "net");
	OP(RECV_ZC, "net_zc");
	OP(EPOLL_WAIT, "event_poll");
	OP(READV_FIXED, "rw_fixed");
	OP(WRITEV_FIXED, "rw_fixed");
	OP(PIPE, "file_fd");
	OP(NOP128, "ring");
	OP(URING_CMD128, "cmd");
	case IORING_OP_LAST:
		break;
	}
	return found;
}

/* What a program noted of an opcode: how many good results, and which errors. */
struct op_seen {
	unsigned nr_good;
	char errors[200];
};

static struct op_seen seen[IORING_OP_LAST];

static const char *errno_name(int err, char *number, size_t number_sz)
{
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 32)
	const char *name = strerrorname_np(err);

	if (name)
		return name;
#endif
	snprintf(number, number_sz, "errno %d", err);
	return number;
}

/* Keep the notes about the opcodes that are this program's. */
static void read_notes(const char *path, const char *program)
{
	FILE *file = fopen(path, "re");
	char number[32];
	unsigned op;
	int note;

	assert_non_null(file);
	while (fscanf(file, "%u %d", &op, &note) == 2) {
		if (op >= IORING_OP_LAST || strcmp(test_of(op).program, program) != 0)
			continue;
		if (note > 0) {
			seen[op].nr_good += (unsigned)note;
			continue;
		}
		snprintf(seen[op].errors + strlen(seen[op].errors),
			 sizeof(seen[op].errors) - strlen(seen[op].errors), " %s",
			 errno_name(-note, number, sizeof(number)));
	}
	fclose(file);
}

static void run_program(const char *program)
{
	char notes[] = "/tmp/op_notes.XXXXXX";
	char self[PATH_MAX] = "", path[2 * PATH_MAX];
	const char *args[] = { path, NULL };
	static struct program_outcome outcome;
	int fd = mkstemp(notes);

	assert_true(fd >= 0);
	close(fd);
	assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	snprintf(path, sizeof(path), "%s/%s", dirname(self), program);
	assert_int_equal(setenv("OP_NOTES", notes, 1), 0);
	program_run(&outcome, args, 0);
	read_notes(notes, program);
	unlink(notes);
	if (outcome.status)
		fail_msg("%s: status %d", path, outcome.status);
}

static void run_programs(void)
{
	unsigned op, before;

	for (op = 0; op < IORING_OP_LAST; op++) {
		for (before = 0; before < op; before++) {
			if (!strcmp(test_of(before).program, test_of(op).program))
				break;
		}
		if (before == op)
			run_program(test_of(op).program);
	}
}

static void print_seen(unsigned op)
{
	const struct op_test test = test_of(op);

	printf("summary: %-17s %-12s", test.name, test.program);
	if (seen[op].nr_good)
		printf(" %u good%s%s\n", seen[op].nr_good, seen[op].errors[0] ? "," : "",
		       seen[op].errors);
	else if (seen[op].errors[0])
		printf(" the kernel refuses it:%s\n", seen[op].errors);
	else
		printf(" NOT EXERCISED\n");
}

static void test_all(void **state)
{
	struct io_uring_probe *probe = io_uring_get_probe();
	unsigned op, nr_supported = 0, nr_exercised = 0;

	assert_non_null(probe);
	run_programs();
	for (op = 0; op < IORING_OP_LAST; op++) {
		if (!io_uring_opcode_supported(probe, (int)op)) {
			printf("summary: %-17s this kernel's probe says that it has none\n",
			       test_of(op).name);
			continue;
		}
		print_seen(op);
		nr_supported++;
		nr_exercised += seen[op].nr_good || seen[op].errors[0];
	}
	for (; op <= probe->last_op; op++)
		printf("summary: opcode %u: newer than this library\n", op);
	printf("summary: opcodes: %u of %u exercised\n", nr_exercised, nr_supported);
	fflush(stdout);
	io_uring_free_probe(probe);
	assert_int_equal(nr_exercised, nr_supported);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
