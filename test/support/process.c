/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "coverage.h"
#include "process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static bool is_child;

void test_failed(const char *file, int line)
{
	if (is_child)
		child_failed(file, line, "what was said above");
	_fail(file, line);
	abort();
}

/* An assert that works in a child too. */
#define must(cond)                                                     \
	do {                                                           \
		if (!(cond)) {                                         \
			print_error("not so: %s\n", #cond);            \
			test_failed(__FILE__, __LINE__);               \
		}                                                      \
	} while (0)

int time_limit_start(void **state)
{
	alarm(TEST_SECONDS);
	return 0;
}

int time_limit_stop(void **state)
{
	alarm(0);
	return 0;
}

void sleep_ms(unsigned ms)
{
	struct timespec left = { ms / 1000, (long)(ms % 1000) * 1000000 };

	while (nanosleep(&left, &left) && errno == EINTR)
		;
}

unsigned long long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (unsigned long long)now.tv_sec * 1000 + (unsigned long long)now.tv_nsec / 1000000;
}

int timer_in_ms(unsigned ms)
{
	struct itimerspec when = { .it_value = { ms / 1000, (long)(ms % 1000) * 1000000 } };
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);

	must(fd >= 0);
	must(timerfd_settime(fd, 0, &when, NULL) == 0);
	return fd;
}

/* Every 8 bytes hold a mix of their own index, so that shifted data differs. */
static unsigned char pattern_byte(size_t off)
{
	uint64_t word = (off / 8 + 1) * 0x9e3779b97f4a7c15ULL;

	word ^= word >> 29;
	return (unsigned char)(word >> (off % 8 * 8));
}

void pattern_fill(void *buf, size_t sz, size_t off)
{
	unsigned char *bytes = buf;
	size_t i;

	for (i = 0; i < sz; i++)
		bytes[i] = pattern_byte(off + i);
}

bool pattern_same(const void *buf, size_t sz, size_t off)
{
	const unsigned char *bytes = buf;
	size_t i;

	for (i = 0; i < sz; i++)
		if (bytes[i] != pattern_byte(off + i))
			return false;
	return true;
}

bool all_bytes(const void *buf, size_t sz, unsigned char byte)
{
	const unsigned char *bytes = buf;
	size_t i;

	for (i = 0; i < sz; i++)
		if (bytes[i] != byte)
			return false;
	return true;
}

int temp_file(size_t sz)
{
	char path[] = "/var/tmp/ring_test.XXXXXX";
	char block[4096];
	size_t off, part;
	int fd = mkostemp(path, O_CLOEXEC);

	must(fd >= 0);
	unlink(path);
	for (off = 0; off < sz; off += part) {
		part = sz - off < sizeof(block) ? sz - off : sizeof(block);
		pattern_fill(block, part, off);
		must(pwrite(fd, block, part, (off_t)off) == (ssize_t)part);
	}
	return fd;
}

size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

void *page_alloc(size_t sz)
{
	void *mem = mmap(NULL, sz, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	must(mem != MAP_FAILED);
	return mem;
}

void page_free(void *mem, size_t sz)
{
	must(munmap(mem, sz) == 0);
}

static unsigned count_fds(void)
{
	char buf[4096] __attribute__((aligned(8)));
	int dir = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	unsigned nr = 0;
	ssize_t got_sz;
	ssize_t off;

	must(dir >= 0);
	while ((got_sz = getdents64(dir, buf, sizeof(buf))) > 0) {
		for (off = 0; off < got_sz; nr++)
			off += ((struct dirent64 *)(buf + off))->d_reclen;
	}
	close(dir);
	/* ".", ".." and the folder itself */
	return nr - 3;
}

static void count_mapping(struct holdings *now, const char *line)
{
	unsigned long long start, end;

	must(sscanf(line, "%llx-%llx", &start, &end) == 2);
	now->mapped_sz += (size_t)(end - start);
	now->nr_ring_maps += strstr(line, "[io_uring]") != NULL;
}

void holdings_take(struct holdings *now)
{
	char buf[4096];
	size_t held_sz = 0;
	ssize_t got_sz;
	char *line, *end;
	int fd;

	memset(now, 0, sizeof(*now));
	now->nr_fds = count_fds();
	fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	must(fd >= 0);
	while ((got_sz = read(fd, buf + held_sz, sizeof(buf) - 1 - held_sz)) > 0) {
		held_sz += (size_t)got_sz;
		buf[held_sz] = '\0';
		for (line = buf; (end = strchr(line, '\n')); line = end + 1) {
			*end = '\0';
			count_mapping(now, line);
		}
		held_sz = strlen(line);
		memmove(buf, line, held_sz);
	}
	close(fd);
}

void holdings_same_at(const struct holdings *before, const char *file, int line)
{
	struct holdings now;

	holdings_take(&now);
	if (now.nr_fds != before->nr_fds || now.nr_ring_maps != before->nr_ring_maps ||
	    now.mapped_sz != before->mapped_sz) {
		print_error("descriptors %u, were %u; ring mappings %u, were %u; "
			    "bytes mapped %zu, were %zu\n",
			    now.nr_fds, before->nr_fds, now.nr_ring_maps, before->nr_ring_maps,
			    now.mapped_sz, before->mapped_sz);
		test_failed(file, line);
	}
}

void child_failed(const char *file, int line, const char *what)
{
	dprintf(STDERR_FILENO, "%s:%d: in the child: not so: %s\n", file, line, what);
	_exit(1);
}

void child_compare(const char *file, int line, const char *what, long long got, long long wanted)
{
	if (got == wanted)
		return;
	dprintf(STDERR_FILENO, "%s:%d: in the child: %s is %lld, not %lld\n", file, line, what, got,
		wanted);
	_exit(1);
}

void in_child_at(int (*run)(void *arg), void *arg, const char *file, int line)
{
	int status;
	pid_t pid;

	fflush(stdout);
	fflush(stderr);
	pid = fork();
	must(pid >= 0);
	if (!pid) {
		is_child = true;
		alarm(TEST_SECONDS);
		status = run(arg);
		coverage_dump();
		_exit(status);
	}
	/* The child's time is up first. */
	if (alarm(0))
		alarm(TEST_SECONDS + 10);
	while (waitpid(pid, &status, 0) < 0)
		must(errno == EINTR);
	if (WIFEXITED(status) && WEXITSTATUS(status) == CHILD_SKIP)
		skip();
	if (WIFSIGNALED(status))
		print_error("the child was ended by signal %d\n", WTERMSIG(status));
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		_fail(file, line);
}
