/* SPDX-License-Identifier: BSD-3-Clause */
/* waits.c – a report of what ranks wait for names the call, the communicator, the peers and the tag, each in words
 * that a user knows, and says which collective does not match or which ranks have not entered it.
 *
 * The job hangs on purpose, and `mpiexec --timeout` ends it: the status is 124.  Rank 1 (or the last one) stays
 * outside of MPI.
 *
 *     args WHAT
 *
 * RUN: -n 2 --timeout 1 ; args recv ; exit 124 ;
 *      expect "rank 0 (" ; expect "in MPI_Recv: waits for receive from rank 1, tag 7, on MPI_COMM_WORLD" ;
 *      expect "waits for nothing: it is outside of MPI, or polls; its last call was MPI_Comm_rank"
 * RUN: -n 2 --timeout 1 ; args any ; exit 124 ;
 *      expect "in MPI_Recv: waits for receive from any rank, any tag, on my name"
 * RUN: -n 3 --timeout 1 ; args dup ; exit 124 ;
 *      expect "from rank 0 (of the job: 1), tag 7, on a communicator of ranks 1-2, made by MPI_Comm_split"
 * RUN: -n 2 --timeout 1 ; args ssend ; exit 124 ;
 *      expect "in MPI_Ssend: waits for send to rank 1, tag 8, on MPI_COMM_WORLD, 0 of 4 bytes sent, nobody receives"
 * RUN: -n 2 --timeout 1 ; args sendrecv ; exit 124 ; expect "in MPI_Sendrecv: waits for receive from rank 1, tag 9"
 * RUN: -n 2 --timeout 1 ; args probe ; exit 124 ;
 *      expect "in MPI_Probe: waits for a message from rank 1, tag 5, on MPI_COMM_WORLD"
 * RUN: -n 2 --timeout 1 ; args wait ; exit 124 ; expect "in MPI_Wait: waits for receive from rank 1, tag 2"
 * RUN: -n 2 --timeout 1 ; args waitany ; exit 124 ;
 *      expect "in MPI_Waitany: waits for any of 7 requests, 6 open: receive from rank 1, tag 0" ; expect "tag 3, on MPI_COMM_WORLD; ..."
 * RUN: -n 2 --timeout 1 ; args waitall ; exit 124 ;
 *      expect "in MPI_Waitall: waits for all of 7 requests, 6 open: receive from rank 1, tag 0"
 * RUN: -n 4 --timeout 1 ; args allreduce ; exit 124 ;
 *      expect "in MPI_Allreduce on MPI_COMM_WORLD: waits for rank 3 to take part" ;
 *      expect "mend: MPI_Allreduce on MPI_COMM_WORLD: rank 3 has not entered it"
 * RUN: -n 5 --timeout 1 ; args allreduce ; set COLL_SHM=0 ; exit 124 ;
 *      expect "in MPI_Allreduce on MPI_COMM_WORLD: waits for what it exchanges with rank" ;
 *      expect "mend: MPI_Allreduce on MPI_COMM_WORLD: rank 4 has not entered it"
 * RUN: -n 4 --timeout 1 ; args iallreduce ; exit 124 ;
 *      expect "in MPI_Wait: waits for MPI_Iallreduce on MPI_COMM_WORLD, what it exchanges with rank" ;
 *      expect "mend: MPI_Iallreduce on MPI_COMM_WORLD: rank 3 has not entered it"
 * RUN: -n 3 --timeout 1 ; args comm_dup ; exit 124 ;
 *      expect "in MPI_Comm_dup on MPI_COMM_WORLD: waits for rank 2 to take part" ;
 *      expect "mend: MPI_Comm_dup on MPI_COMM_WORLD: rank 2 has not entered it"
 * RUN: -n 3 --timeout 1 ; args comm_dup ; set AGREE_SHM=0 ; exit 124 ;
 *      expect "in MPI_Comm_dup on MPI_COMM_WORLD: waits for the votes of the others" ;
 *      expect "mend: MPI_Comm_dup on MPI_COMM_WORLD: rank 2 has not entered it"
 * RUN: -n 3 --timeout 1 ; args shrink ; exit 124 ;
 *      expect "in MPIX_Comm_shrink on MPI_COMM_WORLD: waits for rank 2 to take part"
 * RUN: -n 3 --timeout 1 ; args agree ; exit 124 ;
 *      expect "in MPI_Comm_agree on MPI_COMM_WORLD: waits for rank 2 to take part"
 * RUN: -n 2 --timeout 1 ; args mismatch ; exit 124 ;
 *      expect "mend: collective calls on MPI_COMM_WORLD do not match: rank 1 in MPI_Barrier, rank 0 in MPI_Comm_dup"
 * RUN: -n 4 --timeout 1 ; args mismatch ; set COLL_SHM=0 ; exit 124 ; expect "do not match: ranks 1-3 in MPI_Barrier"
 * RUN: -n 4 --timeout 1 ; args late ; exit 124 ; expect-no "do not match" ; set COLL_SHM=0 ;
 *      expect "mend: MPI_Gather on MPI_COMM_WORLD: rank 3 has not entered it"
 * RUN: -n 2 --timeout 1 ; args attr ; exit 124 ; expect "in MPI_Comm_dup on MPI_COMM_WORLD: waits for rank 1"
 * RUN: -n 2 --timeout 1 ; args threads ; exit 124 ;
 *      expect "in MPI_Recv: waits for receive from rank 1, tag 21" ;
 *      expect "in MPI_Recv: waits for receive from rank 1, tag 22" ; expect "in MPI_Barrier on MPI_COMM_WORLD" */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define W     MPI_COMM_WORLD
