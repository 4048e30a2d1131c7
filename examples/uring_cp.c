/* SPDX-License-Identifier: MIT */
/*
 * uring_cp - copy files, with reads and writes in flight.
 *
 *	uring_cp [OPTION]... SOURCE DEST
 *	uring_cp [OPTION]... SOURCE... DIRECTORY
 *
 * Exit status and what is left behind are those of cp: an error concerns one file,
 * the others are copied, and the status is 1. Regular files are copied by
 * examples/common/cp_engine.c, all else by reading one block after the other.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#ifndef _FILE_OFFSET_BITS
#define _FILE_OFFSET_BITS 64
#endif
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uringx/reader.h>

#include "common/cp_engine.h"
#include "common/cp_progress.h"
#include "common/cp_verify.h"
#include "common/refusal.h"

#define DEFAULT_BLOCK_SZ (256 * 1024)
#define DEFAULT_DEPTH 16
#define MAX_BLOCK_SZ (64 * 1024 * 1024)
#define MAX_DEPTH 1024
#define MAX_MEMORY_SZ (1UL << 30)
#define BLOCK_UNIT 4096

static struct {
	bool direct;
	bool verify;
	unsigned int depth;
	unsigned int block_sz;
} options = { false, false, DEFAULT_DEPTH, DEFAULT_BLOCK_SZ };

static struct cp_engine *engine; /* NULL: io_uring is refused */
static volatile sig_atomic_t stop_signal;

__attribute__((format(printf, 1, 2))) static int complain(const char *format, ...)
{
	va_list args;

	cp_progress_end();
	fprintf(stderr, "uring_cp: ");
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return -1;
}

static int write_all(int fd, const unsigned char *bytes, size_t sz)
{
	ssize_t written;

	while (sz > 0) {
		written = write(fd, bytes, sz);
		if (written < 0 && (errno != EINTR || stop_signal))
			return -errno;
		if (written > 0) {
			bytes += written;
			sz -= (size_t)written;
		}
	}
	return 0;
}

static bool is_zero(const unsigned char *bytes, size_t sz)
{
	return sz > 0 && bytes[0] == 0 && memcmp(bytes, bytes + 1, sz - 1) == 0;
}

/*
 * Copies one block after the other; *writing tells what has failed. Zeros become
 * holes where that is wanted.
 */
static int copy_stream(int src_fd, int dst_fd, bool make_holes, bool *writing)
{
	struct uringx_reader *reader;
	const void *block;
	ssize_t sz;
	int ret;

	ret = uringx_reader_open(&reader, src_fd, NULL);
	if (ret < 0)
		return ret;
	do {
		*writing = false;
		sz = uringx_reader_next(reader, &block);
		if (sz > 0) {
			*writing = true;
			if (!make_holes || !is_zero(block, (size_t)sz))
				ret = write_all(dst_fd, block, (size_t)sz);
			else if (lseek(dst_fd, sz, SEEK_CUR) < 0)
				ret = -errno;
		} else if (sz != -EINTR) {
			ret = (int)sz;
		}
	} while (sz != 0 && ret == 0 && !stop_signal);
	uringx_reader_close(reader);
	if (make_holes && ftruncate(dst_fd, lseek(dst_fd, 0, SEEK_CUR)) < 0 && ret == 0)
		ret = -errno;
	return stop_signal ? -EINTR : ret;
}

static void show_progress(const struct cp_files *files)
{
	cp_progress_show(files->nr_done);
}

static int open_direct(int fd, int access)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return open(path, access | O_DIRECT | O_CLOEXEC);
}

static int copy_regular(int src_fd, int dst_fd, bool *writing)
{
	struct cp_files files = { src_fd, dst_fd, -1, -1, 0, false };
	int ret;

	if (options.direct) {
		files.src_direct_fd = open_direct(src_fd, O_RDONLY);
		files.dst_direct_fd = open_direct(dst_fd, O_WRONLY);
	}
	ret = cp_engine_copy(engine, &files);
	if (files.src_direct_fd >= 0)
		close(files.src_direct_fd);
	if (files.dst_direct_fd >= 0)
		close(files.dst_direct_fd);
	*writing = files.writing;
	return ret;
}

