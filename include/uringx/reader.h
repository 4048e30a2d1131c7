/* SPDX-License-Identifier: MIT */
/*
 * A reader: the bytes of a descriptor in order, with several reads in flight.
 *
 *	while ((n = read(fd, buf, sizeof(buf))) > 0)
 *
 * becomes
 *
 *	uringx_reader_open(&reader, fd, NULL);
 *	while ((n = uringx_reader_read(reader, buf, sizeof(buf))) > 0)
 *
 * and, without a copy of the bytes,
 *
 *	while ((n = uringx_reader_next(reader, &block)) > 0)
 *
 * Regular files and block devices are read ahead, with explicit offsets. What has
 * no offsets (pipes, sockets, terminals, other devices) or does not know its size
 * (files in /proc) is read one block at a time. Where io_uring is refused, or
 * there is nothing to read ahead, pread(2) and read(2) do the work; bytes and
 * errors are the same.
 *
 * A ring now and then interrupts a system call in which its thread sleeps, as a signal
 * with SA_RESTART would: when the kernel starts a worker for it, and some milliseconds
 * after its end. Most calls go on by themselves, but a write to a pipe or a socket
 * may come back short, and epoll_wait with EINTR: expect that, as one always should.
 *
 * Unless said otherwise: a function that can fail returns a negative errno and
 * leaves errno alone, and one thread works on a given reader (but see
 * URINGX_READER_ANY_THREAD). A child of fork must not use a reader of its parent's.
 * Linux 5.6 and later; on earlier kernels io_uring counts as refused.
 */
#ifndef URINGX_READER_H
#define URINGX_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#define URINGX_NOEXCEPT noexcept
#else
#define URINGX_NOEXCEPT
#endif

struct io_uring;
struct io_uring_cqe;
struct uringx_reader;

/* Start at options.start; the descriptor's own position is left alone. */
#define URINGX_READER_START 0x01u
/*
 * Past the page cache, as with O_DIRECT. Where the file has no direct I/O it is
 * read through the cache; uringx_reader_get_info tells. A descriptor that has O_DIRECT
 * set is read so without this flag.
 */
#define URINGX_READER_DIRECT 0x02u
/*
 * Register the buffers with the ring, which saves work for each read. They count
 * against RLIMIT_MEMLOCK, and where they may not be registered the reader goes
 * without. Not with a ring of the caller's.
 */
#define URINGX_READER_FIXED 0x04u
/*
 * Threads may take turns at the reader. Without the flag a reader that uses its
 * own ring is for the thread that takes its first bytes; others get -EEXIST. With
 * it, and on kernels before 6.1, each completion interrupts what the thread sleeps
 * in, as said above.
 */
#define URINGX_READER_ANY_THREAD 0x08u
/*
 * Never wait for data: -EAGAIN instead. Only with a ring of the caller's, which
 * has a CQE when it is worth trying again.
 */
#define URINGX_READER_NOWAIT 0x10u
/* Do not use io_uring. */
#define URINGX_READER_NO_RING 0x20u

/* Zeros are the defaults. */
struct uringx_reader_options {
	unsigned int flags;	/* URINGX_READER_... */
	unsigned int block_sz;	/* bytes of a read, at most 1 GiB; 0: 64 KiB */
	unsigned int depth;	/* reads in flight, at most 4096; 0: 16 */
	unsigned int pad;	/* zero, like resv */
	uint64_t start;		/* offset to begin at, with URINGX_READER_START */
	uint64_t limit;		/* bytes to read at most from there; 0: all */
	/*
	 * A ring of the caller's, or NULL. The reader's requests have addresses
	 * in its own memory as user_data, which no request of the caller's may
	 * have. The reader submits what the caller has queued along with its own.
	 */
	struct io_uring *ring;
	/*
	 * Called for each CQE of the caller's own that the reader comes across,
	 * which it then releases. It may queue and submit requests, and must
	 * neither reap nor use this reader. Needed with ring.
	 */
	void (*on_cqe)(struct io_uring_cqe *cqe, void *arg);
	void *arg;
	uint64_t resv[4];
};

/* How the reads are made. */
enum uringx_method {
	URINGX_BY_READ = 0,	/* read(2): no offsets */
	URINGX_BY_PREAD = 1,
	URINGX_BY_RING = 2,
};

struct uringx_reader_info {
	enum uringx_method method;
	/*
	 * Why there is no ring: 0 where none was wanted, as for a file of one
	 * block, else the negative errno of io_uring (-EOPNOTSUPP: too old).
	 */
	int refusal;
	unsigned int block_sz;	/* as in use: a multiple of direct_align */
	unsigned int depth;
	unsigned int direct_align; /* of direct reads, in bytes; 0: page cache */
	unsigned int fixed;	/* 1: the buffers are registered */
	uint64_t memory_sz;	/* bytes allocated at the open, for good */
	uint64_t nr_reads;	/* reads asked for so far */
	uint64_t nr_calls;	/* system calls made for them */
	uint64_t resv[4];
};

