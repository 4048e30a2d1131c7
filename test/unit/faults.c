/* SPDX-License-Identifier: MIT */
/*
 * Every system call of every public function fails, with every errno that it can
 * have: the function returns that error, leaves nothing behind and the ring as it
 * was, and the next call works. Functions that go on after a failed call meet a
 * second failure in what they do then. test/unit/faults_parts/ has the scenarios.
 */
#include "api_list.h"
#include "faults_parts/faults.h"

#include <stdlib.h>

#define MAX_ROWS 160

static const struct fault_row *rows[MAX_ROWS];
static char names[MAX_ROWS][80];
static struct CMUnitTest tests[MAX_ROWS + 1];
static unsigned nr_rows;
static unsigned long nr_faults;

static void each_call_fails(void **state)
{
	const struct fault_row *row = *state;
	unsigned nr = faults_check_row(row);

	/* A scenario in which nothing could fail shows nothing. */
	assert_int_equal(nr == 0, (row->traits & FAULTS_NO_CALLS) != 0);
	nr_faults += nr;
}

static bool has_row(const char *name)
{
	unsigned i;

	for (i = 0; i < nr_rows; i++)
		if (!strcmp(rows[i]->name, name))
			return true;
	return false;
}

/* Every symbol of the library that the list of functions names has a scenario. */
static void every_function_has_a_scenario(void **state)
{
	api_list_check(has_row, "has no scenario");
}

static void add_rows(const struct fault_row *from, unsigned nr)
{
	unsigned i;

	for (i = 0; i < nr && nr_rows < MAX_ROWS; i++) {
		rows[nr_rows] = &from[i];
		snprintf(names[nr_rows], sizeof(names[0]), "%s%s%s", from[i].name,
			 *from[i].variant ? ", " : "", from[i].variant);
		tests[nr_rows].name = names[nr_rows];
		tests[nr_rows].test_func = each_call_fails;
		tests[nr_rows].initial_state = (void *)(uintptr_t)&from[i];
		nr_rows++;
	}
}

static unsigned count_functions(void)
{
	unsigned i, k, nr = 0;

	for (i = 0; i < nr_rows; i++) {
		for (k = 0; k < i; k++)
			if (!strcmp(rows[i]->name, rows[k]->name))
				break;
		nr += k == i && !(rows[i]->traits & FAULTS_NO_CALLS);
	}
	return nr;
}

int main(void)
{
	int ret;

	add_rows(setup_rows, nr_setup_rows);
	add_rows(submit_rows, nr_submit_rows);
	add_rows(register_rows, nr_register_rows);
	tests[nr_rows] = (struct CMUnitTest)cmocka_unit_test(every_function_has_a_scenario);
	ret = _cmocka_run_group_tests("faults", tests, nr_rows + 1, NULL, fake_tests_end);
	printf("summary: %lu faults injected over %u functions\n", nr_faults, count_functions());
	return ret;
}
