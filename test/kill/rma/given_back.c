/* SPDX-License-Identifier: BSD-3-Clause */
/* Members die, and the survivors read their parts and free the window: then the job has no more memory than before the
 * window was made, whichever member died, the one that keeps the control words and all parts of a contiguous window
 * included.  Memory is counted where it lies, in the job's nameless file.
 *
 * args KIND VICTIM WINDOWS BYTES
 *
 *   R30: a window or a file with dead members can be freed
 *   R31: the memory of a dead member stays as it was
 *
 * RUN: -n 4 ; args allocated 1 1 4194304
 * RUN: -n 4 ; args allocated 0 1 4194304
 * RUN: -n 4 ; args allocated 0 200 4096
 * RUN: -n 4 ; args shared 1 1 4194304
 * RUN: -n 4 ; args shared 0 1 4194304
 * RUN: -n 4 ; args apart 2 1 4194304
 * RUN: -n 8 ; args allocated 0 1 4194304
 * RUN: -n 8 ; args apart 0 1 4194304 */
#include "kill/melt.h"

#include "../../mpi/rma/common.h"

#include <dirent.h>
#include <sys/stat.h>

#define MOST  200
#define SLACK (256 << 10) /* pages of messages and of agreements */

static const char word[] = "still here";

/* Bytes of the nameless files that this process has. */
static long memory_of_job(void)
{
    DIR *d = opendir("/proc/self/fd");
    struct dirent *e;
    long bytes = 0;

    CHECK(d != NULL);
    while ((e = readdir(d))) {
        char target[64] = "";
        struct stat st;

        if (readlinkat(dirfd(d), e->d_name, target, sizeof target - 1) > 0 &&
            !strncmp(target, "/memfd:", 7) && fstat(atoi(e->d_name), &st) == 0)
            bytes += (long)st.st_blocks * 512;
    }
    closedir(d);
    return bytes;
}

static enum kind kind_of(const char *name)
{
    return !strcmp(name, "shared") ? SHARED : !strcmp(name, "apart") ? SHARED_APART : ALLOCATED;
}

static void write_word(const struct window *k)
{
    memcpy(k->base + k->size - sizeof word, word, sizeof word);
    CHECK_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, k->win));
}

/* R31 */
static void read_the_dead(const struct window *k, int victim)
{
    MPI_Aint bytes;
    char *theirs;
    int unit;

    CHECK_OK(MPI_Win_shared_query(k->win, victim, &bytes, &unit, &theirs));
    CHECK_EQ((long)bytes, (long)k->size);
    CHECK(!memcmp(theirs + bytes - sizeof word, word, sizeof word));
}

int main(int argc, char **argv)
{
    int victim = atoi(argv[2]), n = atoi(argv[3]);
    enum kind kind = kind_of(argv[1]);
    MPI_Aint bytes = atol(argv[4]);
    struct window k[MOST];
    MPI_Comm rest;
    long before;

    start(&argc, &argv);
    CHECK_OK(MPI_Comm_split(W, rank == victim ? MPI_UNDEFINED : 0, rank, &rest));
    for (int i = 0; i < n; i++) /* what their communicators need is kept for others */
        k[i] = make_window(kind, 8, 1, W);
    for (int i = 0; i < n; i++)
        free_window(&k[i]);
    CHECK_OK(MPI_Barrier(W));
    before = memory_of_job();
    CHECK_OK(MPI_Barrier(W));
    for (int i = 0; i < n; i++) {
        k[i] = make_window(kind, bytes, 1, W);
        write_word(&k[i]);
    }
    post(READY);
    await_in_mpi(READY, size);
    if (rank == victim)
        die_now();
    wait_until_dead(W, victim);
    CHECK(memory_of_job() >= before + n * size * bytes - SLACK);
    for (int i = 0; i < n; i++)
        read_the_dead(&k[i], victim);
    CHECK_OK(MPI_Barrier(rest));
    for (int i = 0; i < n; i++)
        free_window(&k[i]);
    CHECK_OK(MPI_Barrier(rest));
    CHECK(memory_of_job() <= before + SLACK);
    MPI_Comm_free(&rest);
    return finish();
}
