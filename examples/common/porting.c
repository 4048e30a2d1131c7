/* SPDX-License-Identifier: MIT */
#include "porting.h"
#include "refusal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double seconds_of(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int port_start(struct port_job *job, int argc, char **argv, int flags)
{
	const char *slash = strrchr(argv[0], '/');
	int fd;

	memset(job, 0, sizeof(*job));
	job->name = slash ? slash + 1 : argv[0];
	job->checksum = 0xcbf29ce484222325ULL;
	if (argc != 2) {
		fprintf(stderr, "usage: %s FILE\n", job->name);
		exit(2);
	}
	fd = open(argv[1], O_RDONLY | O_CLOEXEC | flags);
	if (fd < 0) {
		fprintf(stderr, "%s: %s: %s\n", job->name, argv[1], strerror(errno));
		exit(1);
	}
	job->start = seconds_of(CLOCK_MONOTONIC);
	job->cpu_start = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
	return fd;
}

int port_start_file(struct port_job *job, int argc, char **argv)
{
	int fd = port_start(job, argc, argv, 0);

	if (lseek(fd, 0, SEEK_CUR) >= 0)
		return fd;
	fprintf(stderr, "%s has no offsets, and is read one block at a time.\n", argv[1]);
	exit(port_finish(job, port_pread(job, fd)));
}

/* FNV-1a over 64-bit words; the last one is filled up with zeros. */
static void add_word(struct port_job *job, const unsigned char *bytes)
{
	uint64_t word;

	memcpy(&word, bytes, sizeof(word));
	job->checksum = (job->checksum ^ word) * 0x100000001b3ULL;
}

void port_add(struct port_job *job, const void *bytes, size_t sz)
{
	const unsigned char *at = bytes;

	job->bytes += sz;
	while (sz > 0 && (job->word_sz > 0 || sz < sizeof(job->word))) {
		job->word[job->word_sz++] = *at++;
		sz--;
		if (job->word_sz == sizeof(job->word)) {
			add_word(job, job->word);
			job->word_sz = 0;
		}
	}
	for (; sz >= sizeof(job->word); sz -= sizeof(job->word), at += sizeof(job->word))
		add_word(job, at);
	memcpy(job->word, at, sz > 0 ? sz : 0);
	job->word_sz += (unsigned int)sz;
}

int port_finish(const struct port_job *job, int err)
{
	double seconds = seconds_of(CLOCK_MONOTONIC) - job->start;
	double cpu_seconds = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - job->cpu_start;
	/* One more than there are blocks: the read that finds the end. */
	uint64_t nr_reads = (job->bytes + PORT_BLOCK_SZ - 1) / PORT_BLOCK_SZ + 1;
	struct port_job last = *job;

	if (err < 0) {
		fprintf(stderr, "%s: after %llu bytes: %s\n", job->name,
			(unsigned long long)job->bytes, strerror(-err));
		explain_refused_enter(stderr, err);
		return 1;
	}
	if (last.word_sz > 0) {
		memset(last.word + last.word_sz, 0, sizeof(last.word) - last.word_sz);
		add_word(&last, last.word);
	}
	printf("step      %s\n", job->name);
	printf("bytes     %llu\n", (unsigned long long)job->bytes);
	printf("checksum  %016llx\n", (unsigned long long)last.checksum);
	printf("calls     %llu\n", (unsigned long long)job->nr_calls);
	printf("saved     %lld of %llu calls\n", (long long)(nr_reads - job->nr_calls),
	       (unsigned long long)nr_reads);
	printf("CPU       %.3f seconds\n", cpu_seconds);
	printf("MB/s      %.1f\n", (double)job->bytes / 1e6 / seconds);
	if (fflush(stdout) == 0)
		return 0;
	fprintf(stderr, "%s: standard output: %s\n", job->name, strerror(errno));
	return 1;
}

int port_open_ring(struct io_uring *ring, unsigned int entries, unsigned int flags)
{
	int ret = io_uring_queue_init(entries, ring, flags);

	if (ret == 0)
		return 0;
	if (!explain_refusal(stderr, ret, flags))
		fprintf(stderr, "The ring cannot be made: %s\n", strerror(-ret));
	fprintf(stderr, "Reading with pread instead.\n");
	return ret;
}

int port_pread(struct port_job *job, int fd)
{
	void *memory;
	bool has_offsets = lseek(fd, 0, SEEK_CUR) >= 0;
	off_t offset = 0;
	ssize_t res;

	if (posix_memalign(&memory, 4096, PORT_BLOCK_SZ) != 0)
		return -ENOMEM;
	for (;;) {
		res = has_offsets ? pread(fd, memory, PORT_BLOCK_SZ, offset) :
				    read(fd, memory, PORT_BLOCK_SZ);
		job->nr_calls++;
		if (res < 0 && errno == EINTR)
			continue;
		if (res <= 0)
			break;
		port_add(job, memory, (size_t)res);
		offset += res;
	}
	res = res < 0 ? -errno : 0;
	free(memory);
	return (int)res;
}
