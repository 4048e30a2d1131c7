/* SPDX-License-Identifier: MIT */
/*
 * Step 0 - the loop to port: read(2) until it returns 0.
 */
#include <errno.h>
#include <unistd.h>

#include "../common/porting.h"

static int read_all(struct port_job *job, int fd)
{
	static unsigned char buf[PORT_BLOCK_SZ];
	ssize_t res;

	for (;;) {
		res = read(fd, buf, sizeof(buf));
		job->nr_calls++;
		if (res < 0 && errno == EINTR)
			continue;
		if (res <= 0)
			return res < 0 ? -errno : 0;
		port_add(job, buf, (size_t)res);
	}
}

int main(int argc, char **argv)
{
	struct port_job job;
	int fd = port_start(&job, argc, argv, 0);
	int ret = read_all(&job, fd);

	close(fd);
	return port_finish(&job, ret);
}
