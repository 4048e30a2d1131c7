/* SPDX-License-Identifier: MIT */
/*
 * echo_server stalled all peers when one that sends and does not read had taken the
 * buffers of the pool; and of busy peers with too few buffers some got nothing.
 */
#include "test.h"

#include "echo_server.h"
#include "process.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#define NR_LAZY 3
#define NR_BUSY 6

static const char *const small_pools[][5] = {
	{ "-l", "256", "-n", "8", NULL },
	{ "-l", "4096", "-n", "8", NULL },
	{ "-l", "256", "-b", "1", NULL },
};

static char bytes[16 << 20];

static void test_served_beside_peers_that_do_not_read(void **state)
{
	struct echo_server server;
	size_t i, j, sent[NR_LAZY];
	int lazy[NR_LAZY], nr, k;

	for (nr = 0; nr < NR_ECHO_MODES * (int)ARRAY_LEN(small_pools); nr++) {
		i = (size_t)nr % NR_ECHO_MODES;
		j = (size_t)nr / NR_ECHO_MODES;
		echo_server_start(&server, "0", echo_modes[i], small_pools[j]);
		for (k = 0; k < NR_LAZY; k++) {
			lazy[k] = echo_connect(&server);
			sent[k] = echo_stuff(lazy[k], bytes, sizeof(bytes));
		}
		for (k = 0; k < 5; k++)
			echo_expect(&server);
		for (k = 0; k < NR_LAZY; k++) {
			echo_expect_bytes(lazy[k], bytes, sent[k]);
			close(lazy[k]);
		}
		echo_server_stop(&server);
	}
}

/* Sends what fits and reads what is there; returns how much more was read. */
static size_t keep_busy(int fd, size_t *sent, size_t got)
{
	static char buf[65536];
	ssize_t ret = send(fd, bytes + *sent, sizeof(bytes) - *sent, MSG_DONTWAIT);

	*sent += ret > 0 ? (size_t)ret : 0;
	ret = recv(fd, buf, sizeof(buf), MSG_DONTWAIT);
	if (ret <= 0)
		return 0;
	assert_memory_equal(buf, bytes + got, (size_t)ret);
	return (size_t)ret;
}

/* Each must have a fair share when the first has had 200 KiB. */
static void test_shares_of_few_buffers(void **state)
{
	static const char *const one_buffer[] = { "-n", "6", "-b", "1", NULL };
	size_t i, nr_got, sent[NR_BUSY], got[NR_BUSY];
	struct pollfd pollfds[NR_BUSY];
	struct echo_server server;
	int k;

	for (i = 0; i < NR_ECHO_MODES; i++) {
		echo_server_start(&server, "0", echo_modes[i], one_buffer);
		memset(sent, 0, sizeof(sent));
		memset(got, 0, sizeof(got));
		for (k = 0; k < NR_BUSY; k++)
			pollfds[k] = (struct pollfd){ echo_connect(&server), POLLIN, 0 };
		for (nr_got = 0; nr_got < 200 << 10;) {
			for (k = 0; k < NR_BUSY; k++) {
				got[k] += keep_busy(pollfds[k].fd, &sent[k], got[k]);
				nr_got = got[k] > nr_got ? got[k] : nr_got;
			}
			assert_true(poll(pollfds, NR_BUSY, -1) > 0);
		}
		for (k = 0; k < NR_BUSY; k++) {
			assert_true(got[k] >= nr_got / 10);
			close(pollfds[k].fd);
		}
		echo_server_stop(&server);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		timed_test(test_served_beside_peers_that_do_not_read),
		timed_test(test_shares_of_few_buffers),
	};

	pattern_fill(bytes, sizeof(bytes), 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
