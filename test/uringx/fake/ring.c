/* SPDX-License-Identifier: MIT */
/* The fake ring itself; for one source of a test, after "fake/ring.h". */
#include <errno.h>
#include <string.h>
#include <unistd.h>

struct fake_state fake;

void fake_start(const struct fake_script *script)
{
	memset(&fake, 0, sizeof(fake));
	fake.script = *script;
	fake.random = script->seed;
	fake.file = -1;
	if (!fake.script.bad_from)
		fake.script.bad_from = UINT64_MAX;
	if (!fake.script.features)
		fake.script.features = IORING_FEAT_RW_CUR_POS;
}

unsigned fake_random(unsigned bound)
{
	fake.random = fake.random * 6364136223846793005ULL + 1442695040888963407ULL;
	return (unsigned)(fake.random >> 33) % bound;
}

static bool happens(unsigned chance)
{
	return chance && fake_random(256) < chance;
}

int fake_queue_init(unsigned entries, struct io_uring *ring, unsigned flags)
{
	if (fake.script.setup_error)
		return fake.script.setup_error;
	assert_in_range(entries, 1, FAKE_MAX);
	memset(ring, 0xa5, sizeof(*ring));
	ring->features = fake.script.features;
	ring->flags = flags;
	fake.entries = entries;
	fake.nr_rings++;
	return 0;
}

void fake_queue_exit(struct io_uring *ring)
{
	assert_int_equal(fake.nr_flight, 0);
	assert_int_equal(fake.nr_cqes, 0);
	fake.nr_queued = 0;
	fake.nr_rings--;
	memset(ring, 0xa5, sizeof(*ring));
}

int fake_enable_rings(struct io_uring *ring)
{
	return fake.script.enable_error;
}

int fake_unregister(struct io_uring *ring)
{
	return 0;
}

int fake_register_files(struct io_uring *ring, const int *files, unsigned nr)
{
	if (fake.script.no_registration)
		return -EMFILE;
	assert_int_equal(nr, 1);
	fake.file = files[0];
	return 0;
}

int fake_register_buffers(struct io_uring *ring, const struct iovec *iovecs, unsigned nr)
{
	return fake.script.no_registration ? -ENOMEM : 0;
}

struct io_uring_sqe *fake_get_sqe(struct io_uring *ring)
{
	if (fake.nr_queued == fake.entries)
		return NULL;
	memset(&fake.queue[fake.nr_queued], 0, sizeof(fake.queue[0]));
	return &fake.queue[fake.nr_queued++];
}

unsigned fake_sq_ready(const struct io_uring *ring)
{
	return fake.nr_queued;
}

static ssize_t read_with_faults(int fd, void *buf, size_t count, off_t offset)
{
	static const int passing[] = { -EINTR, -EAGAIN, -ECANCELED };
	const struct fake_script *script = &fake.script;

	fake.nr_reads++;
	if (script->always)
		return -(ssize_t)script->always;
	if (fake.nr_reads == script->bad_request)
		return -EIO;
	if (fake.nr_reads == script->short_request)
		count = 1;
	if (script->refuses_direct && fd != script->plain_fd)
		return -EINVAL;
	if (happens(script->retry_chance))
		return passing[fake_random(ARRAY_LEN(passing))];
	if (happens(script->short_chance) && count > 1)
		count = 1 + fake_random((unsigned)count - 1);
	if (offset >= 0 && (uint64_t)offset >= script->bad_from)
		return -EIO;
	if (offset >= 0 && count > script->bad_from - (uint64_t)offset)
		count = script->bad_from - (uint64_t)offset;
	return offset < 0 ? read(fd, buf, count) : pread(fd, buf, count, offset);
}

static ssize_t as_libc(ssize_t res)
{
	if (res >= 0)
		return res;
	errno = (int)-res;
	return -1;
}

ssize_t fake_pread(int fd, void *buf, size_t count, off_t offset)
{
	ssize_t res = read_with_faults(fd, buf, count, offset);

	return as_libc(res == -ECANCELED ? -EINTR : res);
}

ssize_t fake_read(int fd, void *buf, size_t count)
{
	return as_libc(read_with_faults(fd, buf, count, -1));
}

