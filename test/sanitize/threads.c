/* SPDX-License-Identifier: MIT */
/*
 * Correct use of rings by several threads: nothing but the ring orders them.
 */
#include "common.h"

#include <pthread.h>
#include <unistd.h>

#define NR_OBJECTS 2000

struct object {
	unsigned value;
	unsigned copy;
};

static struct object *object_new(unsigned value)
{
	struct object *object = malloc(sizeof(*object));

	CHECK(object);
	object->value = value;
	object->copy = ~value;
	return object;
}

static void object_use(struct object *object)
{
	CHECK(object->copy == ~object->value);
	free(object);
}

static void *reap_objects(void *arg)
{
	struct io_uring *ring = arg;
	struct io_uring_cqe *cqe, *cqes[4];
	unsigned nr = 0, head, i, n;

	while (nr < NR_OBJECTS) {
		CHECK(io_uring_wait_cqe(ring, &cqe) == 0);
		if (nr % 3 == 0) {
			object_use(io_uring_cqe_get_data(cqe));
			io_uring_cqe_seen(ring, cqe);
			nr++;
		} else if (nr % 3 == 1) {
			n = io_uring_peek_batch_cqe(ring, cqes, 4);
			for (i = 0; i < n; i++)
				object_use(io_uring_cqe_get_data(cqes[i]));
			io_uring_cq_advance(ring, n);
			nr += n;
		} else {
			n = 0;
			io_uring_for_each_cqe(ring, head, cqe) {
				object_use(io_uring_cqe_get_data(cqe));
				n++;
			}
			io_uring_cq_advance(ring, n);
			nr += n;
		}
	}
	return NULL;
}

static int pass_objects(unsigned flags)
{
	struct io_uring_sqe *sqe;
	struct io_uring ring;
	pthread_t thread;
	unsigned i;

	if (io_uring_queue_init(16, &ring, flags))
		return LACKING;
	CHECK(pthread_create(&thread, NULL, reap_objects, &ring) == 0);
	for (i = 0; i < NR_OBJECTS; i++) {
		while (!(sqe = io_uring_get_sqe(&ring)))
			io_uring_submit(&ring);
		io_uring_prep_nop(sqe);
		io_uring_sqe_set_data(sqe, object_new(i));
		if (i % 5 == 0)
			io_uring_submit(&ring);
	}
	io_uring_submit(&ring);
	CHECK(pthread_join(thread, NULL) == 0);
	io_uring_queue_exit(&ring);
	return 0;
}

static int objects_by_user_data(void)
{
	return pass_objects(0);
}

static int objects_by_sqpoll(void)
{
	return pass_objects(IORING_SETUP_SQPOLL);
}

/* A receiving end, with a ring of its own. */
struct receiver {
	struct io_uring ring;
	int fd;
};

static void *reap_messages(void *arg)
{
	struct receiver *receiver = arg;
	struct io_uring_cqe *cqe;
	unsigned i;

	for (i = 0; i < 100; i++) {
		CHECK(io_uring_wait_cqe(&receiver->ring, &cqe) == 0);
		object_use(io_uring_cqe_get_data(cqe));
		io_uring_cqe_seen(&receiver->ring, cqe);
	}
	return NULL;
}

static int messages_to_a_ring(void)
{
	struct receiver receiver;
	struct io_uring ring;
	pthread_t thread;
	unsigned i;
	int ret = 0;

	CHECK(io_uring_queue_init(8, &ring, 0) == 0);
	CHECK(io_uring_queue_init(8, &receiver.ring, 0) == 0);
	CHECK(pthread_create(&thread, NULL, reap_messages, &receiver) == 0);
	for (i = 0; i < 100; i++) {
		io_uring_prep_msg_ring(next_sqe(&ring), receiver.ring.ring_fd, 0,
				       uring_ptr_to_u64(object_new(i)), 0);
		CHECK(io_uring_submit(&ring) == 1);
		CHECK(take(&ring, 0) == 0);
	}
	CHECK(pthread_join(thread, NULL) == 0);
	io_uring_queue_exit(&ring);
	io_uring_queue_exit(&receiver.ring);
	return ret;
}

static void *read_pointers(void *arg)
{
	struct receiver *receiver = arg;
	struct object *object;
	unsigned i;

	for (i = 0; i < 100; i++) {
		io_uring_prep_read(next_sqe(&receiver->ring), receiver->fd, &object,
				   sizeof(object), 0);
		CHECK(io_uring_submit(&receiver->ring) == 1);
		CHECK(take(&receiver->ring, 0) == sizeof(object));
		object_use(object);
	}
	return NULL;
}

static int pointers_through_a_pipe(void)
{
	struct receiver receiver;
	struct object *object;
	struct io_uring ring;
	pthread_t thread;
	unsigned i;
	int fds[2];

	CHECK(pipe(fds) == 0);
	CHECK(io_uring_queue_init(8, &ring, 0) == 0);
	CHECK(io_uring_queue_init(8, &receiver.ring, 0) == 0);
	receiver.fd = fds[0];
	CHECK(pthread_create(&thread, NULL, read_pointers, &receiver) == 0);
	for (i = 0; i < 100; i++) {
		object = object_new(i);
		io_uring_prep_write(next_sqe(&ring), fds[1], &object, sizeof(object), 0);
		CHECK(io_uring_submit(&ring) == 1);
		CHECK(take(&ring, 0) == sizeof(object));
	}
	CHECK(pthread_join(thread, NULL) == 0);
	io_uring_queue_exit(&ring);
	io_uring_queue_exit(&receiver.ring);
	close(fds[0]);
	close(fds[1]);
	return 0;
}

