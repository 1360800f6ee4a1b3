/* SPDX-License-Identifier: BSD-3-Clause */
/* A process dies while the others have no memory: one rank after the other, and each time another allocation of the
 * survivors, or of one of them, fails, or all that follow do.  What waits for the dead one ends, those that are left agree and shrink,
 * and when there is memory again all goes on.
 *
 * RUN: -n 9 ; set MEMORY_FAULTS=1 ; expect "rank 0 ok" ; time 60
 * RUN: -n 9 ; args one ; set MEMORY_FAULTS=1 ; expect "rank 0 ok" ; time 60
 * RUN: -n 9 ; set MEMORY_FAULTS=1 ; set AGREE_SHM=0 ; set COLL_SHM=0 ; expect "rank 0 ok" ; time 60
 * RUN: -n 9 ; set MEMORY_FAULTS=1 ; set REVOKE_SHM=0 ; set SINGLE_COPY=always ; expect "rank 0 ok" ; time 60 */
#include "scarce.h"

#define LARGE 200000

static MPI_Comm comm;
static int me, members;
static bool only_rank_0;
static unsigned char in[3][LARGE], out[LARGE];

/* Which allocation fails in the round. */
static int want_of(int round)
{
    static const int wants[] = {-1, 1, 2, 3, -2, 4, -3, 5};

    return wants[round % (int)(sizeof(wants) / sizeof(*wants))];
}

static void expect(int err, int other, const char *what)
{
    int class = class_of(err);

    if (class != MPIX_ERR_PROC_FAILED && class != MPI_ERR_NO_MEM && class != other) {
        fprintf(stderr, "rank %d: %s gives class %#x\n", rank, what, (unsigned)class);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void begin(int victim, MPI_Request r[4])
{
    CHECK_EQ(MPI_Irecv(in[0], 10, MPI_BYTE, victim, 1, comm, &r[0]), MPI_SUCCESS);
    CHECK_EQ(MPI_Irecv(in[1], LARGE, MPI_BYTE, victim, 2, comm, &r[1]), MPI_SUCCESS);
    CHECK_EQ(MPI_Isend(out, LARGE, MPI_BYTE, victim, 3, comm, &r[2]), MPI_SUCCESS);
    CHECK_EQ(MPI_Ibarrier(comm, &r[3]), MPI_SUCCESS);
}

/* Without memory: what waits for the victim ends, and so does what is new. */
static void hear_of_it(int victim, MPI_Request r[4])
{
    static const char *const what[] = {"MPI_Irecv", "MPI_Irecv of much", "MPI_Isend",
                                       "MPI_Ibarrier"};
    int flag = 1;

    for (int i = 0; i < 4; i++)
        expect(MPI_Wait(&r[i], MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED, what[i]);
    expect(MPI_Recv(in[0], 10, MPI_BYTE, victim, 1, comm, MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED,
           "MPI_Recv");
    expect(MPI_Send(out, LARGE, MPI_BYTE, victim, 3, comm), MPIX_ERR_PROC_FAILED, "MPI_Send");
    expect(MPI_Recv(in[0], 10, MPI_BYTE, MPI_ANY_SOURCE, 4, comm, MPI_STATUS_IGNORE),
           MPIX_ERR_PROC_FAILED, "MPI_Recv from any source");
    expect(MPI_Barrier(comm), MPIX_ERR_PROC_FAILED, "MPI_Barrier");
    expect(MPIX_Comm_agree(comm, &flag), MPIX_ERR_PROC_FAILED, "MPIX_Comm_agree");
    expect(MPIX_Comm_revoke(comm), MPI_SUCCESS, "MPIX_Comm_revoke");
    expect(MPI_Barrier(comm), MPIX_ERR_REVOKED, "MPI_Barrier on a revoked communicator");
}

/* With whatever memory there is: all that are left have a new communicator, or none has. */
static MPI_Comm shrunk(void)
{
    MPI_Comm made = MPI_COMM_NULL;
    int err = MPIX_Comm_shrink(comm, &made), flag = err == MPI_SUCCESS;

    expect(err, MPI_SUCCESS, "MPIX_Comm_shrink");
    enough();
    if (err) {
        CHECK_EQ(MPIX_Comm_shrink(comm, &made), MPI_SUCCESS);
        flag = 2;
    }
    err = MPI_Allreduce(MPI_IN_PLACE, &flag, 1, MPI_INT, MPI_SUM, made);
    CHECK_EQ(err, MPI_SUCCESS);
    CHECK(flag == members - 1 || flag == 2 * (members - 1)); /* creation is uniform */
    return made;
}

static void lose_one(int round)
{
    int victim = members - 1;
    MPI_Request r[4];
    MPI_Comm made;

    CHECK_EQ(MPI_Barrier(comm), MPI_SUCCESS);
    if (me == victim) {
        await(round, members - 1);
        die_now();
    }
    begin(victim, r);
    scarce_set(only_rank_0 && me != 0 ? 0 : want_of(round));
    post(round);
    hear_of_it(victim, r);
    made = shrunk();
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
    comm = made;
    CHECK_EQ(MPI_Comm_rank(comm, &me), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_size(comm, &members), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &comm), MPI_SUCCESS);
    only_rank_0 = argc > 1;
    me = rank;
    members = size;
    for (int round = 0; members > 1; round++)
        lose_one(round);
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
    return finish();
}