static void post(uint64_t user_data, int res)
{
	struct io_uring_cqe *cqe = &fake.cqes[fake.nr_cqes++];

	assert_in_range(fake.nr_cqes, 1, 2 * fake.entries);
	memset(cqe, 0, sizeof(*cqe));
	cqe->user_data = user_data;
	cqe->res = res;
}

static struct io_uring_sqe take_flight(unsigned idx)
{
	struct io_uring_sqe sqe = fake.flight[idx];

	fake.flight[idx] = fake.flight[--fake.nr_flight];
	return sqe;
}

static void complete(unsigned idx)
{
	struct io_uring_sqe sqe = take_flight(idx);
	int fd = sqe.flags & IOSQE_FIXED_FILE ? fake.file : sqe.fd;

	post(sqe.user_data, (int)read_with_faults(fd, (void *)(uintptr_t)sqe.addr, sqe.len,
						  (off_t)sqe.off));
}

static void cancel(const struct io_uring_sqe *sqe)
{
	unsigned i;

	for (i = 0; i < fake.nr_flight && fake.flight[i].user_data != sqe->addr; i++)
		;
	if (i == fake.nr_flight) {
		post(sqe->user_data, -ENOENT);
	} else if (fake_random(2)) {
		post(sqe->user_data, -EALREADY);
	} else {
		post(take_flight(i).user_data, -ECANCELED);
		post(sqe->user_data, 0);
	}
}

static void submit_one(const struct io_uring_sqe *sqe)
{
	if (sqe->opcode == IORING_OP_ASYNC_CANCEL) {
		cancel(sqe);
		return;
	}
	assert_true(sqe->opcode == IORING_OP_READ || sqe->opcode == IORING_OP_READ_FIXED);
	fake.flight[fake.nr_flight++] = *sqe;
	if (happens(fake.script.early_chance))
		complete(fake.nr_flight - 1);
}

static void complete_late(void)
{
	while (fake.nr_flight && happens(fake.script.late_chance))
		complete(fake_random(fake.nr_flight));
}

int fake_submit_and_wait(struct io_uring *ring, unsigned wait_nr)
{
	/* 0: nothing taken, nothing waited for. */
	static const int failures[] = { -EINTR, -EAGAIN, -EBUSY, 0 };
	unsigned nr = fake.nr_queued;
	unsigned i;

	assert_in_range(++fake.nr_enters, 1, 10000000);
	if (fake.script.enter_error && fake.nr_enters > fake.script.nr_good_enters) {
		complete_late();
		return fake.script.enter_error;
	}
	if (happens(fake.script.enter_chance)) {
		complete_late();
		if (nr == 0 || fake_random(2))
			return failures[fake_random(ARRAY_LEN(failures))];
		nr = fake_random(nr);
		wait_nr = 0;
	}
	for (i = 0; i < nr; i++)
		submit_one(&fake.queue[i]);
	fake.nr_queued -= nr;
	memmove(fake.queue, fake.queue + nr, fake.nr_queued * sizeof(fake.queue[0]));
	/* Nothing in flight, and a wait: it would never end. */
	assert_true(wait_nr <= fake.nr_flight + fake.nr_cqes);
	while (fake.nr_cqes < wait_nr || (fake.nr_flight && happens(64)))
		complete(fake_random(fake.nr_flight));
	return (int)nr;
}

int fake_submit(struct io_uring *ring)
{
	return fake.nr_queued ? fake_submit_and_wait(ring, 0) : 0;
}

int fake_peek_cqe(struct io_uring *ring, struct io_uring_cqe **cqe)
{
	*cqe = fake.nr_cqes ? &fake.cqes[0] : NULL;
	return fake.nr_cqes ? 0 : -EAGAIN;
}

void fake_cqe_seen(struct io_uring *ring, struct io_uring_cqe *cqe)
{
	assert_ptr_equal(cqe, &fake.cqes[0]);
	fake.nr_cqes--;
	memmove(fake.cqes, fake.cqes + 1, fake.nr_cqes * sizeof(fake.cqes[0]));
}
