/* SPDX-License-Identifier: BSD-3-Clause */
/* More peers than descriptors: a rank may have so many descriptors that the connections to all others do not fit.  All exchange
 * messages, with one after the other, with all at once, and while half of the ranks compute and have messages of the others; then
 * one dies.  In each step the program opens files.
 *
 * The first argument is the limit on descriptors, the second how many files are opened.
 *
 *   S0-2: a call that needs no dead process completes normally
 *   S0-17: point-to-point that cannot complete because of a death ends with PROC_FAILED
 *   S5-17: memory, descriptors and connections of a process are bounded */
/* RUN: -n 30 ; args 40 4 ; set MACHINES=30 ; time 120 ; expect "rank 0 ok" ; expect "rank 28 ok" */
/* RUN: -n 12 ; args 20 0 ; set MACHINES=12 ; time 60 ; expect "rank 0 ok" ; expect "rank 10 ok" */
#include "../common.h"

#include <sys/resource.h>

#define SHORT      200
#define LONG       100000
#define ROUNDS     4
#define RANKS_MOST 32

enum { READY, EXCHANGED, ENDED };

static char in[RANKS_MOST][LONG], out[RANKS_MOST][LONG];
static int files_n;

static void limit_descriptors(int n)
{
    struct rlimit l = {(rlim_t)n, (rlim_t)n};

    CHECK_EQ(setrlimit(RLIMIT_NOFILE, &l), 0);
}

/* The program's own need. */
static void open_files(void)
{
    int fd[16];

    for (int i = 0; i < files_n; i++) {
        fd[i] = open("/dev/null", O_RDONLY);
        CHECK(fd[i] >= 0);
    }
    for (int i = 0; i < files_n; i++)
        close(fd[i]);
}

static unsigned seed(int from, int to, int step)
{
    return (unsigned)((from * 64 + to) * 64 + step);
}

static void one_after_another(int step)
{
    for (int d = 1; d < size; d++) {
        int to = (rank + d) % size, from = (rank + size - d) % size;

        fill(out[0], SHORT, seed(rank, to, step));
        CHECK_OK(MPI_Sendrecv(out[0], SHORT, MPI_BYTE, to, 1, in[0], SHORT, MPI_BYTE, from, 1,
                              MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK_EQ(wrong(in[0], SHORT, seed(from, rank, step)), -1);
        open_files();
    }
}

/* Among ranks first, first + by, and so on, below size - but. */
static void all_at_once(int first, int by, int but, int step, int len)
{
    MPI_Request r[2 * RANKS_MOST];
    int n = 0;

    for (int i = first; i < size - but; i += by)
        if (i != rank)
            CHECK_OK(MPI_Irecv(in[i], len, MPI_BYTE, i, 2, MPI_COMM_WORLD, &r[n++]));
    for (int i = first; i < size - but; i += by)
        if (i != rank) {
            fill(out[i], (size_t)len, seed(rank, i, step));
            CHECK_OK(MPI_Isend(out[i], len, MPI_BYTE, i, 2, MPI_COMM_WORLD, &r[n++]));
        }
    open_files();
    CHECK_OK(MPI_Waitall(n, r, MPI_STATUSES_IGNORE));
    for (int i = first; i < size - but; i += by)
        if (i != rank)
            CHECK_EQ(wrong(in[i], (size_t)len, seed(i, rank, step)), -1);
}

/* The even ones exchange messages although the odd ones have not read what the even ones have sent them. */
static void half_of_them_compute(int step)
{
    post(READY);
    await_in_mpi(READY, size); /* what a rank without descriptors has lost is sent again */
    if (rank % 2) {
        await(EXCHANGED, (size + 1) / 2);
        for (int from = 0; from < size; from += 2) {
            CHECK_OK(MPI_Recv(in[0], SHORT, MPI_BYTE, from, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            CHECK_EQ(wrong(in[0], SHORT, seed(from, rank, step)), -1);
        }
        return;
    }
    for (int to = 1; to < size; to += 2) {
        fill(out[0], SHORT, seed(rank, to, step));
        CHECK_OK(MPI_Send(out[0], SHORT, MPI_BYTE, to, 3, MPI_COMM_WORLD));
    }
    all_at_once(0, 2, 0, step, SHORT);
    post(EXCHANGED);
}

/* When all have what it has sent. */
static void one_dies(int step)
{
    post(ENDED);
    if (rank == size - 1) {
        await_in_mpi(ENDED, size);
        die_now();
    }
    CHECK_CLASS(MPI_Recv(in[0], SHORT, MPI_BYTE, size - 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                MPI_ERR_PROC_FAILED);
    all_at_once(0, 1, 1, step, SHORT);
}

int main(int argc, char **argv)
{
    limit_descriptors(atoi(argv[1]));
    files_n = atoi(argv[2]);
    start(&argc, &argv);
    CHECK(size <= RANKS_MOST);
    for (int round = 0; round < ROUNDS; round++) {
        one_after_another(round);
        all_at_once(0, 1, 0, round, round % 2 ? LONG : SHORT);
    }
    half_of_them_compute(ROUNDS);
    all_at_once(0, 1, 0, ROUNDS + 1, SHORT);
    one_dies(ROUNDS + 2);
    return finish();
}
