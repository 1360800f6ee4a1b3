/* SPDX-License-Identifier: BSD-3-Clause */
/* s1_09_roll_back.c – memory rolls back, the library does not: messages go on as if nothing had happened.
 *
 * Each rank works from a safe point on (heap, globals, stack, large messages into fresh memory), rolls back, and finds its
 * memory as it was; messages between the ranks, before and after, arrive once and in order, and a communicator
 * made before the safe point still works.
 *
 *   S1-8: changes to memory are recorded page by page from a safe point on
 *   S1-9: a roll-back restores the state of the safe point exactly
 *   S1-14: visible actions since the safe point are told
 *
 * RUN: -n 2 ; expect "rolled back 3 times on 2 ranks" ; expect "descriptor"
 * RUN: -n 2 ; set SAFE_POINT=drop ; expect "rolled back 3 times on 2 ranks" ; expect "descriptor"
 * RUN: -n 2 ; set SAFE_POINT=protect ; expect "rolled back 3 times on 2 ranks" ; expect "descriptor"
 * RUN: -n 2 ; set SAFE_POINT=copy_back ; expect "rolled back 3 times on 2 ranks"
 * RUN: -n 2 ; set SAFE_POINT=fork ; expect "rolled back 3 times on 2 ranks"
 * RUN: -n 2 ; set SAFE_POINT=full ; expect "rolled back 3 times on 2 ranks" */
#include "../../program.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#define LARGE (1 << 20)

static int counter;
static char globals[100000];
static char *heap;

/* Survives a roll-back, because it is shared. */
static struct shared {
    int sent, received;
} * shared;

/* A number that the other rank expects next, and a large message into new memory. */
static void exchange(MPI_Comm comm)
{
    int mine = shared->sent++, theirs;
    char *in = malloc(LARGE), *out = malloc(LARGE);

    memset(out, mine + 1, LARGE);
    MPI_Sendrecv(&mine, 1, MPI_INT, 1 - rank, 0, &theirs, 1, MPI_INT, 1 - rank, 0, comm,
                 MPI_STATUS_IGNORE);
    CHECK(theirs == shared->received++);
    MPI_Sendrecv(out, LARGE, MPI_CHAR, 1 - rank, 1, in, LARGE, MPI_CHAR, 1 - rank, 1, comm,
                 MPI_STATUS_IGNORE);
    CHECK(in[0] == theirs + 1 && in[LARGE - 1] == theirs + 1);
    MPI_Sendrecv(out, 50000, MPI_CHAR, 1 - rank, 2, globals, 50000, MPI_CHAR, 1 - rank, 2, comm,
                 MPI_STATUS_IGNORE);
    free(in); /* and out is lost: the roll-back takes it back */
}

static void work(MPI_Comm comm)
{
    counter++;
    heap[0] = 'x';
    heap = realloc(heap, 3 * LARGE);
    memset(heap, 'y', 3 * LARGE);
    exchange(comm);
}

int main(int argc, char **argv)
{
    int value, depth, lines, on_stack = 5, sum, fd;
    char text[1000];
    MPI_Comm comm;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    heap = malloc(100);
    strcpy(heap, "heap");
    strcpy(globals, "globals");
    exchange(comm);
    strcpy(globals, "globals");
    CHECK(MPIX_Safe_point_enter(&value) == MPI_SUCCESS);
    CHECK(counter == 0 && on_stack == 5);
    CHECK(strcmp(heap, "heap") == 0 && strcmp(globals, "globals") == 0);
    MPIX_Safe_point_depth(&depth);
    CHECK(depth == 1);
    exchange(comm);
    if (value < 3) {
        on_stack = 6;
        work(comm);
        MPIX_Safe_point_roll_back(value + 1);
    }
    fd = open("/dev/null", O_WRONLY);
    MPIX_Safe_point_differences(text, sizeof(text), &lines);
    CHECK(lines >= 1 && strstr(text, "/dev/null: not there, now offset 0"));
    close(fd);
    CHECK(MPIX_Safe_point_commit() == MPI_SUCCESS);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    CHECK(MPIX_Safe_point_commit() == MPI_ERR_OTHER);
    CHECK(MPIX_Safe_point_roll_back(1) == MPI_ERR_OTHER);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm);
    CHECK(sum == 6);
    if (rank == 0)
        printf("rolled back %d times on 2 ranks\n%s", value, text);
    MPI_Finalize();
    return 0;
}
