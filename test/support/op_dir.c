/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "op_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[] = "/var/tmp/op_test.XXXXXX";
static int start_fd = -1;

static int remove_all(int dfd)
{
	DIR *dir = fdopendir(dfd);
	struct dirent *entry;

	if (!dir)
		return -1;
	while ((entry = readdir(dir))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		if (!unlinkat(dirfd(dir), entry->d_name, 0))
			continue;
		remove_all(openat(dirfd(dir), entry->d_name,
				  O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
		unlinkat(dirfd(dir), entry->d_name, AT_REMOVEDIR);
	}
	return closedir(dir);
}

int op_dir_setup(void **state)
{
	start_fd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (start_fd < 0 || !mkdtemp(path)) {
		print_error("%s: %s\n", path, strerror(errno));
		return -1;
	}
	umask(0);
	return chdir(path);
}

int op_dir_teardown(void **state)
{
	if (remove_all(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
		return -1;
	if (fchdir(start_fd) < 0)
		return -1;
	close(start_fd);
	return rmdir(path);
}

int op_dir_sub(const char *name)
{
	int fd;

	assert_int_equal(mkdir(name, 0700), 0);
	fd = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

void op_dir_file(int dfd, const char *name, const char *content)
{
	int fd = openat(dfd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, content, strlen(content)), strlen(content));
	close(fd);
}

int op_dir_has(int dfd, const char *name, mode_t type)
{
	struct stat st;

	return !fstatat(dfd, name, &st, AT_SYMLINK_NOFOLLOW) && (st.st_mode & S_IFMT) == type;
}

int op_dir_holds(int dfd, const char *name, const char *content)
{
	char bytes[256];
	ssize_t nr;
	int fd = openat(dfd, name, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return 0;
	nr = read(fd, bytes, sizeof(bytes));
	close(fd);
	return nr == (ssize_t)strlen(content) && !memcmp(bytes, content, (size_t)nr);
}
