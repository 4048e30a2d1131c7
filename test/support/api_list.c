/* SPDX-License-Identifier: MIT */
#include "api_list.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>

void api_list_check(bool (*is_covered)(const char *function), const char *complaint)
{
	const char *dir = getenv("SRCDIR");
	char path[4096], line[1024], name[128], kind[32];
	unsigned nr_missing = 0, nr_listed = 0;
	FILE *list;

	if (!dir)
		skip_because("SRCDIR does not say where src/api.def is");
	snprintf(path, sizeof(path), "%s/src/api.def", dir);
	list = fopen(path, "re");
	assert_non_null(list);
	while (fgets(line, sizeof(line), list)) {
		if (line[0] == '#' || sscanf(line, "%127s %31s", name, kind) != 2 ||
		    (strcmp(kind, "exported") && strcmp(kind, "both")))
			continue;
		nr_listed++;
		if (is_covered(name))
			continue;
		nr_missing++;
		print_error("%s %s\n", name, complaint);
	}
	fclose(list);
	assert_int_not_equal(nr_listed, 0);
	assert_int_equal(nr_missing, 0);
}
