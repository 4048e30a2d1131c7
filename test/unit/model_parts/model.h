/* SPDX-License-Identifier: MIT */
/*
 * A model of the two rings, and walks of operations that are made on a ring of
 * the library's and on the model alike, over the fake kernel.
 *
 * A walk is a configuration and a list of operations, all of them plain bytes: a
 * random generator and a fuzzer make them alike, each part of a list is a list,
 * and the same bytes do the same again. An operation that is not possible where
 * it stands does nothing.
 */
#ifndef MODEL_H
#define MODEL_H

#include <stdbool.h>
#include <stdint.h>

/* The kinds of ring. */
enum model_kind {
	MODEL_PLAIN,
	MODEL_SQE128,
	MODEL_CQE32,
	MODEL_CQE_MIXED,
	MODEL_SQE_MIXED,
	MODEL_BOTH_MIXED,
	MODEL_SQPOLL,
	MODEL_NO_EXT_ARG,
	MODEL_SQ_REWIND,
	MODEL_NR_KINDS,
};

struct model_config {
	uint8_t kind;
	uint8_t sizes;
	uint8_t options;
	uint8_t start;		/* how far before 2^32 heads and tails start */
};

/* What each byte does to an operation stands in the operation. */
struct model_op {
	uint8_t code;
	uint8_t a;
	uint8_t b;
	uint8_t c;
	uint8_t submit;		/* how much an enter takes, or its error */
	uint8_t then;		/* what completes in an enter */
	uint8_t wait;		/* how a wait ends */
	uint8_t seed;
};

/* How a walk went. */
struct model_result {
	bool failed;
	unsigned failed_at;	/* the operation; their number: when all was to be reaped */
	unsigned nr_done;	/* operations that were possible */
	char why[256];
};

/* An operation that breaks the ring, for the test of the test. No walk has it by chance. */
#define MODEL_OP_SABOTAGE 255

const char *model_kind_name(unsigned kind);

/*
 * model_run - make a walk, on a fresh kernel, and reap all that is left at its end.
 *
 * Returns whether the ring did what the model says.
 */
bool model_run(const struct model_config *config, const struct model_op *ops, unsigned nr,
	       struct model_result *result);

/*
 * model_shrink - drop operations from a failing walk as long as it fails.
 *
 * Returns how many are left in ops, none of which can be spared; result is how the
 * walk then fails.
 */
unsigned model_shrink(const struct model_config *config, struct model_op *ops, unsigned nr,
		      struct model_result *result);

/* model_print - to standard error: the configuration, and an operation a line. */
void model_print(const struct model_config *config, const struct model_op *ops, unsigned nr,
		 const struct model_result *result);

#endif
