/* SPDX-License-Identifier: MIT */
/*
 * The model of the rings, driven by bytes: a configuration, then operations.
 */
#include "model.h"

#include <stdlib.h>
#include <string.h>

#define MAX_OPS 256

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct model_op ops[MAX_OPS];
	struct model_config config;
	struct model_result result;
	unsigned i, nr;

	if (size < sizeof(config))
		return -1;
	memcpy(&config, data, sizeof(config));
	size -= sizeof(config);
	nr = (unsigned)(size / sizeof(ops[0]));
	if (nr > MAX_OPS)
		nr = MAX_OPS;
	if (nr)
		memcpy(ops, data + sizeof(config), nr * sizeof(ops[0]));
	for (i = 0; i < nr; i++)
		if (ops[i].code == MODEL_OP_SABOTAGE)
			ops[i].code = 0;

	if (!model_run(&config, ops, nr, &result)) {
		nr = model_shrink(&config, ops, nr, &result);
		model_print(&config, ops, nr, &result);
		abort();
	}
	return 0;
}
