/* SPDX-License-Identifier: BSD-3-Clause */
/* replace.c – from SIGKILL to a full communicator: kill, MPIX_Comm_refill, and a barrier at full size.
 *
 *   victim     writes the time │ SIGKILL for itself
 *   survivors  MPI_Barrier ───────X MPIX_Comm_refill ──> MPI_Barrier │ write the time
 *   newcomer                        MPI_Init, replaced ─> MPI_Barrier │ writes the time
 *
 * The ranks die in turn, CYCLES times in all.  Output, by the lowest survivor: replace US, once per cycle: the last return
 * from the barrier - SIGKILL.
 *
 * usage: replace BOARD CYCLES */
#include "bench.h"

#include <signal.h>

enum { CYCLE, KILLED_NS, DONE_NS }; /* words of the board; from DONE_NS on one for each rank */

static struct bench b;

static void check(bool good, const char *what)
{
    if (!good)
        bench_wrong(&b, what);
}

static void meet_after(MPI_Comm full)
{
    MPI_Comm_set_errhandler(full, MPI_ERRORS_RETURN);
    MPI_Comm_rank(full, &b.rank);
    MPI_Comm_size(full, &b.size);
    check(MPI_Barrier(full) == MPI_SUCCESS, "the full communicator is not whole");
    b.board[DONE_NS + b.rank] = bench_now_ns();
    check(MPI_Barrier(full) == MPI_SUCCESS, "the full communicator is not whole");
}

static void print(int speaker)
{
    uint64_t latest = 0;

    for (int r = 0; r < b.size; r++)
        latest = b.board[DONE_NS + r] > latest ? b.board[DONE_NS + r] : latest;
    if (b.rank == speaker)
        printf("replace %.3f\n", (double)(latest - b.board[KILLED_NS]) * 1e-3);
}

static MPI_Comm survive(MPI_Comm full)
{
    MPI_Comm next;

    while (MPI_Barrier(full) == MPI_SUCCESS)
        ;
    check(MPIX_Comm_refill(full, MPI_INFO_NULL, &next) == MPI_SUCCESS, "replace failed");
    MPI_Comm_free(&full);
    return next;
}

static MPI_Comm cycle(MPI_Comm full, uint64_t i)
{
    int victim = (int)(i % (uint64_t)b.size);

    MPI_Barrier(full); /* the last one that everybody goes through: what was printed is read */
    if (b.rank == victim) {
        b.board[CYCLE] = i + 1;
        b.board[KILLED_NS] = bench_now_ns();
        raise(SIGKILL);
    }
    full = survive(full);
    meet_after(full);
    print(victim == 0);
    return full;
}

int main(int argc, char **argv)
{
    MPI_Comm full;

    b.board = bench_open_board(argv[1]);
    MPI_Init(&argc, &argv);
    MPIX_Comm_refilled(&full);
    if (full != MPI_COMM_NULL) {
        meet_after(full);
    } else {
        MPI_Comm_dup(MPI_COMM_WORLD, &full);
        MPI_Comm_set_errhandler(full, MPI_ERRORS_RETURN);
        MPI_Comm_rank(full, &b.rank);
        MPI_Comm_size(full, &b.size);
    }
    for (uint64_t i = b.board[CYCLE]; i < strtoull(argv[2], NULL, 10); i++)
        full = cycle(full, i);
    MPI_Comm_free(&full);
    MPI_Finalize();
    return 0;
}
