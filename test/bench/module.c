/* SPDX-License-Identifier: BSD-3-Clause */
/* module.c – how long a roll-back of a whole job takes: from MPIX_Module_recover() to the end of the recovery at all ranks.
 *
 * Usage: mpiexec -n 4 ./module [MIB [ROUNDS]]      MIB of memory, for all ranks together, each page of which is changed
 *
 * Prints for each round the milliseconds of the safe point, of the change, of the roll-back, and of a read of all that memory
 * afterwards; each is the time of the slowest rank. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define PAGE 4096

/* Shared by all, so it does not roll back. */
static struct {
    double begin, point_ms, change_ms;
    int passes, wrong;
} * board;

static MPIX_Module module;
static size_t pages;
static int rank;
static char *memory;

static int recover(MPI_Comm comm, int inside, void *state)
{
    (void)comm, (void)inside, (void)state;
    return MPI_SUCCESS;
}

static double slowest_ms(double since)
{
    double mine = 1e3 * (MPI_Wtime() - since), all;

    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return all;
}

static void write_all(char value)
{
    for (size_t i = 0; i < pages; i++)
        memory[i * PAGE] = value;
}

static int read_all(char value)
{
    int wrong = 0;

    for (size_t i = 0; i < pages; i++)
        wrong += memory[i * PAGE] != value;
    return wrong;
}

/* Up to the roll-back.  Rank 0 asks for it; the others wait in a call of what might be another module. */
static void before(double begin, char value)
{
    MPI_Comm comm;

    board->point_ms = slowest_ms(begin);
    begin = MPI_Wtime();
    write_all(value);
    board->change_ms = slowest_ms(begin);
    board->begin = MPI_Wtime();
    if (!rank) {
        MPIX_Module_enter(module, &comm);
        comm = MPI_COMM_NULL; /* nobody has died */
        MPIX_Module_recover(module, &comm);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Rank 0 has begun it; the others may have been rolled back before they knew. */
static void after(void)
{
    double back, begin;

    MPI_Barrier(MPI_COMM_WORLD);
    begin = MPI_Wtime();
    back = 1e3 * (begin - board->begin);
    board->wrong += read_all(0);
    begin = slowest_ms(begin);
    if (!rank)
        printf("safe point %.0f ms, change %.0f ms, roll-back %.0f ms, read %.0f ms\n",
               board->point_ms, board->change_ms, back, begin);
}

int main(int argc, char **argv)
{
    size_t mib = argc > 1 ? (size_t)atoi(argv[1]) : 1024;
    int size, recovered, rounds = argc > 2 ? atoi(argv[2]) : 5;
    MPI_Comm comm;
    double begin;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    board = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pages = mib * 256 / (size_t)size;
    memory = malloc(pages * PAGE);
    write_all(0);
    MPIX_Module_create(MPI_COMM_WORLD, recover, NULL, MPIX_MODULE_ROLL_BACK, &module);
    for (int round = 1; round <= rounds; round++) {
        MPI_Barrier(MPI_COMM_WORLD);
        board->passes = 0;
        MPIX_Module_enter(module, &comm);
        begin = MPI_Wtime();
        MPIX_Module_leave(module, &recovered);
        if (board->passes++ == 0)
            before(begin, (char)round);
        after();
    }
    if (board->wrong)
        printf("rank %d: %d pages are wrong\n", rank, board->wrong);
    MPIX_Module_free(&module);
    return MPI_Finalize();
}
