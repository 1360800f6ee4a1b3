/* SPDX-License-Identifier: BSD-3-Clause */
/* s1_09_messages.c – what other processes and the kernel write into memory since a safe point is rolled back, too.
 *
 * Large messages arrive by single copy (the receiver reads the sender's memory), others through shared memory; some pages of
 * the buffers have never been written to before, some have.
 *
 *   S1-8: changes to memory are recorded page by page from a safe point on
 *   S1-9: a roll-back restores the state of the safe point exactly
 *
 * RUN: -n 2 ; expect "as before 4 messages"
 * RUN: -n 2 ; set SAFE_POINT=protect ; expect "as before 4 messages"
 * RUN: -n 2 ; set SAFE_POINT=drop ; expect "as before 4 messages"
 * RUN: -n 2 ; set SAFE_POINT=copy_back ; expect "as before 4 messages"
 * RUN: -n 2 ; set SAFE_POINT=fork ; expect "as before 4 messages"
 * RUN: -n 2 ; set SAFE_POINT=full ; expect "as before 4 messages"
 * RUN: -n 2 ; set MACHINES=2 ; expect "as before 4 messages"
 * RUN: -n 2 ; set MACHINES=2 ; set SAFE_POINT=drop ; expect "as before 4 messages" */
#include "../../program.h"

#include <sys/mman.h>

#define BYTES (16 << 20)

static char *in, *out, *fresh;

static void check_all(char *p, size_t n, char value)
{
    for (size_t i = 0; i < n; i++)
        CHECK(p[i] == value);
}

static void exchange(char *to, int n, int tag)
{
    memset(out, tag, (size_t)n);
    CHECK_OK(MPI_Sendrecv(out, n, MPI_CHAR, 1 - rank, tag, to, n, MPI_CHAR, 1 - rank, tag,
                          MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    check_all(to, (size_t)n, (char)tag);
}

int main(int argc, char **argv)
{
    int value;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    in = malloc(BYTES);
    out = malloc(BYTES);
    memset(in, 'i', BYTES);
    memset(out, 'o', BYTES);
    fresh = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK_OK(MPIX_Safe_point_enter(&value));
    check_all(in, BYTES, 'i');
    check_all(out, BYTES, 'o');
    check_all(fresh, BYTES, 0);
    if (value < 2) {
        exchange(in, BYTES, 1);
        exchange(fresh, BYTES, 2);
        exchange(in + 100, 3000, 3);
        exchange(in + BYTES / 2 + 1, 100000, 4);
        CHECK_OK(MPIX_Safe_point_roll_back(value + 1));
    }
    CHECK_OK(MPIX_Safe_point_commit());
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        puts("as before 4 messages");
    MPI_Finalize();
    return 0;
}
