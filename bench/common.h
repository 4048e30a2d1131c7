/* SPDX-License-Identifier: MIT */
/*
 * What the benchmarks share. Each is one program that prints lines
 *
 *	NAME VALUE UNIT
 *
 * on its standard output, and nothing else there. They are also built against
 * other installations of the library, so that they use no private name.
 */
#ifndef BENCH_COMMON_H
#define BENCH_COMMON_H

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ARRAY_NR(array) (sizeof(array) / sizeof((array)[0]))
#define NSEC_PER_SEC 1000000000ULL

/* A bench that cannot be done here: its rows are missing, and that is no failure. */
#define EXIT_SKIPPED 77

__attribute__((noreturn, format(printf, 1, 2))) static inline void die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

/* check - the result of a call that returns a negative errno; dies of an error. */
static inline int check(int ret, const char *what)
{
	if (ret < 0)
		die("%s: %s", what, strerror(-ret));
	return ret;
}

/* check_errno - the same for a call that returns -1 and sets errno. */
static inline int check_errno(int ret, const char *what)
{
	if (ret < 0)
		die("%s: %s", what, strerror(errno));
	return ret;
}

/* parse_number - a whole number from min to max; dies of anything else. */
static inline unsigned long parse_number(const char *text, unsigned long min, unsigned long max,
					 const char *what)
{
	char *end;
	unsigned long number;

	errno = 0;
	number = strtoul(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno || number < min || number > max)
		die("%s: a number from %lu to %lu, not %s", what, min, max, text);
	return number;
}

static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * NSEC_PER_SEC + (uint64_t)now.tv_nsec;
}

static inline uint64_t now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

static inline int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* percentile - the value below which fraction (0 to 1) of the values lie; sorts them. */
static inline double percentile(double *values, int nr, double fraction)
{
	qsort(values, (size_t)nr, sizeof(*values), compare_doubles);
	return values[(int)(fraction * (nr - 1) + 0.5)];
}

static inline double median(double *values, int nr)
{
	return percentile(values, nr, 0.5);
}

/* is_quick - whether the run is to show that everything works, in little time. */
static inline bool is_quick(void)
{
	const char *value = getenv("BENCH_QUICK");

	return value && *value && strcmp(value, "0") != 0;
}

__attribute__((format(printf, 3, 4))) static inline void print_value(double value, const char *unit,
								     const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf(" %.*f %s\n", value < 100 ? 3 : value < 10000 ? 1 : 0, value, unit);
	fflush(stdout);
}

#endif
