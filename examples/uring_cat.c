/* SPDX-License-Identifier: MIT */
/*
 * uring_cat - cat on the reader: files, or the standard input, to the standard output.
 *
 *	uring_cat [--how] [FILE]...
 *
 * FILE - is the standard input, as is no FILE. --how tells on the standard error how
 * each was read.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#ifndef _FILE_OFFSET_BITS
#define _FILE_OFFSET_BITS 64
#endif
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uringx/reader.h>

static void print_how(const char *name, const struct uringx_reader *reader)
{
	static const char *const methods[] = { "read", "pread", "io_uring" };
	struct uringx_reader_info info;

	uringx_reader_get_info(reader, &info);
	fprintf(stderr, "uring_cat: %s: by %s, %llu reads, %llu system calls", name,
		methods[info.method], (unsigned long long)info.nr_reads,
		(unsigned long long)info.nr_calls);
	if (info.refusal)
		fprintf(stderr, "; there is no ring: %s", strerror(-info.refusal));
	fputc('\n', stderr);
}

/* Exits where nobody takes the output. */
static void write_all(const unsigned char *bytes, size_t sz)
{
	ssize_t written;

	while (sz > 0) {
		written = write(STDOUT_FILENO, bytes, sz);
		if (written < 0 && errno != EINTR) {
			fprintf(stderr, "uring_cat: write error: %s\n", strerror(errno));
			exit(1);
		}
		if (written > 0) {
			bytes += written;
			sz -= (size_t)written;
		}
	}
}

/* What is written would be read again, without an end. */
static bool is_own_output(int fd)
{
	struct stat in, out;

	if (fstat(fd, &in) < 0 || fstat(STDOUT_FILENO, &out) < 0 || !S_ISREG(out.st_mode) ||
	    in.st_dev != out.st_dev || in.st_ino != out.st_ino)
		return false;
	if (fcntl(STDOUT_FILENO, F_GETFL) & O_APPEND)
		return in.st_size > 0;
	return lseek(fd, 0, SEEK_CUR) < lseek(STDOUT_FILENO, 0, SEEK_CUR);
}

static int cat(const char *name, int fd, bool how)
{
	struct uringx_reader *reader;
	const void *block;
	ssize_t sz;
	int ret;

	if (is_own_output(fd)) {
		fprintf(stderr, "uring_cat: %s: input file is output file\n", name);
		return -1;
	}
	ret = uringx_reader_open(&reader, fd, NULL);
	if (ret < 0) {
		fprintf(stderr, "uring_cat: %s: %s\n", name, strerror(-ret));
		return -1;
	}
	while ((sz = uringx_reader_next(reader, &block)) != 0) {
		if (sz > 0)
			write_all(block, (size_t)sz);
		else if (sz != -EINTR)
			break;
	}
	if (sz < 0)
		fprintf(stderr, "uring_cat: %s: %s\n", name, strerror((int)-sz));
	if (how)
		print_how(name, reader);
	uringx_reader_close(reader);
	return sz < 0 ? -1 : 0;
}

static int cat_file(const char *name, bool how)
{
	int fd, ret;

	if (strcmp(name, "-") == 0)
		return cat(name, STDIN_FILENO, how);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		fprintf(stderr, "uring_cat: %s: %s\n", name, strerror(errno));
		return -1;
	}
	ret = cat(name, fd, how);
	close(fd);
	return ret;
}

int main(int argc, char **argv)
{
	bool how = false;
	int status = 0;
	int i = 1;

	if (i < argc && strcmp(argv[i], "--how") == 0) {
		how = true;
		i++;
	}
	if (i < argc && strcmp(argv[i], "--") == 0) {
		i++;
	} else if (i < argc && argv[i][0] == '-' && argv[i][1]) {
		bool help = strcmp(argv[i], "--help") == 0;

		fprintf(help ? stdout : stderr, "usage: uring_cat [--how] [FILE]...\n");
		return help ? 0 : 1;
	}
	if (i == argc)
		return cat("-", STDIN_FILENO, how) < 0;
	for (; i < argc; i++) {
		if (cat_file(argv[i], how) < 0)
			status = 1;
	}
	return status;
}
