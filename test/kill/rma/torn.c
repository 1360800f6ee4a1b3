/* SPDX-License-Identifier: BSD-3-Clause */
/* A process that changes integers by accumulates is killed at any instruction: an integer is old or new, never torn, for the
 * origins that fetch it meanwhile and for those that read it afterwards; and no byte beside the integers changes.
 *
 * All write integers whose bytes are equal, and the operators keep them so.  args N: the Nth kind of window.
 *
 *   S0-40: one-sided operations never report a death
 *   S0-44: nothing beside the memory of a window changes when an epoch fails
 *
 * RUN: -n 4 ; args {n} ; times 12
 * RUN: -n 8 ; args {n} ; times 6
 * RUN: -n 4 ; args {n} ; set RMA_SHM=0 ; times 12 */
#include "../common.h"

#include "../../mpi/rma/common.h"

#define VICTIM 1
#define AT     64 /* of the integers, in the part of rank 0 */
#define BYTES  160
#define READY  0

static const struct {
    MPI_Datatype type;
    int at, size;
} field[] = {{MPI_INT64_T, AT, 8},
             {MPI_INT32_T, AT + 8, 4},
             {MPI_INT16_T, AT + 12, 2},
             {MPI_UINT64_T, AT + 16, 8}};
enum { FIELDS = sizeof field / sizeof *field };

static const MPI_Op operators[] = {MPI_REPLACE, MPI_BXOR, MPI_BOR, MPI_BAND, MPI_NO_OP};

static struct window k;
static unsigned state;

static unsigned dice(void)
{
    state = state * 1664525u + 1013904223u;
    return state >> 16;
}

static void check_whole(const unsigned char *bytes, int n)
{
    for (int i = 1; i < n; i++)
        CHECK_EQ(bytes[i], bytes[0]);
}

/* One operation on one of the integers; what was there comes back whole. */
static void change(void)
{
    unsigned char in[8], with[8], old[8] = {0};
    int f = (int)(dice() % FIELDS);
    MPI_Aint at = disp_of(&k, 0, field[f].at, 1);

    memset(in, (int)dice() & 255, sizeof in);
    memset(with, (int)dice() & 3, sizeof with);
    if (dice() % 4 == 0)
        CHECK_OK(MPI_Compare_and_swap(in, with, old, field[f].type, 0, at, k.win));
    else
        CHECK_OK(MPI_Fetch_and_op(in, old, field[f].type, 0, at, operators[dice() % 5], k.win));
    CHECK_OK(MPI_Win_flush(0, k.win));
    check_whole(old, field[f].size);
}

static void check_part(void)
{
    unsigned char part[BYTES];

    CHECK_OK(MPI_Get(part, BYTES, MPI_BYTE, 0, disp_of(&k, 0, 0, 1), BYTES, MPI_BYTE, k.win));
    CHECK_OK(MPI_Win_flush(0, k.win));
    for (int f = 0; f < FIELDS; f++) {
        check_whole(part + field[f].at, field[f].size);
        memset(part + field[f].at, 0, (size_t)field[f].size);
    }
    for (int i = 0; i < BYTES; i++)
        CHECK_EQ(part[i], 0);
}

int main(int argc, char **argv)
{
    MPI_Comm rest;

    start(&argc, &argv);
    k = make_window(kind_on(W, (enum kind)(atoi(argv[1]) % KINDS)), BYTES, 1, W);
    state = (unsigned)getpid();
    CHECK_OK(MPI_Comm_split(W, rank == VICTIM ? MPI_UNDEFINED : 0, rank, &rest));
    CHECK_OK(MPI_Win_lock_all(0, k.win));
    post(READY);
    await_in_mpi(READY, size);
    if (rank == VICTIM)
        die_soon(1 + (long)(dice() % 3000));
    while (rank == VICTIM || !is_known_dead(W, VICTIM))
        change();
    for (int i = 0; i < 100; i++)
        change();
    CHECK_OK(MPI_Barrier(rest));
    check_part();
    CHECK_CLASS(MPI_Win_unlock_all(k.win), MPI_ERR_PROC_FAILED);
    CHECK_OK(MPI_Barrier(rest));
    free_window(&k);
    MPI_Comm_free(&rest);
    return finish();
}