/* Reads both again, the copy from its disk. */
static int verify(const char *src, const char *dst, int src_fd, int dst_fd)
{
	struct uringx_reader_options how = {
		.flags = URINGX_READER_START | (options.direct ? URINGX_READER_DIRECT : 0),
		.block_sz = options.block_sz,
		.depth = options.depth,
	};
	int64_t where;

	if (fsync(dst_fd) < 0)
		return complain("cannot sync '%s': %s", dst, strerror(errno));
	posix_fadvise(dst_fd, 0, 0, POSIX_FADV_DONTNEED);
	where = cp_find_difference(src_fd, dst_fd, &how);
	if (where >= 0)
		return complain("'%s' differs from '%s' at byte %lld", dst, src, (long long)where);
	if (where < -1)
		return complain("cannot verify '%s': %s", dst, strerror((int)-(where + 1)));
	return 0;
}

static int copy_open_files(const char *src, const char *dst, int src_fd, int dst_fd,
			   const struct stat *src_st, const struct stat *dst_st)
{
	bool regular = S_ISREG(src_st->st_mode) && S_ISREG(dst_st->st_mode);
	bool writing = false;
	int ret;

	cp_progress_start("copying", src, regular ? (uint64_t)src_st->st_size : 0);
	if (engine && regular && src_st->st_size > 0)
		ret = copy_regular(src_fd, dst_fd, &writing);
	else
		ret = copy_stream(src_fd, dst_fd,
				  regular && (uint64_t)src_st->st_blocks * 512 <
						     (uint64_t)src_st->st_size,
				  &writing);
	cp_progress_end();
	if (stop_signal)
		return -1;
	if (ret < 0)
		return complain("error %s '%s': %s", writing ? "writing" : "reading",
				writing ? dst : src, strerror(-ret));
	if (!options.verify || !regular)
		return 0;
	cp_progress_start("verifying", dst, (uint64_t)src_st->st_size);
	ret = verify(src, dst, src_fd, dst_fd);
	cp_progress_end();
	return ret;
}

/* The files that were made, so that no later one of the same name is put over them. */
static struct made_file {
	dev_t dev;
	ino_t ino;
} * made;
static size_t nr_made;

static bool was_made(const struct stat *st)
{
	size_t i;

	for (i = 0; i < nr_made; i++) {
		if (made[i].dev == st->st_dev && made[i].ino == st->st_ino)
			return true;
	}
	return false;
}

static void note_made(int fd)
{
	struct made_file *more = realloc(made, (nr_made + 1) * sizeof(*made));
	struct stat st;

	if (more)
		made = more;
	if (more && fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		made[nr_made++] = (struct made_file){ st.st_dev, st.st_ino };
}

/* A new file gets the mode of the source, one that is there keeps its own. */
static int copy_file(const char *src, const char *dst)
{
	int src_fd = -1, dst_fd = -1, ret = -1, err;
	struct stat src_st, dst_st;

	if (stat(src, &src_st) < 0)
		return complain("cannot stat '%s': %s", src, strerror(errno));
	if (S_ISDIR(src_st.st_mode))
		return complain("-r not specified; omitting directory '%s'", src);
	err = stat(dst, &dst_st) < 0 ? errno : 0;
	if (!err && src_st.st_dev == dst_st.st_dev && src_st.st_ino == dst_st.st_ino)
		return complain("'%s' and '%s' are the same file", src, dst);
	if (!err && was_made(&dst_st))
		return complain("will not overwrite just-created '%s' with '%s'", dst, src);
	if (err == ENOENT && lstat(dst, &dst_st) == 0)
		return complain("not writing through dangling symlink '%s'", dst);
	src_fd = open(src, O_RDONLY | O_CLOEXEC);
	if (src_fd < 0)
		return complain("cannot open '%s' for reading: %s", src, strerror(errno));
	dst_fd = open(dst, (options.verify ? O_RDWR : O_WRONLY) | O_CREAT | O_TRUNC | O_CLOEXEC,
		      src_st.st_mode & 0777);
	/* Of a name with a slash at its end, open says EISDIR also where there is nothing. */
	if (dst_fd < 0)
		complain("cannot create regular file '%s': %s", dst,
			 strerror(err && errno == EISDIR ? ENOTDIR : errno));
	else if (fstat(src_fd, &src_st) < 0 || fstat(dst_fd, &dst_st) < 0)
		complain("cannot stat '%s': %s", src, strerror(errno));
	else
		ret = copy_open_files(src, dst, src_fd, dst_fd, &src_st, &dst_st);
	if (dst_fd >= 0)
		note_made(dst_fd);
	/* Some file systems say only now that there was no room. */
	if (dst_fd >= 0 && close(dst_fd) < 0)
		ret = complain("failed to close '%s': %s", dst, strerror(errno));
	close(src_fd);
	return ret;
}

static int copy_into_folder(const char *src, const char *folder)
{
	char name[PATH_MAX], path[PATH_MAX];

	if (strlen(src) >= sizeof(name))
		return complain("cannot stat '%s': %s", src, strerror(ENAMETOOLONG));
	strcpy(name, src);
	if (snprintf(path, sizeof(path), "%s/%s", folder, basename(name)) >= (int)sizeof(path))
		return complain("'%s/...': %s", folder, strerror(ENAMETOOLONG));
	return copy_file(src, path);
}

static void on_signal(int number)
{
	stop_signal = number;
}

/* A signal ends the copy, and then the program, unless whoever started it ignores it. */
static void catch_signal(int number)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND };
	struct sigaction old;

	if (sigaction(number, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
		sigaction(number, &action, NULL);
}

static void print_usage(FILE *out)
{
	fprintf(out,
		"usage: uring_cp [OPTION]... SOURCE DEST\n"
		"       uring_cp [OPTION]... SOURCE... DIRECTORY\n"
		"  -d, --direct        past the page cache, where the file systems can\n"
		"  -V, --verify        read both again, and compare them\n"
		"  -p, --progress      show how far it is, at once and wherever that goes\n"
		"  -n, --depth N       blocks in flight, 1 to %d (%d)\n"
		"  -b, --block-size N  bytes of a block, a multiple of %d (%d)\n"
		"  -h, --help          print this\n"
		"On a terminal, a copy that takes longer shows it without being asked.\n",
		MAX_DEPTH, DEFAULT_DEPTH, BLOCK_UNIT, DEFAULT_BLOCK_SZ);
}

static unsigned int parse_number(const char *name, const char *text, unsigned int max,
				 unsigned int unit)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (end == text || *end || value < unit || value > max || value % unit != 0) {
		complain("%s: %s is no multiple of %u up to %u", name, text, unit, max);
		exit(1);
	}
	return (unsigned int)value;
}

