/* SPDX-License-Identifier: MIT */
#include "cp_progress.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define DELAY 0.5
#define INTERVAL 0.1
#define MAX_BAR 40
#define MAX_NAME 24

static struct {
	bool always;
	bool wanted;
	bool shown;
	const char *what;
	const char *name;
	uint64_t total;
	uint64_t nr_done;
	double start;
	double last;
} progress;

static double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int terminal_width(void)
{
	struct winsize size;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		return size.ws_col;
	return 80;
}

void cp_progress_always(void)
{
	progress.always = true;
}

void cp_progress_start(const char *what, const char *name, uint64_t total)
{
	progress.wanted = total > 0 && (progress.always || isatty(STDERR_FILENO));
	progress.shown = false;
	progress.what = what;
	progress.name = name;
	progress.total = total;
	progress.nr_done = 0;
	progress.start = seconds_now();
	progress.last = progress.start;
}

static void print_line(uint64_t nr_done, double elapsed)
{
	double rate = (double)nr_done / elapsed;
	double left = rate > 0 ? (double)(progress.total - nr_done) / rate : 0;
	int percent = (int)(100.0 * (double)nr_done / (double)progress.total);
	size_t name_sz = strlen(progress.name);
	const char *name = progress.name + (name_sz > MAX_NAME ? name_sz - MAX_NAME : 0);
	char bar[MAX_BAR + 1];
	char line[160];
	int bar_sz;

	snprintf(line, sizeof(line), "%s %s %3d%% %9.1f MB/s %3d:%02d left", progress.what, name,
		 percent, rate / 1e6, (int)(left / 60), (int)left % 60);
	bar_sz = terminal_width() - (int)strlen(line) - 4;
	if (bar_sz > MAX_BAR)
		bar_sz = MAX_BAR;
	if (bar_sz < 0)
		bar_sz = 0;
	memset(bar, ' ', sizeof(bar));
	memset(bar, '#', (size_t)(bar_sz * percent / 100));
	bar[bar_sz] = '\0';
	fprintf(stderr, "\r%s%s%s%s\033[K", line, bar_sz ? " [" : "", bar, bar_sz ? "]" : "");
	fflush(stderr);
}

void cp_progress_show(uint64_t nr_done)
{
	double now;

	if (!progress.wanted)
		return;
	/* The file may have grown. */
	progress.nr_done = nr_done < progress.total ? nr_done : progress.total;
	now = seconds_now();
	if (now - progress.last < INTERVAL || (!progress.always && now - progress.start < DELAY))
		return;
	progress.last = now;
	progress.shown = true;
	print_line(progress.nr_done, now - progress.start);
}

void cp_progress_end(void)
{
	if (progress.wanted && progress.always) {
		print_line(progress.nr_done, seconds_now() - progress.start);
		fputc('\n', stderr);
	} else if (progress.shown) {
		fprintf(stderr, "\r\033[K");
		fflush(stderr);
	}
	progress.wanted = false;
	progress.shown = false;
}
