/* SPDX-License-Identifier: BSD-3-Clause */
/* A revocation ends partitioned messages at every step: before a partner is known, before the receiver has started, with
 * some partitions marked, and while large ones are on their way; requests that are started afterwards fail,
 * too, and so does MPI_Parrived.
 *
 *   R1: a nonblocking call on a revoked communicator starts; its completion reports the error
 *   S0-15: a nonblocking call never reports a failure when it starts
 *   S0-60: a revocation ends calls in progress
 *   S0-65: on a revoked communicator every non-local call fails
 *
 * RUN: -n 2 ; args 64 ; expect "rank 0 ok" ; expect "rank 1 ok"
 * RUN: -n 2 ; args 200000 ; expect "rank 0 ok" ; expect "rank 1 ok"
 * RUN: -n 2 ; args 200000 ; set SINGLE_COPY=never ; expect "rank 0 ok" ; expect "rank 1 ok" */
#include "../common.h"

#include "../../mpi/part/common.h"

#define PARTITIONS 4
#define REVOKED    MPI_ERR_INVALIDATED

enum step { NO_PARTNER, NOT_STARTED, NOT_MARKED, SOME_MARKED, ALL_MARKED, STEPS };

static unsigned char *out, *in;
static int each;

/* Rank 1 receives as far as the step says; rank 0 sends, and revokes. */
static void at(enum step step, int round)
{
    MPI_Request r = MPI_REQUEST_NULL;
    int flag = 0, class;
    MPI_Comm c;

    MPI_Comm_dup(W, &c);
    MPI_Comm_set_errhandler(c, MPI_ERRORS_RETURN);
    memset(in, GUARD, (size_t)(PARTITIONS * each));
    fill(out, (size_t)(PARTITIONS * each), (unsigned)round);
    if (rank == 0)
        r = psend(out, PARTITIONS, each, MPI_BYTE, 1, 0, c);
    else if (step >= NOT_STARTED)
        r = precv(in, PARTITIONS, each, MPI_BYTE, 0, 0, c);
    else
        r = precv(in, PARTITIONS, each, MPI_BYTE, 0, 1, c);
    MPI_Barrier(W);
    if (rank == 0 || step != NOT_STARTED)
        CHECK_OK(MPI_Start(&r));
    if (rank == 0) {
        for (int i = 0; i < PARTITIONS; i++)
            if (step == ALL_MARKED || step == NOT_STARTED || (step == SOME_MARKED && i % 2))
                CHECK_OK(MPI_Pready(i, r));
        CHECK_OK(MPI_Comm_invalidate(c));
    } else if (step == NOT_STARTED) {
        while (class_of(MPI_Comm_test_inter(c, &flag)) == MPI_SUCCESS &&
               class_of(MPI_Iprobe(0, 5, c, &flag, MPI_STATUS_IGNORE)) == MPI_SUCCESS)
            ;
        CHECK_OK(MPI_Start(&r));
    }
    class = class_of(MPI_Wait(&r, MPI_STATUS_IGNORE));
    CHECK(class == REVOKED || (step == ALL_MARKED && class == MPI_SUCCESS));
    if (rank == 1 && class == MPI_SUCCESS)
        CHECK_EQ(wrong(in, (size_t)(PARTITIONS * each), (unsigned)round), -1);
    while (class_of(MPI_Iprobe(1 - rank, 5, c, &flag, MPI_STATUS_IGNORE)) == MPI_SUCCESS)
        ;
    CHECK_OK(MPI_Start(&r));
    if (rank == 0) {
        CHECK_OK(MPI_Pready_range(0, PARTITIONS - 1, r));
    } else {
        CHECK_CLASS(MPI_Parrived(r, 1, &flag), REVOKED);
        CHECK(flag);
    }
    CHECK_CLASS(MPI_Wait(&r, MPI_STATUS_IGNORE), REVOKED);
    CHECK_OK(MPI_Request_free(&r));
    CHECK_OK(MPI_Comm_free(&c));
    check_guards(in, (size_t)(PARTITIONS * each));
}

int main(int argc, char **argv)
{
    each = atoi(argv[1]);
    start(&argc, &argv);
    out = malloc((size_t)(PARTITIONS * each));
    in = guarded((size_t)(PARTITIONS * each));
    for (int round = 0; round < 20; round++)
        for (enum step step = 0; step < STEPS; step++)
            at(step, round);
    return finish();
}