static void parse_options(int argc, char **argv)
{
	static const struct option names[] = {
		{ "direct", no_argument, NULL, 'd' },
		{ "verify", no_argument, NULL, 'V' },
		{ "progress", no_argument, NULL, 'p' },
		{ "depth", required_argument, NULL, 'n' },
		{ "block-size", required_argument, NULL, 'b' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int opt;

	while ((opt = getopt_long(argc, argv, "dVpn:b:h", names, NULL)) != -1) {
		switch (opt) {
		case 'd':
			options.direct = true;
			break;
		case 'V':
			options.verify = true;
			break;
		case 'p':
			cp_progress_always();
			break;
		case 'n':
			options.depth = parse_number("--depth", optarg, MAX_DEPTH, 1);
			break;
		case 'b':
			options.block_sz =
				parse_number("--block-size", optarg, MAX_BLOCK_SZ, BLOCK_UNIT);
			break;
		case 'h':
			print_usage(stdout);
			exit(0);
		default:
			print_usage(stderr);
			exit(1);
		}
	}
	if ((size_t)options.depth * options.block_sz > MAX_MEMORY_SZ) {
		complain("--depth times --block-size is above %lu", MAX_MEMORY_SZ);
		exit(1);
	}
	if (argc - optind < 2) {
		if (argc == optind)
			complain("missing file operand");
		else
			complain("missing destination file operand after '%s'", argv[optind]);
		print_usage(stderr);
		exit(1);
	}
}

static int copy_all(char **sources, int nr_sources, const char *target)
{
	struct stat st;
	int err = stat(target, &st) < 0 ? errno : S_ISDIR(st.st_mode) ? 0 : ENOTDIR;
	bool into_folder = err == 0;
	int status = 0;
	int i;

	if (nr_sources > 1 && !into_folder) {
		complain("target '%s': %s", target, strerror(err));
		return 1;
	}
	for (i = 0; i < nr_sources && !stop_signal; i++) {
		if ((into_folder ? copy_into_folder(sources[i], target) :
				   copy_file(sources[i], target)) < 0)
			status = 1;
	}
	return status;
}

int main(int argc, char **argv)
{
	int status, ret;

	parse_options(argc, argv);
	catch_signal(SIGINT);
	catch_signal(SIGTERM);
	ret = cp_engine_open(&engine, options.depth, options.block_sz, &stop_signal);
	if (ret == 0) {
		cp_engine_on_turn(engine, show_progress);
	} else {
		engine = NULL;
		if (!explain_refusal(stderr, ret, 0))
			complain("the ring cannot be made: %s", strerror(-ret));
	}
	status = copy_all(argv + optind, argc - optind - 1, argv[argc - 1]);
	cp_engine_close(engine);
	if (stop_signal)
		raise(stop_signal);
	return status;
}
