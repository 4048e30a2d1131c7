// SPDX-License-Identifier: MIT
//
// The interface as C++ programs hold it: in function pointers and templates, as
// deleters, with objects behind user_data.

#include <liburing.h>
#include <memory>
#include <utility>
extern "C" {
#include "ring.h"
#include "test.h"
}

namespace {

static_assert(noexcept(io_uring_submit(nullptr)), "exported functions throw nothing");
static_assert(noexcept(io_uring_get_sqe(nullptr)), "inline functions throw nothing");
static_assert(noexcept(io_uring_prep_nop(nullptr)), "prep helpers throw nothing");

// A completion that knows what to do, behind a request's user_data.
struct completion {
	virtual ~completion() = default;
	virtual void call(int res) = 0;
};

struct add_to : completion {
	int &sum, term;

	add_to(int &to, int what) : sum(to), term(what)
	{
	}
	void call(int res) override
	{
		sum += term + res;
	}
};

void run_completions(io_uring *ring)
{
	io_uring_cqe *cqe;

	while (io_uring_peek_cqe(ring, &cqe) == 0) {
		std::unique_ptr<completion> owner(static_cast<completion *>(io_uring_cqe_get_data(cqe)));
		const int res = cqe->res;

		io_uring_cqe_seen(ring, cqe);
		owner->call(res);
	}
}

void objects_as_user_data(void **)
{
	io_uring ring;
	int sum = 0;

	ring_open_flags(&ring, 8, 0);
	for (int i = 1; i <= 8; i++) {
		io_uring_sqe *sqe = next_sqe(&ring);

		io_uring_prep_nop(sqe);
		io_uring_sqe_set_data(sqe, static_cast<completion *>(new add_to(sum, i)));
	}
	submit_ok(&ring, 8);
	run_completions(&ring);
	assert_int_equal(sum, 36);
	io_uring_queue_exit(&ring);
}

void function_pointers(void **)
{
	// noexcept is a part of a function's type from C++17 on, and converts away.
	int (*submit)(io_uring *) = io_uring_submit;
	io_uring_sqe *(*get_sqe)(io_uring *) = io_uring_get_sqe;
	const std::pair<void (*)(io_uring_sqe *, int), __u8> preps[] = {
		{ [](io_uring_sqe *sqe, int) { io_uring_prep_nop(sqe); }, IORING_OP_NOP },
		{ io_uring_prep_close, IORING_OP_CLOSE },
	};
	int (*const wait)(io_uring *, io_uring_cqe **) = &io_uring_wait_cqe;
	io_uring_cqe *cqe;
	io_uring ring;

	ring_open_flags(&ring, 8, 0);
	for (const auto &prep : preps) {
		io_uring_sqe *sqe = get_sqe(&ring);

		prep.first(sqe, -1);
		assert_int_equal(sqe->opcode, prep.second);
		assert_int_equal(submit(&ring), 1);
		assert_int_equal(wait(&ring, &cqe), 0);
		assert_int_equal(cqe->res, prep.second == IORING_OP_NOP ? 0 : -EBADF);
		io_uring_cqe_seen(&ring, cqe);
	}
	io_uring_queue_exit(&ring);
}

void deleters(void **)
{
	std::unique_ptr<io_uring_probe, decltype(&io_uring_free_probe)> probe(io_uring_get_probe(),
									      io_uring_free_probe);

	assert_non_null(probe.get());
	assert_true(io_uring_opcode_supported(probe.get(), IORING_OP_NOP));
	assert_false(io_uring_opcode_supported(probe.get(), -1));
	probe.reset();
	assert_null(probe.get());
}

// Barriers, version macros and constants in constant expressions and with C++ types.
void macros(void **)
{
	static_assert(!IO_URING_CHECK_VERSION(2, 0), "newer than the first release");
	static_assert(IO_URING_CHECK_VERSION(IO_URING_VERSION_MAJOR, IO_URING_VERSION_MINOR + 1),
		      "older than the next release");
	static_assert(LIBURING_UDATA_TIMEOUT == ~static_cast<__u64>(0), "all ones");
	unsigned word = 1;
	void *pointer = &word;

	io_uring_smp_store_release(&word, 7U);
	io_uring_smp_mb();
	assert_int_equal(io_uring_smp_load_acquire(&word), 7);
	IO_URING_WRITE_ONCE(word, 9);
	assert_int_equal(IO_URING_READ_ONCE(word), 9);
	assert_ptr_equal(IO_URING_READ_ONCE(pointer), &word);
}

} // namespace

int main()
{
	const CMUnitTest tests[] = {
		timed_test(objects_as_user_data),
		timed_test(function_pointers),
		timed_test(deleters),
		timed_test(macros),
	};

	return cmocka_run_group_tests(tests, nullptr, nullptr);
}