#define OPEN  6
#define IS(s) (strcmp(what, s) == 0)

static int rank, size, v[8];

static void *receiver(void *arg)
{
    int x;

    MPI_Recv(&x, 1, MPI_INT, 1, (int)(long)arg, W, MPI_STATUS_IGNORE);
    return NULL;
}

static int copy(MPI_Comm comm, int key, void *extra, void *value, void *out, int *flag)
{
    int n;

    MPI_Comm_size(comm, &n); /* the call that waits is not this one */
    *flag = 0;
    return MPI_SUCCESS;
}

/* Rank 0. */
static void point_to_point(const char *what)
{
    MPI_Request q[OPEN + 1];
    MPI_Status s;
    int i;

    for (i = 0; (IS("waitany") || IS("waitall")) && i < OPEN; i++)
        MPI_Irecv(&v[i], 1, MPI_INT, 1, i, W, &q[i]);
    q[OPEN] = MPI_REQUEST_NULL;
    if (IS("recv"))
        MPI_Recv(v, 1, MPI_INT, 1, 7, W, &s);
    else if (IS("ssend"))
        MPI_Ssend(v, 1, MPI_INT, 1, 8, W);
    else if (IS("sendrecv"))
        MPI_Sendrecv(v, 1, MPI_INT, 1, 9, &v[1], 1, MPI_INT, 1, 9, W, &s);
    else if (IS("probe"))
        MPI_Probe(1, 5, W, &s);
    else if (IS("waitany"))
        MPI_Waitany(OPEN + 1, q, &i, &s);
    else if (IS("waitall"))
        MPI_Waitall(OPEN + 1, q, MPI_STATUSES_IGNORE);
    else if (IS("wait")) {
        MPI_Irecv(v, 1, MPI_INT, 1, 2, W, q);
        MPI_Wait(q, &s);
    }
}

/* All but the last rank. */
static void collective(const char *what)
{
    MPI_Request q;
    MPI_Comm made;
    int key;

    if (IS("allreduce"))
        MPI_Allreduce(v, &v[1], 1, MPI_INT, MPI_SUM, W);
    else if (IS("iallreduce")) {
        MPI_Iallreduce(v, &v[1], 1, MPI_INT, MPI_SUM, W, &q);
        MPI_Wait(&q, MPI_STATUS_IGNORE);
    } else if (IS("comm_dup"))
        MPI_Comm_dup(W, &made);
    else if (IS("shrink"))
        MPIX_Comm_shrink(W, &made);
    else if (IS("agree")) /* the same function has several names */
        MPIX_Comm_agree(W, v);
    else if (IS("attr")) {
        MPI_Comm_create_keyval((MPI_Comm_copy_attr_function *)copy, MPI_COMM_NULL_DELETE_FN, &key,
                               NULL);
        MPI_Comm_set_attr(W, key, v);
        MPI_Comm_dup(W, &made);
    }
}

static void all(const char *what)
{
    MPI_Comm half, named;
    int all_v[64] = {0};

    MPI_Barrier(W);
    if (IS("dup")) { /* ranks 1, 2 of the job are 0, 1 of it */
        MPI_Comm_split(W, rank > 0, 0, &half);
        if (rank == 2)
            MPI_Recv(v, 1, MPI_INT, 0, 7, half, MPI_STATUS_IGNORE);
    } else if (IS("any")) {
        MPI_Comm_dup(W, &named);
        MPI_Comm_set_name(named, "my name");
        if (rank == 0)
            MPI_Recv(v, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, named, MPI_STATUS_IGNORE);
    } else if (IS("mismatch")) {
        if (rank == 0)
            MPI_Comm_dup(W, &named);
        else
            MPI_Barrier(W);
    } else if (
        IS("late")) { /* ranks 0 to 2 leave the gather to rank 1 or wait in it; all calls match */
        if (rank < 3)
            MPI_Gather(v, 1, MPI_INT, all_v, 1, MPI_INT, 1, W);
        if (rank < 3)
            MPI_Barrier(W);
    }
}

int main(int argc, char **argv)
{
    const char *what = argv[1];
    pthread_t t[2];
    int provided;

    MPI_Init_thread(&argc, &argv, IS("threads") ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
                    &provided);
    MPI_Comm_size(W, &size);
    MPI_Comm_rank(W, &rank);
    if (IS("threads") && rank == 0) {
        for (long i = 0; i < 2; i++)
            pthread_create(&t[i], NULL, receiver, (void *)(21 + i));
        MPI_Barrier(W);
    } else if (IS("dup") || IS("any") || IS("mismatch") || IS("late")) {
        all(what);
    } else {
        if (rank == 0)
            point_to_point(what);
        if (rank < size - 1)
            collective(what);
    }
    for (;;)
        pause();
}
