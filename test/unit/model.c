/* SPDX-License-Identifier: MIT */
/*
 * Random walks over the two rings, against the model of test/unit/model_parts/.
 *
 * MODEL_STEPS is the number of operations (a million), MODEL_SEED the seed that
 * was printed. A walk that fails is printed as short as it can be made.
 */
#include "fake_test.h"
#include "model_parts/model.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define WALK_LEN 1000

static uint64_t seed;
static uint64_t nr_wanted = 1000000;
static uint64_t nr_done;
static unsigned nr_walks;

static uint64_t next_random(uint64_t *x)
{
	uint64_t z = *x += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static void make_walk(unsigned kind, unsigned nth, struct model_config *config,
		      struct model_op *ops)
{
	uint64_t x = seed + ((uint64_t)kind << 32) + nth, bytes;
	unsigned i;

	next_random(&x);
	bytes = next_random(&x);
	memcpy(config, &bytes, sizeof(*config));
	config->kind = (uint8_t)kind;
	for (i = 0; i < WALK_LEN; i++) {
		bytes = next_random(&x);
		memcpy(&ops[i], &bytes, sizeof(ops[i]));
		if (ops[i].code == MODEL_OP_SABOTAGE)
			ops[i].code = 0;
	}
}

static void walk(void **state)
{
	static struct model_op ops[WALK_LEN];
	unsigned kind = (unsigned)(uintptr_t)*state;
	uint64_t nr_of_kind = 0, share = nr_wanted / MODEL_NR_KINDS + 1;
	struct model_result result;
	struct model_config config;
	unsigned nth, nr;

	for (nth = 0; nr_of_kind < share; nth++) {
		make_walk(kind, nth, &config, ops);
		if (!model_run(&config, ops, WALK_LEN, &result)) {
			nr = model_shrink(&config, ops, WALK_LEN, &result);
			model_print(&config, ops, nr, &result);
			fail_msg("walk %u of MODEL_SEED=%#llx", nth, (unsigned long long)seed);
		}
		nr_of_kind += result.nr_done;
		nr_walks++;
	}
	nr_done += nr_of_kind;
}

/* One bad operation among many is found, and all others are dropped. */
static void a_failing_walk_is_shrunk(void **state)
{
	static struct model_op ops[WALK_LEN];
	struct model_result result;
	struct model_config config;
	unsigned kind, nr;

	for (kind = 0; kind < MODEL_NR_KINDS; kind++) {
		make_walk(kind, 0, &config, ops);
		ops[WALK_LEN / 2].code = MODEL_OP_SABOTAGE;
		assert_false(model_run(&config, ops, WALK_LEN, &result));
		assert_int_equal(result.failed_at, WALK_LEN / 2);
		nr = model_shrink(&config, ops, WALK_LEN, &result);
		assert_true(result.failed);
		assert_int_equal(nr, 1);
		assert_int_equal(ops[0].code, MODEL_OP_SABOTAGE);
	}
}

static void read_settings(void)
{
	const char *text = getenv("MODEL_STEPS");
	struct timespec now;

	if (text)
		nr_wanted = strtoull(text, NULL, 0);
	text = getenv("MODEL_SEED");
	clock_gettime(CLOCK_REALTIME, &now);
	seed = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec + (uint64_t)getpid();
	if (text)
		seed = strtoull(text, NULL, 0);
}

int main(void)
{
	struct CMUnitTest tests[MODEL_NR_KINDS + 1] = {
		[MODEL_NR_KINDS] = cmocka_unit_test(a_failing_walk_is_shrunk),
	};
	unsigned kind;
	int ret;

	read_settings();
	for (kind = 0; kind < MODEL_NR_KINDS; kind++)
		tests[kind] = (struct CMUnitTest){
			.name = model_kind_name(kind),
			.test_func = walk,
			.initial_state = (void *)(uintptr_t)kind,
		};
	printf("MODEL_SEED=%#llx\n", (unsigned long long)seed);
	ret = RUN_FAKE_TESTS(tests);
	printf("summary: model: %llu steps in %u walks, MODEL_SEED=%#llx\n",
	       (unsigned long long)nr_done, nr_walks, (unsigned long long)seed);
	return ret;
}