/*
 * uringx_reader_open - make a reader of the descriptor fd.
 *
 * options may be NULL. It begins at the descriptor's position, or with
 * URINGX_READER_START at options->start. Depth times block size bytes are allocated
 * here and nothing later; untouched memory costs none. fd stays the caller's and
 * must stay open until the close. Returns 0 and the reader in *reader, or a
 * negative errno and NULL:
 *   -EINVAL  unknown flags, something that must be zero and is not, a size beyond
 *            its bounds, start without START, NOWAIT without ring, FIXED or NO_RING
 *            with ring, ring without on_cqe or with IORING_SETUP_IOPOLL
 *   -EBADF   fd is not open
 *   -ESPIPE  a start where there are no offsets
 *   -ENOMEM
 * That fd cannot be read (a directory, opened for writing) is an error of the
 * first read.
 */
int uringx_reader_open(struct uringx_reader **reader, int fd,
		       const struct uringx_reader_options *options) URINGX_NOEXCEPT;

/*
 * uringx_reader_next - the next bytes, where they lie.
 *
 * Returns their number, at most block_sz, and their address in *block: valid
 * until the following next, read, seek or close. 0 at the end (or the limit), and
 * *block is NULL: asked once more, the reader looks again, as read(2) does, and
 * goes on where the file has grown or the terminal has another line. What has been
 * read ahead stays as it was then, when the file is changed or truncated below it.
 *
 * Errors come in order: all bytes before one are delivered first, then it is
 * returned once, and after that there is only the end, until a seek. After these
 * the reader goes on:
 *   -EAGAIN  with URINGX_READER_NOWAIT, or from a descriptor with O_NONBLOCK
 *            that has no offsets: nothing there yet
 *   -EINTR   a signal came during the wait for data where there are no offsets
 *   any      where there are no offsets and no ring of the caller's: each call is
 *            a read(2)
 * With ring also what io_uring_submit_and_wait returns.
 */
ssize_t uringx_reader_next(struct uringx_reader *reader, const void **block) URINGX_NOEXCEPT;

/*
 * uringx_reader_read - read(2): up to count bytes into buf.
 *
 * Returns their number, 0 at the end, or -1 and the error in errno. Where the
 * reader reads ahead it is short only at the end or before an error, which is then
 * kept for the next call; else as read(2) is. buf needs no alignment, with direct
 * I/O either. Bytes that were read ahead are copied from the reader's memory.
 */
ssize_t uringx_reader_read(struct uringx_reader *reader, void *buf, size_t count)
	URINGX_NOEXCEPT;

/*
 * uringx_reader_seek - lseek(2), with SEEK_SET, SEEK_CUR or SEEK_END.
 *
 * Returns the new offset, or -EINVAL, or -ESPIPE where there are no offsets.
 * Waits for the reads in flight unless their bytes are still of use (-EEXIST where
 * they are another thread's): meant for the odd skip, not for random access. An
 * earlier error is forgotten, the limit stays where it was. A seek of the descriptor
 * itself has no effect on the reader.
 */
int64_t uringx_reader_seek(struct uringx_reader *reader, int64_t offset, int whence)
	URINGX_NOEXCEPT;

/*
 * uringx_reader_tell - the offset of the byte that is delivered next; where there
 * are no offsets, the number of bytes delivered.
 */
int64_t uringx_reader_tell(const struct uringx_reader *reader) URINGX_NOEXCEPT;

/*
 * uringx_reader_take - offer the reader a CQE that the caller has found on its ring.
 *
 * Returns whether it is the reader's: then it has noted the result, and the caller
 * releases the CQE and calls uringx_reader_next until -EAGAIN.
 */
bool uringx_reader_take(struct uringx_reader *reader, const struct io_uring_cqe *cqe)
	URINGX_NOEXCEPT;

/* uringx_reader_get_info - how the reader works, and what it has cost up to now. */
void uringx_reader_get_info(const struct uringx_reader *reader, struct uringx_reader_info *info)
	URINGX_NOEXCEPT;

/*
 * uringx_reader_close - cancel what is in flight, wait for it, and free the reader.
 *
 * NULL is ignored. Sets the descriptor's position to where the reader has got to,
 * as reads would have, but not with URINGX_READER_START; bytes of a pipe or a socket
 * that a cancelled read has taken are lost. Returns 0, or a negative errno where
 * the ring cannot be waited for, as in another thread than the reader's with reads
 * in flight: then the memory is left to the kernel and never freed.
 */
int uringx_reader_close(struct uringx_reader *reader) URINGX_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif
