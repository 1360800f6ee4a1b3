/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the kernel has no memory left for one member, or for all, no member gets the window: all see MPI_ERR_NO_MEM, and
 * nobody a SIGBUS.  With memory again the same call succeeds, and every byte can be used.
 *
 * The kernel is played by a function of the program, which the library calls in place of the C library's.
 *
 * RUN: -n 2
 * RUN: -n 5
 * RUN: -n 4 ; set RMA_SHM=0 */
#include "common.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BYTES ((MPI_Aint)8 << 20)

static bool full; /* nothing large is left for this process, but pages for messages */
static int refused_n;

int fallocate64(int fd, int mode, off64_t at, off64_t len);

int fallocate64(int fd, int mode, off64_t at, off64_t len)
{
    if (full && len >= BYTES / 16 && !(mode & FALLOC_FL_PUNCH_HOLE)) {
        refused_n++;
        errno = ENOSPC;
        return -1;
    }
    return (int)syscall(SYS_fallocate, fd, mode, at, len);
}

int fallocate(int fd, int mode, off_t at, off_t len)
{
    return fallocate64(fd, mode, at, len);
}

static int allocate(enum kind kind, MPI_Win *win)
{
    void *base;

    return kind == ALLOCATED ? MPI_Win_allocate(BYTES, 1, MPI_INFO_NULL, W, &base, win)
                             : MPI_Win_allocate_shared(BYTES, 1, MPI_INFO_NULL, W, &base, win);
}

/* The members from `first` to `last` find no memory. */
static void check_refused(enum kind kind, int first, int last)
{
    MPI_Win win = MPI_WIN_NULL;
    int class, before = refused_n, refused;

    full = rank >= first && rank <= last;
    class = class_of(allocate(kind, &win));
    full = false;
    refused = refused_n - before;
    CHECK_OK(MPI_Allreduce(MPI_IN_PLACE, &refused, 1, MPI_INT, MPI_SUM, W));
    CHECK_EQ(class, refused ? MPI_ERR_NO_MEM : MPI_SUCCESS);
    CHECK(refused ||
          (kind == SHARED && first > 0)); /* of parts side by side one member may ask for all */
    if (class == MPI_SUCCESS)
        CHECK_OK(MPI_Win_free(&win));
    CHECK(win == MPI_WIN_NULL);
}

static void check_given(enum kind kind)
{
    struct window k = make_window(kind, BYTES, 1, W);
    char v = 0, mine = (char)(1 + rank);
    int next = (rank + 1) % size;

    memset(k.base, mine, (size_t)BYTES);
    CHECK_OK(MPI_Win_fence(0, k.win));
    CHECK_OK(MPI_Get(&v, 1, MPI_CHAR, next, BYTES - 1, 1, MPI_CHAR, k.win));
    CHECK_OK(MPI_Win_fence(0, k.win));
    CHECK_EQ(v, 1 + next);
    free_window(&k);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    know_rank();
    return_errors();
    for (int i = 0; i < 2; i++) {
        enum kind kind = i ? kind_on(W, SHARED) : ALLOCATED;

        for (int r = 0; r < size; r++)
            check_refused(kind, r, r);
        check_refused(kind, 0, size - 1);
        check_given(kind);
    }
    MPI_Finalize();
    return 0;
}
