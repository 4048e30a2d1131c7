// SPDX-License-Identifier: MIT
//
// io_uring_for_each_cqe in C++: nested, with any names, in an if without braces.

#include <liburing.h>
extern "C" {
#include "ring.h"
#include "test.h"
}

namespace {

// A ring with CQEs of user_data 0, 1, ...; a base, so that it goes wherever a ring does.
struct filled_ring : io_uring {
	explicit filled_ring(unsigned nr, unsigned setup_flags = 0)
	{
		ring_open_flags(this, 16, setup_flags);
		for (unsigned i = 0; i < nr; i++) {
			io_uring_sqe *sqe = next_sqe(this);

			io_uring_prep_nop(sqe);
			io_uring_sqe_set_data64(sqe, i);
		}
		submit_ok(this, nr);
		assert_int_equal(io_uring_cq_ready(this), nr);
	}
	filled_ring(const filled_ring &) = delete;
	filled_ring &operator=(const filled_ring &) = delete;
	~filled_ring()
	{
		io_uring_queue_exit(this);
	}
};

void order_break_continue(void **)
{
	filled_ring ring(7);
	io_uring_cqe *cqe;
	unsigned head, nr = 0;
	__u64 digits = 0;

	io_uring_for_each_cqe(&ring, head, cqe) {
		nr++;
		if (cqe->user_data == 1)
			continue;
		if (cqe->user_data == 5)
			break;
		digits = 10 * digits + cqe->user_data;
	}
	assert_int_equal(nr, 6);
	assert_int_equal(digits, 234);
	// Nothing is released, so the next loop sees the same.
	io_uring_cq_advance(&ring, 5);
	nr = 0;
	io_uring_for_each_cqe(&ring, head, cqe)
		assert_int_equal(cqe->user_data, 5 + nr++);
	assert_int_equal(nr, 2);
}

void nested(void **)
{
	filled_ring outer(3), inner(2, IORING_SETUP_CQE32);
	io_uring_cqe *one, *other;
	unsigned head, inner_head, nr = 0;
	__u64 sum = 0;

	io_uring_for_each_cqe(&outer, head, one)
		io_uring_for_each_cqe(&inner, inner_head, other)
			io_uring_for_each_cqe(&outer, inner_head, other) {
				sum += 100 * one->user_data + other->user_data;
				nr++;
			}
	assert_int_equal(nr, 3 * 2 * 3);
	assert_int_equal(sum, 100 * 3 * 6 + 6 * 3);
}

// The library's own words, as a program may use them.
void any_names(void **)
{
	filled_ring ring(4);
	struct state {
		io_uring *ring, *cq, *iter;
		io_uring_cqe *cqe, *head, *ptr[2];
		unsigned tail, mask, shift, nr;
	} self = {}, *it = &self;
	io_uring *head = &ring, *rings[] = { nullptr, &ring };
	io_uring_cqe *tail, *mask;
	unsigned cqe, shift, iter = 0;

	io_uring_for_each_cqe(head, cqe, tail)
		iter += static_cast<unsigned>(tail->user_data);
	io_uring_for_each_cqe(&ring, shift, mask)
		iter += static_cast<unsigned>(mask->user_data);
	io_uring_for_each_cqe(&ring, self.tail, self.cqe)
		self.nr++;
	io_uring_for_each_cqe(*(rings + 1), it->mask, it->ptr[1])
		it->nr++;
	io_uring_for_each_cqe(iter ? &ring : nullptr, it->shift, self.head)
		it->nr++;
	assert_int_equal(iter, 12);
	assert_int_equal(self.nr, 12);
}

// The else belongs to the if, and the loop is one statement.
void without_braces(void **)
{
	filled_ring ring(3);
	io_uring_cqe *cqe;
	unsigned head, nr = 0, nr_else = 0;

	for (int choice = 0; choice < 2; choice++)
		if (choice)
			io_uring_for_each_cqe(&ring, head, cqe)
				nr++;
		else
			nr_else++;
	assert_int_equal(nr, 3);
	assert_int_equal(nr_else, 1);

	switch (nr)
	case 3:
		io_uring_for_each_cqe(&ring, head, cqe)
			nr++;
	assert_int_equal(nr, 6);

	// Two in one line.
	io_uring_for_each_cqe(&ring, head, cqe) { nr++; } io_uring_for_each_cqe(&ring, head, cqe) { nr++; }
	assert_int_equal(nr, 12);
}

template <typename ring_type, typename function> unsigned visit(ring_type &ring, function visitor)
{
	io_uring_cqe *cqe;
	unsigned head, nr = 0;

	io_uring_for_each_cqe(&ring, head, cqe) {
		visitor(*cqe);
		nr++;
	}
	io_uring_cq_advance(&ring, nr);
	return nr;
}

void in_a_template(void **)
{
	filled_ring ring(5);
	__u64 sum = 0;

	assert_int_equal(visit(ring, [&](const io_uring_cqe &cqe) { sum += cqe.user_data; }), 5);
	assert_int_equal(sum, 10);
	assert_int_equal(visit(ring, [](const io_uring_cqe &) { fail(); }), 0);
}

} // namespace

int main()
{
	const CMUnitTest tests[] = {
		timed_test(order_break_continue),
		timed_test(nested),
		timed_test(any_names),
		timed_test(without_braces),
		timed_test(in_a_template),
	};

	return cmocka_run_group_tests(tests, nullptr, nullptr);
}