static void *make_rings(void *arg)
{
	struct io_uring ring;
	struct io_uring_buf_ring *br;
	int i, err;

	(void)arg;
	for (i = 0; i < 100; i++) {
		CHECK(io_uring_queue_init(8, &ring, 0) == 0);
		br = io_uring_setup_buf_ring(&ring, 8, 1, 0, &err);
		if (br)
			io_uring_buf_ring_add(br, &ring, 64, 1, 7, 0);
		io_uring_prep_nop(next_sqe(&ring));
		CHECK(io_uring_submit(&ring) == 1);
		CHECK(take(&ring, 0) == 0);
		if (br)
			CHECK(io_uring_free_buf_ring(&ring, br, 8, 1) == 0);
		io_uring_queue_exit(&ring);
	}
	return NULL;
}

/* The memory of one thread's ring becomes that of another's. */
static int rings_in_turn(void)
{
	pthread_t threads[4];
	unsigned i;

	for (i = 0; i < 4; i++)
		CHECK(pthread_create(&threads[i], NULL, make_rings, NULL) == 0);
	for (i = 0; i < 4; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
	return 0;
}

/* A thread gives buffers back which another was given. */
struct recycling {
	struct io_uring ring;
	struct io_uring_buf_ring *br;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	char *mem;
	unsigned used[8], nr_used, nr_left;
};

static void *recycle(void *arg)
{
	struct recycling *r = arg;
	unsigned bid;

	pthread_mutex_lock(&r->lock);
	while (r->nr_left) {
		if (!r->nr_used) {
			pthread_cond_wait(&r->changed, &r->lock);
			continue;
		}
		bid = r->used[--r->nr_used];
		r->nr_left--;
		pthread_mutex_unlock(&r->lock);
		memset(r->mem + bid * 64, 0, 64);
		io_uring_buf_ring_add(r->br, r->mem + bid * 64, 64, (unsigned short)bid, 7, 0);
		io_uring_buf_ring_advance(r->br, 1);
		pthread_mutex_lock(&r->lock);
	}
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

static int buffers_in_turn(void)
{
	struct recycling r = { .nr_left = 300 };
	struct io_uring_cqe *cqe;
	struct io_uring_sqe *sqe;
	pthread_t thread;
	int fds[2], err;
	unsigned i, bid;

	CHECK(io_uring_queue_init(8, &r.ring, 0) == 0);
	r.br = io_uring_setup_buf_ring(&r.ring, 8, 1, 0, &err);
	if (!r.br)
		return LACKING;
	r.mem = malloc((size_t)8 * 64);
	pthread_mutex_init(&r.lock, NULL);
	pthread_cond_init(&r.changed, NULL);
	CHECK(pipe(fds) == 0);
	for (i = 0; i < 2; i++)
		io_uring_buf_ring_add(r.br, r.mem + i * 64, 64, (unsigned short)i, 7, (int)i);
	io_uring_buf_ring_advance(r.br, 2);
	CHECK(pthread_create(&thread, NULL, recycle, &r) == 0);
	for (i = 0; i < 300;) {
		sqe = next_sqe(&r.ring);
		io_uring_prep_read(sqe, fds[0], NULL, 64, 0);
		io_uring_sqe_set_flags(sqe, IOSQE_BUFFER_SELECT);
		io_uring_sqe_set_buf_group(sqe, 1);
		CHECK(io_uring_submit(&r.ring) == 1);
		CHECK(write(fds[1], "abc", 3) == 3);
		CHECK(io_uring_wait_cqe(&r.ring, &cqe) == 0);
		if (cqe->res == -ENOBUFS) {
			io_uring_cqe_seen(&r.ring, cqe);
			CHECK(read(fds[0], &err, 3) == 3);
			continue;
		}
		CHECK(cqe->res == 3);
		bid = cqe->flags >> IORING_CQE_BUFFER_SHIFT;
		CHECK(count_odd(r.mem + bid * 64, 3) == 2);
		io_uring_cqe_seen(&r.ring, cqe);
		pthread_mutex_lock(&r.lock);
		r.used[r.nr_used++] = bid;
		pthread_cond_signal(&r.changed);
		pthread_mutex_unlock(&r.lock);
		i++;
	}
	CHECK(pthread_join(thread, NULL) == 0);
	CHECK(io_uring_free_buf_ring(&r.ring, r.br, 8, 1) == 0);
	io_uring_queue_exit(&r.ring);
	free(r.mem);
	close(fds[0]);
	close(fds[1]);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct sanitize_case cases[] = {
		{ "objects_by_user_data", objects_by_user_data },
		{ "objects_by_sqpoll", objects_by_sqpoll },
		{ "messages_to_a_ring", messages_to_a_ring },
		{ "pointers_through_a_pipe", pointers_through_a_pipe },
		{ "rings_in_turn", rings_in_turn },
		{ "buffers_in_turn", buffers_in_turn },
		{ NULL, NULL },
	};

	return run_case(cases, argc > 1 ? argv[1] : NULL);
}
