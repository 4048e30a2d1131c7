/* SPDX-License-Identifier: MIT */
/*
 * Registering more files than the soft limit allows: it is raised within the
 * hard one, or left alone.
 */
#include "fake_test.h"

static int register_plain(struct io_uring *ring, unsigned nr)
{
	static int files[5000];

	return io_uring_register_files(ring, files, nr);
}

static int register_tags(struct io_uring *ring, unsigned nr)
{
	static const __u64 tags[5000];
	static int files[5000];

	return io_uring_register_files_tags(ring, files, tags, nr);
}

static int register_sparse(struct io_uring *ring, unsigned nr)
{
	return io_uring_register_files_sparse(ring, nr);
}

static int (*const registers[])(struct io_uring *ring, unsigned nr) = {
	register_plain, register_tags, register_sparse,
};

static void check_limit(uint64_t soft, uint64_t hard, unsigned nr, int ret, uint64_t new_soft,
			unsigned nr_registers)
{
	struct io_uring ring;
	unsigned i;

	for (i = 0; i < ARRAY_LEN(registers); i++) {
		init_ring(&ring, 8, 0);
		fake.nofile_soft = soft;
		fake.nofile_hard = hard;
		assert_int_equal(registers[i](&ring, nr), ret);
		assert_int_equal(fake.nofile_soft, new_soft);
		assert_int_equal(fake.nofile_hard, hard);
		assert_int_equal(fake_nr(__NR_io_uring_register), nr_registers);
		io_uring_queue_exit(&ring);
	}
}

static void within_the_soft_limit_nothing_is_asked(void **state)
{
	check_limit(64, 96, 64, 0, 64, 1);
	assert_int_equal(fake_nr(__NR_prlimit64), 0);
}

static void above_it_the_limit_is_raised(void **state)
{
	check_limit(64, 1000, 80, 0, 144, 2);
	check_limit(64, 144, 80, 0, 144, 2);
}

static void never_above_the_hard_limit(void **state)
{
	check_limit(64, 96, 80, 0, 96, 2);
	check_limit(64, 96, 96, 0, 96, 2);
	check_limit(64, UINT64_MAX, 4000, 0, 4064, 2);
}

static void what_cannot_fit_changes_nothing(void **state)
{
	check_limit(64, 96, 97, -EMFILE, 64, 1);
	check_limit(64, 96, 200, -EMFILE, 64, 1);
	check_limit(64, 64, 65, -EMFILE, 64, 1);
}

static bool refuse_files(struct fake_ring *ring, unsigned opcode, void *arg, unsigned nr_args,
			 long *ret)
{
	*ret = -EMFILE;
	return opcode == IORING_REGISTER_FILES || opcode == IORING_REGISTER_FILES2;
}

/* Refused again, for another reason than the limit: it is put back. */
static void raised_in_vain(void **state)
{
	fake.on_register = refuse_files;
	check_limit(64, 96, 80, -EMFILE, 64, 2);
	/* Already as high as it goes. */
	check_limit(96, 96, 80, -EMFILE, 96, 1);
}

static void the_limit_cannot_be_read_or_set(void **state)
{
	struct io_uring ring;
	unsigned nth;

	init_ring(&ring, 8, 0);
	fake.nofile_soft = 64;
	fake.nofile_hard = 96;
	for (nth = 1; nth <= 2; nth++) {
		fake_fail(__NR_prlimit64, nth, EPERM);
		assert_int_equal(io_uring_register_files_sparse(&ring, 80), -EMFILE);
		assert_int_equal(fake.nofile_soft, 64);
	}
	io_uring_queue_exit(&ring);
}

static void other_errors_are_returned_as_they_are(void **state)
{
	static const int errs[] = { EBADF, EBUSY, EFAULT, EINVAL, ENOMEM };
	struct io_uring ring;
	unsigned i, fn;

	init_ring(&ring, 8, 0);
	for (i = 0; i < ARRAY_LEN(errs); i++) {
		for (fn = 0; fn < ARRAY_LEN(registers); fn++) {
			fake_fail(__NR_io_uring_register, 1, errs[i]);
			assert_int_equal(registers[fn](&ring, 8), -errs[i]);
		}
	}
	assert_int_equal(fake_nr(__NR_prlimit64), 0);
	io_uring_queue_exit(&ring);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FAKE_TEST(within_the_soft_limit_nothing_is_asked),
		FAKE_TEST(above_it_the_limit_is_raised),
		FAKE_TEST(never_above_the_hard_limit),
		FAKE_TEST(what_cannot_fit_changes_nothing),
		FAKE_TEST(raised_in_vain),
		FAKE_TEST(the_limit_cannot_be_read_or_set),
		FAKE_TEST(other_errors_are_returned_as_they_are),
	};

	return RUN_FAKE_TESTS(tests);
}
