/* SPDX-License-Identifier: BSD-3-Clause */
/* observer.h – which bytes of a file are on the device, as a process sees it that watches the system's calls.
 *
 * This program's pwrite64(), pwritev64() and fdatasync() take the place of the system's, for the library too.  A clock that
 * all ranks share counts the writes that have ended:
 *
 *   write    each of its bytes: not known; the call; each of its bytes: the time now
 *   flush    t = the time now; the call; if it succeeds: all bytes of this rank of a time up to t are on the device
 *
 * So a byte counts as flushed only if the process that wrote it last began, after that write had ended, a flush that
 * succeeded.  (On one machine any process's flush would do, on several it would not.) */
#ifndef TEST_KILL_FILE_OBSERVER_H
#define TEST_KILL_FILE_OBSERVER_H

#include "common.h"

#include <sys/syscall.h>
#include <sys/uio.h>

#define OBSERVED_MAX   65536 /* bytes of one file */
#define OBSERVED_RANKS 64
#define NOT_KNOWN      UINT64_MAX

struct observed {
    uint64_t clock;                   /* writes that have ended */
    uint64_t flushed[OBSERVED_RANKS]; /* the time up to which those of a rank are on the device */
    uint64_t at[OBSERVED_MAX];        /* time and rank of the last write; 0: none */
};

static struct observed *observed; /* of the file that is open now */

/* A new file; every rank calls it, before it opens the file. */
static inline void observe(const char *name)
{
    char path[4200];
    int fd;

    snprintf(path, sizeof(path), "%s.observed", file_name(name));
    if (observed)
        munmap(observed, sizeof(*observed));
    fd = open(path, O_RDWR | O_CREAT, 0600);
    CHECK(fd >= 0 && ftruncate(fd, sizeof(*observed)) == 0);
    observed = mmap(NULL, sizeof(*observed), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    CHECK(observed != MAP_FAILED);
    close(fd);
}

static inline void forget(const char *name)
{
    char path[4200];

    snprintf(path, sizeof(path), "%s.observed", file_name(name));
    unlink(path);
    unlink(file_name(name));
}

static inline void mark(off64_t from, ssize_t n, uint64_t time)
{
    CHECK(from + n <= OBSERVED_MAX);
    for (ssize_t i = 0; i < n; i++)
        __atomic_store_n(&observed->at[from + i], time, __ATOMIC_SEQ_CST);
}

ssize_t pwritev64(int fd, const struct iovec *piece, int n, off64_t at)
{
    ssize_t bytes = 0, done;

    for (int i = 0; i < n; i++)
        bytes += (ssize_t)piece[i].iov_len;
    mark(at, bytes, NOT_KNOWN);
    done = syscall(SYS_pwritev, fd, piece, (long)n, (long)at, 0L);
    if (done > 0)
        mark(at, done,
             __atomic_add_fetch(&observed->clock, 1, __ATOMIC_SEQ_CST) * OBSERVED_RANKS +
                 (uint64_t)rank);
    return done;
}

ssize_t pwrite64(int fd, const void *from, size_t n, off64_t at)
{
    struct iovec piece = {(void *)(uintptr_t)from, n};

    return pwritev64(fd, &piece, 1, at);
}

int fdatasync(int fd)
{
    uint64_t time = __atomic_load_n(&observed->clock, __ATOMIC_SEQ_CST);
    int err = (int)syscall(SYS_fdatasync, fd);

    if (!err)
        __atomic_store_n(&observed->flushed[rank], time, __ATOMIC_SEQ_CST);
    return err;
}

/* Where the first byte is that is not on the device, or -1. */
static inline long not_on_device(long from, long n)
{
    for (long i = from; i < from + n; i++) {
        uint64_t at = __atomic_load_n(&observed->at[i], __ATOMIC_SEQ_CST);

        if (!at || at == NOT_KNOWN ||
            at / OBSERVED_RANKS >
                __atomic_load_n(&observed->flushed[at % OBSERVED_RANKS], __ATOMIC_SEQ_CST))
            return i;
    }
    return -1;
}

#endif
